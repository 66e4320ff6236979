"""The files of `deploy/cluster/`: their programs take them, and `two-hosts` makes a casino of two hosts out of them."""

import json
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import postgres
from tests.end_to_end.bbs import Caller
from tests.waiting import wait_until
from yawc_poker.config_file import load
from yawc_poker.registry.games import SETTINGS

FILES = Path(__file__).parents[2] / "deploy" / "cluster"
TWO_HOSTS = FILES / "two-hosts"
ANNA, BERT = "127.0.7.1", "127.0.7.2"
"""Where they call from."""
MORE = '[bbs]\nname = "Testville"\n[engine]\nrehearse = false\n'


def program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def why_not() -> str:
    """Return why `two-hosts` cannot be run here; empty: it can."""
    if reason := postgres.why_not():
        return reason
    missing = [name for name in ("haproxy", "pgbouncer") if program(name) is None]
    if missing:
        return f"{' and '.join(missing)} needed"
    with suppress(KeyError):
        return "" if os.geteuid() != 0 or pwd.getpwnam("postgres") else "never"
    return "there is no user postgres"


def test_the_part_of_the_configuration_is_one() -> None:
    config = load(FILES / "yawc.toml", SETTINGS)
    assert (config.cluster.host, config.telnet.proxies, config.web.proxies) == (
        "north",
        ("192.0.2.10",),
        ("192.0.2.10",),
    )
    assert config.cluster.database
    assert config.cluster.listen


@pytest.mark.skipif(program("haproxy") is None, reason="HAProxy is not installed")
def test_haproxy_takes_its_file_and_waits_longer_than_the_bbs_does() -> None:
    with suppress(KeyError):
        pwd.getpwnam("haproxy")
        done = subprocess.run(
            [str(program("haproxy")), "-c", "-f", FILES / "haproxy.cfg"], capture_output=True, text=True
        )
        assert (done.returncode, "WARNING" in done.stderr.upper()) == (0, False), done.stderr
    assert "timeout client 1h" in (FILES / "haproxy.cfg").read_text()
    assert load(FILES / "yawc.toml", SETTINGS).telnet.idle_seconds < 3600


def run_of_ports() -> int:
    """Return the first of 23 ports that are free."""
    for first in range(20000, 30000, 100):
        with suppress(OSError):
            for port in range(first, first + 23):
                with closing(socket.create_server(("127.0.0.1", port))):
                    pass
            return first
    raise AssertionError("no free ports")


class TwoHosts:
    """What `two-hosts` makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = run_of_ports()
        self.more = folder.parent / "more.toml"
        self.more.write_text(MORE)

    def run(self, *words: str) -> str:
        environ = {**os.environ, "PORT": str(self.port), "FOLDER": str(self.folder), "MORE": str(self.more)}
        with (self.folder.parent / "two-hosts.log").open("a+") as log:  # the daemons keep what they inherit
            done = subprocess.run([TWO_HOSTS, *words], stdout=subprocess.PIPE, stderr=log, env=environ, text=True)
            assert done.returncode == 0, log.seek(0) or log.read()
        return done.stdout

    def who(self, host: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.run(host, "who", "--json").splitlines()]


@pytest.fixture
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoHosts]:
    if reason := why_not():
        pytest.skip(reason)
    folder = Path("/tmp") / tmp_path_factory.mktemp("two").name / "hosts"  # where the user postgres may enter
    folder.mkdir(parents=True)
    found = TwoHosts(folder)
    try:
        found.run("up")
        yield found
    finally:
        found.run("down")
    shutil.rmtree(folder.parent)


@pytest.mark.xdist_group("cluster")
def test_two_hosts_are_one_casino(two: TwoHosts) -> None:
    anna, bert = Caller(two.port, address=ANNA), Caller(two.port, address=BERT)
    with anna, bert:
        anna.see("Name:")
        bert.see("Name:")
        for caller, name in ((anna, "Anna"), (bert, "Bert")):
            caller.register(name)
        for host in ("north", "south"):
            wait_until(lambda host=host: len(two.who(host)) == 2, f"both of them at {host}")
            assert {str(one["name"]): one["address"] for one in two.who(host)} == {"Anna": ANNA, "Bert": BERT}
        with urlopen(f"http://127.0.0.1:{two.port + 2}/", timeout=20) as page:
            assert page.status == 200
    assert "runs" in two.run("status")
