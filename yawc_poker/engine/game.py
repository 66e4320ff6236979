"""The contract of a game (design: one engine, several games).

A game is a module of pure functions over frozen values; there is no class hierarchy. `Game` below is the `Protocol` of
such a module; mypy accepts the module itself. Time and chance are arguments. Seats are numbered from 0 in code and from
1 on screen.

Rules know seats, but no names, sessions, clocks or shared memory. They report what happened as events, and the caller
moves the money as `Step.payments` say.
"""

from collections.abc import Collection, Mapping, MutableSequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

import msgspec


class GameState(Protocol):
    """What all games' states have."""

    @property
    def turn(self) -> int:
        """A number that changes whenever a new turn, with a fresh clock, begins."""

    @property
    def master(self) -> int:
        """The master's seat; while the game runs, an active player's."""


class GameEvent(Protocol):
    """The interface common to all events of all games."""

    @property
    def seat(self) -> int | None:
        """The seat it is about; None: nobody in particular."""


@runtime_checkable
class PlacedEvent(Protocol):
    """An event about the player who was dealt into a seat, also if they have left, and nobody's `seat` is concerned."""

    @property
    def place(self) -> int | None:
        """The seat in which they were dealt in, or None for nobody in particular."""


class AboutSeat(msgspec.Struct, frozen=True, tag=True):
    """An event about whoever sits in a seat."""

    seat: int


