"""House players: what chooses their moves, and the chance that it chooses by. Pure.

Owns the contract of a game's program (`HousePlayer`) and the numbers that are sealed with the deal; each game's program
is in its own folder. A choice follows from the view of a seat, a level, and a text that nobody knows while the game
runs. So everybody can repeat it once the game is over (`casino.bank.programs`).
"""

from collections.abc import Callable, MutableSequence, Sequence
from hashlib import sha256
from math import sqrt
from typing import Final, Generic, Literal, NamedTuple

from yawc_poker.digits import decimal
from yawc_poker.engine.game import ItemT, MoveT, ViewT

Level = Literal["easy", "normal", "hard"]
LEVELS: Final[tuple[Level, ...]] = ("easy", "normal", "hard")

HOUSE_USERS: Final = range(200_000_000_000_001, 200_000_000_100_001)
"""Numbers of the users who are house players: beyond all accounts, and below those of guests."""
HOUSE_MARK: Final = "*"
"""Ends a house player's name, and says how well it plays: once for "easy", three times for "hard". No account's name
has it there."""
HOUSE_NAMES: Final = (
    *("Ada", "Bela", "Clara", "Dirk", "Elsa", "Fritz", "Greta", "Hugo"),
    *("Ines", "Jonas", "Karla", "Lukas", "Mina", "Nils", "Olga", "Paul"),
)
"""What house players are called, before the mark; no account is called so."""

_DIGEST = 256
"""Bits of a SHA-256."""


def marked(name: str, level: Level) -> str:
    """Return what a house player of this name and level is called."""
    return name + HOUSE_MARK * (1 + LEVELS.index(level))


def level_in(name: str) -> Level | None:
    """Return the level that a house player's name says, or None if it is no house player's."""
    marks = len(name) - len(name.rstrip(HOUSE_MARK))
    return LEVELS[min(marks, len(LEVELS)) - 1] if marks else None


def is_house(user: int) -> bool:
    """Return whether a user is a house player."""
    return user in HOUSE_USERS


