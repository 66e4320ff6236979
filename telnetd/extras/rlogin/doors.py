"""The door for callers of other BBSs."""

from typing import Final

from telnetd.extras.rlogin.settings import RloginSettings
from yawc_poker.doors import DoorKind, at_port

BY_RLOGIN: Final = 7


RLOGIN: Final = DoorKind(
    "rlogin",
    counter=8,
    service="telnetd.extras.rlogin.service:RloginService",
    at=lambda config: at_port(config.of(RloginSettings)),
    way=BY_RLOGIN,
    announcement="callers of other BBSs by rlogin: {}",
    section="rlogin",
)
ANNOUNCED: Final = (RLOGIN,)
