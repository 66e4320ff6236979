"""The exchange in the bank's books: prices, trades, dividends; inside a transaction that `Exchange` has opened.

Owns the keys of these movements. Never decides when, nor by which chance (`market`). Keys:

* `exchange:founding`: the house gives the exchange its reserve, once. Nothing else ever brings in new CUBES.
* `shares:USER:ORDER`: a user buys or sells. `shares:ended:HOUR:COMPANY:USER`: a company ended, and pays a holder.
  `shares:closed:USER:COMPANY`: the account was closed.
* `dividend:HOUR`: one transaction for all who hold shares.

A transaction that changes prices or shares keeps the exchange for itself first (`hold`): hours are made up once, and an
order is booked at the prices and against the account that it was reckoned by.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from yawc_poker.casino.bank import ledger
from yawc_poker.casino.store.connection import Connection, Engine
from yawc_poker.engine.house import is_house
from yawc_poker.extras.exchange import market
from yawc_poker.extras.exchange.market import Account, Hour, Quote

FOUNDING = "exchange:founding"
AHEAD: Final = 86400.0
"""Seconds by which the latest hour may lie ahead of the clock; further ahead, a clock was wrong when it was noted."""
LONGEST: Final = 31 * 86400.0
"""Seconds that are made up; a longer time without a look, or a clock that is wrong, counts as one hour."""
MOST_HOURS: Final[dict[Engine, int]] = {"sqlite": 5000, "postgresql": 1000}
"""Hours that one transaction makes up at most, in about a tenth of a second."""
_decode = msgspec.json.Decoder(tuple[int, ...]).decode


_HOLDERS = f"""
SELECT id FROM account WHERE {ledger.PLAYERS} AND ref IN (SELECT user FROM holding WHERE shares > 0) ORDER BY id DESC
"""


class Latest(NamedTuple):
    """The hour whose prices hold."""

    number: int
    began: float
    """Epoch seconds."""
    prices: tuple[int, ...]


def hold(books: Connection) -> None:
    """Wait until no other transaction changes prices or shares; from then on only this one does, until it ends."""
    if books.for_update:
        books.execute(f"SELECT id FROM market{books.for_update}")


def latest(books: Connection) -> Latest | None:
    """Return the hour whose prices hold; None: the exchange was never opened."""
    found = books.execute("SELECT number, began, prices FROM hour ORDER BY number DESC LIMIT 1").fetchone()
    return None if found is None else Latest(found[0], found[1], _decode(found[2]))


def before(books: Connection, number: int) -> tuple[int, ...]:
    """Return the prices of an hour, or of the first one if there is none of this number."""
    query = "SELECT prices FROM hour WHERE number = ?"
    return _decode(books.execute(query, (max(number, 0),)).fetchone()[0])


def prices(books: Connection, first: int, last: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return these hours with their prices by company, and those between."""
    query = "SELECT number, prices FROM hour WHERE number BETWEEN ? AND ? ORDER BY number"
    return tuple([(int(number), _decode(text)) for number, text in books.execute(query, (first, last))])


def seed(books: Connection, day: int) -> str:
    """Return the seed of a day that has begun, or of the day before the first."""
    return str(books.execute("SELECT seed FROM seed WHERE day = ?", (day,)).fetchone()[0])


def course(books: Connection, company: int, hours: int) -> list[int]:
    """Return a company's prices of the last hours, oldest first."""
    query = "SELECT prices FROM hour ORDER BY number DESC LIMIT ?"
    return [_decode(row[0])[company] for row in books.execute(query, (hours,))][::-1]


# --- time -------------------------------------------------------------------------------------------------------------


