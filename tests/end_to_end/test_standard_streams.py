"""A log that nobody reads, and standard streams that are closed or full: the BBS goes on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.ports import free_port, listens
from tests.processes import serving
from tests.thoroughness import few
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("afresh")


class Unheard(Bbs):
    """A BBS whose log leads into a pipe that is full."""

    def __init__(self, data: Path, pipe: Path) -> None:
        super().__init__(data)
        self.under = ["sh", "-c", f'exec "$0" "$@" 2>{pipe}']


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """Return a pipe that takes nothing, since its reader has stopped reading."""
    path = tmp_path / "log"
    os.mkfifo(path)
    ends = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        while True:
            os.write(ends, b"." * 4096)
    except BlockingIOError:
        yield path
    os.close(ends)


def sessions(bbs: Bbs) -> set[psutil.Process]:
    return set(serving(bbs.process.pid))


def test_a_log_that_nobody_reads_holds_up_nobody(tmp_path: Path, full: Path) -> None:
    with Unheard(tmp_path / "data", full) as bbs:
        (anna,) = bbs.seat("Anna")
        before = sessions(bbs)
        (bert,) = bbs.seat("Bert")
        (session,) = sessions(bbs) - before
        anna.hear("Bert sits down")
        anna.send("s")
        bert.until("Pot:", "20 CUBES")
        session.kill()
        anna.hear("Anna wins 20 CUBES as the only player left")
        bbs.call().register("Carl").sit()
        anna.hear("Carl sits down")
        assert bbs.audit()["clean"] is True
        assert bbs.stop() == 0


@pytest.mark.parametrize("closed", few(["<&- >&- 2>&-", "2>/dev/full", ">/dev/full", ">&-", "2>&-"], 2))
def test_it_serves_whatever_its_streams_are(tmp_path: Path, closed: str) -> None:
    port, configuration = free_port(), tmp_path / "bbs.toml"
    configuration.write_text(FAST)
    options = f"--config {configuration} --data {tmp_path}/data --host 127.0.0.1 --port {port}"
    command = f'exec "$0" -m telnetd {options} {closed}'
    with subprocess.Popen(["sh", "-c", command, sys.executable], start_new_session=True) as daemon:
        try:
            wait_until(lambda: listens(port), "its door to open")
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(DEADLINE) == 0
        finally:
            daemon.kill()


@pytest.mark.parametrize(
    ("arguments", "redirection", "code"),
    few(
        [
            ("-m telnetd --check", ">/dev/full", 0),
            ("-m yawc_poker.sysop ipc", ">/dev/full", 2),
            ("-m yawc_poker.sysop ipc", "<&- >&- 2>&-", 0),
            ("-m yawc_poker.sysop kick $(printf '\\377') --reason x", "", 2),
            ("-m yawc_poker", "<&-", 2),
            ("-m yawc_poker.sysop history --user $(printf '\\377')", "", 2),
            ("-m telnetd --check", ">&-", 0),
            ("-m yawc_poker.sysop ipc", ">&-", 0),
        ],
        5,
    ),
)
def test_a_command_with_bad_streams_or_arguments_has_its_exit_code(
    tmp_path: Path, arguments: str, redirection: str, code: int
) -> None:
    command = f'"$0" {arguments} {redirection}'
    environ = os.environ | {"YAWC_DATA": str(tmp_path / "data")}
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False, env=environ
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
