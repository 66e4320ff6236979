"""`[offiziersskat]`: the settings of the Offiziersskat tables."""

from typing import Annotated, ClassVar

from msgspec import Meta

from yawc_poker.config import TableSettings


class OffiziersskatSettings(TableSettings, frozen=True):
    """`[offiziersskat]`: tables and clocks."""

    section: ClassVar[str] = "offiziersskat"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two matches."""
