"""A client of Mau-Mau's protocol for the tests: raw bytes out, bytes and messages in; and what the books say then."""

import selectors
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.isolation.stores import bank_in_file
from tests.ports import free_port
from yawc_poker.casino.bank.history import Asked, PastGame
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.engine.replay import replay
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.codec import encode, server_reader
from yawc_poker.extras.maumau_wire.protocol.messages import FromClient, FromServer
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.game import RULES as MAUMAU

PLAYERS = """
[maumau]
players = {players}
turn_seconds = {turn}
rounds = {rounds}
pause_seconds = 0
max_clients = {limit}
tables = {tables}
wait_seconds = {wait}
"""

M = TypeVar("M", bound=FromServer)


def a_bbs(
    data: Path,
    players: int = 2,
    turn: float = 0,
    limit: int = 50,
    rounds: int = 1,
    tables: int = 1,
    wait: float = 0,
) -> Bbs:
    """A BBS whose Mau-Mau tables begin with so many wire clients; `turn`, `wait` 0: no clock."""
    config = FAST + PLAYERS.format(players=players, turn=turn, limit=limit, rounds=rounds, tables=tables, wait=wait)
    return Bbs(data, config, wire_port=free_port())


class WireClient:
    """One connection; nothing is sent but what a test says."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.received = b""
        self.messages: list[FromServer] = []
        self.is_open = True
        self._reader = server_reader()
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE, source_address=(address, 0))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def id(self) -> int:
        """The handshake's answer."""
        assert isinstance(self.messages[0], messages.Answer), self.messages
        return self.messages[0].id

    def close(self) -> None:
        self._socket.close()
        self.is_open = False

    def reset(self) -> None:
        """Break the connection off without a word."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.close()

    def finish_sending(self) -> None:
        """Close this side's half: the end of the stream."""
        self._socket.shutdown(socket.SHUT_WR)

    def send(self, *what: FromClient | bytes) -> None:
        """Send messages and raw bytes in one segment."""
        self._socket.sendall(b"".join(one if isinstance(one, bytes) else encode(one) for one in what))

    def trickle(self, data: bytes) -> None:
        """Send bytes one by one."""
        for byte in data:
            self._socket.sendall(bytes([byte]))

    def greet(self, name: str = "Egal") -> Self:
        """Shake hands and wait for the id."""
        self.send(messages.Id(name))
        self.wait(messages.Answer)
        return self

    def read(self, seconds: float) -> bool:
        """Wait for bytes, at most so long; False if nothing came."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            if not selector.select(max(0.0, seconds)):
                return False
        try:
            data = self._socket.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self.close()
            return False
        self.received += data
        self.messages += self._reader.receive(data)
        return True

    def wait(self, kind: type[M], since: int = 0, deadline: float = DEADLINE) -> M:
        """Wait for a message of a kind, and give the first from message number `since` on."""
        until = time.monotonic() + deadline
        while True:
            found = next((one for one in self.messages[since:] if isinstance(one, kind)), None)
            if found is not None:
                return found
            self._read_until(until, kind.__name__)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Read until a condition holds."""
        until = time.monotonic() + DEADLINE
        while not condition():
            self._read_until(until, what)

    def _read_until(self, until: float, what: str) -> None:
        left = until - time.monotonic()
        assert left > 0, f"time is up waiting for {what}; got {self.messages[-12:]}"
        assert self.is_open, f"closed, waiting for {what}; got {self.messages[-12:]}"
        self.read(left)

    def block(self, since: int = 0) -> tuple[FromServer, ...]:
        """Wait for the next whole turn block, and give it."""
        self.wait(messages.Time, since)
        end = next(at for at in range(since, len(self.messages)) if isinstance(self.messages[at], messages.Time))
        begin = max(at for at in range(end) if isinstance(self.messages[at], messages.Draw))
        return tuple(self.messages[begin : end + 1])

    def ended(self, deadline: float = DEADLINE) -> None:
        """Wait until the other side has closed the connection."""
        until = time.monotonic() + deadline
        while self.is_open and time.monotonic() < until:
            self.read(until - time.monotonic())
        assert not self.is_open, self.messages

    def take_bytes(self, count: int) -> bytes:
        """Wait until so many bytes have come, and give them."""
        until = time.monotonic() + DEADLINE
        while len(self.received) < count and self.is_open and time.monotonic() < until:
            self.read(until - time.monotonic())
        return self.received[:count]


def totals(data: Path) -> list[tuple[int, ...]]:
    """What the books say each finished game came to, by id: played again from its proof; each proof must hold."""
    bank = bank_in_file(data / BANK_FILE, look_only=True)
    try:
        games = [bank.game(game.number) for game in reversed(bank.games(Asked(limit=10**6)))]
    finally:
        bank.close()
    assert all(game is not None and verify(game, MAUMAU).verdict == "proven" for game in games)
    return [totals_of(game) for game in games]


def totals_of(played: PastGame | None) -> tuple[int, ...]:
    """What a game came to, by id, as it is told by the wire: an empty seat has 0. Nothing where it has no proof."""
    if played is None or played.proof is None:
        return ()
    *_, (_, step) = replay(rules, played.dealing(), played.actions)
    players = dict(zip(step.state.seats, step.state.players, strict=True))
    return tuple(players[seat].total if seat in players else 0 for seat in range(max(players) + 1))
