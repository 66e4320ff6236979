"""The life of the BBS as a whole, in the listener: create or re-attach it, watch its sessions, close it down.

Owns the life of the segment: created when there is none, attached to when sessions of a killed listener still live in
it, replaced when all of them are dead. The listener holds a file lock on the data directory meanwhile, so there is
never a second listener. Whether it could start is examined by the same rules (`examine`), which changes nothing.
Repairing the databases is `yawc_poker.bbs.recovery`'s.
"""

import fcntl
import logging
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Container, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, NamedTuple, Self

from yawc_poker.bbs.invitations import Invitations
from yawc_poker.bbs.reaper import Reaper
from yawc_poker.bbs.recovery import host_with, recover_apart
from yawc_poker.casino import counters
from yawc_poker.casino.files import UnsafeFolder, change_segment_name, is_squatted, refuse_unsafe, sweep
from yawc_poker.casino.instance.databases import CONFIG_FILE, Databases, databases_of, in_use
from yawc_poker.casino.instance.instance import (
    BANNED_FILE,
    LOCK_FILE,
    TABLES_FILE,
    Instance,
    lay_out,
    layout,
    publish_config,
    publish_tables,
    records_by_doors,
)
from yawc_poker.casino.instance.lock_holders import Holders
from yawc_poker.casino.presence.directory import Directory, PlaceKind
from yawc_poker.casino.presence.directory import Standing as Standing
from yawc_poker.casino.presence.entrances import Entrance, records_for
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config import Config
from yawc_poker.config_file import load
from yawc_poker.engine.transcript import Transcript
from yawc_poker.ipc import process, signals
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.process import die_with as die_with
from yawc_poker.ipc.segment import ForeignSegment, HalfCreated, NoSegment, Segment, SegmentError, segment_name
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.games import SETTINGS
from yawc_poker.registry.tables import refuse_unknown, unfinished

log = logging.getLogger(__name__)

CLOSING_SECONDS = 3.0
"""How long sessions may take to say goodbye before they are killed."""
KILL_SECONDS = 1.0
"""How long the killed may take to be gone."""


def read_config(path: Path | None) -> Config:
    """Return the configuration of a file, with all games there are; raise `ConfigError`."""
    return load(path, SETTINGS)


class FoundingError(Exception):
    """The BBS cannot be opened; `str()` is one line that says why."""


class Living(NamedTuple):
    """A session that lives, or a control process."""

    identity: Identity
    peer: str
    is_caller: bool
    """It came in by a door, and takes one of the callers' lines."""
    has_line: bool
    """False: its line is gone, while a seat is kept for its user."""


