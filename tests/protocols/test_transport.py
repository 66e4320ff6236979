"""Sockets as transports: what waits in them, and what closing one leaves to its peer."""

import select
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from yawc_poker.extras.maumau_wire.session import WireLine
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
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


def test_closing_takes_no_more_from_a_peer_that_sends_on_and_on(pair: tuple[socket.socket, socket.socket]) -> None:
    peer, ours = pair
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    sent = 0

    def flood() -> None:
        nonlocal sent
        with suppress(OSError):
            while True:
                sent += peer.send(bytes(4096))

    transport = SocketTransport(ours)
    transport.send(b"bye")
    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        transport.close()
    finally:
        flooding.join(PATIENCE)
    assert not flooding.is_alive()
    assert sent < 1 << 20, "buffers, and what is thrown away"
