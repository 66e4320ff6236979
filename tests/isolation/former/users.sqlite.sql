-- version 1
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
-- version 2
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
-- version 3
ALTER TABLE attempt ADD COLUMN wait REAL NOT NULL DEFAULT 0;  -- seconds from `at` to its turn
-- version 4
CREATE TABLE registration (
    id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    at REAL NOT NULL,
    wait REAL NOT NULL  -- seconds from `at` to its turn
) STRICT;
CREATE INDEX registration_network ON registration (network, at);
CREATE INDEX registration_at ON registration (at);
-- version 5
ALTER TABLE user ADD COLUMN look_key TEXT;
UPDATE user SET look_key = name_key;
CREATE UNIQUE INDEX user_look ON user (look_key);
-- version 6
ALTER TABLE user ADD COLUMN must_change INTEGER NOT NULL DEFAULT 0 CHECK (must_change IN (0, 1));
-- version 7
CREATE INDEX message_read ON message (read) WHERE read IS NOT NULL;
CREATE INDEX message_kept ON message (to_id, id) WHERE read IS NOT NULL;
-- version 8
CREATE TABLE key (
    fingerprint TEXT NOT NULL PRIMARY KEY,  -- of a public key of ssh: SHA256:...
    user INTEGER NOT NULL REFERENCES user (id),
    added REAL NOT NULL,
    last REAL  -- when the user came by it last
) STRICT, WITHOUT ROWID;
CREATE INDEX key_user ON key (user);
-- version 9
ALTER TABLE user ADD COLUMN preferences TEXT NOT NULL DEFAULT '{}';  -- JSON (look.preferences)

CREATE TABLE visit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('login', 'logout', 'gone')),
    user INTEGER NOT NULL REFERENCES user (id),
    at REAL NOT NULL
) STRICT;
CREATE INDEX visit_user ON visit (user, id, kind);

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
-- version 10
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

-- version 11
ALTER TABLE user ADD COLUMN guest INTEGER NOT NULL DEFAULT 0 CHECK (guest IN (0, 1));
CREATE INDEX user_guest ON user (id) WHERE guest = 1 AND closed IS NULL;

CREATE TABLE invitation (
    token TEXT NOT NULL PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES user (id),  -- who invites
    place TEXT NOT NULL,  -- the table, as links name it
    until REAL NOT NULL
) STRICT, WITHOUT ROWID;
-- version 12
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
    kind TEXT NOT NULL,
    since REAL NOT NULL,
    PRIMARY KEY (user, whom)
);
CREATE INDEX challenge_whom ON challenge (whom);
CREATE TABLE private (
    place TEXT NOT NULL PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES user (id)
);
-- version 13
CREATE TABLE report (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user INTEGER NOT NULL REFERENCES user (id),
    at REAL NOT NULL,
    place TEXT NOT NULL,
    text TEXT NOT NULL,
    answered REAL,
    by TEXT
);
CREATE INDEX report_open ON report (id) WHERE answered IS NULL;
