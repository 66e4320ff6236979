"""The directory: which sessions there are, where each one is, and whether it is alive.

Owns claiming and freeing of the segment's session records, one user - one session, and the check whether a session
lives (pid, start time, random token: never the pid alone). Every change is made under the directory's lock; looking
needs none, because a record's token is its commit: written last, zeroed first. What a session has counted is kept when
its record is given back (`ipc.metrics`).

Where several hosts are one casino, the directory has everybody. Those of other hosts are remote: whether one lives is
what is known of its host (`LocalHost.may_live`), never a pid, and only the courier makes and frees their records. Their
own host notices it when they die, and frees their seats.
"""

import secrets
import select
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from msgspec.structs import astuple

from yawc_poker.casino.local_host import INDEX_BITS, local_host
from yawc_poker.doors import NOBODY
from yawc_poker.engine.house import is_house
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import (
    CARRIER,
    LAST_INPUT,
    PID,
    PLACE,
    TOKEN,
    USER,
    Place,
    Record,
    SessionState,
    column,
    first_free,
    tokens,
)
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT, Mutex

GUESTS = 1 << 48
"""Users from this number on are guests: they are in no database, and have no CUBES."""
_INDEX_MASK = (1 << INDEX_BITS) - 1


class PlaceKind(IntEnum):
    """Where a session may be; `HELD`: at a table, without a line, while its seat is kept."""

    LOGIN = 0
    PROMPT = 1
    TABLE = 2
    WATCHING = 4
    """Beside a table, without a seat."""
    HELD = 3


class SessionInfo(SessionState, frozen=True):
    """A session as others see it."""

    @property
    def idle(self) -> float:
        """Seconds since the last key."""
        return max(0.0, time.monotonic() - self.last_input)

    @property
    def is_guest(self) -> bool:
        """Whether the session has no account."""
        return self.user >= GUESTS

    @property
    def is_house(self) -> bool:
        """Whether the session is a house player's, without a caller."""
        return is_house(self.user)

    @property
    def at_table(self) -> bool:
        """Whether the session sits at a table."""
        return self.place.kind in {PlaceKind.TABLE, PlaceKind.HELD}

    @property
    def looks_on(self) -> bool:
        """Whether the session looks on at a table, where it has no seat."""
        return self.place.kind == PlaceKind.WATCHING

    @property
    def at_prompt(self) -> bool:
        """Whether the session is logged in and at no table, neither in a seat nor looking on."""
        return self.place.kind == PlaceKind.PROMPT

    @property
    def is_remote(self) -> bool:
        """Whether the session is on another host."""
        return self.identity.pid == 0


class DirectoryFull(Exception):
    """Every record that the session might have is taken."""


class LinesBusy(Exception):
    """As many are logged in as may be."""


class Lines(NamedTuple):
    """The callers' lines: a session with one of these records takes one when it logs in."""

    records: range
    most: int


class Standing(NamedTuple):
    """What a record says of its session to whoever gives out the lines, or decides who else is let in."""

    record: int
    token: int
    pid: int
    carrier: int
    """The process that passes on what comes and goes by its line; 0: none."""
    user: int
    last_input: float
    """Monotonic seconds."""
    is_held: bool
    """It has no line, and keeps a seat."""

    @property
    def takes_line(self) -> bool:
        """Whether it is logged in by an account, and has a line."""
        return 0 < self.user < GUESTS and not self.is_held

    @property
    def is_guest(self) -> bool:
        """Whether it is a guest's."""
        return self.user >= GUESTS

    @property
    def is_stranger(self) -> bool:
        """Whether it has not logged in."""
        return self.user == 0 and not self.is_held


def index_of(token: int) -> int:
    """Return the index of the record that a session's token belongs to, which its low bits hold."""
    return token & _INDEX_MASK


NEIGHBOURS = 8
"""How many sessions' pidfds are kept: those at one's own table are checked at every tick."""
DEATH_SECONDS = 1.0
"""How long to wait for a killed process to end."""


class Sweep(NamedTuple):
    """What was found on a part of the way round the directory."""

    dead: list[SessionInfo]
    living: int
    records: int
    """How many records were passed, free ones included."""


