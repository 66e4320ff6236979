"""A BBS with a door for browsers."""

from tests.end_to_end.bbs import FAST, Bbs


class WebBbs(Bbs):
    """A BBS that browsers can call, too."""

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.web_port}/"


def web_config() -> str:
    """Return the section of the configuration for the door."""
    return '\n[web]\nname = "Testville"\n'


def house_config(turn_seconds: int = 60) -> str:
    """Return a configuration by which house players come who play at once, and games are short."""
    house = "pace = [0.0, 0.02]\nlevel = 'easy'"
    turn = f"turn_seconds = {turn_seconds}\n"
    short = f"[maumau]\n{turn}pause_seconds = 0\nrounds = 1\n[offiziersskat]\n{turn}pause_seconds = 60\n"
    short += f"[doppelkopf]\n{turn}pause_seconds = 0\nrounds = 1\n"
    return FAST.replace("players = 0", house).replace("= 0.3", "= 0") + web_config() + short
