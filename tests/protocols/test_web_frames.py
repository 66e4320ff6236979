"""The frames of a page, the WebSocket they come by, and X-Forwarded-For; by example and by chance."""

import struct
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage

from telnetd.extras.web import frames
from telnetd.extras.web.frames import (
    LIMIT,
    MALFORMED,
    NOT_UNDERSTOOD,
    PROTOCOL_ERROR,
    REFUSED,
    TOO_LONG,
    FromPage,
    Hello,
    Resume,
    Terminal,
    Typed,
    Violation,
    Visible,
    Window,
    read,
)
from telnetd.extras.web.http import forwarded_for
from telnetd.extras.web.resumption import Handoff
from telnetd.extras.web.websocket import MOST_CONTROLS, MOST_FRAGMENTS, WebSocket, answer_to_close
from yawc_poker.addresses import parse_network
from yawc_poker.page.protocol import Offer, Offers, spoken

TOKEN = "A" * 32


def masked(first: int, payload: bytes, length: bytes | None = None) -> bytes:
    """Return a frame as a browser sends it, with a mask of zeroes; `length` stands for another length."""
    size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack("!H", len(payload))
    return bytes([first]) + (size if length is None else length) + bytes(4) + payload


def violation(data: bytes, socket: WebSocket | None = None) -> int:
    with pytest.raises(Violation) as broken:
        (socket or WebSocket()).receive(data, 0.0)
    return broken.value.code


# --- our frames -------------------------------------------------------------------------------------------------------


def test_a_page_tells_its_terminal() -> None:
    told = b'{"kind": "xterm-256color", "language": "de-AT", "columns": 100, "rows": 0, "more": [1]}'
    assert read(b"t" + told) == Hello(Terminal("xterm-256color", "de-AT", 100, 1))
    assert read(b"s" + TOKEN.encode() + b"\n" + told) == Resume(TOKEN, Terminal("xterm-256color", "de-AT", 100, 1))
    assert read(b"t" + b'{"heard": 7}') == Hello(Terminal(heard=7))
    assert [spoken(tag) for tag in ("de-AT", "NL", "en", "fr", "", "den")] == ["de", "nl", "en", "fr", None, None]


@pytest.mark.parametrize("number", [-(10**30), -1, 10**30, 10**3500])
def test_whatever_number_a_page_has_heard_it_can_be_handed_over(number: int) -> None:
    found = read(b"s" + TOKEN.encode() + f'\n{{"heard": {number}}}'.encode())
    assert isinstance(found, Resume)
    told = Handoff(found.token, found.terminal, "192.0.2.7", b"")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(told), type=Handoff) == told


def test_a_page_types_and_changes() -> None:
    assert read(b"d\xc3\xa4\r") == Typed("ä\r".encode())
    assert read(b"w\x00\x50\xff\xff") == Window(80, 500)
    assert [read(b"v\x00"), read(b"v\x01")] == [Visible(is_visible=False), Visible(is_visible=True)]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"", NOT_UNDERSTOOD),
        (b"x", NOT_UNDERSTOOD),
        (b"t", MALFORMED),
        (b"t[]", MALFORMED),
        (b't{"columns": "80"}', MALFORMED),
        (b't{"heard": "7"}', MALFORMED),
        (b"t\xff", MALFORMED),
        (b"t" + b"[" * 4000, MALFORMED),
        (b't{"kind": "\xff"}', MALFORMED),
        (b't{"more": ' + b"[" * 4000, MALFORMED),
        (b"s" + b"A" * 32 + b'\n{"language": "\xff"}', MALFORMED),
        (b"s\n{}", MALFORMED),
        (b"s" + b"A" * 31 + b"/\n{}", MALFORMED),
        (b"d\xff", MALFORMED),
        (b"w\x00\x50\x00", MALFORMED),
        (b"v\x02", MALFORMED),
        (b"v", MALFORMED),
    ],
)
def test_what_is_no_frame_ends_the_connection(frame: bytes, code: int) -> None:
    with pytest.raises(Violation) as broken:
        read(frame)
    assert broken.value.code == code


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_violation(data: bytes) -> None:
    try:
        found: FromPage | int = read(data)
    except Violation as broken:
        found = broken.code
    if isinstance(found, Window):
        assert 1 <= found.columns <= 500
        assert 1 <= found.rows <= 500
    elif isinstance(found, Typed):
        assert found.data.decode() == data[1:].decode()
    else:
        assert not isinstance(found, int) or found in {MALFORMED, NOT_UNDERSTOOD}


