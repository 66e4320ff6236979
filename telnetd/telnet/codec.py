"""The server's half of the telnet protocol, without input or output. Pure.

Bytes from the caller go in at `receive` and come out as events (`telnetd.telnet.events`); the protocol's
own replies wait until `output` takes them; `encode` escapes the application's bytes for the wire. RFC 854 and 855
(protocol), 856 (BINARY), 857 (ECHO), 858 (SGA), 1073 (window size), 1091 (terminal type), 1572 (environment), 2066
(charset); of MUDs' standards MTTS (what a client can do, as its third terminal type).

Invariants:
- No bytes, however wrong, raise, loop, or cost more than linear time; at most `SUB_LIMIT` bytes of a subnegotiation and
  `REPLY_LIMIT` bytes of replies are kept. A reply that does not fit is dropped.
- Events and replies do not depend on how the bytes were cut, save that a `Data` may come in pieces.
"""

import re
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final

from telnetd.telnet import events
from telnetd.telnet.options import (
    CHARSET_REQUEST,
    DEFAULT_WINDOW,
    ENVIRONMENT_REQUEST,
    IAC,
    WINDOW_BYTES,
    CharsetCode,
    Code,
    Option,
    OptionState,
    Side,
    TelnetCommand,
    best_charset,
    capabilities,
    printable,
    subnegotiation,
    variables,
    window,
)

SUB_LIMIT: Final = 512
"""Most bytes kept of a subnegotiation, its option code included; one that reaches it is ignored as a whole."""
REPLY_LIMIT: Final = 4096
"""Most bytes of replies that wait for `output`."""
TYPE_ASKS: Final = 3
"""How often a caller's side is asked for a terminal type whose first one is not known."""


class _Mode(Enum):
    """The meaning of the next byte."""

    TEXT = auto()
    COMMAND = auto()  # after IAC
    OPTION = auto()  # after WILL, WONT, DO or DONT
    SUB = auto()
    SUB_COMMAND = auto()  # after IAC in a subnegotiation


_OURS = frozenset({Option.BINARY, Option.ECHO, Option.SGA, Option.CHARSET})
_THEIRS = frozenset(Option) - {Option.ECHO}

# CHARSET stands before the terminal type, so that a side that answers in order has settled it when the type arrives.
_OFFERED = (Option.ECHO, Option.SGA, Option.BINARY, Option.CHARSET)
_ASKED = (Option.SGA, Option.BINARY, Option.TERMINAL_TYPE, Option.WINDOW_SIZE)

# Microsoft's telnet, whose first terminal type this is, crashes when it is asked for its environment.
_NO_ENVIRONMENT = "ansi"

_LF_TO_CR = bytes.maketrans(b"\n", b"\r")
_LONE_CR = re.compile(rb"\r(?!\n|\Z)")
_AS_DATA: dict[int, bytes] = {TelnetCommand.IAC: IAC, TelnetCommand.EC: b"\x7f", TelnetCommand.EL: b"\x15"}


