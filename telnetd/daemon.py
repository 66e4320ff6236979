"""The listener: accept, limit, fork, reap - and nothing else. It touches no caller's byte.

Owns the doors, and the roster of those who came in by them. It opens no database and starts no thread, because every
session is a fork of it. The loop below is the whole of its life; handlers of signals are empty, they only wake it.

    SIGCHLD   a session ended: reap; if it did not tidy up, have its seat looked after at once
    SIGHUP    read the configuration again (for callers to come); end, if it is the terminal that went away
    SIGUSR1   look again: a session came in by a tty and is watched, too; addresses were banned, or are no longer
    SIGTERM   tell all callers, give back the stakes of running games, remove the segment, exit 0
"""

import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from math import inf

from telnetd.bans import NOBODY, BansError, read_bans
from telnetd.doors import Door, close_all
from telnetd.roster import Guest, Roster
from telnetd.systemd import Manager
from yawc_poker.config import Config, ConfigError
from yawc_poker.session.endings import Exit
from yawc_poker.session.founding import Foundation

log = logging.getLogger(__name__)

ACCEPTS_A_ROUND = 64
REST_SECONDS = 0.5
LEAVING_SECONDS = 1.0
"""How long children that never entered the house may take to end when it is gone."""
_SIGNALS = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)

_TOO_MANY = b"Sorry, all lines of this BBS are busy. Please call again later.\r\n"
_TOO_MANY_FROM_YOU = b"Sorry, there are too many calls from your address. Please call again later.\r\n"
_BANNED = b"Sorry, calls from your address are not taken by this BBS.\r\n"
_NO_PROCESS = b"Sorry, this BBS cannot take your call at the moment. Please call again later.\r\n"


