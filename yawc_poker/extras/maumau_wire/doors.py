"""The door for clients of Mau-Mau's protocol."""

from typing import Final

from yawc_poker.config import Config
from yawc_poker.doors import DoorKind, PortOption, at_port
from yawc_poker.extras.maumau_wire.settings import WireSettings

BY_WIRE: Final = 3


def _reserved(config: Config) -> int:
    has_tables = any(one.tables for one in config.games if one.section == "maumau")
    return sum(one.max_clients for one in config.extras if has_tables and isinstance(one, WireSettings))


WIRE: Final = DoorKind(
    "wire",
    counter=3,
    service="yawc_poker.extras.maumau_wire.session:WireService",
    at=lambda config: at_port(config.of(WireSettings)),
    way=BY_WIRE,
    limit=lambda config: config.of(WireSettings).max_clients,
    reserved=_reserved,
    announcement="clients of Mau-Mau's protocol: {}",
    option=PortOption(
        "--wire-port", "port for clients of Mau-Mau's protocol; 0: none (default: the one behind --port)", above=1
    ),
)
ANNOUNCED: Final = (WIRE,)
