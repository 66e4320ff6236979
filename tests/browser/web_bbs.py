"""A BBS with a door for browsers."""

from tests.end_to_end.bbs import Bbs


class WebBbs(Bbs):
    """A BBS that browsers can call, too."""

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.web_port}/"


def web_config() -> str:
    """Return the section of the configuration for the door."""
    return '\n[web]\nname = "Testville"\n'
