"""The exchange in the bank's books: orders, hours that nobody was there for, dividends, the allowance, the audit."""

import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.isolation.books import Place
from tests.isolation.former import former_file
from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.wagers import StillPlaying
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.catalogues import words
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.extras.exchange import proofs, rows
from yawc_poker.extras.exchange.exchange import Exchange, PriceChanged, Refused
from yawc_poker.extras.exchange.market import COMPANIES, DAY, MOST_SHARES, START, WEEK, Quote, day_of, walked
from yawc_poker.extras.exchange.property import close_out
from yawc_poker.extras.exchange.seals import _lines
from yawc_poker.extras.exchange.settings import ExchangeSettings

ANNA, BERT, CARL = 1, 2, 3
HOUR = 3600
SETTINGS = ExchangeSettings(reserve=5000)
A, J = 0, 9
DOCUMENT = Path(__file__).parents[2] / "docs" / "fairness.md"


class Village:
    """A bank with three users of 2000 CUBES each, and an exchange by a clock that the test moves."""

    def __init__(self, place: Place, clock: Clock) -> None:
        self.place, self.clock = place, clock
        self.bank = place.bank(clock)
        for user in (ANNA, BERT, CARL):
            self.bank.welcome(user, 2000)
        self.exchange = Exchange(self.bank.store, SETTINGS, clock)
        self._orders = 0

    def open(self) -> None:
        """Open the exchange with a secret that is the same in every run."""
        with self.bank.store.writing() as books:
            rows.found(books, self.clock(), HOUR, SETTINGS.reserve, "secret")

    def trade(self, user: int, company: int, shares: int) -> Quote:
        self._orders += 1
        quote = self.exchange.quote(user, company, shares)
        self.exchange.order(user, str(self._orders), company, quote)
        return quote

    def shares(self, user: int) -> tuple[dict[int, int], int]:
        """Return a user's shares by company, and what they are worth."""
        with self.bank.store.reading() as books:
            return rows.held(books, user), rows.worth(books, user)

    def prices(self) -> tuple[int, ...]:
        return self.exchange.board(ANNA).latest.prices

    def checked(self) -> list[bool]:
        with self.bank.store.reading() as books:
            return [check.ok for check in proofs.checks(books)]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return self.place.rows(query)

    def sound(self) -> None:
        figures = self.bank.figures()
        assert self.bank.audit() == []
        assert figures.minted == figures.cash + figures.pots + figures.house + figures.exchange


@pytest.fixture
def village(place: Place) -> Iterator[Village]:
    village = Village(place, Clock(HOUR * 500_000 + 100.0))
    yield village
    village.bank.close()


def test_the_first_look_opens_the_exchange_once(village: Village) -> None:
    assert village.bank.figures().exchange == 0
    board = village.exchange.board(ANNA)
    assert (board.latest.number, board.latest.prices) == (0, (START,) * len(COMPANIES))
    assert (board.cash, board.held, board.account.balance, board.account.is_covered) == (2000, {}, 5000, True)
    village.exchange.board(BERT)
    figures = village.bank.figures()
    assert (figures.exchange, figures.house, figures.minted) == (5000, 0, 3 * 2000 + 5000)
    village.sound()


def test_the_reserve_comes_from_the_house_as_far_as_that_has_it(village: Village) -> None:
    village.bank.take(1, CARL, 1800)
    village.exchange.board(ANNA)
    figures = village.bank.figures()
    assert (figures.exchange, figures.house, figures.minted) == (5000, 0, 3 * 2000 + 3200)


def test_shares_are_bought_and_sold_with_a_fee_for_the_house(village: Village) -> None:
    village.open()
    assert village.trade(ANNA, A, 10) == Quote(10, 1000, 10)
    board = village.exchange.board(ANNA)
    assert (board.cash, board.held, board.worth(A)) == (990, {A: 10}, 1000)
    assert village.exchange.limits(board, A) == (9, 10)
    assert village.trade(ANNA, A, -4) == Quote(-4, 400, 4)
    assert (village.bank.balance(ANNA), village.bank.figures().house) == (1386, 14)
    assert village.shares(ANNA) == ({A: 6}, 600)
    assert village.shares(BERT) == ({}, 0)
    village.sound()


