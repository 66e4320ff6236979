"""A game made up for the tests: nobody pays while it runs; the losers owe CUBES when it is over.

The first to sit owes 30, the second 150, the other two win in shares of 120 and 60. The player on turn ends it; it also
ends when somebody leaves.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from msgspec.structs import replace

from tests.isolation.sessions import POKER
from tests.isolation.sharing import CODEC, End, Ended, Nothing, Rules, State
from tests.isolation.steps import SteppedHands
from yawc_poker.casino.instance.instance import game_table
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.table_context import TableRules
from yawc_poker.engine.game import Dealing, Game, Step
from yawc_poker.engine.values import Clocks
from yawc_poker.registry.entry import table_context

DEBTS = {0: 30, 1: 150}
SHARES = {2: 120, 3: 60}


class OwingRules(Rules):
    """`engine.game.Game`, for four."""

    KIND = "owing"
    FEWEST = 4

    def deal(self, seats: Mapping[int, int], master: int, dealing: Dealing, options: Nothing) -> Step[State, Ended]:
        return Step(State(tuple(seats)))

    def leave(self, state: State, seat: int, *, unplayed: bool = False) -> Step[State, Ended]:
        return Step(replace(state, over=True))

    def payouts(self, state: State) -> Mapping[int, int]:
        return SHARES if state.over else {}

    def debts(self, state: State) -> Mapping[int, int]:
        return DEBTS if state.over else {}


RULES: Game[State, End, Ended, Nothing] = OwingRules()


class OwingHands(SteppedHands):
    """Hands at a table that plays this game."""

    def _floor(self) -> Sequence[GameTable]:
        context = table_context(self._instance, POKER)._replace(chance=Random(1))
        return (game_table(self._instance, context, TableRules.of(RULES, CODEC, Nothing(), Clocks(pause=0))),)

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {"end": lambda: self._table.play(End())}
