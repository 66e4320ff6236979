"""`[doppelkopf]`: the settings of the Doppelkopf tables."""

from typing import Annotated, ClassVar

from msgspec import Meta

from yawc_poker.config import TableSettings


class DoppelkopfSettings(TableSettings, frozen=True):
    """`[doppelkopf]`: tables, clocks, and the length of a match."""

    section: ClassVar[str] = "doppelkopf"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two matches."""
    rounds: Annotated[int, Meta(ge=1, le=32)] = 16
    """Rounds of a match, 1 to 32; a tournament has its own number."""
