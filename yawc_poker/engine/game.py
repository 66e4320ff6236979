"""The contract of a game (design: one engine, several games).

A game is a module of pure functions over frozen values; no class tree. `Game` below is the `Protocol` such a module
meets; mypy accepts the module itself. Time and chance are arguments. Seats are numbers from 0; people see them from 1.

Rules know seats, never names, sessions, clocks or shared memory; what happened is told by events, and money is moved by
whoever runs the rules, as `Step.payments` say.
"""

from collections.abc import Mapping, MutableSequence
from typing import Generic, Protocol, TypeVar

import msgspec


class Told(Protocol):
    """What every event of every game has."""

    @property
    def seat(self) -> int | None:
        """Whom it is about; None: nobody in particular."""


T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
"""A game's state."""
M = TypeVar("M")
"""A game's moves, usually a union of structs."""
E = TypeVar("E", bound=Told)
"""A game's events, usually a union of tagged structs."""
A = TypeVar("A")
"""A game's options: what a sysop may set."""


class IllegalMove(Exception):
    """A player asked for what the rules do not allow; nothing was changed.

    `reason` is a fixed word that the screens translate, `values` are what its sentence needs.
    """

    def __init__(self, reason: str, **values: int) -> None:
        super().__init__(reason, values)
        self.reason = reason
        self.values = values


class Chance(Protocol):
    """Where a game's chance comes from; `random.Random` and `random.SystemRandom` fit."""

    def shuffle(self, x: MutableSequence[T], /) -> None:
        """Bring `x` into a random order, in place."""

    def getrandbits(self, k: int, /) -> int:
        """Give a number of `k` random bits."""


class Dealing(msgspec.Struct, frozen=True):
    """All the chance of one game, fixed before its first move (`engine.sealing`)."""

    order: str
    """The cards in writing, in the order in which they are dealt."""
    seed: str = ""
    """Hex digits that every later shuffle follows from, if the game shuffles again."""


class Payment(msgspec.Struct, frozen=True, array_like=True):
    """CUBES that go from a seat's own cash into the pot."""

    seat: int
    amount: int


class Step(msgspec.Struct, Generic[S, E], frozen=True):
    """What a call of the rules came to."""

    state: S
    events: tuple[E, ...] = ()
    payments: tuple[Payment, ...] = ()


class Game(Protocol[S, M, E, A]):
    """A module of rules. Every function is pure; what is refused raises `IllegalMove` and changes nothing.

    A state that is over is still a state: it is kept to be looked at until the next game.
    """

    KIND: str
    """The game's short name, as in the configuration."""
    SEATS: int
    """How many may sit at a table."""
    FEWEST: int
    """How many must sit at it for a game."""
    DECK: tuple[str, ...]
    """The cards that a game is dealt from, in writing, no two alike; they are shuffled and sealed before it begins."""

    def players(self, seats: Mapping[int, int], options: A) -> tuple[int, ...]:
        """Return the seats that take part in a game that is dealt now, ascending; their words decide how."""

    def deal(self, seats: Mapping[int, int], master: int, dealing: Dealing, options: A) -> Step[S, E]:
        """Begin a game among the seated: `seats` gives every seated seat's cash in CUBES.

        `dealing` is all the chance of the game, and its order names each card of `DECK` once: who deals again with the
        same one, and repeats all calls, gets the same states.
        """

    def read_move(self, text: str) -> M:
        """Read a move from its JSON; raises `msgspec.DecodeError`."""

    def read_options(self, text: str) -> A:
        """Read options from their JSON; raises `msgspec.DecodeError`."""

    def fund(self, state: S, cash: Mapping[int, int]) -> S:
        """Say what each seat owns now; money also comes and goes from outside a game."""

    def to_move(self, state: S) -> int | None:
        """Give the seat whose clock runs; None once it is over."""

    def turn(self, state: S) -> int:
        """Give a number that changes whenever a new turn begins: a fresh clock."""

    def master(self, state: S) -> int:
        """Give the master's seat; an active player while the game runs."""

    def is_over(self, state: S) -> bool:
        """Say whether the game is decided."""

    def legal_moves(self, state: S, seat: int) -> tuple[object, ...]:
        """Give the kinds of moves `seat` has now, with their bounds; the command area is drawn from it."""

    def play(self, state: S, seat: int, move: M, rng: Chance) -> Step[S, E]:
        """Make a move: the one door."""

    def timeout(self, state: S, rng: Chance) -> Step[S, E]:
        """Do what the clock does to the player on turn, which need not be a move that he could make."""

    def join(self, state: S, seat: int, cash: int) -> Step[S, E]:
        """Somebody sat down on a free seat during the game."""

    def leave(self, state: S, seat: int) -> Step[S, E]:
        """Whoever sat there is gone; also from a game that is over, so that his cards vanish."""

    def competes(self, state: S, seat: int) -> bool:
        """Return whether this seat may still win a game that is not over."""

    def give_back(self, state: S, seat: int, amount: int) -> S:
        """Return the state in which so much of this seat's stake has gone back to it out of the pot."""

    def view(self, state: S, seat: int | None) -> object:
        """Give what that seat (None: a by-stander) may see, and nothing hidden."""

    def hands(self, state: S, unlike: S | None = None) -> Mapping[int, str]:
        """Give what each seat holds, in writing, for the history of the game; hidden from all while it runs.

        Of hands that are the same in the state `unlike` nothing is said.
        """

    def payouts(self, state: S) -> Mapping[int, int]:
        """Return the shares in the pot by seat, once the game is over; where nobody has one, the system gets it all.

        Shares are whole numbers: the pot, whatever it holds in truth, is divided by them (`casino.bank.shares.split`).
        What cannot be divided goes to the first in the order given here, one CUBE each. A single winner gets all.
        """
