"""Moves that a caller decides before their turn, and takes back until then. Pure.

Owns the decision itself, which is local to the caller's process. A game says for which part of it a key decides, and
when a decision does not hold any more; the session makes the move when the turn has come, by the same transaction as a
key would, and only on the very value that the game has judged.
"""

from msgspec.structs import replace

from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui.scene import Ahead, LocalT, Scene


def toggled(local: LocalT, scene: Scene[ViewT], key: str, stage: str) -> LocalT:
    """Decide by this key for a stage of the running game; decided already, it is taken back."""
    made = Ahead(key, scene.number, stage)
    return replace(local, ahead=None if local.ahead == made else made)


def is_for(ahead: Ahead, scene: Scene[ViewT], stage: str) -> bool:
    """Return whether a decision is for this stage of the running game."""
    return scene.running and (ahead.game, ahead.stage) == (scene.number, stage)
