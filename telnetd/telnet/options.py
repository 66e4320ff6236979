"""Telnet's vocabulary: commands, options, how an option is switched on and off, and what subnegotiations hold. Pure.

Owns the states of one side's options (RFC 1143) and the layout of subnegotiations; never what is done about them.

Invariants:
- An option that is on, or off, and hears it again is silent: no two sides like this one can talk for ever. A peer that
  acknowledges acknowledgements could; after `SWITCHES` a side's options stay as they are, and silent.
- An unwelcome offer is refused each time it is made, and leaves no trace.
"""

import re
from enum import Enum, IntEnum, auto
from itertools import pairwise
from typing import Final

from telnetd.telnet.events import Capabilities


class TelnetCommand(IntEnum):
    """The byte behind an IAC (RFC 854)."""

    SE = 240
    NOP = 241
    BRK = 243
    IP = 244
    AYT = 246
    EC = 247
    EL = 248
    SB = 250
    WILL = 251
    WONT = 252
    DO = 253
    DONT = 254
    IAC = 255


class Option(IntEnum):
    """The options this side knows; every other is refused, but for those that extras add."""

    BINARY = 0
    ECHO = 1
    SGA = 3
    TERMINAL_TYPE = 24
    WINDOW_SIZE = 31
    NEW_ENVIRON = 39
    CHARSET = 42


class Code(IntEnum):
    """The first byte of a terminal type's and an environment's subnegotiation (RFC 1091, RFC 1572)."""

    IS = 0
    SEND = 1
    INFO = 2


class CharsetCode(IntEnum):
    """The first byte of a charset's subnegotiation (RFC 2066)."""

    REQUEST = 1
    ACCEPTED = 2
    REJECTED = 3
    TTABLE_IS = 4
    TTABLE_REJECTED = 5


class OptionState(Enum):
    """An option on one side, as in RFC 1143.

    An option that this side asks for is not ended before it is on, so WANTYES with the queue bit cannot occur.
    """

    NO = auto()
    ASKED = auto()
    YES = auto()
    ENDING = auto()
    """WANTNO: this side has said that it ends, and the peer has not heard it yet."""
    REASKED = auto()
    """WANTNO with the queue bit: the same, and then this side asks again."""


class Heard(Enum):
    """The peer's word on an option: on, and this side agrees or not; or off."""

    WELCOME = auto()
    UNWELCOME = auto()
    OFF = auto()


# (state, heard) -> (new state, answer yes or no, or none). An option that was asked for is never unwelcome.
TRANSITIONS: Final[dict[tuple[OptionState, Heard], tuple[OptionState, bool | None]]] = {
    (OptionState.NO, Heard.WELCOME): (OptionState.YES, True),
    (OptionState.NO, Heard.UNWELCOME): (OptionState.NO, False),
    (OptionState.NO, Heard.OFF): (OptionState.NO, None),
    (OptionState.ASKED, Heard.WELCOME): (OptionState.YES, None),
    (OptionState.ASKED, Heard.OFF): (OptionState.NO, None),
    (OptionState.YES, Heard.WELCOME): (OptionState.YES, None),
    (OptionState.YES, Heard.OFF): (OptionState.NO, False),
    (OptionState.ENDING, Heard.WELCOME): (OptionState.NO, None),
    (OptionState.ENDING, Heard.OFF): (OptionState.NO, None),
    (OptionState.REASKED, Heard.WELCOME): (OptionState.YES, None),
    (OptionState.REASKED, Heard.OFF): (OptionState.ASKED, True),
}


SWITCHES: Final = 64
"""How often the peer may switch one side's options, all together; no person gets there by hand."""


class Side:
    """The options of one side, ours or the peer's. `yes` and `no` are the verbs that this program sends for it."""

    def __init__(self, yes: TelnetCommand, no: TelnetCommand, welcome: frozenset[int]) -> None:
        self.yes, self.no = yes, no
        self._welcome = welcome
        self._switches = 0
        self._states: dict[int, OptionState] = dict.fromkeys(welcome, OptionState.NO)

    def __getitem__(self, option: int) -> OptionState:
        return self._states.get(option, OptionState.NO)

    def ask(self, option: int) -> bytes:
        """Ask for an option that is off, also anew; return the bytes to send."""
        if self[option] is OptionState.ENDING:
            self._states[option] = OptionState.REASKED
        if self[option] is not OptionState.NO:
            return b""
        self._states[option] = OptionState.ASKED
        return bytes((TelnetCommand.IAC, self.yes, option))

    def end(self, option: Option) -> bytes:
        """End an option, if it is on; return the bytes to send."""
        if self[option] is OptionState.REASKED:
            self._states[option] = OptionState.ENDING
        if self[option] is not OptionState.YES:
            return b""
        self._states[option] = OptionState.ENDING
        return bytes((TelnetCommand.IAC, self.no, option))

    def hear(self, option: int, wish: bool) -> bytes:
        """Take the peer's word on an option; return the bytes to answer."""
        heard = Heard.OFF if not wish else Heard.WELCOME if option in self._welcome else Heard.UNWELCOME
        state, answer = TRANSITIONS[self[option], heard]
        if option in self._welcome:
            self._switches += answer is not None
            if self._switches > SWITCHES:
                return b""
            self._states[option] = state
        return b"" if answer is None else bytes((TelnetCommand.IAC, self.yes if answer else self.no, option))


