"""What people win from house players on a day, and what goes back of it; inside a transaction that the bank has opened.

Owns the table `gain` and the key `house:back:GAME`. By `engine.against_house` each account has a share of a day, each
network, and all together; a row has what was won of one, less what was lost. Rows of other days are deleted: a day is
over at midnight UTC. The rows are kept after the accounts, in the order of their names.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from yawc_poker.casino.bank import ledger
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.against_house import AgainstHouse, reckon

Shares: TypeAlias = Callable[[str], int]
"""Returns how many CUBES a share (`Person.shares`) has on a day."""


def unlimited(share: str) -> int:
    """Return a share that nobody can use up."""
    return 10**15


def used_up(books: Connection, game: AgainstHouse, day: int, shares: Shares) -> set[str]:
    """Return which shares of people in a game are used up on a day."""
    return {share for share, won in _won(books, day, game).items() if won >= shares(share)}


def paid(books: Connection, game: int, owed: Mapping[int, int]) -> dict[int, int]:
    """Return what everybody has paid into an open game, by user, and what they are about to pay."""
    query = f"""
        SELECT ref, -sum(amount) FROM txn CROSS JOIN entry ON entry.txn = txn.id CROSS JOIN account
        ON account.id = account WHERE game = ? AND {ledger.PLAYERS} GROUP BY ref
    """
    sums = {int(user): int(amount) for user, amount in books.execute(query, (game,))}
    return {user: sums.get(user, 0) + owed.get(user, 0) for user in {*sums, *owed}}


def give_back(
    books: Connection,
    now: float,
    found: ledger.Opened,
    game: AgainstHouse,
    before: Mapping[int, int],
    got: Mapping[int, int],
    shares: Shares,
) -> Mapping[int, int]:
    """Move back what was won for fun in a game that is about to be closed, and count what was won; return who got what.

    `before` is what everybody paid, `got` what they got out of the pot.
    """
    net = {user: got.get(user, 0) - before.get(user, 0) for user in {*before, *got}}
    won = _won(books, game.day, game, kept=books.for_update)
    result = reckon(game, dict(sorted(net.items())), {share: shares(share) - cubes for share, cubes in won.items()})
    for share, cubes in sorted(result.won.items()):
        if cubes:
            books.later("UPDATE gain SET cubes = cubes + ? WHERE day = ? AND who = ?", (cubes, game.day, share))
    if result.back:
        legs = {(found.held.get(user) or (ledger.purse(books, user),))[0]: cubes for user, cubes in result.back.items()}
        ledger.post_new(books, now, back_key(found.game.number), found.game.number, legs)
    return result.back


def back_key(game: int) -> str:
    """Return the key of what went back in a game."""
    return f"house:back:{game}"


def _won(books: Connection, day: int, game: AgainstHouse, kept: str | None = None) -> dict[str, int]:
    """Return what was won on a day of each share of those in a game; where they are `kept`, the rows stay so."""
    names = sorted({share for one in game.people for share in one.shares})
    if kept is not None:
        books.execute("DELETE FROM gain WHERE day < ?", (day - 1,))
        books.executemany("INSERT INTO gain VALUES (?, ?, 0) ON CONFLICT DO NOTHING", [(day, name) for name in names])
    query = f"SELECT who, cubes FROM gain WHERE day = ? AND who IN ({', '.join('?' * len(names))}) ORDER BY who"
    rows = books.execute(query + (kept or ""), (day, *names)).fetchall()
    return dict.fromkeys(names, 0) | {str(who): int(cubes) for who, cubes in rows}
