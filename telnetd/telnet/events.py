"""What a caller's side says by telnet, as values: the codec (`telnetd.telnet.codec`) makes them, a line acts on them.
Pure.

Owns the meaning of each event; never its bytes on the wire, nor what is done about it.

Invariants:
- Names and variables are printable ASCII, and a window's sides are within bounds: they may reach a log as they are.
- `Data` may hold any bytes, but nothing of the protocol is left in them.
"""

import msgspec


class Data(msgspec.Struct, frozen=True):
    """What was typed; each ENTER is one CR, erase character is DEL, erase line is ^U."""

    data: bytes


class WindowSize(msgspec.Struct, frozen=True):
    """The caller's window, each side 1..`telnetd.telnet.options.SIDE_LIMIT`."""

    columns: int
    rows: int


class TerminalType(msgspec.Struct, frozen=True):
    """A terminal's name, printable ASCII, in the caller's spelling; the better one comes later."""

    name: str


class Capabilities(msgspec.Struct, frozen=True):
    """What a client for MUDs can do, as it says by itself (MTTS)."""

    moves_cursor: bool
    """It understands what VT100s do."""
    utf8: bool
    screen_reader: bool
    """What it shows is read aloud, or felt."""


class CharsetAccepted(msgspec.Struct, frozen=True):
    """Both sides agree on this charset (IANA's name, in the caller's spelling)."""

    name: str


class Environment(msgspec.Struct, frozen=True):
    """Variables of the caller's side, printable ASCII; never USER."""

    variables: tuple[tuple[str, str], ...]


class Interrupt(msgspec.Struct, frozen=True):
    """The caller's interrupt or break key."""


class AreYouThere(msgspec.Struct, frozen=True):
    """The caller's side asked; the answer, which disturbs the screen, is among the replies already."""


class Switched(msgspec.Struct, frozen=True):
    """The caller's side has said whether it agrees to an option that an extra has added."""

    option: int
    on: bool


class Message(msgspec.Struct, frozen=True):
    """What the caller's side says by such an option, once it is on: any bytes, but not many."""

    option: int
    body: bytes


Event = (
    AreYouThere
    | Data
    | WindowSize
    | TerminalType
    | Capabilities
    | CharsetAccepted
    | Environment
    | Interrupt
    | Switched
    | Message
)
