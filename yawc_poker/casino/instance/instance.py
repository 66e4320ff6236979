"""The instance: a running BBS with all that a process holds of it.

Owns attaching to the segment and opening the databases (after the fork, never before). Every session `enter`s once and
`leave`s once; the listener founds and closes the whole (`yawc_poker.bbs.lifecycle`).
"""

import logging
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from yawc_poker.announcing import announced
from yawc_poker.casino import counters
from yawc_poker.casino.files import write_whole
from yawc_poker.casino.instance.databases import CONFIG_FILE, databases_of
from yawc_poker.casino.instance.lock_holders import Holders
from yawc_poker.casino.local_host import LocalHost, most_hosts
from yawc_poker.casino.meeting.mail import Messages
from yawc_poker.casino.meeting.meeting import Meeting
from yawc_poker.casino.presence import entrances, onlookers
from yawc_poker.casino.presence.directory import Directory, DirectoryFull, SessionInfo
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.casino.users import bans, invitations, keys, login_attempts, registrations, sysop_log
from yawc_poker.config import Config, ConfigError, GameSections, convert, sections
from yawc_poker.doors import NOBODY, kinds
from yawc_poker.ipc import broadcast, metrics, process, semaphore, signals
from yawc_poker.ipc.layout import Layout, user_words
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import NoSegment, Segment, SegmentError, segment_name

log = logging.getLogger(__name__)

NEXT = 2
"""Living sessions that one duty examines: those that come next in the directory, so each is seen twice a period."""
SAMPLE = 8
"""About how often each table is examined in a period, by all sessions' duties together."""
_MOST_TABLES = 32
"""Tables that one duty examines at most, if there are many more tables than sessions."""

(_SYSOP_ACTION_WORD,) = user_words(__name__, (0,))
"""Holds `Instance.latest_sysop_action`."""

LOCK_FILE = "listener.lock"
"""Locked by the listener as long as it lives, whatever its version."""
ERRANDS_FILE = "errands.lock"
"""Locked by the children of sessions that check passwords: only so many at a time."""
LONG_ERRANDS_FILE = "long-errands.lock"
"""Locked by those that work for long, at a lower priority: nobody who logs in waits behind them."""
TABLES_FILE = "tables.json"
"""What the tables are called, of the BBS that was started last: past games are told by it."""
BANNED_FILE = "banned.json"
"""The addresses that the listener turns away, each with the time until when (telnetd.listener.admission has the
format)."""


def layout(config: Config) -> Layout:
    """Return the segment's layout for a configuration. Raise `SegmentError` if there is no such layout."""
    house, tables = config.house.players, len(games_by_table(config))
    try:
        return entrances.layout(records_by_doors(config), tables, house, most_hosts(config))
    except ValueError as error:
        raise SegmentError(f"too many records or tables: {error}") from None


def records_by_doors(config: Config) -> int:
    """Return the number of records for those who come in by a door: callers, those who log in, guests.

    Each has its own share: whoever has not logged in takes nothing of those who have.
    """
    reserved = sum(kind.reserved(config) for kind in kinds().values())
    return config.telnet.max_sessions + config.telnet.max_logins + reserved + entrances.LEAVING


def games_by_table(config: Config) -> list[str]:
    """Return the kind of the game of each table, in the tables' order."""
    return [game.section for game in config.games for _ in range(game.tables)]


def lay_out(segment: Segment, config: Config) -> None:
    """Note in a new segment whose its records are, and which of its tables plays which game.

    The configuration may change while it lives.
    """
    entrances.divide(segment, config.house.players, most_hosts(config))
    for cell, game in zip(segment.cells, games_by_table(config), strict=True):
        cell.game = game


def publish_tables(data: Path, segment: Segment) -> None:
    """Leave what the tables are called for those who look at past games; after `lay_out`. Raise `OSError`."""
    write_whole(data / TABLES_FILE, msgspec.json.encode([cell.name for cell in segment.cells]))


def tables_called(data: Path) -> list[str]:
    """Return what `publish_tables` left; nothing where nothing was, or nothing can be read."""
    try:
        return msgspec.json.decode((data / TABLES_FILE).read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError):
        return []


def publish_config(data: Path, config: Config) -> None:
    """Leave the configuration for sessions that the listener does not fork; a reader always finds a whole one."""
    write_whole(data / CONFIG_FILE, msgspec.json.encode(sections(config)))


def read_config(data: Path, games: GameSections) -> Config:
    """Return what `publish_config` left; raise `SegmentError` where it is unusable."""
    try:
        return convert(msgspec.json.decode((data / CONFIG_FILE).read_bytes(), type=dict[str, object]), games)
    except (OSError, msgspec.DecodeError, ConfigError) as error:
        raise SegmentError(f"{data / CONFIG_FILE} cannot be used: {error}") from None


