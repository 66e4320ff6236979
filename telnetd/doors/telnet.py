"""The door for telnet; a telnet caller as a `Line`: the telnet codec between a transport and a session.

Owns what the caller's side tells by telnet; the bytes are the transport's, their meaning is the codec's.
"""

import logging
import socket
import time
from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Final, assert_never

from telnetd.doors.proxies import header_first, serve_proxied
from telnetd.doors.sockets import ended_by_wakeup
from telnetd.telnet import events
from telnetd.telnet.codec import Telnet
from telnetd.telnet.options import OptionState, message
from yawc_poker.addresses import networks
from yawc_poker.announcing import announced
from yawc_poker.bbs.rehearsal import Side
from yawc_poker.bbs.service import Ask, FirstWords, Service
from yawc_poker.config import Config
from yawc_poker.doors import BY_TELNET
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, serve
from yawc_poker.terminal.kinds import DUMB, Charset, charset, charset_of_locale, is_known, terminal
from yawc_poker.terminal.line import AddedOption, Echo, Line
from yawc_poker.transport import LineClosed, SocketTransport, Transport

log = logging.getLogger(__name__)

READ: Final = 512
"""Bytes that one `receive` takes at most. More than a person types; a flood of the most expensive bytes is worth a
millisecond of processor time, which is as long as others may have to wait for it."""
INTERRUPT: Final = b"\x03"
ESCAPE: Final = b"\x1b"
TWICE: Final = ESCAPE * 2
ESCAPE_SECONDS: Final = 20.0
ESCAPE_BYTES: Final = 1024
"""What somebody may type, or be told by telnet, before they have pressed ESC twice."""
_YES: Final = frozenset({"1", "true", "yes", "on"})
"""Values of a variable that say so."""
OPENING: Final = (
    bytes.fromhex("fffb18 fffb1f fffa1f00500018fff0 fffd01 fffd03 fffa1800") + b"XTERM-256COLOR" + b"\xff\xf0"
)
"""The options of a typical telnet client: terminal type and window size offered and sent, echo and go-ahead agreed."""


class _Source(IntEnum):
    """Where the charset is known from; a better source is not overruled by a worse one."""

    NOBODY = 0
    TERMINAL_TYPE = 1
    CAPABILITIES = 2
    LOCALE = 3
    AGREEMENT = 4