class SealedChance:
    """Numbers that follow from a text: everybody who knows it gets the same, on every machine.

    The bits are those of SHA256("KEY 0"), SHA256("KEY 1") ..., from the highest down.
    """

    __slots__ = ("_bits", "_left", "_next", "_start")

    def __init__(self, key: str) -> None:
        self._start = sha256(f"{key} ".encode())
        self._next = 0
        self._bits = 0
        self._left = 0
        """The number of bits in `_bits` that are not used yet."""

    def getrandbits(self, k: int, /) -> int:
        """Return a number of `k` bits; raise `ValueError` if that is below zero."""
        if k < 0:
            raise ValueError(f"{k} bits")
        while self._left < k:
            self._draw()
        self._left -= k
        found = self._bits >> self._left
        self._bits &= (1 << self._left) - 1
        return found

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, each equally likely; raise `ValueError` if there is none."""
        if limit < 1:
            raise ValueError(f"no number from 0 to {limit - 1}")
        bits = (limit - 1).bit_length()
        found = self.getrandbits(bits)
        while found >= limit:
            found = self.getrandbits(bits)
        return found

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        """Shuffle `x` in place, by Fisher and Yates from the last place down."""
        for last in range(len(x) - 1, 0, -1):
            other = self.below(last + 1)
            x[last], x[other] = x[other], x[last]

    def _draw(self) -> None:
        block = self._start.copy()
        block.update(b"%d" % self._next)
        self._next += 1
        self._bits = self._bits << _DIGEST | int.from_bytes(block.digest(), "big")
        self._left += _DIGEST


def chance_of(seed: str, seat: int, action: int) -> SealedChance:
    """Return the chance of one choice: that of a seat, of the move that becomes the game's action of this number.

    `seed` is the game's (`engine.sealing.seed`); seats count from 0.
    """
    return SealedChance(f"{seed} house {seat} {action}")


class Weighed(NamedTuple, Generic[MoveT]):
    """Moves that a program has compared, all in the same worlds: those that agree with what the seat knows."""

    moves: tuple[MoveT | None, ...]
    """None: to say nothing, where a word is what was decided."""
    choice: int
    """Which of them the program prefers."""
    worths: tuple[tuple[int, ...], ...]
    """By move, then by world."""
    unit: int
    """What a point, or a CUBE, is worth in these numbers."""
    hopes: tuple[tuple[bool, ...], ...]
    """Whether what the game calls its hope comes true (`Retold.hope`), by move and world."""


class Lead(NamedTuple):
    """By how much one move is better than another in the same worlds, in points or CUBES."""

    price: float
    """On the average; below zero: it is worse."""
    error: float
    """The standard error of it."""
    clear: bool
    """Whether it is better to speak of: surely, as no world or two errors say, and by more than next to nothing."""
    better: int
    """Worlds in which it brings more."""
    worse: int


SMALL: Final = 25
LEAST: Final = 0.05
"""A difference is next to nothing below so many points or CUBES, and below that part of the standard deviation of what
the better move brings, whatever a game counts."""


def lead(weighed: Weighed[MoveT], one: int, other: int) -> Lead:
    """Return by how much one move is better than another."""
    gains = [here - there for here, there in zip(weighed.worths[one], weighed.worths[other], strict=True)]
    count, total = len(gains), sum(gains)
    price = round(total / (count * weighed.unit), 2)
    error = round(_spread(gains) / (weighed.unit * sqrt(count)), 2)
    least, worse = _spread(weighed.worths[one]) / (weighed.unit * SMALL), sum([gain < 0 for gain in gains])
    return Lead(
        price=price,
        error=error,
        clear=price >= max(LEAST, least) and (not worse or price >= 2 * error),
        better=sum([gain > 0 for gain in gains]),
        worse=worse,
    )


def _spread(values: Sequence[int]) -> float:
    """Return the standard deviation of some numbers."""
    total, count = sum(values), len(values)
    return sqrt(max(count * sum([value * value for value in values]) - total * total, 0)) / count


class HousePlayer(NamedTuple, Generic[ViewT, MoveT]):
    """A game's program for house players."""

    version: int
    """Grows by one with every change of what it would choose."""
    choose: Callable[[ViewT, Level, SealedChance], MoveT]
    """Return a legal move of the view's seat, which is on turn.

    It depends on nothing else: not on hidden cards, a clock, or a memory. It counts its budget in samples and
    positions, takes no longer than about a second at "hard", and computes without the functions of floating-point
    numbers that differ between machines.
    """
    stand_in: Callable[[ViewT, Level, SealedChance], MoveT] | None = None
    """The same for a stand-in, whose person may return: it says and stakes nothing that would bind them, where it may
    as well not. None if no move does that."""

    weigh: Callable[[ViewT, MoveT, SealedChance, int], Weighed[MoveT] | None] | None = None
    """Return how "hard" sees a decision of the view's seat, the move that was made among the others; None: there was
    nothing to decide, or it is none that the program compares moves for.

    It depends on nothing else, as `choose`. Of a hundred in effort it takes about as long as a choice of "hard".
    """

    silence: Callable[[ViewT, MoveT, SealedChance, int], Weighed[MoveT] | None] | None = None
    """Return how "hard" sees it that the view's seat, which makes another move, says nothing, as `weigh` does; None:
    there is nothing to be said, or it may be said later, too."""

    def chooser(self, *, stands_in: bool) -> Callable[[ViewT, Level, SealedChance], MoveT]:
        """Return what chooses, for a stand-in or for a house player in its own seat."""
        return self.stand_in or self.choose if stands_in else self.choose


def program_name(level: Level, version: int) -> str:
    """Return what a seat, and the transcript, say of a house player: "normal 1"."""
    return f"{level} {version}"


def read_program(program: str) -> tuple[Level, int] | None:
    """Return level and version; None: the text names no program."""
    name, _, version = program.partition(" ")
    level = next((level for level in LEVELS if level == name), None)
    number = decimal(version)
    return None if level is None or number is None else (level, number)
