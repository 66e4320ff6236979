"""What the poker screen is drawn from: the public scene, and what only this caller's process knows. Pure values.

Owns the answer to "which keys are usable now"; the scene is every game's (`table_ui.scene`), with poker's view in
it. Never draws and never decides a rule.
"""

from yawc_poker.engine.table import Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, Options, State, View
from yawc_poker.table_ui import scene as common
from yawc_poker.table_ui.scene import Occupant

__all__ = ["Local", "Occupant", "Scene", "fresh", "scene", "usable"]

Scene = common.Scene[View]


def scene(table: Table[State, Event], session: int, waiting: int, now: float) -> Scene:
    """Look at a table from the seat of a session; raises `IllegalMove` "not_seated" where it has none."""
    return common.look(rules, rules.view, table, session, waiting, now)


def usable(scene: Scene) -> tuple[str, ...]:
    """Give the command keys usable now, in the order of the command area (spec/poker.md 12)."""
    return (".", "X", *_more_keys(scene))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.is_master else ()
    if scene.turn is None or scene.game is None:
        return ()
    match scene.game.phase:
        case "bet" if scene.game.low > scene.game.high:
            return ("P",)  # the cash fell from outside during the turn
        case "bet":
            return ("B", "P") if scene.game.round == 1 else ("B", "H", "P")
        case "swap":
            return ("1", "2", "3", "4", "5", "D")
        case "showdown":
            return ("R",)
    return ()


class Local(common.Local, frozen=True):
    """What only this caller's process knows; modes besides the common ones: "bet", "see" and "pass"."""

    marks: tuple[int, ...] = ()
    """Places of the cards marked for the exchange, ascending, 0 = leftmost."""


def fresh(_: Options) -> Local:
    """Give what somebody knows who has just sat down."""
    return Local()
