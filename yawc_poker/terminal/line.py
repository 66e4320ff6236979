"""A caller's line: bytes in, bytes out, and what is known of the terminal at its end.

`Line` is all that a session knows of its caller. A telnet line (`telnetd.doors.telnet`) is a socket behind the telnet
codec; a tty line is the terminal this process runs on; tests bring a line in memory. Above a line all code is the same.
"""

from typing import Final, Protocol

from yawc_poker.terminal.kinds import Charset
from yawc_poker.transport import NOT_READING

FLOODING: Final = "sends without end"
"""Why a line closed: the caller sent much more than a person types, and did not stop."""
DROPPED: Final = frozenset({NOT_READING, FLOODING})
"""The reasons that are this side's doing."""


class Line(Protocol):
    """One caller. Nothing here ever blocks, but for `close`, which may for half a second."""

    kind: str
    """Terminal kind, one that blessed knows: one of `KINDS`."""
    charset: Charset
    """What the caller's terminal shows; the session may set it as the caller wishes."""
    columns: int
    rows: int
    """The window, at least 1 by 1; 80x24 until the caller's side says otherwise."""
    peer: str
    """What the line is known by: the address at its other end, or the name of a tty."""
    origin: str
    """Where the caller is: the address they call from, by ssh as well; `peer` where none is known."""
    disturbed: bool
    """Something that the session did not draw stands on the screen; whoever draws it anew clears this."""

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""

    def fileno(self) -> int:
        """Give the descriptor to wait on for input, and, while `pending`, for output."""

    def receive(self) -> bytes:
        """Take what the caller typed, freed from the protocol; b"" if there is nothing. May change kind, size, charset.

        ENTER arrives as one CR, whatever the caller's side made of it. Raises `LineClosed`.
        """

    def send(self, data: bytes) -> None:
        """Queue bytes for the caller's terminal. Raises `LineClosed` beyond `OUTPUT_LIMIT`."""

    def flush(self) -> None:
        """Give the kernel what it takes now. Raises `LineClosed`."""

    def keep_alive(self) -> None:
        """Send something the caller does not see, so that a dead connection is noticed. Raises `LineClosed`."""

    def close(self) -> None:
        """Try to send what is pending, restore the terminal, close. Never raises."""
