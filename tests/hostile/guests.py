"""Ordinary callers at their tables, and the time until each of their keys takes effect on screen.

A guest types chat lines at a person's speed, and bets the minimum on their turn, so that a game goes on for ever. Each
key has an effect on the guest's screen that nothing else has: the prompt with their name, their own letter (one that no
text contains), the menu that comes back. The time from sending the key to the bytes with that effect is a sample.
"""

import time
from random import Random
from typing import NamedTuple

from tests.hostile.client import Client
from tests.stress.loop import Loop
from tests.stress.wire import COMMANDS

LOST = 5.0
"""Seconds after which a key counts as unanswered; that is then its sample."""
LETTERS = 8
"""Letters of a chat line."""
FORGOTTEN = 5.0
"""Seconds without a turn after which a guest tries to start a game."""


class Key(NamedTuple):
    """A key, and its expected effect."""

    keys: str
    answer: bytes
    kind: str
    """"key" for what only the own session does, "act" for what goes through the table."""


KINDS = ("key", "act")
"""A key that only the guest's own session handles, and one that goes through the table."""


class Samples:
    """Seconds from key to screen, by kind."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.lost = 0

    def __add__(self, other: "Samples") -> "Samples":
        """Return the samples of two measurements together."""
        both = Samples()
        both.times = {kind: [*self.times[kind], *other.times[kind]] for kind in self.times}
        both.lost = self.lost + other.lost
        return both

    def p(self, kind: str, share: float) -> float:
        """Return a quantile in seconds; 0 without samples."""
        ordered = sorted(self.times[kind])
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0

    def count(self, kind: str) -> int:
        """Return the number of samples."""
        return len(self.times[kind])


class Guest:
    """Guest `number` of at most 30, who has sat down."""

    def __init__(self, number: int, client: Client, loop: Loop, rng: Random, pace: float) -> None:
        self.samples = Samples()
        """Replaced when a measurement begins."""
        self.gone = ""
        self._name = f"N{number}"
        self._letter = chr(0xE0 + number)
        self._client = client
        self._loop = loop
        self._rng = rng
        self._pace = pace
        self._left = 0
        self._in_chat = False
        self._is_betting = False
        self._turn = ""
        self._last_turn = time.monotonic()
        self._waits: Key | None = None
        self._sent = 0.0
        self._heard = b""
        client.socket.setblocking(False)
        loop.watch(client.socket, 1, self._readable)
        loop.after(rng.uniform(0, pace), self._step)

    def _step(self) -> None:
        """Type the next key, unless the last one is still unanswered."""
        if self.gone:
            return
        if self._waits is None:
            self._type(self._next())
        elif time.monotonic() - self._sent > LOST:
            self.samples.times[self._waits.kind].append(LOST)
            self.samples.lost += 1
            self._waits, self._in_chat, self._is_betting = None, False, False
            self._client.socket.send(b"\x15\r")
        self._loop.after(self._rng.uniform(0.7, 1.3) * self._pace, self._step)

    def _next(self) -> Key:
        if self._in_chat:
            self._left -= 1
            if self._left >= 0:
                return Key(self._letter, self._letter.encode(), "key")
            self._in_chat = False
            return Key("\r", b"chat", "act")
        if self._is_betting:
            self._is_betting, self._turn = False, ""
            return Key("\r", b"chat", "act")
        if self._turn == "bet":
            self._is_betting = True
            return Key("b", b"alone", "key")
        if time.monotonic() - self._last_turn > FORGOTTEN:
            self._last_turn = time.monotonic()
            self._client.socket.send(b"sd")  # to start, or to keep their cards; no answer is expected
        self._in_chat, self._left = True, LETTERS
        return Key(".", f"{self._name}:".encode(), "key")

    def _type(self, key: Key) -> None:
        self._waits, self._heard = key, b""
        self._sent = time.monotonic()
        try:
            self._client.socket.send(key.keys.encode())
        except OSError as error:
            self._end(str(error))

    def _readable(self, events: int) -> None:
        now = time.monotonic()
        try:
            data = self._client.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(str(error))
            return
        if not data:
            self._end("his line was closed")
            return
        self._heard += COMMANDS.sub(b"", data)
        self._notice_turn()
        if self._waits is not None and self._waits.answer in self._heard:
            self.samples.times[self._waits.kind].append(now - self._sent)
            self._waits = None
        if self._waits is None:
            self._heard = self._heard[-64:]

    def _notice_turn(self) -> None:
        # "Pass" would not do: one may decide to pass before it is one's turn.
        if b"Bet" in self._heard and not self._is_betting:
            self._turn, self._last_turn = "bet", time.monotonic()

    def _end(self, why: str) -> None:
        self.gone = f"{self._name}: {why}"
        self._loop.forget(self._client.socket)
        self._client.close()
