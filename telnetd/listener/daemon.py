"""The listener: watch the gate and the signals, reap - and nothing else. It touches no caller's byte.

Owns its children and the watch over sessions that are none. It opens no database and starts no thread, because every
session is a fork of it. The loop below is the whole of its life; handlers of signals are empty, they only wake it.

    SIGCHLD   a session ended: reap; if it did not tidy up, have its seat looked after at once
    SIGHUP    read the configuration again (for callers to come); end, if it is the terminal that went away
    SIGUSR1   look again: a session came in by a tty and is watched, too; addresses were banned, or are no longer
    SIGUSR2   have the program that is installed now tried out; if it could start, become it
    SIGTERM   tell all callers, give back the stakes of running games, remove the segment, exit 0
"""

import logging
import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from math import inf

from telnetd.doors.kinds import Door
from telnetd.listener.acceptor import Acceptor
from telnetd.listener.connections import Connection
from telnetd.listener.ksm import merge
from telnetd.listener.systemd import ServiceManager
from telnetd.listener.upgrade import Child, Handover, StandIn, Upgrade, become
from telnetd.signals import SIGNALS, block_signals, unblock_signals
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config, ConfigError
from yawc_poker.session.caller.endings import Exit

log = logging.getLogger(__name__)

TIDY_SECONDS = 0.05
"""How soon to try again where a lock was held by somebody else."""
LEAVING_SECONDS = 1.0
"""How long children that never entered the house may take to end when it is gone."""
_ENDS = {signal.SIGTERM, signal.SIGINT}


