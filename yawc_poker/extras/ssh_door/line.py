"""A terminal that was handed over, as a `Line`.

The terminal is used by the descriptor that came, not opened anew: it may belong to another user. It is not this
process's controlling terminal, so the kernel sends no signal of its own: what the door's connection brings, a change of
the window or its end, is made SIGWINCH by the kernel (F_SETSIG), and SIGWINCH has the loop call `receive`.

While the door is stopped, the terminal is a shell's: nothing is read from it, and what is sent is dropped. Then the
descriptor that the session waits on (`fileno`) is a copy of the connection's. A door that could not tell, because of a
SIGSTOP, is seen to be stopped before anything is read or sent.
"""

import fcntl
import os
import signal
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from yawc_poker.addresses import parse_address
from yawc_poker.extras.ssh_door.program.hello import GIVEN_BACK, GOES_ON, STOPS
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.terminal.tty import TtyLine
from yawc_poker.transport import HUNG_UP, LineClosed, lost, process_at

_READ = 4096


class DoorLine(TtyLine):
    """A `Line` on a terminal that `yawc-door` has brought; see `TtyLine`. Its owner holds SIGWINCH back from now on."""

    def __init__(self, descriptor: int, environ: Mapping[str, str], door: socket.socket, peer: str) -> None:
        """Take over the descriptor; the connection stays the caller's. Raise `OSError` or `termios.error`."""
        self._door = door
        self._waits_on = os.dup(descriptor)
        self._is_stopped = False
        pid, _ = process_at(door)
        self._state = Path(f"/proc/{pid}/stat")
        from_afar = {"SSH_CONNECTION": peer} if parse_address(peer) else {}
        try:
            super().__init__(descriptor, {**environ, **from_afar})
        except BaseException:
            os.close(self._waits_on)
            raise
        self.peer = self.origin = peer
        door.setblocking(False)
        fcntl.fcntl(door, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(door, fcntl.F_SETSIG, signal.SIGWINCH)
        fcntl.fcntl(door, fcntl.F_SETFL, fcntl.fcntl(door, fcntl.F_GETFL) | os.O_ASYNC)

    def _open(self, descriptor: int) -> int:
        """Use the descriptor as it is; the flag, which the door's own may share, is put back in the end."""
        self._flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, self._flags | os.O_NONBLOCK)
        return descriptor

    def fileno(self) -> int:
        """Return the descriptor to wait on; -1 once closed."""
        return self._waits_on

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel; none while the door is stopped."""
        return 0 if self._is_stopped else super().pending

    def receive(self) -> bytes:
        """Return what was typed; b"" if there is nothing. Raise `LineClosed`, also when the door has gone."""
        try:
            told = self._door.recv(_READ)
            if not told:
                raise LineClosed(HUNG_UP)
        except BlockingIOError:
            told = b""
        except OSError as error:
            raise lost(error) from error
        redraw = self._hear(told)
        return redraw if self._sees_stop() else redraw + super().receive()

    def send(self, data: bytes) -> None:
        """Queue bytes, which are dropped while the door is stopped, and once closed. Raise `LineClosed`."""
        if not (self._closed or self._sees_stop()):
            super().send(data)

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`."""
        if not self._is_stopped:
            super().flush()

    def close(self) -> None:
        """Send what is pending, and restore the terminal unless it is a shell's. Never raise, also the second time."""
        if self._closed:
            return
        if self._is_stopped:
            self._is_stopped = False
            self._transport.discard()
        super().close()
        os.close(self._waits_on)
        self._waits_on = -1

    def _hear(self, told: bytes) -> bytes:
        """Act on what the door tells, of several stops and starts on the last; return the key that draws anew.

        Raise `LineClosed`.
        """
        if told.rfind(STOPS) > told.rfind(GOES_ON):
            if not self._is_stopped:
                self.restores()
                self.give_back()
                self._stop()
            try:
                self._door.send(GIVEN_BACK, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                pass
            except OSError as error:
                raise lost(error) from error
        elif GOES_ON in told:
            os.dup2(self._fd, self._waits_on, inheritable=False)
            self._is_stopped = False
            self.take_again()
            self.disturbed = True
            return REDRAW.encode()
        return b""

    def _sees_stop(self) -> bool:
        """Return whether the door is stopped, also if it could not tell."""
        if not self._is_stopped:
            with suppress(OSError):  # not to be seen from here
                if self._state.read_bytes().rpartition(b")")[2].split()[0] in b"Tt":
                    self._stop()
        return self._is_stopped

    def _stop(self) -> None:
        self._is_stopped = True
        os.dup2(self._door.fileno(), self._waits_on, inheritable=False)
