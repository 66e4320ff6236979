"""A BBS for fuzzing: a real segment, real databases, no listener; connections are served in this process.

For any input, a session must end with exit code 0, in a bounded number of steps, and free its record.
"""

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Self

from telnetd.doors.telnet import TelnetLine
from telnetd.extras.web.service import WebService
from telnetd.extras.web.settings import WebSettings
from tests.frames import HANDSHAKE, masked
from tests.fuzz.targets import Target, pieces
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.config import Bbs, Config, Engine, TelnetSettings
from yawc_poker.control.server import serve_control
from yawc_poker.extras.live.scrape import serve_metrics
from yawc_poker.extras.maumau_wire.session import WireService
from yawc_poker.extras.maumau_wire.settings import WireSettings
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.registry.games import MAUMAU_TABLES, POKER_TABLES
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.menus import login
from yawc_poker.session.run import serve
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport

CONFIG = Config(
    bbs=Bbs(hold_seconds=0.01),
    telnet=TelnetSettings(max_sessions=8, login_seconds=3600, registrations_per_hour=0),
    games=(
        PokerSettings(turn_seconds=0.02, master_seconds=0.02, pause_seconds=0, max_bet=5),
        MaumauSettings(turn_seconds=0.02, master_seconds=0.02, pause_seconds=0),
    ),
    engine=Engine(tick_seconds=60, duty_seconds=60),
    extras=(WebSettings(resume_seconds=0), WireSettings(players=2)),
)
NAME = "Fuzz"
SLEEPER = 1_000_000
"""A user number without an account."""
NOP = b"\xff\xf1"
MOST_SENT = 4 * 1024 * 1024
"""More bytes than a session sends for any input of the tested lengths."""


class ScriptedLine(TelnetLine):
    """A telnet line whose caller types pieces, each as soon as the last one has been handled.

    Each access to the line is a step. Between two pieces the caller's side only shows that it is alive, so that the
    session goes on; after the last one it hangs up.
    """

    def __init__(self, script: Iterator[bytes]) -> None:
        here, self._there = socket.socketpair()
        super().__init__(SocketTransport(here), "fuzz")
        self._there.setblocking(False)
        self._script = script
        self._patience = 2
        self.received = 0

    @property
    def negotiated(self) -> bool:
        """Return True: a script does not negotiate a terminal."""
        return True

    def flush(self) -> None:
        """Advance the script; raise `LineClosed` at its end."""
        super().flush()
        self._drain()
        self._patience -= 1
        if self._patience > 0:
            self._there.send(NOP)
            return
        piece = next(self._script, None)
        if piece is None:
            raise LineClosed(HUNG_UP)
        self._there.send(piece or NOP)
        self._patience = len(piece) + 2  # each step returns a key, or only answers the protocol

    def close(self) -> None:
        """Close both sides."""
        self._there.close()
        super().close()

    def _drain(self) -> None:
        try:
            self.received += len(self._there.recv(1 << 20))
        except BlockingIOError:
            pass
        assert self.received <= MOST_SENT, "it sends without end"


