"""The bank's books: their layout in SQL, what makes them sound, and their figures.

Owns the tables of `bank.sqlite` and the audit; never moves a CUBE (`bank` does). Invariants, kept by the tables as far
as SQL can, and looked for by `problems`:

* Every transaction's entries sum to zero, so all entries do; an account's balance is the sum of its entries.
* Only `mint` is below zero: what it owes is all the money there is.
* Transactions and entries are never changed, a closed game neither.
* A table has one pot account and at most one open game; the pot holds what that game's entries say, else nothing.
* A game's seal, words, deeds and proof are written once; what it sealed is written when it is closed, not before.
"""

import sqlite3

import msgspec

from yawc_poker.casino.store import Schema, migrate

_FIRST = """
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'pot', 'house', 'mint')),
    ref INTEGER NOT NULL,  -- user id, table number, 0
    balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0 OR kind = 'mint'),
    UNIQUE (kind, ref)
) STRICT;
INSERT INTO account (kind, ref) VALUES ('house', 0), ('mint', 0);

CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_no INTEGER NOT NULL,
    kind TEXT NOT NULL,
    opened REAL NOT NULL,
    closed REAL,
    outcome TEXT CHECK (outcome IN ('won', 'lost', 'refunded')),
    CHECK ((closed IS NULL) = (outcome IS NULL))
) STRICT;
CREATE UNIQUE INDEX game_open ON game (table_no) WHERE closed IS NULL;

CREATE TABLE txn (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('welcome', 'ante', 'bet', 'payout', 'refund', 'online')),
    game INTEGER REFERENCES game (id),
    at REAL NOT NULL
) STRICT;
CREATE INDEX txn_game ON txn (game) WHERE game IS NOT NULL;

CREATE TABLE entry (
    txn INTEGER NOT NULL REFERENCES txn (id),
    account INTEGER NOT NULL REFERENCES account (id),
    amount INTEGER NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (txn, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_account ON entry (account);

CREATE TABLE online (
    account INTEGER PRIMARY KEY REFERENCES account (id),
    credit REAL NOT NULL CHECK (credit >= 0),  -- seconds times CUBES an hour; 3600 are a CUBE
    last_key TEXT NOT NULL
) STRICT;

CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id),
    game INTEGER NOT NULL REFERENCES game (id),
    amount INTEGER NOT NULL,
    told REAL
) STRICT;
CREATE INDEX notice_untold ON notice (account) WHERE told IS NULL;

CREATE TRIGGER entry_moves AFTER INSERT ON entry BEGIN
    UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account;
END;
CREATE TRIGGER entry_late BEFORE INSERT ON entry WHEN NEW.txn <> (SELECT max(id) FROM txn) BEGIN
    SELECT RAISE(ABORT, 'a transaction of the past gets no further entry');
END;
CREATE TRIGGER entry_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
CREATE TRIGGER entry_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'an entry is never deleted'); END;
CREATE TRIGGER txn_update BEFORE UPDATE ON txn BEGIN SELECT RAISE(ABORT, 'a transaction is never changed'); END;
CREATE TRIGGER txn_delete BEFORE DELETE ON txn BEGIN SELECT RAISE(ABORT, 'a transaction is never deleted'); END;
CREATE TRIGGER txn_closed BEFORE INSERT ON txn WHEN (SELECT closed FROM game WHERE id = NEW.game) IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'a closed game gets no further transaction');
END;
CREATE TRIGGER game_update BEFORE UPDATE ON game
WHEN OLD.closed IS NOT NULL OR NEW.id <> OLD.id OR NEW.table_no <> OLD.table_no BEGIN
    SELECT RAISE(ABORT, 'a closed game is never changed');
END;
CREATE TRIGGER game_delete BEFORE DELETE ON game BEGIN SELECT RAISE(ABORT, 'a game is never deleted'); END;
"""

# A CHECK cannot be altered, and to copy `txn` would pull it from under `entry`: its text is edited, as SQLite's manual
# has it for changes that concern no row already written. The index after it tells other connections to look again.
_BY_SYSOPS = """
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, '''online'')', '''online'', ''grant'', ''take'')')
WHERE type = 'table' AND name = 'txn';
PRAGMA writable_schema = RESET;
CREATE INDEX txn_by_sysop ON txn (kind) WHERE kind IN ('grant', 'take');
"""

