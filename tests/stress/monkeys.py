"""Monkeys: callers who press anything, anywhere, by every door that there is for callers.

A monkey makes no sense, and so meets what no other test has thought of. It must be answered whenever it asks whether
somebody is there; what else it may break is seen by the others, by the log and by the books.
"""

import time
from random import Random
from typing import Final

from tests.stress.callers import Caller
from tests.stress.errands import AT_TABLE, PASSWORD, SEATED, Talk, Unanswered, Wish, World
from tests.stress.wire import Wire
from yawc_poker.table_ui.commands import COMMANDS

WAYS: Final = (
    "s2{}\ry",
    "s3{}\ry",
    "s4{}\ry",
    "s5{}\ry",
    "s2{}\rh1",
    "s5h2",
    "/watch poker {}\r",
    "/watch maumau {}\r",
)
"""What leads to a table of each game, if it is typed at the prompt."""
BACK: Final = "\x1b\x1b\x1b"
"""What leads to the prompt from most places."""
TABLES: Final = 4
"""A monkey chooses among so many of a game."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789?+-*!.,/ "
WORDS: Final = tuple(word for command in COMMANDS for word in command.names.split())
KEYS: Final = (
    *("\r", "\x1b", "y", "n", "\x7f", "\t", "\x0c", "\x03", "\x04", "\x12", "\x1a", "\x00"),
    *("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[5~", "\x1b[6~", "\x1bOP", "\x1b[15~", "\x1b[<0;40;12M"),
    *(
        "ÄÖÜ ß",
        "♥♦♣♠",
        "日本語",
        "e\u0301",
        "\u202e",
        "\x9b31m",
        "\x1b]0;a\x07",
        "0" * 300,
        "-1\r",
        "99999999999999999999\r",
    ),
)
TURNED: Final = 4
"""Bursts, on average, between two questions whether somebody is there."""
REMEMBERED: Final = 300
"""Keys that are told of a monkey that got no answer."""


class Monkey(Caller):
    """Monkey `number`, a newcomer at each call."""

    def __init__(self, number: int, world: World, rng: Random) -> None:
        super().__init__(number, world, rng)
        self.name = f"Monkey {number}"
        self._visits = 0
        self._pressed = ""
        self._asks = False
        """Whether it waits for anything at all."""

    def _dial(self, turn: int) -> Wire:
        return self._world.doors.call_by_any(turn, self._heard, self.drop)

    def _heard(self, data: bytes) -> None:
        super()._heard(data)
        if self._asks:
            self._resume("heard")

    def _visit(self) -> Talk:
        self._visits += 1
        self._pressed = ""
        self.name = f"Monkey {self.number} call {self._visits}"  # "1-12" looks like "11-2"
        yield from self._call()
        if self._rng.random() < 0.8:
            yield from self._come_in()
        for _ in range(self._rng.randrange(10, 200)):
            while self.is_quiet:
                yield Wish((), 0.5)
            self._press()
            yield Wish((), self._rng.expovariate(1 / (2 * self._world.pace)))
            if self._rng.random() < 1 / TURNED:
                yield from self._ask_who_is_there()
        self._world.figures.did["monkeys: hung up"] += 1

    def _come_in(self) -> Talk:
        """Make an account; nothing that comes before the prompt is a monkey's to answer."""
        if (yield from self._ask(f"{self.name}\r", "(y/n)", "Password:")) == "(y/n)":
            yield from self._ask("y", "Password:")
            yield from self._ask(f"{PASSWORD}\r", "Repeat the password:")
        self.send(f"{PASSWORD}\r")
        yield Wish((), 1.0)

    def _press(self) -> None:
        """Press keys, which may lead somewhere."""
        chance = self._rng.random()
        if not self._pressed or chance < 0.1:
            keys = BACK + self._rng.choice(WAYS).format(self._rng.randint(1, TABLES))
        elif chance < 0.2:
            keys = f"{self._rng.choice(WORDS)} {self._rng.choice((*WORDS, 'on', '1', self.name, ''))}\r"
        elif chance < 0.4:
            keys = "".join(self._rng.choices(KEYS, k=self._rng.randint(1, 3)))
        else:
            keys = "".join(self._rng.choices(LETTERS, k=self._rng.randint(1, 4))) + self._rng.choice(("", "", "\r"))
        self._pressed = (self._pressed + keys)[-REMEMBERED:]
        self._world.figures.did["monkeys: keys"] += len(keys)
        self.send(keys)

    def _ask_who_is_there(self) -> Talk:
        """Ask; a line that cannot ask is not answered."""
        if self.wire is None or not self.wire.ask():
            return
        self._asks = True
        try:
            found = yield Wish((), self._world.answer)
        finally:
            self._asks = False
        self._world.figures.did["monkeys: answered"] += 1
        if self.wire.shows(SEATED) or self.wire.shows(AT_TABLE):
            self._world.figures.did["monkeys: found at a table"] += 1
        if not found and time.monotonic() > self.disturbed + self._world.answer:
            raise Unanswered(f"{self.name} has pressed {self._pressed!r}: {self._story}")