def test_an_order_that_comes_again_is_booked_once(village: Village) -> None:
    village.open()
    quote = village.exchange.quote(ANNA, A, 3)
    for _ in range(3):
        village.exchange.order(ANNA, "k", A, quote)
    assert village.exchange.board(ANNA).held == {A: 3}
    assert village.bank.balance(ANNA) == 2000 - quote.total


def test_nobody_sells_what_they_do_not_have_or_buys_more_than_is_allowed(village: Village) -> None:
    village.open()
    with pytest.raises(Refused):
        village.exchange.quote(ANNA, A, -1)
    with pytest.raises(Refused):
        village.exchange.quote(ANNA, A, MOST_SHARES + 1)
    with pytest.raises(NotEnough):
        village.trade(ANNA, A, 20)
    with pytest.raises(ValueError, match="house players own no shares"):
        village.trade(HOUSE_USERS[0], A, 1)
    village.sound()


def test_who_may_owe_something_at_the_end_of_a_game_sells_but_does_not_buy(village: Village) -> None:
    village.open()
    village.trade(ANNA, A, 2)
    game, _ = village.bank.open_game(0, "doppelkopf", {ANNA: 0, BERT: 0})
    with pytest.raises(StillPlaying):
        village.trade(ANNA, A, 1)
    village.trade(ANNA, A, -1)
    village.trade(CARL, A, 1)
    village.bank.settle(game, {BERT: 1})
    village.trade(ANNA, A, 1)
    assert village.shares(ANNA)[0] == {A: 2}


def test_a_price_that_changed_is_told_and_nothing_is_done(village: Village) -> None:
    village.open()
    quote = village.exchange.quote(ANNA, J, 10)
    village.clock.now += HOUR
    with pytest.raises(PriceChanged) as found:
        village.exchange.order(ANNA, "k", J, quote)
    assert village.bank.balance(ANNA) == 2000
    village.exchange.order(ANNA, "k", J, found.value.quote)
    assert village.bank.balance(ANNA) == 2000 - found.value.quote.total


