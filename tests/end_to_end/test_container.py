"""The daemon as process 1 of a PID namespace, as in a container: it is told things, and it adopts orphans."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.end_to_end.daemons import scraped
from tests.processes import serving
from tests.waiting import wait_until

UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
RESTLESS = """[ "$1" ] || {{ "{python}" -c '{look}' & }}; exec sh "$0" again"""
"""A listener by its name, which becomes another program all the time, as in an upgrade."""
LOOK = """
from yawc_poker.ipc import process
one = process.find(1)
print(one is not None and sum(process.is_alive(one) for _ in range(10_000)), flush=True)
"""


class Container(Bbs):
    """The daemon as process 1; the process that this test has started is `unshare`."""

    @property
    def listener(self) -> psutil.Process:
        """Process 1, as it is seen from outside."""
        (listener,) = psutil.Process(self.process.pid).children()
        return listener

    def stop(self) -> int:
        self.listener.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)

    def inside(self, *command: str) -> str:
        """Run a command in there, which must succeed, and give what it prints."""
        there = ["nsenter", f"--target={self.listener.pid}", "--pid", "--mount", "--"]
        done = subprocess.run([*there, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def need_unshare() -> None:
    """Skip the test where no PID namespace may be made."""
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        pytest.skip("there is no unshare, or no nsenter")
    tried = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"no PID namespace may be made here: {tried.stderr.strip()}")


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    need_unshare()
    bbs = Container(tmp_path / "data", FAST)
    bbs.under = UNSHARE
    with bbs:
        yield bbs


def test_as_process_1_it_hears_what_it_is_told(container: Container) -> None:
    anna = container.call().register("Anna")
    assert "yawc_listener_up 1" in scraped(container.data)
    container.yawcctl("reload")
    container.yawcctl("ban", "127.9.9.9", "--for", "1d", "--reason", "flood")
    wait_until(lambda: "banned addresses and networks: 1" in container.log.read_text(), "the ban at the door")
    container.call(address="127.9.9.9").see("calls from your address are not taken")
    assert "The listener is version" in container.yawcctl("upgrade")
    assert "listener" in container.yawcctl("status")
    bert = container.call().register("Bert")
    anna.press("w")
    anna.see("2 users online.")
    bert.hang_up()
    wait_until(lambda: len(serving(container.listener.pid)) == 1, "the end of Bert's session")
    assert "ended with" not in container.log.read_text()


def test_process_1_is_alive_while_it_becomes_another_program(tmp_path: Path) -> None:
    need_unshare()
    script = tmp_path / "telnetd"
    script.write_text(RESTLESS.format(python=sys.executable, look=LOOK))
    with subprocess.Popen([*UNSHARE, "sh", script], stdout=subprocess.PIPE, text=True) as restless:
        assert restless.stdout is not None
        seen = restless.stdout.readline()
        restless.kill()
    assert seen == "10000\n"


def names(container: Container) -> list[str]:
    """Return the names of the daemon's children."""
    return [one.name() for one in serving(container.listener.pid)]


def test_as_process_1_it_reaps_orphans(container: Container) -> None:
    orphan = container.inside("sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!").strip()
    wait_until(lambda: names(container) == ["sleep"], "an orphan that is the daemon's child, and the shell's no more")
    container.inside("sh", "-c", f"kill -9 {orphan}")
    wait_until(lambda: not serving(container.listener.pid), "the orphan to be reaped")
    container.call().register("Anna")
