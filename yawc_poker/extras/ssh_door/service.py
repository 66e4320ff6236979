"""Connections at the door for terminals that `yawc-door` hands over."""

import socket

from yawc_poker.addresses import parse_address
from yawc_poker.bbs.service import Service
from yawc_poker.extras.ssh_door.program.hello import origin_in
from yawc_poker.extras.ssh_door.terminal import refusal_of_terminal, serve_terminal
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance

SOME_TERMINAL = "/dev/tty"
"""The origin of a terminal that does not tell one."""


class TerminalService(Service):
    """The door for terminals."""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a caller whose terminal is handed over."""
        return serve_terminal(connection, peer, open_instance)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return what a door is told whose caller the listener refuses."""
        return refusal_of_terminal(reason, line)

    def origin(self, address: object) -> str:
        """Return the address that the door tells, or the terminal's name."""
        told = origin_in(address)
        known = parse_address(told)
        if known is not None:
            return str(known)
        return told if told.startswith("/") and told.replace("/", "").isalnum() else SOME_TERMINAL
