"""TLS below a line, against a real client: handshakes that succeed, fail or never end, and what comes after them."""

import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select

import pytest

from telnetd.doors.certificate import make_context
from telnetd.doors.telnet import TelnetLine
from telnetd.doors.tls import (
    ACCESS_DENIED,
    ENCRYPTED_LIMIT,
    HANDSHAKE_LIMIT,
    HINT,
    NO_TLS,
    RECORD,
    TOO_SLOW,
    TlsTransport,
)
from tests.certificates import Files, client_context, client_hello, make_certificate, needs_openssl
from tests.ipc.processes import forked
from yawc_poker.doors import BY_TLS
from yawc_poker.terminal.line import FLOODING
from yawc_poker.transport import GRACE, HUNG_UP, NOT_READING, OUTPUT_LIMIT, LineClosed

pytestmark = needs_openssl

PATIENCE = 10.0
NAME = "bbs.test"
ALERT, HANDSHAKE, DATA = 21, 22, 23
PROTOCOL_VERSION = 70


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_certificate(tmp_path_factory.mktemp("certificate"), NAME)


@pytest.fixture(scope="module")
def context(files: Files) -> ssl.SSLContext:
    return make_context(str(files.cert), str(files.key))


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client's socket and the one that a transport takes over, by TCP."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname(), PATIENCE)
        ours, _ = server.accept()
    with client, ours:
        yield client, ours


