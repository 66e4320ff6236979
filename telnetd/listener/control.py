"""The door for the sysop's tool."""

import socket

from telnetd.listener.upgrade import run_check
from yawc_poker.bbs.service import Service
from yawc_poker.control.protocol import FAILED, end, write_answer
from yawc_poker.control.server import serve_control
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance


class ControlService(Service):
    """Requests of `yawcctl`."""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve one request, which may be for an upgrade."""
        return serve_control(connection, peer, open_instance, run_check)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return the answer to a request for which the listener cannot fork a process."""
        return write_answer(end(FAILED, f"the BBS cannot answer: {reason}"))
