"""The operations whose every step is a kill point, each with the scene in which it is carried out.

What may be killed is listed in `steps/NAME.txt`, a line a step, in order, and where hosts share tables as rows of a
PostgreSQL database in `steps/rows/NAME.txt`. `test_kill_points.py` compares that with what the program really passes;
`YAWC_GOLDEN=1` writes the lists anew.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.isolation.gates import turns
from tests.isolation.sessions import Hall, Session
from tests.isolation.steps import passed
from tests.thoroughness import SOAK

FOLDER = Path(__file__).parent / "steps"
ROWS = FOLDER / "rows"


class Scene(NamedTuple):
    """A hall made ready: who is to act, who else lives, and who is dead but still sits."""

    actor: Session
    others: list[Session]
    dead: tuple[Session, ...] = ()

    @property
    def users(self) -> dict[str, int]:
        return {one.name: one.user for one in (self.actor, *self.others, *self.dead)}


class Operation(NamedTuple):
    """An order that `Scene.actor` carries out."""

    name: str
    prepare: Callable[[Hall], Scene]
    order: tuple[str | int, ...]
    folder: Path = FOLDER

    @property
    def has_rows(self) -> bool:
        """Whether the table is a row that hosts share."""
        return self.folder == ROWS

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name.replace(' ', '_')}.txt"

    @property
    def steps(self) -> list[str]:
        """The steps as they are listed."""
        return self.file.read_text().splitlines() if self.file.exists() else []


def passes_what_is_listed(hall: Hall, operation: Operation) -> Scene:
    """Carry out an operation, which must pass the steps that are listed, and return its scene."""
    scene = operation.prepare(hall)
    found = passed(scene.actor, *operation.order)
    if os.environ.get("YAWC_GOLDEN"):
        operation.file.parent.mkdir(exist_ok=True)
        operation.file.write_text("\n".join(found) + "\n")
    assert found == operation.steps, "if that is meant: YAWC_GOLDEN=1, and read the difference"
    return scene


def points_in_books(operations: Iterable[Operation]) -> pytest.MarkDecorator:
    """Return the mark by which a test is tried at the steps of these operations.

    `make test` has one of all steps that leave the same behind.
    """
    found = [
        pytest.param(one, step, id=f"{one.name}-{step}")
        for one in operations
        for step in (one.steps if SOAK else turns(one.steps))
    ]
    return pytest.mark.parametrize(("operation", "step"), found)


def happens_once(hall: Hall, operation: Operation, step: str, books_of: Callable[[Hall], object]) -> None:
    """Kill whoever carries an operation out at a step; somebody else does it again: it is done once, or not at all.

    `books_of` is what the books say.
    """

    def again() -> object:
        assert other(*operation.order) == "ok"
        return books_of(hall)

    scene = operation.prepare(hall)
    (other,) = scene.others
    before = books_of(hall)
    scene.actor.doomed(step, *operation.order)
    assert hall.locks_held() == []
    half = books_of(hall)
    done = again()
    assert half in (before, done), "all or nothing"
    assert done != before
    assert again() == done, "once"


def _started(hall: Hall, *names: str) -> list[Session]:
    people = hall.seat(*names)
    assert people[0]("start") == "ok"
    return people


def _table(hall: Hall) -> Scene:
    anna, *others = hall.seat("Anna", "Bert", "Carl")
    return Scene(anna, others)


def _frozen(hall: Hall) -> Scene:
    """A game begins, and the master's text is the last to be revealed."""
    anna, *others = hall.seat("Anna", "Bert", "Carl")
    assert anna.freeze() == "ok"
    return Scene(anna, others)


def _game(hall: Hall) -> Scene:
    """The master is on turn."""
    anna, *others = _started(hall, "Anna", "Bert", "Carl")
    return Scene(anna, others)


def _swapping(hall: Hall) -> Scene:
    people = _started(hall, "Anna", "Bert", "Carl")
    for person in people:
        assert person("bet", 5) == "ok"
    return Scene(people[0], people[1:])


def _last_show(hall: Hall) -> Scene:
    """One has still to show his cards; then the game is decided."""
    scene = _swapping(hall)
    people = [scene.actor, *scene.others]
    for person in people:
        assert person("swap") == "ok"
    for person in people:
        assert person("see" if person is scene.actor else "bet", 5) == "ok"
    for person in people[:-1]:
        assert person("show") == "ok"
    return Scene(people[-1], people[:-1])


