"""The audit of the bank's books: what makes them sound, and their figures.

Only looks, at a copy (`Store.copy`), which is of one moment. The invariants that it checks are those of `store.books`.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from yawc_poker.announcing import announced
from yawc_poker.casino.rankings.days import untrue
from yawc_poker.casino.rankings.periods import date_of
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.comparison import differences
from yawc_poker.casino.store.connection import FAILURES, Connection


class Figures(msgspec.Struct, frozen=True):
    """The books in numbers. `minted` = `cash` + `pots` + `house` + `exchange`, all in whole CUBES."""

    minted: int
    cash: int
    """What all users own."""
    pots: int
    house: int
    users: int
    transactions: int
    games: int
    open_games: int
    exchange: int = 0
    """What the exchange pays for shares from."""


_FIGURES = """
SELECT
    -(SELECT sum(balance) FROM account WHERE kind = 'mint'),
    (SELECT coalesce(sum(balance), 0) FROM account WHERE kind = 'user'),
    (SELECT coalesce(sum(balance), 0) FROM account WHERE kind = 'pot'),
    (SELECT sum(balance) FROM account WHERE kind = 'house'),
    (SELECT count(*) FROM account WHERE kind = 'user'),
    (SELECT count(*) FROM txn),
    (SELECT count(*) FROM game),
    (SELECT count(*) FROM game WHERE closed IS NULL),
    (SELECT coalesce(sum(balance), 0) FROM account WHERE kind = 'exchange')
