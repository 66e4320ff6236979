"""The fuzz targets: functions that take bytes and assert the invariants of the code under test.

The pure targets need nothing. Those of `LIVING` serve a connection as a process of the BBS would, in this process, over
a BBS of their own (`ground.Ground`).
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Final

from telnetd.doors.proxy_header import BadHeader, proxy_header
from telnetd.doors.tls import ENCRYPTED_LIMIT, TlsTransport
from telnetd.extras.web.files import read_page
from telnetd.extras.web.frames import LIMIT as FRAME_LIMIT
from telnetd.extras.web.frames import FromPage, Violation
from telnetd.extras.web.frames import read as read_frame
from telnetd.extras.web.http import BadRequest as BadHttp
from telnetd.extras.web.http import HttpConnection, forwarded_for, upgraded
from telnetd.extras.web.websocket import WebSocket
from telnetd.telnet.codec import REPLY_LIMIT, SUB_LIMIT, TYPE_ASKS, Telnet
from telnetd.telnet.events import Data, Message, TerminalType, WindowSize
from telnetd.telnet.options import SIDE_LIMIT
from tests.fuzz.seeds import ADDED_OPTION
from tests.protocols.wire import joined
from tests.screens.eye import MemoryLine
from yawc_poker.casino.users.keys import fingerprint
from yawc_poker.catalogues import words
from yawc_poker.control.protocol import BadRequest
from yawc_poker.control.requests import read_request
from yawc_poker.control.server import REQUESTS
from yawc_poker.extras.maumau_wire.client.person import TerminalPlayer
from yawc_poker.extras.maumau_wire.protocol import codec
from yawc_poker.extras.maumau_wire.protocol.client import Confused
from yawc_poker.extras.ssh_door.program.hello import KEY, origin_in, read_message
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.terminal import keys as key_names
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import LONGEST_STRING, UNREAD, Keyboard
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.kinds import KINDS, Charset, is_known, terminal
from yawc_poker.terminal.text import Decoder, clean, encode, is_harmless
from yawc_poker.transport import LineClosed

CHARSETS: Final[tuple[Charset, ...]] = ("utf-8", "cp437", "cp850", "latin-1", "ascii")
KIND_NAMES: Final = sorted(KINDS)
NAMED: Final = frozenset(value for name, value in vars(key_names).items() if name.isupper() and isinstance(value, str))
"""All keys that are not characters."""
LIMIT: Final = 40
"""Maximum characters of the edited line."""
PAGE: Final = read_page("Fuzz")

Target = Callable[[bytes], None]


def pieces(data: bytes) -> Iterator[bytes]:
    """Return the rest after the first byte cut into pieces, whose length that byte decides: 1 to 256, or all in one."""
    length = data[0] + 1 if data and data[0] < 255 else max(1, len(data))
    for at in range(1, len(data), length):
        yield data[at : at + length]


def telnet(data: bytes) -> None:
    """Test the telnet codec: state and answers are bounded, and do not depend on how the bytes were cut."""
    codec, whole = Telnet(is_known, (ADDED_OPTION,)), Telnet(is_known, (ADDED_OPTION,))
    events, replies = [], b""
    for piece in pieces(data):
        events += codec.receive(piece)
        assert len(codec._sub) <= SUB_LIMIT
        assert len(codec._replies) <= REPLY_LIMIT
        assert len(codec._names) <= TYPE_ASKS + 1
        replies += codec.output()
    uncut = list(joined(whole.receive(data[1:])))
    assert sum(len(event.data) for event in events if isinstance(event, Data)) <= len(data)
    for event in events:
        if isinstance(event, WindowSize):
            assert 1 <= event.columns <= SIDE_LIMIT
            assert 1 <= event.rows <= SIDE_LIMIT
        elif isinstance(event, TerminalType):
            assert event.name.isascii()
            assert event.name.isprintable() or not event.name
        elif isinstance(event, Message):
            assert event.option == ADDED_OPTION
            assert len(event.body) < SUB_LIMIT
    assert list(joined(events)) == uncut
    answers = whole.output()
    assert replies == answers or len(answers) > REPLY_LIMIT - 100  # in one piece, input beyond the limit is dropped
    assert len(codec.encode(data)) <= 3 * len(data) + 1


def keyboard(data: bytes) -> None:
    """Test the key decoder: only names and single characters, and little is kept of an unfinished sequence."""
    kind, charset = KIND_NAMES[len(data) % len(KIND_NAMES)], CHARSETS[sum(data[:2]) % len(CHARSETS)]
    board, now, keys = Keyboard(Display(MemoryLine(kind, charset))), 0.0, 0
    for piece in pieces(data):
        board.feed(piece)
        assert len(board._unread) <= UNREAD
        found = board.keys(now)
        assert all(key in NAMED or (len(key) == 1 and key >= " ") for key in found), found
        assert len(board._held) <= 64
        assert board._skipped <= LONGEST_STRING
        keys += len(found)
        if board.escape_at is not None and piece[-1] & 1:
            now = board.escape_at
            keys += len(board.keys(now))
    assert keys <= len(data) + 1


def editor(data: bytes) -> None:
    """Test the line editor: the line is within its limit, the cursor within the line, and the output fits."""
    board, line = Keyboard(Display(MemoryLine())), LineEditor(limit=LIMIT, is_secret=bool(data[:1] > b"\xf0"))
    for piece in pieces(data):
        board.feed(piece)
        for key in board.keys(0.0):
            line = line.key(key)
            assert len(line.text) <= LIMIT
            assert 0 <= line.right <= len(line.text)
            assert line.is_secret or line.fault is not None or is_harmless(line.text)
            shown, column = line.visible(len(data) % 50)
            assert len(shown) <= max(1, len(data) % 50)
            assert 0 <= column <= len(shown)


def characters(data: bytes) -> None:
    """Test the cleaning of foreign text: harmless afterwards, and one cell per character on all terminals."""
    for charset in CHARSETS:
        decoder = Decoder(charset)
        text = "".join(map(decoder.decode, pieces(data)))
        assert len(text) <= len(data)
        cleaned = clean(text, LIMIT)
        assert len(cleaned) <= LIMIT
        assert is_harmless(cleaned)
        for other, pc in product(CHARSETS, (True, False)):
            sent = encode(text, other, pc=pc)
            assert len(sent.decode() if other == "utf-8" else sent) == len(text)
            assert not any(byte < 0x20 and not (pc and byte in (3, 4, 6)) for byte in sent)
            assert other == "utf-8" or pc or not any(0x80 <= byte < 0xA0 for byte in sent)
            assert 0x7F not in sent


def maumau(data: bytes) -> None:
    """Test Mau-Mau's binary protocol from either side: messages of bounded length, or `Malformed`."""
    for reader in (codec.client_reader(), codec.server_reader()):
        with suppress(codec.Malformed):
            for piece in pieces(data):
                for message in reader.receive(piece):
                    assert len(codec.encode(message)) <= codec.LONGEST
                assert reader.kept <= codec.LONGEST


