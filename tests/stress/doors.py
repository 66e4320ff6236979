"""By which door a caller of the stress test comes: most by telnet, some in TLS, some as a page in a browser does."""

import socket
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, Protocol

from tests.certificates import client_context
from tests.stress.figures import Figures
from tests.stress.listener import Listener
from tests.stress.loop import Loop
from tests.stress.wire import PageWire, RloginWire, TerminalWire, TlsWire, Wire

TURNS: Final = 5
"""Of so many calls one is in TLS, where there is a certificate, and one a page's."""


class Calling(Protocol):
    """How the callers of a run connect."""

    def call(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool) -> Wire:
        """Call by the door whose turn it is; the arguments behind it are the connection's."""

    def call_by_any(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Wire:
        """Call by the door whose turn it is, of all that there are for callers."""

    def connect(self) -> socket.socket:
        """Return a non-blocking socket that connects to Mau-Mau's wire."""


class Doors:
    """The doors of a listener, which may be another one at each call."""

    def __init__(self, loop: Loop, listener: Listener, figures: Figures) -> None:
        self._loop = loop
        self._listener = listener
        self._figures = figures
        self._context = None if listener.files is None else client_context(listener.files.cert)

    def call(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool) -> Wire:
        """Call by the door whose turn it is; the arguments behind it are the connection's."""
        match turn % TURNS:
            case 1 if self._context is not None:
                self._figures.did["calls in TLS"] += 1
                return TlsWire(self._loop, self._listener.tls_port, heard, ended, self._context, narrow=narrow)
            case 3:
                self._figures.did["calls by pages"] += 1
                return PageWire(self._loop, self._listener.web_port, heard, ended, narrow=narrow)
            case _:
                return Wire(self._loop, self._listener.port, heard, ended, narrow=narrow)

    def call_by_any(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Wire:
        """Call by the door whose turn it is, of all that there are for callers."""
        match turn % TURNS:
            case 2 if find_spec("telnetd.extras.rlogin") is not None:
                self._figures.did["calls by rlogin"] += 1
                return RloginWire(self._loop, self._listener.rlogin_port, heard, ended)
            case 4 if self._listener.door is not None:
                self._figures.did["calls by ssh's door"] += 1
                command = f"{self._listener.door} --data {self._listener.data}"
                return TerminalWire(self._loop, command, heard, ended)
            case _:
                return self.call(turn, heard, ended, narrow=False)

    def connect(self) -> socket.socket:
        """Return a non-blocking socket that connects to Mau-Mau's wire."""
        line = socket.socket()
        line.setblocking(False)
        line.connect_ex(("127.0.0.1", self._listener.wire_port))
        return line
