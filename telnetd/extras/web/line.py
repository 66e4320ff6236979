"""A caller with a browser as a `Line`: frames of a WebSocket, the page around the terminal, and a line that comes back.

Owns the connection of one session by WebSocket, and another one in its place when the page calls again with its token.
While there is none, the session goes on: nothing can be read from the line, and what is sent is dropped. What the page
is sent is bounded (`telnetd.extras.web.outbox`).

The descriptor that the session waits on (`fileno`) stays the same: a copy of the connection's, or, while there is none,
of the one where a page comes back.
"""

import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from telnetd.extras.web import frames
from telnetd.extras.web.doors import BY_WEB
from telnetd.extras.web.outbox import Outbox
from telnetd.extras.web.resumption import Arrival, Doorway
from telnetd.extras.web.websocket import WebSocket, answer_to_close
from yawc_poker.page.protocol import RETURN, Area, Attend, NextGame, Offers, Parting
from yawc_poker.terminal.kinds import terminal
from yawc_poker.terminal.line import DROPPED, Line
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport, Transport

log = logging.getLogger(__name__)

READ: Final = 512
"""Bytes that one `receive` takes at most, as by telnet."""
SLOW: Final = 64 * 1024
"""Bytes that the kernel has not taken, from which on the page is sent nothing more until it has read them all."""
_PARTINGS: Final[Mapping[Parting, int]] = {"closing": frames.CLOSES_DOWN, "replaced": frames.TAKEN_OVER}
_USUAL_KIND: Final = "xterm-256color"


