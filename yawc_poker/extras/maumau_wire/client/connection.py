"""A connection to a server of Mau-Mau's protocol: messages out, messages in, never waiting but to connect."""

import os
import socket
from collections.abc import Iterator

from yawc_poker.extras.maumau_wire.protocol.codec import Malformed, encode, server_reader
from yawc_poker.extras.maumau_wire.protocol.messages import FromClient, FromServer

CONNECT_SECONDS = 10.0
READ = 65536
_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),  # a server that is gone is noticed, however long a turn may take
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
)


class ServerGone(Exception):
    """There is no server, or it breaks the protocol. `str()` is one line."""


class Connection:
    """A connected socket."""

    def __init__(self, host: str, port: int) -> None:
        """Connect; raise `ServerGone`."""
        try:
            self._socket = socket.create_connection((host, port), CONNECT_SECONDS)
        except (OSError, UnicodeError) as error:
            raise ServerGone(f"{host}, port {port}: {_reason(error)}") from None
        for level, option, value in _OPTIONS:
            self._socket.setsockopt(level, option, value)
        self._reader = server_reader()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    def send(self, message: FromClient) -> None:
        """Send a message; raise `ServerGone`. It waits, for some seconds at most, where the server does not read."""
        try:
            self._socket.sendall(encode(message))
        except OSError as error:
            raise ServerGone(f"the connection broke: {_reason(error)}") from None

    def receive(self) -> Iterator[FromServer]:
        """Yield the messages that are there; raise `ServerGone` behind the last one."""
        try:
            data = self._socket.recv(READ)
        except OSError as error:
            raise ServerGone(f"the connection broke: {_reason(error)}") from None
        if not data:
            raise ServerGone("the server has closed the connection")
        try:
            yield from self._reader.receive(data)
        except Malformed as fault:
            raise ServerGone(f"the server does not speak Mau-Mau's protocol: {fault}") from None

    def close(self) -> None:
        """Close; never raise."""
        self._socket.close()


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return os.strerror(error.errno)
    return str(getattr(error, "strerror", None) or error)
