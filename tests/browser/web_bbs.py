"""A BBS with a door for browsers."""

import socket

from tests.end_to_end.bbs import Bbs


class WebBbs(Bbs):
    """A BBS that browsers can call, too."""

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.web_port}/"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def web_config() -> str:
    """Return the section of the configuration for the door."""
    return '\n[web]\nname = "Testville"\n'
