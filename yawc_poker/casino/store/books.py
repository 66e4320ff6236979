"""The tables of the bank's books: the file `bank.sqlite`, or the schema `bank`.

Owns the description only; never moves a CUBE (`bank` does). Invariants, kept by the tables as far as SQL can, and
looked for by `bank.audit`:

* Every transaction's entries sum to zero, so all entries do; an account's balance is the sum of its entries.
* Only `mint` is below zero: what it owes is all the money there is.
* Transactions and entries are never changed, a closed game neither.
* A table has one pot account and at most one open game; the pot holds what that game's entries say, else nothing.
* The kept tallies of a day are what its games and the ledger say; the day of a game that is closed is untallied.
* A game's seal, words, commitments, actions (table `deed`) and proof are written once; the sealed cards
  are written when the game is closed, not before.
* Table `gain`: what people won from house players on a day (`bank.winnings`), for nobody else to read.
* The house's account for a tournament, whose `ref` is the tournament's number below zero, holds its fees until it ends.
* What somebody holds of a company is the sum of their trades; each trade is noted with the transaction of its CUBES.

What differs in PostgreSQL:

* A trigger's sight of other rows is that of its moment, so where another transaction could change them before this one
  ends, it locks what it reads.
* An entry belongs to a transaction of the books that was written by the same transaction of the database (`xact`).
* Who is given a transaction's number shows that meanwhile (`store.turns`), since readers follow them.
* A day that a game is closed in is held in `untallied` until that is done: whoever keeps the day's tallies, and so
  takes the row away, waits for it, and counts that game, too (`casino.rankings.days`).
"""

from typing import Final

from yawc_poker.casino.store.layout import Layout, Refusal, Table, shown_when_given

_COMMITMENTS_STAY: Final = Refusal(
    "commitments_update", "UPDATE OF commitments ON game", "commitments are never changed"
)
# Whose text was missing in the deals that came to nothing before a game.
_UNREVEALED: Final = Table(
    "unrevealed",
    """
    game INTEGER NOT NULL REFERENCES game (id),
    number INTEGER NOT NULL,
    user INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('withheld', 'lost')),
    PRIMARY KEY (game, number)
""",
    "CREATE INDEX unrevealed_user ON unrevealed (user);",
    never="what was not revealed is never",
)

