"""The door for callers of other BBSs, and such a caller as a `Line`.

Only BBSs that the configuration names are listened to: the name that they tell stands at the name prompt as if it had
been typed, and the password is asked for as always.
"""

import logging
import socket
import time
from typing import Final

from telnetd.doors.sockets import ended_by_wakeup
from telnetd.extras.rlogin.doors import BY_RLOGIN
from telnetd.extras.rlogin.protocol import Opening, opening, typed
from telnetd.extras.rlogin.settings import RloginSettings
from yawc_poker.addresses import is_among, networks
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, serve
from yawc_poker.terminal.kinds import terminal
from yawc_poker.terminal.line import MOST_SIDE, Line
from yawc_poker.transport import LineClosed, SocketTransport

log = logging.getLogger(__name__)

SECONDS: Final = 10.0
"""Within which a BBS must have said who calls."""
_READ: Final = 512


class RloginLine(Line):
    """A caller passed on by another BBS; see `yawc_poker.terminal.line.Line`."""

    def __init__(self, transport: SocketTransport, peer: str, told: Opening) -> None:
        """Take over the transport, after the opening."""
        super().__init__(transport, peer, BY_RLOGIN)
        self._rest, self._left = told.rest, b""
        self.terminal_name = told.terminal
        self.kind, self.charset = terminal(told.terminal)

    @property
    def buffered(self) -> bool:
        """Whether `receive` has input though the descriptor is silent."""
        return bool(self._rest) or super().buffered

    def receive(self) -> bytes:
        """Return what was typed; b"" if there is nothing. Raise `LineClosed`."""
        data = self._rest or self._transport.receive(_READ)
        found = typed(self._left + data)
        self._rest, self._left = b"", found.left
        if found.size is not None:
            self.columns, self.rows = (min(max(side, 1), MOST_SIDE) for side in found.size)
        return found.data.replace(b"\r\n", b"\r").replace(b"\n", b"\r").replace(b"\0", b"")


class RloginService(Service):
    """What the listener holds for the door, as it is for the next caller."""

    has_handshake = True

    def reload(self, config: Config) -> None:
        """Take over who may call."""
        self._from = networks(config.of(RloginSettings).from_hosts)

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a caller whom another BBS passes on."""
        transport = SocketTransport(connection)
        try:
            with ended_by_wakeup():
                told = self._opening(transport, peer)
        except LineClosed as closed:
            log.info("%s: no session: %s", peer, closed)
            transport.close()
            return Exit.OK
        name = _decoded(told.name)
        return serve(RloginLine(transport, peer, told), open_instance, name=name)

    def _opening(self, transport: SocketTransport, peer: str) -> Opening:
        if not is_among(peer, self._from):
            raise LineClosed("it is not in [rlogin] from_hosts")
        deadline, data = time.monotonic() + SECONDS, b""
        while True:
            if not transport.wait_for_input(deadline):
                raise LineClosed("nothing was said in time")
            data += transport.receive(_READ)
            try:
                told = opening(data)
            except ValueError as error:
                raise LineClosed(str(error)) from None
            if told is not None:
                transport.send(b"\0")
                return told


def _decoded(name: bytes) -> str:
    """Return a name in UTF-8, or in the code page that BBSs have used for ever."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp437")
