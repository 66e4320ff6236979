"""The layout of `users.sqlite`, in SQL: users, their messages, keys and places, sysop actions, bans, guesses
and registrations, who came and went, and how callers meet.

Owns the layout only; `accounts`, `messages`, `keys`, `places`, `sysop_log`, `bans`, `login_attempts` and
`registrations` own the rows, `casino.events.visits` those of `visit`, the modules of `casino.meeting` theirs. Times are
epoch seconds; a time that never comes is Infinity.
"""

import logging
from sqlite3 import Connection

from yawc_poker.casino.store.sqlite import Schema
from yawc_poker.casino.users.names import look_key

log = logging.getLogger(__name__)

_FIRST = """
CREATE TABLE user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: the bank knows users by it
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    charset TEXT,
    created REAL NOT NULL,
    last_login REAL,
    last_from TEXT
) STRICT;

CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id INTEGER NOT NULL REFERENCES user (id),
    from_name TEXT NOT NULL,
    to_id INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    sent REAL NOT NULL,
    read REAL
) STRICT;
CREATE INDEX message_unread ON message (to_id) WHERE read IS NULL;
"""

_SYSOPS = """
ALTER TABLE user ADD COLUMN sysop INTEGER NOT NULL DEFAULT 0 CHECK (sysop IN (0, 1));
ALTER TABLE user ADD COLUMN twit_until REAL NOT NULL DEFAULT 0;
ALTER TABLE user ADD COLUMN closed REAL;

CREATE TABLE act (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- the ledger's keys name it
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
) STRICT;
CREATE INDEX act_user ON act (user) WHERE user IS NOT NULL;
CREATE INDEX act_pending ON act (id) WHERE pending = 1;

CREATE TABLE ban (
    kind TEXT NOT NULL CHECK (kind IN ('name', 'address')),
    target TEXT NOT NULL,  -- a name's key; an address, or a network as ADDRESS/BITS
    until REAL NOT NULL,
    reason TEXT NOT NULL,
    by TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (kind, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE familiar (
    user INTEGER NOT NULL REFERENCES user (id),
    place TEXT NOT NULL,  -- where the user logged in from
    last REAL NOT NULL,
    PRIMARY KEY (user, place)
) STRICT, WITHOUT ROWID;
INSERT INTO familiar SELECT id, last_from, last_login FROM user WHERE last_from GLOB '[0-9]*.[0-9]*.[0-9]*.[0-9]*';

CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES user (id),
    place TEXT NOT NULL,
    familiar INTEGER NOT NULL CHECK (familiar IN (0, 1)),  -- 1: the user had logged in from there before
    at REAL NOT NULL
) STRICT;
CREATE INDEX attempt_user ON attempt (user, at);
CREATE INDEX attempt_place ON attempt (place, at);
CREATE INDEX attempt_at ON attempt (at);
"""

_TURNS = """
ALTER TABLE attempt ADD COLUMN wait REAL NOT NULL DEFAULT 0;  -- seconds from `at` to its turn
"""

_REGISTRATIONS = """
CREATE TABLE registration (
    id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    at REAL NOT NULL,
    wait REAL NOT NULL  -- seconds from `at` to its turn
) STRICT;
CREATE INDEX registration_network ON registration (network, at);
CREATE INDEX registration_at ON registration (at);
"""


def _look_keys(users: Connection) -> None:
    """Set the key of each account that keeps new names from looking like its own.

    Of older accounts that look alike only the first one gets it; all of them go on as before.
    """
    users.execute("ALTER TABLE user ADD COLUMN look_key TEXT")  # NULL: an older account holds it
    taken: set[str] = set()
    rows = users.execute("SELECT id, name FROM user ORDER BY id").fetchall()
    for user, name in rows:
        key = look_key(name)
        if key not in taken:
            taken.add(key)
            users.execute("UPDATE user SET look_key = ? WHERE id = ?", (key, user))
    users.execute("CREATE UNIQUE INDEX user_look ON user (look_key)")
    if len(taken) < len(rows):
        log.warning("names of older accounts that look like others' (they stay): %d", len(rows) - len(taken))


_PASSWORDS = """
ALTER TABLE user ADD COLUMN must_change INTEGER NOT NULL DEFAULT 0 CHECK (must_change IN (0, 1));
"""

_MESSAGES = """
CREATE INDEX message_read ON message (read) WHERE read IS NOT NULL;
CREATE INDEX message_kept ON message (to_id, id) WHERE read IS NOT NULL;
"""

_KEYS = """
CREATE TABLE key (
    fingerprint TEXT NOT NULL PRIMARY KEY,  -- of a public key of ssh: SHA256:...
    user INTEGER NOT NULL REFERENCES user (id),
    added REAL NOT NULL,
    last REAL  -- when the user came by it last
) STRICT, WITHOUT ROWID;
CREATE INDEX key_user ON key (user);
"""

_PREFERENCES = """
ALTER TABLE user ADD COLUMN preferences TEXT NOT NULL DEFAULT '{}';  -- JSON (look.preferences)
"""

_VISITS = """
CREATE TABLE visit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('login', 'logout', 'gone')),
    user INTEGER NOT NULL REFERENCES user (id),
    at REAL NOT NULL
) STRICT;
CREATE INDEX visit_user ON visit (user, id, kind);
"""

_MEETING = """
CREATE TABLE ignored (
    user INTEGER NOT NULL REFERENCES user (id),
    whom INTEGER NOT NULL REFERENCES user (id),
    since REAL NOT NULL,
    PRIMARY KEY (user, whom)
) STRICT, WITHOUT ROWID;

CREATE TABLE letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id INTEGER NOT NULL REFERENCES user (id),
    to_id INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    sent REAL NOT NULL,
    read REAL
) STRICT;
CREATE INDEX letter_box ON letter (to_id);

CREATE TABLE wall (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    at REAL NOT NULL
) STRICT;
"""

_GUESSES = """
DROP TABLE attempt;  -- what counted within an hour

CREATE TABLE guess (
    kind TEXT NOT NULL CHECK (kind IN ('account', 'home', 'network', 'origin')),
    user INTEGER NOT NULL,  -- at whose account; 0: at whatever account
    place TEXT NOT NULL,  -- from where; empty: from wherever the user is not known
    tries INTEGER NOT NULL,
    since REAL NOT NULL,  -- from when on they are counted
    at REAL NOT NULL,  -- when the last one was asked for
    wait REAL NOT NULL,  -- seconds from then to its turn
    PRIMARY KEY (kind, user, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX guess_at ON guess (at);
"""

_ALERTS = """
ALTER TABLE familiar ADD COLUMN told INTEGER;  -- the last alert that was told there; NULL: the user is new there
UPDATE familiar SET told = 0;

CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user INTEGER NOT NULL REFERENCES user (id),
    kind TEXT NOT NULL CHECK (kind IN ('password', 'key', 'place')),
    origin TEXT NOT NULL,  -- from where
    detail TEXT NOT NULL,  -- the fingerprint of a key
    at REAL NOT NULL
) STRICT;
CREATE INDEX alert_user ON alert (user, id);
"""

_CALLERS = _PREFERENCES + _VISITS + _MEETING
_SAFETY = _GUESSES + _ALERTS

USERS = Schema(
    application=0x59415755,
    steps=(_FIRST, _SYSOPS, _TURNS, _REGISTRATIONS, _look_keys, _PASSWORDS, _MESSAGES, _KEYS, _CALLERS, _SAFETY),
)
