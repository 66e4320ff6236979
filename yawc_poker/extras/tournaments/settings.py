"""`[tournaments]`: the settings of tournaments."""

from typing import Final

from yawc_poker.config import AddedKeys, Seconds, Section


class TournamentSettings(Section, frozen=True):
    """`[tournaments]`: matches by rounds for fees and prizes, key E in the casino."""

    callers: bool = True
    """Callers may call tournaments; false: only sysops do, by yawcctl."""
    wait_seconds: Seconds = 120
    """How long a table waits for those who are drawn there; then house players take their places."""
    match_seconds: Seconds = 5400
    """A match that is not over after so long counts by who is there."""


ANNOUNCED: Final = (AddedKeys("tournaments", TournamentSettings),)
