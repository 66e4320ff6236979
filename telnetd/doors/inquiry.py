"""A question from a forked process to the listener: is the caller at this address, whom a proxy names, admitted?

The listener knows only the proxy's address before the fork, and the caller's stands in what only the child reads. So
the child declares it, and the listener decides as for any other caller. A listener that became another program
meanwhile does not answer: then the caller is admitted, as the next one is looked at again.
"""

import socket
from typing import Final, NamedTuple

from telnetd.doors.door import Door

ANSWER_SECONDS: Final = 2.0
"""How long a process waits for the listener, which answers within milliseconds."""
MOST: Final = 256
"""Questions that may be open at once; callers beyond that are refused."""
_LONGEST: Final = 256
"""Bytes of an address, and of a reason."""
_ADMITTED: Final = "+"
_FILE: Final = "file "
"""Stands before the address of who only asks for a file."""


class Declared(NamedTuple):
    """What a process has declared."""

    address: str
    """Empty: the process has ended or does not ask."""
    is_file: bool
    """It is no call, only a request for a file."""


class Inquiry(NamedTuple):
    """The listener's end of a question that one process may ask."""

    channel: socket.socket
    door: Door

    def read(self) -> Declared:
        """Return what the process declares. Never waits."""
        try:
            told = self.channel.recv(_LONGEST, socket.MSG_DONTWAIT).decode("ascii", "replace")
        except OSError:
            told = ""
        return Declared(told.removeprefix(_FILE), told.startswith(_FILE))

    def reply(self, reason: str) -> None:
        """Admit the caller, or refuse them for a reason in words."""
        try:
            self.channel.send((reason or _ADMITTED).encode()[:_LONGEST], socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError:
            pass  # the process has ended


def channel() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a question, the listener's first; raise `OSError`."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def ask(asking: socket.socket, address: str, *, is_file: bool = False) -> str:
    """Declare an address, in the forked process; return why its caller is refused, empty: they are not."""
    told = f"{_FILE}{address}" if is_file else address
    try:
        with asking:
            asking.settimeout(ANSWER_SECONDS)
            asking.send(told.encode("ascii", "replace"))
            answer = asking.recv(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
    return "" if answer in {"", _ADMITTED} else answer
