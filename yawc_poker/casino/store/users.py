"""The tables of the users: the file `users.sqlite`, or the schema `users`. Accounts, their messages, keys and places,
sysop actions, bans, guesses, registrations and invitations, who came and went, and how callers meet.

Owns the description only; `accounts`, `messages`, `keys`, `places`, `sysop_log`, `bans`, `login_attempts`,
`registrations` and `invitations` own the rows, `casino.users.visits` those of `visit`, the modules of `casino.meeting`
theirs. Times are epoch seconds; a time that never comes is Infinity.

On PostgreSQL a sequence's number may become visible after a later one, and a number of a transaction that was undone is
missing. Readers who follow `act` by number would miss the first and count the second as lost. So it is numbered by a
row of `numbering`, which is locked until the transaction ends: numbers appear in their order, without gaps, and none is
given twice. A row that is written with a number of its own moves that on. Everybody who comes or goes writes a `visit`,
so these have a sequence, and do not wait for each other: who is given a number shows that meanwhile (`store.turns`).
"""

from typing import Final

from yawc_poker.casino.store.layout import Layout, Table, in_words_of, shown_when_given

_GUESS: Final = Table(
    "guess",
    """
    kind TEXT NOT NULL CHECK (kind IN ('account', 'home', 'network', 'origin')),
    user INTEGER NOT NULL,  -- at whose account; 0: at whatever account
    place TEXT NOT NULL,  -- from where; empty: from wherever the user is not known
    tries INTEGER NOT NULL,
    since REAL NOT NULL,  -- from when on they are counted
    at REAL NOT NULL,  -- when the last one was asked for
    wait REAL NOT NULL,  -- seconds from then to its turn
    PRIMARY KEY (kind, user, place)
""",
    "CREATE INDEX guess_at ON guess (at);",
)
_ALERT: Final = Table(
    "alert",
    """
    id NUMBER ONCE,
    user INTEGER NOT NULL REFERENCES user (id),
    kind TEXT NOT NULL CHECK (kind IN ('password', 'key', 'place')),
    origin TEXT NOT NULL,  -- from where
    detail TEXT NOT NULL,  -- the fingerprint of a key
    at REAL NOT NULL
""",
    "CREATE INDEX alert_user ON alert (user, id);",
)

_INVITATION: Final = Table(
    "invitation",
    """
    token TEXT NOT NULL PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES user (id),  -- who invites
    place TEXT NOT NULL,  -- the table, as links name it
    until REAL NOT NULL
""",
)
_GUESTS: Final = "CREATE INDEX user_guest ON user (id) WHERE guest = 1 AND closed IS NULL;\n"

_TABLES: Final = (
    Table(
        "user",
        """
    id NUMBER ONCE,  -- the bank knows users by it
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    charset TEXT,
    created REAL NOT NULL,
    last_login REAL,
    last_from TEXT,
    sysop INTEGER NOT NULL DEFAULT 0 CHECK (sysop IN (0, 1)),
    twit_until REAL NOT NULL DEFAULT 0,
    closed REAL,
    look_key TEXT,  -- NULL: an older account holds it
    must_change INTEGER NOT NULL DEFAULT 0 CHECK (must_change IN (0, 1)),
    preferences TEXT NOT NULL DEFAULT '{}',  -- JSON (appearance.preferences)
    guest INTEGER NOT NULL DEFAULT 0 CHECK (guest IN (0, 1))  -- 1: no password opens it, and it ends with its session
""",
        "CREATE UNIQUE INDEX user_look ON user (look_key);\n" + _GUESTS,
    ),
    Table(
        "message",
        """
    id NUMBER ONCE,
    from_id INTEGER NOT NULL REFERENCES user (id),
    from_name TEXT NOT NULL,
    to_id INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    sent REAL NOT NULL,
    read REAL
""",
        """
CREATE INDEX message_unread ON message (to_id[, id]) WHERE read IS NULL;
CREATE INDEX message_read ON message (read[, id]) WHERE read IS NOT NULL;
CREATE INDEX message_kept ON message (to_id, id) WHERE read IS NOT NULL;
""",
    ),
    Table(
        "act",
        """
    id NUMBER IN ORDER,  -- the keys of the ledger name it
    kind TEXT NOT NULL,
    user INTEGER REFERENCES user (id),  -- NULL: an address, or everybody
    target TEXT NOT NULL,  -- the name, the address, or nothing
    until REAL,
    cubes INTEGER,
    reason TEXT NOT NULL,
    by TEXT NOT NULL,
    at REAL NOT NULL,
    pending INTEGER NOT NULL DEFAULT 0 CHECK (pending IN (0, 1)),  -- 1: the ledger may not have moved its CUBES yet
    told REAL  -- when the user read of it
""",
        """
CREATE INDEX act_user ON act (user[, id]) WHERE user IS NOT NULL;
CREATE INDEX act_pending ON act (id) WHERE pending = 1;
""",
    ),
    Table(
        "ban",
        """
    kind TEXT NOT NULL CHECK (kind IN ('name', 'address')),
    target TEXT NOT NULL,  -- the key of a name; an address, or a network as ADDRESS/BITS
    until REAL NOT NULL,
    reason TEXT NOT NULL,
    by TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (kind, target)
""",
    ),
    Table(
        "familiar",
        """
    user INTEGER NOT NULL REFERENCES user (id),
    place TEXT NOT NULL,  -- where the user logged in from
    last REAL NOT NULL,
    told INTEGER,  -- the last alert that was told there; NULL: the user is new there
    PRIMARY KEY (user, place)
""",
    ),
    Table(
        "registration",
        """
    id NUMBER,
    network TEXT NOT NULL,
    at REAL NOT NULL,
    wait REAL NOT NULL  -- seconds from then to its turn
""",
        """
CREATE INDEX registration_network ON registration (network, at);
CREATE INDEX registration_at ON registration (at);
""",
    ),
    Table(
        "key",
        """
    fingerprint TEXT NOT NULL PRIMARY KEY,  -- of a public key of ssh: SHA256:...
    user INTEGER NOT NULL REFERENCES user (id),
    added REAL NOT NULL,
    last REAL  -- when the user came by it last
""",
        "CREATE INDEX key_user ON key (user);",
    ),
    Table(
        "visit",
        """
    id NUMBER ONCE,
    kind TEXT NOT NULL CHECK (kind IN ('login', 'logout', 'gone')),
    user INTEGER NOT NULL REFERENCES user (id),
    at REAL NOT NULL
""",
        "CREATE INDEX visit_user ON visit (user, id, kind);",
    ),
    Table(
        "ignored",
        """
    user INTEGER NOT NULL REFERENCES user (id),
    whom INTEGER NOT NULL REFERENCES user (id),
    since REAL NOT NULL,
    PRIMARY KEY (user, whom)
""",
    ),
    Table(
        "letter",
        """
    id NUMBER ONCE,
    from_id INTEGER NOT NULL REFERENCES user (id),
    to_id INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    sent REAL NOT NULL,
    read REAL
""",
        """
CREATE INDEX letter_box ON letter (to_id[, id]);
[CREATE INDEX letter_from ON letter (from_id);]
""",
    ),
    Table(
        "wall",
        """
    id NUMBER ONCE,
    user INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    at REAL NOT NULL
""",
    ),
    _GUESS,
    _ALERT,
    _INVITATION,
)

