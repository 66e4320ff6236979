"""The walk of the share prices, and what shares cost and bring. Pure; integers only.

Owns the ten companies, the chance that moves their prices (docs/fairness.md has it for those who check), and the rule
that keeps the exchange solvent. A *price* is in hundredths of a CUBE. Invariants:

* All prices follow from one secret. The seed of a day is the hash of the next day's, so the first hash, told when the
  exchange is founded, seals all days there will ever be, also those that nobody was there to see.
* On the average a price moves neither up nor down: each move up is as likely as the same move down, a dividend is taken
  from the price, and a company that ends pays its price. So no way of buying and selling gains in the long run.
* What all shares together bring is never more than the account holds (`Account`), whatever the prices are.
* Rounding favours the exchange. An order in parts costs no less, and brings no more, than the same order at once.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from yawc_poker.words import mark

DAY: Final = 24
"""Hours whose moves follow from one seed."""
WEEK: Final = 7 * DAY
"""Hours from one dividend to the next."""
DAYS: Final = 36500
"""Days that have a seed. Afterwards the prices rest."""
ANCHOR_DAY: Final = -1
"""The day before the first one: its seed is the seal of day 0, and is never secret."""
CENTS: Final = 100
"""Units of a price in a CUBE."""
START: Final = 100 * CENTS
LOWEST: Final = 10 * CENTS
HIGHEST: Final = 1000 * CENTS
"""A company whose price leaves these bounds ends: its shares are paid, and it begins anew at `START`."""
MOST_SHARES: Final = 1000
"""Shares of one company that one user may own."""

_DIGITS: Final = 4
_TOP: Final = 16**_DIGITS - 1
_DIVIDENDS_AT: Final = 40
_DIVIDEND: Final = 255 * 100
"""Two hex digits divided by this are the part of the price that is paid: a hundredth at most."""


class Company(NamedTuple):
    """A company; its place in `COMPANIES` is its number."""

    key: str
    """The key of the menu."""
    name: str
    about: str
    swing: int
    """The furthest that its price moves in an hour, in thousandths."""


COMPANIES: Final = (
    Company("A", "Acoustic Coupler Works", mark("Rubber cups for every handset. Old, solid, slow."), 5),
    Company("B", "Baud & Sons, Modems", mark("From 300 to 28,800, and no further, says the father."), 9),
    Company("C", "Carrier Lost Airlines", mark("Every flight arrives, unless the line drops."), 18),
    Company("D", "Diskette Dairy", mark("Milk in flat square bottles. Keep away from magnets."), 4),
    Company("E", "Echomail Post", mark("Letters go round the world at night, when calls are cheap."), 6),
    Company("F", "Floppy Furniture", mark("Chairs that bend. Not everybody's taste."), 11),
    Company("G", "Gateway Inn", mark("Beds for travellers between the networks."), 7),
    Company("H", "Handshake Insurance", mark("Insures connections, and tests yours first."), 8),
    Company("I", "Icon Bakery", mark("Small cakes, sixteen colours."), 13),
    Company("J", "Joystick Toys", mark("Up today, down tomorrow, fire at any time."), 24),
)


# --- the walk ---------------------------------------------------------------------------------------------------------


class Hour(NamedTuple):
    """What an hour brought."""

    number: int
    """From 1; hour 0 has the prices at the founding."""
    prices: tuple[int, ...]
    """Afterwards, by company."""
    dividends: tuple[int, ...]
    """For a share of each company, in hundredths; it is taken from the price. Zeros but at the end of a week."""
    ended: Mapping[int, int]
    """The prices at which companies ended, by their numbers. They begin anew at once."""


def hashed(text: str) -> str:
    """Return the SHA-256 of a text, in hex digits."""
    return sha256(text.encode()).hexdigest()


def day_of(hour: int) -> int:
    """Return the day by whose seed an hour's prices move; days are numbered from 0."""
    return (hour - 1) // DAY


def seeds(secret: str, first: int, last: int) -> dict[int, str]:
    """Return the seeds of these days and of those between: `secret` is the last day's, each is the next one's hash."""
    found, seed = {}, secret
    for day in range(DAYS - 1, first - 1, -1):
        if day <= last:
            found[day] = seed
        seed = hashed(seed)
    return found


