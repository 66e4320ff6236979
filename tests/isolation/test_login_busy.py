"""A database that has no time for a single transaction of somebody who comes in: it is tried again, each of them."""

import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.lobby import ReadyLine
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import CONFIG, Hall
from tests.thoroughness import SOAK
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store import patience
from yawc_poker.casino.store.connection import Unavailable
from yawc_poker.casino.store.sqlite import SqliteConnection, SqliteStore
from yawc_poker.config import TelnetSettings
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session import run
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.loop import Loop
from yawc_poker.session.menus import login
from yawc_poker.terminal.display import Display

PASSWORD = "secret-1\r"
EVERY = 1 if SOAK else 3
"""Of so many transactions one is refused."""
MANY = TelnetSettings(max_sessions=32, registrations_per_hour=10**6)


def log_in(hall: Hall, typed: str, refused: int) -> tuple[str, int]:
    """Return what a caller reads up to the prompt, and how many transactions there were; one is `refused`.

    It works in a process that is forked for it, where no other thread takes the session's signals.
    """
    inbox = SignalInbox()
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    instance = Instance(hall.data, hall.config, hall.foundation.segment)
    instance.enter("memory")
    line = ReadyLine(("xterm-256color", "utf-8"))
    display = Display(line)
    caller = Caller(line, display, Loop(line, display, inbox, Alarms()), instance)
    line.typed += typed.encode()
    opened, begun = SqliteStore.opened, 0

    def busy(store: SqliteStore) -> SqliteConnection:
        nonlocal begun
        begun += 1
        if begun == refused:
            raise Unavailable("the database is busy")
        return opened(store)

    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(SqliteStore, "opened", busy)
            patched.setattr(patience, "PAUSES", (0.0, 0.0, 0.0))
            caller.begin()
            login.log_in(caller)
        return line.take().decode(), begun
    finally:
        run._leave(caller)


def comes_in(hall: Hall, typed: str, refused: int) -> bool:
    """Let a caller come in while one transaction is refused; return whether there were so many."""
    read, write = os.pipe()

    def work() -> None:
        seen, begun = log_in(hall, typed, refused)
        assert seen.count(f"You own {CONFIG.bbs.start_cubes} CUBES.") == 1, refused
        os.write(write, b"more" if begun >= refused else b"all")

    pid = fork(work)
    os.close(write)
    with open(read, "rb") as answer:
        told = answer.read()
    assert exit_code(pid) == 0, refused
    return told == b"more"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # for the listener, which is this process
    with Hall(tmp_path / "data", replace(CONFIG, telnet=MANY)) as hall:
        yield hall
    signal.signal(signal.SIGUSR1, before)


def test_no_registration_ends_because_the_database_was_busy_once(hall: Hall) -> None:
    for refused in count(1, EVERY):
        name = "Nora " + "".join("bcdfgkmpst"[int(digit)] for digit in f"{refused:02}")
        if not comes_in(hall, f"{name}\ry{PASSWORD}{PASSWORD}s", refused):
            return


def test_no_login_ends_because_the_database_was_busy_once(hall: Hall) -> None:
    comes_in(hall, f"Nora\ry{PASSWORD}{PASSWORD}s", 0)
    for refused in count(1, EVERY):
        if not comes_in(hall, f"Nora\r{PASSWORD}", refused):
            return
