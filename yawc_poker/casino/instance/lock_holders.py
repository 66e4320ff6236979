"""Processes that keep a lock too long: one that is stopped or does not stop working is killed, one that waits is not.

Owns the judgement, for every lock alike, and the kill. Never takes a lock, never decides when to ask about a holder:
`ipc.semaphore` does, which counts patience in the running time of the processes that wait for the lock or check it in
passing. A holder counts as waiting while its record says so: in the queue for another lock, or in the bank, whose
transactions wait for the disk. One that is stopped there does not. Invariant: a session that is killed here bears its
token as `put_out` in its record before it dies, so its stake goes back to it (`casino.tables`).
"""

import logging
import math
import os
import signal
import time

from yawc_poker.ipc import process
from yawc_poker.ipc.record import Record, SessionState, with_pid
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import Suspect

log = logging.getLogger(__name__)

LOG_SECONDS = 60.0
"""Seconds between two log lines that somebody waits long."""


class Holders:
    """This process's judgement of other processes that keep a lock."""

    def __init__(self, segment: Segment) -> None:
        self._segment_name = segment.name
        self._head = segment.head
        self._records = segment.records
        self._watch = segment.watch

    def break_lock(self, suspect: Suspect) -> bool:
        """Kill a process that has kept a lock for too long and would stop everybody; return whether it was killed.

        A session is killed if it is stopped, or works without end. It is not if it waits, however long, in the queue
        for another lock or in the bank for a disk, or did so a moment ago. A process that is not in the directory is
        killed only if it is stopped and has this very segment in its memory: a session that is coming in, or the
        listener.

        The caller of a killed session is not to blame: `Directory.was_put_out` shows that to those who find the seat.
        Takes no lock.
        """
        pid = suspect.pid
        record = None if pid == os.getpid() else with_pid(self._records, pid)
        person = None if record is None else record.state()
        if record is None or person is None or person.identity.pid != pid:
            return pid != os.getpid() and self._break_stranger(pid)
        now = process.activity(person.identity)
        if not now.stopped and (now.blocked or self._has_waited(record, suspect, now.seconds)):
            self._tell_slow(person)
            return False
        is_first = record.put_out != person.token  # all who waited judge it at the same moment: one line is enough
        record.put_out = person.token  # before it dies: from then on others may find its seat
        if not process.kill(person.identity, signal.SIGKILL):
            return False
        if is_first:
            log.error("session %d of %r kept a lock too long and was killed", pid, person.name)
        return True

    def _break_stranger(self, pid: int) -> bool:
        who = process.find(pid)
        if who is None or not process.is_stopped(who) or not process.has_mapped(who, self._segment_name):
            return False
        if not process.kill(who, signal.SIGKILL):
            return False
        log.error("process %d, in no directory, kept a lock too long and was killed", pid)
        return True

    def _has_waited(self, record: Record, suspect: Suspect, used: float) -> bool:
        """Return whether a session waits or did a moment ago, and has not been busy in the bank.

        A process that waits for a disk uses no processor time. So all that it uses there is added up, however little it
        gets at a time, for as long as it keeps the lock.
        """
        since = record.last_wait
        if not math.isinf(since):
            suspect.used = None
            return time.monotonic() - since < self._watch.patience
        if suspect.used is None:
            suspect.used = used
        return used - suspect.used < self._watch.patience / 2

    def _tell_slow(self, person: SessionState) -> None:
        """Log that somebody waits long, unless another process has logged it lately."""
        now = int(time.monotonic() * 1000)
        if now - self._head.slow_told > LOG_SECONDS * 1000:
            self._head.slow_told = now
            log.warning("session %d of %r waits long, for the disk or the bank", person.identity.pid, person.name)

    def waits(self, pid: int) -> bool:
        """Return whether a session waits for a lock or is in the bank, and is not stopped there."""
        record = with_pid(self._records, pid)
        return record is not None and math.isinf(record.last_wait) and not process.is_stopped(record.identity)
