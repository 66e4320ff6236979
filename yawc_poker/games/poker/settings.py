"""`[poker]`: the settings of the poker tables (spec/poker.md 4, 6, 10)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from yawc_poker.config import Seconds, Stake, TableSettings


class PokerSettings(TableSettings, frozen=True):
    """`[poker]`: tables, clocks and stakes."""

    section: ClassVar[str] = "poker"
    tables: Annotated[int, Meta(ge=1, le=1000)] = 1
    """Poker tables; with more than one the casino asks which."""
    turn_seconds: Seconds = 60
    """For a bet, a swap, a showing of cards."""
    ante: Stake = 10
    """CUBES that everybody pays at the start of a game."""
    max_bet: Stake = 200
    """CUBES that a single bet may be at most."""

    @property
    def least_cubes(self) -> int:
        """The ante."""
        return self.ante
