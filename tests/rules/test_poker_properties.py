"""Random operations on a table, with the properties of spec/poker.md 19 checked after each.

`TableRun` checks them; the operations are here. A failing block names its seed.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from tests.rules.table_run import TableRun
from tests.thoroughness import sampled
from yawc_poker.engine import absence, values
from yawc_poker.engine.events import (
    CameBack,
    Chat,
    DealtBy,
    Left,
    NewMaster,
    Removed,
    SatDown,
    Sealed,
    Started,
    WentAway,
)
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import (
    LAST_ROUND,
    Bet,
    BetMade,
    Fold,
    HandDealt,
    MayBet,
    MayFold,
    MayShow,
    MaySwap,
    Move,
    NextRound,
    Passed,
    PotLost,
    Show,
    ShowdownBegins,
    Shown,
    Swap,
    SwapMissed,
    Swapped,
    TakenOut,
    Won,
)

BLOCKS = sampled(20)
LIVES = 100
STEPS = 120
NAMES = "ABCDEFG"
CASH = (0, 9, 10, 11, 30, 100, 1000)


def legal_move(run: TableRun, rng: Random) -> Move:
    """Choose among the legal moves; fold less often, or no game would last."""
    assert run.game.current is not None
    choices = rules.legal_moves(rules.fund(run.game, run.money()), run.game.current)
    choice = rng.choice(choices if rng.random() < 0.2 else choices[:1])
    match choice:
        case MayBet(low, high, see):
            return Bet(rng.choice((low, low, low, rng.randint(low, high), high)), see=see and rng.random() < 0.2)
        case MaySwap(most):
            return Swap(tuple(rng.sample(range(5), rng.randint(0, most))))
        case MayShow():
            return Show()
        case MayFold():
            return Fold()


def any_move(rng: Random) -> Move:
    places = tuple(rng.randint(-1, 5) for _ in range(rng.randint(0, 4)))
    return rng.choice((Bet(rng.randint(-5, 250), see=rng.random() < 0.3), Fold(), Swap(places), Show()))


def refused(call: Callable[[], None]) -> str:
    """Return the reason why this was refused; empty if it was done."""
    try:
        call()
    except IllegalMove as error:
        return error.reason
    return ""


def sit(run: TableRun, rng: Random) -> None:
    name = rng.choice(NAMES)
    full, there = len(run.people()) == rules.SEATS, name in run.people()
    reason = refused(lambda: run.sit(name, rng.choice(CASH)))
    assert reason == ("already_seated" if there else "table_full" if full else "")


def leave(run: TableRun, rng: Random) -> None:
    if run.people() and rng.random() < 0.4:
        run.leave(rng.choice(run.people()), removed=rng.random() < 0.5)


def start(run: TableRun, rng: Random) -> None:
    if run.people():
        name = rng.choice((rng.choice(run.people()), str(run.master)))
        running, people = run.running, len(run.people())
        woken = absence.wake(run.table, run.session(name), run.now, run.clocks)
        master, here = run.name(woken.master), len(values.here(woken))
        waits = run.now < run.table.pause_until
        reason = refused(lambda: run.start(name))
        not_now = (running, "game_running"), (name != master, "not_master"), (people == 1, "alone")
        rules_say = (*not_now, (here == 1, "asleep"), (waits, "pause"))
        assert reason == next((word for holds, word in rules_say if holds), "")


def move(run: TableRun, rng: Random) -> None:
    if run.running:
        run.do(str(run.current), legal_move(run, rng))


def nonsense(run: TableRun, rng: Random) -> None:
    """Try any move, as anybody: it is refused and changes nothing, or it was a move of the player on turn."""
    if not run.people():
        return
    name, before = rng.choice(run.people()), run.table
    current = run.current if run.running else None
    if refused(lambda: run.do(name, any_move(rng))):
        assert run.table == before
    else:
        assert name == current


def time_passes(run: TableRun, rng: Random) -> None:
    run.wait(rng.choice((1, 5, 31, 60, 200)))


def chat(run: TableRun, rng: Random) -> None:
    if run.people():
        run.chat(rng.choice(run.people()), "x" * rng.randint(0, 300))


def press(run: TableRun, rng: Random) -> None:
    if run.people():
        run.wake(rng.choice(run.people()))


def money_from_outside(run: TableRun, rng: Random) -> None:
    if run.cash:
        name = rng.choice(list(run.cash))
        run.give(name, rng.randint(-min(run.cash[name], 150), 150))


def late_round(run: TableRun, rng: Random) -> None:
    if run.running and run.game.phase == "bet" and run.game.round > 2 and rng.random() < 0.2:
        run.set_game(round=LAST_ROUND)


OPERATIONS: dict[Callable[[TableRun, Random], None], int] = {
    sit: 8,
    leave: 4,
    start: 6,
    move: 40,
    nonsense: 4,
    time_passes: 4,
    chat: 1,
    press: 3,
    money_from_outside: 3,
    late_round: 1,
}


def live(seed: int) -> TableRun:
    """Run random operations on a table for a while."""
    rng = Random(seed)
    run = TableRun(Random(seed))
    for name in NAMES[: rng.randint(0, 5)]:
        run.sit(name, rng.choice(CASH))
    for operation in rng.choices(list(OPERATIONS), list(OPERATIONS.values()), k=STEPS):
        operation(run, rng)
        run.check_clock()
    return run


@pytest.mark.parametrize("block", range(BLOCKS))
def test_everything_that_can_happen(block: int) -> None:
    happened: Counter[type] = Counter()
    replayed = 0
    for seed in range(block * LIVES, (block + 1) * LIVES):
        try:
            run = live(seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        happened.update(type(event) for event in run.events)
        replayed += run.replayed
    everything = {
        HandDealt,
        NextRound,
        BetMade,
        Passed,
        TakenOut,
        Swapped,
        SwapMissed,
        ShowdownBegins,
        Shown,
        Won,
        PotLost,
    }
    assert set(happened) == everything | {
        SatDown,
        Left,
        Removed,
        Started,
        Sealed,
        DealtBy,
        NewMaster,
        Chat,
        WentAway,
        CameBack,
    }
    assert happened[Won] + happened[PotLost] <= happened[Started] == happened[DealtBy] <= happened[Sealed]
    assert replayed > 50
