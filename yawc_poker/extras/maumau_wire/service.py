"""Connections at the door for clients of Mau-Mau's protocol."""

import socket

from yawc_poker.bbs.service import Service
from yawc_poker.extras.maumau_wire.session import serve_wire
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance


class WireService(Service):
    """The door for clients of Mau-Mau's protocol."""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a client."""
        return serve_wire(connection, peer, open_instance)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return nothing: the protocol has no word for it."""
        return b""
