"""SIGKILL at every step of an entry, a withdrawal, a draw, a hand's end, and the prizes of a tournament.

`make test` tries one of all steps that leave the same behind. Somebody else then does the same again: it is done once,
and the books are sound.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.operations import Operation, Scene, happens_once, passes_what_is_listed, points_in_books
from tests.isolation.sessions import Hall
from tests.isolation.steps import SteppedHands, misnamed
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.store.connection import Connection
from yawc_poker.extras.tournaments import chips, rows
from yawc_poker.extras.tournaments.rows import Plan

ANNA, BERT = 1, 2
FEE = 20
NOW = 1_800_000_000.0
NUMBER = 1


class TournamentHands(SteppedHands):
    """Hands at the only tournament of a hall."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        def write(change: Callable[[Connection], object]) -> Callable[[], object]:
            def act() -> None:
                with self._instance.bank.store.writing() as books:
                    change(books)

            return act

        def play(books: Connection) -> None:
            one = rows.find(books, NUMBER)
            for bout in rows.bouts(books, one):
                points = rows.unplayed(books, one, bout, bout.users[:1])
                rows.end_bout(books, NOW, one, bout, points, is_played=False)

        def win_all(books: Connection) -> None:
            one = rows.find(books, NUMBER)
            for bout in rows.bouts(books, one):
                points = dict(zip(bout.users, (2 * chips.START, 0), strict=True))
                rows.end_bout(books, NOW, one, bout, points, is_played=False)

        plan = Plan("offiziersskat", "", 0, NOW, 7, 1, 1, FEE, swiss=True)
        with_chips = replace(plan, kind="poker", rounds=0)
        users = [int(word) for word in rest if word.isdecimal()]
        changes: dict[str, Callable[[Connection], object]] = {
            "call": lambda books: rows.call(books, NOW, plan),
            "call poker": lambda books: rows.call(books, NOW, with_chips),
            "enter": lambda books: rows.enter(books, NOW, NUMBER, users[0]),
            "withdraw": lambda books: rows.withdraw(books, NOW, NUMBER, users[0]),
            "call off": lambda books: rows.call_off(books, NOW, NUMBER),
            "begin": lambda books: rows.begin(books, NOW, NUMBER, filled=True),
            "play": play,
            "win all": win_all,
            "go on": lambda books: rows.go_on(books, NOW, rows.find(books, NUMBER), filled=True),
        }
        return super()._orders(rest) | {name: write(change) for name, change in changes.items()}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=TournamentHands) as hall:
        yield hall


def _called(hall: Hall, how: str = "call") -> Scene:
    anna, bert = hall.session(ANNA, "Anna"), hall.session(BERT, "Bert")
    assert anna(how) == "ok"
    return Scene(anna, [bert])


def _entered(hall: Hall, how: str = "call") -> Scene:
    scene = _called(hall, how)
    for user in (ANNA, BERT):
        assert scene.actor("enter", user) == "ok"
    return scene


def _played(hall: Hall) -> Scene:
    scene = _entered(hall)
    assert scene.actor("begin") == scene.actor("play") == "ok"
    return scene


def _with_chips(hall: Hall) -> Scene:
    scene = _entered(hall, "call poker")
    assert scene.actor("begin") == "ok"
    return scene


def _hand_played(hall: Hall) -> Scene:
    scene = _with_chips(hall)
    assert scene.actor("play") == "ok"
    return scene


def _all_won(hall: Hall) -> Scene:
    scene = _with_chips(hall)
    assert scene.actor("win all") == "ok"
    return scene


OPERATIONS = (
    Operation("entering a tournament", _called, ("enter", ANNA)),
    Operation("withdrawing from a tournament", _entered, ("withdraw", BERT)),
    Operation("beginning a tournament", _entered, ("begin",)),
    Operation("paying prizes", _played, ("go on",)),
    Operation("ending a hand for chips", _with_chips, ("play",)),
    Operation("drawing the next hand for chips", _hand_played, ("go on",)),
    Operation("paying prizes for chips", _all_won, ("go on",)),
)


def books_of(hall: Hall) -> dict[str, object]:
    """What the books say, which must be sound: states, entrants, draws, balances, keys."""
    with closing(bank_in_file(hall.data / BANK_FILE, look_only=True)) as bank:
        assert bank.audit() == []
        with bank.store.reading() as books:
            return {
                "tournaments": [tuple(row) for row in books.execute("SELECT id, state, round FROM tournament")],
                "entrants": [tuple(row) for row in books.execute("SELECT * FROM entrant ORDER BY user")],
                "seats": [tuple(row) for row in books.execute("SELECT * FROM bout_player ORDER BY round, user")],
                "balances": [
                    tuple(row) for row in books.execute("SELECT kind, ref, balance FROM account ORDER BY 1, 2")
                ],
                "keys": [key for (key,) in books.execute("SELECT key FROM txn ORDER BY key")],
            }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_the_list_of_steps_of_a_tournament(hall: Hall, operation: Operation) -> None:
    passes_what_is_listed(hall, operation)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_what_is_told_as_the_same_of_a_tournament_is_the_same(hall: Hall, operation: Operation) -> None:
    assert misnamed(operation.prepare(hall).actor, *operation.order) == []


@points_in_books(OPERATIONS)
def test_killed_in_a_tournament_at(hall: Hall, operation: Operation, step: str) -> None:
    happens_once(hall, operation, step, books_of)
