"""The data behind the poker screen: the scene, and the state local to this caller's process. Pure values.

Owns which keys are usable now; the scene is shared by all games (`table_ui.scene`) and holds poker's view. Never draws
and never decides a rule.
"""

from typing import Final

from yawc_poker.games.poker.model import SEATS, Fold, Move, Options, Show, Swap, View
from yawc_poker.table_ui import scene as common
from yawc_poker.table_ui.scene import Ahead, is_for
from yawc_poker.words import Words

PASS: Final = "P"
KEEP: Final = "D"
SHOW: Final = "R"
AHEAD: Final = {"bet": PASS, "swap": KEEP, "showdown": SHOW}
"""The key that decides ahead, by phase: it is the same on turn."""

Scene = common.Scene[View]


def usable(scene: Scene) -> tuple[str, ...]:
    """Return the command keys usable now, in the order of the command area (spec/poker.md 12)."""
    return (".", "X", *_more_keys(scene))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.is_master else ()
    if scene.turn is None or scene.game is None:
        key = ahead_key(scene)
        return (key,) if key else ()
    match scene.game.phase:
        case "bet" if scene.game.low > scene.game.high:
            return ("P",)  # the cash fell from outside during the turn
        case "bet":
            return ("B", "P") if scene.game.round == 1 else ("B", "H", "P")
        case "swap":
            return ("1", "2", "3", "4", "5", "D")
        case "showdown":
            return ("R",)
        case "over":
            return ()


def pot_of(scene: Scene) -> int | None:
    """Return what the pot holds, in CUBES or chips; None: no game runs."""
    return scene.game.pot if scene.pot is not None and is_for_chips(scene) and scene.game is not None else scene.pot


def owned_by(scene: Scene) -> int | None:
    """Return the caller's CUBES, or chips in the hand that is shown; None: they were not dealt in there."""
    if not is_for_chips(scene) or scene.game is None:
        return None if scene.looks_on else scene.cash
    is_in = not scene.looks_on and scene.names[scene.seat : scene.seat + 1] == (scene.name,)
    return scene.game.cash if is_in else None


def is_for_chips(scene: Scene) -> bool:
    """Return whether the game that is shown is played for chips."""
    return scene.game is not None and scene.game.chips


def counted(amount: int, words: Words, *, chips: bool) -> str:
    """Return an amount with what it counts."""
    return words.count("{n} chip", "{n} chips", amount) if chips else f"{amount} CUBES"


def forfeits(scene: Scene) -> bool:
    """Return whether the caller would lose by leaving now what they have paid into the pot."""
    game = scene.game
    return scene.running and game is not None and game.hand is not None and game.phase != "over"


# --- before the own turn ----------------------------------------------------------------------------------------------


def stage(scene: Scene) -> str:
    """Return the round, which a decision is for."""
    return "" if scene.game is None else f"{scene.game.phase} {scene.game.round}"


def ahead_key(scene: Scene) -> str:
    """Return the key that decides one's move of this round before one's turn; empty: there is no such turn to come."""
    game = scene.game
    if game is None or scene.turn is not None or not _is_to_come(scene) or (game.phase == "bet" and is_alone(scene)):
        return ""
    return AHEAD.get(game.phase, "")


def holds(ahead: Ahead, scene: Scene) -> bool:
    """Return whether a decision still holds: it is for one's turn in this round, and that is to come or has come.

    A pass does not hold once everybody else is out: then a bet would win the pot, or what is left of the way to it.
    """
    game = scene.game
    if game is None or not is_for(ahead, scene, stage(scene)) or not (scene.turn is not None or _is_to_come(scene)):
        return False
    return ahead.key != PASS or not is_alone(scene)


def decided(local: "Local", scene: Scene) -> Move | None:
    """Return the move that was decided ahead for the turn that has come; None: none was, or it does not hold."""
    ahead = local.ahead
    if ahead is None or scene.turn is None or not holds(ahead, scene):
        return None
    moves: dict[str, Move] = {PASS: Fold(), KEEP: Swap(), SHOW: Show()}
    return moves[ahead.key]


def _is_to_come(scene: Scene) -> bool:
    """Return whether one's turn in this round is still to come: it goes round from the master, who is active (3.3)."""
    game = scene.game
    if not forfeits(scene) or game is None or game.current is None or game.seat is None:
        return False
    return (game.seat - game.master) % SEATS > (game.current - game.master) % SEATS


def is_alone(scene: Scene) -> bool:
    """Return whether everybody else is out of the game."""
    return scene.game is None or not any(other.active for other in scene.game.opponents)


class Local(common.Local, frozen=True):
    """State local to this caller's process; its modes besides the shared ones: "bet", "see" and "pass"."""

    marks: tuple[int, ...] = ()
    """Places of the cards marked for exchange, ascending, 0 = leftmost."""


def fresh(_: Options) -> Local:
    """Return the state of a caller who has just sat down."""
    return Local()
