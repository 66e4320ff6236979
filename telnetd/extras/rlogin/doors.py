"""The door for callers of other BBSs."""

from typing import Final

from telnetd.extras.rlogin.settings import RloginSettings
from yawc_poker.config import Config
from yawc_poker.doors import At, DoorKind

BY_RLOGIN: Final = 7


def _at(config: Config) -> At:
    settings = config.of(RloginSettings)
    return At(settings.host, settings.port or None)


RLOGIN: Final = DoorKind(
    "rlogin",
    counter=8,
    service="telnetd.extras.rlogin.service:RloginService",
    at=_at,
    way=BY_RLOGIN,
    announcement="callers of other BBSs by rlogin: {}",
    section="rlogin",
)
ANNOUNCED: Final = (RLOGIN,)
