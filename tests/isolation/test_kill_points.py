"""SIGKILL, SIGSTOP and the end of everything at every named step of every operation (`operations.py`, `steps.py`).

All of it happens on a host with two files, and on one of several hosts, whose tables are rows in PostgreSQL
(`shared_hall.py`). All steps of all operations take minutes, by `make soak` and `make cluster`. `make test` tries one
of all steps that leave the same behind (`gates.turns`). Of operations that are made up of two, each tried by
itself, and of the usual ones with rows it tries the steps at which everything changes: a COMMIT that is about to be
sent, one that has no answer yet, and a cell that is filled but not current.
"""

import json
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.isolation.gates import turns, turns_but_telling
from tests.isolation.operations import (
    LOSING_A_LINE,
    LOSING_A_LINE_WITH_ROWS,
    OPERATIONS,
    OPERATIONS_WITH_ROWS,
    TAKING_OVER,
    TAKING_OVER_WITH_ROWS,
    Operation,
    Scene,
    passes_what_is_listed,
)
from tests.isolation.sessions import Hall, Session
from tests.isolation.shared_hall import SharedHall
from tests.isolation.steps import SteppedHands, misnamed
from tests.kernel import semaphore_exists
from tests.thoroughness import SOAK
from yawc_poker.engine.events import SatDown
from yawc_poker.games.poker.progress import SWAP_ROUND

MOVES = 60
"""Moves that the longest game of these tests may take."""


FILES, ROWS = "files", "rows"
BOTH = pytest.mark.parametrize("hall", [FILES, ROWS], indirect=True)
EVERYWHERE = (*OPERATIONS, *OPERATIONS_WITH_ROWS)
LOSING = (LOSING_A_LINE, LOSING_A_LINE_WITH_ROWS)
TAKING = (TAKING_OVER, TAKING_OVER_WITH_ROWS)
ALL = SOAK or bool(os.environ.get("YAWC_CLUSTER"))
MADE_UP = {"payout of a leaver", "purge with payout"}
"""Of a leave or a purge, and of a payout: all three are operations of their own."""
USUAL = {"start", "reveal", "bet", "bet behind the row", "payout", "sit-down", "purge", "losing a line", "taking over"}
TURNS = ("bank: COMMIT", "half filled, number not moved")
"""How those steps begin at which everything changes."""


@pytest.fixture
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    """A hall with files, unless the test has it as a parameter."""
    with made(request, getattr(request, "param", FILES), tmp_path / "data") as hall:
        yield hall
        assert all(played.game.outcome for played in hall.histories()[:-1])


def made(request: pytest.FixtureRequest, kind: str, data: Path) -> Hall:
    if kind == FILES:
        return Hall(data, hands=SteppedHands)
    url: str = request.getfixturevalue("renewed_database")
    from tests.isolation.shared_steps import SharedHands  # not everybody has psycopg

    return SharedHall(data, url, SharedHands)


def kind(operation: Operation) -> str:
    return ROWS if operation.has_rows else FILES


def points(operations: Iterable[Operation]) -> pytest.MarkDecorator:
    """Return the mark by which a test is tried at every step of these operations."""
    found = [
        pytest.param(kind(one), one, step, id=f"{kind(one)}-{one.name}-{step}")
        for one in operations
        for step in (one.steps if ALL else tried(one))
    ]
    return pytest.mark.parametrize(("hall", "operation", "step"), found, indirect=["hall"])


def tried(operation: Operation) -> Sequence[str]:
    """Return the steps that `make test` tries."""
    if operation.has_rows and operation.name not in USUAL:
        return ()
    if operation.has_rows or operation.name in MADE_UP:
        return [step for step in operation.steps if step.startswith(TURNS)]
    return turns(operation.steps) if operation.name == "broadcast" else turns_but_telling(operation.steps)


def points_of(*names: str) -> pytest.MarkDecorator:
    """Return that of the operations of these names."""
    return points(operation for operation in EVERYWHERE if operation.name in names)


def held_by(name: str) -> list[str]:
    """The steps of an operation from its first lock to its last."""
    (steps,) = (one.steps for one in OPERATIONS if one.name == name)
    last = max(at for at, step in enumerate(steps) if "given back" in step)
    return steps[1:last]


@pytest.mark.parametrize(
    ("hall", "operation"),
    [pytest.param(kind(one), one, id=f"{kind(one)}-{one.name}") for one in (*EVERYWHERE, *LOSING, *TAKING)],
    indirect=["hall"],
)
def test_the_list_of_steps_is_what_the_program_passes(hall: Hall, operation: Operation) -> None:
    passes_what_is_listed(hall, operation)


@pytest.mark.parametrize("operation", [*OPERATIONS, LOSING_A_LINE, TAKING_OVER], ids=lambda one: one.name)
def test_what_is_told_as_the_same_by_its_name_is_the_same(hall: Hall, operation: Operation) -> None:
    scene = operation.prepare(hall)
    assert misnamed(scene.actor, *operation.order) == []


# --- killed -----------------------------------------------------------------------------------------------------------


