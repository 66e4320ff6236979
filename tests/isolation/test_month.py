"""`yawcctl month`: callers, games and CUBES of a month, as text, JSON and a drawing."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.isolation.stores import bank_in_file, in_file
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.rankings.periods import DAY, Month
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.extras.monthly.overview import Overview, overview
from yawc_poker.extras.monthly.plot import drawn
from yawc_poker.sysop.__main__ import main

MONTH = Month(2026, 10)
FIRST = MONTH.days.start * DAY


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """On the 2nd Anna calls twice and Bert once, they play; on the 31st Anna calls; then it is November."""
    store, bank = in_file(tmp_path / USERS_FILE), bank_in_file(tmp_path / BANK_FILE)
    accounts, now = Accounts(store), [FIRST + DAY]
    store.clock = bank.store.clock = lambda: float(now[0])
    anna, bert = (accounts.enrol(name, "hash", "en") for name in ("Anna", "Bert"))
    for user in (anna, bert, anna):
        accounts.seen(user.id, "192.0.2.7")
    for user in (anna, bert):
        bank.welcome(user.id, 100)
    game, _ = bank.open_game(0, "poker", {anna.id: 10, bert.id: 10})
    bank.settle(game, {anna.id: 20})
    broken, _ = bank.open_game(0, "poker", {anna.id: 10, bert.id: 10})
    bank.refund(broken)
    now[0] = FIRST + 31 * DAY - 1
    accounts.seen(anna.id, "192.0.2.7")
    now[0] += 1
    accounts.seen(bert.id, "192.0.2.7")
    accounts.close()
    bank.close()
    return tmp_path


def found(data: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["--data", str(data), "month", "2026-10", "--json"]) == 0
    whole: dict[str, object] = json.loads(capsys.readouterr().out)
    return whole


def test_a_month_counts_its_own_days_only(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = found(data, capsys)
    days = whole["days"]
    assert isinstance(days, list)
    assert len(days) == 31
    assert days[1] == {"date": "2026-10-02", "callers": 2, "calls": 3, "games": {"poker": 1}}
    assert days[30] == {"date": "2026-10-31", "callers": 1, "calls": 1, "games": {}}
    assert sum(day["calls"] for day in days) == 4
    assert (whole["callers"], whole["registered"], whole["known_since"]) == (2, 2, None)


def test_cubes_are_told_by_where_they_came_from(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(data, capsys)["cubes"] == [
        {"source": "ante", "got": 0, "paid": 40},
        {"source": "payout", "got": 20, "paid": 0},
        {"source": "refund", "got": 20, "paid": 0},
        {"source": "welcome", "got": 200, "paid": 0},
    ]


def test_the_text_leaves_empty_days_out(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "month", "2026-10"]) == 0
    text = capsys.readouterr().out
    assert "2026-10-02        2      3      1\n" in text
    assert "month             2      4      1\n" in text
    assert "2026-10-03" not in text


def test_the_drawing_has_a_bar_for_each_day_and_kind_with_any(data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "month.svg"
    assert main(["--data", str(data), "month", "2026-10", "--svg", str(picture)]) == 0
    bars = [one for one in ElementTree.parse(picture).iter() if one.tag.endswith("rect")]
    assert len(bars) == 1 + 2 + 1 + 1  # the ground, two days with callers, one with games, the legend


def test_a_month_without_anything_can_be_drawn() -> None:
    ElementTree.fromstring(drawn(Overview("2026-02", [], 0, 0, [], None)))


@pytest.mark.parametrize("month", ["2026-13", "26-1", "x", "2026-00", "2026-1", "1969-12", "9999-12"])
def test_what_is_no_month_is_a_mistake(month: str) -> None:
    with pytest.raises(SystemExit):
        main(["--data", "/nowhere", "month", month])


def test_logins_that_are_not_kept_any_more_are_said_to_be_missing(data: Path) -> None:
    store, bank = in_file(data / USERS_FILE), bank_in_file(data / BANK_FILE)
    with store.writing() as users:
        users.execute("DELETE FROM visit WHERE at < ?", (FIRST + 5 * DAY,))
    with store.reading() as users, bank.store.reading() as books:
        assert overview(MONTH, users, books).known_since == FIRST + 31 * DAY - 1
    store.close()
    bank.close()
