"""A database that has no time for a single transaction of somebody who comes in: it is tried again, each of them."""

import signal
from collections.abc import Iterator
from itertools import count, product
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.lobby import ReadyLine
from tests.isolation.sessions import CONFIG, START, Hall
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
LETTERS = "bcdfgkmpst"
MANY = TelnetSettings(max_sessions=32, registrations_per_hour=10**6)


class Door:
    """Callers come in, one after the other."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self.inbox, self.alarms = SignalInbox(), Alarms()

    def log_in(self, typed: str, monkeypatch: pytest.MonkeyPatch, refused: int) -> tuple[str, int]:
        """Return what a caller reads up to the prompt, and how many transactions there were; one is `refused`."""
        instance = Instance(self._hall.data, self._hall.config, self._hall.foundation.segment)
        instance.enter("memory")
        line = ReadyLine(("xterm-256color", "utf-8"))
        display = Display(line)
        caller = Caller(line, display, Loop(line, display, self.inbox, self.alarms), instance)
        line.typed += typed.encode()
        opened, begun = SqliteStore.opened, 0

        def busy(store: SqliteStore) -> SqliteConnection:
            nonlocal begun
            begun += 1
            if begun == refused:
                raise Unavailable("the database is busy")
            return opened(store)

        try:
            with monkeypatch.context() as patched:
                patched.setattr(SqliteStore, "opened", busy)
                patched.setattr(patience, "PAUSES", (0.0, 0.0, 0.0))
                caller.begin()
                login.log_in(caller)
            return line.take().decode(), begun
        finally:
            run._leave(caller)
            line.close()

    def close(self) -> None:
        self.alarms.close()
        self.inbox.close()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    before = {one: signal.getsignal(one) for one in (signal.SIGHUP, signal.SIGUSR1)}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # for the listener, which is this process
    with Hall(tmp_path / "data", replace(CONFIG, telnet=MANY)) as hall:
        door = Door(hall)
        yield door
        door.close()
    for one, handler in before.items():
        signal.signal(one, handler)


def test_no_registration_ends_because_the_database_was_busy_once(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    for refused, letters in zip(count(1), product(LETTERS, repeat=2), strict=False):
        typed = f"Nora {''.join(letters)}\ry{PASSWORD}{PASSWORD}s"
        read, begun = door.log_in(typed, monkeypatch, refused)
        assert read.count(f"You own {START} CUBES.") == 1, refused
        if begun < refused:
            return
    pytest.fail("a registration has no end")


def test_no_login_ends_because_the_database_was_busy_once(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    door.log_in(f"Nora\ry{PASSWORD}{PASSWORD}s", monkeypatch, 0)
    for refused in count(1):
        read, begun = door.log_in(f"Nora\r{PASSWORD}", monkeypatch, refused)
        assert read.count(f"You own {START} CUBES.") == 1, refused
        if begun < refused:
            return