@points(EVERYWHERE)
def test_killed_at(hall: Hall, operation: Operation, step: str) -> None:
    scene = operation.prepare(hall)
    scene.actor.doomed(step, *operation.order)
    after_death(hall, scene)


def after_death(hall: Hall, scene: Scene) -> None:
    """Show that others finish or undo what the dead actor had begun, and that the house is as good as new."""
    assert hall.locks_held() == []
    gone = [one.name for one in (*scene.dead, scene.actor) if one.name in hall.names()]
    told = hall.removed()
    lag = hall.lag()
    for person in scene.others:
        assert person("look after all") == "ok"
    hall.catch_up(scene.others)
    if begun_without(hall, scene.others):
        lag = 0
    assert sorted(hall.removed()) == sorted({*gone, *told}), "each was removed once, and that was told once"
    assert set(hall.names()) <= {one.name for one in scene.others}
    assert hall.foundation.count() == len(scene.others)
    well_ordered(hall, lag)
    ring_works(scene.others)
    play_out(hall, scene.others)
    play_again(hall, scene)


def begun_without(hall: Hall, people: list[Session]) -> bool:
    """Return whether a game was about to begin; it does, without those whose text is lost, once its time is over."""
    if hall.table.opening is None:
        return False
    for _ in range(2):  # whoever has committed anew is woken to reveal
        for person in people:
            assert person("tend") == "ok"
    hall.pass_time(10)
    for _ in range(2):
        for person in people:
            assert person("look after all") == person("tend") == "ok"
    assert hall.phase() != "none"
    return True


def well_ordered(hall: Hall, lag: int) -> None:
    """The table is led, its override free, its pot what the ledger says but for a bet that it has not heard of."""
    header, money = hall.header, hall.money()
    assert header.override == 0
    assert hall.master() in hall.names()
    if hall.phase() == "none":
        assert (header.current, header.pot, money.pots, money.open_games) == (None, 0, 0, 0)
    else:
        assert hall.current() in hall.names()
        assert (money.pots - header.pot, money.open_games) == (lag, 1)
    assert sum(isinstance(entry.event, SatDown) for entry in hall.table.log) == len({*_sat(hall)})


def _sat(hall: Hall) -> list[int]:
    return [entry.session for entry in hall.table.log if isinstance(entry.event, SatDown)]


def ring_works(people: list[Session]) -> None:
    """Whatever one posts now is read by all others, once and in order; nobody has missed anything."""
    for person in people:
        assert "overrun" not in person("read")
    for sender in people:
        others = [one for one in people if one is not sender]
        assert sender("tell", "one") == sender("tell", "two") == "ok"
        assert [one("read") for one in others] == ["one two"] * len(others)


def play_out(hall: Hall, people: list[Session], stopped: Session | None = None) -> None:
    """Play until there is no game; for whom is stopped the clock plays."""
    for _ in range(MOVES):
        game = hall.table.game
        if game is None:
            break
        mover = next((one for one in people if one.name == hall.current()), None)
        if mover is None:
            assert stopped is not None, f"{hall.current()!r} is on turn"
            hall.pass_time(100)
            assert people[0]("look after") == "ok"
        elif game.phase == "bet":
            assert mover("see" if game.round > SWAP_ROUND else "bet", max(game.low, 1)) == "ok"
        else:
            assert mover("swap" if game.phase == "swap" else "show") == "ok"
    money = hall.money()
    assert (hall.phase(), money.pots, money.open_games, hall.header.override) == ("none", 0, 0, 0)


def play_again(hall: Hall, scene: Scene) -> None:
    """All come back, those who died as new sessions, and play a game to its end."""
    here = {one.name: one for one in scene.others}
    for name, user in scene.users.items():
        person = here.setdefault(name, hall.session(user, name) if name not in here else here[name])
        if name not in hall.names():
            assert person("sit") == "ok"
    last = hall.header.game
    assert here[hall.master()]("start") == "ok"
    play_out(hall, list(here.values()))
    assert hall.header.game > last


# --- a line that is lost ----------------------------------------------------------------------------------------------


@points(LOSING)
def test_killed_while_losing_the_line(hall: Hall, operation: Operation, step: str) -> None:
    """Before the table knows of it they are dead as any; from then on the seat is held, whatever becomes of them."""
    scene = operation.prepare(hall)
    cards = hall.hand(0)
    scene.actor.doomed(step, *operation.order)
    if not hall.is_held("Anna"):
        after_death(hall, scene)
        return
    for person in scene.others:
        assert person("look after all") == "ok"
    again = hall.session(1, "Anna")
    assert again("take over") == "ok"
    assert (hall.hand(0), hall.removed(), hall.current()) == (cards, [], "Anna")
    play_out(hall, [again, *scene.others])


