"""The gate: accept at the doors, decide, fork. All of the listener that a caller meets.

Owns the doors while they are open, the admission, and the birth of a session: signals are blocked over the fork, and
the child sheds what is the listener's before it lets one in. A stand-in is a gate too, in a fork of the listener: it
accepts and forks, and does nothing else, while the listener becomes another program.

The sysop's doors come first in each round and never rest because of callers: however many call, `yawcctl` is answered.
"""

import errno
import fcntl
import logging
import os
import select
import selectors
import signal
import socket
import sys
import termios
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf
from typing import NoReturn

from telnetd.doors.kinds import Door, close_all
from telnetd.listener.admission import BANNED, GONE, Admission, Refusal, no_descriptor, no_process
from telnetd.listener.rate_limits import SHORTEST_PAUSE, LogThrottle
from telnetd.listener.systemd import give_up_protection
from telnetd.signals import SIGNALS, block_signals, unblock_signals
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config
from yawc_poker.session.caller.endings import Exit

log = logging.getLogger(__name__)

ACCEPTS_A_ROUND = 64
PAUSE_SECONDS = 0.5
ENTRY_SECONDS = 1.0
"""How long a stand-in that is not needed any more waits for its sessions to take their places."""
_UNREAD = 4096
"""Bytes that are read of those who are refused: a request is shorter."""
_NOT_FOR_SESSIONS = {signal.SIGUSR1, signal.SIGUSR2}
"""What a session ignores until it knows better: nobody may ring it yet, and an upgrade is no business of its own."""