@contextmanager
def beside(work: Callable[[], None]) -> Iterator[None]:
    """Let a client work in a thread, since a handshake waits for it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join(PATIENCE)
    assert not failed, failed
    assert not thread.is_alive()


def connected(
    pair: tuple[socket.socket, socket.socket],
    context: ssl.SSLContext,
    client: ssl.SSLContext,
    *,
    limit: int = OUTPUT_LIMIT,
) -> tuple[ssl.SSLSocket, TlsTransport]:
    """Return both ends of a connection after the handshake; the client sees an end without close_notify as an error."""
    peer, ours = pair
    found: list[ssl.SSLSocket] = []
    transport = TlsTransport(ours, context, limit)
    with beside(lambda: found.append(client.wrap_socket(peer, server_hostname=NAME, suppress_ragged_eofs=False))):
        transport.shake_hands(time.monotonic() + PATIENCE)
    return found[0], transport


@pytest.fixture
def both(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, files: Files
) -> Iterator[tuple[ssl.SSLSocket, TlsTransport]]:
    peer, transport = connected(pair, context, client_context(files.cert))
    yield peer, transport
    peer.close()  # first: the transport's end waits a moment for it
    transport.close()


def received(transport: TlsTransport, length: int) -> bytes:
    """Read so many bytes; wait for the socket only where nothing waits in memory, as a loop does."""
    data = b""
    while len(data) < length:
        if not transport.buffered:
            assert select([transport], [], [], PATIENCE)[0], f"{len(data)} of {length} bytes"
        data += transport.receive(512)
    return data


def read_all(peer: socket.socket) -> bytes:
    read = b""
    while piece := peer.recv(65536):
        read += piece
    return read


def record(kind: int, body: bytes, version: int = 0x0301) -> bytes:
    return struct.pack(">BHH", kind, version, len(body)) + body


def hello(version: int) -> bytes:
    """Return a ClientHello of the old kind, whose highest version is this one."""
    body = struct.pack(">H", version) + bytes(32) + b"\0" + b"\0\4\0\x2f\0\xff" + b"\1\0"
    return record(HANDSHAKE, b"\1" + len(body).to_bytes(3, "big") + body)


# --- good ones --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_carry_bytes_either_way(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, files: Files, version: ssl.TLSVersion
) -> None:
    peer, transport = connected(pair, context, client_context(files.cert, version=version))
    assert peer.version() == version.name.replace("_", ".")
    assert (transport.pending, transport.buffered, transport.receive(9)) == (0, False, b"")
    transport.send(b"welcome")
    assert transport.pending == 7
    transport.flush()
    assert (peer.recv(9), transport.pending) == (b"welcome", 0)
    peer.sendall(b"hello")
    assert received(transport, 5) == b"hello"
    peer.close()
    transport.close()
    transport.close()
    assert transport.fileno() == -1


def test_it_fits_below_a_telnet_line(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    line = TelnetLine(transport, "somewhere", BY_TLS)
    line.send(b"welcome")
    line.flush()
    heard = b""
    while not heard.endswith(b"welcome"):
        heard += peer.recv(100)
    assert heard.startswith(b"\xff")
    peer.sendall(b"abc\r\0")
    assert select([line], [], [], PATIENCE)[0]
    assert (line.receive(), line.way) == (b"abc\r", BY_TLS)


def test_what_was_decrypted_and_not_asked_for_waits_though_the_socket_is_silent(
    both: tuple[ssl.SSLSocket, TlsTransport],
) -> None:
    peer, transport = both
    peer.sendall(b"x" * 8000)
    first = b""
    while not first:
        assert select([transport], [], [], PATIENCE)[0]
        first = transport.receive(1000)
    assert transport.buffered
    assert first + received(transport, 8000 - len(first)) == b"x" * 8000
    assert not transport.buffered


def test_many_small_records_that_come_at_once_are_all_read(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    for at in range(100):
        peer.sendall(bytes([at]))
    assert received(transport, 100) == bytes(range(100))


def test_much_output_arrives_in_order_when_it_is_read(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    whole = os.urandom(OUTPUT_LIMIT)
    transport.send(whole)
    transport.flush()
    heard = b""
    peer.settimeout(0)
    until = time.monotonic() + PATIENCE
    while len(heard) < len(whole) and time.monotonic() < until:
        with suppress(ssl.SSLWantReadError):
            heard += peer.recv(65536)
        transport.flush()
    assert heard == whole
    assert transport.pending == 0


def test_two_processes_with_one_context_draw_numbers_of_their_own(context: ssl.SSLContext) -> None:
    first = client_hello()

    def server_hello() -> bytes:
        with socket.create_server(("127.0.0.1", 0)) as server:
            peer = socket.create_connection(server.getsockname(), PATIENCE)
            ours, _ = server.accept()

        def shake(say: Callable[[str], None]) -> None:
            with suppress(LineClosed):
                TlsTransport(ours, context).shake_hands(time.monotonic() + PATIENCE)

        with peer, ours, forked(shake):
            peer.sendall(first)
            return peer.recv(43)[11:]

    randoms = {server_hello() for _ in range(3)}
    assert len(randoms) == 3
    assert all(len(one) == 32 for one in randoms)


# --- handshakes that fail ---------------------------------------------------------------------------------------------


def fails(transport: TlsTransport, seconds: float = PATIENCE) -> str:
    """Return why the handshake fails, and close."""
    with pytest.raises(LineClosed) as closed:
        transport.shake_hands(time.monotonic() + seconds)
    transport.close()
    return str(closed.value)


@pytest.mark.parametrize("said", [b"\xff\xfb\x18\xff\xfb\x1f", b"Anna\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\0"])
def test_who_speaks_no_tls_is_told(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, said: bytes
) -> None:
    peer, ours = pair
    peer.sendall(said)
    peer.shutdown(socket.SHUT_WR)
    assert fails(TlsTransport(ours, context)) == NO_TLS
    assert read_all(peer) == HINT


def test_who_says_nothing_is_told_when_the_time_is_up(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext
) -> None:
    peer, ours = pair
    began = time.monotonic()
    assert fails(TlsTransport(ours, context), 0.2) == TOO_SLOW
    assert time.monotonic() - began >= 0.2
    assert read_all(peer) == HINT


def test_half_a_handshake_waits_until_the_deadline(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext
) -> None:
    peer, ours = pair
    peer.sendall(client_hello()[:100])
    assert fails(TlsTransport(ours, context), 0.2) == TOO_SLOW
    assert read_all(peer) == b""


def test_a_handshake_without_its_last_part_waits_until_the_deadline(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext
) -> None:
    peer, ours = pair
    peer.sendall(client_hello())
    assert fails(TlsTransport(ours, context), 0.2) == TOO_SLOW
    assert read_all(peer)[0] == HANDSHAKE


def test_byte_by_byte_it_may_be_slow_until_the_deadline(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext
) -> None:
    peer, ours = pair
    over = threading.Event()

    def drip() -> None:
        for byte in client_hello():
            if over.wait(0.01):
                return
            with suppress(OSError):
                peer.send(bytes([byte]))

    with beside(drip):
        began = time.monotonic()
        reason = fails(TlsTransport(ours, context), 0.3)
        took = time.monotonic() - began
        over.set()
    assert reason == TOO_SLOW
    assert 0.3 <= took < 0.3 + GRACE + 5


def test_byte_by_byte_in_time_is_as_good(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, files: Files
) -> None:
    """Every cut of the client's bytes leads to the same connection."""
    peer, ours = pair
    heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context(files.cert).wrap_bio(heard, said, server_hostname=NAME)

    def go() -> None:
        while True:
            try:
                client.do_handshake()
            except ssl.SSLWantReadError:
                done = False
            else:
                done = True
            for byte in said.read():
                peer.send(bytes([byte]))
            if done:
                return
            heard.write(peer.recv(1))

    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    transport = TlsTransport(ours, context)
    with beside(go):
        transport.shake_hands(time.monotonic() + PATIENCE)
    client.write(b"hello")
    peer.sendall(said.read())
    assert received(transport, 5) == b"hello"


