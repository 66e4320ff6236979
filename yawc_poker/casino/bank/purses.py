"""What one user owns: the CUBES that come and go outside of games, and what the books know of their games.

Works inside a transaction that the bank has opened, as `ledger` does; never decides when.
"""

from collections.abc import Iterable

import msgspec

from yawc_poker.casino.bank import ledger
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.house import HOUSE_USERS

CREDIT_PER_CUBE = 3600
"""Seconds online times CUBES an hour that make one CUBE."""
DAY = 86400
"""Seconds of a day, by which the CUBES of house players are counted; it begins at midnight UTC."""


class GameCount(msgspec.Struct, frozen=True):
    """Games of one kind that a user played (but for those that were refunded), those that they won, their points."""

    kind: str
    played: int
    won: int
    points: int | None = None
    """The sum of all games; None: the game counts none, or did not keep them yet."""


class RefundNotice(msgspec.Struct, frozen=True):
    """A refund that its user has not been told of."""

    number: int
    game: int
    cubes: int


def welcome_key(user: int) -> str:
    """Return the key of a user's starting CUBES."""
    return f"welcome:{user}"


def welcome(books: Connection, now: float, user: int, amount: int) -> bool:
    """Pay a new user their starting CUBES; return False, and move nothing, if they ever had them."""
    key = welcome_key(user)
    if ledger.posted(books, key) is not None:
        return False
    return move(books, now, key, "mint", user, amount, ledger.mint_of(user))


def balances(books: Connection, users: Iterable[int]) -> dict[int, int]:
    """Return what each of these users owns; 0 for one without an account."""
    held = ledger.purses(books, wanted := list(users))
    return {user: held[user][1] if user in held else 0 for user in wanted}


def earn(books: Connection, now: float, user: int, key: str, seconds: float, per_hour: float) -> int:
    """Pay for time online, and return the CUBES it brought; fractions are kept for the next time."""
    ledger.hold_purse(books, user)
    account = ledger.purse(books, user)
    full_key = f"online:{user}:{key}"
    known, last_key = ledger.credit(books, account)
    if last_key == key or ledger.posted(books, full_key) is not None:
        return (ledger.posted(books, full_key) or {}).get(account, 0)
    whole, rest = divmod(known + seconds * per_hour, CREDIT_PER_CUBE)
    books.execute(
        "INSERT INTO online (account, credit, last_key) VALUES (?, ?, ?)"
        " ON CONFLICT (account) DO UPDATE SET credit = excluded.credit, last_key = excluded.last_key",
        (account, rest, key),
    )
    if cubes := int(whole):
        move(books, now, full_key, "mint", user, cubes, ledger.mint_of(user))
    return cubes


def grant(books: Connection, now: float, action: int, user: int, amount: int) -> tuple[int, int]:
    """Pay a user newly made CUBES; return how many, and what they own now. Once for each sysop action."""
    move(books, now, f"grant:{action}", "mint", user, amount)
    return amount, ledger.owned(books, user)


def take(books: Connection, now: float, action: int, user: int, amount: int | None) -> tuple[int, int]:
    """Move CUBES from a user to the house, None: all; return how many, and what is left. Once for each sysop action."""
    key = f"take:{action}"
    ledger.hold_purses(books, (user,))
    if amount is None:
        before = ledger.posted(books, key) or {}
        amount = -before.get(ledger.purse(books, user), -ledger.owned(books, user))
    if amount:
        move(books, now, key, "house", user, -amount)
    return amount, ledger.owned(books, user)


def fill(books: Connection, now: float, user: int, upto: int, daily: int) -> int:
    """Move CUBES from the house to a house player who owns fewer than `upto`; return what they own now.

    All house players together get at most `daily` on one day. What the house does not have is newly made. Repeating it
    moves nothing.
    """
    day = int(now // DAY)
    ledger.hold_purse(books, user)
    ledger.hold_house(books)
    amount = min(upto - ledger.owned(books, user), daily - _lent(books, day))
    if amount > 0:
        made = max(0, amount - ledger.balance(books, "house", 0))
        legs = {ledger.account_id(books, "house"): made - amount, ledger.account_id(books, "mint"): -made}
        ledger.post(books, now, _next_key(books, user, day), None, legs | {ledger.purse(books, user): amount})
    return ledger.owned(books, user)


def _lent(books: Connection, day: int) -> int:
    """Return what all house players got on this day, or on the next: the clock may have been ahead by a day.

    What a clock says that was further ahead counts for no day.
    """
    query = f"""
        SELECT coalesce(sum(amount), 0) FROM txn CROSS JOIN entry ON entry.txn = txn.id CROSS JOIN account
        ON account.id = account WHERE txn.kind = 'house' AND txn.at >= ? AND txn.at < ? AND {ledger.PLAYERS}
    """
    return int(books.execute(query, (day * DAY, (day + 2) * DAY)).fetchone()[0])


def _next_key(books: Connection, user: int, day: int) -> str:
    """Return the key of the next filling of a purse: `house:NUMBER:DAY:N`."""
    start = f"house:{HOUSE_USERS.index(user) + 1}:{day}"
    query = "SELECT count(*) FROM txn WHERE key > ? || ':' AND key < ? || ';'"
    return f"{start}:{books.execute(query, (start, start)).fetchone()[0] + 1}"


def move(
    books: Connection, now: float, key: str, other: ledger.AccountKind, user: int, amount: int, ref: int = 0
) -> bool:
    """Move CUBES between the mint or the house and a user, outside of any game; `amount` below zero: from the user.

    `ref` is which of several accounts of that kind. Return what `ledger.post` returns.
    """
    legs = {ledger.account_id(books, other, ref): -amount, ledger.purse(books, user): amount}
    return ledger.post(books, now, key, None, legs)


def records(books: Connection, user: int) -> list[GameCount]:
    """Count a user's games, by kind."""
    query = """
        SELECT kind, count(*), count(winner.user), sum(points.points) FROM player JOIN game ON game.id = player.game
        LEFT JOIN winner ON winner.game = player.game AND winner.user = player.user
        LEFT JOIN points ON points.game = player.game AND points.user = player.user
        WHERE player.user = ? AND coalesce(outcome, '') <> 'refunded' GROUP BY kind ORDER BY kind
    """
    return [GameCount(*row) for row in books.execute(query, (user,))]


def withheld(books: Connection, user: int) -> int:
    """Return how many texts a user has withheld when a game was to begin."""
    query = "SELECT count(*) FROM unrevealed WHERE user = ? AND why = 'withheld'"
    return int(books.execute(query, (user,)).fetchone()[0])


def untold_refunds(books: Connection, user: int) -> list[RefundNotice]:
    """Return the refunds that a user has not been told of, oldest first."""
    query = """
        SELECT notice.id, game, amount FROM notice JOIN account ON account.id = notice.account
        WHERE kind = 'user' AND ref = ? AND told IS NULL ORDER BY notice.id
    """
    return [RefundNotice(*row) for row in books.execute(query, (user,))]


def mark_told(books: Connection, now: float, notices: Iterable[RefundNotice]) -> None:
    """Note that a user has been told of refunds."""
    books.executemany("UPDATE notice SET told = ? WHERE id = ?", [(now, notice.number) for notice in notices])
