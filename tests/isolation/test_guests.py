"""The end of guests: not while a game may still owe them something, or they it; and never of who has kept a name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.isolation.owing import OwingHands
from tests.isolation.sessions import START, Hall
from yawc_poker.casino.instance.guests import retire

NAMES = ("Anna", "Bert", "Carl", "Dora")


class GuestHands(OwingHands):
    """Hands of guests, whose accounts end."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {
            "enrol": self._enrol,
            "keep": lambda: self._instance.accounts.keep_guest(self._user, rest[0], "hash"),
            "retire": lambda: retire(self._instance, self._user),
            "is closed": lambda: str(self._is_closed()),
        }

    def _enrol(self) -> None:
        while self._instance.accounts.enrol_guest("en").id < self._user:
            pass

    def _is_closed(self) -> bool:
        account = self._instance.accounts.by_id(self._user)
        return account is not None and account.closed is not None


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=GuestHands) as hall:
        yield hall


def test_who_has_left_a_game_pays_what_they_owe_before_the_rest_goes(hall: Hall) -> None:
    anna, bert, *_ = hall.seat(*NAMES)
    assert anna("enrol") == anna("start") == anna("no payouts") == anna("end") == "ok"
    assert anna("leave") == anna("retire") == "ok"
    assert (hall.balances(1), anna("is closed")) == ([START], "False")
    assert anna("payouts") == bert("look after") == "ok"
    assert hall.balances(1) == [START - 30]
    for _ in range(2):
        assert anna("retire") == "ok"
        assert (hall.balances(1), anna("is closed")) == ([0], "True")


def test_a_winner_who_has_left_is_paid_before_it_goes(hall: Hall) -> None:
    anna, _, carl, _ = hall.seat(*NAMES)
    assert carl("enrol") == anna("start") == anna("no payouts") == anna("end") == "ok"
    assert carl("leave") == carl("retire") == "ok"
    assert (hall.balances(3), carl("is closed")) == ([START], "False")
    assert anna("payouts") == anna("look after") == carl("retire") == "ok"
    assert (hall.balances(3), carl("is closed")) == ([0], "True")


def test_who_has_kept_a_name_keeps_the_cubes(hall: Hall) -> None:
    anna = hall.session(1, "Anna")
    assert anna("enrol") == anna("keep", "Anna") == anna("retire") == "ok"
    assert (hall.balances(1), anna("is closed")) == ([START], "False")
