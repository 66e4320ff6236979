"""The games: each a folder with its rules, its screen and what else it needs; none knows another.

Owns the list of them. That every module of rules keeps the contract of `engine.game.Game` is checked here, by mypy.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

from yawc_poker.engine.game import Game
from yawc_poker.games.maumau import model as _maumau_model
from yawc_poker.games.maumau import rules as _maumau_rules
from yawc_poker.games.poker import model as _poker_model
from yawc_poker.games.poker import rules as _poker_rules

PokerGame = Game[_poker_model.State, _poker_model.Move, _poker_model.Event, _poker_model.Options]
MaumauGame = Game[_maumau_model.State, _maumau_model.Move, _maumau_model.Event, _maumau_model.Options]
AnyGame = PokerGame | MaumauGame
"""The union of all games' types: a further game adds itself here with ``|``."""

POKER: Final[PokerGame] = _poker_rules
MAUMAU: Final[MaumauGame] = _maumau_rules
T = TypeVar("T")


class UnknownGame(Exception):
    """A kind of game that this program does not have; `str()` is one line."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"this program does not know the game {kind!r}")
        self.kind = kind


def of_kind(entries: Mapping[str, T], kind: str) -> T:
    """Return the entry for a game's kind; raise `UnknownGame`, so that no game is judged by another one's rules."""
    if kind not in entries:
        raise UnknownGame(kind)
    return entries[kind]


GAMES: Final[dict[str, AnyGame]] = {game.KIND: game for game in (POKER, MAUMAU)}
