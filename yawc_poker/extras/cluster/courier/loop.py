"""The courier: where it waits, and what it does each time it wakes.

One process for each host holds the host's only connection that listens. It wakes when somebody here has committed
(SIGUSR1), when another host has notified something, and at each tick, a fifteenth of a lease. Then it brings in what is
new elsewhere, tells the others what is new here, and renews the lease when that is due. It decides nothing about games
or people: tables, the directory and the ring have their own rules, and this process uses them as a session does.

Nothing depends on a notification: at each tick all tables and sessions are compared with their rows. When the database
cannot be reached, it tries again at each tick, and looks at everything once it is back. A host whose lease was taken
away is cut off: its sessions end, its cells are taken anew from the rows, and it takes a lease of another epoch. Then
this process ends, and the next courier begins in that epoch.
"""

import logging
import signal
import time
from collections import deque
from contextlib import suppress
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.presence.entrances import Entrance, records_for
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.cluster import joining, messages
from yawc_poker.extras.cluster.courier import directory, forwarding, lease
from yawc_poker.extras.cluster.courier.tables import TablesAbroad
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.server.opening import open_direct
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Terminated
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.endings import Exit

log = logging.getLogger(__name__)

ENDING_SECONDS: Final = 3.0
"""How long the sessions of a host that was cut off may take to end before they are killed."""
_AGAIN: Final = 0.1
"""Seconds between two looks whether they have ended."""


class _Ended(Exception):
    """This process was asked to end."""