"""


def figures(connection: Connection) -> Figures:
    """Return the books in numbers. Raise `FAILURES`."""
    return Figures(*connection.execute(_FIGURES).fetchone())


_POT_MOVES = """
WITH pot_move AS (
    SELECT txn.game AS game, account.ref AS table_no, entry.amount AS amount
    FROM entry JOIN account ON account.id = entry.account JOIN txn ON txn.id = entry.txn WHERE account.kind = 'pot'
)
"""

_CHECKS: tuple[tuple[str, str], ...] = (
    (
        "account {} {} holds {}, its entries say {}",
        "SELECT kind, ref, balance, coalesce(sum(amount), 0) FROM account LEFT JOIN entry ON account = account.id"
        " GROUP BY account.id HAVING balance <> coalesce(sum(amount), 0)",
    ),
    (
        "all entries together sum to {}, not 0",
        "SELECT total FROM (SELECT sum(amount) AS total FROM entry) AS entries WHERE total <> 0",
    ),
    (
        "transaction {} ({}) sums to {}, not 0",
        "SELECT txn.id, key, sum(amount) FROM txn JOIN entry ON txn = txn.id GROUP BY txn.id HAVING sum(amount) <> 0",
    ),
    ("account {} {} is below zero: {}", "SELECT kind, ref, balance FROM account WHERE balance < 0 AND kind <> 'mint'"),
    (
        "the pot of table {} holds {} with {} open games",
        "SELECT ref + 1, balance, count(game.id) FROM account"
        " LEFT JOIN game ON table_no = ref AND closed IS NULL WHERE account.kind = 'pot'"
        " GROUP BY account.id HAVING count(game.id) > 1 OR (balance <> 0 AND count(game.id) = 0)",
    ),
    (
        "the pot of table {} holds {}, its open game {} says {}",
        _POT_MOVES + "SELECT place, balance, number, said FROM (SELECT ref + 1 AS place, balance, game.id AS number,"
        " (SELECT coalesce(sum(amount), 0) FROM pot_move WHERE pot_move.game = game.id) AS said"
        " FROM account JOIN game ON table_no = ref AND closed IS NULL WHERE account.kind = 'pot') AS pots"
        " WHERE balance <> said",
    ),
    (
        "game {} is closed, but left {} in the pot",
        _POT_MOVES + "SELECT game.id, sum(amount) FROM game JOIN pot_move ON pot_move.game = game.id"
        " WHERE closed IS NOT NULL GROUP BY game.id HAVING sum(amount) <> 0",
    ),
    (
        "{} CUBES moved at the pot of table {} belong to no game there",
        _POT_MOVES + "SELECT amount, pot_move.table_no + 1 FROM pot_move LEFT JOIN game ON game.id = pot_move.game"
        " WHERE game.id IS NULL OR game.table_no <> pot_move.table_no",
    ),
    (
        "game {} was not sealed, yet has a proof",
        "SELECT game.id FROM game JOIN proof ON proof.game = game.id WHERE seal IS NULL",
    ),
    (
        "user {} holds {} shares of company {}, the trades say {}",
        "SELECT user, coalesce(max(held), 0), company + 1, coalesce(sum(traded), 0) FROM"
        " (SELECT user, company, shares AS held, NULL AS traded FROM holding"
        " UNION ALL SELECT user, company, NULL, shares FROM trade) AS shares"
        " GROUP BY user, company HAVING coalesce(max(held), 0) <> coalesce(sum(traded), 0)",
    ),
    (
        "transaction {} ({}) and the trades do not agree whether it is one",
        "SELECT txn.id, key FROM txn LEFT JOIN trade ON trade.txn = txn.id"
        " WHERE (kind = 'shares') <> (trade.txn IS NOT NULL)",
    ),
    (
        "transaction {} ({}) is a trade of user {}, but moves {} CUBES of user {}",
        "SELECT txn.id, key, trade.user, amount, ref FROM trade JOIN txn ON txn.id = trade.txn"
        " JOIN entry ON entry.txn = txn.id JOIN account ON account.id = account WHERE account.kind = 'user'"
        " AND (ref <> trade.user OR (amount < 0) <> (trade.shares > 0))",
    ),
    (
        "transaction {} ({}) has no business with the account {}",
        "SELECT txn.id, key, account.kind FROM entry JOIN account ON account.id = account JOIN txn ON txn.id = txn"
        " WHERE (account.kind = 'exchange' AND txn.kind NOT IN ('exchange', 'shares', 'dividend'))"
        " OR (account.kind = 'mint' AND txn.kind IN ('shares', 'dividend'))",
    ),
)
_FILE_CHECKS: tuple[tuple[str, str], ...] = (
    ("a row of {} points to a missing {}", 'SELECT "table", parent FROM pragma_foreign_key_check'),
    ("the file is damaged: {}", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
)
"""Of SQLite. PostgreSQL keeps the foreign keys; whether its files are sound is asked by its own tools."""


def problems(connection: Connection) -> list[str]:
    """Return each problem with the books as a line; none if they are sound. Never raise for their content."""
    found: list[str] = []
    for text, query in _CHECKS + (_FILE_CHECKS if connection.engine == "sqlite" else ()):
        try:
            found += [text.format(*row) for row in connection.execute(query)]
        except FAILURES as error:
            found.append(f"a check cannot be made: {error}: {text}")
    return found + _ranking_problems(connection) + _problems_of_extras(connection) + _layout_problems(connection)


class Audit(NamedTuple):
    """What an extra finds wrong with the books (place `audits`)."""

    untrue: Callable[[Connection], list[str]]
    """Return each thing that is not what the books say, as a line. Raise `store.connection.FAILURES`."""


def _problems_of_extras(connection: Connection) -> list[str]:
    found: list[str] = []
    for one in announced("audits", Audit):
        try:
            found += one.untrue(connection)
        except FAILURES as error:
            found.append(f"a check cannot be made: {error}")
    return found


def _ranking_problems(connection: Connection) -> list[str]:
    try:
        return [f"the rankings of {date_of(day)} are not what its games say" for day in untrue(connection)]
    except FAILURES as error:
        return [f"a check cannot be made: {error}: the rankings"]


def _layout_problems(connection: Connection) -> list[str]:
    """Compare tables, indexes and triggers with new books: a missing trigger lets the next mistake in."""
    try:
        names = differences(connection, BOOKS)
    except FAILURES as error:
        return [f"a check cannot be made: {error}: the layout"]
    return [f"the layout of {name} is not what this program made" for name in names]