class Ground:
    """A BBS in a directory of its own, for one process. At each table sits a player who lets every clock run out."""

    def __init__(self, data: Path) -> None:
        for number in (
            signal.SIGUSR1,
            signal.SIGHUP,
        ):  # sent to this process as the sleeping player and as the listener
            signal.signal(number, signal.SIG_IGN)
        self.foundation = Foundation.found(data, CONFIG)
        self._web = WebService(CONFIG)
        self._sleeper = self.open_instance()
        self._sleeper.enter("sleeper")
        self._sleeper.bank.welcome(SLEEPER, 10**9)
        self._sleeper.directory.claim_name(self._sleeper.notifier.index, SLEEPER, "Sleeper")
        self._sleeper.tables = Tables(self._sleeper)
        self._take_seats()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        self._sleeper.leave()
        self.foundation.demolish()
        self.foundation.segment.close()

    def _take_seats(self) -> None:
        POKER_TABLES.at(self._sleeper, 0).sit(SLEEPER, "Sleeper")
        MAUMAU_TABLES.at(self._sleeper, 1).sit(SLEEPER, "Sleeper")

    def open_instance(self) -> Instance:
        """Return an instance attached to it."""
        return self.foundation.instance(CONFIG)

    # --- targets ------------------------------------------------------------------------------------------------------

    def session(self, data: bytes) -> None:
        """Run a telnet session from the first byte on."""
        self._session(pieces(data))

    def prompt(self, data: bytes) -> None:
        """Run a telnet session that has logged in."""
        with _doors_open():
            self._session(pieces(data))

    def poker(self, data: bytes) -> None:
        """Run a telnet session at a poker table."""
        with _doors_open():
            self._session(chain([b"S", b"2", b"1\r", b"y"], pieces(data)))

    def maumau(self, data: bytes) -> None:
        """Run a telnet session at a Mau-Mau table."""
        with _doors_open():
            self._session(chain([b"S", b"1", b"y"], pieces(data)))

    def _session(self, script: Iterator[bytes]) -> None:
        line = ScriptedLine(script)
        with self._left_as_found():
            assert serve(line, self.open_instance) in {Exit.OK, Exit.UNAVAILABLE}

    def control(self, data: bytes) -> None:
        """Handle one request at the control socket."""
        self._answered(data, lambda connection: serve_control(connection, "fuzz", self.open_instance))

    def metrics(self, data: bytes) -> None:
        """Handle one request at the metrics' door."""
        self._answered(data, lambda connection: serve_metrics(connection, self.open_instance))

    def wire(self, data: bytes) -> None:
        """Serve a client of Mau-Mau's wire from its first byte to its last."""
        self._answered(data, lambda connection: WireService(CONFIG).answer(connection, "fuzz", self.open_instance))

    def web(self, data: bytes) -> None:
        """Serve a browser's connection from its first byte on."""
        self._answered(data[1:], self._serve_web)

    def page(self, data: bytes) -> None:
        """Serve a session by WebSocket at the prompt; each piece is what a page sends in one frame, or raw bytes."""
        framed = (masked(b"d" + piece[:120]) if piece[:1].isalnum() else piece for piece in pieces(data))
        with _doors_open():
            self._answered(HANDSHAKE + masked(b't{"columns": 80, "rows": 24}') + b"".join(framed), self._serve_web)

    def _serve_web(self, connection: socket.socket) -> Exit:
        return self._web.answer(connection, "192.0.2.7", self.open_instance)

    def _answered(self, data: bytes, service: Callable[[socket.socket], Exit]) -> None:
        here, there = socket.socketpair()
        there.setblocking(False)
        with there, self._left_as_found():
            there.send(data[:65536])
            there.shutdown(socket.SHUT_WR)
            assert service(here) is Exit.OK

    @contextmanager
    def _left_as_found(self) -> Iterator[None]:
        """Assert that the directory is empty and no bug was logged."""
        with _bugs() as bugs:
            yield
        assert self.foundation.count() == 1
        assert not bugs, bugs

    @property
    def targets(self) -> dict[str, Target]:
        """The targets by name."""
        return {
            "session": self.session,
            "prompt": self.prompt,
            "poker": self.poker,
            "Mau-Mau": self.maumau,
            "control": self.control,
            "metrics": self.metrics,
            "wire": self.wire,
            "web": self.web,
            "page": self.page,
        }


def _log_in(caller: Caller) -> None:
    """Log everybody in as the same user without a password, whose check would take longer than all the rest."""
    accounts = caller.instance.accounts
    user = accounts.find(NAME) or accounts.enrol(NAME, "no password fits this", "en")
    caller.instance.bank.welcome(user.id, 1000)
    caller.instance.directory.claim_name(caller.instance.notifier.index, user.id, user.name)
    caller.logged_in(user)


@contextmanager
def _doors_open() -> Iterator[None]:
    """Start sessions without a login."""
    locked = login.log_in
    login.log_in = _log_in
    try:
        yield
    finally:
        login.log_in = locked


@contextmanager
def _bugs() -> Iterator[list[str]]:
    """Collects log records with a traceback."""
    found: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                found.append(logging.Formatter().format(record))

    ear = Ear()
    logger = logging.getLogger("yawc_poker")
    logger.addHandler(ear)
    try:
        yield found
    finally:
        logger.removeHandler(ear)