class TelnetLine(Line):
    """One telnet caller; see `yawc_poker.terminal.line.Line`."""

    def __init__(
        self, transport: Transport, peer: str, way: int = BY_TELNET, added: Sequence[AddedOption] = ()
    ) -> None:
        """Take over a transport and queue the first offers, `added` ones too; nothing is sent before `flush`."""
        super().__init__(transport, peer, way)
        self._channels = {one.code: one.open(partial(self._say, one.code)) for one in added}
        self.channels = tuple(self._channels.values())
        self._source = _Source.NOBODY
        self._hides = False
        """The caller's side has been asked to show nothing of what is typed for the time being."""
        self._codec = Telnet(is_known, self._channels)
        self._codec.start()
        transport.send(self._codec.output())

    @property
    def negotiated(self) -> bool:
        """Whether the caller's side has told terminal and window, or refused to. Some never do: wait 0.5 s at most."""
        return self._codec.answered

    @property
    def echo(self) -> Echo:
        """Who shows what is typed: this side, unless the other one has refused that. Some never answer."""
        match self._codec.echo:
            case OptionState.YES:
                return Echo.OURS
            case OptionState.ASKED | OptionState.REASKED:
                return Echo.ASKED if self._hides else Echo.OURS
            case OptionState.NO | OptionState.ENDING:
                return Echo.THEIRS
            case _ as never:
                assert_never(never)

    def hide_typing(self) -> None:
        """Offer ECHO anew to a caller's side that has refused it. Raise `LineClosed`."""
        if self.echo is Echo.THEIRS:
            self._hides = True
            self._codec.offer_echo()
            self._send_replies()

    def show_typing(self) -> None:
        """End what `hide_typing` began. Raise `LineClosed`."""
        if self._hides:
            self._hides = False
            self._codec.end_echo()
            self._send_replies()

    def receive(self) -> bytes:
        """Return what was typed, at most `READ` bytes of it, and queue the protocol's answers. Raise `LineClosed`."""
        data = self._transport.receive(READ)
        if not data:
            return b""
        heard = self._codec.receive(data)
        typed = b"".join(map(self._take, heard))
        self._transport.send(self._codec.output())
        return typed

    def send(self, data: bytes) -> None:
        """Queue bytes for the terminal. Raise `LineClosed`."""
        self._transport.send(self._codec.encode(data))

    def keep_alive(self) -> None:
        """Send a NOP, unless output is pending anyway. Raise `LineClosed`."""
        if not self.pending:
            self._codec.nop()
            self._send_replies()

    def _send_replies(self) -> None:
        self._transport.send(self._codec.output())
        self.flush()

    def _say(self, option: int, body: bytes) -> None:
        self._transport.send(message(option, body))

    def _take(self, event: events.Event) -> bytes:
        """Learn what an event tells; return what it types."""
        match event:
            case events.Data(typed):
                return typed
            case events.Interrupt():
                return INTERRUPT
            case events.AreYouThere():
                self.disturbed = True
            case events.WindowSize(columns, rows):
                self.columns, self.rows = columns, rows
            case events.TerminalType(name):
                self._learn_terminal(name)
            case events.CharsetAccepted(name):
                self._learn_charset(charset(name), _Source.AGREEMENT)
            case events.Capabilities(moves_cursor, utf8, screen_reader):
                self.has_reader |= screen_reader
                if not moves_cursor:
                    self.kind = DUMB
                self._learn_charset("utf-8" if utf8 else "ascii", _Source.CAPABILITIES)
            case events.Environment(pairs):
                variables = dict(pairs)
                self.has_reader |= variables.get("SCREEN_READER", "").lower() in _YES
                self._learn_charset(charset_of_locale(variables), _Source.LOCALE)
                self._learn_charset(charset(variables.get("CHARSET", "")), _Source.LOCALE)
            case events.Switched(option, on):
                self._channels[option].is_on = on
            case events.Message(option, body):
                self._channels[option].hear(body)
            case _ as never:
                assert_never(never)
        return b""

    def _learn_terminal(self, name: str) -> None:
        if is_known(name) or self._source is _Source.NOBODY:
            self.terminal_name = name
            self.kind, guess = terminal(name)
            self._learn_charset(guess, _Source.TERMINAL_TYPE)

    def _learn_charset(self, told: Charset | None, source: _Source) -> None:
        if told is not None and source >= self._source:
            self.charset, self._source = told, source


def wait_for_escape(line: TelnetLine, transport: Transport, deadline: float) -> None:
    """Ask for ESC twice, and wait until it was pressed. Raise `LineClosed` if it is not by `deadline` (monotonic)."""
    line.send(b"Press ESC twice.\r\n")
    typed, left = b"", ESCAPE_BYTES
    while TWICE not in typed:
        line.flush()
        if left <= 0 or not transport.wait_for_input(deadline):
            raise LineClosed("ESC was not pressed twice")
        heard = line.receive()
        typed, left = typed[-1:] + heard, left - max(len(heard), 1)


class TelnetService(Service):
    """What the listener holds for the door of telnet callers, as it is for the next one."""

    side: Side | None = Side(TelnetLine, OPENING)

    def reload(self, config: Config) -> None:
        """Take over who is a proxy, whether callers must press ESC, and what extras offer."""
        self.proxies = networks(config.telnet.proxies)
        self.added = tuple(one for one in announced("telnet_options", AddedOption) if one.is_offered(config))
        self._asks_escape = config.telnet.ask_escape
        self.has_handshake = self._asks_escape or type(self).has_handshake

    def first_words(self, peer: str) -> FirstWords | None:
        """A proxy says first whose call it is."""
        return header_first(self) if self.is_proxy(peer) else None

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a telnet caller."""
        transport = SocketTransport(connection)
        line = TelnetLine(transport, peer, added=self.added)
        if self._asks_escape:
            try:
                with ended_by_wakeup():
                    wait_for_escape(line, transport, time.monotonic() + ESCAPE_SECONDS)
            except LineClosed as closed:
                log.info("%s: no session: %s", peer, closed)
                line.close()
                return Exit.OK
        return serve(line, open_instance)

    def answer_proxied(self, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask) -> Exit:
        """Serve the telnet caller whom a proxy names by the PROXY protocol."""
        return serve_proxied(self, connection, peer, open_instance, ask)
