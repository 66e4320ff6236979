"""The proof of the share prices: every seed is sealed by the one before, and every price follows from the seeds.

Only looks, at an open connection of the bank's books. The seed of a day that is not over is looked at, and not told.
"""

from collections.abc import Iterator

from yawc_poker.casino.bank.verify import Check, Proof
from yawc_poker.casino.store.connection import Connection
from yawc_poker.extras.exchange import market, rows
from yawc_poker.extras.exchange.market import ANCHOR_DAY, COMPANIES, START


def checks(books: Connection) -> list[Check]:
    """Return what was found; nothing if the exchange was never opened."""
    last = rows.latest(books)
    if last is None:
        return []
    query = "SELECT day, seed FROM seed ORDER BY day"
    seeds = {int(day): str(seed) for day, seed in books.execute(query)}
    prices = dict(rows.prices(books, 0, last.number))
    wrong_seeds, wrong_hours = list(_wrong_seeds(books, seeds)), list(_wrong_hours(seeds, prices, last.number))
    days = market.day_of(last.number) + 1
    return [
        Check("seal", not wrong_seeds, f"the seal of the founding and {days} days: {_told('day', wrong_seeds)}"),
        Check("prices", not wrong_hours, f"the prices of {last.number} hours: {_told('hour', wrong_hours)}"),
    ]


def _told(what: str, wrong: list[int]) -> str:
    return f"{what} {wrong[0]} is the first wrong one of {len(wrong)}" if wrong else "right"


def _wrong_seeds(books: Connection, seeds: dict[int, str]) -> Iterator[int]:
    """Yield the days whose seed the one before does not seal, and the newest one if it is not the secret's."""
    newest = max(seeds)
    for day in range(ANCHOR_DAY + 1, newest + 1):
        if market.hashed(seeds.get(day, "")) != seeds.get(day - 1):
            yield day
    secret = str(books.execute("SELECT secret FROM market").fetchone()[0])
    if market.seeds(secret, newest, newest)[newest] != seeds[newest]:
        yield newest


def _wrong_hours(seeds: dict[int, str], prices: dict[int, tuple[int, ...]], last: int) -> Iterator[int]:
    if prices.get(0) != (START,) * len(COMPANIES):
        yield 0
    for number in range(1, last + 1):
        before = prices.get(number - 1)
        seed = seeds.get(market.day_of(number), "")
        if before is None or market.walked(before, number, seed).prices != prices.get(number):
            yield number


ANNOUNCED = (
    Proof("shares", "repeat all prices of the exchange", "The prices", "The exchange was never opened.", checks),
)