def _last_fold(hall: Hall) -> Scene:
    anna, bert, carl = _started(hall, "Anna", "Bert", "Carl")
    assert anna("leave") == bert("bet", 5) == "ok"
    return Scene(carl, [bert, anna])


def _dead_master(hall: Hall) -> Scene:
    """The master died on turn; somebody of his table finds it."""
    anna, bert, *others = _started(hall, "Anna", "Bert", "Carl", "Dora")
    anna.kill()
    return Scene(bert, others, (anna,))


def _dead_opponent(hall: Hall) -> Scene:
    """One of two players died, which decides the game; somebody at the prompt finds it."""
    anna, bert = _started(hall, "Anna", "Bert")
    carl = hall.session(3, "Carl")
    anna.kill()
    return Scene(carl, [bert], (anna,))


def _put_out(hall: Hall) -> Scene:
    """The master was killed for a lock; what he has paid goes back to him."""
    scene = _dead_master(hall)
    (anna,) = scene.dead
    hall.put_out(anna)
    return scene


def _dead_starter(hall: Hall) -> Scene:
    """The master died while he dealt a game: the ledger knows it, the table does not, and gives its deck up."""
    anna, *others = hall.seat("Anna", "Bert", "Carl")
    dora = hall.session(4, "Dora")
    anna.doomed("after open_game", "start")
    hall.pass_time(10)
    assert dora("look after all") == "ok"
    return Scene(dora, others, (anna,))


def _after_a_game(hall: Hall) -> Scene:
    """The next deck is sealed, and nobody has given a word for it."""
    scene = _last_show(hall)
    assert scene.actor("show") == "ok"
    return scene


def _newcomer(hall: Hall) -> Scene:
    others = _started(hall, "Anna", "Bert")
    return Scene(hall.session(3, "Carl"), others)


def _lost_line(hall: Hall) -> Scene:
    """The master lost the line on turn, and the session was killed; another one of the same user has come."""
    scene = _game(hall)
    assert scene.actor("lose line") == "ok"
    scene.actor.kill()
    return Scene(hall.session(1, "Anna"), scene.others, (scene.actor,))


def _behind(hall: Hall) -> Scene:
    """The master died after the COMMIT of a bet: by the cell, which is behind the row, that one is still on turn."""
    anna, bert, carl = _started(hall, "Anna", "Bert", "Carl")
    anna.doomed("half begun", "bet", 5)
    return Scene(bert, [carl], (anna,))


LOSING_A_LINE = Operation("losing a line", _game, ("lose line",))
TAKING_OVER = Operation("taking over", _lost_line, ("take over",))
"""Those who die in these are not always removed."""
OPERATIONS = (
    Operation("start", _table, ("freeze",)),
    Operation("reveal", _frozen, ("tend",)),
    Operation("bet", _game, ("bet", 5)),
    Operation("swap", _swapping, ("swap", 0, 1)),
    Operation("payout", _last_show, ("show",)),
    Operation("payout of a leaver", _last_fold, ("leave",)),
    Operation("purge", _dead_master, ("look after all",)),
    Operation("purge with payout", _dead_opponent, ("look after all",)),
    Operation("purge with refund", _dead_starter, ("look after all",)),
    Operation("purge with a stake back", _put_out, ("look after all",)),
    Operation("sit-down", _newcomer, ("sit",)),
    Operation("word", _after_a_game, ("draw word",)),
    Operation("leave", _game, ("leave",)),
    Operation("broadcast", _table, ("tell", "hello")),
    Operation("entering", _table, ("enter",)),
)

_SAME = {"purge with refund", "broadcast", "entering"}
"""What needs no row. The ledger never knows a game that its table does not know; a command is no table's; nor is a
place in the directory."""


def with_rows(operation: Operation) -> Operation:
    """Return an operation as it is where the table is a row."""
    return operation._replace(folder=ROWS)


OPERATIONS_WITH_ROWS = (
    *(with_rows(operation) for operation in OPERATIONS if operation.name not in _SAME),
    Operation("bet behind the row", _behind, ("bet", 5), ROWS),
)
LOSING_A_LINE_WITH_ROWS, TAKING_OVER_WITH_ROWS = with_rows(LOSING_A_LINE), with_rows(TAKING_OVER)