_HISTORY = """
ALTER TABLE game ADD COLUMN seal TEXT;  -- SHA-256 of the game's chance and a salt, told before anybody could act

CREATE TABLE deed (
    game INTEGER NOT NULL REFERENCES game (id),
    number INTEGER NOT NULL CHECK (number >= 0),  -- the game's action, as in the keys of its bets
    at REAL NOT NULL,  -- seconds since the deal
    kind TEXT NOT NULL,
    seat INTEGER NOT NULL,  -- from 0
    user INTEGER NOT NULL,
    detail TEXT NOT NULL,  -- JSON: the move, or what it was dealt from; or empty
    cash TEXT,  -- JSON: what each seat owned, where that had changed from outside
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE proof (
    game INTEGER PRIMARY KEY REFERENCES game (id),
    sealed TEXT NOT NULL,
    salt TEXT NOT NULL,
    hands TEXT NOT NULL  -- JSON: [deed, seat, cards], ...
) STRICT;

CREATE TRIGGER deed_update BEFORE UPDATE ON deed BEGIN SELECT RAISE(ABORT, 'a deed is never changed'); END;
CREATE TRIGGER deed_delete BEFORE DELETE ON deed BEGIN SELECT RAISE(ABORT, 'a deed is never deleted'); END;
CREATE TRIGGER proof_update BEFORE UPDATE ON proof BEGIN SELECT RAISE(ABORT, 'a proof is never changed'); END;
CREATE TRIGGER proof_delete BEFORE DELETE ON proof BEGIN SELECT RAISE(ABORT, 'a proof is never deleted'); END;
CREATE TRIGGER proof_early BEFORE INSERT ON proof WHEN (SELECT closed FROM game WHERE id = NEW.game) IS NULL BEGIN
    SELECT RAISE(ABORT, 'what is sealed is told when the game is over');
END;
CREATE TRIGGER seal_update BEFORE UPDATE OF seal ON game BEGIN SELECT RAISE(ABORT, 'a seal is never changed'); END;
"""

# Who played in which game: who paid an ante, and where nobody pays, who sat there when it began. Found by user without
# looking at everybody's games.
_PLAYERS = """
CREATE TABLE player (
    user INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES game (id),
    PRIMARY KEY (user, game)
) STRICT, WITHOUT ROWID;
INSERT INTO player
SELECT account.ref, txn.game FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account
WHERE txn.kind = 'ante' AND account.kind = 'user';
INSERT OR IGNORE INTO player
SELECT json_extract(person.value, '$[1]'), deed.game FROM deed, json_each(deed.detail, '$.people') AS person
WHERE deed.number = 0 AND NOT EXISTS (SELECT 1 FROM txn WHERE txn.game = deed.game AND txn.kind = 'ante');
CREATE TRIGGER player_update BEFORE UPDATE ON player BEGIN SELECT RAISE(ABORT, 'a player is never changed'); END;
CREATE TRIGGER player_delete BEFORE DELETE ON player BEGIN SELECT RAISE(ABORT, 'a player is never deleted'); END;
"""

# Who won a game, also where nothing was paid. Of older games only those with a pot are known.
_WINNERS = """
CREATE TABLE winner (
    game INTEGER NOT NULL REFERENCES game (id),
    user INTEGER NOT NULL,
    PRIMARY KEY (game, user)
) STRICT, WITHOUT ROWID;
INSERT INTO winner
SELECT txn.game, account.ref FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account
WHERE txn.kind = 'payout' AND account.kind = 'user';
CREATE TRIGGER winner_update BEFORE UPDATE ON winner BEGIN SELECT RAISE(ABORT, 'a winner is never changed'); END;
CREATE TRIGGER winner_delete BEFORE DELETE ON winner BEGIN SELECT RAISE(ABORT, 'a winner is never deleted'); END;
"""

# Two kinds of seals. The former: SHA-256 of the order as dealt and one salt, which `proof` has in `sealed` and `salt`.
# Now (`words` is not NULL): over a row of commitments, dealt by the words; `sealed` is the order by position, `salt` is
# the secret that all salts come from.
_WORDS = """
ALTER TABLE game ADD COLUMN words TEXT;  -- JSON: [seat, word], ..., by which the sealed deck was dealt; NULL: see above
CREATE TRIGGER words_update BEFORE UPDATE OF words ON game BEGIN SELECT RAISE(ABORT, 'words are never changed'); END;
"""