class Acceptor:
    """The doors, watched by a selector: give `serve` what it finds."""

    def __init__(
        self,
        config: Config,
        doors: Sequence[Door],
        foundation: Foundation,
        selector: selectors.BaseSelector,
        close_inherited: Callable[[], None],
    ) -> None:
        """`config` holds for those who come; `close_inherited` closes, in a forked session, what is the listener's."""
        self.config = config
        self.doors = doors
        self.admission = Admission(foundation.bans_file)
        self._foundation = foundation
        self._selector = selector
        self._close_inherited = close_inherited
        self._paused: dict[Door, float] = {}
        """Doors that nobody is accepted at before these moments."""
        self._refusals = LogThrottle()
        self._spare: int | None = None
        """Given up for a moment where there is no other descriptor left, to tell a caller so."""
        self._keep_spare()

    @property
    def resumes_in(self) -> float:
        """Seconds after which `resume` is to be called; infinite: it accepts at all doors."""
        return max(0.0, min(self._paused.values(), default=inf) - time.monotonic())

    def open(self) -> None:
        """Begin to watch the doors."""
        self._paused.clear()
        self._watch(self.doors)

    def close(self) -> None:
        """Close the doors for good."""
        for door in self.doors:
            door.remove()

    def serve(self, ready: Iterable[selectors.SelectorKey]) -> None:
        """Take in those who wait at the doors among these, the sysop's first."""
        at_doors = [key for key in ready if isinstance(key.data, Door)]
        for key in sorted(at_doors, key=lambda key: bool(key.data.is_public)):
            if isinstance(key.fileobj, socket.socket) and key.data not in self._paused:
                self._accept(key.data, key.fileobj)

    def _accept(self, door: Door, listening: socket.socket) -> None:
        """Take in those who wait at a socket, some at a time."""
        for _ in range(ACCEPTS_A_ROUND):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if not self._accept_with_spare(door, listening, error):
                    # Out of descriptors or memory altogether: no use in trying again at once.
                    log.error("cannot accept: %s", error.strerror)
                    self._pause([door], PAUSE_SECONDS)
                return
            with connection:
                self._admit(door, connection, _peer(door, address))
            if door.is_public and (pause := self.admission.rates.pause_seconds(time.monotonic())) > 0:
                self._pause([one for one in self.doors if one.is_public], max(pause, SHORTEST_PAUSE))
                return

    def resume(self) -> None:
        """Begin to accept again at the doors whose rest is over."""
        now = time.monotonic()
        for door in [door for door, until in self._paused.items() if until <= now]:
            del self._paused[door]
            self._keep_spare()
            self._watch([door])

    def serve_until_closed(self, pipe: int) -> NoReturn:
        """Be the stand-in, in a fork of the listener: serve until the pipe's other end is closed."""
        try:
            signal.set_wakeup_fd(-1)
            for number in SIGNALS:
                # What they ask for is the new program's to do.
                signal.signal(number, signal.SIG_IGN if number != signal.SIGCHLD else signal.SIG_DFL)
            self._foundation.stand_in()
            self._selector = selectors.DefaultSelector()  # the kernel's side of the other is shared with the listener
            self._selector.register(pipe, selectors.EVENT_READ)
            self.open()
            before = self.admission.connections.pids
            while True:
                found = [key for key, _ in self._selector.select(self.resumes_in if self._paused else None)]
                self._reap()
                if any(key.fd == pipe for key in found):
                    self._wait_for_entries(before)
                    os._exit(Exit.OK)
                self.serve(found)
                self.resume()
        finally:
            os._exit(Exit.BUG)

    def _wait_for_entries(self, before: set[int]) -> None:
        """Wait until those whom the stand-in let in are in the directory: when it ends, the listener looks there."""
        deadline = time.monotonic() + ENTRY_SECONDS
        while time.monotonic() < deadline:
            self._reap()
            inside = {one.identity.pid for one in self._foundation.living()}
            if self.admission.connections.pids <= before | inside:
                return
            time.sleep(0.01)

    def _reap(self) -> None:
        """Have the stand-in's own sessions that ended count no more; if one did not tidy up, the purge does."""
        with suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                self.admission.connections.leave(pid)

    def _accept_with_spare(self, door: Door, listening: socket.socket, error: OSError) -> bool:
        """Accept by the spare descriptor where there is no other; False if that cannot be done.

        A caller is told that there is none. The sysop's tool is served: a forked process has descriptors of its own.
        """
        if error.errno not in {errno.EMFILE, errno.ENFILE} or self._spare is None:
            return False
        os.close(self._spare)
        self._spare = None
        try:
            connection, address = listening.accept()
            with connection:
                if door.is_public:
                    self._refuse(door, connection, _peer(door, address), no_descriptor(error))
                else:
                    self._admit(door, connection, _peer(door, address))
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass  # nobody waits any more
        except OSError:
            return False
        self._keep_spare()
        return True

    def _keep_spare(self) -> None:
        if self._spare is None:
            with suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _watch(self, doors: Iterable[Door]) -> None:
        for door in doors:
            for listening in door.sockets:
                listening.setblocking(False)
                self._selector.register(listening, selectors.EVENT_READ, door)

    def _pause(self, doors: Iterable[Door], seconds: float) -> None:
        """Stop accepting at some doors for a moment; whoever calls there waits in the kernel's queue."""
        until = time.monotonic() + seconds
        for door in doors:
            if door not in self._paused:
                for listening in door.sockets:
                    self._selector.unregister(listening)
            self._paused[door] = until

    def _admit(self, door: Door, connection: socket.socket, peer: str) -> None:
        refusal = self.admission.refusal(door, peer, self.config.telnet, is_full=lambda: self._foundation.is_full)
        if refusal is not BANNED and _has_hung_up(connection):
            self.admission.note_refused(door, GONE, time.monotonic())
        elif refusal is not None:
            self._refuse(door, connection, peer, refusal)
        else:
            self._fork(door, connection, peer)

    def _refuse(self, door: Door, connection: socket.socket, peer: str, why: Refusal) -> None:
        now = time.monotonic()
        suppressed = self._refusals.suppressed(f"{peer} {why.reason}", now)
        if suppressed is not None:
            log.log(why.level, "%s: refused %s: %s%s", door.name, peer, why.reason, _and_more(suppressed))
        self._foundation.refused(why.kind)
        self.admission.note_refused(door, why, now)
        try:
            connection.setblocking(False)
            connection.send(door.refusal(why.reason, why.line))
            connection.shutdown(socket.SHUT_WR)
            connection.recv(_UNREAD)  # what lies unread when it is closed would take the answer along
        except OSError:
            pass

    def _fork(self, door: Door, connection: socket.socket, peer: str) -> None:
        block_signals()  # none may run a handler of ours in the child before the child has its own
        try:
            pid = os.fork()
            if pid == 0:
                self._run_session(door, connection, peer)
        except OSError as error:
            self._refuse(door, connection, peer, no_process(error))
        else:
            self._foundation.accepted(door.name)
            self.admission.note(pid, door, peer, self.config.telnet)
        finally:
            unblock_signals()

    def _run_session(self, door: Door, connection: socket.socket, peer: str) -> NoReturn:
        """Be a session from now on."""
        code = Exit.BUG
        try:
            self._release_all()
            code = door.service(connection, peer, lambda: self._foundation.instance(self.config))
        finally:
            os._exit(code)

    def _release_all(self) -> None:
        """Give up what is the listener's: handlers, listening sockets, and what else it has open."""
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN if number in _NOT_FOR_SESSIONS else signal.SIG_DFL)
        unblock_signals()
        self._selector.close()
        if self._spare is not None:
            os.close(self._spare)
        close_all(self.doors)
        self._close_inherited()
        give_up_protection()


def _has_hung_up(connection: socket.socket) -> bool:
    """Whether somebody who waited in the queue has gone meanwhile, and left nothing to be read."""
    poller = select.poll()
    poller.register(connection, select.POLLRDHUP)
    if not poller.poll(0):
        return False
    waiting = fcntl.ioctl(connection, termios.FIONREAD, bytes(4))
    return int.from_bytes(waiting, sys.byteorder) == 0


def _and_more(times: int) -> str:
    return f" (and {times} times more since that was said last)" if times else ""


def _peer(door: Door, address: object) -> str:
    """Say where a connection comes from; a Unix socket's peer has no name."""
    return _plain(str(address[0])) if isinstance(address, tuple) else door.name


def _plain(address: str) -> str:
    """An IPv4 caller on the IPv6 socket is still an IPv4 caller."""
    return address.removeprefix("::ffff:")
