"""A browser's line over a socket pair: frames, a page that does not read, a line that breaks and comes back."""

import os
import select
import socket
import time
from collections.abc import Callable, Iterator

import msgspec
import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping

from telnetd.extras.web import resumption
from telnetd.extras.web.frames import TRY_AGAIN, UNKNOWN_TOKEN, Terminal, Violation
from telnetd.extras.web.line import SLOW, WebLine
from telnetd.extras.web.outbox import MOST_KEPT, MOST_TEXT, MOST_WORDS
from telnetd.extras.web.resumption import Doorway, Handoff, hand_over
from telnetd.extras.web.websocket import WebSocket
from tests.ipc.processes import forked
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport

PATIENCE = 10.0
TAKEN = "taken"


class Browser:
    """The other end."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        connection.settimeout(PATIENCE)
        self._web = Connection(ConnectionType.CLIENT)
        self._part = b""
        self.frames: list[bytes] = []
        self.closed: int | None = None

    def send(self, payload: bytes) -> None:
        self.socket.sendall(self._web.send(BytesMessage(data=payload)))

    def close(self, code: int) -> None:
        self.socket.sendall(self._web.send(CloseConnection(code=code)))

    def read(self) -> bool:
        """Take what is there; return whether there was something."""
        if not select.select([self.socket], [], [], 0)[0] or not (data := self.socket.recv(1 << 20)):
            return False
        self._web.receive_data(data)
        for event in self._web.events():
            if isinstance(event, BytesMessage):
                self._part += bytes(event.data)
                if event.message_finished:
                    self.frames.append(self._part)
                    self._part = b""
            elif isinstance(event, Ping):
                self.socket.sendall(self._web.send(event.response()))
            elif isinstance(event, CloseConnection):
                self.closed = int(event.code)
        return True

    def told(self, kind: bytes) -> list[bytes]:
        while self.read():
            pass
        return [frame[1:] for frame in self.frames if frame[:1] == kind]

    @property
    def text(self) -> bytes:
        return b"".join(self.told(b"d"))


class Town:
    """A line, its browser, and what a session does for it."""

    def __init__(self, resume_seconds: float = 60.0) -> None:
        ours, theirs = socket.socketpair()
        self.browser = Browser(theirs)
        self.line = WebLine(
            SocketTransport(ours), "192.0.2.7", WebSocket(), Terminal("", "de", 100, 30), b"", resume_seconds
        )
        self.attended: dict[int, Callable[[], bool]] = {}
        self.alarms: dict[str, float] = {}
        self._more: list[socket.socket] = [theirs]

    def keep(self) -> str:
        """Log in; return the token."""
        self.line.keep(self.attended.__setitem__, self.alarms.__setitem__)
        self.line.flush()
        return self.browser.told(b"r")[-1].decode()

    def type_in(self, payload: bytes) -> bytes:
        self.browser.send(payload)
        return self.hear()

    def hear(self) -> bytes:
        assert select.select([self.line], [], [], PATIENCE)[0]
        return self.line.receive()

    def lose(self) -> None:
        """Hang up, if the browser has not; wait until the line knows it."""
        self.browser.socket.close()
        while not self.is_away:
            assert self.hear() == b""

    @property
    def is_away(self) -> bool:
        return self.line.is_away

    def come_back(self, token: str, rest: bytes = b"") -> Browser:
        """Knock as another process does, which is what it is."""
        ours, theirs = socket.socketpair()
        self._more += [ours, theirs]
        told = Handoff(token, Terminal("xterm", "en", 90, 25), "192.0.2.8", rest)

        def work(say: Callable[[str], None]) -> None:
            say(passed_on(ours, told))

        with forked(work) as child:
            deadline = time.monotonic() + PATIENCE
            while not any(takes() for takes in self.attended.values()) and time.monotonic() < deadline:
                select.select([self.line], [], [], 0.01)
            assert child.hear() == TAKEN
        ours.close()
        self.browser = Browser(theirs)
        return self.browser

    def end(self) -> None:
        for one in self._more:
            one.close()
        self.line.close()


@pytest.fixture
def town() -> Iterator[Town]:
    made = Town()
    yield made
    made.end()


def test_a_line_knows_its_terminal_and_passes_on_what_is_typed(town: Town) -> None:
    line = town.line
    assert (line.kind, line.charset, line.columns, line.rows) == ("xterm-256color", "utf-8", 100, 30)
    assert town.type_in("dä\r".encode()) == "ä\r".encode()
    assert town.type_in(b"w\x00\x50\x00\x18") == b""
    assert (line.columns, line.rows) == (80, 24)


def test_what_is_sent_between_two_flushes_is_one_frame(town: Town) -> None:
    for piece in (b"one ", b"two"):
        town.line.send(piece)
    town.line.offer(Offers("menu", (Offer("b", "Bet"),), turn=True))
    town.line.tell("Anna bets", "bold")
    town.line.call("Poker")
    town.line.speak("de")
    town.line.flush()
    town.line.call("Poker")
    town.line.flush()
    assert town.browser.told(b"d") == [b"one two"]
    assert msgspec.json.decode(town.browser.told(b"m")[0]) == {"text": "Anna bets", "style": "bold", "number": 1}
    assert (town.browser.told(b"b"), town.browser.told(b"l")) == ([b'{"title":"Poker"}'], [b"de"])
    assert len(town.browser.told(b"k")) == 1


def test_a_page_that_does_not_read_fills_no_buffer(town: Town) -> None:
    line, most = town.line, 0
    for number in range(3000):
        line.send(b"line %d\r\n" % number + b"x" * 500)
        line.tell(f"message {number}", "")
        line.flush()
        most = max(most, line.pending)
    assert most <= SLOW + MOST_TEXT + 3 * MOST_KEPT + MOST_WORDS
    while line.pending or line.buffered:
        town.browser.told(b"d")
        line.flush()
        if line.buffered:
            assert line.receive() == b""
            assert line.disturbed
            line.disturbed = False
    assert town.browser.text.endswith(b"line 2999\r\n" + b"x" * 500 + b"\x1b[?25h")
    assert b"message 2999" in town.browser.told(b"m")[-1]


def test_a_tab_that_wakes_is_drawn_anew(town: Town) -> None:
    town.line.send(b"before\r\n")
    assert town.type_in(b"v\x00") == b""
    town.line.send(b"meanwhile\r\n")
    town.line.flush()
    assert b"meanwhile" not in town.browser.text
    assert town.type_in(b"v\x01") == b""
    assert town.line.disturbed
    assert town.browser.text.endswith(b"before\r\nmeanwhile\r\n\x1b[?25h")


@pytest.mark.parametrize("code", [None, 1001, 4999])
def test_a_line_that_breaks_is_away_until_it_comes_back(town: Town, code: int | None) -> None:
    line, token = town.line, town.keep()
    descriptor = line.fileno()
    line.send(b"Name: ")
    line.call("Poker")
    line.flush()
    if code is not None:
        town.browser.close(code)
    town.lose()
    assert (line.pending, line.buffered, line.fileno()) == (0, False, descriptor)
    assert not select.select([line], [], [], 0)[0]
    line.send(b"Anna")
    line.flush()
    line.keep_alive()
    assert town.alarms["return"] > time.monotonic() + 50
    again = town.come_back(token, rest=b"")
    assert not town.is_away
    assert (line.fileno(), line.peer, line.columns) == (descriptor, "192.0.2.8", 90)
    assert line.receive() == b""
    assert again.text.endswith(b"Name: Anna\x1b[?25h")
    assert (again.told(b"b"), len(again.told(b"r"))) == ([b'{"title":"Poker"}'], 1)
    assert town.type_in(b"dx") == b"x"


def test_what_the_page_sent_behind_its_token_is_read(town: Town) -> None:
    token = town.keep()
    town.lose()
    behind = Connection(ConnectionType.CLIENT).send(BytesMessage(data=b"dhello"))
    town.come_back(token, rest=behind[:4])
    assert town.line.receive() == b""
    town.browser.socket.sendall(behind[4:])
    assert town.hear() == b"hello"


def test_a_second_tab_takes_over(town: Town) -> None:
    first, token = town.browser, town.keep()
    second = town.come_back(token)
    town.line.receive()
    assert (first.told(b"d"), first.closed) == ([], 4000)
    newer = second.told(b"r")[-1].decode()
    assert newer != token
    assert town.hear() == b""  # the answer to the ping
    assert knocks(token) == str(UNKNOWN_TOKEN)
    third = town.come_back(newer)
    town.line.receive()
    assert (second.told(b"d")[0:0], second.closed) == ([], 4000)
    assert third.told(b"r")


def passed_on(connection: socket.socket, told: Handoff) -> str:
    """Pass a connection on; give the code of the refusal, if it is not taken."""
    try:
        hand_over(connection.fileno(), told)
    except Violation as violation:
        return str(violation.code)
    return TAKEN


def knocks(token: str) -> str:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        return passed_on(ours, Handoff(token, Terminal(), "", b""))


def test_until_the_page_has_the_new_token_the_old_one_counts(town: Town) -> None:
    token = town.keep()
    town.come_back(token)
    town.line.receive()
    town.lose()  # before the page has read anything
    again = town.come_back(token)
    town.line.receive()
    assert again.told(b"r")


def test_the_wrong_token_is_not_let_in() -> None:
    doorway = Doorway()
    token = doorway.new_token()
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def work(say: Callable[[str], None]) -> None:
            name = resumption._name(token)  # everybody can read it in /proc; but not the token
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(resumption, "_name", lambda _: name)
                say(passed_on(ours, Handoff("B" * 32, Terminal(), "", b"")))

        with forked(work) as child:
            assert select.select([doorway], [], [], PATIENCE)[0]
            assert doorway.accept() is None
            assert child.hear() == str(TRY_AGAIN)
    doorway.close()
    assert knocks(token) == str(UNKNOWN_TOKEN)


def test_a_line_that_does_not_come_back_ends() -> None:
    town = Town(resume_seconds=0.01)
    town.keep()
    town.lose()
    while time.monotonic() < town.alarms["return"]:
        pass
    with pytest.raises(LineClosed, match=HUNG_UP):
        town.line.keep_alive()
    town.end()


def test_a_line_without_a_login_or_after_a_goodbye_ends_at_once(town: Town) -> None:
    town.browser.close(1001)
    with pytest.raises(LineClosed, match=HUNG_UP):
        town.hear()
    other = Town()
    other.keep()
    other.hear()  # the answer to the ping
    other.browser.close(1000)
    with pytest.raises(LineClosed, match=HUNG_UP):
        other.hear()
    other.end()


def test_who_breaks_the_protocol_does_not_come_back(town: Town) -> None:
    token = town.keep()
    town.hear()  # the answer to the ping
    town.browser.send(b"?")
    with pytest.raises(LineClosed, match="broke the protocol"):
        town.hear()
    town.browser.told(b"d")
    assert town.browser.closed == 1003
    town.line.close()
    assert knocks(token) == str(UNKNOWN_TOKEN)


def test_closing_tells_why(town: Town) -> None:
    town.line.send(b"Goodbye")
    town.line.part("closing")
    town.browser.socket.settimeout(0)
    town.line.close()
    town.line.close()
    assert town.line.fileno() == -1
    assert town.browser.text == b"Goodbye"
    assert town.browser.closed == 1001


def test_no_descriptor_is_left(town: Town) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        other = Town()
        token = other.keep()
        other.lose()
        other.come_back(token)
        other.line.receive()
        other.end()
    assert len(os.listdir("/proc/self/fd")) == before