class Listener:
    """The supervision loop."""

    def __init__(
        self,
        config: Config,
        reload: Callable[[], Config],
        doors: Sequence[Door],
        foundation: Foundation,
        manager: ServiceManager,
        before: Handover | None = None,
    ) -> None:
        """Serve at these doors; `before` is what the program before this one left."""
        self._reload = reload
        self._foundation = foundation
        self._manager = manager
        self._selector = selectors.DefaultSelector()
        self._acceptor = Acceptor(config, doors, foundation, self._selector, self._close_inherited)
        self._admission = self._acceptor.admission
        self._connections = self._admission.connections
        self._stand_in = before.stand_in if before else None
        for child in before.children if before else ():
            self._connections.enter(child.pid, Connection(child.door, child.address))
        self._upgrade = Upgrade()
        self._watched: dict[int, int] = {}
        self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._is_tidy = True
        self._had_terminal = os.isatty(0)

    def run(self, announce: Callable[[], None]) -> Exit:
        """Serve until SIGTERM; `announce` is called once callers can connect."""
        self._install()
        self._admission.read_bans()
        self._watch_living()
        if self._stand_in is not None:
            os.close(self._stand_in.pipe)
        announce()
        self._manager.ready()
        while True:
            found = [key for key, _ in self._selector.select(self._pulse())]
            for key in found:
                if key.fd == self._wakeup[0]:
                    if self._handle_signals(self._drain()):
                        return self._end()
                elif key.fd in self._watched:
                    self._watched_ended(self._watched.pop(key.fd), key.fd)
            self._acceptor.serve(found)
            self._reap()
            self._is_tidy = self._foundation.tidy()
            self._acceptor.resume()
            if self._upgrade.is_ready and self._hand_over():
                return self._end()

    def _handle_signals(self, caught: set[int]) -> bool:
        """Act on signals; True if they say that it is time to end."""
        if caught & _ENDS or (signal.SIGHUP in caught and self._lost_terminal()):
            return True
        if signal.SIGHUP in caught:
            self._manager.reloading()
            self._read_config()
            self._admission.read_bans()
            self._manager.ready()
        if signal.SIGUSR1 in caught:
            self._admission.read_bans()
            self._watch_living()
        if signal.SIGUSR2 in caught:
            self._upgrade.begin()
        return False

    def _pulse(self) -> float | None:
        """Show systemd that the loop goes round; gives how long it may wait for something to happen, None: for ever."""
        due = self._manager.pulse(f"callers: {self._connections.callers}")
        if not self._is_tidy:
            due = min(due, TIDY_SECONDS)
        due = min(due, self._acceptor.resumes_in)
        return due if due < inf else None

    # --- set-up -------------------------------------------------------------------------------------------------------

    def _install(self) -> None:
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, lambda *_: None)
        unblock_signals()
        self._selector.register(self._wakeup[0], selectors.EVENT_READ)
        self._acceptor.open()

    def _close_inherited(self) -> None:
        """Close, in a forked session, what is the listener's alone."""
        self._selector.close()
        self._upgrade.close()
        for descriptor in (*self._wakeup, *self._watched):
            os.close(descriptor)

    def _watch_living(self) -> None:
        """Watch the sessions that are not children: left by a listener before this one, or come by a tty."""
        for process, peer, is_caller in self._foundation.living():
            known = process.pid in self._connections or process.pid in self._watched.values()
            if known or (pidfd := self._pidfd(process)) is None:
                continue
            self._watched[pidfd] = process.pid
            self._selector.register(pidfd, selectors.EVENT_READ)
            if is_caller:
                self._admission.note_found(process.pid, peer)

    def _pidfd(self, process: tuple[int, int]) -> int | None:
        """Open a pidfd of a session; where descriptors are short, its end is left to the periodic purge."""
        try:
            return self._foundation.watch(process)
        except OSError as error:
            log.error("session %d cannot be watched: %s", process[0], error.strerror)
            return None

    # --- the ends of sessions -----------------------------------------------------------------------------------------

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            connection = self._connections.leave(pid)
            if connection is None:
                self._other_ended(pid, status)
            elif status != 0:
                log.warning("session %d of %s ended with %s", pid, connection, _status(status))
                self._foundation.gone(pid)

    def _other_ended(self, pid: int, status: int) -> None:
        """A child ended that was no session."""
        if self._stand_in is not None and pid == self._stand_in.pid:
            self._watch_living()  # those whom it let in are no children of this process
        else:
            self._upgrade.ended(pid, status)

    def _watched_ended(self, pid: int, pidfd: int) -> None:
        self._selector.unregister(pidfd)
        os.close(pidfd)
        self._connections.leave(pid)
        self._foundation.gone(pid)

    # --- another program ----------------------------------------------------------------------------------------------

    def _hand_over(self) -> bool:
        """Become the new program; returns only if it cannot be, or, True, if it is time to end instead."""
        self._upgrade.is_ready = False
        block_signals()
        caught = self._drain()
        if not caught & _ENDS:
            self._manager.reloading()
            try:
                self._exec_new_program()
            except OSError as error:
                log.error("upgrade: the new program cannot be started: %s", error.strerror)
                self._manager.ready()
        unblock_signals()
        return self._handle_signals(caught - {signal.SIGUSR2})

    def _exec_new_program(self) -> None:
        """Leave a stand-in at the gate and become the new program; raises `OSError` if it cannot be started."""
        reading, writing = os.pipe()
        try:
            pid = os.fork()
            if pid == 0:
                os.close(writing)
                self._watched[reading] = 0  # so that its sessions close it
                self._acceptor.serve_until_closed(reading)
            self._stand_in = StandIn(pid, writing)
            log.info("upgrade: the new program takes over")
            become(self._handover(self._stand_in))
        finally:
            os.close(reading)
            os.close(writing)

    def _handover(self, stand_in: StandIn) -> Handover:
        children = self._connections.pids - set(
            self._watched.values()
        )  # the others are found again as they were before
        doors: dict[str, list[int]] = {}
        for door in self._acceptor.doors:
            doors.setdefault(door.name, []).extend(one.fileno() for one in door.sockets)
        return Handover(
            lock=self._foundation.lock,
            doors=doors,
            files=[door.name for door in self._acceptor.doors if door.file is not None],
            children=[Child(pid, *self._connections[pid]) for pid in children],
            stand_in=stand_in,
        )

    # --- news, the end ------------------------------------------------------------------------------------------------

    def _read_config(self) -> None:
        before = self._acceptor.config
        try:
            self._acceptor.config = config = self._reload()
        except ConfigError as error:
            log.error("configuration not taken over: %s", error)
            return
        log.info("configuration read again; it holds for callers to come")
        self._foundation.publish(config)
        if config.telnet.merge_memory != before.telnet.merge_memory:
            merge(config.telnet.merge_memory)
        if (config.telnet.host, config.telnet.port) != (before.telnet.host, before.telnet.port):
            log.warning("another address or port to listen on waits until the BBS is stopped and started")

    def _lost_terminal(self) -> bool:
        """Whether SIGHUP came because the window in which the listener was started is gone."""
        return self._had_terminal and not os.isatty(0)

    def _drain(self) -> set[int]:
        found: set[int] = set()
        try:
            while data := os.read(self._wakeup[0], 4096):
                found.update(data)
        except BlockingIOError:
            pass
        return found

    def _end(self) -> Exit:
        log.info("closing down")
        self._manager.stopping()
        started = time.monotonic()
        self._acceptor.close()
        self._upgrade.cancel()
        self._foundation.close_down(self._meanwhile)
        self._wait_for_children()
        log.info("closed after %.1f s", time.monotonic() - started)
        return Exit.OK

    def _wait_for_children(self) -> None:
        """Wait for children whom nobody could tell, because they were not in the directory; kill who does not end."""
        deadline = time.monotonic() + LEAVING_SECONDS
        while (left := self._connections.pids - set(self._watched.values())) and time.monotonic() < deadline:
            self._meanwhile()
            time.sleep(0.01)
        for pid in left:
            log.warning("session %d did not end and was killed", pid)
            os.kill(pid, signal.SIGKILL)  # a child that was not reaped: the pid is its own

    def _meanwhile(self) -> None:
        self._reap()
        self._pulse()


def _status(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"signal {number} ({signal.strsignal(number)})"
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code} ({Exit(code).name})" if code in set(Exit) else f"exit code {code}"