BOOKS = Schema(application=0x59415742, steps=(_FIRST, _BY_SYSOPS, _HISTORY, _PLAYERS, _WINNERS, _WORDS))


class Figures(msgspec.Struct, frozen=True):
    """The books in numbers. `minted` = `cash` + `pots` + `house`, all in whole CUBES."""

    minted: int
    cash: int
    """What all users own."""
    pots: int
    house: int
    users: int
    transactions: int
    games: int
    open_games: int


_FIGURES = """
SELECT
    -(SELECT sum(balance) FROM account WHERE kind = 'mint'),
    (SELECT ifnull(sum(balance), 0) FROM account WHERE kind = 'user'),
    (SELECT ifnull(sum(balance), 0) FROM account WHERE kind = 'pot'),
    (SELECT sum(balance) FROM account WHERE kind = 'house'),
    (SELECT count(*) FROM account WHERE kind = 'user'),
    (SELECT count(*) FROM txn),
    (SELECT count(*) FROM game),
    (SELECT count(*) FROM game WHERE closed IS NULL)
"""


def figures(connection: sqlite3.Connection) -> Figures:
    """Count; raises `sqlite3.Error`."""
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
        "SELECT kind, ref, balance, ifnull(sum(amount), 0) AS said FROM account LEFT JOIN entry ON account = account.id"
        " GROUP BY account.id HAVING balance <> said",
    ),
    (
        "all entries together sum to {}, not 0",
        "SELECT total FROM (SELECT sum(amount) AS total FROM entry) WHERE total <> 0",
    ),
    (
        "transaction {} ({}) sums to {}, not 0",
        "SELECT txn.id, key, sum(amount) AS total FROM txn JOIN entry ON txn = txn.id"
        " GROUP BY txn.id HAVING total <> 0",
    ),
    ("account {} {} is below zero: {}", "SELECT kind, ref, balance FROM account WHERE balance < 0 AND kind <> 'mint'"),
    (
        "the pot of table {} holds {} with {} open games",
        "SELECT ref + 1, balance, count(game.id) AS open FROM account"
        " LEFT JOIN game ON table_no = ref AND closed IS NULL WHERE account.kind = 'pot'"
        " GROUP BY account.id HAVING open > 1 OR (balance <> 0 AND open = 0)",
    ),
    (
        "the pot of table {} holds {}, its open game {} says {}",
        _POT_MOVES + "SELECT ref + 1, balance, game.id,"
        " (SELECT ifnull(sum(amount), 0) FROM pot_move WHERE pot_move.game = game.id) AS said"
        " FROM account JOIN game ON table_no = ref AND closed IS NULL WHERE account.kind = 'pot' AND balance <> said",
    ),
    (
        "game {} is closed, but left {} in the pot",
        _POT_MOVES + "SELECT game.id, sum(amount) AS rest FROM game JOIN pot_move ON pot_move.game = game.id"
        " WHERE closed IS NOT NULL GROUP BY game.id HAVING rest <> 0",
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
    ("a row of {} points to a missing {}", 'SELECT "table", parent FROM pragma_foreign_key_check'),
    ("the file is damaged: {}", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
)


def problems(connection: sqlite3.Connection) -> list[str]:
    """Give what is wrong with the books, one line each; nothing if they are sound. Never raises for their content."""
    found: list[str] = []
    for text, query in _CHECKS:
        try:
            found += [text.format(*row) for row in connection.execute(query)]
        except sqlite3.Error as error:
            found.append(f"a check cannot be made: {error}: {text}")
    return found + _layout_problems(connection)


def _layout_problems(connection: sqlite3.Connection) -> list[str]:
    """Compare tables, indexes and triggers with new books: a missing trigger lets the next mistake in."""
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(fresh, BOOKS, 0)
        wanted, there = _layout(fresh), _layout(connection)
    finally:
        fresh.close()
    names = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    return [f"the layout of {name} is not what this program made" for name in names]


def _layout(connection: sqlite3.Connection) -> dict[str, str]:
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {str(name): str(sql) for name, sql in rows}