_TABLES: Final = (
    # The accounts of house players are of the kind `house`, with the user's number for `ref`; what the house holds for
    # a tournament, with the tournament's number below zero.
    Table(
        "account",
        """
    id NUMBER,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'pot', 'house', 'mint', 'exchange')),
    ref INTEGER NOT NULL,  -- user id, table number, 0
    balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0 OR kind = 'mint'),
    UNIQUE (kind, ref)
""",
        "INSERT INTO account (kind, ref) VALUES ('house', 0), ('mint', 0);",
        fill=70,
    ),
    # Two kinds of seals. The former: SHA-256 of the order as dealt and one salt, which `proof` has in `sealed` and
    # `salt`. Now (`words` is not NULL): over a row of commitments, dealt by the words; `sealed` is the order by
    # position, `salt` is the secret that all salts come from. Of games whose words everybody saw `commitments` is NULL.
    Table(
        "game",
        """
    id NUMBER ONCE,
    table_no INTEGER NOT NULL,
    kind TEXT NOT NULL,
    opened REAL NOT NULL,
    closed REAL,
    outcome TEXT CHECK (outcome IN ('won', 'lost', 'refunded')),
    seal TEXT,  -- SHA-256 of the game's chance and a salt, told before anybody could act
    words TEXT,  -- JSON: (seat, word), ..., by which the sealed deck was dealt
    commitments TEXT,  -- JSON: what the players were committed to, and the deals that came to nothing (sealing.Begun)
    CHECK ((closed IS NULL) = (outcome IS NULL))
""",
        """
CREATE UNIQUE INDEX game_open ON game (table_no) WHERE closed IS NULL;
CREATE INDEX game_closed ON game (closed);
""",
    ),
    Table(
        "txn",
        """
    id NUMBER,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN (
        'welcome', 'ante', 'bet', 'payout', 'refund', 'online', 'grant', 'take', 'house', 'allowance', 'exchange',
        'shares', 'dividend'
    )),
    game INTEGER REFERENCES game (id),
    at REAL NOT NULL[,
    xact xid8 NOT NULL DEFAULT pg_current_xact_id()]
""",
        """
CREATE INDEX txn_game ON txn (game) WHERE game IS NOT NULL;
CREATE INDEX txn_by_sysop ON txn (kind) WHERE kind IN ('grant', 'take');
CREATE INDEX txn_of_house ON txn (at) WHERE kind = 'house';
""",
        never="a transaction is never",
    ),
    Table(
        "entry",
        """
    txn INTEGER NOT NULL REFERENCES txn (id),
    account INTEGER NOT NULL REFERENCES account (id),
    amount INTEGER NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (txn, account)
""",
        "CREATE INDEX entry_account ON entry (account[, txn]);",
        never="an entry is never",
    ),
    Table(
        "online",
        """
    account INTEGER PRIMARY KEY REFERENCES account (id),
    credit REAL NOT NULL CHECK (credit >= 0),  -- seconds times CUBES an hour; 3600 are a CUBE
    last_key TEXT NOT NULL
""",
    ),
    Table(
        "notice",
        """
    id NUMBER,
    account INTEGER NOT NULL REFERENCES account (id),
    game INTEGER NOT NULL REFERENCES game (id),
    amount INTEGER NOT NULL,
    told REAL
""",
        "CREATE INDEX notice_untold ON notice (account) WHERE told IS NULL;",
    ),
    Table(
        "deed",
        """
    game INTEGER NOT NULL REFERENCES game (id),
    number INTEGER NOT NULL CHECK (number >= 0),  -- the game's action, as in the keys of its bets
    at REAL NOT NULL,  -- seconds since the deal
    kind TEXT NOT NULL,
    seat INTEGER NOT NULL,  -- from 0
    user INTEGER NOT NULL,
    detail TEXT NOT NULL,  -- JSON: the move, or what it was dealt from; or empty
    cash TEXT,  -- JSON: what each seat owned, where that had changed from outside
    PRIMARY KEY (game, number)
""",
        never="a deed is never",
    ),
    Table(
        "proof",
        """
    game INTEGER PRIMARY KEY REFERENCES game (id),
    sealed TEXT NOT NULL,
    salt TEXT NOT NULL,
    hands TEXT NOT NULL  -- JSON: (deed, seat, cards), ...
""",
        never="a proof is never",
    ),
    # Who played in which game: those who paid an ante, or, where nobody pays, those who sat there when it began. Found
    # by user without looking at everybody's games.
    Table(
        "player",
        """
    user INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES game (id),
    PRIMARY KEY (user, game)
""",
        "CREATE INDEX player_game ON player (game);",
        never="a player is never",
    ),
    # The winners of a game, also where nothing was paid. Of the oldest games only those with a pot are known.
    Table(
        "winner",
        """
    game INTEGER NOT NULL REFERENCES game (id),
    user INTEGER NOT NULL,
    PRIMARY KEY (game, user)
""",
        never="a winner is never",
    ),
    # What players have scored, in games that count points. Of the oldest games it is not known.
    Table(
        "points",
        """
    user INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES game (id),
    points INTEGER NOT NULL,
    PRIMARY KEY (user, game)
""",
        never="points are never",
    ),
    Table(
        "market",
        """
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret TEXT NOT NULL,  -- the seed of the last day of all, which all others follow from
    founded REAL NOT NULL
""",
        never="the secret is never",
    ),
    # Of the seeds, day -1 is public from the beginning, any other once the day is over.
    Table(
        "seed",
        """
    day INTEGER PRIMARY KEY,
    seed TEXT NOT NULL
""",
        never="a seed is never",
    ),
    Table(
        "hour",
        """
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    began REAL NOT NULL,
    prices TEXT NOT NULL  -- JSON: hundredths of a CUBE, by company
""",
        never="a price is never",
    ),
    Table(
        "trade",
        """
    txn INTEGER PRIMARY KEY REFERENCES txn (id),
    user INTEGER NOT NULL,
    company INTEGER NOT NULL,
    shares INTEGER NOT NULL CHECK (shares <> 0),  -- below zero: sold, or paid when the company ended
    hour INTEGER NOT NULL REFERENCES hour (number)
""",
        never="a trade is never",
    ),
    Table(
        "holding",
        """
    user INTEGER NOT NULL,
    company INTEGER NOT NULL,
    shares INTEGER NOT NULL CHECK (shares >= 0),
    PRIMARY KEY (user, company)
""",
    ),
    # Tallies of the days that are over, which can be counted anew at any time (`casino.rankings.days`): a row for each
    # kind of game, and for all kinds together (''), of a day in UTC. A day in which a game is closed is untallied.
    Table(
        "tally",
        """
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
""",
        "CREATE INDEX tally_user ON tally (user, day);",
    ),
    Table("untallied", "day INTEGER PRIMARY KEY"),
    _UNREVEALED,
)

