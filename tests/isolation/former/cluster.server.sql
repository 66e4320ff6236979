-- version 1
CREATE TABLE host (
    number bigint PRIMARY KEY CHECK (number >= 0),  -- from 0; the records of its sessions follow from it
    name text COLLATE "C" NOT NULL UNIQUE,
    identity text COLLATE "C" NOT NULL,  -- of its data directory: another one does not take the name over
    epoch bigint NOT NULL CHECK (epoch > 0),
    until timestamptz NOT NULL,  -- when its lease ends, by the database's clock; -infinity: given back, or taken away
    since timestamptz NOT NULL,  -- when this epoch began
    version text NOT NULL,  -- of the program
    shape text NOT NULL,  -- JSON: numbers of tables, records and hosts, in which all hosts must agree
    lag double precision NOT NULL DEFAULT 0,  -- seconds that its courier was behind when it renewed the lease
    alone smallint NOT NULL DEFAULT 0 CHECK (alone IN (0, 1)),  -- 1: it settles what nobody plays; a start waits
    UNIQUE (number, epoch)
);

CREATE TABLE place (
    number bigint PRIMARY KEY CHECK (number >= 0),  -- the table's number, from 0
    version bigint NOT NULL DEFAULT 0 CHECK (version >= 0),  -- the commit number of its value
    value bytea NOT NULL DEFAULT ''  -- as in shared memory, but moments are epoch seconds; empty: a new table
) WITH (fillfactor = 10);

CREATE TABLE session (
    record bigint PRIMARY KEY,  -- its index in the directory of every host
    token bigint NOT NULL,  -- as a signed number
    host bigint NOT NULL REFERENCES host (number),
    epoch bigint NOT NULL,
    "user" bigint NOT NULL,  -- guests and house players have numbers of their own
    name text NOT NULL,
    peer text NOT NULL,
    door bigint NOT NULL,
    place bigint NOT NULL,  -- ipc.record.Place as one word
    login double precision NOT NULL,  -- epoch seconds
    input double precision NOT NULL,  -- of the last key, epoch seconds by the database's clock
    waiting bigint NOT NULL DEFAULT 0,  -- X-messages
    UNIQUE ("user")
) WITH (fillfactor = 50);
CREATE INDEX session_host ON session (host);
-- version 2
CREATE FUNCTION server() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT (pg_control_system()).system_identifier || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$$;  -- the server and its timeline: a replica that is promoted has another one

ALTER TABLE host
    ADD COLUMN gone smallint NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)),  -- 1: it has ended, and is about to start
    ADD COLUMN fresh smallint NOT NULL DEFAULT 0 CHECK (fresh IN (0, 1)),  -- 1: taken at a start, not renewed yet
    ADD COLUMN server text COLLATE "C" NOT NULL DEFAULT cluster.server();  -- where it took its lease

ALTER TABLE place
    ADD COLUMN recent bigint[] NOT NULL DEFAULT '{}';  -- the versions before, newest first: whether a commit was done
-- version 3
ALTER TABLE session ADD COLUMN change bigint NOT NULL DEFAULT 0;  -- by its courier; 0: that has not seen the row yet
CREATE INDEX session_change ON session (host, change);

CREATE TABLE roster (
    host bigint PRIMARY KEY,
    epoch bigint NOT NULL,
    change bigint NOT NULL,  -- the last one of the host's rows of sessions
    kept bigint NOT NULL DEFAULT 0  -- departures are known from the next one on
) WITH (fillfactor = 50);

CREATE TABLE departure (
    host bigint NOT NULL,
    change bigint NOT NULL,
    token bigint NOT NULL,
    PRIMARY KEY (host, change, token)
);
