"""A terminal that was handed over, as a `Line`.

The terminal is used by the descriptor that came, not opened anew: it may belong to another user. It is not this
process's controlling terminal, so the kernel sends no signal of its own: what the door's connection brings, a change of
the window or its end, is made SIGWINCH by the kernel (F_SETSIG), and SIGWINCH has the loop call `receive`.
"""

import fcntl
import os
import signal
import socket
from collections.abc import Mapping

from yawc_poker.addresses import parse_address
from yawc_poker.terminal.tty import TtyLine
from yawc_poker.transport import HUNG_UP, LineClosed, lost

_READ = 4096


class DoorLine(TtyLine):
    """A `Line` on a terminal that `yawc-door` has brought; see `TtyLine`. Its owner holds SIGWINCH back from now on."""

    def __init__(self, descriptor: int, environ: Mapping[str, str], door: socket.socket, peer: str) -> None:
        """Take over the descriptor; the connection stays the caller's. Raise `OSError` or `termios.error`."""
        self._door = door
        from_afar = {"SSH_CONNECTION": peer} if parse_address(peer) else {}
        super().__init__(descriptor, {**environ, **from_afar})
        self.peer = self.origin = peer
        door.setblocking(False)
        fcntl.fcntl(door, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(door, fcntl.F_SETSIG, signal.SIGWINCH)
        fcntl.fcntl(door, fcntl.F_SETFL, fcntl.fcntl(door, fcntl.F_GETFL) | os.O_ASYNC)

    def _open(self, descriptor: int) -> int:
        """Use the descriptor as it is; the flag that the door's own shares is put back in the end."""
        self._flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, self._flags | os.O_NONBLOCK)
        return descriptor

    def receive(self) -> bytes:
        """Return what was typed; b"" if there is nothing. Raise `LineClosed`, also when the door has gone."""
        try:
            if not self._door.recv(_READ):
                raise LineClosed(HUNG_UP)
        except BlockingIOError:
            pass
        except OSError as error:
            raise lost(error) from error
        return super().receive()