_OF_FILE: Final = """
CREATE TRIGGER entry_moves AFTER INSERT ON entry BEGIN
    UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account;
END;
CREATE TRIGGER entry_late BEFORE INSERT ON entry WHEN NEW.txn <> (SELECT max(id) FROM txn) BEGIN
    SELECT RAISE(ABORT, 'a transaction of the past gets no further entry');
END;
CREATE TRIGGER txn_closed BEFORE INSERT ON txn WHEN (SELECT closed FROM game WHERE id = NEW.game) IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'a closed game gets no further transaction');
END;
CREATE TRIGGER proof_early BEFORE INSERT ON proof WHEN (SELECT closed FROM game WHERE id = NEW.game) IS NULL BEGIN
    SELECT RAISE(ABORT, 'what is sealed is told when the game is over');
END;
CREATE TRIGGER trade_moves AFTER INSERT ON trade BEGIN
    INSERT OR IGNORE INTO holding VALUES (NEW.user, NEW.company, 0);
    UPDATE holding SET shares = shares + NEW.shares WHERE user = NEW.user AND company = NEW.company;
END;
CREATE TRIGGER game_closes AFTER UPDATE OF closed ON game WHEN NEW.closed IS NOT NULL BEGIN
    INSERT OR IGNORE INTO untallied VALUES (CAST(NEW.closed / 86400 AS INTEGER));
END;
"""

_TXN_DRAWN: Final = shown_when_given("bank", "txn")
_OF_SERVER: Final = (
    """
CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE FUNCTION entry_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bank.account SET balance = balance + NEW.amount WHERE id = NEW.account;
    RETURN NULL;
END
$$;

CREATE FUNCTION entry_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT xact FROM bank.txn WHERE id = NEW.txn) IS DISTINCT FROM pg_current_xact_id() THEN
        RAISE EXCEPTION 'a transaction of the past gets no further entry'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION txn_closed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ended double precision;
BEGIN
    SELECT closed INTO ended FROM bank.game WHERE id = NEW.game FOR SHARE;
    IF ended IS NOT NULL THEN
        RAISE EXCEPTION 'a closed game gets no further transaction' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION proof_early() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT closed FROM bank.game WHERE id = NEW.game) IS NULL THEN
        RAISE EXCEPTION 'what is sealed is told when the game is over'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION trade_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bank.holding VALUES (NEW."user", NEW.company, 0) ON CONFLICT DO NOTHING;
    UPDATE bank.holding SET shares = shares + NEW.shares WHERE "user" = NEW."user" AND company = NEW.company;
    RETURN NULL;
END
$$;

CREATE FUNCTION game_closes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ended bigint := floor(NEW.closed / 86400);
BEGIN
    LOOP
        PERFORM 1 FROM bank.untallied WHERE day = ended FOR SHARE;
        EXIT WHEN FOUND;
        INSERT INTO bank.untallied VALUES (ended) ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER entry_late BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION entry_late();
CREATE TRIGGER entry_moves AFTER INSERT ON entry FOR EACH ROW EXECUTE FUNCTION entry_moves();
CREATE TRIGGER txn_closed BEFORE INSERT ON txn FOR EACH ROW WHEN (NEW.game IS NOT NULL)
    EXECUTE FUNCTION txn_closed();
CREATE TRIGGER proof_early BEFORE INSERT ON proof FOR EACH ROW EXECUTE FUNCTION proof_early();
CREATE TRIGGER trade_moves AFTER INSERT ON trade FOR EACH ROW EXECUTE FUNCTION trade_moves();
CREATE TRIGGER game_closes AFTER UPDATE OF closed ON game FOR EACH ROW WHEN (NEW.closed IS NOT NULL)
    EXECUTE FUNCTION game_closes();
"""
    + _TXN_DRAWN
)


