"""Tables in well-known states for the tests of poker's rules."""

import pytest

from tests.rules.table_run import TableRun
from yawc_poker.engine.events import DealtBy, Notice, Sealed
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.poker.model import (
    Bet,
    Event,
    Fold,
    Show,
    Swap,
)

A_WINS = "A+ A* K+ K* 5-  Q+ Q* 9# 8- 7+  10+ 10* 6# 5+ 7-"
B_WINS = "Q+ Q* 9# 8- 7+  A+ A* K+ K* 5-  10+ 10* 6# 5+ 7-"


def casino(names: str = "AB", hands: str = B_WINS, **cash: int) -> TableRun:
    run = TableRun(first=hands)
    for name in names:
        run.sit(name, cash.get(name, 100))
    return run


def started(names: str = "AB", hands: str = B_WINS, **cash: int) -> TableRun:
    run = casino(names, hands, **cash)
    run.start(names[0])
    return run


def in_round_3(names: str = "AB", hands: str = B_WINS, bet: int = 5) -> TableRun:
    run = started(names, hands)
    for name in names:
        run.do(name, Bet(bet))
    for name in names:
        run.do(name, Swap())
    assert (run.game.round, run.game.phase) == (3, "bet")
    return run


def p4(hands: str = B_WINS) -> TableRun:
    run = in_round_3(hands=hands)
    run.do("A", Bet(7, see=True))
    return run


def told(run: TableRun) -> list[Event | Notice]:
    """Return all events except seals and words."""
    return [event for event in run.events if not isinstance(event, Sealed | DealtBy)]


def refusal(run: TableRun, name: str, move: Bet | Fold | Swap | Show) -> IllegalMove:
    before = run.table
    with pytest.raises(IllegalMove) as caught:
        run.do(name, move)
    assert run.table == before
    return caught.value