IAC: Final = bytes((TelnetCommand.IAC,))

CHARSETS: Final = ("UTF-8", "IBM437", "CP437", "IBM850", "CP850", "ISO-8859-1", "US-ASCII")
"""The charsets offered in CHARSET, and accepted, the best first."""
VARIABLES: Final = ("LC_ALL", "LC_CTYPE", "LANG")
"""The variables asked of the environment that are the user's."""
OF_CLIENTS: Final = ("CHARSET", "MTTS", "SCREEN_READER")
"""Those that clients for MUDs know, some of them as well-known variables (MNES), some as the user's."""
_MTTS: Final = re.compile(r"MTTS (\d{1,9})", re.ASCII)
_VT100, _UTF8, _SCREEN_READER = 2, 4, 64

SIDE_LIMIT: Final = 500
"""Most columns, and most rows, of a window."""
DEFAULT_WINDOW: Final = (80, 24)
WINDOW_BYTES: Final = 4

_VAR, _VALUE, _ESC, _USERVAR = 0, 1, 2, 3
_TTABLE = b"[TTABLE]"
_NOT_PRINTABLE: Final = bytes([*range(0x20), *range(0x7F, 0x100)])


def message(option: int, body: bytes) -> bytes:
    """Frame what is said by an option."""
    return IAC + bytes((TelnetCommand.SB, option)) + body.replace(IAC, IAC + IAC) + IAC + bytes((TelnetCommand.SE,))


def subnegotiation(option: Option, code: int, body: bytes = b"") -> bytes:
    """Frame a subnegotiation."""
    return message(option, bytes((code,)) + body)


CHARSET_REQUEST: Final = subnegotiation(
    Option.CHARSET, CharsetCode.REQUEST, "".join(f";{name}" for name in CHARSETS).encode()
)
ENVIRONMENT_REQUEST: Final = subnegotiation(
    Option.NEW_ENVIRON,
    Code.SEND,
    b"".join(
        bytes((kind,)) + name.encode()
        for kind, names in ((_USERVAR, (*VARIABLES, *OF_CLIENTS)), (_VAR, OF_CLIENTS))
        for name in names
    ),
)


def capabilities(name: str) -> Capabilities | None:
    """Return what a client can do by the terminal name that says so (MTTS); None: this one says nothing of it."""
    told = _MTTS.fullmatch(name)
    if told is None:
        return None
    bits = int(told[1])
    return Capabilities(bool(bits & _VT100), bool(bits & _UTF8), bool(bits & _SCREEN_READER))


def printable(data: bytes | bytearray) -> str:
    """Return the printable ASCII of a name that the peer sent; it may reach a log."""
    return data.translate(None, _NOT_PRINTABLE).decode("ascii").strip()


def window(body: bytes, known: tuple[int, int]) -> tuple[int, int]:
    """Read columns and rows from `WINDOW_BYTES` bytes; a zero leaves what is known (RFC 1073)."""
    columns, rows = int.from_bytes(body[:2], "big"), int.from_bytes(body[2:], "big")
    return min(columns, SIDE_LIMIT) or known[0], min(rows, SIDE_LIMIT) or known[1]


def variables(body: bytes) -> list[tuple[str, str]]:
    """Read VAR name VALUE value ... (RFC 1572); a variable without a value is not there."""
    fields: list[tuple[int, bytearray]] = []
    codes = iter(body)
    for code in codes:
        if code in (_VAR, _USERVAR, _VALUE):
            fields.append((code, bytearray()))
        elif fields:
            fields[-1][1].append(next(codes, code) if code == _ESC else code)
    return [
        (printable(name), printable(value))
        for (named, name), (kind, value) in pairwise(fields)
        if kind == _VALUE and named != _VALUE
    ]


def best_charset(body: bytes) -> str | None:
    """Return the charset a peer requests that stands first in `CHARSETS`, in the peer's spelling (RFC 2066)."""
    names = body[len(_TTABLE) + 1 :] if body.startswith(_TTABLE) else body
    if not names:
        return None
    offered = map(printable, names[1:].split(names[:1]))
    ours = [name for name in offered if name.upper() in CHARSETS]
    return min(ours, key=lambda name: CHARSETS.index(name.upper()), default=None)
