"""The gate: accept at the doors, decide, fork. All of the listener that a caller meets.

Owns the doors while they are open, the admission, and the birth of a session: signals are blocked over the fork, and
the child sheds what is the listener's before it lets one in. A stand-in is a gate too, in a fork of the listener: it
accepts and forks, and does nothing else, while the listener becomes another program.
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import NoReturn

from telnetd.admission import Admission, Refusal, no_descriptor, no_process
from telnetd.doors import Door, close_all
from telnetd.rates import Seldom
from telnetd.signals import SIGNALS, hear_signals, hold_signals
from yawc_poker.config import Config
from yawc_poker.session.endings import Exit
from yawc_poker.session.founding import Foundation

log = logging.getLogger(__name__)

ACCEPTS_A_ROUND = 64
REST_SECONDS = 0.5
ENTRY_SECONDS = 1.0
"""How long a stand-in that is not needed any more waits for its sessions to take their places."""
_NOT_FOR_SESSIONS = {signal.SIGUSR1, signal.SIGUSR2}
"""What a session ignores until it knows better: nobody may ring it yet, and an upgrade is no business of its own."""


class Gate:
    """The doors, watched by a selector: give `accept` what it finds."""

    def __init__(
        self,
        config: Config,
        doors: Sequence[Door],
        foundation: Foundation,
        selector: selectors.BaseSelector,
        shed: Callable[[], None],
    ) -> None:
        """`config` holds for those who come; `shed` closes, in a forked session, what is the listener's."""
        self.config = config
        self.doors = doors
        self.admission = Admission(foundation.bans_file)
        self._foundation = foundation
        self._selector = selector
        self._shed = shed
        self._rests_until: float | None = None
        self._refusals = Seldom()
        self._spare: int | None = None
        """Given up for a moment where there is no other descriptor left, to tell a caller so."""
        self._keep_spare()

    @property
    def rests_for(self) -> float:
        """Seconds after which `look_up` is to be called; infinite: it accepts."""
        return inf if self._rests_until is None else max(0.0, self._rests_until - time.monotonic())

    def open(self) -> None:
        """Begin to watch the doors."""
        for door in self.doors:
            for listening in door.sockets:
                listening.setblocking(False)
                self._selector.register(listening, selectors.EVENT_READ, door)

    def close(self) -> None:
        """Close the doors for good."""
        for door in self.doors:
            door.remove()

    def accept(self, key: selectors.SelectorKey) -> None:
        """Take in those who wait at a socket, some at a time."""
        listening, door = key.fileobj, key.data
        if self._rests_until is not None or not isinstance(listening, socket.socket):
            return
        for _ in range(ACCEPTS_A_ROUND):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if not self._turn_away(door, listening, error):
                    # Out of descriptors or memory altogether: no use in trying again at once.
                    log.error("cannot accept: %s", error.strerror)
                    self._rest(REST_SECONDS)
                return
            with connection:
                self._meet(door, connection, _peer(door, address))
            if (pause := self.admission.rates.rest(time.monotonic())) > 0:
                self._rest(pause)
                return

    def look_up(self) -> None:
        """Begin to accept again once the rest is over."""
        if self.rests_for <= 0:
            self._rests_until = None
            self._keep_spare()
            self.open()

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
            before = self.admission.roster.pids
            while True:
                found = self._selector.select(None if self._rests_until is None else self.rests_for)
                self._strike_off_ended()
                for key, _ in found:
                    if key.fd == pipe:
                        self._see_in(before)
                        os._exit(Exit.OK)
                    self.accept(key)
                self.look_up()
        finally:
            os._exit(Exit.BUG)

    def _see_in(self, before: set[int]) -> None:
        """Wait until those whom the stand-in let in are in the directory: when it ends, the listener looks there."""
        deadline = time.monotonic() + ENTRY_SECONDS
        while time.monotonic() < deadline:
            self._strike_off_ended()
            inside = {process.pid for process, _ in self._foundation.living()}
            if self.admission.roster.pids <= before | inside:
                return
            time.sleep(0.01)

    def _strike_off_ended(self) -> None:
        """Have the stand-in's own sessions that ended count no more; if one did not tidy up, the purge does."""
        with suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                self.admission.roster.leave(pid)

    def _turn_away(self, door: Door, listening: socket.socket, error: OSError) -> bool:
        """Tell who waits that there is no descriptor for him, by the spare one; False if that cannot be done."""
        if error.errno not in {errno.EMFILE, errno.ENFILE} or self._spare is None:
            return False
        os.close(self._spare)
        self._spare = None
        try:
            connection, address = listening.accept()
            with connection:
                self._refuse(door, connection, _peer(door, address), no_descriptor(error))
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

    def _meet(self, door: Door, connection: socket.socket, peer: str) -> None:
        if not _has_hung_up(connection):
            self._admit(door, connection, peer)
        else:
            self.admission.rates.refused(time.monotonic())

    def _rest(self, seconds: float) -> None:
        """Stop accepting for a moment; whoever calls waits in the kernel's queue."""
        for door in self.doors:
            for listening in door.sockets:
                self._selector.unregister(listening)
        self._rests_until = time.monotonic() + seconds

    def _admit(self, door: Door, connection: socket.socket, peer: str) -> None:
        refusal = self.admission.refusal(door, peer, self.config.telnet, is_full=self._foundation.is_full)
        if refusal is None:
            self._fork(door, connection, peer)
        else:
            self._refuse(door, connection, peer, refusal)

    def _refuse(self, door: Door, connection: socket.socket, peer: str, why: Refusal) -> None:
        now = time.monotonic()
        unsaid = self._refusals.unsaid(f"{peer} {why.reason}", now)
        if unsaid is not None:
            log.log(why.level, "%s: refused %s: %s%s", door.name, peer, why.reason, _and_more(unsaid))
        self._foundation.refused(why.kind)
        self.admission.rates.refused(now)
        try:
            connection.setblocking(False)
            connection.send(why.line if door.speaks else b"")
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _fork(self, door: Door, connection: socket.socket, peer: str) -> None:
        hold_signals()  # none may run a handler of ours in the child before the child has its own
        try:
            pid = os.fork()
            if pid == 0:
                self._be_session(door, connection, peer)
        except OSError as error:
            self._refuse(door, connection, peer, no_process(error))
        else:
            self._foundation.accepted(door.name)
            self.admission.note(pid, door, peer, self.config.telnet)
        finally:
            hear_signals()

    def _be_session(self, door: Door, connection: socket.socket, peer: str) -> NoReturn:
        """Be a session from now on."""
        code = Exit.BUG
        try:
            self._shed_all()
            code = door.service(connection, peer, lambda: self._foundation.house(self.config))
        finally:
            os._exit(code)

    def _shed_all(self) -> None:
        """Give up what is the listener's: handlers, listening sockets, and what else it has open."""
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN if number in _NOT_FOR_SESSIONS else signal.SIG_DFL)
        hear_signals()
        self._selector.close()
        if self._spare is not None:
            os.close(self._spare)
        close_all(self.doors)
        self._shed()


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
