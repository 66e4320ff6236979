"""Double entry, inside a transaction that the bank has opened: accounts, postings, games.

Owns how a movement is written and when one is refused; never when it happens (`bank`) nor the tables (`store.books`).
Every function works on the connection of a writing transaction, or, if it only looks, of a reading one.

On SQLite a writing transaction is alone. On PostgreSQL it is not, so it keeps what it decides by: first the row of the
game, then all accounts that it will touch, by one query, the newest first (`hold`, `purses`). So no two transactions
wait for each other, and the accounts `house` and `mint`, the oldest, are kept only for the end of one. A pot is kept by
its game's row.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from yawc_poker.casino.store.connection import Connection, Row, Statement, StoreError, Unavailable
from yawc_poker.engine.house import is_house
from yawc_poker.engine.table import split

AccountKind = Literal["user", "pot", "house", "mint", "exchange"]
Outcome = Literal["won", "lost", "refunded"]

DAY: Final = 86400
"""Seconds of a day, by which the CUBES of house players are counted; it begins at midnight UTC."""
MINTS: Final = 16
"""Accounts of the mint, beside the first."""
PLAYERS: Final = "account.kind IN ('user', 'house') AND account.ref > 0"
"""SQL: an account of somebody who plays, whose `ref` is the user's number. House 0 is the house's own."""


class BankError(StoreError):
    """The bank did not do it; nothing was changed. `str()` is one line for the log."""


class BankUnavailable(BankError, Unavailable):
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
    back: Mapping[int, int] = {}
    """What went back that people and house players won of each other for fun, by user; below zero: they gave it."""


class OpenGame(msgspec.Struct, frozen=True):
    """A game whose pot is not paid out yet."""

    number: int
    table_no: int
    pot: int
    account: int = 0
    """The pot's; 0 where nobody has looked for it."""
    seal: str = ""
    """The seal of its chance, where somebody has looked for it."""


class Opened(msgspec.Struct, frozen=True):
    """What one look finds of an open game, and of those who play in it; it is kept so until the transaction ends."""

    game: OpenGame
    held: Mapping[int, tuple[int, int]]
    """Account and balance of each user asked for who has one."""
    is_used: bool
    """Whether there is a transaction of the key asked for."""


def account_id(books: Connection, kind: AccountKind, ref: int = 0) -> int:
    """Return an account's id; open the account if it is missing."""
    query = "SELECT id FROM account WHERE kind = ? AND ref = ?"
    opening = "INSERT INTO account (kind, ref) VALUES (?, ?) ON CONFLICT (kind, ref) DO NOTHING RETURNING id"
    found = books.execute(query, (kind, ref)).fetchone() or books.execute(opening, (kind, ref)).fetchone()
    if found is None:  # another transaction has just opened it
        found = books.execute(query, (kind, ref)).fetchone()
    return int(found[0])


def mint_of(user: int) -> int:
    """Return which of the mint's accounts pays a user what all users get all the time.

    With one of them everybody would wait for everybody until a COMMIT. What happens seldom is paid by the first, 0.
    """
    return 1 + user % MINTS


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


def hold(books: Connection, *accounts: int) -> None:
    """Keep accounts as they are, but for this transaction, until it ends."""
    if accounts and books.for_update:
        places = ", ".join("?" * len(accounts))
        books.execute(f"SELECT id FROM account WHERE id IN ({places}) ORDER BY id DESC{books.for_update}", accounts)


def hold_purse(books: Connection, user: int) -> None:
    """Keep a user's account as it is, but for this transaction, until it ends; open the account if it is missing."""
    if books.for_update:
        hold(books, purse(books, user))


def hold_purses(books: Connection, users: Collection[int]) -> None:
    """Keep the accounts of those of these users who have one."""
    if users and books.for_update:
        purses(books, users)


def hold_house(books: Connection) -> None:
    """Keep what the house owns. Whoever does so is alone with what the house gives; users' accounts are kept before."""
    if books.for_update:
        hold(books, account_id(books, "house"), account_id(books, "mint"))


def hold_stakes(books: Connection, games: Collection["OpenGame"], users: Collection[int] = ()) -> None:
    """Keep the accounts of all who paid into these games, and of these users, until this transaction ends."""
    if games and books.for_update:
        places = ", ".join("?" * len(games))
        query = f"SELECT DISTINCT account FROM entry JOIN txn ON txn.id = txn WHERE game IN ({places})"
        paid = {int(account) for (account,) in books.execute(query, tuple(game.number for game in games))}
        hold(books, *paid, *(purse(books, user) for user in users))


