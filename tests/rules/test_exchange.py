"""The exchange's arithmetic: sealed walk, solvency, no free lunch; and the chart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.exchange import simulate
from yawc_poker.appearance.chart import chart
from yawc_poker.extras.exchange import market
from yawc_poker.extras.exchange.market import COMPANIES, HIGHEST, LOWEST, MOST_SHARES, START, WEEK, Account, Hour
from yawc_poker.extras.exchange.menu_lines import in_columns, money

PRICES = st.integers(LOWEST, HIGHEST)
SHARES = st.integers(1, MOST_SHARES)
FEES = st.integers(0, 500)


@st.composite
def accounts(draw: st.DrawFn, least: int = 0) -> Account:
    """An account, covered or not, whose claims are at least so much."""
    claims = draw(st.integers(least, least + 10**9))
    return Account(draw(st.integers(0, max(1, claims // 50))), claims)


# --- the walk ---------------------------------------------------------------------------------------------------------


def test_a_seed_is_the_hash_of_the_next_one_down_to_the_first_seal() -> None:
    seeds = market.seeds("secret", -1, 40)
    assert sorted(seeds) == list(range(-1, 41))
    assert all(market.hashed(seeds[day + 1]) == seeds[day] for day in range(-1, 40))
    assert market.seeds("secret", 7, 8) == {7: seeds[7], 8: seeds[8]}
    assert market.seeds("secret", market.DAYS - 1, market.DAYS - 1) == {market.DAYS - 1: "secret"}


def test_an_hour_follows_from_prices_number_and_seed_alone() -> None:
    prices = (START,) * len(COMPANIES)
    hour = market.walked(prices, 1, "seed")
    assert hour == market.walked(list(prices), 1, "seed")
    assert hour.prices != market.walked(prices, 2, "seed").prices
    assert hour.dividends == (0,) * len(COMPANIES)
    for price, company in zip(hour.prices, COMPANIES, strict=True):
        assert abs(price - START) <= START * company.swing // 1000


def test_a_price_moves_up_as_far_and_as_often_as_down() -> None:
    """Over all numbers that can be drawn the moves of a company add up to nothing."""
    top = 16**4 - 1
    for swing in {company.swing for company in COMPANIES}:
        moves = [START * swing * abs(2 * drawn - top) // (1000 * top) for drawn in range(top + 1)]
        assert sum(moves[: len(moves) // 2]) == sum(moves[len(moves) // 2 :])


def test_a_week_ends_with_dividends_that_are_taken_from_the_prices() -> None:
    prices = (START,) * len(COMPANIES)
    hour = market.walked(prices, WEEK, "seed")
    assert sum(hour.dividends) > 0
    for price, dividend, company in zip(hour.prices, hour.dividends, COMPANIES, strict=True):
        assert 0 <= dividend <= START * (1000 + company.swing) // 100_000
        assert abs(price + dividend - START) <= START * company.swing // 1000


@pytest.mark.parametrize("price", [LOWEST, HIGHEST])
def test_a_company_whose_price_leaves_its_bounds_pays_it_and_begins_anew(price: int) -> None:
    hours = [market.walked((price,) * len(COMPANIES), 1, f"seed {n}") for n in range(20)]
    ended = {place for hour in hours for place in hour.ended}
    assert ended == set(range(len(COMPANIES)))
    for hour in hours:
        for place, now in enumerate(hour.prices):
            assert (now == START) == (place in hour.ended)
            assert LOWEST <= now <= HIGHEST


def test_each_company_has_a_key_of_its_own_which_is_its_initial() -> None:
    assert [company.key for company in COMPANIES] == list("ABCDEFGHIJ")
    assert all(company.name.startswith(company.key) for company in COMPANIES)


# --- solvency ---------------------------------------------------------------------------------------------------------


@given(accounts(), st.lists(st.tuples(PRICES, SHARES), min_size=1, max_size=12))
def test_all_shares_together_never_bring_more_than_the_account_holds(
    account: Account, held: list[tuple[int, int]]
) -> None:
    account = account._replace(claims=sum(price * shares for price, shares in held))
    assert sum(account.brings(price * shares) for price, shares in held) <= account.balance


@given(accounts(), PRICES, SHARES, FEES)
def test_buying_and_selling_at_once_gains_nothing(account: Account, price: int, shares: int, fee: int) -> None:
    bought = market.quote(account, price, shares, fee)
    after = Account(account.balance + bought.amount, account.claims + price * shares)
    assert market.quote(after, price, -shares, fee).total <= bought.total


@given(st.data(), PRICES, SHARES, SHARES, FEES)
def test_an_order_in_parts_costs_no_less(data: st.DataObject, price: int, one: int, other: int, fee: int) -> None:
    account = data.draw(accounts())
    whole = market.quote(account, price, one + other, fee)
    first = market.quote(account, price, one, fee)
    then = Account(account.balance + first.amount, account.claims + price * one)
    assert first.total + market.quote(then, price, other, fee).total >= whole.total


@given(st.data(), PRICES, SHARES, SHARES, FEES)
def test_an_order_in_parts_brings_no_more(data: st.DataObject, price: int, one: int, other: int, fee: int) -> None:
    account = data.draw(accounts(price * (one + other)))
    whole = market.quote(account, price, -one - other, fee)
    first = market.quote(account, price, -one, fee)
    then = Account(account.balance - first.amount, account.claims - price * one)
    assert first.total + market.quote(then, price, -other, fee).total <= whole.total
    assert 0 <= whole.total <= account.balance


@given(st.data(), PRICES, SHARES)
def test_who_sells_first_takes_nothing_from_the_others(data: st.DataObject, price: int, shares: int) -> None:
    account = data.draw(accounts(price * shares))
    sold = market.quote(account, price, -shares, 0)
    after = Account(account.balance - sold.amount, account.claims - price * shares)
    assert after.cover >= account.cover


@given(accounts(), PRICES, st.integers(0, 10**6), FEES)
def test_what_one_can_afford_is_the_most_one_can_pay(account: Account, price: int, cash: int, fee: int) -> None:
    most = market.affordable(account, price, cash, fee)
    assert 0 <= most <= MOST_SHARES
    assert most == 0 or market.quote(account, price, most, fee).total <= cash
    assert most == MOST_SHARES or market.quote(account, price, most + 1, fee).total > cash


@given(
    st.integers(0, 10**6),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), SHARES), max_size=20, unique_by=lambda one: one[:2]),
    st.lists(PRICES, min_size=10, max_size=10),
    st.sets(st.integers(0, 9)),
)
def test_an_hour_pays_no_more_than_there_is_and_leaves_the_rest_covered_as_before(
    balance: int, holdings: list[tuple[int, int, int]], prices: list[int], ended: set[int]
) -> None:
    dividends = tuple(price // 100 for price in prices)
    hour = Hour(WEEK, tuple(prices), dividends, {company: prices[company] for company in ended})
    paid = market.payments(balance, holdings, hour)
    total = sum(paid.dividends.values()) + sum(sale.amount for _, _, sale in paid.ended)
    assert total <= balance
    assert {(user, company, -sale.shares) for user, company, sale in paid.ended} == {
        one for one in holdings if one[1] in ended
    }
    before = Account(balance, sum(shares * (prices[company] + dividends[company]) for _, company, shares in holdings))
    left = sum(shares * prices[company] for _, company, shares in holdings if company not in ended)
    assert Account(balance - total, left).cover >= before.cover


@pytest.mark.parametrize("reserve", [0, 10_000])
def test_against_traders_of_all_kinds_the_exchange_is_solvent_and_no_cube_is_made_or_lost(reserve: int) -> None:
    """`python -m benchmarks.exchange` plays 10,000 weeks; these are fewer, as each takes some milliseconds."""
    found = simulate(60, reserve, seed=3, secret="s3")
    assert found.house > 0
    assert sum(found.gained.values()) + found.house + found.left == reserve
    assert (found.least_cover < 1000) == (reserve == 0), "without a reserve not all prices can be paid in full"


# --- the chart --------------------------------------------------------------------------------------------------------


def test_a_chart_goes_from_the_oldest_price_to_the_newest() -> None:
    assert chart([100_00, 160_00, 200_00, 125_00], 2, money) == ["    200.00 │  █", "    100.00 │▄██▄"]


@given(st.lists(PRICES, min_size=1, max_size=800), st.integers(1, 60))
def test_a_chart_has_a_column_for_every_part_of_the_time(prices: list[int], width: int) -> None:
    columns = in_columns(prices, width)
    assert len(columns) == width
    assert columns[-1] == prices[-1]
    assert [prices.index(price) for price in columns if prices.count(price) == 1] == sorted(
        prices.index(price) for price in columns if prices.count(price) == 1
    )


def test_prices_are_read_with_two_digits() -> None:
    assert [money(price) for price in (1000, 10437, 99_905)] == ["10.00", "104.37", "999.05"]
