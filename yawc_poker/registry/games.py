"""The games that there are. Another game is a folder below `games/`, its tests, and its line in `GAMES`."""

from typing import Final

from yawc_poker.config import convert
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.poker.game import POKER
from yawc_poker.registry.entry import Entry, GameTables, UnknownGame

POKER_TABLES: Final = GameTables(POKER)
MAUMAU_TABLES: Final = GameTables(MAUMAU)

GAMES: Final[tuple[Entry, ...]] = (
    Entry(POKER, POKER_TABLES),
    Entry(MAUMAU, MAUMAU_TABLES),
    Entry(DOPPELKOPF),
    Entry(OFFIZIERSSKAT),
)
"""In the order of the casino's menu, and of their tables in a new segment."""
SETTINGS: Final = tuple([game.settings for game in GAMES])
DEFAULTS: Final = convert({}, SETTINGS)
"""The configuration in which nothing is set."""
_BY_KIND: Final = {game.kind: game for game in GAMES}


def find_game(kind: str) -> Entry | None:
    """Return a game by its kind, or None if this program does not have it."""
    return _BY_KIND.get(kind)


def game_of(kind: str) -> Entry:
    """Return a game by its kind; raise `UnknownGame`. Nothing is ever judged by another game's rules."""
    if (game := find_game(kind)) is None:
        raise UnknownGame(f"this program does not know the game {kind!r}")
    return game