def hold_signals() -> None:
    """Keep what a listener is told pending until one runs; call before there is anything to clean up."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


class Listener:
    """The supervision loop."""

    def __init__(
        self,
        config: Config,
        reload: Callable[[], Config],
        doors: Sequence[Door],
        foundation: Foundation,
        manager: Manager,
    ) -> None:
        self._config = config
        self._reload = reload
        self._doors = doors
        self._foundation = foundation
        self._manager = manager
        self._roster = Roster()
        self._bans = NOBODY
        self._watched: dict[int, int] = {}
        self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector = selectors.DefaultSelector()
        self._rests_until = 0.0
        self._had_terminal = os.isatty(0)

    def run(self, announce: Callable[[], None]) -> Exit:
        """Serve until SIGTERM; `announce` is called once callers can connect."""
        self._install()
        self._read_bans()
        self._take_up_living()
        announce()
        self._manager.ready()
        while True:
            for key, _ in self._selector.select(self._pulse()):
                if key.fileobj == self._wakeup[0]:
                    if self._heed(self._drain()):
                        return self._end()
                elif isinstance(key.fileobj, socket.socket):
                    if not self._rests_until:
                        self._accept(key.data, key.fileobj)
                else:
                    self._gone(self._watched.pop(key.fd), key.fd)
            self._reap()
            self._rest_over()

    def _heed(self, caught: set[int]) -> bool:
        """Act on signals; True if they say that it is time to end."""
        if caught & {signal.SIGTERM, signal.SIGINT} or (signal.SIGHUP in caught and self._lost_terminal()):
            return True
        if signal.SIGHUP in caught:
            self._manager.reloading()
            self._read_config()
            self._read_bans()
            self._manager.ready()
        if signal.SIGUSR1 in caught:
            self._read_bans()
            self._take_up_living()
        return False

    def _pulse(self) -> float | None:
        """Show systemd that the loop goes round; gives how long it may wait for something to happen, None: for ever."""
        due = self._manager.pulse(f"callers: {self._roster.callers}")
        if self._rests_until:
            due = min(due, REST_SECONDS)
        return due if due < inf else None

    # --- set-up -------------------------------------------------------------------------------------------------------

    def _install(self) -> None:
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        self._selector.register(self._wakeup[0], selectors.EVENT_READ)
        self._open_doors()

    def _open_doors(self) -> None:
        for door in self._doors:
            for listening in door.sockets:
                listening.setblocking(False)
                self._selector.register(listening, selectors.EVENT_READ, door)

    def _take_up_living(self) -> None:
        """Watch the sessions that are not children: left by a listener before this one, or come by a tty."""
        for process, peer in self._foundation.living():
            known = process.pid in self._roster or process.pid in self._watched.values()
            if known or (pidfd := self._pidfd(process)) is None:
                continue
            self._watched[pidfd] = process.pid
            self._selector.register(pidfd, selectors.EVENT_READ)
            if _is_address(peer):  # whoever comes by a tty takes no line from the callers
                self._roster.enter(process.pid, Guest("", peer))

    def _pidfd(self, process: tuple[int, int]) -> int | None:
        """Open a pidfd of a session; where descriptors are short, its end is left to the periodic purge."""
        try:
            return self._foundation.watch(process)
        except OSError as error:
            log.error("session %d cannot be watched: %s", process[0], error.strerror)
            return None

    # --- accept and fork ----------------------------------------------------------------------------------------------

    def _accept(self, door: Door, listening: socket.socket) -> None:
        for _ in range(ACCEPTS_A_ROUND):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._rest(error)
                return
            with connection:
                # A Unix socket's peer has no name.
                self._admit(door, connection, _plain(str(address[0])) if isinstance(address, tuple) else door.name)

    def _admit(self, door: Door, connection: socket.socket, peer: str) -> None:
        limits = self._config.telnet
        if not door.is_public:
            if self._roster.at(door.name) < door.limit:
                self._fork(door, connection, peer)
            else:
                self._refuse(door, connection, peer, "full", b"", "too many at once")
        elif self._bans.holds(peer, time.time()):
            self._refuse(door, connection, peer, "banned", _BANNED, "its address is banned")
        elif self._roster.callers >= limits.max_sessions or self._foundation.is_full:
            self._refuse(door, connection, peer, "full", _TOO_MANY, "all lines are busy")
        elif self._roster.of(peer) >= limits.max_per_address:
            self._refuse(door, connection, peer, "address", _TOO_MANY_FROM_YOU, "too many calls from its address")
        else:
            self._fork(door, connection, peer)

    def _refuse(
        self, door: Door, connection: socket.socket, peer: str, counted_as: str, line: bytes, reason: str
    ) -> None:
        log.warning("%s: refused %s: %s", door.name, peer, reason)
        self._foundation.refused(counted_as)
        try:
            connection.setblocking(False)
            connection.send(line)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _fork(self, door: Door, connection: socket.socket, peer: str) -> None:
        # No signal may run a handler of ours in the child before the child has its own.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                self._be_session(door, connection, peer)
        except OSError as error:
            self._refuse(door, connection, peer, "no_process", _NO_PROCESS, f"no process: {error.strerror}")
        else:
            self._foundation.accepted(door.name)
            self._roster.enter(pid, Guest(door.name, peer if door.is_public else ""))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _be_session(self, door: Door, connection: socket.socket, peer: str) -> None:
        """Be a session from now on; never returns."""
        code = Exit.BUG
        try:
            self._shed()
            code = door.service(connection, peer, lambda: self._foundation.house(self._config))
        finally:
            os._exit(code)

    def _shed(self) -> None:
        """Give up what is the listener's: handlers, wakeup pipe, listening sockets, watched sessions."""
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL if number != signal.SIGUSR1 else signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        self._selector.close()
        close_all(self._doors)
        for descriptor in (*self._wakeup, *self._watched):
            os.close(descriptor)

    # --- the ends of sessions -----------------------------------------------------------------------------------------

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            guest = self._roster.leave(pid)
            if status != 0:
                log.warning("session %d of %s ended with %s", pid, guest, _status(status))
                self._foundation.gone(pid)

    def _gone(self, pid: int, pidfd: int) -> None:
        self._selector.unregister(pidfd)
        os.close(pidfd)
        self._roster.leave(pid)
        self._foundation.gone(pid)

    # --- trouble, news, the end ---------------------------------------------------------------------------------------

    def _rest(self, error: OSError) -> None:
        """Out of descriptors or memory: stop accepting for a moment instead of spinning."""
        log.error("cannot accept: %s", error.strerror)
        for door in self._doors:
            for listening in door.sockets:
                self._selector.unregister(listening)
        self._rests_until = time.monotonic() + REST_SECONDS

    def _rest_over(self) -> None:
        if self._rests_until and time.monotonic() >= self._rests_until:
            self._rests_until = 0.0
            self._open_doors()

    def _read_config(self) -> None:
        try:
            self._config = self._reload()
            self._foundation.publish(self._config)
            log.info("configuration read again; it holds for callers to come")
        except ConfigError as error:
            log.error("configuration not taken over: %s", error)

    def _read_bans(self) -> None:
        """Look again who may not call; a file that cannot be used changes nothing."""
        try:
            bans = read_bans(self._foundation.bans_file)
        except BansError as error:
            log.error("banned addresses stay as they were: %s", error)
            return
        if bans != self._bans:
            log.info("banned addresses and networks: %d", len(bans.addresses) + len(bans.networks))
        self._bans = bans

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
        for door in self._doors:
            door.remove()
        self._foundation.close_down(self._meanwhile)
        self._see_off()
        log.info("closed after %.1f s", time.monotonic() - started)
        return Exit.OK

    def _see_off(self) -> None:
        """Wait for children whom nobody could tell, because they were not in the directory; kill who does not end."""
        deadline = time.monotonic() + LEAVING_SECONDS
        while (left := self._roster.pids - set(self._watched.values())) and time.monotonic() < deadline:
            self._meanwhile()
            time.sleep(0.01)
        for pid in left:
            log.warning("session %d did not end and was killed", pid)
            os.kill(pid, signal.SIGKILL)  # a child that was not reaped: the pid is its own

    def _meanwhile(self) -> None:
        self._reap()
        self._pulse()


def _plain(address: str) -> str:
    """An IPv4 caller on the IPv6 socket is still an IPv4 caller."""
    return address.removeprefix("::ffff:")


def _is_address(peer: str) -> bool:
    """Whether a session's peer is where a caller came from, and not a terminal or one of the sysop's doors."""
    try:
        ip_address(peer)
    except ValueError:
        return False
    return True


def _status(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"signal {number} ({signal.strsignal(number)})"
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code} ({Exit(code).name})" if code in set(Exit) else f"exit code {code}"
