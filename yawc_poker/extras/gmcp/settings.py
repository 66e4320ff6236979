"""`[gmcp]`: whether clients for MUDs are told of their tables."""

from typing import Final

from yawc_poker.config import AddedKeys, Section


class GmcpSettings(Section, frozen=True):
    """`[gmcp]`: clients for MUDs are told table, turn and hand as JSON, if they ask for it."""

    offer: bool = True
    """Offer it to callers by telnet; programs that do not know it refuse in silence."""


ANNOUNCED: Final = (AddedKeys("gmcp", GmcpSettings),)