def client(data: bytes) -> None:
    """Test a server's messages to the client at a terminal: a screen, or an orderly end."""
    reader, player = codec.server_reader(), TerminalPlayer("Anna", words("en"))
    with suppress(codec.Malformed, Confused):
        for piece in pieces(data):
            for message in reader.receive(piece):
                player.hear(message, 0.0)
                FACE.layout.render(player.scene(0.0), player.local, words("en"), 80, 24)
            player.press(chr(piece[-1]), 0.0)


def order(data: bytes) -> None:
    """Test the protocol of the control socket: a request, or `BadRequest`."""
    with suppress(BadRequest):
        assert read_request(data[1:], REQUESTS)


def door(data: bytes) -> None:
    """Test what `yawc-door` tells: variables, a key, an origin; any terminal will do."""
    environ = read_message(data)
    assert terminal(environ.get("TERM", ""))[0] in KINDS
    found = fingerprint(environ.get(KEY.decode(), ""))
    assert found.isascii()
    assert len(found) in {0, len("SHA256:") + 43}
    told = origin_in(data)
    assert told.isascii()
    assert told.isprintable()


def tls(data: bytes) -> None:
    """Test a TLS handshake: no bytes that were thought of beforehand finish one, and answers are bounded."""
    here, there = socket.socketpair()
    with there:
        there.sendall(data[1:])
        there.shutdown(socket.SHUT_WR)
        transport = TlsTransport(here, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        with suppress(LineClosed):
            transport.shake_hands(time.monotonic() + 10)
            raise AssertionError("a handshake by chance")
        transport.close()
        answer = 0
        while heard := there.recv(1 << 16):
            answer += len(heard)
        assert answer <= ENCRYPTED_LIMIT


def frames(data: bytes) -> None:
    """Test a WebSocket of the page's: the same frames however they are cut, of bounded length, or a `Violation`."""
    found: list[tuple[list[FromPage], int]] = []
    for cut in (pieces(data), iter([data[1:]])):
        web, taken, code = WebSocket(), list[FromPage](), 0
        try:
            for number, piece in enumerate(cut):
                for message in web.receive(piece, float(number)):
                    assert len(message) <= FRAME_LIMIT
                    taken.append(read_frame(message))
                assert len(web._message) <= FRAME_LIMIT
                assert len(web.replies()) <= 128 * (len(piece) // 6 + 1)
        except Violation as broken:
            code = broken.code
        assert len(web.close(code or 1000, "reason " * 99)) <= 127
        found.append((taken, code))
    (one, first), (other, second) = found
    assert one[: len(other)] == other[: len(one)]  # of what breaks the protocol, the frames before it may get lost
    assert first or not second or second == 1008  # pings are counted by the second


def http(data: bytes) -> None:
    """Test the requests at the door for browsers: one that is served has no body, or it is refused."""
    connection, status = HttpConnection(), 400
    try:
        for piece in pieces(data):
            if (request := connection.receive(piece)) is not None:
                assert request.path.startswith("/")
                assert not request.get("transfer-encoding")
                sent, goes_on = connection.respond(PAGE.respond(request), request, closes=False)
                assert sent.startswith(b"HTTP/1.1 ")
                if request.wants_websocket:
                    assert upgraded(request).startswith(b"HTTP/1.1 101 ")
                if not goes_on:
                    return
    except BadHttp as refused:
        status = refused.status
    assert 400 <= status < 600


def proxy(data: bytes) -> None:
    """Test what a proxy says of its caller: a header within the bytes there are, or `BadHeader`."""
    with suppress(BadHeader):
        found = proxy_header(data[1:])
        assert found is None or found.length < len(data)
    forwarded_for(data.decode("latin-1"), ())


PURE: Final[dict[str, Target]] = {
    "frames": frames,
    "http": http,
    "proxy": proxy,
    "telnet": telnet,
    "tls": tls,
    "keyboard": keyboard,
    "editor": editor,
    "characters": characters,
    "maumau": maumau,
    "client": client,
    "order": order,
    "door": door,
}
