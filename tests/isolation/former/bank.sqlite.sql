-- version 1
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
-- version 2
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, '''online'')', '''online'', ''grant'', ''take'')')
WHERE type = 'table' AND name = 'txn';
PRAGMA writable_schema = RESET;
CREATE INDEX txn_by_sysop ON txn (kind) WHERE kind IN ('grant', 'take');
-- version 3
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
-- version 4
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
-- version 5
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
-- version 6
ALTER TABLE game ADD COLUMN words TEXT;  -- JSON: [seat, word], ..., by which the sealed deck was dealt; NULL: see above
CREATE TRIGGER words_update BEFORE UPDATE OF words ON game BEGIN SELECT RAISE(ABORT, 'words are never changed'); END;
-- version 7
CREATE TABLE points (
    user INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES game (id),
    points INTEGER NOT NULL,
    PRIMARY KEY (user, game)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER points_update BEFORE UPDATE ON points BEGIN SELECT RAISE(ABORT, 'points are never changed'); END;
CREATE TRIGGER points_delete BEFORE DELETE ON points BEGIN SELECT RAISE(ABORT, 'points are never deleted'); END;
-- version 8
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, '''take'')', '''take'', ''house'')') WHERE type = 'table' AND name = 'txn';
PRAGMA writable_schema = RESET;
CREATE INDEX txn_of_house ON txn (at) WHERE kind = 'house';
-- version 9
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, '''house'', ''mint'')', '''house'', ''mint'', ''exchange'')')
WHERE type = 'table' AND name = 'account';
UPDATE sqlite_master SET sql =
    replace(sql, '''take'', ''house'')', '''take'', ''house'', ''allowance'', ''exchange'', ''shares'', ''dividend'')')
WHERE type = 'table' AND name = 'txn';
PRAGMA writable_schema = RESET;

CREATE TABLE market (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret TEXT NOT NULL,  -- the seed of the last day of all, which all others follow from
    founded REAL NOT NULL
) STRICT;

CREATE TABLE seed (
    day INTEGER PRIMARY KEY,
    seed TEXT NOT NULL
) STRICT;

CREATE TABLE hour (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    began REAL NOT NULL,
    prices TEXT NOT NULL  -- JSON: hundredths of a CUBE, by company
) STRICT;

CREATE TABLE trade (
    txn INTEGER PRIMARY KEY REFERENCES txn (id),
    user INTEGER NOT NULL,
    company INTEGER NOT NULL,
    shares INTEGER NOT NULL CHECK (shares <> 0),  -- below zero: sold, or paid when the company ended
    hour INTEGER NOT NULL REFERENCES hour (number)
) STRICT;

