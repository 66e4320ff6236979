"""The acceptor: accept connections at the doors, admit or refuse them, pass each to a process; and house players.

Owns the doors while they are open, the admission, and the fork of a session: signals are blocked during the fork, and
the child closes the listener's resources before it unblocks them. Which process a connection gets is `spares`' to say.
A stand-in is an acceptor, too, in a fork of the listener: it only accepts and forks, while the listener becomes another
program.

The sysop's doors are served first in each round and never pause because of callers, so `yawcctl` is always answered.
"""

import errno
import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, NoReturn

from telnetd.doors import inquiry
from telnetd.doors.door import Door
from telnetd.doors.inquiry import Inquiry
from telnetd.doors.sockets import has_hung_up
from telnetd.listener.admission import BANNED, FULL, GONE, Admission, Refusal, no_descriptor, no_process
from telnetd.listener.connections import Connection
from telnetd.listener.rate_limits import SHORTEST_PAUSE, LogThrottle
from telnetd.listener.spares import Call, Passed, Spares
from telnetd.listener.systemd import reset_oom_score
from telnetd.listener.vestibule import Vestibule, Waiting
from telnetd.signals import SIGNALS, block_signals, unblock_signals
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config
from yawc_poker.digits import decimal
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.house.house_player import serve_house
from yawc_poker.session.prefork.slices import let_others_first, let_others_pass
from yawc_poker.session.run import OpenInstance

log = logging.getLogger(__name__)

ACCEPTS_A_ROUND = 64
PAUSE_SECONDS = 0.5
ENTRY_SECONDS = 1.0
"""How long a stand-in that is no longer needed waits for its sessions to enter the directory."""
RESERVE = 1
"""Processes that callers leave over: one for the sysop's tool, who must be able to look, and to act."""
ROOM_SECONDS = 0.1
_UNREAD = 16 * 1024
"""Bytes that are read from a refused connection: requests are shorter."""
_NOT_FOR_SESSIONS = {signal.SIGUSR1, signal.SIGUSR2}
"""Signals a new session ignores at first: nobody knows its pid yet, and upgrades do not concern it."""


