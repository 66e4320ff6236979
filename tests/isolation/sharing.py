"""A game made up for the tests: everybody pays in, whoever is on turn ends it, and two divide the pot.

It is a third game beside the registered ones: no table of the house plays it unless a test says so.
"""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from tests.isolation.sessions import POKER, Hands
from yawc_poker.casino.instance.instance import game_table
from yawc_poker.casino.tables.table_context import TableRules
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import Chance, Dealing, Game, IllegalMove, Payment, Step
from yawc_poker.engine.values import Clocks, Table
from yawc_poker.registry.entry import table_context

ANTE = 5


class End(msgspec.Struct, frozen=True, tag=True):
    """End the game."""


class Ended(msgspec.Struct, frozen=True, tag=True):
    """The game is over."""

    seat: int


class Nothing(msgspec.Struct, frozen=True):
    """There are no options."""


class State(msgspec.Struct, frozen=True):
    """Who plays, in the order in which they divide the pot."""

    seats: tuple[int, ...]
    over: bool = False
    turn: int = 0

    @property
    def master(self) -> int:
        return self.seats[0]


class Rules:
    """`engine.game.Game`; the two last seats win, the last one first, with shares of 1 and 1."""

    KIND = "sharing"
    SEATS = 4
    FEWEST = 2
    DECK: tuple[str, ...] = ()

    def seated(self, options: Nothing, users: Mapping[int, int]) -> Nothing:
        return options

    def players(self, seats: Mapping[int, int], options: Nothing) -> tuple[int, ...]:
        return tuple(seats)

    def deal(self, seats: Mapping[int, int], master: int, dealing: Dealing, options: Nothing) -> Step[State, Ended]:
        return Step(State(tuple(seats)), payments=tuple(Payment(seat, ANTE) for seat in seats))

    def read_move(self, text: str) -> End:
        return msgspec.json.decode(text, type=End)

    def read_options(self, text: str) -> Nothing:
        return msgspec.json.decode(text, type=Nothing)

    def fund(self, state: State, cash: Mapping[int, int]) -> State:
        return state

    def to_move(self, state: State) -> int | None:
        return None if state.over else state.seats[0]

    def is_over(self, state: State) -> bool:
        return state.over

    def legal_moves(self, state: State, seat: int) -> tuple[object, ...]:
        return (End(),) if self.to_move(state) == seat else ()

    def play(self, state: State, seat: int, move: End, rng: Chance) -> Step[State, Ended]:
        if self.to_move(state) != seat:
            raise IllegalMove("not_your_turn")
        return Step(replace(state, over=True), (Ended(seat),))

    def timeout(self, state: State, rng: Chance) -> Step[State, Ended]:
        return self.play(state, state.seats[0], End(), rng)

    def join(self, state: State, seat: int, cash: int) -> Step[State, Ended]:
        return Step(state)

    def leave(self, state: State, seat: int, *, unplayed: bool = False) -> Step[State, Ended]:
        return Step(state)

    def abandon(self, state: State) -> Step[State, Ended]:
        return Step(state)

    def competes(self, state: State, seat: int) -> bool:
        return seat in state.seats and not state.over

    def give_back(self, state: State, seat: int, amount: int) -> State:
        return state

    def view(self, state: State, seat: int | None) -> object:
        return state

    def concealed(self, event: Ended) -> Ended:
        return event

    def hands(self, state: State, unlike: State | None = None) -> Mapping[int, str]:
        return {}

    def payouts(self, state: State) -> Mapping[int, int]:
        return dict.fromkeys(reversed(state.seats[-2:]), 1) if state.over else {}

    def debts(self, state: State) -> Mapping[int, int]:
        return {}

    def won(self, state: State) -> tuple[int, ...]:
        return tuple(self.payouts(state))

    def points(self, state: State) -> Mapping[int, int]:
        return {}


RULES: Game[State, End, Ended, Nothing] = Rules()
CODEC: Codec[State, Ended] = Codec(Table[State, Ended])


class SharingHands(Hands):
    """Hands at a table that plays this game."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        instance = self._instance
        instance.segment.cells[POKER].game = RULES.KIND
        table = game_table(
            instance, table_context(instance, POKER), TableRules.of(RULES, CODEC, Nothing(), Clocks(pause=0))
        )
        return super()._orders(rest) | {
            "sit": lambda: table.sit(self._user, self._name),
            "freeze": table.begin,
            "tend": table.tend,
            "end": lambda: table.play(End()),
            "leave": table.leave,
            "look after": table.maintain,
        }