class Courier:
    """The courier of one host."""

    def __init__(self, instance: Instance, loop: EventLoop) -> None:
        """`instance` has entered the directory, and its tables are set. Raise `StoreError`."""
        settings = self._settings = instance.config.of(ClusterSettings)
        self._databases = ServerDatabases(instance.data, settings)
        self._instance = instance
        self._here = ClusteredHost(instance.segment.head)
        self._loop = loop
        direct, pooled = (settings.listen, settings.database) if settings.listen else (settings.database, "")
        self._database = open_direct(direct, pooled)
        self._lease = lease.Lease(instance, self._database)
        self._tables = TablesAbroad(instance, self._database)
        self._neighbours = directory.Neighbours(instance, self._database)
        self._forwarding = forwarding.Forwarding(instance)
        self._tick_seconds = settings.lease_seconds / lease.TICKS
        self._next_tick = 0.0
        self._lag = 0.0
        """By how many seconds the latest tick was late, of those since the lease was renewed."""
        self._has_missed = False
        """Nobody knows what was notified before the present connection."""
        self._unheard: deque[str] = deque()
        """What other hosts have told of commands, and nobody here knows yet."""
        self._untold: deque[str] = deque()
        """What other hosts are still to be told."""
        self._watched = -1
        """The connection's descriptor that the loop watches."""
        self._is_cut_off = self._here.is_cut_off
        self._trouble = ""
        """Why the database cannot be reached, as the log says already."""
        self._deaf = ""
        """Why it cannot be listened to, as the log says already."""

    def close(self) -> None:
        """Close the connection."""
        self._watch(-1)
        self._database.end()

    def run(self) -> Exit:
        """Serve until this process is asked to end, or its host has another epoch."""
        try:
            while not self._is_cut_off:
                self._wait(self._next_tick - time.monotonic())
                try:
                    self._work(time.monotonic())
                except StoreError as error:
                    self._lose(error)
                except (LockTimeout, OSError) as error:
                    log.warning("the courier tries again: %s", error)
            self._cut_off()
        except _Ended:
            self._say_goodbye()
        return Exit.OK

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        """Wait for so long at most. Raise `_Ended`."""
        self._here.works()
        self._watch(self._database.fileno())
        self._loop.wait(0.0 if self._database.has_news else max(seconds, 0.0))
        while self._loop.events:
            if isinstance(self._loop.events.popleft(), Terminated):
                raise _Ended

    def _watch(self, descriptor: int) -> None:
        if descriptor == self._watched:
            return
        if self._watched >= 0:
            self._loop.forget(self._watched)
        if descriptor >= 0:
            self._loop.watch(descriptor)
        self._watched = descriptor

    def _lose(self, error: StoreError) -> None:
        """Note that the database cannot be reached, or did not do something."""
        if not self._database.is_open:
            self._lease.failed(time.monotonic())
        if str(error) != self._trouble:
            log.error("the courier has no database: %s", error)
            self._trouble = str(error)

    # --- what it does -------------------------------------------------------------------------------------------------

    def _work(self, now: float) -> None:
        """Do what is to be done now, monotonic seconds. Raise `StoreError`, `LockTimeout`, `OSError`."""
        if self._here.is_cut_off:  # a session has found a row that is older than its table
            self._is_cut_off = True
            return
        is_tick = now >= self._next_tick
        if is_tick:
            self._lag = max(self._lag, now - self._next_tick if self._next_tick else 0.0)
            self._next_tick = now + self._tick_seconds
        is_new = not self._database.is_open
        if is_new and not is_tick:
            return
        if is_new:
            self._listen()
        is_heard = is_new and self._database.is_open
        is_due = is_heard or (is_tick and self._lease.is_due(now))
        if is_due and not self._maintain_leases():
            return
        if self._has_missed and self._database.is_open:
            self._forwarding.refresh()
            self._has_missed = False
        if self._database.is_open:
            self._hear()
        if is_tick:
            self._tables.compare()
            self._neighbours.read()
        self._tell(now)
        if is_due:
            self._end_strangers()
            self._maintain_all()
        if is_tick and self._trouble:
            log.info("the courier has its database again")
            self._trouble = ""

    def _listen(self) -> None:
        """Connect. Where the server takes no connection, all goes by the sessions' way, and nothing is heard.

        Then what others do is seen at the next tick. Raise `StoreError` if there is no other way.
        """
        try:
            self._has_missed = self._database.open()
        except StoreError as error:
            self._has_missed = True
            if not self._settings.listen:
                raise
            if str(error) != self._deaf:
                log.warning("the courier does not hear other hosts: %s", error)
            self._deaf = str(error)
        else:
            self._deaf = ""

    def _maintain_leases(self) -> bool:
        """Renew the lease, and take away others' that have run out; return False if this host has to begin anew.

        That is so if its own lease was taken away, or what nobody plays was not settled when it took it.
        """
        ended = self._lease.renew(self._lag)
        self._lag = 0.0
        if ended is None or self._lease.is_unsettled:
            self._is_cut_off = True
            return False
        for host in ended | self._lease.take_away():
            self._neighbours.forget(host)
        return True

    def _hear(self) -> None:
        """Act on what other hosts have notified."""
        tables: set[int] = set()
        has_sessions = False
        for payload in self._database.received():
            match messages.decoded(payload):
                case messages.TablesChanged() as changed:
                    tables.update(changed.versions if changed.concerns(self._here.number) else ())
                case messages.SessionsChanged():
                    has_sessions = True
                case messages.Knocked():
                    self._lease.hurry()
                    self._next_tick = time.monotonic()
                case _:
                    self._unheard.append(payload)
        try:
            if tables:
                self._tables.take(tables)  # first: people wait for it
            if has_sessions:
                self._neighbours.read()
        finally:  # tables and sessions are compared at the next tick again, commands come once
            self._take_commands()

    def _take_commands(self) -> None:
        """Post what other hosts have told; what a lock is in the way of stays for the next time."""
        while self._unheard:
            payload = self._unheard.popleft()
            try:
                self._forwarding.incoming(payload)
            except LockTimeout:
                self._unheard.appendleft(payload)
                raise

    def _maintain_all(self) -> None:
        """Look for dead sessions and what is due at the tables, where perhaps nobody of this host sits.

        Waits for no lock of a table: whoever holds it does the same.
        """
        instance = self._instance
        instance.segment.check_locks(*(cell.lock for cell in instance.segment.cells))
        for person in instance.directory.dead():
            instance.free_dead(person)
        for table in instance.tables:
            with suppress(LockTimeout):
                table.maintain(timeout=0.0)

    def _tell(self, now: float) -> None:
        """Tell the others what is new here; tables first, since people wait for it."""
        host, committed = self._here.number, self._tables.committed()
        try:
            self._database.notify(list(messages.tables_changed(host, committed, self._tables.audience)))
        except StoreError:
            self._tables.untold(committed)
            raise
        self._untold.extend(self._forwarding.outgoing())
        try:
            if self._neighbours.write(now):
                self._untold.append(messages.encoded(messages.SessionsChanged(host)))
        finally:  # a command is asked for once, whatever becomes of the rows
            while self._untold:
                self._database.notify([self._untold[0]])
                self._untold.popleft()

    def _end_strangers(self) -> None:
        """End those who came in while this host had another epoch, or none."""
        for person in self._own():
            if not self._here.is_of_epoch(person.token):
                self._end(person)

    def _say_goodbye(self) -> None:
        """Let the others see who has gone; if this is not to be done now, they see it when the lease has ended."""
        try:
            if self._database.is_open and not self._is_cut_off:
                self._tell(time.monotonic())
        except (StoreError, LockTimeout, OSError) as error:
            log.info("the courier ends: %s", error)

    # --- cut off ------------------------------------------------------------------------------------------------------

    def _cut_off(self) -> None:
        """End this host's sessions, take its cells anew from the rows, and take a lease of another epoch.

        Raise `_Ended`.
        """
        here = self._here
        here.fenced = here.epoch
        log.error("this host was cut off, its lease was taken away: its sessions end")
        self._end_all(here.fenced)
        while True:
            try:
                self._listen()
                self._tables.compare()
                joining.begin(self._databases, self._instance.segment, self._instance.config)
                self._tables.compare()
            except StoreError as error:
                self._lose(error)
                self._wait(self._tick_seconds)
            else:
                return

    def _end_all(self, epoch: int) -> None:
        """End the sessions of this host's that there are, and wait until they have ended."""
        there = self._own()
        for person in there:
            self._end(person)
        deadline = time.monotonic() + ENDING_SECONDS
        while left := [person for person in there if process.is_alive(person.identity)]:
            if time.monotonic() > deadline:
                for person in left:
                    log.warning("session %d of epoch %d did not end and was killed", person.identity.pid, epoch)
                    process.kill(person.identity, signal.SIGKILL)
            self._wait(_AGAIN)
        for person in self._instance.directory.dead():
            self._instance.free_dead(person)

    def _own(self) -> list[SessionInfo]:
        """Return the sessions of this host but for this process."""
        everybody = self._instance.directory.everybody()
        own = self._instance.own.index
        return [one for one in everybody if self._here.is_own(one.index) and one.index != own]

    def _end(self, person: SessionInfo) -> None:
        """Ask a session to end; a control process reads no commands."""
        if person.index in records_for(self._instance.segment, Entrance.CONTROL):
            process.kill(person.identity, signal.SIGTERM)
            return
        self._instance.directory.end(person, EndReason.FENCED)
        self._instance.notifier.tell(Kind.END, [person.index])
