"""Clients of Mau-Mau's wire in the stress test: they play by the protocol, and each breach of it is a problem.

A bot that a fault removes or disconnects calls again. Some are made to misbehave: then they must be disconnected.
"""

import re
import selectors
import socket
import struct
import time
from collections.abc import Callable
from random import Random

from tests.engine.adapters import pick_maumau
from tests.stress.figures import Figures
from tests.stress.loop import Loop
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Confused, Known, choices, hear
from yawc_poker.extras.maumau_wire.protocol.codec import Malformed, encode, server_reader

ANSWER = 30.0
"""Seconds within which the connection of a client that has sent nonsense must be closed."""
NAME = re.compile(r"Wire (\d+)x")


class WireBot:
    """Client `number`, which calls repeatedly."""

    def __init__(
        self,
        number: int,
        loop: Loop,
        figures: Figures,
        connect: Callable[[], socket.socket],
        pace: float,
        rng: Random,
        calm: Callable[[], float],
    ) -> None:
        """`connect` begins a connection. `calm` returns the seconds since a fault has last hit any process."""
        self.number = number
        self.told: list[tuple[int, ...]] = []
        """Totals of all games that it has played to the end."""
        self.is_quiet = False
        self.disturbed = 0.0
        """Until then a fault may disturb it. Monotonic seconds."""
        self.is_open = False
        self._loop = loop
        self._figures = figures
        self._connect = connect
        self._pace = pace
        self._rng = rng
        self._calm = calm
        self._known = Known()
        self._reader = server_reader()
        self.line = socket.socket()
        """Its connection, the latest one."""
        self.line.close()
        self._calls = 0
        self._is_deaf = False

    def call(self) -> None:
        """Connect and send its identification."""
        if self.is_quiet:
            self._loop.after(0.5, self.call)
            return
        self._known, self._reader = Known(), server_reader()
        self._calls += 1
        self._is_deaf = False
        self.line = self._connect()
        self.is_open = True
        self._figures.did["wire: calls"] += 1
        self._loop.watch(self.line, selectors.EVENT_WRITE, self._connected)

    def disturb(self, seconds: float) -> None:
        """Record that a fault disturbs this client for some seconds."""
        self.disturbed = max(self.disturbed, time.monotonic() + seconds)

    # --- faults on this side ------------------------------------------------------------------------------------------

    @property
    def plays(self) -> bool:
        """Return whether it has received its id."""
        return self.is_open and self._known.expects != "answer"

    def reset(self) -> None:
        """Break the connection with a reset."""
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._end()

    def half_close(self) -> None:
        """End the stream on this side; the server must close the other."""
        self.disturb(ANSWER)
        try:
            self.line.shutdown(socket.SHUT_WR)
        except OSError:
            return
        self._must_end("ended its stream")

    def garble(self) -> None:
        """Send an invalid message; the server must close."""
        self.disturb(ANSWER)
        self._send(bytes([self._rng.choice((0x00, 0x48, 0xFF, 0x69))]) + self._rng.randbytes(self._rng.randrange(2000)))
        self._must_end("sent nonsense")

    def deafen(self, seconds: float) -> None:
        """Read nothing for some seconds."""
        self.disturb(seconds + 1.0)
        self._is_deaf = True
        self._loop.forget(self.line)
        call = self._calls
        self._loop.after(seconds, lambda: self._listen_again(call))

    def _listen_again(self, call: int) -> None:
        if self.is_open and call == self._calls:
            self._is_deaf = False
            self._loop.watch(self.line, selectors.EVENT_READ, self._readable)

    def _must_end(self, why: str) -> None:
        call = self._calls

        def look() -> None:
            if not self.is_open or self._calls != call or self._is_deaf:
                return
            if self._calm() < ANSWER / 2:  # its session, or one that holds its table, may have been stopped
                self._loop.after(1.0, look)
            else:
                self._figures.unanswered.append(f"wire client {self.number} {why} and was not closed")

        self._loop.after(ANSWER / 2, look)

    # --- playing ------------------------------------------------------------------------------------------------------

    def _connected(self, events: int) -> None:
        if self.line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._end()
            return
        self._loop.watch(self.line, selectors.EVENT_READ, self._readable)
        self._send(encode(messages.Id(f"Wire {self.number}x")))

    def _readable(self, events: int) -> None:
        try:
            data = self.line.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._closed()
            return
        turn = self._known.turn
        try:
            for message in self._reader.receive(data):
                self._known, _ = hear(self._known, message)
        except (Malformed, Confused) as fault:
            self._figures.wrong.append(f"wire client {self.number} was told what cannot be: {fault}")
            self._end()
            return
        if self._known.is_mine and self._known.turn != turn:
            call, asked = self._calls, self._known.turn
            self._loop.after(self._rng.uniform(0.0, 0.5) * self._pace, lambda: self._act(call, asked))

    def _act(self, call: int, asked: int) -> None:
        if call == self._calls and self.is_open and self._known.is_mine and self._known.turn == asked:
            self._send(encode(pick_maumau(self._rng.choice(choices(self._known)), self._rng)))
            self._figures.did["wire: actions"] += 1

    def _closed(self) -> None:
        known = self._known
        if known.expects == "closed" and not known.is_out:
            self.told.append(known.totals)
            self._figures.did["wire: games told to their end"] += 1
        elif known.expects not in {"answer", "round"} and time.monotonic() > self.disturbed:
            self._lost()
        self._end()

    def _lost(self) -> None:
        """Record that it was disconnected in a game through no fault of its own."""
        self._figures.did["wire: cut off"] += 1
        if self._calm() > ANSWER / 3 and not self.is_quiet:
            self._figures.unanswered.append(f"wire client {self.number} was cut off in a game, {self._known}")

    def _send(self, data: bytes) -> None:
        try:
            self.line.send(data)
        except OSError:
            pass  # the reader will see the end

    def _end(self) -> None:
        if self.is_open:
            self.is_open = False
            self._loop.forget(self.line)
            self.line.close()
            self._loop.after(self._rng.uniform(0.2, 1.0) * max(1.0, self._pace), self.call)