class Telnet:
    """One caller's connection, seen from the server."""

    def __init__(self, is_known: Callable[[str], bool] = lambda _: False, added: Collection[int] = ()) -> None:
        """`is_known` says whether a first terminal name needs no second one; it must depend on the name alone.

        `added` are further options that this side offers; what they mean is not known here.
        """
        self._is_known = is_known
        self._added = frozenset(added)
        self._us = Side(TelnetCommand.WILL, TelnetCommand.WONT, _OURS | self._added)
        self._them = Side(TelnetCommand.DO, TelnetCommand.DONT, _THEIRS)
        self._replies = bytearray()
        self._mode = _Mode.TEXT
        self._verb = 0
        self._sub = bytearray()
        self._after_cr = False
        self._cr_sent = False
        self._events: list[events.Event] = []
        self._typed: list[bytes] = []
        self._size: tuple[int, int] | None = None
        self._names: list[str] = []
        self._names_asked = 0
        self._named = False
        self._environment_asked = False
        self._charset_asked = False
        self._charset_open = False

    def start(self) -> None:
        """Queue this side's offers and wishes. Call it once, first."""
        for option in _OFFERED:
            self._reply(self._us.ask(option))
        for option in _ASKED:
            self._reply(self._them.ask(option))
        for added in sorted(self._added):
            self._reply(self._us.ask(added))

    @property
    def echo(self) -> OptionState:
        """The state of ECHO on this side: the peer shows what is typed by itself unless it is on."""
        return self._us[Option.ECHO]

    def offer_echo(self) -> None:
        """Queue another offer to echo, to a peer that has refused it or that was told that it ends."""
        self._reply(self._us.ask(Option.ECHO))

    def end_echo(self) -> None:
        """Queue that the peer may echo again."""
        self._reply(self._us.end(Option.ECHO))

    def nop(self) -> None:
        """Queue a command that does nothing."""
        self._reply(bytes((TelnetCommand.IAC, TelnetCommand.NOP)))

    def output(self) -> bytes:
        """Take the replies that are to be sent; they need no escaping."""
        if not self._replies:
            return b""
        replies = bytes(self._replies)
        self._replies.clear()
        return replies

    def encode(self, data: bytes) -> bytes:
        """Escape the application's bytes for the wire: IAC doubled, and unless BINARY is on, NUL after a lone CR.

        A NUL owed to the last CR is sent before the next bytes, when it is known that no LF follows.
        """
        if not data or (data.isalnum() and not self._cr_sent):
            return data
        text = data.replace(IAC, IAC + IAC)
        if self._us[Option.BINARY] is OptionState.YES:
            self._cr_sent = False
            return text
        if b"\r" in text:
            text = _LONE_CR.sub(b"\r\0", text)
        if self._cr_sent and not text.startswith(b"\n"):
            text = b"\0" + text
        self._cr_sent = text.endswith(b"\r")
        return text

    @property
    def answered(self) -> bool:
        """Whether the peer has told terminal type and window size, or refused to."""
        type_open = not self._named and self._them[Option.TERMINAL_TYPE] is not OptionState.NO
        size_open = self._size is None and self._them[Option.WINDOW_SIZE] is not OptionState.NO
        return not type_open and not size_open

    def receive(self, data: bytes) -> list[events.Event]:
        """Take bytes from the peer; return the events that they mean, in order."""
        if self._mode is _Mode.TEXT and len(data) == 1 and data.isalnum():  # most of what ever comes: a letter typed
            self._after_cr = False
            return [events.Data(data)]
        at = 0
        while at < len(data):
            match self._mode:
                case _Mode.TEXT:
                    at = self._text(data, at)
                case _Mode.SUB:
                    at = self._sub_text(data, at)
                case _Mode.COMMAND:
                    self._command(data[at])
                    at += 1
                case _Mode.OPTION:
                    self._option(data[at])
                    at += 1
                case _Mode.SUB_COMMAND:
                    at += self._sub_command(data[at])
        self._end_typed()
        meant, self._events = self._events, []
        return meant

    def _text(self, data: bytes, at: int) -> int:
        end = data.find(IAC, at)
        if end < 0:
            self._type(data[at:])
            return len(data)
        self._type(data[at:end])
        self._mode = _Mode.COMMAND
        return end + 1

    def _command(self, code: int) -> None:
        self._mode = _Mode.TEXT
        if code in _AS_DATA:
            self._type(_AS_DATA[code])
        elif TelnetCommand.WILL <= code <= TelnetCommand.DONT:
            self._verb = code
            self._mode = _Mode.OPTION
        elif code == TelnetCommand.SB:
            self._sub.clear()
            self._mode = _Mode.SUB
        elif code in (TelnetCommand.IP, TelnetCommand.BRK):
            self._tell(events.Interrupt())
        elif code == TelnetCommand.AYT:
            self._reply(b"[Yes]\r\n")
            self._tell(events.AreYouThere())

    def _sub_text(self, data: bytes, at: int) -> int:
        end = data.find(IAC, at)
        self._sub_add(data, at, end if end >= 0 else len(data))
        if end < 0:
            return len(data)
        self._mode = _Mode.SUB_COMMAND
        return end + 1

    def _sub_add(self, data: bytes, at: int, end: int) -> None:
        self._sub += data[at : min(end, at + SUB_LIMIT - len(self._sub))]

    def _sub_command(self, code: int) -> int:
        """Take the byte after an IAC in a subnegotiation; return the number of bytes used up."""
        if code == TelnetCommand.IAC:
            self._sub_add(IAC, 0, 1)
            self._mode = _Mode.SUB
            return 1
        if code == TelnetCommand.SE:
            self._mode = _Mode.TEXT
            self._subnegotiation()
            return 1
        # Another command here means that the SE was lost: the command counts, what came before it does not.
        self._mode = _Mode.COMMAND
        return 0

    def _type(self, chunk: bytes) -> None:
        """Keep typed bytes: CR LF, CR NUL, CR and LF each become one CR, however they were cut; NUL is nothing."""
        if not chunk:
            return
        start = 1 if self._after_cr and chunk.startswith(b"\n") else 0
        self._after_cr = chunk.endswith(b"\r")
        self._typed.append(chunk[start:].replace(b"\r\n", b"\r").translate(_LF_TO_CR, b"\0"))

    def _end_typed(self) -> None:
        typed = b"".join(self._typed)
        self._typed.clear()
        if typed:
            self._events.append(events.Data(typed))

    def _tell(self, event: events.Event) -> None:
        self._end_typed()
        self._events.append(event)

    def _reply(self, reply: bytes) -> None:
        if len(self._replies) + len(reply) <= REPLY_LIMIT:
            self._replies += reply

    def _option(self, option: int) -> None:
        self._mode = _Mode.TEXT
        side = self._them if self._verb in (TelnetCommand.WILL, TelnetCommand.WONT) else self._us
        self._reply(side.hear(option, self._verb in (TelnetCommand.WILL, TelnetCommand.DO)))
        if side is self._us and option in self._added:
            self._tell(events.Switched(option, side[option] is OptionState.YES))
        self._follow_up()

    def _follow_up(self) -> None:
        """Ask, once, what an option that is on allows to ask."""
        if self._them[Option.TERMINAL_TYPE] is OptionState.YES and not self._names_asked:
            self._ask_name()
        if self._us[Option.CHARSET] is OptionState.YES and not self._charset_asked:
            self._charset_asked = self._charset_open = True
            self._reply(CHARSET_REQUEST)
        if (
            self._them[Option.NEW_ENVIRON] is OptionState.YES
            and not self._environment_asked
            and self._may_ask_environment()
        ):
            self._environment_asked = True
            self._reply(ENVIRONMENT_REQUEST)

    def _subnegotiation(self) -> None:
        if not 2 <= len(self._sub) < SUB_LIMIT:
            return
        option, code, rest = self._sub[0], self._sub[1], bytes(self._sub[2:])
        if option == Option.WINDOW_SIZE:
            self._window(bytes(self._sub[1:]))
        elif option == Option.TERMINAL_TYPE and code == Code.IS:
            self._name(printable(rest)[:40])
        elif option == Option.NEW_ENVIRON and code in (Code.IS, Code.INFO):
            self._variables(rest)
        elif option == Option.CHARSET:
            self._charset(code, rest)
        elif option in self._added and self._us[option] is OptionState.YES:
            self._tell(events.Message(option, bytes(self._sub[1:])))

    def _window(self, body: bytes) -> None:
        if len(body) == WINDOW_BYTES:
            self._size = window(body, self._size or DEFAULT_WINDOW)
            self._tell(events.WindowSize(*self._size))

    def _ask_name(self) -> None:
        self._names_asked += 1
        self._reply(subnegotiation(Option.TERMINAL_TYPE, Code.SEND))

    def _name(self, name: str) -> None:
        if self._named:
            return
        repeated, able = name in self._names, capabilities(name)
        if not repeated:
            self._names.append(name)
            self._tell(events.TerminalType(name) if able is None else able)
        # The last name given is the type that the peer now is (RFC 1091), so a known one must stay the last. But one
        # that begins with a strange name may be a client for MUDs: its own name, its terminal, what it can do (MTTS).
        if repeated or able is not None or self._names_asked >= TYPE_ASKS or self._is_known(self._names[0]):
            self._named = True
            if self._may_ask_environment():
                self._reply(self._them.ask(Option.NEW_ENVIRON))
                self._follow_up()
        else:
            self._ask_name()

    def _may_ask_environment(self) -> bool:
        return self._named and self._names[0].lower() != _NO_ENVIRONMENT

    def _variables(self, body: bytes) -> None:
        kept = tuple(pair for pair in variables(body) if pair[0] != "USER")
        if kept:
            self._tell(events.Environment(kept))
        able = capabilities(f"MTTS {dict(kept).get('MTTS', '')}")
        if able is not None:
            self._tell(able)

    def _charset(self, code: int, rest: bytes) -> None:
        if code == CharsetCode.REQUEST:
            self._charset_wish(rest)
        elif code == CharsetCode.TTABLE_IS:
            self._reply(subnegotiation(Option.CHARSET, CharsetCode.TTABLE_REJECTED))
        elif self._charset_open and code in (CharsetCode.ACCEPTED, CharsetCode.REJECTED):
            self._charset_open = False
            if code == CharsetCode.ACCEPTED:
                self._tell(events.CharsetAccepted(printable(rest)))

    def _charset_wish(self, body: bytes) -> None:
        """Answer the peer's request by the best of its charsets; ours, while open, comes first (RFC 2066)."""
        chosen = None if self._charset_open else best_charset(body)
        if chosen is None:
            self._reply(subnegotiation(Option.CHARSET, CharsetCode.REJECTED))
        else:
            self._reply(subnegotiation(Option.CHARSET, CharsetCode.ACCEPTED, chosen.encode()))
            self._tell(events.CharsetAccepted(chosen))
