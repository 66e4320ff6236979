"""Double entry, inside a transaction that the bank has opened: accounts, postings, games.

Owns how a movement is written and when one is refused; never when it happens (`bank`) nor the layout (`schema`). Every
function works on the connection of a writing transaction, or, if it only looks, of a reading one.
"""

from collections.abc import Collection, Mapping
from functools import cache
from sqlite3 import Connection, IntegrityError
from typing import Final, Literal

import msgspec

from yawc_poker.casino.store import StoreError
from yawc_poker.engine.ending import split
from yawc_poker.engine.house import is_house

AccountKind = Literal["user", "pot", "house", "mint", "exchange"]
Outcome = Literal["won", "lost", "refunded"]

PLAYERS: Final = "account.kind IN ('user', 'house') AND account.ref > 0"
"""SQL: an account of somebody who plays, whose `ref` is the user's number. House 0 is the house's own."""


class BankError(StoreError):
    """The bank did not do it; nothing was changed. `str()` is one line for the log."""


class BankUnavailable(BankError):
    """The bank cannot do anything now (disk full, locked, read-only, damaged); the next try may work."""


class Mismatch(BankError, ValueError):
    """A key comes again for another movement than the one it was used for."""


class NotEnough(BankError):
    """A user has fewer CUBES than they should pay."""

    def __init__(self, user: int, balance: int, amount: int) -> None:
        super().__init__(f"user {user} has {balance} CUBES, not {amount}")
        self.user = user
        self.balance = balance
        self.amount = amount


class Outdated(BankError):
    """A user owns another amount than was believed."""


class GameClosed(BankError):
    """The game has ended for the bank, otherwise than asked for, or (`outcome` None) was never opened."""

    def __init__(self, game: int, outcome: Outcome | None) -> None:
        super().__init__(f"game {game} is {outcome or 'unknown'}")
        self.game = game
        self.outcome = outcome


class Settlement(msgspec.Struct, frozen=True):
    """The payout of a game: `amount` is all that the pot held, `paid` what each winner got, by user."""

    amount: int
    paid: dict[int, int]
    """Empty where the house got it."""


class OpenGame(msgspec.Struct, frozen=True):
    """A game whose pot is not paid out yet."""

    number: int
    table_no: int
    pot: int
    account: int = 0
    """The pot's; 0 where nobody has looked for it."""


def account_id(books: Connection, kind: AccountKind, ref: int = 0) -> int:
    """Return an account's id; open the account if it is missing."""
    found = books.execute("SELECT id FROM account WHERE kind = ? AND ref = ?", (kind, ref)).fetchone()
    if found is None:
        return int(books.execute("INSERT INTO account (kind, ref) VALUES (?, ?)", (kind, ref)).lastrowid or 0)
    return int(found[0])


def kind_of(user: int) -> AccountKind:
    """Return the kind of a user's account."""
    return "house" if is_house(user) else "user"


def purse(books: Connection, user: int) -> int:
    """Return the id of a user's account; open the account if it is missing."""
    return account_id(books, kind_of(user), user)


def owned(books: Connection, user: int) -> int:
    """Return what a user owns; 0 for one without an account."""
    return balance(books, kind_of(user), user)


def balance(books: Connection, kind: AccountKind, ref: int) -> int:
    """Return the balance of an account; 0 if there is none."""
    found = books.execute("SELECT balance FROM account WHERE kind = ? AND ref = ?", (kind, ref)).fetchone()
    return 0 if found is None else int(found[0])


