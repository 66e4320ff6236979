"""The listener: watches the acceptor and the signals, and reaps children. It takes no byte of a caller.

Owns its children, and watches the sessions that are not its children. It opens no database and starts no thread,
because every session is a fork of it. The loop below is all that it does; signal handlers are empty and only wake it.

    SIGCHLD   a session ended: reap it; if it did not clean up, have its seat freed at once. A spare ended or was
              stopped: give its call to another one
    SIGHUP    read the configuration again (for new callers); end, if the terminal has gone away
    SIGUSR1   look again: watch a session that came by a tty, note one that has logged in or moved; read the banned
              addresses; send house players to tables
    SIGUSR2   check the program that is installed now; if it could start, become it
    SIGTERM   tell all callers, refund the stakes of running games, remove the segment, exit 0
"""

import logging
import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from math import inf

from telnetd.doors.door import Door
from telnetd.listener.acceptor import Acceptor
from telnetd.listener.connections import Connection
from telnetd.listener.systemd import ServiceManager
from telnetd.listener.upgrade import Child, Handover, StandIn, Upgrade, become
from telnetd.signals import SIGNALS, block_signals, unblock_signals
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config, ConfigError
from yawc_poker.doors import At, kinds
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.prefork.ksm import merge

log = logging.getLogger(__name__)