class AboutNobody(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """An event about nobody in particular."""

    seat: None = None


ItemT = TypeVar("ItemT")
StateT = TypeVar("StateT", bound=GameState)
"""A game's state."""
MoveT = TypeVar("MoveT")
"""A game's moves, usually a union of structs."""
EventT = TypeVar("EventT", bound=GameEvent)
"""A game's events, usually a union of tagged structs."""
OptionsT = TypeVar("OptionsT")
"""A game's options, which a sysop may set."""
ViewT = TypeVar("ViewT")
"""A game's view: what one seat may see."""


class IllegalMove(Exception):
    """A player tried something that the rules do not allow; nothing was changed.

    `reason` is a fixed word that the screens translate; `values` fill in the fields of that sentence.
    """

    def __init__(self, reason: str, **values: int) -> None:
        super().__init__(reason, values)
        self.reason = reason
        self.values = values


class Chance(Protocol):
    """A game's source of chance; `random.Random` and `random.SystemRandom` fit."""

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        """Shuffle `x` in place."""

    def getrandbits(self, k: int, /) -> int:
        """Return a number of `k` random bits."""


class Dealing(msgspec.Struct, frozen=True):
    """All the chance of one game, fixed before its first move (`engine.sealing`)."""

    order: str
    """The cards as text, in the order in which they are dealt."""
    seed: str = ""
    """Hex digits from which all later shuffles follow, if the game shuffles again."""


class Payment(msgspec.Struct, frozen=True, array_like=True):
    """CUBES that go from a seat's cash into the pot."""

    seat: int
    amount: int


class Step(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """The result of a call of the rules."""

    state: StateT
    events: tuple[EventT, ...] = ()
    payments: tuple[Payment, ...] = ()
    """Antes of several seats from the deal; later of one seat at most (`Game.debts` settles those of several)."""


class Rules(Protocol[StateT, EventT]):
    """What a game says of its states, whatever its moves and options are: part of `Game`."""

    KIND: str
    """The game's short name, as in the configuration."""
    SEATS: int
    """Number of seats at a table."""
    FEWEST: int
    """Number of seated players that a game needs."""
    DECK: tuple[str, ...]
    """The cards of the deck as text, doubles included; they are shuffled and sealed before a game begins."""

    def fund(self, state: StateT, cash: Mapping[int, int]) -> StateT:
        """Return the state with the cash that each seat has now; money also moves outside of games."""

    def to_move(self, state: StateT) -> int | None:
        """Return the seat whose clock runs; None once the game is over."""

    def is_over(self, state: StateT) -> bool:
        """Return whether the game is decided."""

    def legal_moves(self, state: StateT, seat: int) -> tuple[object, ...]:
        """Return the kinds of moves `seat` has now, with their bounds; the command area is drawn from them."""

    def timeout(self, state: StateT, rng: Chance) -> Step[StateT, EventT]:
        """Make the clock's move for the player on turn; it need not be a legal move of theirs."""

    def join(self, state: StateT, seat: int, cash: int) -> Step[StateT, EventT]:
        """Add a person who sat down during the game."""

    def leave(self, state: StateT, seat: int, *, unplayed: bool = False) -> Step[StateT, EventT]:
        """Remove the person in a seat; also from a game that is over, so that their cards vanish.

        `unplayed`: they left during the round before, to whose end their seat was kept. What was dealt since then does
        not count for them.
        """

    def abandon(self, state: StateT) -> Step[StateT, EventT]:
        """End a running game all of whose players are gone at one moment: nobody wins it.

        A game in which no CUBES depend on who went last may return its state as it is: then they leave one by one.
        """

    def competes(self, state: StateT, seat: int) -> bool:
        """Return whether this seat may still win a game that is not over."""

    def give_back(self, state: StateT, seat: int, amount: int) -> StateT:
        """Return the state after `amount` of this seat's stake was refunded out of the pot."""

    def view(self, state: StateT, seat: int | None) -> object:
        """Return what a seat (None: a spectator) may see, and nothing hidden."""

    def concealed(self, event: EventT) -> EventT:
        """Return an event as everybody may know it but the player whom it is about: without cards that only they see.

        Events are complete: by those about itself, and by all others concealed, a seat knows what its view shows.
        """

    def hands(self, state: StateT, unlike: StateT | None = None) -> Mapping[int, str]:
        """Return the cards of each seat as text, for the history of the game; hidden from all while it runs.

        Hands that are the same in the state `unlike` are left out.
        """

    def payouts(self, state: StateT) -> Mapping[int, int]:
        """Return the shares in the pot by seat, once the game is over; if nobody has one, the system gets it all.

        Shares are whole numbers: the pot, as the ledger has it, is divided in proportion (`engine.table.split`).
        The remainder goes to the first seats in the order given here, one CUBE each. A single winner gets all.
        A seat stands for the player who was dealt in there, who may have left since.
        """

    def debts(self, state: StateT) -> Mapping[int, int]:
        """Return what seats owe once the game is over, in CUBES; it goes into the pot just before that is divided.

        All debts and shares are settled in one transaction of the ledger. A player who owns less pays what they own.
        A seat stands for the player who was dealt in there, as in `payouts`.
        """

    def won(self, state: StateT) -> Collection[int]:
        """Return the seats that have won, once the game is over; `payouts` may have shares for others, too."""

    def points(self, state: StateT) -> Mapping[int, int]:
        """Return the points of all players once the game is over, for their profiles; empty: the game counts none.

        A seat stands for the player who was dealt in there, as in `payouts`.
        """


class Game(Rules[StateT, EventT], Protocol[StateT, MoveT, EventT, OptionsT]):
    """A module of rules. All functions are pure; a refusal raises `IllegalMove` and changes nothing.

    A state that is over is still a valid state: it stays on screen until the next game.
    """

    def seated(self, options: OptionsT, users: Mapping[int, int]) -> OptionsT:
        """Return the options by which a game begins among these users by seat, where they say something of users."""

    def players(self, seats: Mapping[int, int], options: OptionsT) -> tuple[int, ...]:
        """Return the seats that take part in a game dealt now, ascending; their words decide the order of the deck."""

    def deal(self, seats: Mapping[int, int], master: int, dealing: Dealing, options: OptionsT) -> Step[StateT, EventT]:
        """Begin a game among the seated players: `seats` has the cash of each taken seat in CUBES.

        `dealing` is all the chance of the game, and its order names the cards of `DECK`. Dealing again with the
        same value and repeating all calls gives the same states.
        """

    def read_move(self, text: str, /) -> MoveT:
        """Return a move from its JSON; raise `msgspec.DecodeError`."""

    def read_options(self, text: str, /) -> OptionsT:
        """Return options from their JSON; raise `msgspec.DecodeError`."""

    def play(self, state: StateT, seat: int, move: MoveT, rng: Chance) -> Step[StateT, EventT]:
        """Make a move; no other function makes one for a player."""


AnyGame = Game[GameState, object, GameEvent, object]
"""A game, for those who pass its values on and look into none (`table_ui.definition.plain`)."""
