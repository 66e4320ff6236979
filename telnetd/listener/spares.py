"""The processes that calls get: spares, which were forked ahead; where there is none, one that is forked for the call.

A spare waits at a channel, in which the listener puts a call with its connection. A channel is a queue of the kernel:
whoever takes the call out of it has it. Until a spare has done so the listener holds the spare's end, too. From a
process that ended or was stopped before, it takes the call back and passes it on again. So a spare may be killed or
stopped while it waits, and no caller is lost. It waits without taking anything: a process that is woken by a call may
have been killed before, and what it takes on its way to its end is lost.

Owns the channels; the fork, and what a process does for its call, are the acceptor's. A spare is nobody's session: it
has no record, and no limit counts it. It ends when its channel is closed, also by the listener's death.
"""

import os
import signal
import socket
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from typing import Final, NamedTuple

import msgspec

from yawc_poker.session.caller.endings import Exit

NAME: Final = b"yawc-spare"
"""Of a process that waits for a call, as `ps` and `top` show it."""
REST_SECONDS: Final = 1.0
"""How long no spare is forked after one was lost, or could not be forked."""
CALL_SECONDS: Final = 0.01
"""The same after a call: a fork would take time from the one that serves it."""
_LONGEST_NAME: Final = 64
"""Bytes of a process's name, and more."""
_LONGEST: Final = 4096
"""Bytes of a call."""
_CONNECTIONS: Final = 2


class Call(msgspec.Struct, frozen=True):
    """What the process is told of the connection that it serves."""

    door: int
    """The number of the door."""
    peer: str


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Call).decode


class Passed(NamedTuple):
    """A call with its connection, and, if it is a proxy's, with the channel by which its caller is declared."""

    call: Call
    connections: Sequence[socket.socket]


class _Spare(NamedTuple):
    pid: int
    ours: socket.socket
    theirs: socket.socket

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


class Spares:
    """The spares of one listener."""

    def __init__(
        self, fork: Callable[[Callable[[], Exit]], int], serve: Callable[[Passed], Exit], prepare: Callable[[], None]
    ) -> None:
        """`fork` runs something in a process and returns its pid; `serve` is what a process does for its call.

        `prepare` is what a spare does before it waits.
        """
        self._fork = fork
        self._serve = serve
        self._prepare = prepare
        self._idle: list[_Spare] = []
        self._told: list[_Spare] = []
        """Those that may not have taken their call yet."""
        self._rests_until = 0.0

    @property
    def idle(self) -> int:
        """The number of spares that wait for a call."""
        return len(self._idle)

    def due_in(self, wanted: int) -> float:
        """Return the seconds until one may be added, if so many are wanted; infinite: there are enough."""
        return max(0.0, self._rests_until - time.monotonic()) if len(self._idle) < wanted else inf

    def rest(self, seconds: float = REST_SECONDS) -> None:
        """Add none for a while."""
        self._rests_until = max(self._rests_until, time.monotonic() + seconds)

    def add(self) -> None:
        """Fork a spare; where that is not possible, rest."""
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError:
            self.rest()
            return
        try:
            pid = self._fork(lambda: self._wait(ours, theirs))
        except OSError:
            ours.close()
            theirs.close()
            self.rest()
        else:
            self._idle.append(_Spare(pid, ours, theirs))

    def _wait(self, ours: socket.socket, theirs: socket.socket) -> Exit:
        """Wait for a call and serve it, in the spare; without one until the channel is closed."""
        ours.close()
        self._prepare()
        with theirs:
            with _renamed(NAME):
                theirs.recv(1, socket.MSG_PEEK)
            passed = _take(theirs)
        return self._serve(passed) if passed is not None and passed.connections else Exit.OK

    def pass_on(self, passed: Passed) -> int:
        """Return the pid of the process that a call was passed to; raise `OSError` if there is no room for one."""
        while self._idle:
            spare = self._idle.pop(0)
            self._told.append(spare)
            with suppress(OSError):
                _put(spare.ours, passed)
                self.rest(CALL_SECONDS)
                return spare.pid
        return self._fork(lambda: self._serve(passed))

    def release_taken(self) -> None:
        """Let go of the channels whose call was taken."""
        for spare in self._told.copy():
            try:
                spare.theirs.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except OSError:  # there is nothing any more
                self._told.remove(spare)
                spare.close()

    def lost(self, pid: int, *, is_stopped: bool) -> Passed | None:
        """Note that a process has ended or stands still; return the call that it was given and has not taken.

        The call has no connections any more if there was no descriptor for them.
        """
        for spare in self._idle:
            if spare.pid == pid:
                self._idle.remove(spare)
                self._end(spare, is_stopped=is_stopped)
                self.rest()
                return None
        for spare in self._told:
            if spare.pid == pid:
                self._told.remove(spare)
                spare.ours.close()  # before: where no descriptor is left, the connection gets this one
                passed = _take(spare.theirs)
                self._end(spare, is_stopped=is_stopped and passed is not None)
                return passed
        return None

    def dismiss(self) -> None:
        """End all that wait for a call: they are of the past."""
        while self._idle:
            self._end(self._idle.pop(), is_stopped=True)

    def _end(self, spare: _Spare, *, is_stopped: bool) -> None:
        if is_stopped:
            os.kill(spare.pid, signal.SIGKILL)  # not reaped yet, so the pid is still its own
        spare.close()

    def forget(self) -> None:
        """Close the channels, in a fork of the listener, whose spares they are."""
        for spares in (self._idle, self._told):
            while spares:
                spares.pop().close()


@contextmanager
def _renamed(name: bytes) -> Iterator[None]:
    """Call this process by another name for a while, where that is possible."""
    try:
        file = os.open("/proc/self/comm", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        former = os.read(file, _LONGEST_NAME).strip()
        os.write(file, name)
        yield
        os.write(file, former)
    finally:
        os.close(file)


def _put(channel: socket.socket, passed: Passed) -> None:
    """Put a call into a channel. Never wait; raise `OSError`."""
    descriptors = array("i", [one.fileno() for one in passed.connections])
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
    channel.sendmsg([_encode(passed.call)], ancillary, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def _take(channel: socket.socket) -> Passed | None:
    """Take a call out of a channel; None if there is none, or the other end is closed. Never wait.

    Without a descriptor for each of its connections it has none.
    """
    descriptors = array("i")
    room = socket.CMSG_SPACE(_CONNECTIONS * descriptors.itemsize)
    try:
        data, ancillary, flags, _ = channel.recvmsg(_LONGEST, room, socket.MSG_DONTWAIT)
    except OSError:
        return None
    if not data:
        return None
    for _, _, found in ancillary:
        descriptors.frombytes(found)
    if flags & socket.MSG_CTRUNC:  # without its question, a proxy's connection would count as a caller
        for one in descriptors:
            os.close(one)
        del descriptors[:]
    return Passed(_decode(data), [socket.socket(fileno=one) for one in descriptors])