def test_a_page_is_told_in_json() -> None:
    offers = Offers("menu", (Offer("b", "Bet"), Offer("ENTER", "Go on")), turn=True)
    told = frames.keys(offers)
    assert told[:1] == b"k"
    assert msgspec.json.decode(told[1:]) == {
        "mode": "menu",
        "keys": [{"key": "b", "label": "Bet"}, {"key": "ENTER", "label": "Go on"}],
        "turn": True,
    }
    assert b'"hidden":true' in frames.keys(Offers("line", (), turn=False, hidden=True))
    first, second = frames.message("a\x1b<b>", "bold", 1), frames.message("ä" * 5000, "bold", 2)
    assert first == b'm{"text":"a\\u001b<b>","style":"bold","number":1}'
    assert len(second) < LIMIT + 200
    assert frames.history([first, second]) == b"h[" + first[1:] + b"," + second[1:] + b"]"


# --- the WebSocket ----------------------------------------------------------------------------------------------------


def test_messages_come_whole_however_they_are_cut() -> None:
    data = masked(0x02, b"d") + masked(0x80, b"abc") + masked(0x82, b"dx") + masked(0x82, b"")
    for step in range(1, len(data) + 1):
        socket = WebSocket()
        found = [one for at in range(0, len(data), step) for one in socket.receive(data[at : at + step], 0.0)]
        assert found == [b"dabc", b"dx", b""]


def test_what_stands_behind_the_first_message_is_left_to_others() -> None:
    socket, rest = WebSocket(), masked(0x82, b"dxyz") + b"\x82"
    first = masked(0x82, b"t{}")
    assert socket.receive_first(first[:3], 0.0) == (None, b"")
    assert socket.receive_first(first[3:] + rest, 0.0) == (b"t{}", rest)
    assert WebSocket().receive(rest, 0.0) == [b"dxyz"]


def test_a_ping_is_answered_and_a_pong_counted() -> None:
    socket = WebSocket()
    assert socket.receive(masked(0x89, b"hello") + masked(0x8A, b""), 0.0) == []
    assert socket.replies() == b"\x8a\x05hello"
    assert (socket.replies(), socket.pongs) == (b"", 1)


def test_pings_without_end_are_refused_but_not_one_now_and_then() -> None:
    socket = WebSocket()
    for number in range(50):
        socket.receive(masked(0x89, b""), number * 0.2)
    assert violation(masked(0x89, b"") * (MOST_CONTROLS + 1)) == REFUSED


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x82\x01d", PROTOCOL_ERROR),  # no mask
        (masked(0x81, b"text"), NOT_UNDERSTOOD),
        (masked(0x81, b"\xff"), MALFORMED),
        (masked(0xC2, b"d"), PROTOCOL_ERROR),  # a bit of an extension that nobody agreed on
        (masked(0x83, b"d"), PROTOCOL_ERROR),
        (masked(0x80, b"d"), PROTOCOL_ERROR),  # goes on with nothing
        (masked(0x02, b"d") + masked(0x82, b"d"), PROTOCOL_ERROR),
        (masked(0x09, b""), PROTOCOL_ERROR),  # a ping in fragments
        (masked(0x89, b"", b"\xfe\x00\x7e"), PROTOCOL_ERROR),  # a long ping
        (masked(0x82, b"", b"\xff" + struct.pack("!Q", 1 << 63)), PROTOCOL_ERROR),
        (masked(0x82, b"d" * (LIMIT + 1)), TOO_LONG),
        (masked(0x82, b"d" * (LIMIT + 1), b"\xff" + struct.pack("!Q", (1 << 63) - 1)), TOO_LONG),
        (masked(0x02, b"d") + masked(0x00, b"") * (MOST_FRAGMENTS + 1), REFUSED),
        (masked(0x02, b"d" * 3000) + masked(0x00, b"d" * 3000), TOO_LONG),
    ],
)
def test_what_breaks_the_protocol_ends_the_connection(data: bytes, code: int) -> None:
    assert violation(data) == code