# What older files knew of players and winners. Their days are counted anew.
_PLAYERS_OF_BEFORE: Final = """
INSERT INTO player
SELECT account.ref, txn.game FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account
WHERE txn.kind = 'ante' AND account.kind = 'user';
INSERT OR IGNORE INTO player
SELECT json_extract(person.value, '$[1]'), deed.game FROM deed, json_each(deed.detail, '$.people') AS person
WHERE deed.number = 0 AND NOT EXISTS (SELECT 1 FROM txn WHERE txn.game = deed.game AND txn.kind = 'ante');
"""
_WINNERS_OF_BEFORE: Final = """
INSERT INTO winner
SELECT txn.game, account.ref FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account
WHERE txn.kind = 'payout' AND account.kind = 'user';
"""
_DAYS_OF_BEFORE: Final = """
INSERT INTO untallied SELECT DISTINCT CAST(closed / 86400 AS INTEGER) FROM game WHERE closed IS NOT NULL;
"""

_RATINGS: Final = """
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
"""
"""Of the extra `ratings`: what each rated game made of the ratings of those who played it."""

_GAIN: Final = """
CREATE TABLE gain (
    day INTEGER NOT NULL,  -- since the epoch
    who TEXT NOT NULL,  -- a user, a network, or all
    cubes INTEGER NOT NULL,
    PRIMARY KEY (day, who)
);
"""

_DAILY: Final = """
CREATE TABLE daily_deal (
    day INTEGER NOT NULL,  -- since the epoch
    kind TEXT NOT NULL,
    cards TEXT NOT NULL,  -- by position; sealed until the day is over
    secret TEXT NOT NULL,
    program TEXT NOT NULL,  -- of its house players
    PRIMARY KEY (day, kind)
);
CREATE TABLE daily_play (
    day INTEGER NOT NULL,
    kind TEXT NOT NULL,
    user INTEGER NOT NULL,
    began REAL NOT NULL,
    moves TEXT NOT NULL,  -- JSON: each move as JSON
    result INTEGER,
    seconds INTEGER NOT NULL,
    PRIMARY KEY (day, kind, user)
);
CREATE INDEX daily_play_user ON daily_play (user, day);
"""
"""Of the extra `daily`: the deal of a day for each game, and what everybody made of it."""

_REPLAYS: Final = """
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
"""
"""Of the extra `replay`: who looked on at a game, and which of its players have laid it open to all."""

_TOURNAMENTS: Final = """
CREATE TABLE tournament (
    id NUMBER,
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
"""
"""Of the extra `tournaments`: who entered, who sits with whom in a round, and what came of it."""

BOOKS: Final = Layout(
    schema="bank",
    tables=_TABLES,
    of_file=_OF_FILE,
    of_server=_OF_SERVER,
    refusals=(
        Refusal(
            "game_update",
            "UPDATE ON game",
            "a closed game is never changed",
            "OLD.closed IS NOT NULL OR NEW.id <> OLD.id OR NEW.table_no <> OLD.table_no",
        ),
        Refusal("seal_update", "UPDATE OF seal ON game", "a seal is never changed"),
        Refusal("words_update", "UPDATE OF words ON game", "words are never changed"),
        _COMMITMENTS_STAY,
        Refusal("game_delete", "DELETE ON game", "a game is never deleted"),
        Refusal("game_truncate", "TRUNCATE ON game", "a game is never deleted"),
    ),
    mark=0x59415742,
    first_of_files=10,
    missing=(("player", _PLAYERS_OF_BEFORE), ("winner", _WINNERS_OF_BEFORE), ("untallied", _DAYS_OF_BEFORE)),
    before=(
        _TXN_DRAWN,
        'ALTER TABLE game ADD COLUMN commitments text COLLATE "C";\n'
        + _UNREVEALED.made("postgresql")
        + "".join(one.made("postgresql") for one in (_COMMITMENTS_STAY, *_UNREVEALED.refusals)),
    ),
    steps=(_RATINGS, _GAIN, _DAILY, _REPLAYS, _TOURNAMENTS),
)