@points(TAKING)
def test_killed_while_taking_over(hall: Hall, operation: Operation, step: str) -> None:
    """Before the commit the seat waits for the next one; after it, it is a dead session's as any."""
    scene = operation.prepare(hall)
    cards = hall.hand(0)
    scene.actor.doomed(step, *operation.order)
    assert hall.locks_held() == []
    others = list(scene.others)
    assert others[0]("look after all") == "ok"
    if hall.is_held("Anna"):
        again = hall.session(1, "Anna")
        assert (again("is held"), again("take over")) == ("True", "ok")
        assert (hall.hand(0), hall.current()) == (cards, "Anna")
        others.append(again)
    assert hall.removed() == ([] if len(others) > len(scene.others) else ["Anna"])
    well_ordered(hall, 0)
    play_out(hall, others)
    play_again(hall, Scene(scene.actor, others, scene.dead))


@BOTH
def test_a_hold_that_ends_removes_whoever_has_it(hall: Hall) -> None:
    scene = TAKING_OVER.prepare(hall)
    bert, carl = scene.others
    assert (bert("look after all"), hall.removed()) == ("ok", [])
    hall.pass_time(40)
    assert (bert("look after all"), hall.removed()) == ("ok", [])
    hall.pass_time(20)
    assert (carl("look after all"), hall.removed()) == ("ok", ["Anna"])
    assert scene.actor("take over") == "not_seated"
    play_out(hall, scene.others)


def test_a_bet_that_a_dead_session_left_between_ledger_and_table_goes_back(hall: Hall) -> None:
    """With rows there is nothing between them."""
    people = hall.seat("Anna", "Bert", "Carl")
    anna, bert, carl = people
    assert anna("start") == anna("lose line") == "ok"
    anna.doomed("after bet", "bet", 40)
    assert hall.money().pots == hall.header.pot + 40
    again = hall.session(1, "Anna")
    assert again("take over") == "ok"
    assert hall.money().pots == hall.header.pot
    assert again("bet", 5) == "ok"
    assert hall.money().pots == hall.header.pot
    play_out(hall, [again, bert, carl])


def test_a_closing_that_waits_for_the_bank_is_the_new_session_s(hall: Hall) -> None:
    """With rows nothing is decided without the bank."""
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    assert bert("no payouts") == anna("lose line") == "ok"
    assert bert("leave") == "ok"
    again = hall.session(1, "Anna")
    assert (again("take over"), hall.phase(), hall.money().pots) == ("ok", "none", 0)
    assert hall.names() == ["Anna"]


# --- stopped ----------------------------------------------------------------------------------------------------------


@points_of("bet", "payout")
def test_stopped_at(hall: Hall, operation: Operation, step: str) -> None:
    scene = operation.prepare(hall)
    scene.actor.doomed(step, *operation.order, by=signal.SIGSTOP)
    if hall.locks_held():
        assert scene.others[0]("say", "what is the matter?") == "ok"
        assert scene.actor.reap() == -signal.SIGKILL
        assert f"session {scene.actor.pid} of {scene.actor.name!r} kept a lock too long and was killed" in hall.log
        after_death(hall, scene)
    else:
        after_standstill(hall, scene)


@pytest.mark.parametrize("step", held_by("entering"))
def test_stopped_while_entering_before_anybody_knows_him(hall: Hall, step: str) -> None:
    anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
    assert anna("leave") == anna("vanish") == "ok"
    anna.doomed(step, "enter", by=signal.SIGSTOP)
    assert hall.locks_held() == ["directory"]
    assert bert("enter") == "ok"
    assert anna.reap() == -signal.SIGKILL
    assert str(anna.pid) in hall.log


def after_standstill(hall: Hall, scene: Scene) -> None:
    """Show that the others go on, the clock playing for the stopped one, and that he finds his place when he wakes."""
    play_out(hall, scene.others, scene.actor)
    assert hall.removed() == []
    assert hall.names() == sorted(scene.users)
    scene.actor.go_on()
    assert scene.actor.answer() in {"ok", "no_game"}
    ring_works([scene.actor, *scene.others])
    play_again(hall, Scene(scene.actor, [scene.actor, *scene.others]))


# --- everything at once -----------------------------------------------------------------------------------------------


@points_of("start", "reveal", "bet", "payout")
def test_everything_killed_at(hall: Hall, operation: Operation, step: str) -> None:
    scene = operation.prepare(hall)
    scene.actor.doomed(step, *operation.order)
    for person in scene.others:
        person.kill()
    segment = hall.foundation.segment
    keys, boot = [lock.key for lock in segment.locks], segment.head.boot_id
    before, stakes = hall.money(), hall.stakes()
    hall.found_again()
    assert hall.foundation.fresh
    assert hall.foundation.segment.head.boot_id != boot
    assert not any(semaphore_exists(key) for key in keys)
    money = hall.money()
    assert (money.pots, money.open_games, hall.locks_held()) == (0, 0, [])
    assert money.cash == before.cash + before.pots
    back = [hall.session(user, name) for name, user in scene.users.items()]
    notices = {one.user: json.loads(one("notices")) for one in back}
    assert notices == {one.user: [[game, paid] for game, paid in stakes.get(one.user, {}).items()] for one in back}
    assert all(one("notices") == "[]" for one in back), "told once"
    play_again(hall, Scene(back[0], back))
