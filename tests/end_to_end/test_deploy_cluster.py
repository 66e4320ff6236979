"""The files of `deploy/cluster/`: their programs take them, and `two-hosts` makes a casino of two hosts out of them."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from telnetd.extras.web.settings import WebSettings
from tests import postgres
from tests.end_to_end.bbs import TelnetCaller, connected
from tests.ports import row_of_ports
from tests.waiting import wait_until
from yawc_poker.config_file import load
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.registry.games import SETTINGS

FILES = Path(__file__).parents[2] / "deploy" / "cluster"
TWO_HOSTS = FILES / "two-hosts"
ANNA, BERT = "127.0.7.1", "127.0.7.2"
"""Where they call from."""
MORE = '[bbs]\nname = "Testville"\n[engine]\nrehearse = false\n'
PORTS = 23
"""How many `two-hosts` takes, from the first to the last."""


def program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def has_user(name: str) -> bool:
    with suppress(KeyError):
        pwd.getpwnam(name)
        return True
    return False


def why_not() -> str:
    """Return why `two-hosts` cannot be run here; empty: it can."""
    if missing := [name for name in ("haproxy", "pgbouncer") if program(name) is None]:
        return f"{' and '.join(missing)} must be installed"
    if os.geteuid() == 0 and not has_user("postgres"):
        return "there is no user postgres"
    return postgres.why_not()


def test_the_part_of_the_configuration_is_one() -> None:
    config = load(FILES / "yawc.toml", SETTINGS)
    assert config.of(ClusterSettings).host == "north"
    assert config.telnet.proxies == config.of(WebSettings).proxies == ("192.0.2.10",)
    assert config.of(ClusterSettings).database
    assert config.of(ClusterSettings).listen


@pytest.mark.skipif(program("haproxy") is None or not has_user("haproxy"), reason="HAProxy is not installed")
def test_haproxy_takes_its_file_and_waits_longer_than_the_bbs_does() -> None:
    file = FILES / "haproxy.cfg"
    done = subprocess.run([str(program("haproxy")), "-c", "-f", file], capture_output=True, text=True, check=False)
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    assert "timeout client 1h" in file.read_text()
    assert load(FILES / "yawc.toml", SETTINGS).telnet.idle_seconds < 3600


class TwoHosts:
    """What `two-hosts` makes, in a folder that the user postgres may enter."""

    def __init__(self, around: Path) -> None:
        self.folder = around / "hosts"
        self.port = row_of_ports(PORTS)
        self._said = around / "said"
        self._more = around / "more.toml"
        self._more.write_text(MORE)

    def run(self, *words: str) -> str:
        """Run the script with the program that is tested, wherever its environment is."""
        mine = {"PROGRAM": sys.prefix, "PORT": str(self.port), "FOLDER": str(self.folder), "MORE": str(self._more)}
        with self._said.open("a") as said:  # HAProxy keeps it
            done = subprocess.run(
                [TWO_HOSTS, *words],
                stdout=subprocess.PIPE,
                stderr=said,
                env={**os.environ, **mine},
                text=True,
                check=False,
            )
        assert done.returncode == 0, self._said.read_text()
        return done.stdout

    def who(self, host: str) -> dict[str, tuple[str, str]]:
        """Return address and host of those who are in, by name, as one host tells it."""
        found = [json.loads(line) for line in self.run(host, "who", "--json").splitlines()]
        return {one["name"]: (one["address"], one["host"]) for one in found}

    def stop(self, host: str) -> None:
        """Ask a host to end, while the other one goes on."""
        os.kill(int((self.folder / f"{host}.pid").read_text()), 15)


@pytest.fixture
def two() -> Iterator[TwoHosts]:
    if reason := why_not():
        pytest.skip(reason)
    around = Path(tempfile.mkdtemp(prefix="yawc-two-"))
    around.chmod(0o755)
    found = TwoHosts(around)
    try:
        found.run("up")
        yield found
    finally:
        found.run("down")
    shutil.rmtree(around)


def answers(port: int, path: str) -> int:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
        return int(answer.status)


def test_two_hosts_are_one_casino_behind_a_proxy(two: TwoHosts) -> None:
    assert [answers(two.port + host, "/health") for host in (12, 22)] == [200, 200]
    assert answers(two.port + 2, "/") == 200
    with TelnetCaller(connected(two.port, ANNA)) as anna, TelnetCaller(connected(two.port, BERT)) as bert:
        anna.register("Anna")
        bert.register("Bert")
        wait_until(lambda: len(two.who("north")) == len(two.who("south")) == 2, "both of them on both hosts")
        there = two.who("north")
        assert there == two.who("south")
        assert {name: address for name, (address, _) in there.items()} == {"Anna": ANNA, "Bert": BERT}
        assert {host for _, host in there.values()} == {"north", "south"}
        anna.sit()
        bert.sit()
        anna.hear("Bert sits down")
        anna.send("s")
        for caller in (anna, bert):
            caller.until("Pot:", "20 CUBES")
        two.stop(there["Anna"][1])
        anna.ended()
        assert "a seat at a table is kept for you" in " ".join(anna.text.split())
        with TelnetCaller(connected(two.port, ANNA)) as again:
            again.name = "Anna"
            again.see("Name:")
            again.line("Anna")
            again.see("Password:")
            again.line("secret-1")
            again.see("Master:", "Pot:    20 CUBES")
    assert "in force" in two.run("status")