def test_little_is_kept_of_a_frame_that_claims_to_be_endless() -> None:
    socket = WebSocket()
    assert socket.receive(b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1) + bytes(4), 0.0) == []
    for _ in range(LIMIT // 512):
        assert socket.receive(b"d" * 512, 0.0) == []
    assert violation(b"d" * 512, socket) == TOO_LONG


def test_closing_by_the_page() -> None:
    socket = WebSocket()
    assert socket.receive(masked(0x82, b"dq") + masked(0x88, b"\x03\xe9bye"), 0.0) == [b"dq"]
    assert socket.closed_by == 1001
    assert socket.message(b"dlate") == b""
    assert socket.close(answer_to_close(1001)) == b"\x88\x02\x03\xe9"
    assert socket.close(1000) == b""
    assert socket.receive(masked(0x82, b"dx"), 0.0) == []
    assert [answer_to_close(code) for code in (1005, 1006, 4000, 999, 5000)] == [1000, 1000, 4000, 1000, 1000]


def test_closing_by_the_server() -> None:
    socket = WebSocket()
    closing = socket.close(1008, "ä" * 200)
    assert (closing[:1], closing[1] <= 125, closing[2:4]) == (b"\x88", True, b"\x03\xf0")
    assert closing[4:].decode() == "ä" * 60
    assert (socket.message(b"d"), socket.ping(), socket.close(1000)) == (b"", b"", b"")


def browser_frames(messages: list[bytes], cuts: list[int]) -> Iterator[bytes]:
    """Return messages as another implementation sends them, each cut into fragments."""
    browser = Connection(ConnectionType.CLIENT)
    for message, cut in zip(messages, cuts, strict=True):
        yield browser.send(BytesMessage(data=message[:cut], message_finished=False))
        yield browser.send(Ping(payload=message[:3]))
        yield browser.send(BytesMessage(data=message[cut:]))


@given(st.lists(st.tuples(st.binary(max_size=300), st.integers(0, 300)), max_size=5), st.integers(1, 40))
def test_what_a_browser_sends_arrives(messages: list[tuple[bytes, int]], step: int) -> None:
    sent = [message for message, _ in messages]
    data = b"".join(browser_frames(sent, [cut for _, cut in messages]))
    socket = WebSocket()
    assert [one for at in range(0, len(data), step) for one in socket.receive(data[at : at + step], 0.0)] == sent


@given(st.lists(st.binary(max_size=70000), max_size=4))
def test_what_is_sent_arrives_at_a_browser(messages: list[bytes]) -> None:
    socket, browser = WebSocket(), Connection(ConnectionType.CLIENT)
    browser.receive_data(b"".join(map(socket.message, messages)) + socket.ping() + socket.close(1000))
    events = list(browser.events())
    assert [bytes(event.data) for event in events if isinstance(event, BytesMessage)] == messages
    assert [type(event) for event in events[-2:]] == [Ping, CloseConnection]
    assert not any(isinstance(event, TextMessage | Pong) for event in events)


# --- proxies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("6.6.6.6, 192.0.2.7", "192.0.2.7"),
        ("6.6.6.6, 192.0.2.7, 10.1.2.3", "192.0.2.7"),
        ("10.1.2.3, 10.1.2.4", "10.1.2.3"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
        ("192.0.2.7:4711", "192.0.2.7"),
        ("6.6.6.6, unknown, 10.1.2.3", "10.1.2.3"),
        ("unknown", None),
        ("", None),
    ],
)
def test_the_last_stranger_in_a_row_of_proxies_is_the_caller(header: str, address: str | None) -> None:
    proxies = [network for network in [parse_network("10.0.0.0/8")] if network is not None]
    assert forwarded_for(header, proxies) == address
