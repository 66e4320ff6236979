"""`[maumau]`: the settings of the Mau-Mau tables."""

from typing import Annotated, ClassVar

from msgspec import Meta

from yawc_poker.config import TableSettings


class MaumauSettings(TableSettings, frozen=True):
    """`[maumau]`: tables, clocks, and the door for programs."""

    section: ClassVar[str] = "maumau"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two games."""
    rounds: Annotated[int, Meta(ge=1, le=255)] = 4
    """The number of rounds that the master is offered, 1 to 255."""
