"""A key at the poker table: local state in, local state and perhaps an intent out (spec/poker.md 12 to 14). Pure.

Owns poker's prompts and marks. Never makes a move: the table may refuse an intent, and `refused` shows why. A key that
is not offered does nothing.
"""

from __future__ import annotations

from msgspec.structs import replace

from yawc_poker.digits import decimal
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.poker.model import MOST_SWAPPED, Bet, Event, Fold, Move, Options, Show, Swap, TakenOut
from yawc_poker.games.poker.ui.scene import PASS, Local, Scene, ahead_key, forfeits, holds, is_alone, stage, usable
from yawc_poker.games.poker.ui.speech import out_of_range, reason, too_many
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import menu, with_notice
from yawc_poker.table_ui.scene import toggled
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor, is_key
from yawc_poker.words import Words, is_yes

NUMBER_LIMIT = 10
"""Characters of the bet prompt."""

Intent = MakeMove[Move] | Start[Options] | Leave | Say


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    name = key.upper() if key.isascii() else key
    match local.mode:
        case "bet" | "see":
            return _press_number(local, scene, key, words)
        case "pass" if is_key(key):
            return _press_pass(menu(local), scene, is_yes(key))
    return _press_command(local, scene, name, words) if name in usable(scene) else (local, None)


def _press_command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    local = _told(local, scene, "")
    match key:
        case "S":
            return local, Start()
        case "B":
            return replace(local, mode="bet", editor=LineEditor(limit=NUMBER_LIMIT)), None
        case "H":
            return replace(local, mode="see", editor=LineEditor(limit=NUMBER_LIMIT)), None
        case "P" if scene.turn is not None or local.ahead is None:
            return replace(local, mode="pass"), None
        case "P" | "D" | "R" if scene.turn is None:
            return _decide(local, scene, key), None
        case "D":
            return local, MakeMove(Swap(local.marks))
        case "R":
            return local, MakeMove(Show())
        case _:
            return _mark(local, scene, int(key) - 1, words), None


def _press_pass(local: Local, scene: Scene, yes: bool) -> tuple[Local, Intent | None]:
    """Pass, or decide to do so on the turn that is to come."""
    if scene.turn is not None:
        return local, MakeMove(Fold()) if yes else None
    return _decide(local, scene, PASS) if yes else local, None


def _decide(local: Local, scene: Scene, key: str) -> Local:
    return toggled(local, scene, key, stage(scene))


def _mark(local: Local, scene: Scene, place: int, words: Words) -> Local:
    """Turn a card over or back; a fourth stays open (7.2, A15)."""
    if place in local.marks:
        return replace(local, marks=tuple(other for other in local.marks if other != place))
    if len(local.marks) >= MOST_SWAPPED:
        return _told(local, scene, too_many(words))
    return replace(local, marks=tuple(sorted((*local.marks, place))))


def _press_number(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Edit the bet. The prompt stays open after ENTER until the turn is over, as the table may refuse the bet (6.4)."""
    if key == ESCAPE:
        return menu(_told(local, scene, "")), None
    if key != ENTER or scene.game is None:
        return replace(local, editor=local.editor.key(key)), None
    low, high, text = scene.game.low, scene.game.high, local.editor.answer
    local = _told(replace(local, editor=LineEditor(limit=NUMBER_LIMIT)), scene, "")
    amount = decimal(text) if text else low
    if amount is None or not low <= amount <= high:
        return _told(local, scene, out_of_range(low, high, words)), None
    return local, MakeMove(Bet(amount, see=local.mode == "see"))


def _told(local: Local, scene: Scene, notice: str) -> Local:
    return with_notice(local, usable(scene), notice)


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene. With its turn, a prompt, marks and error text go; a chat line stays.

    So does the question whether to leave, as long as there is something to lose by it, and the question whether to pass
    on one's turn when that comes. A decision made ahead goes with what it was for.
    """
    if local.ahead is not None and not holds(local.ahead, scene):
        local = replace(local, ahead=None)
    is_new, comes = local.turn != scene.turn, local.turn is None and scene.turn is not None and not is_alone(scene)
    if is_new:
        local = replace(local, turn=scene.turn, marks=())
    if is_new or not _is_open(local.mode, scene):
        local = common.pruned(local, lambda mode: (mode == "pass" and comes) or (mode == "leave" and forfeits(scene)))
    if is_new:
        return local if local.lasting and scene.turn is None else _told(local, scene, "")
    if local.offered != usable(scene) and not local.lasting:
        return _told(local, scene, "")
    return local


def _is_open(mode: str, scene: Scene) -> bool:
    """Return whether the thing a prompt asks for is still possible, in the turn or outside it that it belongs to."""
    match mode:
        case "leave":
            return forfeits(scene)
        case "pass":
            return scene.turn is not None or ahead_key(scene) == PASS
        case _:
            return True


def take(local: Local, entry: LogEntry[Event], session: int, words: Words) -> Local | None:
    """Show why the caller was taken out as a notice in the command area, until the next game (13)."""
    if isinstance(entry.event, TakenOut) and entry.session == session:
        return replace(local, notice=reason(entry.event, words), lasting=True, waits=False)
    return None
