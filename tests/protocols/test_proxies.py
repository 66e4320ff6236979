"""The PROXY protocol: its header by example and by chance, and how it is taken off a connection, whatever comes."""

import logging
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telnetd.doors import proxies
from telnetd.doors.proxies import HINT, MISSING, PACE_SECONDS, TOO_LATE, serve_proxied, take_header
from telnetd.doors.proxy_header import LONGEST, NO_HEADER, SIGNATURE, BadHeader, ProxyHeader, proxy_header
from telnetd.doors.telnet import TelnetService
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.transport import HUNG_UP, LineClosed

PATIENCE = 10.0
PEER = "127.0.0.1"
Pair = tuple[socket.socket, socket.socket]


def second(family: int, body: bytes, command: int = 0x21) -> bytes:
    return SIGNATURE + struct.pack("!BBH", command, family, len(body)) + body


FOUR = bytes([192, 0, 2, 7]) + bytes([10, 0, 0, 1]) + b"\x12\x34\x00\x50"
SIX = bytes.fromhex("20010db8000000000000000000000007") * 2 + b"\x12\x34\x00\x50"


@pytest.mark.parametrize(
    ("header", "address"),
    [
        (b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 80\r\n", "192.0.2.7"),
        (b"PROXY TCP6 2001:db8::7 ::1 4660 80\r\n", "2001:db8::7"),
        (b"PROXY TCP6 ::ffff:192.0.2.7 ::1 4660 80\r\n", "192.0.2.7"),
        (b"PROXY UNKNOWN\r\n", None),
        (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", None),
        (second(0x11, FOUR), "192.0.2.7"),
        (second(0x21, SIX), "2001:db8::7"),
        (second(0x11, FOUR + b"\x04\x00\x02ab"), "192.0.2.7"),
        (second(0x11, FOUR, 0x20), None),
        (second(0x00, b""), None),
        (second(0x31, bytes(216)), None),
    ],
)
def test_a_proxy_tells_whom_it_calls_for(header: bytes, address: str | None) -> None:
    assert proxy_header(header + b"GET / HTTP/1.1\r\n") == ProxyHeader(len(header), address)
    assert [proxy_header(header[:cut]) for cut in range(len(header))] == [None] * len(header)


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n", b"PUT", b"\r\n\r\nX", b"X"])
def test_there_need_be_no_header(data: bytes) -> None:
    assert proxy_header(data) == NO_HEADER


@pytest.mark.parametrize(
    "data",
    [
        b"PROXY TCP4 nobody 10.0.0.1 1 2\r\n",
        b"PROXY TCP4 192.0.2.7\r\n",
        b"PROXY UDP4 192.0.2.7 10.0.0.1 1 2\r\n",
        b"PROXY " + b"x" * 200,
        b"PROXY TCP4 192.0.2.7 10.0.0.1 99999 80\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 65536 80\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 123456\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 04660 80\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 -1\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 \xb2\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 \r\n",
        b"PROXY TCP4 192.0.2.07 10.0.0.1 4660 80\r\n",
        b"PROXY TCP4 192.0.2.7 nobody 4660 80\r\n",
        b"PROXY TCP4 2001:db8::7 ::1 4660 80\r\n",
        b"PROXY TCP6 192.0.2.7 10.0.0.1 4660 80\r\n",
        b"PROXY TCP6 fe80::1%eth0 ::1 4660 80\r\n",
        second(0x11, FOUR[:4]),
        second(0x11, FOUR, 0x11),
        second(0x11, FOUR[:-1]),
        second(0x21, SIX[:-1]),
        second(0x31, bytes(215)),
        second(0x12, FOUR),
        second(0x41, FOUR),
        second(0x13, FOUR),
        SIGNATURE + struct.pack("!BBH", 0x21, 0x11, 60000),
    ],
)
def test_a_broken_header_is_refused(data: bytes) -> None:
    with pytest.raises(BadHeader):
        proxy_header(data)


@given(st.binary(max_size=60), st.sampled_from([b"", b"PROXY ", b"PROXY TCP4 1.2.3.4 ", SIGNATURE + b"\x21\x11\x00"]))
def test_any_header_is_read_within_bounds(data: bytes, begun: bytes) -> None:
    try:
        found = proxy_header(begun + data)
    except BadHeader:
        return
    assert found is None or 0 <= found.length <= min(LONGEST, len(begun + data))


# --- taking it off ----------------------------------------------------------------------------------------------------


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A proxy's socket and the one that was accepted, by TCP."""
    with socket.create_server((PEER, 0)) as server:
        proxy = socket.create_connection(server.getsockname(), PATIENCE)
        ours, _ = server.accept()
    proxy.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with proxy, ours:
        yield proxy, ours


def taken(ours: socket.socket, seconds: float = PATIENCE) -> ProxyHeader:
    return take_header(ours, time.monotonic() + seconds)


FIRST = b"PROXY TCP4 192.0.2.7 10.0.0.1 4660 80\r\n"
SECOND = second(0x21, SIX)


@pytest.mark.parametrize("header", [FIRST, SECOND, second(0x00, b"", 0x20)])
def test_not_a_byte_behind_the_header_is_taken(pair: Pair, header: bytes) -> None:
    proxy, ours = pair
    proxy.sendall(header + b"\xff\xfb\x18Anna\r\n" + FIRST)
    assert taken(ours).length == len(header)
    assert ours.recv(100) == b"\xff\xfb\x18Anna\r\n" + FIRST


def test_what_is_no_header_stays_where_it_is(pair: Pair) -> None:
    proxy, ours = pair
    proxy.sendall(b"GET / HTTP/1.1\r\n")
    assert taken(ours) == NO_HEADER
    assert ours.recv(100) == b"GET / HTTP/1.1\r\n"


@pytest.mark.parametrize("header", [FIRST, SECOND], ids=["first", "second"])
def test_a_header_may_come_byte_by_byte(pair: Pair, header: bytes) -> None:
    proxy, ours = pair

    def drip() -> None:
        for byte in header + b"Anna":
            proxy.send(bytes([byte]))

    thread = threading.Thread(target=drip)
    thread.start()
    assert taken(ours).length == len(header)
    thread.join(PATIENCE)
    assert ours.recv(4, socket.MSG_WAITALL) == b"Anna"


def test_a_header_that_drips_is_looked_at_now_and_then(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, ours = pair
    looks: list[bytes] = []

    def look(seen: bytes) -> ProxyHeader | None:
        looks.append(seen)
        return proxy_header(seen)

    monkeypatch.setattr(proxies, "proxy_header", look)

    def drip() -> None:
        for byte in FIRST:
            proxy.send(bytes([byte]))
            time.sleep(0.005)

    thread = threading.Thread(target=drip)
    began = time.monotonic()
    thread.start()
    assert taken(ours).length == len(FIRST)
    assert len(looks) <= 2 + (time.monotonic() - began) / PACE_SECONDS
    thread.join(PATIENCE)


@pytest.mark.parametrize("begun", [b"", b"PROXY TCP4 192.0.2.7", SECOND[:30]], ids=["nothing", "first", "second"])
def test_a_header_that_stops_is_waited_for_without_work_and_not_for_ever(pair: Pair, begun: bytes) -> None:
    proxy, ours = pair
    proxy.sendall(begun)
    worked = time.process_time()
    with pytest.raises(BadHeader, match=TOO_LATE):
        taken(ours, 0.3)
    assert time.process_time() - worked < 0.15


@pytest.mark.parametrize("begun", [b"", b"PROXY TCP4 192.0.2.7", SECOND[:30]], ids=["nothing", "first", "second"])
@pytest.mark.parametrize("resets", [False, True])
def test_a_proxy_that_hangs_up_within_its_header_is_not_waited_for(pair: Pair, begun: bytes, resets: bool) -> None:
    proxy, ours = pair
    proxy.sendall(begun)
    if resets:
        proxy.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    proxy.close()
    began = time.monotonic()
    with pytest.raises(LineClosed, match=HUNG_UP):
        taken(ours)
    assert time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize("endless", [b"PROXY ", SIGNATURE + b"\x21\x11\xff\xff", b"PROXY TCP4 " + b"1" * 50])
def test_a_header_that_never_ends_is_read_no_further_than_it_may_go(pair: Pair, endless: bytes) -> None:
    proxy, ours = pair
    proxy.sendall(endless + b"x" * 10_000)
    with pytest.raises(BadHeader, match="too long"):
        taken(ours)


# --- the doors' -------------------------------------------------------------------------------------------------------


def nowhere() -> NoReturn:
    raise AssertionError("no session is begun here")


class Door(Service):
    """A door behind a proxy, whose listener refuses one address, and whose service tells what it was given."""

    def __init__(self) -> None:
        super().__init__(Config())
        self.asked: list[str] = []
        self.served: list[str] = []

    def ask(self, address: str, *, is_file: bool = False) -> str:
        self.asked.append(address)
        return "not you" if address == "192.0.2.66" else ""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        self.served.append(peer)
        connection.settimeout(PATIENCE)
        connection.sendall(b"heard " + connection.recv(100))
        connection.close()
        return Exit.OK

    def refusal(self, reason: str, line: bytes) -> bytes:
        return b"" if self._is_silent else line

    def heard(self, pair: Pair, said: bytes, *, hangs_up: bool = False, silent: bool = False) -> bytes:
        """Return what a proxy hears that says this."""
        proxy, ours = pair
        proxy.sendall(said)
        if hangs_up:
            proxy.shutdown(socket.SHUT_WR)
        heard = bytearray()

        def listen() -> None:
            with proxy:
                while piece := proxy.recv(100):
                    heard.extend(piece)

        thread = threading.Thread(target=listen)
        thread.start()
        self._is_silent = silent
        assert serve_proxied(self, ours, PEER, nowhere, self.ask) is Exit.OK
        thread.join(PATIENCE)
        return bytes(heard)


@pytest.fixture
def door() -> Door:
    return Door()


def test_the_caller_is_the_one_that_the_proxy_names(pair: Pair, door: Door) -> None:
    assert door.heard(pair, FIRST + b"Anna") == b"heard Anna"
    assert (door.asked, door.served) == (["192.0.2.7"], ["192.0.2.7"])


@pytest.mark.parametrize("header", [b"PROXY UNKNOWN\r\n", second(0x00, b""), second(0x00, b"", 0x20)])
def test_a_proxy_that_names_nobody_calls_for_itself(pair: Pair, door: Door, header: bytes) -> None:
    assert door.heard(pair, header + b"Anna") == b"heard Anna"
    assert (door.asked, door.served) == ([PEER], [PEER])


@pytest.mark.parametrize(
    "said", [b"", b"PROXY UNKNOWN\r\n", second(0x00, b"", 0x20), b"PROXY TCP4 127.0.0.1 127.0.0.1 4660 80\r\n"]
)
def test_a_proxy_that_only_looks_costs_no_session_and_no_line_in_the_log(
    pair: Pair, door: Door, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        assert door.heard(pair, said, hangs_up=True) == b""
    assert (door.asked, door.served, caplog.messages) == ([], [], [])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"Anna\r\n", MISSING),
        (b"\xff\xfb\x18" + FIRST, MISSING),
        (b"PROXY TCP4 nobody x 1 2\r\n", "no address"),
        (b"PROXY " + b"x" * 200, "too long"),
        (SIGNATURE + b"\x31\x11\x00\x00", "unknown version"),
    ],
)
def test_without_a_header_nobody_is_served(
    pair: Pair, door: Door, said: bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert door.heard(pair, said) == HINT
    assert (door.asked, door.served) == ([], [])
    assert [reason in line and line.startswith(f"{PEER}: no session: ") for line in caplog.messages] == [True]


def test_a_proxy_that_calls_for_itself_and_stays_is_served(pair: Pair, door: Door) -> None:
    timer = threading.Timer(2 * proxies.LOOK_SECONDS, pair[0].sendall, [b"Anna"])
    timer.start()
    assert door.heard(pair, b"PROXY UNKNOWN\r\n") == b"heard Anna"
    timer.join(PATIENCE)


def test_a_proxy_that_says_nothing_is_not_waited_for(pair: Pair, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxies, "HEADER_SECONDS", 0.1)
    assert door.heard(pair, b"", silent=True) == b""
    assert (door.asked, door.served) == ([], [])


def test_who_is_refused_is_told_and_not_served(pair: Pair, door: Door) -> None:
    assert door.heard(pair, FIRST.replace(b".7", b".66") + b"Anna") == b"not you\r\n"
    assert (door.asked, door.served) == (["192.0.2.66"], [])


def test_only_those_who_are_named_are_proxies() -> None:
    found = TelnetService(Config(telnet=TelnetSettings(proxies=("10.0.0.0/8", "2001:db8::5"))))
    callers = ("10.1.2.3", "11.1.2.3", "2001:db8::5", "2001:db8::6", "/dev/tty")
    answers = {peer: found.is_proxy(peer) for peer in callers}
    assert [peer for peer, is_one in answers.items() if is_one] == ["10.1.2.3", "2001:db8::5"]
    found.reload(Config())
    assert not found.is_proxy("10.1.2.3")