class Directory:
    """The sessions of one BBS."""

    def __init__(self, segment: Segment, lock: Mutex) -> None:
        self._records = segment.records
        self._counts = segment.counts
        self._lock = lock
        self._neighbours = process.PidfdCache(NEIGHBOURS)
        self.here = local_host(segment.head)
        """This host, among the others."""

    @property
    def own(self) -> range:
        """The records of this host's sessions; all, where there is one host."""
        return self.here.records or range(len(self._records))

    # --- one's own record ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the descriptors; it can still be used."""
        self._neighbours.close()

    def enter(self, identity: Identity, peer: str, among: range | None = None, door: int = NOBODY) -> Record:
        """Claim a free record among these for this session, which receives what is posted from now on.

        Raise `DirectoryFull`.
        """
        with self._lock:
            record = first_free(self._records, self.own if among is None else among)
            if record is None:
                raise DirectoryFull
            self._counts.clear(record.index)
            # The token's low bits name the record, so that a token alone leads to its session.
            record.claim(identity, self.here.token(secrets.randbits(47), record.index), peer, door)
            record.last_input = time.monotonic()
            return record

    def leave(self, record: Record, token: int) -> None:
        """Release the record, if it is still this session's."""
        with self._lock:
            if record.token == token:
                self._counts.retire(record)

    def claim_name(self, index: int, user: int, name: str, lines: Lines | None = None) -> SessionInfo | None:
        """Make this session the user's only one; if the user has another living one, return that and change nothing.

        Raise `LinesBusy` if the session takes one of `lines` and all of these are taken; with None it is let in anyway.
        Of this host's sessions: who has a record of another host's was there before, which the rows that all hosts
        share say better (`casino.instance.everybody`).
        """
        with self._lock:
            others = [one for one in self._persons() if one.user == user and one.index != index]
            living = next((one for one in others if process.is_alive(one.identity)), None)
            if living is not None:
                return living
            if lines is not None and index in lines.records and self.lines_taken(lines.records) >= lines.most:
                raise LinesBusy
            for one in others:
                self._give_up(self._records[one.index])
            self._records[index].log_in(user, name, int(self.here.now()))
            return None

    def claim_guest(self, index: int, choose: Callable[[Collection[str]], str]) -> tuple[int, str]:
        """Make this session a guest's, and return user and name.

        `choose` makes the name, given those that are taken (case-folded).
        """
        with self._lock:
            user, name = GUESTS + index, choose(self._taken_names(index))
            self._records[index].log_in(user, name, int(self.here.now()))
            return user, name

    def claim_house(
        self, index: int, choose: Callable[[Collection[str]], tuple[int, str] | None]
    ) -> tuple[int, str] | None:
        """Make this session a house player's, and return user and name, as `choose` does, or None if there is none.

        `choose` is given the names that are taken (case-folded).
        """
        with self._lock:
            found = choose(self._taken_names(index))
            if found is not None:
                self._records[index].log_in(*found, int(self.here.now()))
            return found

    def _taken_names(self, index: int) -> set[str]:
        """Return the names of all who are logged in but the session with this record."""
        return {one.name.casefold() for one in self.people() if one.index != index}

    def end(self, person: SessionInfo, reason: int) -> None:
        """Ask another session to end; the caller has to wake it."""
        with self._lock:
            record = self._records[person.index]
            if record.token == person.token:
                record.end_reason = reason

    def end_stranger(self, index: int, token: int, reason: int) -> bool:
        """Ask a session to end that has not logged in; the caller has to wake it. Return False if it has.

        One that is gone has not. Never waits: raise `LockTimeout` if the lock is taken.
        """
        self._lock.acquire(0.0)
        try:
            record = self._records[index]
            if record.token != token:
                return True
            if record.user:
                return False
            record.end_reason = record.end_reason or reason
            return True
        finally:
            self._lock.release()

    def mute(self, person: SessionInfo, until: float) -> None:
        """Note for a session until when its user may not write to others: epoch seconds; infinite: for ever."""
        with self._lock:
            record = self._records[person.index]
            if record.token == person.token:
                record.muted_until = until

    def free_dead(self, person: SessionInfo, timeout: float = TIMEOUT) -> bool:
        """Free the record of a dead session; return False if it lives, is remote, or the record was freed before."""
        self._lock.acquire(timeout)
        try:
            record = self._records[person.index]
            if record.token != person.token or person.is_remote or process.is_alive(person.identity):
                return False
            self._counts.retire(record)
            return True
        finally:
            self._lock.release()

    def _give_up(self, record: Record) -> None:
        """Free a record; a session of another host has counted nothing here. The lock is held."""
        if record.is_remote:
            record.free()
        else:
            self._counts.retire(record)

    # --- looking ------------------------------------------------------------------------------------------------------

    def everybody(self) -> list[SessionInfo]:
        """Return all sessions, including those that have not logged in."""
        return list(self._persons())

    def people(self) -> list[SessionInfo]:
        """Return the sessions that are logged in."""
        return [one for one in self._persons() if one.user]

    def of_user(self, user: int) -> SessionInfo | None:
        """Return a user's session, if there is one."""
        return next((one for one in self._persons() if one.user == user), None)

    def named(self, name: str) -> SessionInfo | None:
        """Return the session of a user of this name, without regard to case, if there is one."""
        return next((one for one in self.people() if one.name.casefold() == name.casefold()), None)

    def at(self, index: int) -> SessionInfo | None:
        """Return the session of a record, if there is one."""
        state = self._records[index].state() if index < len(self._records) else None
        return None if state is None else SessionInfo(*astuple(state))

    def whose(self, index: int) -> Identity | None:
        """Return the process of a record's session, if there is one: all that waking it takes (or `process.REMOTE`)."""
        record = self._records[index]
        token, identity = record.token, record.identity
        return identity if token and record.token == token else None

    def has(self, token: int) -> bool:
        """Return whether the session of this token is in the directory; its process may be dead."""
        index = index_of(token)
        return index < len(self._records) and self._records[index].token == token

    def neighbours(self, sessions: Sequence[int]) -> tuple[dict[int, int], select.poll] | None:
        """Return what tells that all of these, at most `NEIGHBOURS`, live, or None if one does not.

        They do as long as these words of the segment have these values, and the poll reports nothing.
        """
        self._neighbours.prune()
        if not all(self.lives(token) for token in sessions):
            return None
        words: dict[int, int] = {}
        for token in sessions:
            if self.here.is_remote(token):
                words |= self.here.words_of(token)
            else:
                words[self._records[index_of(token)].base] = token
        return words, self._neighbours.poller

    def lives(self, token: int) -> bool:
        """Return whether the session of this token is in the directory and its process alive.

        A remote one need not be in the directory, which has it a moment later: it lives as long as its host may.
        """
        index = index_of(token)
        if index >= len(self._records):
            return False
        if not self.here.is_own(index):
            return self.here.may_live(token)
        record = self._records[index]
        if record.token != token:
            return False
        identity = record.identity
        # The record may have changed hands in between; its identity was written before its token.
        return record.token == token and self._neighbours.is_alive(identity)

    def went_with_host(self, token: int) -> bool:
        """Return whether the host of that session, one of several, has lost its place since, or begun anew."""
        return self.here.has_begun_anew(token)

    def can_act(self, token: int) -> bool:
        """Return whether that session lives and is not stopped."""
        index = index_of(token)
        if not self.here.is_own(index):
            return self.lives(token)
        return self.lives(token) and not process.is_stopped(self._records[index].identity)

    def is_in(self, token: int) -> bool:
        """Return whether the session of this token is in the directory and lives, as far as is known here.

        So a remote one that has left is not, though its host lives.
        """
        return self.has(token) and self.lives(token)

    def dead(self) -> list[SessionInfo]:
        """Return this host's sessions whose process has ended."""
        return [one for one in self._persons() if not one.is_remote and not process.is_alive(one.identity)]

    def round_from(self, index: int, count: int) -> Sweep:
        """Examine the sessions that follow a record, round this host's, up to the `count`th one that lives."""
        dead: list[SessionInfo] = []
        first, size = self.own.start, len(self.own)
        living = 0
        for step in range(1, size):
            at = first + (index - first + step) % size
            record = self._records[at]
            if not record.token:
                continue
            person = None if process.is_alive(record.identity) else self.at(at)
            if person is None:
                living += 1
                if living == count:
                    return Sweep(dead, living, step)
            elif not process.is_alive(person.identity):  # the record may have been claimed anew between the two looks
                dead.append(person)
        return Sweep(dead, living, size)

    def count(self) -> int:
        """Return the number of records taken by this host's sessions."""
        return len(self.own) - tokens(self._records)[self.own.start : self.own.stop].count(0)

    def is_full(self, among: range) -> bool:
        """Return whether each of these records is taken."""
        return 0 not in tokens(self._records)[among.start : among.stop]

    def standings(self, among: range) -> list[Standing]:
        """Return the sessions with these records, read a word of all records at a time: at each call in a crowd."""
        words = (TOKEN, PID, CARRIER, USER, LAST_INPUT, PLACE)
        columns = [column(self._records, word)[among.start : among.stop] for word in words]
        return [
            Standing(index, token, pid, carrier, user, last / 1000, Place.unpack(place).kind == PlaceKind.HELD)
            for index, token, pid, carrier, user, last, place in zip(among, *columns, strict=True)
            if token
        ]

    def lines_taken(self, among: range) -> int:
        """Return how many sessions with these records are logged in by an account and have a line."""
        return sum(one.takes_line for one in self.standings(among))

    def was_put_out(self, token: int) -> bool:
        """Return whether the session of this token was killed for a lock it kept; its record may be free by now."""
        index = index_of(token)
        return index < len(self._records) and self._records[index].put_out == token

    def is_put_out(self, token: int) -> bool:
        """Return whether the session of this token was killed for a lock, after waiting for its process to end.

        A session that bears the mark and lives is about to die, or the process that was to kill it has died.
        """
        if not self.was_put_out(token):
            return False
        record = self._records[index_of(token)]
        identity = record.identity
        return record.token != token or process.kill_and_wait(identity, DEATH_SECONDS)

    def _persons(self) -> Iterator[SessionInfo]:
        for index, token in enumerate(tokens(self._records)):
            if token:
                person = self.at(index)
                if person is not None:
                    yield person
