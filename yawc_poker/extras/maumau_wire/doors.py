"""The door for clients of Mau-Mau's protocol."""

from typing import Final

from yawc_poker.config import Config
from yawc_poker.doors import At, DoorKind, PortOption, Way
from yawc_poker.games.maumau.settings import MaumauSettings

BY_WIRE: Final = Way(3, "wire")


def _at(config: Config) -> At:
    settings = config.of(MaumauSettings)
    return At(settings.host, settings.port or None)


WIRE: Final = DoorKind(
    "wire",
    counter=3,
    service="yawc_poker.extras.maumau_wire.service:WireService",
    at=_at,
    way=BY_WIRE,
    limit=lambda config: config.of(MaumauSettings).max_clients,
    announcement="clients of Mau-Mau's protocol: {}",
    option=PortOption(
        "--wire-port", "port for clients of Mau-Mau's protocol; 0: none (default: the one behind --port)", above=1
    ),
)
ANNOUNCED: Final = (WIRE,)