@pytest.mark.parametrize(
    "garbage",
    [
        record(HANDSHAKE, b"hello"),
        record(HANDSHAKE, bytes(200)),
        record(HANDSHAKE, b"\2" + bytes(40)),
        bytes([HANDSHAKE]) + b"\xff" * 100,
        client_hello()[:60] + b"\xff" * 500,
    ],
    ids=["letters", "zeroes", "a server's", "no version", "in the middle"],
)
def test_garbage_is_answered_by_an_alert_and_the_end(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, garbage: bytes
) -> None:
    peer, ours = pair
    peer.sendall(garbage)
    peer.shutdown(socket.SHUT_WR)
    reason = fails(TlsTransport(ours, context))
    assert reason.startswith("TLS: ") or reason == HUNG_UP
    answer = read_all(peer)
    assert answer == b"" or answer[0] == ALERT


@pytest.mark.parametrize("version", [0x0301, 0x0302])
def test_versions_before_1_2_are_refused(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, version: int
) -> None:
    peer, ours = pair
    peer.sendall(hello(version))
    peer.shutdown(socket.SHUT_WR)
    assert fails(TlsTransport(ours, context)) == "TLS: unsupported protocol"
    answer = read_all(peer)
    assert (answer[0], answer[-1]) == (ALERT, PROTOCOL_VERSION)


def test_a_handshake_has_a_length(pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext) -> None:
    """OpenSSL would keep twice as much before it looks."""
    peer, ours = pair
    start = b"\1" + (2 * HANDSHAKE_LIMIT - 4096).to_bytes(3, "big") + b"\3\3"
    whole = b"".join(record(HANDSHAKE, (start if at == 0 else b"") + bytes(16000)) for at in range(6))

    def go() -> None:
        with suppress(OSError):
            peer.sendall(whole)

    with beside(go):
        reason = fails(TlsTransport(ours, context))
    assert reason == FLOODING


def test_a_client_that_hangs_up_in_the_middle(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext
) -> None:
    peer, ours = pair
    peer.sendall(client_hello())
    transport = TlsTransport(ours, context)
    peer.close()
    assert fails(transport) == HUNG_UP


