"""The settings of Mau-Mau's protocol (spec/maumau_protocol.md), in the section of its tables."""

from typing import Annotated, Final

from msgspec import Meta

from yawc_poker.config import AddedKeys, Port, Section


class WireSettings(Section, frozen=True):
    """`[maumau]`: the door for programs."""

    players: Annotated[int, Meta(ge=2, le=5)] = 2
    """A table whose master is a client of the protocol starts by itself once so many sit there."""
    host: str = ""
    """Address to listen on for clients of the binary protocol; empty: all."""
    port: Port = 2324
    """Their TCP port; 0: no such clients."""
    max_clients: Annotated[int, Meta(ge=1, le=1000)] = 50
    """Such clients at once, who take no line of [telnet] max_sessions; its limits for an address hold as well."""
    wait_seconds: Annotated[float, Meta(ge=0, le=86400 * 366)] = 600
    """For a game to begin; then a client at whose table nobody with an account sits is let go. 0: no limit."""


ANNOUNCED: Final = (AddedKeys("maumau", WireSettings),)
