"""The games: each a folder with its rules, its screen and what else it needs; none knows another.

Owns the list of them. That every module of rules keeps the contract of `engine.game.Game` is checked here, by mypy.
"""

from typing import Final

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
GAMES: Final[dict[str, AnyGame]] = {game.KIND: game for game in (POKER, MAUMAU)}
