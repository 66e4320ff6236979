"""Random lives of a table: the properties of spec/poker.md 19 after everything that can happen.

`House` checks them after each operation; here are the operations. A failing block names its seed.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from tests.rules.house import House
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Chat, DealtBy, Left, NewMaster, Removed, SatDown, Sealed, Started
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import (
    LAST_ROUND,
    Bet,
    BetMade,
    Fold,
    MayBet,
    MayFold,
    MayShow,
    MaySwap,
    Move,
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

BLOCKS = 20
LIVES = 100
STEPS = 120
NAMES = "ABCDEFG"
CASH = (0, 9, 10, 11, 30, 100, 1000)


def legal_move(house: House, rng: Random) -> Move:
    """Choose among what the rules offer; folding less often than the rest, or no game would grow old."""
    assert house.game.current is not None
    choices = rules.legal_moves(rules.fund(house.game, house.money()), house.game.current)
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
    """Give the reason why this was refused; empty where it was done."""
    try:
        call()
    except IllegalMove as error:
        return error.reason
    return ""


def sit(house: House, rng: Random) -> None:
    name = rng.choice(NAMES)
    full, there = len(house.people()) == rules.SEATS, name in house.people()
    reason = refused(lambda: house.sit(name, rng.choice(CASH)))
    assert reason == ("already_seated" if there else "table_full" if full else "")


def leave(house: House, rng: Random) -> None:
    if house.people() and rng.random() < 0.4:
        house.leave(rng.choice(house.people()), removed=rng.random() < 0.5)


def start(house: House, rng: Random) -> None:
    if house.people():
        name = rng.choice((rng.choice(house.people()), str(house.master)))
        running, master, people = house.running, house.master, len(house.people())
        waits = house.now < house.table.pause_until
        reason = refused(lambda: house.start(name))
        rules_say = (running, "game_running"), (name != master, "not_master"), (people == 1, "alone"), (waits, "pause")
        assert reason == next((word for holds, word in rules_say if holds), "")


def move(house: House, rng: Random) -> None:
    if house.running:
        house.do(str(house.current), legal_move(house, rng))


def nonsense(house: House, rng: Random) -> None:
    """Try whatever, as anybody: it is refused and changes nothing, or it was a move of the player on turn."""
    if not house.people():
        return
    name, before = rng.choice(house.people()), house.table
    current = house.current if house.running else None
    if refused(lambda: house.do(name, any_move(rng))):
        assert house.table == before
    else:
        assert name == current


def time_passes(house: House, rng: Random) -> None:
    house.wait(rng.choice((1, 5, 31, 60, 200)))


def chat(house: House, rng: Random) -> None:
    if house.people():
        house.chat(rng.choice(house.people()), "x" * rng.randint(0, 300))


def money_from_outside(house: House, rng: Random) -> None:
    if house.cash:
        name = rng.choice(list(house.cash))
        house.give(name, rng.randint(-min(house.cash[name], 150), 150))


def late_round(house: House, rng: Random) -> None:
    if house.running and house.game.phase == "bet" and house.game.round > 2 and rng.random() < 0.2:
        house.set_game(round=LAST_ROUND)


OPERATIONS: dict[Callable[[House, Random], None], int] = {
    sit: 8,
    leave: 4,
    start: 6,
    move: 40,
    nonsense: 4,
    time_passes: 4,
    chat: 1,
    money_from_outside: 3,
    late_round: 1,
}


def live(seed: int) -> House:
    """Let a table live for a while."""
    rng = Random(seed)
    house = House(Random(seed))
    for name in NAMES[: rng.randint(0, 5)]:
        house.sit(name, rng.choice(CASH))
    for operation in rng.choices(list(OPERATIONS), list(OPERATIONS.values()), k=STEPS):
        operation(house, rng)
        house.check_clock()
    return house


@pytest.mark.parametrize("block", range(BLOCKS))
def test_everything_that_can_happen(block: int) -> None:
    happened: Counter[type] = Counter()
    replayed = 0
    for seed in range(block * LIVES, (block + 1) * LIVES):
        try:
            house = live(seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        happened.update(type(event) for event in house.events)
        replayed += house.replayed
    everything = {BetMade, Passed, TakenOut, Swapped, SwapMissed, ShowdownBegins, Shown, Won, PotLost}
    assert set(happened) == everything | {SatDown, Left, Removed, Started, Sealed, DealtBy, NewMaster, Chat}
    assert happened[Won] + happened[PotLost] <= happened[Started] == happened[DealtBy] <= happened[Sealed]
    assert replayed > 50
