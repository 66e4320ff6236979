"""The stakes of users in one game: bets, the amounts booked for them, how they go back, debts and payments at the end.

Owns the keys of bets, `bet:GAME:ACTION:USER`, and of debts, `bet:GAME:ACTION`, and the movements behind them. Works
inside a transaction that the bank has opened, as `ledger` does; never decides which bets are allowed.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank import ledger
from yawc_poker.casino.bank.ledger import BankError, GameClosed, Mismatch, Opened, OpenGame, Outdated, Settlement
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.house import is_house
from yawc_poker.engine.table import split


class StillPlaying(BankError):
    """A user plays in a game that is open, and may owe something at its end."""


class Refunded(msgspec.Struct, frozen=True):
    """A game that was ended for want of a table, and the stakes that went back."""

    number: int
    table_no: int
    shares: dict[int, int]
    """By user."""


def bet_key(game: int, action: int, user: int) -> str:
    """Return the key of a bet."""
    return f"bet:{game}:{action}:{user}"


def debts_key(game: int, action: int) -> str:
    """Return the key of what all who owed something have paid at the end."""
    return f"bet:{game}:{action}"


def bet(
    books: Connection, now: float, game: int, action: int, user: int, amount: int, believed: Mapping[int, int] | None
) -> tuple[OpenGame, int]:
    """Move a bet into the pot; return the game, and the user's balance. Raise what `Bank.bet` raises."""
    key = bet_key(game, action, user)
    found = ledger.opened(books, game, believed or (user,), key)
    open_game, held = found.game, found.held
    for other, cubes in (believed or {}).items():
        if (held[other][1] if other in held else 0) != cubes:
            raise Outdated(f"user {other} does not own {cubes} CUBES")
    try:
        is_new = ledger.stake(books, now, key, open_game, {user: amount}, held, is_used=found.is_used)
    except Mismatch:
        is_new = False
    moved = amount if is_new else rebook(books, now, key, open_game, user, amount)
    return replace(open_game, pot=open_game.pot + moved), (held[user][1] if user in held else 0) - moved


def booked(books: Connection, key: str, user: int) -> tuple[int, int]:
    """Return how much a user has paid under a key, or under the same with a number behind it, in how many steps."""
    query = f"""
        SELECT coalesce(sum(-amount), 0), count(*) FROM txn CROSS JOIN entry ON txn = txn.id
        WHERE (key = :key OR key >= :key || ':' AND key < :key || ';')
        AND account = (SELECT id FROM account WHERE {ledger.PLAYERS} AND ref = :user)
    """
    paid, steps = books.execute(query, {"key": key, "user": user}).fetchone()
    return int(paid), int(steps)


def rebook(books: Connection, now: float, key: str, game: ledger.OpenGame, user: int, amount: int) -> int:
    """Bring the amount booked for a bet to another one, and return the difference. Raise `NotEnough`.

    The other amount was booked by a transaction whose end nobody could see. Its key is taken; the difference is written
    under the same key with a number behind it.
    """
    paid, steps = booked(books, key, user)
    if paid != amount:
        legs = {ledger.purse(books, user): paid - amount}
        legs[ledger.account_id(books, "pot", game.table_no)] = amount - paid
        ledger.post(books, now, f"{key}:{steps}", game.number, legs)
    return amount - paid


def owed(debts: Mapping[int, int], found: Opened) -> dict[int, int]:
    """Return what users pay of their debts: nobody more than they own."""
    held = {user: found.held[user][1] for user in debts if user in found.held}
    return {user: min(debts[user], owned) for user, owned in held.items() if min(debts[user], owned)}


def need_no_game(books: Connection, user: int) -> None:
    """Raise `StillPlaying` for a user who plays in an open game.

    They owe at its end what they own then: what leaves the purse before, and may come back, would be kept from others.
    """
    query = "SELECT 1 FROM game CROSS JOIN player ON player.game = game.id WHERE closed IS NULL AND user = ?"
    if books.execute(query, (user,)).fetchone() is not None:
        raise StillPlaying(f"user {user} plays in an open game")


def collect(
    books: Connection,
    now: float,
    game: OpenGame,
    action: int,
    paid: Mapping[int, int],
    found: Opened,
) -> OpenGame:
    """Move what users pay in the end (`owed`) into a game's pot, and return the game with what the pot holds then.

    It is one transaction for all of them, `bet:GAME:ACTION`. The caller closes the game in the same transaction of the
    database, so this is done once.
    """
    if not paid:
        return game
    ledger.stake(books, now, debts_key(game.number, action), game, paid, found.held, is_used=found.is_used)
    return replace(game, pot=game.pot + sum(paid.values()))


def give_back(books: Connection, now: float, game: ledger.OpenGame, user: int) -> int:
    """Move back what a user has paid into an open game, which goes on, and leave a person a notice; return how much.

    Once in a game: a repeated call returns what went back.
    """
    key, account = f"refund:{game.number}:{user}", ledger.purse(books, user)
    if (before := ledger.posted(books, key)) is not None:
        return before[account]
    query = "SELECT -coalesce(sum(amount), 0) FROM entry JOIN txn ON txn.id = txn WHERE game = ? AND account = ?"
    amount = int(books.execute(query, (game.number, account)).fetchone()[0])
    if amount > 0:
        ledger.post(
            books, now, key, game.number, {ledger.account_id(books, "pot", game.table_no): -amount, account: amount}
        )
        if not is_house(user):
            notice = (account, game.number, amount)
            books.execute("INSERT INTO notice (account, game, amount) VALUES (?, ?, ?)", notice)
    return amount


def at_stake(books: Connection, user: int) -> int:
    """Return what a user has paid into the pots of games that are not over."""
    query = """
        SELECT -coalesce(sum(amount), 0) FROM game CROSS JOIN txn ON txn.game = game.id
        CROSS JOIN entry ON entry.txn = txn.id CROSS JOIN account ON account.id = account
        WHERE closed IS NULL AND account.kind = ? AND ref = ?
    """
    return int(books.execute(query, (ledger.kind_of(user), user)).fetchone()[0])


def paid_out(books: Connection, game: int) -> int:
    """Return the pot of a closed game when it was paid out."""
    query = "SELECT coalesce(sum(amount), 0) FROM entry JOIN txn ON txn.id = txn WHERE key = ? AND amount > 0"
    return int(books.execute(query, (f"payout:{game}",)).fetchone()[0])


def settlement(books: Connection, game: int, shares: Mapping[int, int]) -> Settlement:
    """Return how a closed game was paid out. Raise `GameClosed` if it was not by these shares."""
    outcome, pot = ledger.outcome_of(books, game), paid_out(books, game)
    due = split(pot, shares)
    won = {user: part for user, part in due.items() if part}
    if outcome != ledger.ending(shares) or ledger.received(books, f"payout:{game}") != won:
        raise GameClosed(game, outcome)
    return Settlement(pot, due if any(shares.values()) else {})
