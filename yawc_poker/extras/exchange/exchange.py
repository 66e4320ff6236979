"""The exchange: share prices up to the hour, orders, dividends.

Owns the transactions on the bank's books for all that, under the bank's lock; the rows are `rows`', the arithmetic is
`market`'s. Invariants, beside those of `market`:

* A method is one transaction: it happens as a whole, or raises and has changed nothing. Hours that nobody was there for
  come before it, in transactions of their own.
* Whichever process first needs a price makes up the hours that have begun. What they bring follows from the secret and
  the holdings, so it does not matter who does it, when, or how often it was tried.
* Every movement has a key that is used once.

Every method may raise `BankUnavailable`.
"""

import logging
import math
import random
import time
from typing import NamedTuple

from yawc_poker.casino.bank import ledger, wagers
from yawc_poker.casino.bank.ledger import BankError, BankUnavailable
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import Clock, Connection, Store, StoreError
from yawc_poker.extras.exchange import market, rows
from yawc_poker.extras.exchange.market import Account, Quote
from yawc_poker.extras.exchange.rows import Latest
from yawc_poker.extras.exchange.settings import ExchangeSettings

DAY_SECONDS = 86400.0

log = logging.getLogger(__name__)


class PriceChanged(BankError):
    """The order would cost or bring another amount than was said; nothing was done."""

    def __init__(self, quote: Quote) -> None:
        super().__init__(f"the order comes to {quote.total} CUBES now")
        self.quote = quote


class Refused(BankError):
    """Nobody may hold so many shares, or the user has not so many to sell; nothing was done."""


class Board(NamedTuple):
    """The prices, and what a user has."""

    latest: Latest
    earlier: tuple[int, ...]
    """The prices a day before, or at the founding."""
    account: Account
    held: dict[int, int]
    """The user's shares, by company."""
    cash: int
    """The user's CUBES."""

    def worth(self, company: int) -> int:
        """Return the CUBES that the user's shares of a company would bring, before the fee."""
        return self.account.brings(self.latest.prices[company] * self.held.get(company, 0))


class Day(NamedTuple):
    """A day that is over, as everybody can check it."""

    number: int
    seal: str
    seed: str
    prices: tuple[tuple[int, tuple[int, ...]], ...]
    """Hours, and their prices in hundredths by company; first the last hour before the day."""