def test_hours_that_nobody_was_there_for_are_made_up_as_if_somebody_had_been(village: Village, tmp_path: Path) -> None:
    """One BBS looks every day, the other one once, four weeks and an hour later: the books say the same."""
    village.open()
    village.trade(ANNA, A, 6)
    village.trade(BERT, J, 12)
    other = Village(Place(tmp_path / "other.sqlite"), Clock(village.clock.now))
    other.open()
    other.trade(ANNA, A, 6)
    other.trade(BERT, J, 12)
    for _ in range(4 * WEEK // DAY):
        village.clock.now += DAY * HOUR
        village.exchange.catch_up()
    village.clock.now += HOUR
    other.clock.now = village.clock.now
    assert other.exchange.catch_up() == village.exchange.catch_up() == village.clock.now - 100 + HOUR
    assert other.exchange.catch_up() == other.clock.now - 100 + HOUR
    for query in (
        "SELECT number, began, prices FROM hour ORDER BY number",
        "SELECT day, seed FROM seed ORDER BY day",
        "SELECT kind, ref, balance FROM account ORDER BY kind, ref",
        "SELECT user, company, shares FROM holding ORDER BY user, company",
        "SELECT key FROM txn WHERE kind IN ('dividend', 'shares') ORDER BY key",
    ):
        assert village.rows(query) == other.rows(query), query
    assert len(village.rows("SELECT 1 FROM txn WHERE kind = 'dividend'")) == 4
    for one in (village, other):
        assert one.checked() == [True, True]
        one.sound()
    other.bank.close()


def test_a_clock_that_goes_back_moves_no_price(village: Village) -> None:
    village.open()
    village.clock.now += 5 * HOUR
    prices = village.prices()
    village.clock.now -= 3 * HOUR
    assert village.prices() == prices
    village.clock.now += 4 * HOUR
    assert village.exchange.board(ANNA).latest.number == 6


def test_many_hours_without_a_look_are_made_up_in_several_transactions(village: Village) -> None:
    exchange = Exchange(village.bank.store, ExchangeSettings(hour_seconds=60), village.clock)
    exchange.board(ANNA)
    village.clock.now += 11_000 * 60
    assert exchange.board(ANNA).latest.number == 11_000
    assert village.checked() == [True, True]


@pytest.mark.parametrize("ahead", [32 * 86400, 400 * 86400, 40_000 * 86400])
def test_a_clock_that_was_ahead_stops_no_exchange(
    village: Village, ahead: int, caplog: pytest.LogCaptureFixture
) -> None:
    village.open()
    village.clock.now += 5 * HOUR
    village.trade(ANNA, A, 5)
    village.clock.now += ahead
    assert village.exchange.board(ANNA).latest.number == 6, "more than a month is not made up"
    assert "days old by the clock; they go on from now" in caplog.text
    village.clock.now -= ahead
    board = village.exchange.board(ANNA)
    assert (board.latest.number, board.latest.began) == (7, village.clock.now // HOUR * HOUR)
    village.clock.now += HOUR
    assert village.exchange.board(ANNA).latest.number == 8
    assert village.checked() == [True, True]
    village.sound()


def test_a_sysop_makes_up_what_was_left_out(village: Village, caplog: pytest.LogCaptureFixture) -> None:
    """The prices are then what they would be if somebody had been there, and dividends are paid."""
    village.open()
    village.trade(ANNA, A, 5)
    village.clock.now += 400 * 24 * HOUR
    assert village.exchange.board(ANNA).latest.number == 1
    (hours,) = re.findall(r"yawcctl exchange --make-up (\d+)", caplog.text)
    due = village.exchange.catch_up()
    assert village.exchange.make_up(int(hours)) == (400 * 24 - 1, 400 * 24)
    latest, prices = village.exchange.board(ANNA).latest, [START] * len(COMPANIES)
    assert village.exchange.catch_up() == due, "the next hour is due when it was"
    seeds = {day: str(seed) for day, seed in village.rows("SELECT day, seed FROM seed")}
    for number in range(1, 400 * 24 + 1):
        prices = list(walked(prices, number, seeds[day_of(number)]).prices)
    assert list(latest.prices) == prices
    assert len(village.rows("SELECT 1 FROM txn WHERE kind = 'dividend'")) >= 1
    village.clock.now += HOUR
    assert village.exchange.board(ANNA).latest.number == 400 * 24 + 1
    assert village.checked() == [True, True]
    village.sound()


def test_no_hours_are_left_out_by_a_clock_that_was_ahead_and_none_are_added_behind_the_last_day(
    village: Village, caplog: pytest.LogCaptureFixture
) -> None:
    assert village.exchange.make_up(1) == (0, None)
    village.open()
    village.clock.now -= 40 * 24 * HOUR
    assert village.exchange.board(ANNA).latest.number == 1
    assert "go on from now" in caplog.text
    assert "--make-up" not in caplog.text
    assert village.exchange.make_up(0) == (0, 1)


def test_a_month_is_made_up(village: Village) -> None:
    village.open()
    village.clock.now += 30 * 24 * HOUR
    assert village.exchange.board(ANNA).latest.number == 30 * 24


def test_prices_are_due_at_each_hour_once_the_exchange_is_open(village: Village) -> None:
    assert village.exchange.catch_up() == math.inf
    village.open()
    for _ in range(2):
        due = village.exchange.catch_up()
        assert 0 < due - village.clock.now <= HOUR
        village.clock.now = due


def test_a_company_that_ends_pays_its_holders_and_begins_anew(village: Village) -> None:
    village.open()
    village.trade(ANNA, A, 5)
    village.trade(BERT, A, 7)
    village.clock.now += HOUR
    village.place.damage("UPDATE hour SET prices = '[1000,10000,10000,10000,10000,10000,10000,10000,10000,10000]'")
    cash = village.bank.balances([ANNA, BERT])
    while not (ended := village.rows("SELECT key FROM txn WHERE key LIKE 'shares:ended:%' ORDER BY key")):
        village.clock.now += HOUR
        village.exchange.catch_up()
    assert [str(key).split(":")[3:] for (key,) in ended] == [["0", "1"], ["0", "2"]]
    assert village.prices()[A] == START
    assert [village.exchange.board(user).held for user in (ANNA, BERT)] == [{}, {}]
    after = village.bank.balances([ANNA, BERT])
    assert (after[ANNA] - cash[ANNA], after[BERT] - cash[BERT]) == (49, 69)
    village.sound()


def test_what_is_not_covered_is_shared(village: Village) -> None:
    """The prices rise tenfold: all together bring what the account holds, whoever sells first."""
    village.open()
    village.trade(ANNA, A, 10)
    village.trade(BERT, A, 10)
    rise = "[100000,10000,10000,10000,10000,10000,10000,10000,10000,10000]"
    village.place.damage(f"UPDATE hour SET prices = '{rise}'")
    board = village.exchange.board(ANNA)
    assert (board.account.balance, board.account.is_covered, board.account.cover) == (7000, False, 350)
    assert village.trade(ANNA, A, -10).amount == 3500
    assert village.trade(CARL, A, 1).amount == 350
    assert village.trade(CARL, A, -1).amount == 350
    assert village.trade(BERT, A, -10).amount == 3500
    assert village.bank.figures().exchange == 0
    village.sound()


# --- what is sealed ---------------------------------------------------------------------------------------------------


def test_a_seal_is_told_before_the_first_price_and_the_seed_when_the_day_is_over(village: Village) -> None:
    village.open()
    day, seal = village.exchange.sealed()
    assert (day, village.exchange.day(0)) == (0, None)
    village.clock.now += (DAY - 1) * HOUR
    village.exchange.board(ANNA)
    assert (village.exchange.sealed(), village.exchange.day(0)) == ((0, seal), None)
    village.clock.now += HOUR
    village.exchange.board(ANNA)
    over = village.exchange.day(0)
    assert over is not None
    assert (over.seal, len(over.prices)) == (seal, DAY + 1)
    assert village.exchange.sealed() == (1, over.seed)
    told = checked("\r\n".join(_lines(1, over.seed, over, words("en"))), seal)
    assert told == [
        "the seal is the one noted: True",
        "the seed gives the seal: True",
        "24 hours follow from the seed: True",
    ]
    assert village.rows("SELECT seed FROM seed WHERE day = 1") == []


def checked(page: str, seal: str) -> list[str]:
    """Run the handbook's script on a page, in a Python that knows nothing of this program; return what it prints."""
    script = DOCUMENT.read_text().split("```python\n")[3].partition("```")[0]
    command = [sys.executable, "-I", "-S", "-c", script, seal[:40]]
    return subprocess.run(command, input=page, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_script_finds_dividends_and_ends_right_and_what_was_chosen_wrong(village: Village) -> None:
    village.open()
    low = "[1001,99900,1001,99900,1001,99900,1001,99900,1001,99900]"
    village.clock.now += (WEEK - DAY) * HOUR
    village.exchange.board(ANNA)
    village.place.damage(f"UPDATE hour SET prices = '{low}' WHERE number = {WEEK - DAY}")
    village.clock.now += DAY * HOUR
    village.exchange.board(ANNA)
    over = village.exchange.day(6)
    assert over is not None
    assert {START} & {price for _, prices in over.prices for price in prices}, "no company ended"
    page = "\n".join(_lines(7, over.seed, over, words("de")))
    assert [line.split()[-1] for line in checked(page, over.seal)] == ["True", "True", "True"]
    last = str(over.prices[-1][1][4])
    wrong = page[::-1].replace(last[::-1], str(int(last) + 1)[::-1], 1)[::-1]
    assert [line.split()[-1] for line in checked(wrong, "0" * 40)] == ["False", "True", "False"]


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("UPDATE hour SET prices = replace(prices, '[', '[1') WHERE number = 30", [True, False]),
        ("UPDATE seed SET seed = replace(seed, '0', '1') WHERE day = 1", [False, False]),
        ("UPDATE market SET secret = 'another'", [False, True]),
        ("DELETE FROM hour WHERE number = 3", [True, False]),
    ],
)
def test_a_price_that_was_chosen_is_found(village: Village, statement: str, wanted: list[bool]) -> None:
    village.open()
    village.clock.now += 60 * HOUR
    village.exchange.board(ANNA)
    assert village.checked() == [True, True]
    village.place.damage(statement)
    assert village.checked() == wanted


def test_there_is_nothing_to_check_of_an_exchange_that_was_never_opened(village: Village) -> None:
    assert village.checked() == []
    assert village.exchange.day(0) is None
    assert village.exchange.catch_up() > village.clock.now


# --- the allowance, and closed accounts -------------------------------------------------------------------------------


def test_the_broke_get_their_allowance_once_a_day(village: Village) -> None:
    village.bank.take(1, ANNA, 1991)
    assert village.bank.allow(BERT, 50, 10) == 0
    assert village.bank.allow(ANNA, 0, 10) == 0
    assert village.bank.allow(ANNA, 50, 9) == 0
    assert village.bank.allow(ANNA, 50, 10) == 50
    village.bank.take(2, ANNA, 55)
    assert village.bank.allow(ANNA, 50, 10) == 0
    village.clock.now += 86400
    assert village.bank.allow(ANNA, 50, 10) == 50
    assert (village.bank.balance(ANNA), village.bank.figures().house) == (54, 1991 + 55 - 100)
    village.sound()


@pytest.mark.parametrize(("ahead", "paid"), [(3600, 0), (86400, 0), (400 * 86400, 50)])
def test_a_clock_that_was_ahead_pays_no_allowance_twice_and_keeps_none_back(
    village: Village, ahead: int, paid: int
) -> None:
    village.bank.take(1, ANNA, None)
    village.clock.now += ahead
    assert village.bank.allow(ANNA, 50, 10) == 50
    village.bank.take(2, ANNA, None)
    village.clock.now -= ahead
    assert village.bank.allow(ANNA, 50, 10) == paid


def test_who_has_put_everything_into_a_pot_is_not_broke(village: Village) -> None:
    village.bank.take(1, ANNA, 1985)
    number, _ = village.bank.open_game(0, "poker", {ANNA: 10, BERT: 10})
    village.bank.bet(number, 1, ANNA, 5)
    assert village.bank.balance(ANNA) == 0
    assert village.bank.allow(ANNA, 50, 15) == 0
    assert village.bank.allow(ANNA, 50, 16) == 50
    village.bank.take(2, ANNA, None)
    village.bank.settle(number, {BERT: 1})
    village.clock.now += 86400
    assert village.bank.allow(ANNA, 50, 10) == 50, "lost"


def test_what_the_house_does_not_have_for_the_allowance_is_newly_made(village: Village) -> None:
    village.bank.take(1, ANNA, None)
    assert village.bank.allow(ANNA, 3000, 10) == 3000
    figures = village.bank.figures()
    assert (figures.house, figures.cash, figures.minted) == (0, 4000 + 3000, 7000)


def test_who_has_put_everything_into_shares_is_not_broke(village: Village) -> None:
    village.open()
    village.trade(ANNA, A, 19)
    village.bank.take(1, ANNA, None)
    assert village.bank.balance(ANNA) == 0
    assert village.bank.allow(ANNA, 50, 10) == 0
    village.trade(ANNA, A, -19)
    village.bank.take(2, ANNA, None)
    assert village.bank.allow(ANNA, 50, 10) == 50


def test_the_shares_of_a_closed_account_are_sold_once(village: Village) -> None:
    village.open()
    village.trade(ANNA, A, 5)
    village.trade(ANNA, J, 5)
    for _ in range(2):
        close_out(village.bank.store, village.clock.now, ANNA)
    assert village.shares(ANNA) == ({}, 0)
    assert village.bank.balance(ANNA) == 2000 - 2 * 5
    close_out(village.bank.store, village.clock.now, BERT)
    village.sound()


# --- the audit --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("UPDATE holding SET shares = 6", "user 1 holds 6 shares of company 1, the trades say 5"),
        ("DELETE FROM holding", "user 1 holds 0 shares of company 1, the trades say 5"),
        (
            "UPDATE txn SET kind = 'online' WHERE kind = 'shares'",
            "transaction 5 (shares:1:1) and the trades do not agree whether it is one",
        ),
        (
            "UPDATE trade SET user = 2",
            "transaction 5 (shares:1:1) is a trade of user 2, but moves -505 CUBES of user 1",
        ),
        (
            "UPDATE txn SET kind = 'grant' WHERE key = 'exchange:founding'",
            "transaction 4 (exchange:founding) has no business with the account exchange",
        ),
        (
            "UPDATE entry SET account = (SELECT id FROM account WHERE kind = 'mint' AND ref = 0)"
            " WHERE txn = 5 AND amount = 500",
            "transaction 5 (shares:1:1) has no business with the account mint",
        ),
    ],
)
def test_damage_to_shares_is_found_and_named(village: Village, statement: str, wanted: str) -> None:
    village.open()
    village.trade(ANNA, A, 5)
    village.sound()
    village.place.damage(statement)
    assert wanted in village.bank.audit()


def test_a_ledger_from_before_there_were_shares_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 8) as books:
        assert "exchange" not in str(books.execute("SELECT sql FROM sqlite_master WHERE name = 'account'").fetchone())
    village = Village(Place(path), Clock())
    village.exchange.board(ANNA)
    village.trade(ANNA, A, 5)
    village.sound()
    village.bank.close()
