"""What the listener and its forked processes do for the connections of one door.

A kind of door (`yawc_poker.doors.DoorKind`) names its `Service`. The listener makes one when it opens the door.
"""

import logging
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from yawc_poker.addresses import Network, is_among
from yawc_poker.bbs.rehearsal import Side
from yawc_poker.config import Config
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance

BANNED_WORDS = "Sorry, calls from your address are not taken by this BBS."
"""What callers from a banned address are told; other refusals are for now."""


class Ask(Protocol):
    """A question to the listener about a caller for whom a proxy calls."""

    def __call__(self, address: str, *, is_file: bool = False) -> str:
        """Tell the address that the proxy names; return why that caller is refused, empty: they are not.

        `is_file`: no call, only a request for a file of the page.
        """


class FirstWords(NamedTuple):
    """What a caller's side must have said before there is a process for it."""

    are_complete: Callable[[bytes], bool]
    """Whether what was said is enough; also if it is wrong, which the process finds."""
    seconds: float
    late: str
    """Why there is no session if they are not complete by then."""
    answer: Callable[[bytes], bytes] = lambda said: b""
    """What is sent then to who has said this."""
    level: int = logging.INFO


class Service(ABC):
    """How those are served who come in by one door."""

    has_handshake = False
    """Whether callers must answer before they are served: those who have hung up are not, whatever they said."""
    side: Side | None = None
    """A caller's side of this kind of line, for the rehearsal before the first fork, or None if it plays none."""
    proxies: Sequence[Network] = ()
    """Where connections are a proxy's, who calls for others."""

    def __init__(self, config: Config) -> None:
        """Take the settings over; raise `telnetd.doors.sockets.ListenError` if the door cannot be opened by them."""
        self.reload(config)

    @abstractmethod
    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve one connection in a process of its own, given where it comes from, until its end. Never raise."""

    def answer_proxied(self, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask) -> Exit:
        """Serve a connection of a proxy's likewise, after its caller was declared."""
        raise NotImplementedError(f"{type(self).__name__} has proxies and does not serve them")

    def first_words(self, peer: str) -> FirstWords | None:
        """Return what somebody from this address must say first; None: they are served at once."""
        return None

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return the bytes that refuse a connection, from the reason and a line for people."""
        return line

    def prepare(self) -> bool:
        """Get ready for a call, in the listener; return whether anything changed by that. Never raise."""
        return False

    def reload(self, config: Config) -> None:
        """Take the settings over when the configuration was read again, in the listener. Never raise."""
        return

    def is_proxy(self, peer: str) -> bool:
        """Return whether connections from this address are a proxy's."""
        return bool(self.proxies) and is_among(peer, self.proxies)

    def origin(self, address: object) -> str:
        """Return where a connection comes from, given what `accept` returned for a Unix socket; empty: not known."""
        return ""