def purses(books: Connection, users: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return account and balance of each of these users who has one."""
    rows = books.execute(_purses(len(users)), tuple(users)).fetchall()
    return {user: (account, held) for user, account, held in rows}


@cache
def _purses(many: int) -> str:
    return f"SELECT ref, id, balance FROM account WHERE {PLAYERS} AND ref IN ({', '.join('?' * many)})"


def credit(books: Connection, account: int) -> tuple[float, str | None]:
    """Return an account's fraction of a CUBE and the key it came by last."""
    found = books.execute("SELECT credit, last_key FROM online WHERE account = ?", (account,)).fetchone()
    return (0.0, None) if found is None else (float(found[0]), str(found[1]))


def posted(books: Connection, key: str) -> dict[int, int] | None:
    """Return a transaction's amounts by account; None if there is no such transaction."""
    found = books.execute("SELECT id FROM txn WHERE key = ?", (key,)).fetchone()
    if found is None:
        return None
    return {int(a): int(n) for a, n in books.execute("SELECT account, amount FROM entry WHERE txn = ?", found)}


def received(books: Connection, key: str) -> dict[int, int]:
    """Return the amounts that a transaction brought to users, by user."""
    query = f"""
        SELECT ref, amount FROM entry JOIN account ON account.id = account JOIN txn ON txn.id = txn
        WHERE key = ? AND {PLAYERS}
    """
    return {int(user): int(amount) for user, amount in books.execute(query, (key,))}


def post(
    books: Connection, now: float, key: str, game: int | None, legs: Mapping[int, int], *, funded: bool = False
) -> bool:
    """Write a transaction, whose kind is the first word of the key; return whether it is a new one.

    `funded`: the caller has seen that everybody can pay. A repeated transaction changes nothing. Raise `NotEnough`, and
    `Mismatch` if the key was used for another one.
    """
    moved = {account: amount for account, amount in legs.items() if amount}
    if sum(moved.values()):
        raise ValueError(f"{key} does not sum to zero: {moved}")
    if not funded:
        if _repeated(books, key, moved):
            return False
        for account, amount in moved.items():
            _check_funds(books, account, amount)
    row = (key, key.partition(":")[0], game, now)
    try:
        number = books.execute("INSERT INTO txn (key, kind, game, at) VALUES (?, ?, ?, ?)", row).lastrowid
    except IntegrityError:
        if _repeated(books, key, moved):
            return False
        raise
    books.executemany("INSERT INTO entry VALUES (?, ?, ?)", [(number, *leg) for leg in moved.items()])
    return True


def _repeated(books: Connection, key: str, moved: Mapping[int, int]) -> bool:
    known = posted(books, key)
    if known is not None and known != moved:
        raise Mismatch(f"{key} was {known}, cannot become {moved}")
    return known is not None


def _check_funds(books: Connection, account: int, amount: int) -> None:
    kind, ref, held = books.execute("SELECT kind, ref, balance FROM account WHERE id = ?", (account,)).fetchone()
    if ref > 0 and kind in ("user", "house") and held + amount < 0:
        raise NotEnough(ref, held, -amount)


def stake(
    books: Connection,
    now: float,
    key: str,
    game: OpenGame,
    stakes: Mapping[int, int],
    held: Mapping[int, tuple[int, int]],
) -> bool:
    """Move stakes from users into the game's pot; `held` is the result of `purses`. Return what `post` does."""
    legs, funded = {}, True
    for user, amount in stakes.items():
        if amount < 0:
            raise ValueError(f"{key}: a stake below zero: {dict(stakes)}")
        account, balance = held.get(user) or (purse(books, user), 0)
        legs[account] = -amount
        funded = funded and balance >= amount
    legs[game.account or account_id(books, "pot", game.table_no)] = sum(stakes.values())
    return post(books, now, key, game.number, legs, funded=funded)


def outcome_of(books: Connection, game: int) -> Outcome | None:
    """Return how a game ended, None while it is open. Raise `GameClosed` for one that never was."""
    found = books.execute("SELECT outcome FROM game WHERE id = ?", (game,)).fetchone()
    if found is None:
        raise GameClosed(game, None)
    outcome: Outcome | None = found[0]
    return outcome


def need_open(books: Connection, game: int) -> OpenGame:
    """Return an open game. Raise `GameClosed`."""
    query = """
        SELECT outcome, table_no, ifnull(balance, 0), ifnull(account.id, 0)
        FROM game LEFT JOIN account ON account.kind = 'pot' AND ref = table_no WHERE game.id = ?
    """
    found = books.execute(query, (game,)).fetchone()
    if found is None or found[0] is not None:
        raise GameClosed(game, found and found[0])
    return OpenGame(game, *found[1:])


def open_games(books: Connection, table_no: int | None = None) -> list[OpenGame]:
    """Return the games that are not paid out, by table, or those of one table."""
    query = "SELECT id, table_no FROM game WHERE closed IS NULL AND table_no = ifnull(?, table_no) ORDER BY table_no"
    rows = books.execute(query, (table_no,)).fetchall()
    return [OpenGame(game, table, balance(books, "pot", table)) for game, table in rows]


def _close(books: Connection, now: float, game: int, outcome: Outcome) -> None:
    books.execute("UPDATE game SET closed = ?, outcome = ? WHERE id = ?", (now, outcome, game))


def ending(shares: Mapping[int, int]) -> Outcome:
    """Return the outcome of a game in which users have these shares."""
    return "won" if any(shares.values()) else "lost"


def pay_out(
    books: Connection,
    now: float,
    game: OpenGame,
    shares: Mapping[int, int],
    winners: Collection[int] | None = None,
) -> None:
    """Move all that the pot holds to these users by their shares, or to the account `house`; close the game.

    The winners are those who are named, None: all with a share.
    """
    parts = split(game.pot, shares)
    legs = {purse(books, user): cubes for user, cubes in parts.items() if cubes}
    if not any(shares.values()):
        legs = {account_id(books, "house"): game.pot}
    post(books, now, f"payout:{game.number}", game.number, legs | {account_id(books, "pot", game.table_no): -game.pot})
    won = [user for user in shares if shares[user] and (winners is None or user in winners)]
    books.executemany("INSERT INTO winner VALUES (?, ?)", [(game.number, user) for user in won])
    _close(books, now, game.number, ending(shares))


def paid_out(books: Connection, game: int) -> int:
    """Return the pot of a closed game when it was paid out."""
    query = "SELECT ifnull(sum(amount), 0) FROM entry JOIN txn ON txn.id = txn WHERE key = ? AND amount > 0"
    return int(books.execute(query, (f"payout:{game}",)).fetchone()[0])


def settlement(books: Connection, game: int, shares: Mapping[int, int]) -> Settlement:
    """Return how a closed game was paid out. Raise `GameClosed` if it was not by these shares."""
    outcome, pot = outcome_of(books, game), paid_out(books, game)
    due = split(pot, shares)
    won = {user: part for user, part in due.items() if part}
    if outcome != ending(shares) or received(books, f"payout:{game}") != won:
        raise GameClosed(game, outcome)
    return Settlement(pot, due if any(shares.values()) else {})


def refund(books: Connection, now: float, game: OpenGame, *, notify: bool) -> dict[int, int]:
    """Move an open game's stakes back to its players and close it; with `notify` each finds a notice."""
    query = f"""
        SELECT account, ref, -sum(amount) FROM entry JOIN txn ON txn.id = txn JOIN account ON account.id = account
        WHERE game = ? AND {PLAYERS} GROUP BY account
    """
    paid = books.execute(query, (game.number,)).fetchall()
    legs = {int(account): int(amount) for account, _, amount in paid}
    from_pot = {account_id(books, "pot", game.table_no): -sum(legs.values())}
    post(books, now, f"refund:{game.number}", game.number, legs | from_pot)
    _close(books, now, game.number, "refunded")
    if notify:
        notices = [(int(account), game.number, int(amount)) for account, user, amount in paid if not is_house(user)]
        books.executemany("INSERT INTO notice (account, game, amount) VALUES (?, ?, ?)", notices)
    return {int(user): int(amount) for _, user, amount in paid}
