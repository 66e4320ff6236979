"""The decisions of a finished game, judged by the game's program with what the seat knew.

Owns which moves are decisions, and how a price is made of what the program weighs. Invariants: a judgement depends on
the game's seed, the number of the action, and the view of the seat, and on nothing else; so everybody gets the same,
byte by byte, and no card that the seat did not see has part in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.effects import cashed
from yawc_poker.engine.game import Dealing, GameEvent
from yawc_poker.engine.house import SealedChance, Weighed, lead
from yawc_poker.engine.replay import positions
from yawc_poker.engine.table import concealed
from yawc_poker.engine.transcript import Action, detail
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.table_ui.definition import AnyDefinition, Hand
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.table_ui.scene import Scene

EFFORT: Final = 4500
"""For all decisions of a game together, in hundredths of what a choice of "hard" takes: some twenty seconds."""
MOST_EFFORT: Final = 900
LEAST_EFFORT: Final = 10
"""For one of them."""


class Decision(NamedTuple):
    """A move that somebody made, and what they saw then."""

    number: int
    """Of the action."""
    seat: int
    at: float
    """Seconds since the deal."""
    scene: Scene[object]
    """The table as their seat saw it."""
    hands: Mapping[int, Hand]
    """Everybody's, as a by-stander sees them, by seat."""
    mine: object
    before: tuple[LogEntry[GameEvent], ...]
    """What happened since their move before, as everybody learnt it."""


class Judged(msgspec.Struct, frozen=True, array_like=True):
    """What the program thinks of a decision. Prices are in points or CUBES."""

    number: int
    mine: str
    """JSON of the move; empty: to say nothing beside it."""
    choice: str
    """JSON of the program's; empty: to say nothing."""
    price: float
    """What the program's move brings more, on the average; 0: it is the same move, or no better."""
    error: float
    """The standard error of it."""
    clear: bool
    """Whether that is better to speak of; else the move was as good."""
    worlds: int
    better: int
    """Worlds in which the program's move brings more."""
    worse: int
    mine_hope: int
    """Worlds in which the game's hope comes true after one's own move."""
    choice_hope: int
    reason: Reason | None = None
    """Why the program's move is better, if a rule of thumb tells."""


def decisions(game: AnyDefinition, dealing: Dealing, actions: Sequence[Action], user: int) -> list[Decision]:
    """Return a user's moves in a finished game. Raise `Contradiction` and `ValueError`, as `replay`."""
    rules, found, table, before = game.rules, list[Decision](), None, list[LogEntry[GameEvent]]()
    for one in positions(rules, dealing, actions):
        action = one.action
        if table is not None and action.kind == "move" and action.user == user:
            found.append(decision(game, table, action, before))
            before.clear()
        else:
            before += [concealed(row, rules) for row in one.rows]
        table = one.table
    return found


def decision(game: AnyDefinition, table: AnyTable, action: Action, before: Sequence[LogEntry[GameEvent]]) -> Decision:
    """Return what an action decided at a table, before which this had happened."""
    state = table.game
    assert state is not None, "an action without a game"
    if action.cash is not None:
        table = replace(cashed(table, action.cash), game=game.rules.fund(state, action.cash))
    scene = game.face.scene(table, action.user, 0, action.at)
    mine = game.rules.read_move(action.detail)
    return Decision(action.number, action.seat, action.at, scene, game.public(state).hands, mine, tuple(before))


def effort_of(count: int) -> int:
    """Return the effort for each of so many decisions."""
    return max(LEAST_EFFORT, min(MOST_EFFORT, EFFORT // max(count, 1)))


def judged(game: AnyDefinition, decision: Decision, seed: str, effort: int) -> list[Judged]:
    """Return what the game's program thinks of a move, and of what was not said beside it.

    Empty: there was nothing to decide.
    """
    player, view = game.player, decision.scene.game
    if player is None:
        return []
    place = f"{decision.seat} {decision.number}"
    found = list[Judged]()
    if player.silence is not None:
        weighed = player.silence(view, decision.mine, SealedChance(f"{seed} silence {place}"), effort)
        found += _judged(game, decision, None, weighed, SealedChance(f"{seed} silent reason {place}"))
    if player.weigh is not None:
        weighed = player.weigh(view, decision.mine, SealedChance(f"{seed} analysis {place}"), effort)
        found += _judged(game, decision, decision.mine, weighed, SealedChance(f"{seed} reason {place}"))
    return found


def _judged(
    game: AnyDefinition,
    decision: Decision,
    move: object | None,
    weighed: Weighed[object] | None,
    chance: SealedChance,
) -> Iterator[Judged]:
    """Yield what was weighed of a move, as far as there was anything to decide."""
    if weighed is None or move not in weighed.moves or not weighed.worths[0]:
        return
    mine, choice = weighed.moves.index(move), weighed.choice
    ahead, best, reason = lead(weighed, choice, mine), weighed.moves[choice], game.reason
    yield Judged(
        number=decision.number,
        mine=_json(move),
        choice=_json(best),
        price=max(0.0, ahead.price),
        error=ahead.error,
        clear=ahead.clear,
        worlds=len(weighed.worths[choice]),
        better=ahead.better,
        worse=ahead.worse,
        mine_hope=sum(weighed.hopes[mine]),
        choice_hope=sum(weighed.hopes[choice]),
        reason=reason(decision.scene.game, move, best, chance) if ahead.clear and reason is not None else None,
    )


def _json(move: object | None) -> str:
    return "" if move is None else detail(move)