class Acceptor:
    """Accepts at the doors, which a selector watches: pass its events to `serve`."""

    def __init__(
        self,
        config: Config,
        doors: Sequence[Door],
        foundation: Foundation,
        selector: selectors.BaseSelector,
        close_inherited: Callable[[], None],
        familiar: Collection[str] = (),
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`config` applies to new callers; `close_inherited` closes the listener's resources in a forked session.

        `familiar` are the networks that a former listener knew so; `prepare` is what spares do before they wait.
        """
        self.config = config
        self.doors = doors
        self.admission = Admission(foundation.bans_file, foundation, foundation.now, familiar)
        self._foundation = foundation
        self._selector = selector
        self._close_inherited = close_inherited
        self.open_instance: OpenInstance = lambda: foundation.instance(self.config)
        self._paused: dict[Door, float] = {}
        """The doors at which nothing is accepted before these moments."""
        self._refusals = LogThrottle()
        self._spares = Spares(self.forked, self._serve, prepare)
        self._inquiries: dict[Inquiry, int] = {}
        """Questions about a proxy's connections, and the processes that serve these: whose call it is they read."""
        self.vestibule = Vestibule()
        self._crowded = False
        self._room_until = 0.0
        """The moment up to which `_crowded` holds."""
        self._last: int | None = None
        """A descriptor that is closed for a moment if there is no other left, so that a caller can be told."""
        self._keep_last()

    @property
    def resumes_in(self) -> float:
        """Seconds until `resume` must be called; infinite if no door is paused, and nobody waits."""
        return max(0.0, min(self.vestibule.due_at, *self._paused.values(), inf) - time.monotonic())

    def open(self) -> None:
        """Start watching the doors."""
        self._paused.clear()
        self._watch(self.doors)

    def close(self) -> None:
        """Close the doors for good, the last descriptor, and all questions; end the spares."""
        for door in self.doors:
            door.remove()
        self.dismiss_spares()
        self._spares.forget()
        self._forget_inquiries()
        for one in self.vestibule:
            self._let_go(one, b"")
        if self._last is not None:
            os.close(self._last)
            self._last = None

    def serve(self, ready: Iterable[selectors.SelectorKey]) -> None:
        """Accept at the doors that are ready, the sysop's first; answer questions before."""
        self._spares.release_taken()
        ready = list(ready)
        for key in ready:
            if isinstance(key.data, Inquiry):
                self._answer(key.data)
        at_doors = [key for key in ready if isinstance(key.data, Door)]
        for key in sorted(at_doors, key=lambda key: bool(key.data.is_public)):
            if isinstance(key.fileobj, socket.socket) and key.data not in self._paused:
                self._accept(key.data, key.fileobj)
        for key in ready:
            if isinstance(key.data, Waiting) and key.data in self.vestibule:  # else it had to go
                self._selector.unregister(key.fileobj)
                self._look(key.data, time.monotonic())

    def _accept(self, door: Door, listening: socket.socket) -> None:
        """Accept the connections that wait at a socket, at most `ACCEPTS_A_ROUND`."""
        for _ in range(ACCEPTS_A_ROUND):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if not self._accept_with_last(door, listening, error):
                    # Out of descriptors or memory: trying again at once is no use.
                    log.error("cannot accept: %s", error.strerror)
                    self._pause([door], PAUSE_SECONDS)
                return
            with connection:
                self._meet(door, connection, door.origin(address))
            if self._keep_pace(door):
                return

    def _keep_pace(self, door: Door) -> bool:
        """Return whether the callers' doors pause, because of those who came by this door."""
        if not door.is_public or (pause := self.admission.pause_seconds(time.monotonic())) <= 0:
            return False
        self._pause([one for one in self.doors if one.is_public], max(pause, SHORTEST_PAUSE))
        return True

    def resume(self) -> None:
        """Accept again at the doors whose pause is over."""
        now = time.monotonic()
        for door in [door for door, until in self._paused.items() if until <= now]:
            del self._paused[door]
            self._keep_last()
            self._watch([door])
        for one in self.vestibule:
            if one.look_at <= now:
                self._look(one, now)

    def serve_until_closed(self, pipe: int) -> NoReturn:
        """Run as the stand-in, in a fork of the listener, until the other end of the pipe is closed."""
        try:
            signal.set_wakeup_fd(-1)
            for number in SIGNALS:
                # The new program will act on them.
                signal.signal(number, signal.SIG_IGN if number != signal.SIGCHLD else signal.SIG_DFL)
            self._foundation.stand_in()
            self._spares.forget()
            self._forget_inquiries()
            self._selector = selectors.DefaultSelector()  # the inherited one shares its epoll with the listener
            self._selector.register(pipe, selectors.EVENT_READ)
            self.open()
            for one in self.vestibule:
                self._wait_for_words(one, time.monotonic())
            before = self.admission.connections.pids
            while True:
                due = self.resumes_in
                found = [key for key, _ in self._selector.select(due if due < inf else None)]
                self._reap()
                if any(key.fd == pipe for key in found):
                    for door in self.doors:
                        door.close()  # before the wait: a listener that follows a killed one needs the ports
                    for one in self.vestibule:
                        self._let_in(one)
                    self._wait_for_entries(before)
                    os._exit(Exit.OK)
                self.serve(found)
                self.resume()
        finally:
            os._exit(Exit.BUG)

    def _forget_inquiries(self) -> None:
        """Close all questions: who asks is admitted when nobody is left to answer."""
        while self._inquiries:
            self._inquiries.popitem()[0].channel.close()

    def _wait_for_entries(self, before: set[int]) -> None:
        """Wait until the stand-in's sessions are in the directory, where the listener looks when the stand-in ends."""
        deadline = time.monotonic() + ENTRY_SECONDS
        while time.monotonic() < deadline:
            self._reap()
            inside = {one.identity.pid for one in self._foundation.living()}
            if self.admission.connections.pids <= before | inside:
                return
            time.sleep(0.01)

    def _reap(self) -> None:
        """Reap the stand-in's own sessions; if one did not clean up, the purge does."""
        with suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                self.admission.connections.leave(pid)

    def _accept_with_last(self, door: Door, listening: socket.socket, error: OSError) -> bool:
        """Accept with the last descriptor if there is no other; return False if that is not possible.

        A caller is refused. The sysop's tool is served, because a forked process has descriptors of its own.
        """
        if error.errno not in {errno.EMFILE, errno.ENFILE} or self._last is None:
            return False
        os.close(self._last)
        self._last = None
        try:
            connection, address = listening.accept()
            with connection:
                if door.is_public:
                    self._refuse(door, connection, door.origin(address), no_descriptor(error))
                else:
                    self._admit(door, connection, door.origin(address))
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass  # the connection is gone
        except OSError:
            return False
        self._keep_last()
        return True

    def _keep_last(self) -> None:
        if self._last is None:
            with suppress(OSError):
                self._last = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _watch(self, doors: Iterable[Door]) -> None:
        for door in doors:
            for listening in door.sockets:
                listening.setblocking(False)
                self._selector.register(listening, selectors.EVENT_READ, door)

    def _pause(self, doors: Iterable[Door], seconds: float) -> None:
        """Stop accepting at some doors for a moment; connections wait in the kernel's queue."""
        until = time.monotonic() + seconds
        for door in doors:
            if door not in self._paused:
                for listening in door.sockets:
                    self._selector.unregister(listening)
            self._paused[door] = until

    # --- first words --------------------------------------------------------------------------------------------------

    def _meet(self, door: Door, connection: socket.socket, peer: str) -> None:
        """Admit a connection or refuse it, at some doors when it has said something."""
        words = door.service.first_words(peer)
        if words is None or self.admission.is_banned(peer):
            self._admit(door, connection, peer)
            return
        now = time.monotonic()
        one = Waiting(door, connection, peer, words, now)
        if (goes := self.vestibule.enter(one)) is not None:
            self._let_go(goes, b"")
        self._look(one, now)

    def _look(self, one: Waiting, now: float) -> None:
        """Look at what a connection has said; admit or refuse it if that is enough, end it if it is late or gone."""
        if one.door in self._paused:
            one.look_at = self._paused[one.door]
            return
        said = one.said()
        if said is not None and one.is_complete(said):
            self._let_in(one)
            self._keep_pace(one.door)
        elif said is not None and now < one.until:
            if said:
                one.look_again(now)
            else:
                self._wait_for_words(one, now)
        elif said is None:
            self._let_go(one, b"")
        else:
            suppressed = self._refusals.suppressed(f"{one.peer} {one.words.late}", now)
            if suppressed is not None:
                log.log(one.words.level, "%s: no session: %s%s", one.peer, one.words.late, _repeats(suppressed))
            self._let_go(one, one.words.answer(said))

    def _let_go(self, one: Waiting, words: bytes) -> None:
        """End a connection that has waited, with a last word."""
        self._end_wait(one)
        self.admission.note_refused(one.door, GONE, time.monotonic())
        with one.connection as connection:
            _send_last(connection, words)

    def _wait_for_words(self, one: Waiting, now: float) -> None:
        """Wait until a connection says something, or is late."""
        one.look_at = one.until
        self._selector.register(one.connection, selectors.EVENT_READ, one)

    def _end_wait(self, one: Waiting) -> None:
        """Forget a connection that has waited; its socket stays open."""
        self.vestibule.leave(one)
        with suppress(KeyError):
            self._selector.unregister(one.connection)

    def _let_in(self, one: Waiting) -> None:
        """Admit or refuse a connection that has waited."""
        self._end_wait(one)
        with one.connection as connection:
            self._admit(one.door, connection, one.peer)

    def forget_waiting(self) -> None:
        """Close the connections that wait; in a stand-in they go on."""
        for one in self.vestibule:
            self._end_wait(one)
            one.connection.close()

    # --- admission ----------------------------------------------------------------------------------------------------

    def _admit(self, door: Door, connection: socket.socket, peer: str) -> None:
        if door.is_public and self.admission.is_banned(peer):
            self._refuse(door, connection, peer, BANNED)
        elif has_hung_up(
            connection, even_with_input=door.service.has_handshake
        ):  # first: for such a one nobody is to go
            self.admission.note_refused(door, GONE, time.monotonic())
        elif refusal := self.admission.refusal(door, peer, self.config.telnet, is_proxy=door.service.is_proxy(peer)):
            self._refuse(door, connection, peer, refusal)
        else:
            self._pass_on(door, connection, peer)

    def _note_refused(self, door: Door, peer: str, why: Refusal) -> None:
        """Log and count that a caller is refused."""
        now = time.monotonic()
        suppressed = self._refusals.suppressed(f"{peer} {why.reason}", now)
        if suppressed is not None:
            log.log(why.level, "%s: refused %s: %s%s", door.name, peer, why.reason, _repeats(suppressed))
        self._foundation.refused(why.kind)
        self.admission.note_refused(door, why, now)

    def _refuse(self, door: Door, connection: socket.socket, peer: str, why: Refusal) -> None:
        self._note_refused(door, peer, why)
        _send_last(connection, door.service.refusal(why.reason, why.line))

    def _pass_on(self, door: Door, connection: socket.socket, peer: str) -> None:
        if door.service.prepare():
            self.dismiss_spares()
        if door.is_public and not self._spares.idle and self._is_crowded():
            self._refuse(door, connection, peer, no_process(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))))
            return
        call = Call(self.doors.index(door), peer)
        if door.service.is_proxy(peer):
            self._pass_on_for_proxy(call, connection)
            return
        try:
            pid = self._spares.pass_on(Passed(call, (connection,)))
        except OSError as error:
            self._refuse(door, connection, peer, no_process(error))
        else:
            self._note_forked(door)
            self.admission.note(pid, door, peer, self.config.telnet)

    def _serve(self, passed: Passed) -> Exit:
        """Serve a call, in its process."""
        service, peer = self.doors[passed.call.door].service, passed.call.peer
        connection, *asking = passed.connections
        if asking:
            return service.answer_proxied(connection, peer, self.open_instance, partial(inquiry.ask, asking[0]))
        return service.answer(connection, peer, self.open_instance)

    def _note_forked(self, door: Door) -> None:
        self._foundation.accepted(door.name)
        self.admission.note_forked(door, time.monotonic())

    def _is_crowded(self) -> bool:
        """Return whether callers have all the processes that they may have; with many left, not looked at each time."""
        now = time.monotonic()
        if now >= self._room_until:
            left = processes_left()
            self._crowded = left <= RESERVE
            self._room_until = now + ROOM_SECONDS if left > ACCEPTS_A_ROUND else now
        return self._crowded

    def _pass_on_for_proxy(self, call: Call, connection: socket.socket) -> None:
        """Pass a proxy's connection to a process that declares its caller, who does not count before that."""
        door = self.doors[call.door]
        if len(self._inquiries) >= inquiry.MOST:
            self._refuse(door, connection, call.peer, FULL)
            return
        asked: Inquiry | None = None
        try:
            listening, asking = inquiry.channel()
            with asking:
                asked = Inquiry(listening, door)
                self._inquiries[asked] = 0  # before a fork, which closes what is listed
                self._inquiries[asked] = pid = self._spares.pass_on(Passed(call, (connection, asking)))
        except OSError as error:
            if asked is not None:
                del self._inquiries[asked]
                asked.channel.close()
            self._refuse(door, connection, call.peer, no_process(error))
            return
        self._note_forked(door)
        self.admission.connections.enter(pid, Connection(door.name, ""))
        self._selector.register(asked.channel, selectors.EVENT_READ, asked)

    # --- spares -------------------------------------------------------------------------------------------------------

    @property
    def refills_in(self) -> float:
        """Seconds until `refill` must be called; infinite if there are as many spares as there should be."""
        return self._spares.due_in(self.config.telnet.spares)

    def refill(self) -> None:
        """Fork a spare if one is missing: when nobody calls."""
        if self.refills_in > 0:
            return
        if self._is_crowded():
            self._spares.rest()
        else:
            self._spares.add()

    def dismiss_spares(self) -> None:
        """End the spares: those to come know what they do not."""
        self._spares.dismiss()

    def take_back(self, pid: int, *, is_stopped: bool) -> bool:
        """Take the call back that a process did not take before it ended or was stopped, and pass it on again.

        Return False if it had none: it is no spare, or a session already.
        """
        passed = self._spares.lost(pid, is_stopped=is_stopped)
        if passed is None:
            return False
        known = self.admission.connections.leave(pid)
        door = self.doors[passed.call.door]
        if not passed.connections:
            self._note_refused(door, passed.call.peer, no_descriptor(OSError(errno.EMFILE, os.strerror(errno.EMFILE))))
            return True
        with ExitStack() as stack:
            for one in passed.connections:
                stack.enter_context(one)
            try:
                another = self._spares.pass_on(passed)
            except OSError as error:
                self._refuse(door, passed.connections[0], passed.call.peer, no_process(error))
                return True
        if known is not None:
            self.admission.connections.enter(another, known)
        for asked, by in self._inquiries.items():
            if by == pid:
                self._inquiries[asked] = another
        return True

    def _answer(self, asked: Inquiry) -> None:
        """Decide about the caller whom a process has declared."""
        self._selector.unregister(asked.channel)
        pid = self._inquiries.pop(asked)
        with asked.channel:
            address, is_file = asked.read()
            if not address or pid not in self.admission.connections:
                return
            limits = self.config.telnet
            why = self.admission.refusal(asked.door, address, limits, is_file=is_file)
            if why is None:
                self.admission.note(pid, asked.door, address, limits, is_file=is_file)
            else:
                self._note_refused(asked.door, address, why)
            asked.reply("" if why is None else why.line.decode().strip() or why.reason)

    def send_house_players(self) -> None:
        """Fork a house player for each that a table waits for, as far as there may be so many. They are no callers."""
        for table in self._foundation.invitations.wanted(self.config.house.players):
            try:
                pid = self.forked(partial(serve_house, table, self._foundation.table_name(table), self.open_instance))
            except OSError as error:
                log.error("no process for a house player: %s", error.strerror)
                return
            self._foundation.invitations.note(pid, table)
            self.admission.connections.enter(pid, Connection("house", ""))

    def forked(self, serve: Callable[[], Exit]) -> int:
        """Fork a session and return its pid; raise `OSError` if there is no room for a process."""
        block_signals()  # none of our handlers may run in the child before it has its own
        try:
            pid = os.fork()
            if pid == 0:
                self._run_session(serve)
        finally:
            unblock_signals()
        return pid

    def _run_session(self, serve: Callable[[], Exit]) -> NoReturn:
        """Run a session in the forked child."""
        code = Exit.BUG
        let_others_first()
        try:
            self._release_all()
            code = serve()
        finally:
            let_others_pass()  # a session has done so by now, but not who never became one
            os._exit(code)

    def _release_all(self) -> None:
        """Release the listener's resources: handlers, listening sockets and other descriptors."""
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN if number in _NOT_FOR_SESSIONS else signal.SIG_DFL)
        unblock_signals()
        self._selector.close()
        self._spares.forget()
        if self._last is not None:
            os.close(self._last)
        for door in self.doors:
            door.close()
        for asked in self._inquiries:
            asked.channel.close()
        self.vestibule.forget()
        self._close_inherited()
        reset_oom_score()


