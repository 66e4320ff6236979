"""The contract of a game (design: one engine, several games).

A game is a module of pure functions over frozen values; no class tree. `Game` below is the `Protocol` such a module
meets; mypy accepts the module itself. Time and chance are arguments. Seats are numbers from 0; people see them from 1.

Rules know seats, never names, sessions, clocks or shared memory; what happened is told by events, and money is moved by
whoever runs the rules, as `Step.payments` say.
"""

from collections.abc import Mapping, MutableSequence
from typing import Generic, Protocol, TypeVar

import msgspec


class GameEvent(Protocol):
    """What every event of every game has."""

    @property
    def seat(self) -> int | None:
        """Whom it is about; None: nobody in particular."""


T = TypeVar("T")
StateT = TypeVar("StateT", bound=msgspec.Struct)
"""A game's state."""
MoveT = TypeVar("MoveT")
"""A game's moves, usually a union of structs."""
EventT = TypeVar("EventT", bound=GameEvent)
"""A game's events, usually a union of tagged structs."""
OptionsT = TypeVar("OptionsT")
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


class Step(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """What a call of the rules came to."""

    state: StateT
    events: tuple[EventT, ...] = ()
    payments: tuple[Payment, ...] = ()


class Game(Protocol[StateT, MoveT, EventT, OptionsT]):
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

    def players(self, seats: Mapping[int, int], options: OptionsT) -> tuple[int, ...]:
        """Return the seats that take part in a game that is dealt now, ascending; their words decide how."""

    def deal(self, seats: Mapping[int, int], master: int, dealing: Dealing, options: OptionsT) -> Step[StateT, EventT]:
        """Begin a game among the seated: `seats` gives every seated seat's cash in CUBES.

        `dealing` is all the chance of the game, and its order names each card of `DECK` once: who deals again with the
        same one, and repeats all calls, gets the same states.
        """

    def read_move(self, text: str) -> MoveT:
        """Read a move from its JSON; raises `msgspec.DecodeError`."""

    def read_options(self, text: str) -> OptionsT:
        """Read options from their JSON; raises `msgspec.DecodeError`."""

    def fund(self, state: StateT, cash: Mapping[int, int]) -> StateT:
        """Say what each seat owns now; money also comes and goes from outside a game."""

    def to_move(self, state: StateT) -> int | None:
        """Give the seat whose clock runs; None once it is over."""

    def turn(self, state: StateT) -> int:
        """Give a number that changes whenever a new turn begins: a fresh clock."""

    def master(self, state: StateT) -> int:
        """Give the master's seat; an active player while the game runs."""

    def is_over(self, state: StateT) -> bool:
        """Say whether the game is decided."""

    def legal_moves(self, state: StateT, seat: int) -> tuple[object, ...]:
        """Give the kinds of moves `seat` has now, with their bounds; the command area is drawn from it."""

    def play(self, state: StateT, seat: int, move: MoveT, rng: Chance) -> Step[StateT, EventT]:
        """Make a move: the one door."""

    def timeout(self, state: StateT, rng: Chance) -> Step[StateT, EventT]:
        """Do what the clock does to the player on turn, which need not be a move that he could make."""

    def join(self, state: StateT, seat: int, cash: int) -> Step[StateT, EventT]:
        """Somebody sat down on a free seat during the game."""

    def leave(self, state: StateT, seat: int) -> Step[StateT, EventT]:
        """Whoever sat there is gone; also from a game that is over, so that his cards vanish."""

    def competes(self, state: StateT, seat: int) -> bool:
        """Return whether this seat may still win a game that is not over."""

    def give_back(self, state: StateT, seat: int, amount: int) -> StateT:
        """Return the state in which so much of this seat's stake has gone back to it out of the pot."""

    def view(self, state: StateT, seat: int | None) -> object:
        """Give what that seat (None: a by-stander) may see, and nothing hidden."""

    def hands(self, state: StateT, unlike: StateT | None = None) -> Mapping[int, str]:
        """Give what each seat holds, in writing, for the history of the game; hidden from all while it runs.

        Of hands that are the same in the state `unlike` nothing is said.
        """

    def payouts(self, state: StateT) -> Mapping[int, int]:
        """Return the shares in the pot by seat, once the game is over; where nobody has one, the system gets it all.

        Shares are whole numbers: the pot, whatever it holds in truth, is divided by them (`casino.bank.shares.split`).
        What cannot be divided goes to the first in the order given here, one CUBE each. A single winner gets all.
        """