class Exchange:
    """The exchange of one data directory."""

    def __init__(self, store: Store, settings: ExchangeSettings, clock: Clock = time.time) -> None:
        """`store` is the bank's."""
        self._store = store
        self._settings = settings
        self._clock = clock

    # --- prices ------------------------------------------------------------------------------------------------------

    def catch_up(self) -> float:
        """Bring the prices up to the hour and pay what fell due; return when the next one begins, as `_due`."""
        while (due := self._due()) <= self._clock():
            with self._store.writing() as books:
                self._warn(books)
                rows.make_up(books, self._clock(), self._settings.hour_seconds)
        return due

    def _due(self) -> float:
        """Return when the next hour begins, in epoch seconds; infinite: the exchange was not opened, or has ended."""
        with self._store.reading() as books:
            last = rows.latest(books)
        if last is None or last.number >= market.DAYS * market.DAY:
            return math.inf
        return rows.due(last, self._clock(), self._settings.hour_seconds)

    def _warn(self, books: Connection) -> None:
        """Log that time is not made up, as the clock was wrong, is, or nobody has looked for so long."""
        last, now = rows.latest(books), self._clock()
        if last is None or not rows.is_astray(last, now):
            return
        days, hours = (now - last.began) / DAY_SECONDS, rows.left_out(last, now, self._settings.hour_seconds)
        log.warning("share prices: the latest is %.0f days old by the clock; they go on from now", days)
        if hours:
            log.warning("share prices: left out, unless a sysop does yawcctl exchange --make-up %d", hours)

    def make_up(self, hours: int) -> tuple[int, int | None]:
        """Let the prices walk through hours that were left out, because they were more than a month.

        Return how many, and the number of the latest hour now; None: the exchange was never opened. What a failure
        interrupts has been done in part: the latest hour tells how far.
        """
        self.catch_up()
        done = 0
        while done < hours:
            with self._store.writing() as books:
                more = rows.add(books, self._clock(), hours - done)
            if not more:
                break
            done += more
        with self._store.reading() as books:
            last = rows.latest(books)
        return done, None if last is None else last.number

    def board(self, user: int) -> Board:
        """Return the prices that hold now; the first look ever opens the exchange."""
        self._open()
        self.catch_up()
        with self._store.reading() as books:
            last = _need(books)
            earlier = rows.before(books, last.number - market.DAY)
            held, cash = rows.held(books, user), ledger.owned(books, user)
            return Board(last, earlier, rows.account(books, last), held, cash)

    def _open(self) -> None:
        with self._store.reading() as books:
            if rows.latest(books) is not None:
                return
        secret = f"{random.SystemRandom().getrandbits(256):064x}"
        with self._store.writing() as books:
            rows.found(books, self._clock(), self._settings.hour_seconds, self._settings.reserve, secret)

    def course(self, company: int, hours: int) -> list[int]:
        """Return a company's prices of the last hours, in hundredths, oldest first."""
        with self._store.reading() as books:
            return rows.course(books, company, hours)

    # --- what is sealed ----------------------------------------------------------------------------------------------

    def sealed(self) -> tuple[int, str]:
        """Return the day whose prices are sealed at the moment, and the seal. The exchange must have been opened."""
        with self._store.reading() as books:
            day = market.day_of(_need(books).number + 1)
            return day, rows.seed(books, day - 1)

    def day(self, number: int) -> Day | None:
        """Return a day that is over; None: it is not, or never was."""
        with self._store.reading() as books:
            last = rows.latest(books)
            if last is None or not 0 <= number < market.day_of(last.number + 1):
                return None
            seal, seed = rows.seed(books, number - 1), rows.seed(books, number)
            return Day(number, seal, seed, rows.prices(books, number * market.DAY, (number + 1) * market.DAY))

    # --- orders ------------------------------------------------------------------------------------------------------

    def quote(self, user: int, company: int, shares: int) -> Quote:
        """Return what an order costs now, or brings if `shares` is below zero. Raise `Refused`."""
        self.catch_up()
        with self._store.reading() as books:
            return self._quote(books, user, company, shares)

    def order(self, user: int, order: str, company: int, quote: Quote) -> None:
        """Buy or sell at a quote. Raise `PriceChanged` if it is another now, `NotEnough`, `StillPlaying`, `Refused`.

        `order` names it among all of the user's: the same one again does nothing. If the commit fails, the books are
        asked whether the order was booked; if so, it counts.
        """
        key = f"shares:{user}:{order}"
        try:
            self.catch_up()
            with self._store.writing() as books:
                rows.hold(books)
                if ledger.posted(books, key) is not None:
                    return
                if quote.shares > 0:
                    wagers.need_no_game(books, user)
                now = self._quote(books, user, company, quote.shares)
                if now != quote:
                    raise PriceChanged(now)
                rows.trade(books, self._clock(), key, user, company, quote, _need(books).number)
        except BankUnavailable as error:
            if not error.maybe_done:
                raise
            try:
                with self._store.checking() as books:
                    rows.hold(books)
                    booked = ledger.posted(books, key) is not None
            except StoreError:
                raise error from None
            if not booked:
                error.maybe_done = False
                raise

    def _quote(self, books: Connection, user: int, company: int, shares: int) -> Quote:
        last = _need(books)
        if not shares or not 0 <= rows.held(books, user).get(company, 0) + shares <= market.MOST_SHARES:
            raise Refused(f"user {user} cannot trade {shares} shares")
        return market.quote(rows.account(books, last), last.prices[company], shares, self._settings.fee_per_mille)

    def limits(self, board: Board, company: int) -> tuple[int, int]:
        """Return how many shares of a company a user can buy, and how many they can sell."""
        held = board.held.get(company, 0)
        price, fee = board.latest.prices[company], self._settings.fee_per_mille
        return min(market.MOST_SHARES - held, market.affordable(board.account, price, board.cash, fee)), held


def exchange_of(instance: Instance) -> Exchange:
    """Return the exchange of a running BBS, for this process."""
    return Exchange(instance.bank.store, instance.config.of(ExchangeSettings), instance.here.now)


def _need(books: Connection) -> Latest:
    """Return the latest hour of an exchange that was opened."""
    last = rows.latest(books)
    if last is None:
        raise Refused("the exchange was never opened")
    return last