def walked(prices: Sequence[int], number: int, seed: str) -> Hour:
    """Return the hour of this number, after these prices, by the seed of its day."""
    digest, ended = hashed(f"{seed} {number}"), {}
    after, dividends = [0] * len(COMPANIES), [0] * len(COMPANIES)
    for place, (company, before) in enumerate(zip(COMPANIES, prices, strict=True)):
        way = 2 * int(digest[_DIGITS * place : _DIGITS * (place + 1)], 16) - _TOP
        move = before * company.swing * abs(way) // (1000 * _TOP)
        price = before + move if way > 0 else before - move
        if number % WEEK == 0:
            at = _DIVIDENDS_AT + 2 * place
            dividends[place] = price * int(digest[at : at + 2], 16) // _DIVIDEND
            price -= dividends[place]
        if not LOWEST <= price <= HIGHEST:
            ended[place], price = price, START
        after[place] = price
    return Hour(number, tuple(after), tuple(dividends), ended)


# --- what shares cost and bring ---------------------------------------------------------------------------------------


class Account(NamedTuple):
    """The exchange's account against what all shares are worth: the rule by which it stays solvent.

    Where it holds less than all shares are worth, every share counts for the same part of its price, for buyers and
    sellers alike. So no sale leaves less for the others than they had, and nobody need be the first to sell.
    """

    balance: int
    """CUBES."""
    claims: int
    """The prices of all shares that are held, in hundredths of a CUBE."""

    @property
    def is_covered(self) -> bool:
        """Whether all prices could be paid in full."""
        return self.claims <= CENTS * self.balance

    @property
    def cover(self) -> int:
        """The part of a price that is paid, in thousandths."""
        return 1000 if self.is_covered else 1000 * CENTS * self.balance // self.claims

    def brings(self, value: int) -> int:
        """Return the CUBES that shares of this value, in hundredths and among the claims, bring; rounded down."""
        return value // CENTS if self.is_covered else value * self.balance // self.claims

    def costs(self, value: int) -> int:
        """Return the CUBES that shares of this value, in hundredths, cost; rounded up, and at least 1."""
        return max(1, -(-value // CENTS) if self.is_covered else -(-value * self.balance // self.claims))


class Quote(NamedTuple):
    """What an order costs or brings, in CUBES."""

    shares: int
    """Bought; below zero: sold."""
    amount: int
    """That the exchange's account gets or pays."""
    fee: int
    """That the house gets of the user; of a sale at most what it brings."""

    @property
    def total(self) -> int:
        """What the user pays or gets."""
        return self.amount + self.fee if self.shares > 0 else self.amount - self.fee


def quote(account: Account, price: int, shares: int, fee_per_mille: int) -> Quote:
    """Return what an order costs, or brings if `shares` is below zero."""
    value = price * abs(shares)
    if shares > 0:
        amount = account.costs(value)
        return Quote(shares, amount, fee(amount, fee_per_mille))
    amount = account.brings(value)
    return Quote(shares, amount, min(amount, fee(amount, fee_per_mille)))


class Payments(NamedTuple):
    """What an hour makes the exchange pay, in CUBES."""

    dividends: dict[int, int]
    """By user."""
    ended: list[tuple[int, int, Quote]]
    """User, company, and the sale of all their shares of it."""


def payments(balance: int, holdings: Sequence[tuple[int, int, int]], hour: Hour) -> Payments:
    """Return what an hour makes the exchange pay, which holds `balance`, to (user, company, shares) before it."""
    prices = [hour.ended.get(company, price) for company, price in enumerate(hour.prices)]
    claims = sum([shares * prices[company] for _, company, shares in holdings])
    due = sum([shares * hour.dividends[company] for _, company, shares in holdings])
    account, dividends = Account(balance, claims + due), dict.fromkeys([user for user, _, _ in holdings], 0)
    for user, company, shares in holdings:
        dividends[user] += account.brings(shares * hour.dividends[company])
    account, ended = Account(balance - sum(dividends.values()), claims), []
    for user, company, shares in holdings:
        if company in hour.ended:
            sale = quote(account, prices[company], -shares, 0)
            account = Account(account.balance - sale.amount, account.claims - shares * prices[company])
            ended.append((user, company, sale))
    return Payments({user: cubes for user, cubes in dividends.items() if cubes}, ended)


def fee(amount: int, per_mille: int) -> int:
    """Return the house's part of an order; rounded up, and at least 1 where there is one."""
    return max(1, -(-amount * per_mille // 1000)) if per_mille else 0


def affordable(account: Account, price: int, cash: int, fee_per_mille: int) -> int:
    """Return how many shares can be bought at most for so many CUBES."""
    low, high = 0, MOST_SHARES
    while low < high:
        middle = (low + high + 1) // 2
        if quote(account, price, middle, fee_per_mille).total <= cash:
            low = middle
        else:
            high = middle - 1
    return low