class Foundation:
    """The listener's hold on a BBS."""

    def __init__(self, databases: Databases, segment: Segment, lock: IO[bytes], *, fresh: bool) -> None:
        """Made by `found`."""
        self.data = databases.data
        self.databases = databases
        self.segment = segment
        self.fresh = fresh
        self._lock = lock
        self._directory = Directory(segment, segment.directory_lock)
        self._tally = Tally()
        self._tally.enter(segment.counts, segment.counts.listener)
        self._reaper = Reaper(segment, self._directory, self._tally)
        self.invitations = Invitations(segment, self._directory)
        """The house players that tables wait for."""
        self._host = host_with(databases)
        self.companion = self._host.companion(segment)
        """The process that speaks with other hosts, if there are any."""
        segment.watch.on_stuck = Holders(segment).break_lock
        segment.head.listener = process.me()
        segment.head.listening_since = int(time.time())

    @classmethod
    def found(cls, data: Path, config: Config, lock: int | None = None) -> Self:
        """Create the BBS of a data directory, or attach to the one that lives there; raise `FoundingError`.

        `lock` is the descriptor that holds the data directory's lock already, after an upgrade in place. Then there is
        a BBS, also if no session is in it: a process that was forked a moment ago may be about to enter.
        """
        try:
            process.me()
        except RuntimeError as error:  # nothing is made that nobody could look after
            raise FoundingError(str(error)) from None
        held = _lock(data, lock)
        try:
            segment, fresh, games = _named_segment(data, config, keep=lock is not None)
            try:
                if fresh:
                    for file in (CONFIG_FILE, BANNED_FILE, TABLES_FILE):
                        sweep(data / file)
                databases = databases_of(data, config) if fresh else in_use(data, config)
                databases.load()
                if fresh:
                    recover_apart(databases, segment, games, config)
                publish_tables(data, segment)
                publish_config(data, databases.in_force(config))  # nobody who finds the BBS by it enters before
            except BaseException:
                if fresh:
                    Segment.destroy(segment.name)
                raise
        except (SegmentError, StoreError, OSError) as error:
            held.close()
            raise FoundingError(str(error)) from None
        except UnknownGame as error:
            held.close()
            raise FoundingError(f"a BBS is running here, but {error}") from None
        _tell_what_waits(segment, config, databases)
        segment.watch.set_patience(config.engine.patience_seconds, config.engine.tick_seconds)
        return cls(databases, segment, held, fresh=fresh)

    def instance(self, config: Config) -> Instance:
        """Return the instance for a forked session."""
        return Instance(self.data, self.databases.in_force(config), self.segment)

    def now(self) -> float:
        """Return the time, in epoch seconds, by the clock that counts for all hosts."""
        return self._directory.here.now()

    @property
    def bans_file(self) -> Path:
        """The list of banned addresses; there need not be one."""
        return self.data / BANNED_FILE

    @property
    def lock(self) -> int:
        """The descriptor that holds the data directory's lock; closing it, or a copy of it, frees the lock."""
        return self._lock.fileno()

    def table_name(self, number: int) -> str:
        """Return what a table is called, by its number in the segment."""
        return self.segment.cells[number].name

    # --- watching -----------------------------------------------------------------------------------------------------

    def publish(self, config: Config) -> None:
        """Make a changed configuration known to sessions that the listener does not fork."""
        try:
            publish_config(self.data, self.databases.in_force(config))
        except OSError as error:
            log.error("the configuration could not be left for other sessions: %s", error.strerror)
        _tell_what_waits(self.segment, config, self.databases)

    def watch(self, identity: tuple[int, int]) -> int | None:
        """Open a pidfd of a session, readable when it ends; None if it has ended. Raise `OSError`."""
        return process.open_pidfd(Identity(*identity))

    def living(self, known: Container[int] = ()) -> list[Living]:
        """Return the sessions that live; `known` are processes that live, or whose end has not been noticed yet."""
        callers = records_for(self.segment, Entrance.DOOR)
        people = self._directory.everybody()
        return [
            Living(one.identity, one.peer, one.index in callers, one.place.kind != PlaceKind.HELD)
            for one in people
            if one.identity.pid in known or process.is_alive(one.identity)
        ]

    @property
    def records(self) -> int:
        """The number of records for those who come by a door."""
        return len(records_for(self.segment, Entrance.DOOR))

    def standings(self) -> list[Standing]:
        """Return the sessions that came by a door; some may be dead."""
        return self._directory.standings(records_for(self.segment, Entrance.DOOR))

    def put_out(self, pid: int, standing: Standing | None) -> bool:
        """Ask a process to go for others; return False if it has logged in meanwhile. Never waits.

        `standing` is its session's, or None if it has none, as in a handshake, which SIGUSR1 ends.
        """
        if standing is None:
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                os.kill(pid, signal.SIGUSR1)  # a child that is not reaped yet, so the pid is still its own
            return True
        try:
            if not self._directory.end_stranger(standing.record, standing.token, EndReason.CROWDED):
                return False
        except LockTimeout:
            return True  # it is asked again when the next one calls
        except LockGone:
            return True  # the BBS ends
        identity = self._directory.whose(standing.record)
        if identity is not None:
            signals.wake(identity)
        return True

    def count(self) -> int:
        """Return the number of sessions, those by a tty as well."""
        return self._directory.count()

    def gone(self, pid: int) -> None:
        """Note that a session's process ended without tidying up; `tidy` repairs that. Ignored while the BBS closes."""
        if not self.segment.head.closing:
            self._reaper.take(pid)

    def tidy(self) -> bool:
        """Clean up after dead sessions without waiting for a lock; False if something is left: call again soon."""
        return self._reaper.work()

    # --- counting -----------------------------------------------------------------------------------------------------

    def accepted(self, door: str) -> None:
        """Count a connection that got a process, by the door it came in."""
        self._tally.count(counters.ACCEPTED[door])

    def refused(self, reason: str) -> None:
        """Count a connection that was refused: "full", "address" (too many from there), "banned", "no_process"."""
        self._tally.count(counters.REFUSED.get(reason, counters.REFUSED["other"]))

    def stand_in(self) -> None:
        """This process, a fork of the listener, accepts in its place: it counts beside the next one, not with it."""
        self._tally = Tally()
        self._tally.enter(self.segment.counts, self.segment.counts.stand_in)

    def upgraded(self) -> None:
        """Count that this listener's program was replaced, and have its companion's replaced, too."""
        self._tally.count(counters.UPGRADES)
        self.companion.replace()

    # --- closing ------------------------------------------------------------------------------------------------------

    def close_down(self, meanwhile: Callable[[], None]) -> None:
        """End all sessions, wait for their processes to end, refund stakes of running games, remove the segment.

        Where other hosts go on, games do, too, and seats are kept. `meanwhile` is called again and again, to reap
        children.
        """
        self.companion.begin_end()
        told: dict[Identity, str] = {}
        for identity, peer in self._wait(told, CLOSING_SECONDS, meanwhile).items():
            log.warning("session %d of %s did not end and was killed", identity.pid, peer)
            process.kill(identity, signal.SIGKILL)
        self._wait(told, KILL_SECONDS, meanwhile)
        self.segment.head.closing = 1
        self.companion.end(meanwhile)
        try:
            self._host.end(self.segment)
        except (StoreError, LockTimeout, LockGone) as error:
            log.error("stakes of running games go back at the next start: %s", error)
        self.demolish()

    def _wait(self, told: dict[Identity, str], seconds: float, meanwhile: Callable[[], None]) -> dict[Identity, str]:
        """Send SIGTERM once to each session, noted in `told`; wait at most `seconds`; return those left."""
        deadline = time.monotonic() + seconds
        while (left := self._staying(told)) and time.monotonic() < deadline:
            for identity in left.keys() - told.keys():  # some may have come in just now: forked before, entered after
                told[identity] = left[identity]
                process.kill(identity, signal.SIGTERM)
            meanwhile()
            time.sleep(0.02)
        meanwhile()
        return left

    def _staying(self, told: Mapping[Identity, str]) -> dict[Identity, str]:
        """Return the sessions in the directory, and those that have left it but not ended yet."""
        leaving = {identity: peer for identity, peer in told.items() if process.is_alive(identity)}
        return leaving | {one.identity: one.peer for one in self.living() if one.identity != self.companion.identity}

    def abandon(self) -> None:
        """Stop before any caller was accepted: a BBS that existed before stays for its sessions."""
        if self.fresh:
            self.demolish()
        self._lock.close()

    def demolish(self) -> None:
        """Remove the segment with its semaphores."""
        with suppress(NoSegment):
            Segment.destroy(self.segment.name)
        with suppress(OSError):
            (self.data / CONFIG_FILE).unlink()
        self._lock.close()