TIDY_SECONDS = 0.05
"""Delay before the next try if a lock was held by another process."""
LEAVING_SECONDS = 1.0
"""Time for children that never entered the directory to end when the BBS is closed."""
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
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Serve at these doors; `before` is the handover of the former program; `prepare` is what spares do first."""
        self._reload = reload
        self._foundation = foundation
        self._manager = manager
        self._selector = selectors.DefaultSelector()
        familiar = before.familiar if before else ()
        self._acceptor = Acceptor(config, doors, foundation, self._selector, self._close_inherited, familiar, prepare)
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
        """Serve until SIGTERM and return the exit code; `announce` is called once callers can connect."""
        self._install()
        self._admission.read_bans()
        self._watch_living()
        if self._stand_in is not None:
            os.close(self._stand_in.pipe)  # before any fork: the stand-in would serve on as long as such a child lives
        self._acceptor.send_house_players()
        self._send_companion()
        announce()
        self._manager.ready()
        while True:
            found = [key for key, _ in self._selector.select(self._notify_systemd())]
            for key in found:
                if key.fd == self._wakeup[0]:
                    if self._handle_signals(self._drain()):
                        return self._end()
                elif key.fd in self._watched:
                    self._watched_ended(self._watched.pop(key.fd), key.fd)
            self._acceptor.serve(found)
            self._reap()
            if not found:
                self._acceptor.refill()
            self._send_companion()
            self._is_tidy = self._foundation.tidy()
            self._acceptor.resume()
            self._admission.remind()
            if self._upgrade.is_ready and self._hand_over():
                return self._end()

    def _handle_signals(self, caught: set[int]) -> bool:
        """Act on signals; return whether the listener must end."""
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
            self._acceptor.send_house_players()
        if signal.SIGUSR2 in caught:
            self._upgrade.begin()
        return False

    def _notify_systemd(self) -> float | None:
        """Notify systemd that the loop is running; return how long it may wait for an event, None: for ever."""
        due = self._manager.pulse(f"callers: {self._connections.callers}")
        if not self._is_tidy:
            due = min(due, TIDY_SECONDS)
        due = min(
            due,
            self._acceptor.resumes_in,
            self._acceptor.refills_in,
            self._admission.reminds_in,
            self._foundation.companion.due(time.monotonic()),
        )
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
        """Close the listener's own resources in a forked session."""
        self._selector.close()
        self._upgrade.close()
        for descriptor in (*self._wakeup, *self._watched):
            os.close(descriptor)

    def _watch_living(self) -> None:
        """Watch the sessions that are not children: those of a former listener, or on a tty.

        See who has logged in, who has no line, and who has moved.
        """
        living = self._foundation.living(self._connections.pids)
        for process, peer, is_caller, _ in living:
            known = process.pid in self._connections or process.pid in self._watched.values()
            if known or (pidfd := self._pidfd(process)) is None:
                continue
            self._watched[pidfd] = process.pid
            self._selector.register(pidfd, selectors.EVENT_READ)
            if is_caller:
                self._admission.note_found(process.pid, peer)
        self._connections.without_line({one.identity.pid for one in living if not one.has_line})
        for process, peer, is_caller, has_line in living:
            if is_caller and has_line:
                self._admission.note_place(process.pid, peer)
        self._admission.find_strangers()

    def _pidfd(self, process: tuple[int, int]) -> int | None:
        """Return a pidfd of a session; None if there is none: without descriptors its end is left to the purge."""
        try:
            return self._foundation.watch(process)
        except OSError as error:
            log.error("session %d cannot be watched: %s", process[0], error.strerror)
            return None

    def _send_companion(self) -> None:
        """Fork the process that a host among several has beside its sessions, if it has none, or one that stands still.

        It is no caller, and outlives this process.
        """
        companion, now = self._foundation.companion, time.monotonic()
        companion.watch(now)
        if companion.due(now) > 0:
            return
        try:
            pid = self._acceptor.forked(lambda: companion.serve(self._acceptor.open_instance))
        except OSError as error:
            log.error("no process for the %s: %s", companion.door, error.strerror)
            companion.put_off(now)
        else:
            companion.forked(pid, now)
            self._connections.enter(pid, Connection(companion.door, ""))

    # --- the ends of sessions -----------------------------------------------------------------------------------------

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            is_stopped = os.WIFSTOPPED(status)
            if self._acceptor.take_back(pid, is_stopped=is_stopped) or is_stopped:
                continue
            connection = self._connections.leave(pid)
            self._foundation.invitations.ended(pid)
            if connection is None:
                self._other_ended(pid, status)
            elif status != 0:
                log.warning("session %d of %s ended with %s", pid, connection, _status(status))
                self._foundation.gone(pid)

    def _other_ended(self, pid: int, status: int) -> None:
        """Handle the end of a child that was not a session."""
        if self._stand_in is not None and pid == self._stand_in.pid:
            self._watch_living()  # its sessions are not children of this process
        else:
            self._upgrade.ended(pid, status)

    def _watched_ended(self, pid: int, pidfd: int) -> None:
        self._selector.unregister(pidfd)
        os.close(pidfd)
        self._connections.leave(pid)
        self._foundation.gone(pid)

    # --- another program ----------------------------------------------------------------------------------------------

    def _hand_over(self) -> bool:
        """Become the new program. Return if that fails, or if the listener must end instead (True)."""
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
        """Fork a stand-in and become the new program; raise `OSError` if it cannot be started."""
        reading, writing = os.pipe()
        try:
            pid = os.fork()
            if pid == 0:
                os.close(writing)
                self._watched[reading] = 0  # so that its sessions close it
                self._acceptor.serve_until_closed(reading)
            self._stand_in = StandIn(pid, writing)
            log.info("upgrade: the new program takes over")
            self._acceptor.dismiss_spares()
            self._acceptor.forget_waiting()
            become(self._handover(self._stand_in))
        finally:
            os.close(reading)
            os.close(writing)

    def _handover(self, stand_in: StandIn) -> Handover:
        children = self._connections.pids - set(self._watched.values())  # the others are found again in the directory
        doors: dict[str, list[int]] = {}
        for door in self._acceptor.doors:
            doors.setdefault(door.name, []).extend(one.fileno() for one in door.sockets)
        return Handover(
            lock=self._foundation.lock,
            doors=doors,
            files=[door.name for door in self._acceptor.doors if door.file is not None],
            children=[Child(pid, *self._connections[pid]) for pid in children],
            familiar=list(self._admission.familiar),
            stand_in=stand_in,
        )

    # --- configuration, the end ---------------------------------------------------------------------------------------

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
        for door in self._acceptor.doors:
            door.service.reload(config)
        self._acceptor.dismiss_spares()
        if _addresses(config) != _addresses(before):
            log.warning("another address or port to listen on waits until the BBS is stopped and started")

    def _lost_terminal(self) -> bool:
        """Return whether SIGHUP came because the listener's terminal window was closed."""
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
        self._foundation.close_down(self._while_closing)
        self._wait_for_children()
        block_signals()  # the interpreter takes its handlers away: asked once more, it would die of the signal
        log.info("closed after %.1f s", time.monotonic() - started)
        return Exit.OK

    def _wait_for_children(self) -> None:
        """Wait for children that could not be told because they were not in the directory; kill those that remain.

        SIGUSR1 ends a handshake (`telnetd.doors.tls`). Others, which are about to end, ignore it.
        """
        for pid in self._connections.pids - set(self._watched.values()):
            os.kill(pid, signal.SIGUSR1)  # not reaped yet, so the pid is still its own
        deadline = time.monotonic() + LEAVING_SECONDS
        while (left := self._connections.pids - set(self._watched.values())) and time.monotonic() < deadline:
            self._while_closing()
            time.sleep(0.01)
        for pid in left:
            log.warning("session %d did not end and was killed", pid)
            os.kill(pid, signal.SIGKILL)

    def _while_closing(self) -> None:
        self._reap()
        self._notify_systemd()


def _addresses(config: Config) -> list[At]:
    """Return where the configuration has callers come in."""
    return [kind.at(config) for kind in kinds().values()]


def _status(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"signal {number} ({signal.strsignal(number)})"
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code} ({Exit(code).name})" if code in set(Exit) else f"exit code {code}"