CREATE TABLE holding (
    user INTEGER NOT NULL,
    company INTEGER NOT NULL,
    shares INTEGER NOT NULL CHECK (shares >= 0),
    PRIMARY KEY (user, company)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER trade_moves AFTER INSERT ON trade BEGIN
    INSERT OR IGNORE INTO holding VALUES (NEW.user, NEW.company, 0);
    UPDATE holding SET shares = shares + NEW.shares WHERE user = NEW.user AND company = NEW.company;
END;
CREATE TRIGGER trade_update BEFORE UPDATE ON trade BEGIN SELECT RAISE(ABORT, 'a trade is never changed'); END;
CREATE TRIGGER trade_delete BEFORE DELETE ON trade BEGIN SELECT RAISE(ABORT, 'a trade is never deleted'); END;
CREATE TRIGGER hour_update BEFORE UPDATE ON hour BEGIN SELECT RAISE(ABORT, 'a price is never changed'); END;
CREATE TRIGGER hour_delete BEFORE DELETE ON hour BEGIN SELECT RAISE(ABORT, 'a price is never deleted'); END;
CREATE TRIGGER seed_update BEFORE UPDATE ON seed BEGIN SELECT RAISE(ABORT, 'a seed is never changed'); END;
CREATE TRIGGER seed_delete BEFORE DELETE ON seed BEGIN SELECT RAISE(ABORT, 'a seed is never deleted'); END;
CREATE TRIGGER market_update BEFORE UPDATE ON market BEGIN SELECT RAISE(ABORT, 'the secret is never changed'); END;
CREATE TRIGGER market_delete BEFORE DELETE ON market BEGIN SELECT RAISE(ABORT, 'the secret is never deleted'); END;

CREATE INDEX game_closed ON game (closed);
CREATE INDEX player_game ON player (game);

CREATE TABLE tally (
    kind TEXT NOT NULL,
    day INTEGER NOT NULL,  -- since the epoch
    user INTEGER NOT NULL,
    games INTEGER NOT NULL,
    won INTEGER NOT NULL,
    cubes INTEGER NOT NULL,
    points INTEGER,
    head INTEGER NOT NULL,  -- won in a row from the first game on
    tail INTEGER NOT NULL,  -- won in a row up to the last game
    run INTEGER NOT NULL,
    PRIMARY KEY (kind, day, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_user ON tally (user, day);

CREATE TABLE untallied (day INTEGER PRIMARY KEY) STRICT;
INSERT INTO untallied SELECT DISTINCT CAST(closed / 86400 AS INTEGER) FROM game WHERE closed IS NOT NULL;
CREATE TRIGGER game_closes AFTER UPDATE OF closed ON game WHEN NEW.closed IS NOT NULL BEGIN
    INSERT OR IGNORE INTO untallied VALUES (CAST(NEW.closed / 86400 AS INTEGER));
END;
-- version 10
ALTER TABLE game ADD COLUMN commitments TEXT;  -- JSON: {"frozen": [...], "discarded": [...]}
CREATE TRIGGER commitments_update BEFORE UPDATE OF commitments ON game BEGIN
    SELECT RAISE(ABORT, 'commitments are never changed');
END;
CREATE TABLE unrevealed (
    game INTEGER NOT NULL REFERENCES game (id),
    number INTEGER NOT NULL,
    user INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('withheld', 'lost')),
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX unrevealed_user ON unrevealed (user);
CREATE TRIGGER unrevealed_update BEFORE UPDATE ON unrevealed BEGIN
    SELECT RAISE(ABORT, 'what was not revealed is never changed');
END;
CREATE TRIGGER unrevealed_delete BEFORE DELETE ON unrevealed BEGIN
    SELECT RAISE(ABORT, 'what was not revealed is never deleted');
END;
-- version 11
CREATE TABLE rated (
    number INTEGER PRIMARY KEY,  -- in the order of rating
    game INTEGER NOT NULL UNIQUE REFERENCES game (id)
);
CREATE TABLE rating (
    kind TEXT NOT NULL,
    user INTEGER NOT NULL,
    number INTEGER NOT NULL REFERENCES rated (number),
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (kind, user, number)
);
CREATE INDEX rating_user ON rating (user, number);
-- version 12
CREATE TABLE gain (
    day INTEGER NOT NULL,
    who TEXT NOT NULL,
    cubes INTEGER NOT NULL,
    PRIMARY KEY (day, who)
);
-- version 13
CREATE TABLE daily_deal (
    day INTEGER NOT NULL,
    kind TEXT NOT NULL,
    cards TEXT NOT NULL,
    secret TEXT NOT NULL,
    program TEXT NOT NULL,
    PRIMARY KEY (day, kind)
);
CREATE TABLE daily_play (
    day INTEGER NOT NULL,
    kind TEXT NOT NULL,
    user INTEGER NOT NULL,
    began REAL NOT NULL,
    moves TEXT NOT NULL,
    result INTEGER,
    seconds INTEGER NOT NULL,
    PRIMARY KEY (day, kind, user)
);
CREATE INDEX daily_play_user ON daily_play (user, day);
-- version 14
CREATE TABLE watched (
    user INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES game (id),
    PRIMARY KEY (user, game)
);
CREATE TABLE laid_open (
    game INTEGER NOT NULL REFERENCES game (id),
    user INTEGER NOT NULL,
    PRIMARY KEY (game, user)
);
-- version 15
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    host INTEGER NOT NULL,  -- the user who called it; 0: a sysop
    starts REAL NOT NULL,
    every INTEGER NOT NULL,  -- days until the next one; 0: there is none
    rounds INTEGER NOT NULL,
    length INTEGER NOT NULL,  -- of a match, as the game counts that
    entry INTEGER NOT NULL,  -- the fee
    swiss INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'running', 'over', 'off')),
    round INTEGER NOT NULL,
    ended REAL
);
CREATE INDEX tournament_live ON tournament (starts) WHERE state IN ('open', 'running');
CREATE INDEX tournament_ended ON tournament (ended);
CREATE TABLE entrant (
    tournament INTEGER NOT NULL REFERENCES tournament (id),
    user INTEGER NOT NULL,
    number INTEGER NOT NULL,  -- in the order of signing up
    rank INTEGER,
    prize INTEGER,
    PRIMARY KEY (tournament, user)
);
CREATE TABLE bout (
    tournament INTEGER NOT NULL REFERENCES tournament (id),
    round INTEGER NOT NULL,
    board INTEGER NOT NULL,
    place INTEGER,  -- the table's number
    since INTEGER NOT NULL,  -- the newest game when the table was chosen
    began REAL NOT NULL,
    ended REAL,
    is_played INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tournament, round, board)
);
CREATE TABLE bout_player (
    tournament INTEGER NOT NULL REFERENCES tournament (id),
    round INTEGER NOT NULL,
    user INTEGER NOT NULL,
    board INTEGER NOT NULL,  -- 0: sits out
    points INTEGER,
    PRIMARY KEY (tournament, round, user)
);
