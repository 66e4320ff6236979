"""The house: everything of one BBS that a process holds, put together in one place.

Owns attaching to the segment and opening the databases (after the fork, never before). Every session `enter`s once and
`leave`s once; founding and closing the whole is the listener's (`yawc_poker.bbs.lifecycle`).
"""

import logging
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from yawc_poker.casino import counters
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.files import write_whole
from yawc_poker.casino.instance.lock_holders import Holders
from yawc_poker.casino.presence import places
from yawc_poker.casino.presence.directory import Directory, DirectoryFull, SessionInfo
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.places import Entrance
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.bans import Bans
from yawc_poker.casino.users.login_attempts import Attempts
from yawc_poker.casino.users.messages import Messages
from yawc_poker.casino.users.registrations import Registrations
from yawc_poker.casino.users.sysop_log import SysopLog
from yawc_poker.config import Config, ConfigError, GameSections, convert, sections
from yawc_poker.engine.table import Seat
from yawc_poker.ipc import process, signals
from yawc_poker.ipc.broadcast import Ring
from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import NoSegment, Segment, SegmentError, segment_name
from yawc_poker.ipc.semaphore import TIMEOUT, LockTimeout, Mutex

log = logging.getLogger(__name__)

NEXT = 2
"""Living sessions that one duty examines, those that come next in the directory: so each is seen as often a period."""
SAMPLE = 8
"""How often each table is looked at in a period, about: everybody's duty has a part of them."""
_MOST_TABLES = 32
"""Tables that one duty examines at most, where there are many more of them than sessions."""

SYSOP_ACTION_WORD = 0
"""Which of the head's free words is `Instance.latest_act`."""

BANK_FILE = "bank.sqlite"
USERS_FILE = "users.sqlite"
LOCK_FILE = "listener.lock"
"""Locked by the listener as long as it lives, whatever its version."""
ERRANDS_FILE = "errands.lock"
"""Locked by the children of sessions that check passwords: only so many at a time."""
CONFIG_FILE = "running.json"
"""The configuration of the running BBS, for sessions that it did not fork."""
BANNED_FILE = "banned.json"
"""The addresses that the listener turns away, each with the time until when (telnetd.listener.address_bans has the
format)."""


def layout(config: Config) -> Layout:
    """Return the segment's layout for a configuration."""
    return places.layout(config.telnet.max_sessions, len(games_by_table(config)))


def games_by_table(config: Config) -> list[str]:
    """Return the kind of the game of each table, in the tables' order."""
    return [game.section for game in config.games for _ in range(game.tables)]


def lay_out(segment: Segment, config: Config) -> None:
    """Note in a new segment whose its records are, and which of its tables plays which game.

    The configuration may change while it lives.
    """
    places.divide(segment)
    for cell, game in zip(segment.cells, games_by_table(config), strict=True):
        cell.game = game


def publish_config(data: Path, config: Config) -> None:
    """Leave the configuration for sessions that the listener does not fork; whoever reads finds a whole one."""
    write_whole(data / CONFIG_FILE, msgspec.json.encode(sections(config)))


def read_config(data: Path, games: GameSections) -> Config:
    """Return what `publish_config` left; raise `SegmentError` where it is unusable."""
    try:
        return convert(msgspec.json.decode((data / CONFIG_FILE).read_bytes(), type=dict[str, object]), games)
    except (OSError, msgspec.DecodeError, ConfigError) as error:
        raise SegmentError(f"{data / CONFIG_FILE} cannot be used: {error}") from None


class AnyTable(Protocol):
    """What can be done to a table without knowing its game."""

    def watch_over(self) -> None:
        """Look whether somebody stands still with a lock that all tables need, or with this one's."""

    def look_after(self, timeout: float = TIMEOUT, *, by_records: bool = False) -> None:
        """Purge, serve overdue clocks, take over abandoned closings, if the lock is to be had within `timeout` s.

        `by_records`: only if the table's header and the directory's records show that there is something to do.
        """

    def leave(self) -> None:
        """Leave the table, if one sits there."""

    def sitting(self) -> tuple[Seat | None, ...]:
        """Give who sits where, without a lock."""