def test_a_client_that_does_not_trust_the_certificate_says_so(
    pair: tuple[socket.socket, socket.socket], context: ssl.SSLContext, tmp_path: Path
) -> None:
    peer, ours = pair
    stranger = client_context(make_certificate(tmp_path, "other.test").cert)

    def go() -> None:
        with pytest.raises(ssl.SSLCertVerificationError):
            stranger.wrap_socket(peer, server_hostname=NAME)

    with beside(go):
        assert fails(TlsTransport(ours, context)) == "TLS: tlsv1 alert unknown ca"


def test_a_refusal_before_the_handshake_is_an_alert_that_clients_know(
    pair: tuple[socket.socket, socket.socket], files: Files
) -> None:
    peer, ours = pair
    ours.sendall(ACCESS_DENIED)
    with pytest.raises(ssl.SSLError) as refused:
        client_context(files.cert).wrap_socket(peer, server_hostname=NAME)
    assert refused.value.reason is not None
    assert refused.value.reason.endswith("ALERT_ACCESS_DENIED")


# --- ends -------------------------------------------------------------------------------------------------------------


def ends(transport: TlsTransport) -> str:
    """Return why the connection closes at the next reads."""
    with pytest.raises(LineClosed) as closed:
        received(transport, 1 << 20)
    return str(closed.value)


def test_close_notify_ends_the_connection_after_the_last_byte(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    peer.sendall(b"last words")

    def say_goodbye() -> None:
        peer.unwrap()  # sends close_notify, and wants one back

    with beside(say_goodbye):
        assert received(transport, 10) == b"last words"
        assert ends(transport) == HUNG_UP
        transport.close()


def test_closing_says_close_notify_behind_what_was_sent(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    transport.send(b"bye" * 10000)
    with beside(transport.close):
        assert read_all(peer) == b"bye" * 10000  # a truncated end would raise
        peer.close()


def test_a_truncated_connection_is_a_hang_up(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    peer.sendall(b"last words")
    socket.socket.shutdown(peer, socket.SHUT_WR)
    assert received(transport, 10) == b"last words"
    assert ends(transport) == HUNG_UP


def test_a_truncated_record_is_a_hang_up(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    os.write(peer.fileno(), b"\x17\x03\x03\x01\x00" + bytes(100))
    socket.socket.shutdown(peer, socket.SHUT_WR)
    assert ends(transport) == HUNG_UP


def test_a_forged_record_ends_the_connection_and_the_other_side_is_told(
    both: tuple[ssl.SSLSocket, TlsTransport],
) -> None:
    peer, transport = both
    transport.send(b"never sent")
    os.write(peer.fileno(), record(DATA, bytes(64), 0x0303))
    assert ends(transport) in {"TLS: decryption failed or bad record mac", "TLS: record layer failure"}

    def go() -> None:
        with pytest.raises(ssl.SSLError, match=r"(?i)bad record mac"):
            read_all(peer)
        peer.close()

    with beside(go):
        transport.close()


def test_plain_bytes_after_the_handshake_end_the_connection(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    os.write(peer.fileno(), b"\r\n" * 100)
    assert ends(transport).startswith("TLS: ")


def test_a_client_that_does_not_read_fills_bounded_buffers(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    _, transport = both

    def send_on() -> None:
        for _ in range(1000):
            transport.send(b"x" * RECORD)
            transport.flush()
            assert transport.pending <= OUTPUT_LIMIT + ENCRYPTED_LIMIT

    with pytest.raises(LineClosed, match=NOT_READING):
        send_on()
    began = time.monotonic()
    transport.drain(began + 0.2)
    assert transport.pending > OUTPUT_LIMIT / 2
    transport.close()
    assert time.monotonic() - began < 0.2 + GRACE + 5


def test_a_peer_that_resets_the_connection_has_hung_up(both: tuple[ssl.SSLSocket, TlsTransport]) -> None:
    peer, transport = both
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
    assert ends(transport) == HUNG_UP
    transport.send(b"x" * RECORD)
    with pytest.raises(LineClosed, match=HUNG_UP):
        transport.drain(time.monotonic() + PATIENCE)