def purses(books: Connection, users: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return account and balance of each of these users who has one; in a writing transaction they are kept so."""
    return _held(books.execute(_purses(len(users), books.for_update), tuple(users)))


def _held(rows: Iterable[Row]) -> dict[int, tuple[int, int]]:
    return {int(user): (int(account), int(held)) for user, account, held in rows}


@cache
def _purses(many: int, for_update: str) -> str:
    places = ", ".join("?" * many) or "NULL"
    kept = for_update and f" ORDER BY id DESC{for_update}"
    return f"SELECT ref, id, balance FROM account WHERE {PLAYERS} AND ref IN ({places}){kept}"


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


def post(books: Connection, now: float, key: str, game: int | None, legs: Mapping[int, int]) -> bool:
    """Write a transaction, whose kind is the first word of the key; return whether it is a new one.

    A repeated transaction changes nothing. Raise `NotEnough`, and `Mismatch` if the key was used for another one.
    """
    moved = _moved(key, legs)
    hold(books, *moved)
    if _repeated(books, key, moved):
        return False
    for account, amount in moved.items():
        _check_funds(books, account, amount)
    row = (key, key.partition(":")[0], game, now)
    query = "INSERT INTO txn (key, kind, game, at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id"
    written = books.execute(query, row).fetchone()
    if written is None:
        _repeated(books, key, moved)
        return False
    books.executemany("INSERT INTO entry VALUES (?, ?, ?)", [(written[0], *leg) for leg in moved.items()])
    return True


def move(books: Connection, now: float, key: str, other: AccountKind, user: int, amount: int, ref: int = 0) -> bool:
    """Move CUBES between the mint or the house and a user, outside of any game; `amount` below zero: from the user.

    `ref` is which of several accounts of that kind. Return what `post` returns.
    """
    legs = {account_id(books, other, ref): -amount, purse(books, user): amount}
    return post(books, now, key, None, legs)


def give(books: Connection, now: float, key: str, user: int, amount: int) -> None:
    """Move CUBES from the house, which is kept (`hold_house`), to a user; what it does not have is newly made."""
    made = max(0, amount - balance(books, "house", 0))
    legs = {account_id(books, "house"): made - amount, account_id(books, "mint"): -made}
    post(books, now, key, None, legs | {purse(books, user): amount})


def post_new(books: Connection, now: float, key: str, game: int, legs: Mapping[int, int]) -> None:
    """Write a transaction of a game that is kept open, later: its key is new, and all who pay in it can.

    The caller has seen both, and keeps the payers' accounts.
    """
    moved = _moved(key, legs)
    row = (key, key.partition(":")[0], game, now)
    books.later("INSERT INTO txn (key, kind, game, at) VALUES (?, ?, ?, ?)", row)
    for account, amount in moved.items():
        books.later("INSERT INTO entry SELECT id, ?, ? FROM txn WHERE key = ?", (account, amount, key))


def _moved(key: str, legs: Mapping[int, int]) -> dict[int, int]:
    moved = {account: amount for account, amount in legs.items() if amount}
    if sum(moved.values()):
        raise ValueError(f"{key} does not sum to zero: {moved}")
    return moved


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
    *,
    is_used: bool = False,
) -> bool:
    """Move stakes from users into the game's pot; `held` is the result of `purses`. Return what `post` does.

    `is_used`: there is a transaction of this key.
    """
    legs, funded = {}, True
    for user, amount in stakes.items():
        if amount < 0:
            raise ValueError(f"{key}: a stake below zero: {dict(stakes)}")
        account, balance = held.get(user) or (purse(books, user), 0)
        legs[account] = -amount
        funded = funded and balance >= amount
    legs[game.account or account_id(books, "pot", game.table_no)] = sum(stakes.values())
    if is_used or not funded:
        return post(books, now, key, game.number, legs)
    post_new(books, now, key, game.number, legs)
    return True


def outcome_of(books: Connection, game: int) -> Outcome | None:
    """Return how a game ended, None while it is open. Raise `GameClosed` for one that never was.

    In a writing transaction the game is kept so until its end.
    """
    found = books.execute(f"SELECT outcome FROM game WHERE id = ?{books.for_update}", (game,)).fetchone()
    if found is None:
        raise GameClosed(game, None)
    outcome: Outcome | None = found[0]
    return outcome


def need_open(books: Connection, game: int) -> OpenGame:
    """Return an open game. Raise `GameClosed`. In a writing transaction game and pot are kept so until its end."""
    return _opened(game, books.together(*_finding(books, game))[-1])


def _finding(books: Connection, game: int) -> list[Statement]:
    """Return the queries of which the last one finds a game with its pot.

    The first keeps it, by itself: a query that waits for a row sees all others as they were before it waited.
    """
    query = """
        SELECT outcome, table_no, coalesce(balance, 0), coalesce(account.id, 0), coalesce(seal, '')
        FROM game LEFT JOIN account ON account.kind = 'pot' AND ref = table_no WHERE game.id = ?
    """
    first = [(f"SELECT 1 FROM game WHERE id = ?{books.for_update}", (game,))] if books.for_update else []
    return [*first, (query, (game,))]


def _opened(game: int, rows: Sequence[Row]) -> OpenGame:
    if not rows or rows[0][0] is not None:
        raise GameClosed(game, rows[0][0] if rows else None)
    return OpenGame(game, *rows[0][1:])


def opened(books: Connection, game: int, users: Collection[int], key: str) -> Opened:
    """Return what is needed for a movement in an open game under a key, by one message. Raise `GameClosed`."""
    *_, found, held, used = books.together(
        *_finding(books, game),
        (_purses(len(users), books.for_update), tuple(users)),
        ("SELECT 1 FROM txn WHERE key = ?", (key,)),
    )
    return Opened(_opened(game, found), _held(held), bool(used))


def open_games(books: Connection, table_no: int | None = None) -> list[OpenGame]:
    """Return the games that are not paid out, by table, or those of one table.

    In a writing transaction they are kept so until its end.
    """
    query = "SELECT id, table_no FROM game WHERE closed IS NULL AND table_no = coalesce(?, table_no) ORDER BY table_no"
    rows = books.execute(query + books.for_update, (table_no,)).fetchall()
    return [OpenGame(game, table, balance(books, "pot", table)) for game, table in rows]


def new_game(books: Connection, row: tuple[int, str, float, str | None, str | None, str | None]) -> int:
    """Open a game at a table that has none; return its number. `row`: table, kind, moment, seal, words, commitments.

    Raise `BankUnavailable` if another transaction has opened one there at this moment.
    """
    query = "INSERT INTO game (table_no, kind, opened, seal, words, commitments) VALUES (?, ?, ?, ?, ?, ?)"
    written = books.execute(f"{query} ON CONFLICT DO NOTHING RETURNING id", row).fetchone()
    if written is None:
        raise BankUnavailable(f"another game was opened at table {row[0] + 1} at this moment")
    return int(written[0])


def close(books: Connection, now: float, game: int, outcome: Outcome) -> None:
    """Close a game: it gets no further transaction."""
    books.later("UPDATE game SET closed = ?, outcome = ? WHERE id = ?", (now, outcome, game))


def ending(shares: Mapping[int, int]) -> Outcome:
    """Return the outcome of a game in which users have these shares."""
    return "won" if any(shares.values()) else "lost"


def pay_out(
    books: Connection,
    now: float,
    game: OpenGame,
    shares: Mapping[int, int],
    held: Mapping[int, tuple[int, int]],
    winners: Collection[int] | None = None,
) -> Settlement:
    """Move all that the pot holds to these users by their shares, or to the account `house`; not close the game.

    `held` is the result of `purses`. The winners are those who are named, None: all with a share.
    """
    parts = split(game.pot, shares)
    has_winner = any(shares.values())
    legs = {(held.get(user) or (purse(books, user),))[0]: cubes for user, cubes in parts.items() if cubes}
    if not has_winner:
        legs = {account_id(books, "house"): game.pot}
    legs[game.account or account_id(books, "pot", game.table_no)] = -game.pot
    post_new(books, now, f"payout:{game.number}", game.number, legs)
    won = [user for user in shares if shares[user] and (winners is None or user in winners)]
    for user in won:
        books.later("INSERT INTO winner VALUES (?, ?)", (game.number, user))
    return Settlement(game.pot, parts if has_winner else {})


def refund(books: Connection, now: float, game: OpenGame, *, notify: bool) -> dict[int, int]:
    """Move an open game's stakes back to its players and close it; with `notify` each finds a notice."""
    query = f"""
        SELECT account, ref, -sum(amount) FROM entry JOIN txn ON txn.id = txn JOIN account ON account.id = account
        WHERE game = ? AND {PLAYERS} GROUP BY account, ref
    """
    paid = books.execute(query, (game.number,)).fetchall()
    legs = {int(account): int(amount) for account, _, amount in paid}
    from_pot = {account_id(books, "pot", game.table_no): -sum(legs.values())}
    post(books, now, f"refund:{game.number}", game.number, legs | from_pot)
    close(books, now, game.number, "refunded")
    if notify:
        notices = [(int(account), game.number, int(amount)) for account, user, amount in paid if not is_house(user)]
        books.executemany("INSERT INTO notice (account, game, amount) VALUES (?, ?, ?)", notices)
    return {int(user): int(amount) for _, user, amount in paid}
