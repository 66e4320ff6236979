"""The door for terminals that `yawc-door` hands over. Those who may connect there are no sysops."""

from typing import Final

from yawc_poker.doors import At, DoorKind
from yawc_poker.extras.ssh_door.program.hello import SOCKET_FILE

TERMINAL: Final = DoorKind(
    "terminal",
    counter=5,
    service="yawc_poker.extras.ssh_door.service:TerminalService",
    at=lambda config: At(file=config.door.socket or SOCKET_FILE.decode(), group=config.door.group),
)
ANNOUNCED: Final = (TERMINAL,)
