"""A caller's line: bytes in, bytes out, and what is known of the terminal at its end.

`Line` is all that a session knows of its caller. A telnet line (`telnetd.doors.telnet`) is a transport behind the
telnet codec. A tty line is the terminal this process runs on. Tests bring a line in memory. Above a line all code is
the same; a line of a new kind adds what its protocol says.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple

from yawc_poker.config import Config
from yawc_poker.doors import NOBODY
from yawc_poker.page.protocol import Page
from yawc_poker.terminal.kinds import SILENT
from yawc_poker.transport import HUNG_UP, NOT_READING, LineClosed, Transport

FLOODING: Final = "sends without end"
"""Why a line closed: the caller sent much more than a person types, and did not stop."""
DROPPED: Final = frozenset({NOT_READING, FLOODING})
"""The reasons that are this side's doing."""
MOST_READ: Final = 16 * 1024
"""Bytes that one `receive` takes at most, unless a line takes fewer."""
MOST_SIDE: Final = 500
"""Columns, and rows, of a window."""


class Echo(Enum):
    """Who shows what a caller types."""

    OURS = auto()
    THEIRS = auto()
    """The caller's side does so by itself."""
    ASKED = auto()
    """The caller's side does, and has been asked to leave it to this one."""


Send = Callable[[bytes], None]
"""Queue a message for the caller's program. Raise `LineClosed`."""


class Channel(ABC):
    """Messages between an extra and a caller's program, beside what is on the terminal."""

    def __init__(self, send: Send) -> None:
        self.is_on = False
        """The caller's side has agreed to it."""
        self.send = send

    @abstractmethod
    def hear(self, message: bytes) -> None:
        """Take a message: any bytes, but not many. Never raise."""


class AddedOption(NamedTuple):
    """An option of the telnet protocol by which an extra has a channel (the place `telnet_options`)."""

    code: int
    is_offered: Callable[[Config], bool]
    open: Callable[[Send], Channel]
    """Return the channel of a caller who is just coming."""


class Line:
    """One caller. No call blocks but `close`, which may for half a second.

    This one passes the bytes of a transport on as they are, and knows nothing of the terminal.
    """

    page: Page | None = None
    """The page around the terminal, or None if there is only the terminal."""
    channels: tuple[Channel, ...] = ()
    """What extras may say to the caller's program."""

    def __init__(self, transport: Transport, peer: str, way: int = NOBODY) -> None:
        """Take over the transport. `way` is how the caller came in (`doors`)."""
        self._transport = transport
        self.peer = peer
        """The address at the line's other end, or the name of a tty."""
        self.origin = peer
        """The address that the caller calls from, also by ssh; `peer` where none is known."""
        self.way = way
        self.kind, self.charset = SILENT
        """Kind (one of `kinds.KINDS`) and charset of the terminal; the session may set that as the caller wishes."""
        self.terminal_name = ""
        """The terminal's own name, as its side told it; empty: none was told, or it has a page."""
        self.has_reader = False
        """The caller's side says that what it shows is read aloud, or felt."""
        self.columns, self.rows = 80, 24
        """The window, at least 1 by 1; 80x24 until the caller's side says otherwise."""
        self.disturbed = False
        """Something that the session did not draw stands on the screen. Cleared by who draws the screen anew."""

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""
        return self._transport.pending

    @property
    def buffered(self) -> bool:
        """Whether `receive` has input though the descriptor is silent."""
        return self._transport.buffered

    @property
    def negotiated(self) -> bool:
        """Whether the caller's side has told its terminal and window, or refused to. Some never do."""
        return True

    @property
    def echo(self) -> Echo:
        """Who shows what is typed."""
        return Echo.OURS

    def hide_typing(self) -> None:
        """Ask a caller's side that shows what is typed to leave that to this one, until `show_typing`."""

    def show_typing(self) -> None:
        """Let a caller's side that was asked to by `hide_typing` show again what is typed."""

    def fileno(self) -> int:
        """Return the descriptor to wait on for input, and, while `pending`, for output; -1 once closed."""
        return self._transport.fileno()

    def receive(self) -> bytes:
        """Return what the caller typed, freed from the protocol; b"" if there is nothing. Raise `LineClosed`.

        May change kind, size and charset. ENTER arrives as one CR, whatever the caller's side made of it.
        """
        return self._transport.receive(MOST_READ)

    def send(self, data: bytes) -> None:
        """Queue bytes for the caller's terminal. Raise `LineClosed` beyond `yawc_poker.transport.OUTPUT_LIMIT`."""
        self._transport.send(data)

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`."""
        self._transport.flush()

    def keep_alive(self) -> None:
        """Send something the caller does not see where only that shows a dead connection. Raise `LineClosed`."""

    def hung_up(self) -> None:
        """The caller's side has hung up while nothing might be read. Raise `LineClosed`, unless the line may return."""
        raise LineClosed(HUNG_UP)

    def close(self) -> None:
        """Try to send what is pending, restore the terminal, close. Never raise, also the second time."""
        self._transport.close()