_VISIT_DRAWN: Final = shown_when_given("users", "visit")
_OF_SERVER: Final = (
    """
CREATE TABLE numbering (
    source text COLLATE "C" PRIMARY KEY,  -- the table
    last bigint NOT NULL  -- its highest number ever
) WITH (fillfactor = 10);
INSERT INTO numbering (source, last) VALUES ('act', 0);

CREATE FUNCTION number_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id IS NULL THEN
        UPDATE users.numbering SET last = last + 1 WHERE source = TG_TABLE_NAME RETURNING last INTO STRICT NEW.id;
    ELSE
        UPDATE users.numbering SET last = greatest(last, NEW.id) WHERE source = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER act_number BEFORE INSERT ON act FOR EACH ROW EXECUTE FUNCTION number_in_order();
"""
    + _VISIT_DRAWN
)

# Places of before were all told what there was. The keys of names are made anew at the start: these are of no rule.
_PLACES_OF_BEFORE: Final = """
INSERT INTO familiar
SELECT id, last_from, last_login, 0 FROM user WHERE last_from GLOB '[0-9]*.[0-9]*.[0-9]*.[0-9]*';
"""
_VISITS_BY_SEQUENCE: Final = """
DROP TRIGGER visit_number ON visit;
ALTER TABLE visit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
SELECT setval('users.visit_id_seq', last + 1, false) FROM numbering WHERE source = 'visit';
DELETE FROM numbering WHERE source = 'visit';
"""

_FRIENDS: Final = """
CREATE TABLE friend (
    user INTEGER NOT NULL REFERENCES user (id),
    whom INTEGER NOT NULL REFERENCES user (id),
    since REAL NOT NULL,
    PRIMARY KEY (user, whom)
);
CREATE INDEX friend_whom ON friend (whom);
CREATE TABLE challenge (
    user INTEGER NOT NULL REFERENCES user (id),
    whom INTEGER NOT NULL REFERENCES user (id),
    kind TEXT NOT NULL,  -- of game
    since REAL NOT NULL,
    PRIMARY KEY (user, whom)
);
CREATE INDEX challenge_whom ON challenge (whom);
CREATE TABLE private (
    place TEXT NOT NULL PRIMARY KEY,  -- the table, as links name it
    user INTEGER NOT NULL REFERENCES user (id)  -- as long as they sit there
);
"""
"""Of the extra `friends`."""
_REPORTS: Final = """
CREATE TABLE report (
    id NUMBER ONCE,
    user INTEGER NOT NULL REFERENCES user (id),
    at REAL NOT NULL,
    place TEXT NOT NULL,  -- where they were
    text TEXT NOT NULL,  -- what they say, then the last lines that they read
    answered REAL,
    by TEXT  -- the sysop who answered
);
CREATE INDEX report_open ON report (id) WHERE answered IS NULL;
"""
"""Of the extra `reports`."""

USERS: Final = Layout(
    schema="users",
    tables=_TABLES,
    of_server=_OF_SERVER,
    mark=0x59415755,
    first_of_files=11,
    missing=(
        ("user.look_key", "'of no rule: ' || id"),
        ("user.guest", "0"),
        ("familiar.told", "0"),
        ("familiar", _PLACES_OF_BEFORE),
    ),
    before=(
        "DROP TABLE attempt;\nALTER TABLE familiar ADD COLUMN told bigint;\nUPDATE familiar SET told = 0;\n"
        + _GUESS.made("postgresql")
        + _ALERT.made("postgresql"),
        _VISITS_BY_SEQUENCE + _VISIT_DRAWN,
        'ALTER TABLE "user" ADD COLUMN guest bigint NOT NULL DEFAULT 0 CHECK (guest IN (0, 1));\n'
        + in_words_of("postgresql", _GUESTS)
        + _INVITATION.made("postgresql"),
    ),
    steps=(_FRIENDS, _REPORTS),
)