def _lock(data: Path, held: int | None) -> IO[bytes]:
    """Lock the data directory for this listener; `held` is a descriptor that has the lock already.

    A POSIX lock: no child inherits it, the kernel frees it, `exec` keeps it.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_unsafe(data)
        file = os.fdopen(_lock_file(data) if held is None else held, "ab")
    except UnsafeFolder as error:
        raise FoundingError(str(error)) from None
    except OSError as error:
        raise FoundingError(f"data directory {data}: {error.strerror}") from None
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise FoundingError(f"data directory {data}: another listener serves it") from None
    return file


def _lock_file(data: Path) -> int:
    """Open the lock file, never through a symbolic link. Raise `OSError`."""
    return os.open(data / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _named_segment(data: Path, config: Config, *, keep: bool) -> tuple[Segment, bool, dict[int, Transcript]]:
    """Return the result of `_segment`, under another name where another user has taken this one."""
    try:
        return _segment(segment_name(data), config, keep=keep)
    except ForeignSegment as error:
        if keep or not is_squatted(error, data):
            raise
        log.warning("%s: this BBS takes another name", error)
    change_segment_name(data)
    return _segment(segment_name(data), config, keep=keep)


def _segment(name: str, config: Config, *, keep: bool) -> tuple[Segment, bool, dict[int, Transcript]]:
    """Return the segment, whether it is new, and the unfinished games of the one it replaces.

    `keep`: attach to an existing one also if no session may be in it.
    """
    try:
        segment = Segment.attach(name)
    except NoSegment:
        return _create(name, config), True, {}
    except HalfCreated as error:
        log.warning("%s: it is replaced", error)
        Segment.destroy(name)
        return _create(name, config), True, {}
    if keep:
        refuse_unknown(segment)
        return segment, False, {}
    if not segment.head.closing and any(process.is_alive(r.identity) for r in segment.records if r.token):
        refuse_unknown(segment)
        log.warning("segment %s: the listener was killed, its sessions go on", name)
        return segment, False, {}
    log.warning("segment %s: the BBS was killed; it is replaced and stakes go back", name)
    games = unfinished(segment)
    segment.close()
    Segment.destroy(name)
    return _create(name, config), True, games


def _create(name: str, config: Config) -> Segment:
    engine = config.engine
    segment = Segment.create(name, layout(config), timed=engine.unlock == "timed", unlock_ms=engine.unlock_ms)
    lay_out(segment, config)
    return segment


def _tell_what_waits(segment: Segment, config: Config, databases: Databases) -> None:
    """Log the settings that are not what the segment was made with, or the BBS started with."""
    head = segment.head
    there = Counter(cell.game for cell in segment.cells)
    differ = {
        "telnet.max_sessions": records_by_doors(config) > len(records_for(segment, Entrance.DOOR)),
        "house.players": config.house.players > len(records_for(segment, Entrance.HOUSE)),
        **{f"{game.section}.tables": game.tables != there[game.section] for game in config.games},
        "engine.unlock": head.timed != (config.engine.unlock == "timed"),
        "engine.unlock_ms": head.unlock_ms != config.engine.unlock_ms,
    }
    if waiting := [*(key for key, differs in differ.items() if differs), *databases.waiting(config)]:
        log.warning("these settings wait until the BBS is stopped and started: %s", ", ".join(waiting))


# --- the check of a start, `yawc-telnetd --check` ---------------------------------------------------------------------


def examine(data: Path, config: Config) -> str:
    """Return what a listener of this program would find. Raise `FoundingError` if it could not start.

    Nor can it beside living sessions of a program whose databases have another layout: they would go on writing by it.
    """
    try:
        refuse_unsafe(data)
        segment = Segment.attach(segment_name(data))
    except (NoSegment, HalfCreated):
        return _examine_stopped(data, config)
    except ForeignSegment as error:
        if not is_squatted(error, data):
            raise FoundingError(str(error)) from None
        return _examine_stopped(data, config)
    except (UnsafeFolder, SegmentError, OSError) as error:
        raise FoundingError(str(error)) from None
    try:
        refuse_unknown(segment)
    except UnknownGame as error:
        raise FoundingError(f"a BBS is running here, but {error}") from None
    finally:
        segment.close()
    databases = in_use(data, config)
    try:
        databases.load()
        for opened in (databases.books, databases.users):
            with closing(opened(look_only=True)) as store, store.reading():
                pass
    except StoreError as error:
        raise FoundingError(str(error)) from None
    return "the BBS that runs here has the same layout"


def _examine_stopped(data: Path, config: Config) -> str:
    try:
        host_with(databases_of(data, config)).examine(config)
    except StoreError as error:
        raise FoundingError(str(error)) from None
    return "no BBS runs here"
