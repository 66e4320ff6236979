"""The door for browsers."""

from typing import Final

from telnetd.extras.web.settings import WebSettings
from yawc_poker.doors import DoorKind, PortOption, at_port

BY_WEB: Final = 6
_ABOVE_TELNET: Final = 5700
"""From telnet's port to the browsers' where the command line names telnet's: 2323 and 8023."""


WEB: Final = DoorKind(
    "web",
    counter=7,
    service="telnetd.extras.web.service:WebService",
    at=lambda config: at_port(config.of(WebSettings)),
    way=BY_WEB,
    announcement="browsers: port {}",
    call="http://{in_url}:{port}/",
    section="web",
    option=PortOption(
        "--web-port",
        f"port for browsers; 0: none (default: --port + {_ABOVE_TELNET}, or [web] port)",
        above=_ABOVE_TELNET,
    ),
)
ANNOUNCED: Final = (WEB,)