def found(books: Connection, now: float, seconds: float, reserve: int, secret: str) -> None:
    """Open the exchange with its first prices; `seconds` is the length of an hour, `secret` the last day's seed."""
    if latest(books) is not None:
        return
    founding = "INSERT INTO market VALUES (1, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
    if books.execute(founding, (secret, now)).fetchone() is None:
        return  # another transaction has just opened it
    _note_seeds(books, secret, market.ANCHOR_DAY, market.ANCHOR_DAY)
    _note_hours(books, [(0, now // seconds * seconds, [market.START] * len(market.COMPANIES))])
    if reserve:
        ledger.hold_house(books)
        made = max(0, reserve - ledger.balance(books, "house", 0))
        legs = {ledger.account_id(books, "house"): made - reserve, ledger.account_id(books, "mint"): -made}
        ledger.post(books, now, FOUNDING, None, legs | {ledger.account_id(books, "exchange"): reserve})


def is_astray(last: Latest, now: float) -> bool:
    """Return whether the latest hour began at a moment from which no hours are counted to this one."""
    return not -AHEAD <= now - last.began <= LONGEST


def due(last: Latest, now: float, seconds: float) -> float:
    """Return when the next hour of so many seconds begins, in epoch seconds; now, if the clock was wrong or is."""
    return now if is_astray(last, now) else (last.began // seconds + 1) * seconds


def left_out(last: Latest, now: float, seconds: float) -> int:
    """Return how many hours of so many seconds are not made up, since the clock was wrong or is; the next one counts.

    None where the clock was ahead.
    """
    if not is_astray(last, now):
        return 0
    begun = int(now // seconds) - int(last.began // seconds) - 1
    return max(0, min(begun, market.DAYS * market.DAY - last.number - 1))


def missed(last: Latest, now: float, seconds: float) -> int:
    """Return how many hours of so many seconds have begun since the latest one; none if the clock went back a little.

    One, which begins now, if the clock was wrong or is: by that the exchange goes on from here.
    """
    begun = 1 if is_astray(last, now) else int(now // seconds) - int(last.began // seconds)
    return max(0, min(begun, market.DAYS * market.DAY - last.number))


def make_up(books: Connection, now: float, seconds: float) -> None:
    """Let the prices walk through the hours that have begun, and pay what they bring.

    One call makes up `MOST_HOURS` at most.
    """
    hold(books)
    last = latest(books)
    if last is None or not (hours := min(missed(last, now, seconds), MOST_HOURS[books.engine])):
        return
    first = int(now // seconds) - 1 if is_astray(last, now) else int(last.began // seconds)
    _walk(books, now, last, [(first + step) * seconds for step in range(1, hours + 1)])


def add(books: Connection, now: float, hours: int) -> int:
    """Let the prices walk through hours that the latest one left out; return how many: `MOST_HOURS` a call at most.

    They begin when the latest one began, so that the next one is due when it was due before.
    """
    hold(books)
    last = latest(books)
    if last is None:
        return 0
    many = max(0, min(hours, MOST_HOURS[books.engine], market.DAYS * market.DAY - last.number))
    _walk(books, now, last, [last.began] * many)
    return many


def _walk(books: Connection, now: float, last: Latest, begins: Sequence[float]) -> None:
    """Let the prices walk through the next hours, which begin at these moments, and pay what they bring."""
    if not begins:
        return
    seeds, prices = _seeds(books, market.day_of(last.number + 1), market.day_of(last.number + len(begins))), last.prices
    walked: list[tuple[int, float, object]] = []
    for number, began in enumerate(begins, last.number + 1):
        hour = market.walked(prices, number, seeds[market.day_of(number)])
        walked.append((number, began, hour.prices))
        if any(hour.dividends) or hour.ended:
            _note_hours(books, walked)
            walked.clear()
            _pay(books, now, hour)
        prices = hour.prices
    _note_hours(books, walked)


def _note_hours(books: Connection, hours: Sequence[tuple[int, float, object]]) -> None:
    """Note hours by number, beginning and prices; together, as a database on another machine takes its time."""
    rows = [(number, began, msgspec.json.encode(prices).decode()) for number, began, prices in hours]
    books.executemany("INSERT INTO hour VALUES (?, ?, ?)", rows)


def _seeds(books: Connection, first: int, last: int) -> dict[int, str]:
    """Return the seeds of these days, and of those between; those that are not noted yet are."""
    query = "SELECT day, seed FROM seed WHERE day BETWEEN ? AND ?"
    known: dict[int, str] = dict(books.execute(query, (first, last)).fetchall())
    if (start := max(known, default=first - 1) + 1) <= last:
        secret = str(books.execute("SELECT secret FROM market").fetchone()[0])
        known |= _note_seeds(books, secret, start, last)
    return known


def _note_seeds(books: Connection, secret: str, first: int, last: int) -> dict[int, str]:
    found = market.seeds(secret, first, last)
    books.executemany("INSERT INTO seed VALUES (?, ?)", sorted(found.items()))
    return found


# --- shares -----------------------------------------------------------------------------------------------------------


def held(books: Connection, user: int) -> dict[int, int]:
    """Return a user's shares, by company."""
    rows = books.execute("SELECT company, shares FROM holding WHERE user = ? AND shares > 0", (user,))
    return {int(company): int(shares) for company, shares in rows}


def account(books: Connection, last: Latest) -> Account:
    """Return the exchange's account against all shares that are held, at the prices that hold."""
    rows = books.execute("SELECT company, sum(shares) FROM holding GROUP BY company")
    claims = sum(int(shares) * last.prices[company] for company, shares in rows)
    return Account(ledger.balance(books, "exchange", 0), claims)


def worth(books: Connection, user: int) -> int:
    """Return the CUBES that a user's shares would bring now, before any fee."""
    last, shares = latest(books), held(books, user)
    if last is None or not shares:
        return 0
    counted = account(books, last)
    return sum(counted.brings(last.prices[company] * number) for company, number in shares.items())


def trade(books: Connection, now: float, key: str, user: int, company: int, quote: Quote, hour: int) -> None:
    """Move CUBES and shares between a user and the exchange, and the fee to the house. Raise `NotEnough`."""
    if is_house(user):
        raise ValueError(f"{key}: house players own no shares")
    bought = quote.shares > 0
    legs = {
        ledger.purse(books, user): -quote.total if bought else quote.total,
        ledger.account_id(books, "exchange"): quote.amount if bought else -quote.amount,
        ledger.account_id(books, "house"): quote.fee,
    }
    if ledger.post(books, now, key, None, legs):
        number = books.execute("SELECT id FROM txn WHERE key = ?", (key,)).fetchone()[0]
        books.execute("INSERT INTO trade VALUES (?, ?, ?, ?, ?)", (number, user, company, quote.shares, hour))


def close_out(books: Connection, now: float, user: int) -> None:
    """Sell all that a user holds, without a fee: the account was closed, and its CUBES go to the house."""
    hold(books)
    last = latest(books)
    for company, shares in sorted(held(books, user).items()):
        assert last is not None, "shares without a price"
        quote = market.quote(account(books, last), last.prices[company], -shares, 0)
        trade(books, now, f"shares:closed:{user}:{company}", user, company, quote, last.number)


# --- what an hour brings ----------------------------------------------------------------------------------------------


def _pay(books: Connection, now: float, hour: Hour) -> None:
    """Pay the dividends of an hour, then the shares of the companies that ended."""
    query = "SELECT user, company, shares FROM holding WHERE shares > 0 ORDER BY user, company"
    holdings = [(int(user), int(company), int(shares)) for user, company, shares in books.execute(query)]
    if books.for_update:  # all at once: each of the transactions below keeps only some of them
        books.execute(_HOLDERS + books.for_update)
    due = market.payments(ledger.balance(books, "exchange", 0), holdings, hour)
    if due.dividends:
        legs = {ledger.purse(books, user): cubes for user, cubes in due.dividends.items()}
        legs[ledger.account_id(books, "exchange")] = -sum(due.dividends.values())
        ledger.post(books, now, f"dividend:{hour.number}", None, legs)
    for user, company, sale in due.ended:
        trade(books, now, f"shares:ended:{hour.number}:{company}:{user}", user, company, sale, hour.number)
