"""The data behind the poker screen: the scene, and the state local to this caller's process. Pure values.

Owns which keys are usable now; the scene is shared by all games (`table_ui.scene`) and holds poker's view. Never draws
and never decides a rule.
"""

from yawc_poker.engine.table import Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, Options, State, View
from yawc_poker.table_ui import scene as common
from yawc_poker.table_ui.scene import Occupant

__all__ = ["Local", "Occupant", "Scene", "fresh", "scene", "usable"]

Scene = common.Scene[View]


def scene(table: Table[State, Event], session: int, waiting: int, now: float) -> Scene:
    """Return a table as a session's seat sees it. Raise `IllegalMove` "not_seated" if the session has no seat."""
    return common.look(rules, rules.view, table, session, waiting, now)


def usable(scene: Scene) -> tuple[str, ...]:
    """Return the command keys usable now, in the order of the command area (spec/poker.md 12)."""
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
    """State local to this caller's process; its modes besides the shared ones: "bet", "see" and "pass"."""

    marks: tuple[int, ...] = ()
    """Places of the cards marked for exchange, ascending, 0 = leftmost."""


def fresh(_: Options) -> Local:
    """Return the state of a caller who has just sat down."""
    return Local()