class Instance:
    """One process's hold on the BBS."""

    notifier: Notifier
    """Set by `enter`."""
    _entered = False
    _waiting_since = 0

    def __init__(self, data: Path, config: Config, segment: Segment) -> None:
        self.data = data
        self.config = config
        self.segment = segment
        self.tables: Sequence[AnyTable] = ()
        """The tables that this process looks after; put there by the layer that knows the games."""
        self.directory = Directory(segment, segment.directory_lock)
        self.bank = Bank(data / BANK_FILE, segment.bank_lock, must_exist=True)
        self.accounts = Accounts(data / USERS_FILE, segment.bank_lock, must_exist=True)
        self.messages = Messages(self.accounts)
        self.sysop_log = SysopLog(self.accounts)
        self.bans = Bans(self.accounts, data / BANNED_FILE)
        self.attempts = Attempts(self.accounts)
        self.registrations = Registrations(self.accounts)
        self.tally = Tally()
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

    def tell_listener(self) -> None:
        """Ring the listener: there is a session that it has not forked."""
        listener = self.segment.head.listener
        if listener is not None:
            signals.wake(listener)

    @property
    def latest_sysop_action(self) -> int:
        """Number of the sysops' act that was told of last: where it is another than before there is something to read.

        A word of the head: who looks at it need not ask the database.
        """
        return self.segment.head.user[SYSOP_ACTION_WORD]

    @latest_sysop_action.setter
    def latest_sysop_action(self, act: int) -> None:
        self.segment.head.user[SYSOP_ACTION_WORD] = act

    @property
    def closing(self) -> bool:
        """The BBS is closing down."""
        return self.segment.head.closing != 0

    # --- a session's coming and going ---------------------------------------------------------------------------------

    def enter(self, peer: str, entrance: Entrance = Entrance.DOOR) -> None:
        """Take a place in the directory for this process; raises `DirectoryFull`."""
        record = self._place(peer, places.places(self.segment, entrance))
        self.tally.enter(self.segment.counts, record.index)
        self.notifier = Notifier(self.directory, Ring(self.segment), record, self.tally)
        self._entered = True

    def _place(self, peer: str, among: range) -> Record:
        """Take a place; where there is none, look for the dead, whom nobody may have noticed yet."""
        try:
            return self.directory.enter(process.me(), peer, among)
        except DirectoryFull:
            for person in self.directory.dead():
                self.bury(person)
        return self.directory.enter(process.me(), peer, among)

    def leave(self) -> None:
        """Give the place back and close the databases."""
        try:
            self.notifier.leave()
        finally:
            self._entered = False
            self.tally.leave()
        self.bank.close()
        self.accounts.close()

    def _show_waiting(self, lock: Mutex, waits: bool) -> None:
        """Let others see that this process only waits, and count how long it did."""
        if waits:
            self._waiting_since = time.monotonic_ns()
        else:
            self.tally.observe(counters.LOCK_WAIT[lock.level], counters.since(self._waiting_since))
        if self._entered:
            self.notifier.show_waiting(waits)

    def _show_working(self, works: bool) -> None:
        """Let others see that this process is in the bank, where it may have to wait for the disk."""
        if self._entered:
            self.notifier.show_waiting(works)

    # --- what every process does now and then -------------------------------------------------------------------------

    def look_after_all(self) -> None:
        """Bury the dead and look after every table: at a login, and when the bell of a death rings."""
        for person in self.directory.dead():
            self.bury(person)
        for table in self.tables:
            table.look_after()

    def look_after(self, number: int) -> None:
        """Look after one table."""
        if number < len(self.tables):
            self.tables[number].look_after()

    def duty(self) -> None:
        """The same as a periodic duty: a part of the sessions, since everybody does it (spec/poker.md 9.3).

        Of the tables, too; there a look at the records will do, which are free once the dead are buried: whoever lives
        at a table looks after it by himself.
        """
        tables = range(len(self.tables))
        self.segment.watch_over()
        found = self.directory.round_from(self.notifier.index, NEXT)
        # How many sessions there are is reckoned from how far apart they are here: counting them would touch them all.
        sessions = 1 + found.living * len(self.segment.records) // found.records
        care = set(random.sample(tables, min(-(-SAMPLE * len(tables) // sessions), len(tables), _MOST_TABLES)))
        for person in found.dead:
            self.bury(person)
            number = person.place.table
            if person.at_table and number is not None and number in tables:
                care.add(number)
        for number in care:
            self.tables[number].watch_over()
            with suppress(LockTimeout):  # whoever holds it does the same now; the other tables' dead wait for us
                self.tables[number].look_after(timeout=0.0, by_records=True)

    def bury(self, person: SessionInfo) -> None:
        """Free the record of a dead session; his seat is the table's purge's business."""
        if self.directory.bury(person):
            self.tally.count(counters.DIED)
            log.info("session %d of %r is gone", person.identity.pid, person.name or person.peer)