class WebLine(Line):
    """One caller's page; see `yawc_poker.terminal.line.Line` and `yawc_poker.page.protocol.Page`."""

    def __init__(
        self,
        transport: Transport,
        peer: str,
        websocket: WebSocket,
        told: frames.Terminal,
        rest: bytes = b"",
        resume_seconds: float = 0.0,
    ) -> None:
        """Take over a WebSocket whose page has told its terminal; `rest` is what it has sent behind that."""
        super().__init__(transport, peer, BY_WEB)
        self.page = self
        self.carrier = 0
        """The process that passes on what comes and goes, since the page has called again by TLS; 0: none."""
        self._connection = transport
        self._websocket = websocket
        self._rest = rest
        self.resume_seconds = resume_seconds
        self._outbox = Outbox()
        self._answer = ("", "")
        """What the page has drawn for the next game: a commitment, or its text; empty: nothing is new."""
        self._doorway: Doorway | None = None
        self._set_alarm: Callable[[str, float], None] = lambda name, when: None
        self._lost_at: float | None = None
        """When the line broke, monotonic seconds; None: there is one."""
        self._code = frames.ENDED
        self._descriptor = os.dup(transport.fileno())
        self._know(told)

    def _know(self, told: frames.Terminal) -> None:
        self.kind, _ = terminal(told.kind or _USUAL_KIND)
        self.charset = "utf-8"
        self.columns, self.rows = told.columns, told.rows
        self.address = told.address

    # --- a line -------------------------------------------------------------------------------------------------------

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""
        return 0 if self.is_away else self._connection.pending

    @property
    def buffered(self) -> bool:
        """Whether `receive` has input, or news for the screen, though the descriptor is silent."""
        return self.disturbed or bool(self._rest) or (not self.is_away and self._connection.buffered)

    def fileno(self) -> int:
        """Return the descriptor to wait on; -1 once closed."""
        return self._descriptor

    def receive(self) -> bytes:
        """Return what was typed; b"" if there is nothing. Raise `LineClosed`."""
        if self.is_away and not self._come_back():
            return b""
        typed = bytearray()
        try:
            data, self._rest = self._rest or self._connection.receive(READ), b""
            for message in self._websocket.receive(data, time.monotonic()):
                typed += self._take(frames.read(message))
            self._connection.send(self._websocket.replies())
        except frames.Violation as violation:
            self._end(violation.code, str(violation))
            raise LineClosed(f"broke the protocol of the page: {violation}") from None
        except LineClosed as closed:
            self._break(closed)
        self._look_at_answers()
        self.flush()
        return bytes(typed)

    def send(self, data: bytes) -> None:
        """Queue bytes for the terminal; they are dropped while nobody reads them."""
        self._outbox.write(data)

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`, unless the line may come back."""
        if self.is_away:
            return
        outbox, connection = self._outbox, self._connection
        try:
            connection.flush()  # first: what is left of the page's slowness shows in what the kernel takes now
            outbox.is_slow = outbox.is_slow and connection.pending > 0
            if outbox.must_redraw():
                self.disturbed = True
            for frame in outbox.take():
                connection.send(self._websocket.message(frame))
            connection.flush()
            outbox.is_slow = outbox.is_slow or connection.pending > SLOW
        except LineClosed as closed:
            self._break(closed)

    def keep_alive(self) -> None:
        """Send a ping, or, without a line, see whether it has been away for too long. Raise `LineClosed`."""
        if self._lost_at is None:
            if not self.pending:
                self._connection.send(self._websocket.ping())
                self.flush()
        elif time.monotonic() >= self._lost_at + self.resume_seconds:
            raise LineClosed(HUNG_UP)

    def hung_up(self) -> None:
        """The page is gone, and what it sent before is not read. Raise `LineClosed`, unless the line may come back."""
        self._break(LineClosed(HUNG_UP))

    def close(self) -> None:
        """Send what is pending and close, within half a second. Never raise, also the second time."""
        if self._descriptor < 0:
            return
        if not self.is_away:
            self.resume_seconds = 0.0
            with suppress(LineClosed):
                self.flush()
            self._end(self._code)
        if self._doorway is not None:
            self._doorway.close()
        with suppress(OSError):
            os.close(self._descriptor)
        self._descriptor = -1

    def _take(self, frame: frames.FromPage) -> bytes:
        """Learn what a frame tells; return what it types."""
        match frame:
            case frames.Typed(data):
                return data
            case frames.Window(columns, rows):
                self.columns, self.rows = columns, rows
            case frames.Visible(is_visible):
                self._outbox.see(is_visible=is_visible)
            case frames.Committed(digest):
                self._answer = (digest, "")
                self.disturbed = True
            case frames.Opened(text):
                self._answer = ("", text)
                self.disturbed = True
            case _:
                raise frames.Violation(frames.PROTOCOL_ERROR, "a frame that may only be the first one")
        return b""

    def _look_at_answers(self) -> None:
        """Act on pongs and on a close frame. Raise `LineClosed` for one that is final."""
        if self.is_away:
            return
        if self._websocket.pongs and self._doorway is not None:
            self._doorway.forget_older()  # the page has the newest token: it was sent before the ping
        code = self._websocket.closed_by
        if code is None:
            return
        self._connection.send(self._websocket.close(answer_to_close(code)))
        if code == frames.ENDED:
            raise LineClosed(HUNG_UP)
        self._break(LineClosed(HUNG_UP))

    def _end(self, code: int, reason: str = "") -> None:
        """Close the WebSocket and the connection."""
        answered = self._websocket.closed_by
        with suppress(LineClosed):
            self._connection.send(
                self._websocket.close(code if answered is None else answer_to_close(answered), reason)
            )
        self._connection.close()

    # --- a line that comes back ---------------------------------------------------------------------------------------

    @property
    def is_away(self) -> bool:
        """Whether the line is broken and may come back."""
        return self._lost_at is not None

    def keep(self, attend: Attend, set_alarm: Callable[[str, float], None]) -> None:
        """Outlive a broken line from now on."""
        if not self.resume_seconds:
            return
        self._set_alarm = set_alarm
        try:
            self._doorway = Doorway()
            self._send_token()
        except OSError as error:
            log.warning("session of %s ends when its line breaks: %s", self.peer, error.strerror)
            self._doorway = None
        else:
            attend(self._doorway.fileno(), self._come_back)

    def _send_token(self) -> None:
        """Send another token, and a ping, whose answer tells that the page has it. Raise `OSError` or `LineClosed`."""
        assert self._doorway is not None
        token = self._doorway.new_token()
        self._connection.send(self._websocket.message(frames.token(token)) + self._websocket.ping())

    def _break(self, closed: LineClosed) -> None:
        """The line broke: wait for it to come back, or raise."""
        if self._doorway is None or not self.resume_seconds or str(closed) in DROPPED:
            raise closed
        log.info("%s: %s; the session waits for its page", self.peer, closed)
        self._connection.abandon()
        os.dup2(self._doorway.fileno(), self._descriptor, inheritable=False)
        self._rest = b""
        self._outbox.is_away = True
        self._lost_at = time.monotonic()
        self._set_alarm(RETURN, self._lost_at + self.resume_seconds)

    def _come_back(self) -> bool:
        """Take over a connection that was passed on, if there is one; return whether there is a new line."""
        arrival = None if self._doorway is None else self._doorway.accept()
        if arrival is None:
            return False
        if not self.is_away:
            with suppress(LineClosed):
                self._connection.send(self._websocket.close(frames.TAKEN_OVER))
            self._connection.abandon()
        self._begin_again(arrival)
        return True

    def _begin_again(self, arrival: Arrival) -> None:
        told = arrival.handoff
        log.info("%s: the session goes on, called from %s", self.peer, told.peer)
        self._connection = SocketTransport(arrival.connection)
        os.dup2(self._connection.fileno(), self._descriptor, inheritable=False)
        self._websocket, self._rest = WebSocket(), told.rest
        self._lost_at = None
        self.peer = self.origin = told.peer
        self.carrier = told.carrier
        self._know(told.terminal)
        self._outbox.begin_again(told.terminal.heard)
        self.disturbed = True
        try:
            self._send_token()
        except OSError as error:
            log.warning("session of %s ends when its line breaks: %s", self.peer, error.strerror)
            self.resume_seconds = 0.0

    # --- a page -------------------------------------------------------------------------------------------------------

    @property
    def redraws(self) -> bool:
        """Whether the session draws the whole screen anew when the line is disturbed."""
        return self._outbox.redraws

    @redraws.setter
    def redraws(self, redraws: bool) -> None:
        self._outbox.redraws = redraws

    def offer(self, offers: Offers) -> None:
        """Show which keys mean something now."""
        self._outbox.show(frames.keys(offers))

    def touch(self, areas: tuple[Area, ...]) -> None:
        """Show which cells of the screen mean a key."""
        self._outbox.show(frames.areas(areas))

    def tell(self, text: str, style: str) -> None:
        """Add a message to what happened, in words."""
        self._outbox.tell(text, style)

    def notify(self, text: str) -> None:
        """Call the caller, if nobody looks at the page."""
        self._outbox.pass_on(frames.notice(text))

    def share(self, link: str) -> None:
        """Show a link for others."""
        self._outbox.pass_on(frames.shared(link))

    def draw(self, title: str, svg: str) -> None:
        """Show a drawing."""
        self._outbox.pass_on(frames.drawn(title, svg))

    def call(self, title: str) -> None:
        """Show where the caller is."""
        self._outbox.show(frames.title(title))

    def speak(self, language: str) -> None:
        """Show the page in this language."""
        self._outbox.show(frames.language(language))

    def renew(self) -> None:
        """Send the page another token, and forget the older ones at once; raise `LineClosed`.

        If the line breaks before the page has the new one, its caller has to log in again.
        """
        if self._doorway is None or self.is_away:
            return
        self._doorway.forget_all()
        try:
            self._send_token()
        except OSError as error:
            log.warning("session of %s ends when its line breaks: %s", self.peer, error.strerror)
            self.resume_seconds = 0.0

    def ask(self, told: NextGame) -> None:
        """Tell what is sealed for the next game."""
        self._outbox.show(frames.next_game(told))

    def answered(self) -> tuple[str, str]:
        """Return what the page has drawn, once."""
        answer, self._answer = self._answer, ("", "")
        return answer

    def part(self, why: Parting) -> None:
        """Tell the page why the session ends."""
        self._code = _PARTINGS[why]
