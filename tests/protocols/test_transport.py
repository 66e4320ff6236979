"""Sockets as transports: what closing one leaves to its peer, and a transport that has decoded more than was read."""

import select
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.wire.connection import WireLine
from yawc_poker.terminal.line import TransportLine
from yawc_poker.transport import HUNG_UP, NOT_READING, LineClosed, SocketTransport

PATIENCE = 10.0


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A peer and the socket that a transport takes over, by TCP."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = socket.create_connection(server.getsockname(), PATIENCE)
        ours, _ = server.accept()
    with peer, ours:
        yield peer, ours


def read_all(peer: socket.socket) -> bytes:
    read = b""
    while piece := peer.recv(65536):
        read += piece
    return read


def test_a_transport_reads_sends_and_says_that_nothing_is_buffered(pair: tuple[socket.socket, socket.socket]) -> None:
    peer, ours = pair
    with closing(SocketTransport(ours)) as transport:
        assert (transport.receive(9), transport.pending, transport.buffered) == (b"", 0, False)
        transport.send(b"hello")
        assert transport.pending == 5
        transport.flush()
        assert (peer.recv(9), transport.pending) == (b"hello", 0)
        peer.sendall(b"abc")
        assert select.select([transport], [], [], PATIENCE)[0]
        assert transport.receive(2) + transport.receive(2) == b"abc"
        peer.close()
        assert select.select([transport], [], [], PATIENCE)[0]
        with pytest.raises(LineClosed, match=HUNG_UP):
            transport.receive(2)


def test_the_limit_is_the_bytes_that_wait(pair: tuple[socket.socket, socket.socket]) -> None:
    peer, ours = pair
    with closing(SocketTransport(ours, limit=10)) as transport:
        transport.send(b"x" * 10)
        with pytest.raises(LineClosed, match=NOT_READING):
            transport.send(b"x")
        transport.flush()
        transport.send(b"x" * 10)
        peer.close()


def test_a_wire_client_that_sent_more_than_is_read_gets_the_last_message(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    peer, ours = pair
    inbox = SignalInbox((signal.SIGUSR1,))
    line = WireLine(ours, "somewhere", inbox, Alarms(arm=lambda seconds, period: None))
    try:
        peer.sendall(b"never read" * 1000)
        assert select.select([ours], [], [], PATIENCE)[0]
        line.send(b"bye")
        line.close()
        assert read_all(peer) == b"bye"
    finally:
        inbox.close()


class TlsTransport(SocketTransport):
    """TLS behind the same interface: all that it takes."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        super().__init__(connection)
        self._socket = self._tls = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)

    @property
    def buffered(self) -> bool:
        return self._tls.pending() > 0

    def _read(self, most: int) -> bytes:
        with as_blocking():
            return self._tls.recv(most)

    def _write(self, data: bytearray) -> int:
        with as_blocking():
            return self._tls.send(data)


@contextmanager
def as_blocking() -> Iterator[None]:
    try:
        yield
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
        raise BlockingIOError from None


def anonymous(protocol: int) -> ssl.SSLContext:
    """Return a context that needs no certificate."""
    context = ssl.SSLContext(protocol)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("aNULL:@SECLEVEL=0")
    return context


def shake_hands(peer: ssl.SSLSocket, transport: TlsTransport) -> None:
    """Let both sides take turns until the peer has finished."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert transport.receive(1) == b""
        try:
            peer.do_handshake()
        except ssl.SSLWantReadError:
            continue
        return
    pytest.fail("no handshake")


def test_tls_fits_behind_a_line(pair: tuple[socket.socket, socket.socket]) -> None:
    plain, ours = pair
    transport = TlsTransport(ours, anonymous(ssl.PROTOCOL_TLS_SERVER))
    plain.setblocking(False)
    context = anonymous(ssl.PROTOCOL_TLS_CLIENT)
    with context.wrap_socket(plain, do_handshake_on_connect=False) as peer:
        shake_hands(peer, transport)
        peer.settimeout(PATIENCE)
        line = TransportLine(transport, "somewhere")
        line.send(b"welcome")
        line.flush()
        assert peer.recv(100) == b"welcome"
        peer.sendall(b"x" * 8000)
        while not (first := transport.receive(1000)):
            select.select([line], [], [], PATIENCE)
        assert not select.select([line], [], [], 0)[0]
        assert (line.buffered, first + line.receive(), line.buffered) == (True, b"x" * 8000, False)
        line.send(b"bye")
        line.close()
        assert peer.recv(100) == b"bye"