class Instance:
    """One process's hold on the BBS."""

    own: OwnRecord
    notifier: Notifier
    """Set by `enter`, both."""
    _entered = False
    _waiting_since = 0

    def __init__(self, data: Path, config: Config, segment: Segment) -> None:
        self.data = data
        self.config = config
        self.segment = segment
        self.tables: Sequence[GameTable] = ()
        """The tables that this process looks after; set by the layer that knows the games."""
        self.directory = Directory(segment, segment.directory_lock)
        self.here = self.directory.here
        """This host among the others, if there are several."""
        self.other_hosts = other_hosts(self.here)
        self.databases = databases_of(data, config)
        self.bank = self.databases.bank(segment, must_exist=True)
        self.accounts = self.databases.accounts(segment, must_exist=True)
        users = self.accounts.store
        self.messages = Messages(users)
        self.sysop_log = sysop_log.SysopLog(users)
        self.bans = bans.Bans(users, data / BANNED_FILE)
        self.attempts = login_attempts.Attempts(users)
        self.keys = keys.Keys(users)
        self.registrations = registrations.Registrations(users)
        self.invitations = invitations.Invitations(users)
        self.meeting = Meeting(users)
        self.tally = metrics.Tally()
        """What this process counts (`casino.counters`)."""
        watch, engine = segment.watch, config.engine
        watch.set_patience(engine.patience_seconds, engine.tick_seconds)
        holders = Holders(segment)
        watch.on_stuck = holders.break_lock
        watch.waits = holders.waits
        watch.on_wait = self._show_waiting
        watch.on_work = self._show_working

    @classmethod
    def attach(cls, data: Path, games: GameSections) -> "Instance":
        """Attach to the BBS that runs on a data directory; raise `SegmentError` where none does."""
        try:
            segment = Segment.attach(segment_name(data))
        except NoSegment as error:
            raise NoSegment(f"no BBS runs on {data} ({error})") from None
        try:
            return cls(data, read_config(data, games), segment)
        except SegmentError:
            segment.close()
            raise
        except StoreError as error:
            segment.close()
            raise SegmentError(str(error)) from None

    def tell_listener(self) -> None:
        """Wake the listener to look at the directory: somebody has logged in, lost the line, or come another way."""
        listener = self.segment.head.listener
        if listener is not None:
            signals.wake(listener)

    @property
    def latest_sysop_action(self) -> int:
        """Number of the latest sysop action that callers are told of; when it changes, there is something to read.

        It is a word of the head, so looking at it does not ask the database.
        """
        return self.segment.head.user[_SYSOP_ACTION_WORD]

    @latest_sysop_action.setter
    def latest_sysop_action(self, number: int) -> None:
        self.segment.head.user[_SYSOP_ACTION_WORD] = number

    @property
    def closing(self) -> bool:
        """Whether the BBS is closing down."""
        return self.segment.head.closing != 0

    # --- a session's coming and going ---------------------------------------------------------------------------------

    def enter(self, peer: str, entrance: Entrance = Entrance.DOOR, way: int = NOBODY) -> None:
        """Claim a record in the directory for this process; raise `DirectoryFull`."""
        record = self._place(peer, way, entrances.records_for(self.segment, entrance))
        self.tally.enter(self.segment.counts, record.index)
        self.own = OwnRecord(self.directory, record)
        self.notifier = Notifier(self.directory, broadcast.Ring(self.segment), self.own, self.tally)
        self._entered = True

    def _place(self, peer: str, door: int, among: range) -> Record:
        """Claim a record; if there is none, look for dead sessions, which may not have been noticed yet."""
        try:
            return self.directory.enter(process.me(), peer, among, door)
        except DirectoryFull:
            for person in self.directory.dead():
                self.free_dead(person)
        return self.directory.enter(process.me(), peer, among, door)

    def leave(self) -> None:
        """Release the record, here and for other hosts, and close the databases."""
        try:
            self.own.give_back()
            self.other_hosts.leave(self)
            self.notifier.close()
        finally:
            self._entered = False
            self.tally.leave()
        self.directory.close()
        self.bank.close()
        self.accounts.close()

    def _show_waiting(self, lock: semaphore.Mutex, waits: bool) -> None:
        """Let others see that this process waits for a lock, and count how long it did."""
        if waits:
            self._waiting_since = time.monotonic_ns()
        else:
            self.tally.observe(counters.LOCK_WAIT[lock.level], counters.since(self._waiting_since))
        if self._entered:
            self.own.show_waiting(waits)

    def _show_working(self, works: bool) -> None:
        """Let others see that this process is in the bank, where it may wait for the disk."""
        if self._entered:
            self.own.show_waiting(works)

    # --- what every process does now and then -------------------------------------------------------------------------

    def maintain_all(self) -> None:
        """Free the records of dead sessions and maintain every table: at a login, and when a session has died."""
        for person in self.directory.dead():
            self.free_dead(person)
        for table in self.tables:
            table.maintain()

    def maintain_table(self, number: int) -> None:
        """Maintain one table."""
        if number < len(self.tables):
            self.tables[number].maintain()

    def maintain_part(self) -> None:
        """Do the same periodically for a part of the sessions and tables, since every session does (spec/poker.md 9.3).

        Of the tables, only header and records are checked: a dead session's record is free soon, and a session that
        lives at a table maintains it itself.
        """
        tables = range(len(self.tables))
        self.segment.check_locks()
        self.do_added()
        found = self.directory.round_from(self.notifier.index, NEXT)
        # The number of sessions is estimated from how far apart they are here: counting them would touch all records.
        sessions = 1 + found.living * len(self.directory.own) // found.records
        numbers = set(random.sample(tables, min(-(-SAMPLE * len(tables) // sessions), len(tables), _MOST_TABLES)))
        for person in found.dead:
            self.free_dead(person)
            number = person.place.table
            if person.at_table and number is not None and number in tables:
                numbers.add(number)
        for number in numbers:
            self.tables[number].check_locks()
            with suppress(semaphore.LockTimeout):  # its holder does the same now; the dead at other tables wait for us
                self.tables[number].maintain(timeout=0.0, by_records=True)

    def do_added(self) -> None:
        """Do the duties that extras have added."""
        for added in announced("duties", Duty):
            added.go_on(self)

    def free_dead(self, person: SessionInfo) -> None:
        """Free the record of a dead session; the table's purge frees its seat."""
        if self.directory.free_dead(person):
            self.tally.count(counters.DIED)
            onlookers.has_died(self.segment, person)
            log.info("session %d of %r is gone", person.identity.pid, person.name or person.peer)


AGAIN_SECONDS: Final = 10.0
"""Until a duty is tried again for which the database gave no answer: callers wait while it is waited for."""
LONGEST_SECONDS: Final = 600.0
"""Between two looks at a duty, at most: a clock that was set back delays it for no longer."""


class Duty(NamedTuple):
    """What some process of the host does now and then for an extra, whoever is there."""

    name: str
    """What waits where the database gives no answer, in the log's words."""
    word: int
    """Of the segment's head. It holds the moment of the next look, in hundredths of epoch seconds; 0: at once."""
    do: Callable[[Instance], float]
    """Do what is due, and return the seconds until there is more to do. Raise `StoreError`."""

    def go_on(self, instance: Instance) -> None:
        """Do it if it is due; else it costs nothing."""
        words, now = instance.segment.head.user, instance.here.now()
        if _hundredths(now) < words[self.word] <= _hundredths(now + LONGEST_SECONDS):
            return
        words[self.word] = mine = _hundredths(now + AGAIN_SECONDS)  # others do not look meanwhile
        try:
            pause = self.do(instance)
        except StoreError as error:
            pause = AGAIN_SECONDS
            log.warning("%s wait for the next time: %s", self.name, error)
        following = _hundredths(instance.here.now() + min(max(pause, 0.0), LONGEST_SECONDS))
        if words[self.word] == mine or words[self.word] > following:  # else somebody wants it sooner
            words[self.word] = following


def _hundredths(moment: float) -> int:
    return math.ceil(100 * moment)


class OtherHosts:
    """What a session has to do with those of other hosts, where several are one casino; here there is no other one.

    It belongs to one session.
    """

    def claim(self, instance: Instance, user: int, name: str) -> SessionInfo | None:
        """Let all hosts know that this session is the user's; if there is another that may live, return that.

        Then nothing has changed. Raise `StoreError`.
        """
        return None

    def leave(self, instance: Instance) -> None:
        """Let them know that this session has left."""

    def users(self, instance: Instance) -> set[int]:
        """Return the users who are logged in on any host. Raise `StoreError`."""
        return {person.user for person in instance.directory.people()}

    def end(self, instance: Instance, token: int, reason: int, *, kill: bool = False) -> None:
        """Ask for the end of a remote session, for a reason (`EndReason`); with `kill` its process is killed."""

    def mute(self, instance: Instance, person: SessionInfo, until: float) -> None:
        """Note for a remote session until when its user may not write to others."""

    def cell(self, instance: Instance, context: TableContext, rules: TableRules) -> TableCell:
        """Return where a table's value is."""
        return TableCell(context, rules)

    def takes_callers(self, instance: Instance) -> bool:
        """Return whether this host is one of them at this moment, so that callers may come in."""
        return True


class OtherHostsKind(NamedTuple):
    """How an extra lets a session know of other hosts (place `other_hosts`)."""

    of: Callable[[LocalHost], OtherHosts | None]
    """None: there are no others."""


def other_hosts(here: LocalHost) -> OtherHosts:
    """Return what a session of a host has to do with the others."""
    for kind in announced("other_hosts", OtherHostsKind):
        if (found := kind.of(here)) is not None:
            return found
    return OtherHosts()


def game_table(instance: Instance, context: TableContext, rules: TableRules) -> GameTable:
    """Return a table, as a session uses it, with its value where this host has it."""
    return GameTable(context, rules, instance.other_hosts.cell(instance, context, rules))
