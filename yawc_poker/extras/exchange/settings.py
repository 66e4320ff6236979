"""`[exchange]`: the settings of the exchange."""

from typing import Annotated, Final

from msgspec import Meta

from yawc_poker.config import AddedKeys, Cubes, Section


class ExchangeSettings(Section, frozen=True):
    """`[exchange]`: shares of the village's companies, key A in the casino."""

    open: bool = True
    """false: the casino has no exchange; what users hold they keep."""
    fee_per_mille: Annotated[int, Meta(ge=0, le=500)] = 10
    """The house's part of every order, in thousandths, at least 1 CUBE; 0: none."""
    reserve: Cubes = 10000
    """CUBES that the house gives the exchange once, when it is opened first; what the house lacks is newly made."""
    hour_seconds: Annotated[int, Meta(ge=1, le=86400)] = 3600
    """Seconds from one price to the next."""


ANNOUNCED: Final = (AddedKeys("exchange", ExchangeSettings),)
