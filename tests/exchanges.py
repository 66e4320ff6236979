"""A relay before a PostgreSQL server that counts the exchanges of a block: how often the client waits for the server.

It passes bytes on as they come, in a thread of its own. An exchange begins when a client sends while the server owes it
nothing, and ends with the server's ReadyForQuery; what was sent by one message of several statements is one. The
server's log cannot tell that: it has a line for each statement.

The client can be made to fall silent in the middle of a message, as a host does that loses its power or its network.
"""

import selectors
import socket
import threading
from pathlib import Path
from typing import Final, Self

PORT_OF_SOCKET: Final = 5432
_CHUNK: Final = 1 << 16
_FLUSH: Final = b"H\x00\x00\x00\x04"
"""Follows a question by itself, maybe after its answer, and asks for nothing."""


class Exchanges:
    """The relay; as a context it serves."""

    def __init__(self, server: Path | tuple[str, int]) -> None:
        """`server` is the folder of its socket, or its address and port."""
        self._server = server
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: Final = int(self._door.getsockname()[1])
        self._end, self._ender = socket.socketpair()
        self._counted = 0
        self.silent_before = b""
        """Where a client falls silent: the server hears nothing of it from there on, not even its end. Empty: never."""
        self._thread = threading.Thread(target=self._serve)

    def url(self, name: str, role: str) -> str:
        """Return the URL of a database behind it."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{name}?sslmode=disable&gssencmode=disable"

    def taken(self) -> int:
        """Return how many exchanges there were since the last call."""
        counted, self._counted = self._counted, 0
        return counted

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ender.close()
        self._thread.join()
        self._end.close()
        self._door.close()

    def _connected(self) -> socket.socket:
        if isinstance(self._server, tuple):
            return socket.create_connection(self._server)
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._server / f".s.PGSQL.{PORT_OF_SOCKET}"))
        return server

    def _serve(self) -> None:
        """Pass on until the end; `others` has the other side of each socket, `asked` the clients that wait."""
        watched = selectors.DefaultSelector()
        for one in (self._door, self._end):
            watched.register(one, selectors.EVENT_READ)
        others: dict[socket.socket, socket.socket] = {}
        servers: set[socket.socket] = set()
        asked: set[socket.socket] = set()
        while True:
            for key, _ in watched.select():
                ready = key.fileobj
                assert isinstance(ready, socket.socket)
                if ready is self._end:
                    for one in others:
                        one.close()
                    watched.close()
                    return
                if ready is self._door:
                    client, server = self._door.accept()[0], self._connected()
                    others |= {client: server, server: client}
                    servers.add(server)
                    for one in (client, server):
                        watched.register(one, selectors.EVENT_READ)
                    continue
                if ready not in others:
                    continue
                try:
                    data = ready.recv(_CHUNK)
                    if ready not in servers and self.silent_before and self.silent_before in data:
                        watched.unregister(ready)
                        data = data.partition(self.silent_before)[0]
                    others[ready].sendall(data)
                except OSError:
                    data = b""
                if not data and ready in watched.get_map():
                    for one in (ready, others[ready]):
                        watched.unregister(one)
                        one.close()
                    del others[others.pop(ready)]
                elif ready in servers:
                    asked.discard(others[ready])
                elif ready not in asked and data != _FLUSH:
                    asked.add(ready)
                    self._counted += 1