def _send_last(connection: socket.socket, words: bytes) -> None:
    """Send a last word, and end the connection. Never wait or raise."""
    with suppress(OSError):
        connection.setblocking(False)
        connection.send(words)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(_UNREAD)  # closing with unread data would reset the connection before the answer is read


def _repeats(times: int) -> str:
    return f" (and {times} times more since that was said last)" if times else ""


_MEMBERSHIP: Final = Path("/proc/self/cgroup")
_ROOTS: Final = {"": Path("/sys/fs/cgroup"), "pids": Path("/sys/fs/cgroup/pids")}
"""Where groups are, by the controller that the membership names: the hierarchy of version 2, or that of version 1."""


def processes_left() -> float:
    """Return how many more processes there may be; infinite if no limit is known."""
    left = inf
    with suppress(OSError):
        for line in _MEMBERSHIP.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            root = _ROOTS.get("pids" if "pids" in controllers.split(",") else controllers)
            if root is not None:
                group = root / path.lstrip("/")
                left = min(left, *(_left(one) for one in (group, *group.parents) if one.is_relative_to(root)))
    return left


def _left(group: Path) -> float:
    with suppress(OSError):
        most = decimal((group / "pids.max").read_text().strip())
        if most is not None:  # else "max"
            return most - (decimal((group / "pids.current").read_text().strip()) or 0)
    return inf
