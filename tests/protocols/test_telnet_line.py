"""A caller's line by telnet: keys, negotiation, output, and every way in which it ends."""

import select
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from telnetd.doors.telnet import READ, TelnetLine
from telnetd.telnet.options import Option, TelnetCommand
from tests.protocols.wire import ASK_TYPE, command, do, dont, naws, sub, type_is, will, wont
from yawc_poker import transport
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.line import Line
from yawc_poker.transport import GRACE, HUNG_UP, NOT_READING, OUTPUT_LIMIT, LineClosed, SocketTransport

PATIENCE = 10.0


@pytest.fixture
def caller_and_line() -> Iterator[tuple[socket.socket, TelnetLine]]:
    ours, caller = socket.socketpair()
    caller.settimeout(PATIENCE)
    line = TelnetLine(SocketTransport(ours), "somewhere")
    yield caller, line
    caller.close()  # first: closing the line waits a moment for a caller who does not hang up
    line.close()


@pytest.fixture
def caller_and_tcp_line() -> Iterator[tuple[socket.socket, TelnetLine]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        caller = socket.create_connection(server.getsockname(), PATIENCE)
        ours, address = server.accept()
    line = TelnetLine(SocketTransport(ours), address[0])
    yield caller, line
    caller.close()  # first: closing the line waits a moment for a caller who does not hang up
    line.close()


def type_in(caller: socket.socket, line: Line, data: bytes) -> bytes:
    """Make the caller send; return what the line makes of it once everything has arrived, as a session reads it."""
    caller.sendall(data)
    assert select.select([line], [], [], PATIENCE)[0]
    typed = line.receive()
    line.flush()
    return typed


def hear(caller: socket.socket, end: bytes) -> bytes:
    heard = b""
    while not heard.endswith(end):
        piece = caller.recv(65536)
        assert piece, f"the line closed after {heard!r}"
        heard += piece
    return heard


def hear_all(caller: socket.socket) -> bytes:
    heard = b""
    while piece := caller.recv(65536):
        heard += piece
    return heard


def locale(name: bytes, value: bytes) -> bytes:
    return sub(Option.NEW_ENVIRON, b"\x00\x03" + name + b"\x01" + value)


def agreed(name: bytes) -> bytes:
    return do(Option.CHARSET) + sub(Option.CHARSET, b"\x02" + name)


def test_a_new_line_waits_to_offer_and_knows_nothing(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    assert (line.kind, line.charset, line.columns, line.rows) == ("ansi", "ascii", 80, 24)
    assert line.peer == "somewhere"
    assert not line.negotiated
    assert line.pending > 0
    assert line.receive() == b""
    line.flush()
    assert line.pending == 0
    assert hear(caller, do(Option.WINDOW_SIZE)).startswith(will(Option.ECHO))


def test_keys_come_through_without_the_protocol(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    typed = type_in(caller, line, b"a\r\nb\r\0" + naws(100, 40) + b"\xff\xff" + command(TelnetCommand.IP) + b"\n")
    assert typed == b"a\rb\r\xff\x03\r"
    assert (line.columns, line.rows) == (100, 40)


def test_protocol_is_answered_by_reading(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    assert type_in(caller, line, command(TelnetCommand.AYT)) == b""
    assert line.disturbed
    assert hear(caller, b"[Yes]\r\n").endswith(do(Option.WINDOW_SIZE) + b"[Yes]\r\n")
    assert type_in(caller, line, will(Option.TERMINAL_TYPE)) == b""
    assert hear(caller, ASK_TYPE) == ASK_TYPE


def test_one_reading_takes_a_bounded_piece(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    assert type_in(caller, line, b"x" * READ * 2) == b"x" * READ
    assert line.receive() == b"x" * READ
    assert line.receive() == b""


def test_negotiated_once_type_and_window_are_told(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    type_in(caller, line, will(Option.TERMINAL_TYPE) + will(Option.WINDOW_SIZE) + naws(80, 25))
    early = line.negotiated
    type_in(caller, line, type_is(b"SYNCTERM"))
    assert (early, line.negotiated) == (False, True)
    assert (line.kind, line.charset, line.rows) == ("syncterm", "cp437", 25)


def test_negotiated_once_type_and_window_are_refused(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    type_in(caller, line, wont(Option.TERMINAL_TYPE) + wont(Option.WINDOW_SIZE))
    assert line.negotiated
    assert (line.kind, line.charset) == ("ansi", "ascii")


@pytest.mark.parametrize(
    ("told", "kind", "shows"),
    [
        (type_is(b"XTERM-256COLOR"), "xterm-256color", "utf-8"),
        (type_is(b"TINTIN++") + type_is(b"screen"), "screen-256color", "utf-8"),
        (type_is(b"UNKNOWN") + type_is(b"UNKNOWN"), "ansi", "ascii"),
        (type_is(b"strange") + type_is(b"stranger"), "ansi", "utf-8"),
        (type_is(b"vt100") + locale(b"LANG", b"de_DE.UTF-8"), "vt100", "utf-8"),
        (type_is(b"xterm") + locale(b"LANG", b"C"), "xterm-256color", "utf-8"),
        (type_is(b"xterm") + locale(b"LC_ALL", b"de_DE.ISO-8859-1@euro"), "xterm-256color", "latin-1"),
        (type_is(b"xterm") + locale(b"LC_CTYPE", b"en_US.utf8") + locale(b"LANG", b""), "xterm-256color", "utf-8"),
        (agreed(b"IBM437") + type_is(b"xterm") + locale(b"LANG", b"C.UTF-8"), "xterm-256color", "cp437"),
        (type_is(b"ansi-bbs") + agreed(b"utf-8"), "ansi-bbs", "utf-8"),
        (type_is(b"ansi-bbs") + agreed(b"KOI8-R"), "ansi-bbs", "cp437"),
        (type_is(b"TINTIN++") + type_is(b"xterm") + type_is(b"MTTS 7"), "xterm-256color", "utf-8"),
        (type_is(b"TINTIN++") + type_is(b"xterm") + type_is(b"MTTS 3"), "xterm-256color", "ascii"),
        (type_is(b"MUDLET") + type_is(b"ANSI") + type_is(b"MTTS 5"), "dumb", "utf-8"),
        (type_is(b"MUDLET") + type_is(b"ANSI") + type_is(b"MTTS 1") + agreed(b"UTF-8"), "dumb", "utf-8"),
        (type_is(b"xterm") + locale(b"CHARSET", b"CP437"), "xterm-256color", "cp437"),
        (type_is(b"xterm") + locale(b"CHARSET", b"BIG-5"), "xterm-256color", "utf-8"),
    ],
)
def test_kind_and_charset(
    caller_and_line: tuple[socket.socket, TelnetLine], told: bytes, kind: str, shows: Charset
) -> None:
    caller, line = caller_and_line
    assert type_in(caller, line, will(Option.TERMINAL_TYPE) + told) == b""
    assert (line.kind, line.charset) == (kind, shows)


@pytest.mark.parametrize(
    ("told", "reads"),
    [
        (type_is(b"MUDLET") + type_is(b"ANSI") + type_is(b"MTTS 64"), True),
        (type_is(b"MUDLET") + type_is(b"ANSI") + type_is(b"MTTS 191"), False),
        (type_is(b"xterm") + locale(b"SCREEN_READER", b"1"), True),
        (type_is(b"xterm") + locale(b"SCREEN_READER", b"TRUE"), True),
        (type_is(b"xterm") + locale(b"SCREEN_READER", b"0"), False),
        (type_is(b"xterm") + locale(b"SCREEN_READER", b""), False),
        (type_is(b"xterm") + locale(b"MTTS", b"66"), True),
        (type_is(b"xterm") + locale(b"MTTS", b"-64"), False),
        (type_is(b"MTTS 64"), True),
    ],
)
def test_a_screen_reader_is_heard_of(
    caller_and_line: tuple[socket.socket, TelnetLine], told: bytes, reads: bool
) -> None:
    caller, line = caller_and_line
    type_in(caller, line, will(Option.TERMINAL_TYPE) + told)
    assert line.has_reader == reads


def test_what_the_session_sends_arrives_escaped(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    line.flush()
    hear(caller, do(Option.WINDOW_SIZE))
    line.send(b"a\xffb\r\n")
    assert line.pending == 6
    line.flush()
    assert hear(caller, b"\n") == b"a\xff\xffb\r\n"


def test_keep_alive_sends_a_nop_to_an_idle_caller_only(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    waiting = line.pending
    line.keep_alive()
    assert line.pending == waiting
    line.flush()
    hear(caller, do(Option.WINDOW_SIZE))
    line.keep_alive()
    assert hear(caller, command(TelnetCommand.NOP)) == command(TelnetCommand.NOP)


def test_a_caller_who_does_not_read_is_closed(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    _, line = caller_and_line
    piece = b"x" * 4096

    def send_on() -> None:
        for _ in range(10_000):
            line.send(piece)
            line.flush()

    with pytest.raises(LineClosed, match=NOT_READING):
        send_on()
    assert OUTPUT_LIMIT - 2 * len(piece) < line.pending <= OUTPUT_LIMIT


def test_a_flood_of_questions_without_reading_the_answers_is_closed(
    caller_and_line: tuple[socket.socket, TelnetLine],
) -> None:
    caller, line = caller_and_line

    def ask_on() -> None:
        for _ in range(1000):
            type_in(caller, line, command(TelnetCommand.AYT) * (READ // 2))

    with pytest.raises(LineClosed, match=NOT_READING):
        ask_on()
    assert line.pending <= OUTPUT_LIMIT


def test_what_waits_goes_out_as_the_caller_reads(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    text = bytes(range(32, 127)) * 2500
    line.send(text)
    heard = b""
    while line.pending:
        line.flush()
        heard += caller.recv(65536)
    assert (heard + hear(caller, b"~") if not heard.endswith(text) else heard).endswith(text)


def test_end_of_file_is_a_hang_up(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    caller.sendall(b"bye")
    caller.close()
    assert line.receive() == b"bye"
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.receive()


def test_sending_to_a_caller_who_is_gone(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    caller.close()
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.flush()


def test_a_reset_is_a_hang_up(caller_and_tcp_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_tcp_line
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    caller.close()
    assert select.select([line], [], [], PATIENCE)[0]
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.receive()


def test_tcp_is_told_to_notice_a_dead_peer(caller_and_tcp_line: tuple[socket.socket, TelnetLine]) -> None:
    _, line = caller_and_tcp_line
    with socket.socket(fileno=line.fileno()) as ours:
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        ours.detach()
    assert line.peer == "127.0.0.1"


def test_last_words_arrive_though_the_caller_typed_on(caller_and_tcp_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_tcp_line
    caller.sendall(b"typed ahead and never read" * 100)
    assert select.select([line], [], [], PATIENCE)[0]
    line.send(b"good bye\r\n")
    line.close()
    assert hear_all(caller).endswith(b"good bye\r\n")


def test_close_sends_what_waits_and_can_be_repeated(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    line.send(b"good bye\r\n")
    line.close()
    assert hear_all(caller).endswith(b"good bye\r\n")
    assert line.fileno() == -1
    line.close()


def test_close_does_not_wait_long_for_a_caller_who_does_not_read(
    caller_and_line: tuple[socket.socket, TelnetLine],
) -> None:
    _, line = caller_and_line
    line.send(b"x" * (OUTPUT_LIMIT - 100))
    line.flush()
    line.send(b"y" * (OUTPUT_LIMIT - line.pending))
    start = time.monotonic()
    line.close()
    assert time.monotonic() - start < GRACE + 5.0
    assert line.fileno() == -1


def test_close_does_not_wait_for_a_caller_who_is_gone(
    caller_and_line: tuple[socket.socket, TelnetLine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "GRACE", PATIENCE)  # longer than a busy machine takes
    caller, line = caller_and_line
    line.send(b"x")
    caller.close()
    start = time.monotonic()
    line.close()
    assert time.monotonic() - start < PATIENCE / 2


def test_a_closed_line_raises_only_line_closed(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    _, line = caller_and_line
    line.close()
    with pytest.raises(LineClosed):
        line.receive()
    line.send(b"x")
    with pytest.raises(LineClosed):
        line.flush()


def test_a_refusal_changes_nothing(caller_and_line: tuple[socket.socket, TelnetLine]) -> None:
    caller, line = caller_and_line
    assert type_in(caller, line, dont(Option.ECHO) + b"x") == b"x"
