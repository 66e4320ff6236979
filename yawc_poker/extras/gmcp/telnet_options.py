"""The option of the telnet protocol by which it is agreed on, and what a client says by it."""

from typing import Final

from yawc_poker.extras.gmcp.messages import wants
from yawc_poker.extras.gmcp.settings import GmcpSettings
from yawc_poker.terminal.line import AddedOption, Channel, Send

GMCP: Final = 201


class Gmcp(Channel):
    """One caller's client."""

    def __init__(self, send: Send) -> None:
        super().__init__(send)
        self._wants = True

    @property
    def is_open(self) -> bool:
        """Whether the client has agreed, and wants to be told of tables."""
        return self.is_on and self._wants

    def hear(self, message: bytes) -> None:
        """Take over which modules the client supports; whatever else it says means nothing here."""
        self._wants = wants(message, self._wants)


ANNOUNCED: Final = (AddedOption(GMCP, lambda config: config.of(GmcpSettings).offer, Gmcp),)
