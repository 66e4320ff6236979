"""The exchange against traders, week after week, without a process: does it ever owe more than it has?

    python -m benchmarks.exchange               # 10,000 weeks, about a minute
    python -m benchmarks.exchange --weeks 500

Traders follow fixed strategies; who has lost all begins anew with fresh CUBES. After every hour and every order it is
checked that no CUBE was made or lost, and that all shares could be sold. Printed is what each strategy gained.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from yawc_poker.extras.exchange import market
from yawc_poker.extras.exchange.market import COMPANIES, DAY, DAYS, MOST_SHARES, START, WEEK, Account

RESERVE = 10_000
PURSE = 1_000
"""CUBES of a trader at the beginning."""
BROKE = 20
"""A trader who owns less, without shares, begins anew."""
EVERY = 12
"""Hours between two looks of a trader."""
FEE = 10


class Trader:
    """One who trades by a strategy."""

    def __init__(self, name: str, wish: "Wish") -> None:
        self.name = name
        self.wish = wish
        self.cash = PURSE
        self.brought = PURSE
        """CUBES that came in from outside."""
        self.held = [0] * len(COMPANIES)


Wish = Callable[[Sequence[int], Sequence[int], Random], Sequence[int]]
"""What a strategy wants of each company, by the prices now and a day ago: 1 buy all it can, -1 sell all, 0 nothing."""


def low(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Buy what is cheap, sell what is dear."""
    return [1 if price < START * 3 // 4 else -1 if price > START else 0 for price in prices]


def high(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Buy the dearest, and sell when it has fallen."""
    dearest = max(prices)
    return [1 if price == dearest else -1 if price < START else 0 for price in prices]


def momentum(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Buy what rises, sell what falls."""
    return [1 if now > before else -1 for now, before in zip(prices, earlier, strict=True)]


def contrary(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Buy what falls, sell what rises."""
    return [-1 if now > before else 1 for now, before in zip(prices, earlier, strict=True)]


def wild(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Hold the companies whose prices move furthest, for ever."""
    return [1 if company.swing > 12 else 0 for company in COMPANIES]


def chance(prices: Sequence[int], earlier: Sequence[int], rng: Random) -> Sequence[int]:
    """Buy and sell at random."""
    return [rng.randint(-1, 1) for _ in prices]


STRATEGIES: dict[str, Wish] = {
    "low": low, "high": high, "momentum": momentum, "contrary": contrary, "wild": wild, "chance": chance
}  # fmt: skip


class Result(NamedTuple):
    """What came of it."""

    weeks: int
    gained: dict[str, int]
    """By strategy: all that they own in the end, without what they brought."""
    house: int
    left: int
    """What the exchange would hold if all sold their shares."""
    ended: int
    """Companies that ended."""
    least_cover: int
    """The smallest part of a price that was ever paid, in thousandths."""


class World:
    """The exchange, the house and the traders; `check` is an assertion."""

    def __init__(self, reserve: int, seed: int) -> None:
        self.rng = Random(seed)
        self.traders = [Trader(name, wish) for name, wish in STRATEGIES.items()]
        self.balance, self.house, self.reserve = reserve, 0, reserve
        self.prices: tuple[int, ...] = (START,) * len(COMPANIES)
        self.ended, self.least_cover = 0, 1000

    @property
    def account(self) -> Account:
        """The exchange's account now."""
        shares = [sum(column) for column in zip(*(one.held for one in self.traders), strict=True)]
        return Account(self.balance, sum([n * p for n, p in zip(shares, self.prices, strict=True)]))

    def check(self) -> None:
        """Assert that no CUBE was made or lost, and that all shares could be sold."""
        account = self.account
        self.least_cover = min(self.least_cover, account.cover)
        owed = sum(
            account.brings(shares * price)
            for one in self.traders
            for shares, price in zip(one.held, self.prices, strict=True)
        )
        assert 0 <= owed <= self.balance, (owed, self.balance)
        brought = self.reserve + sum(one.brought for one in self.traders)
        assert self.balance + self.house + sum(one.cash for one in self.traders) == brought

    def hour(self, number: int, seed: str) -> None:
        """Let an hour pass."""
        hour = market.walked(self.prices, number, seed)
        self.prices = hour.prices
        if not any(hour.dividends) and not hour.ended:
            return
        holdings = [
            (user, company, shares)
            for user, one in enumerate(self.traders)
            for company, shares in enumerate(one.held)
            if shares
        ]
        due = market.payments(self.balance, holdings, hour)
        self.ended += len(hour.ended)
        for user, cubes in due.dividends.items():
            self.traders[user].cash += cubes
            self.balance -= cubes
        for user, company, sale in due.ended:
            self.traders[user].held[company] += sale.shares
            self.traders[user].cash += sale.total
            self.balance -= sale.amount

    def trade(self, one: Trader, earlier: Sequence[int]) -> None:
        """Let a trader do what the strategy wants."""
        if one.cash < BROKE and not any(one.held):
            one.cash += PURSE
            one.brought += PURSE
        for company, wish in enumerate(one.wish(self.prices, earlier, self.rng)):
            if wish < 0 and one.held[company]:
                self._order(one, company, -one.held[company])
            elif wish > 0:
                room = MOST_SHARES - one.held[company]
                can = market.affordable(self.account, self.prices[company], one.cash, FEE)
                self._order(one, company, min(room, can))

    def _order(self, one: Trader, company: int, shares: int) -> None:
        if not shares:
            return
        quote = market.quote(self.account, self.prices[company], shares, FEE)
        bought = shares > 0
        one.cash += -quote.total if bought else quote.total
        self.balance += quote.amount if bought else -quote.amount
        self.house += quote.fee
        one.held[company] += shares
        assert one.cash >= 0
        self.check()


def simulate(weeks: int, reserve: int = RESERVE, seed: int = 1, secret: str = "") -> Result:
    """Let weeks pass; raise `AssertionError` as soon as the exchange could not pay."""
    world = World(reserve, seed)
    seeds = market.seeds(secret, 0, min(DAYS, 7 * weeks) - 1)
    earlier = world.prices
    for number in range(1, weeks * WEEK + 1):
        day = market.day_of(number)
        if number % DAY == 1:
            earlier = world.prices
        world.hour(number, seeds.get(day) or market.hashed(f"{secret} {day}"))
        if number % EVERY == 0:
            world.check()
            for one in world.traders:
                world.trade(one, earlier)
    account, left = world.account, world.balance
    gained = {}
    for one in world.traders:
        worth = sum(account.brings(n * price) for n, price in zip(one.held, world.prices, strict=True))
        gained[one.name] = one.cash + worth - one.brought
        left -= worth
    return Result(weeks, gained, world.house, left, world.ended, world.least_cover)


def main() -> int:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=int, default=10_000)
    parser.add_argument("--reserve", type=int, default=RESERVE)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found = simulate(chosen.weeks, chosen.reserve, chosen.seed, f"secret {chosen.seed}")
    print(f"{found.weeks} weeks: always solvent, no CUBE made or lost")
    for name, cubes in found.gained.items():
        print(f"  {name:<10}{cubes:>10} CUBES")
    print(f"  {'house':<10}{found.house:>10} CUBES of fees")
    print(f"  {'exchange':<10}{found.left - chosen.reserve:>10} CUBES beside its reserve of {chosen.reserve}")
    print(f"  {found.ended} companies ended; at the worst {found.least_cover / 10}% of a price was paid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
