"""The door for terminals that `yawc-door` hands over. Those who may connect there are no sysops."""

from typing import Final

from yawc_poker.config import Config
from yawc_poker.doors import At, DoorKind
from yawc_poker.extras.ssh_door.program.hello import SOCKET_FILE
from yawc_poker.extras.ssh_door.settings import DoorSettings


def _at(config: Config) -> At:
    settings = config.of(DoorSettings)
    return At(file=settings.socket or SOCKET_FILE.decode(), group=settings.group)


TERMINAL: Final = DoorKind(
    "terminal",
    counter=5,
    service="yawc_poker.extras.ssh_door.service:TerminalService",
    at=_at,
)
ANNOUNCED: Final = (TERMINAL,)
