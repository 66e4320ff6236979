"""SIGKILL at every step of an order, of hours that are made up, of the first look, and of the allowance.

`make test` tries one of all steps that leave the same behind.

Somebody else then does the same again: it is done once, and the books are sound.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.isolation.operations import Operation, Scene, happens_once, passes_what_is_listed, points_in_books
from tests.isolation.sessions import Hall
from tests.isolation.steps import SteppedHands, misnamed
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.exchange import proofs, rows
from yawc_poker.extras.exchange.exchange import Exchange
from yawc_poker.extras.exchange.market import WEEK
from yawc_poker.extras.exchange.settings import ExchangeSettings

HOUR = 3600
BEGIN = 500_000.0 * HOUR
ANNA, BERT = 1, 2


class ExchangeHands(SteppedHands):
    """Hands at the exchange, which goes by the hall's clock."""

    def __init__(self, hall: Hall, user: int, name: str) -> None:
        super().__init__(hall, user, name)
        self._exchange = Exchange(self._instance.bank.store, ExchangeSettings(), lambda: BEGIN + hall.ahead)

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        exchange, bank = self._exchange, self._instance.bank
        numbers = tuple(int(word) for word in rest if word.lstrip("-").isdecimal())

        def order() -> None:
            user, company, shares = numbers
            exchange.order(user, rest[3], company, exchange.quote(user, company, shares))

        return super()._orders(rest) | {
            "grant": lambda: bank.grant(*numbers),
            "order": order,
            "open": exchange._open,
            "found": self._found,
            "catch up": exchange.catch_up,
            "allow": lambda: bank.allow(*numbers),
        }

    def _found(self) -> None:
        """Open the exchange with a secret that is known: by chance, nobody may pay a dividend at the week's end."""
        with self._instance.bank.store.writing() as books:
            rows.found(books, BEGIN, HOUR, ExchangeSettings().reserve, "secret")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=ExchangeHands) as hall:
        yield hall


def _people(hall: Hall) -> Scene:
    """Two who know each other; the exchange was never opened."""
    anna, bert = hall.session(ANNA, "Anna"), hall.session(BERT, "Bert")
    return Scene(anna, [bert])


def _trading(hall: Hall) -> Scene:
    scene = _people(hall)
    assert scene.actor("found") == "ok"
    for number, user in enumerate((ANNA, BERT), 1):
        assert scene.actor("grant", number, user, 100_000) == "ok"
    return scene


def _holders(hall: Hall) -> Scene:
    """Both hold shares, and a week and some hours have gone by since anybody looked."""
    scene = _trading(hall)
    assert scene.actor("order", ANNA, 0, 300, "a") == scene.actor("order", BERT, 9, 200, "b") == "ok"
    hall.pass_time((WEEK + 3) * HOUR)
    return scene


OPERATIONS = (
    Operation("opening the exchange", _people, ("open",)),
    Operation("buying shares", _trading, ("order", ANNA, 0, 300, "a")),
    Operation("making up a week", _holders, ("catch up",)),
    Operation("an allowance", _people, ("allow", ANNA, 50, 200)),
)


def books_of(hall: Hall) -> dict[str, object]:
    """What the books say, which must be sound: all balances, holdings, the number of hours, the keys that were used."""
    with closing(bank_in_file(hall.data / BANK_FILE, look_only=True)) as bank:
        assert bank.audit() == []
        figures = bank.figures()
        assert figures.minted == figures.cash + figures.pots + figures.house + figures.exchange
        with bank.store.reading() as books:
            assert all(check.ok for check in proofs.checks(books))
            last = rows.latest(books)
            return {
                "hours": None if last is None else last.number,
                "held": [rows.held(books, user) for user in (ANNA, BERT)],
                "keys": [key for (key,) in books.execute("SELECT key FROM txn ORDER BY key")],
                "money": (figures.minted, figures.cash),
            }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_the_list_of_steps_at_the_exchange(hall: Hall, operation: Operation) -> None:
    passes_what_is_listed(hall, operation)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_what_is_told_as_the_same_at_the_exchange_is_the_same(hall: Hall, operation: Operation) -> None:
    assert misnamed(operation.prepare(hall).actor, *operation.order) == []


@points_in_books(OPERATIONS)
def test_killed_at_the_exchange_at(hall: Hall, operation: Operation, step: str) -> None:
    happens_once(hall, operation, step, books_of)
