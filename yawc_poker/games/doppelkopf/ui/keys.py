"""A key at the Doppelkopf table: local state in, local state and perhaps an intent out. Pure.

Owns the questions before a running match is left and before a reservation that binds to a solo, the choice of a card by
cursor keys, and which page is looked at. A key that is not offered does nothing, except those that the table refuses
with a reason: of a card held, of a call, of a wedding, of a start; and any where a solo has to be named.
"""

from msgspec.structs import replace

from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import Move, Options, View
from yawc_poker.games.doppelkopf.ui import scene as seen
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import with_notice
from yawc_poker.table_ui.scene import toggled
from yawc_poker.terminal.keys import ENTER, KEY_LEFT, KEY_RIGHT
from yawc_poker.words import Words, is_yes

Intent = MakeMove[Move] | Start[Options] | Leave | Say


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    if key in {KEY_LEFT, KEY_RIGHT, ENTER}:
        return _press_cursor(local, scene, key)
    offered = seen.usable(scene)
    name = next((form for form in (key, key.upper(), key.lower()) if form in offered), None)
    if name is None and is_yes(key) and "Y" in offered:
        name = "Y"
    if name is not None:
        return _press_command(local, scene, name, words)
    intent = _refusable(scene, key.lower())
    if intent is None and seen.names_solo(scene):
        return with_notice(local, offered, words("Choose your solo with [1] to [7].")), None
    return local, intent


def _refusable(scene: Scene, key: str) -> Intent | None:
    """Return what is not possible now, so that the table tells the player why: a card, a call, a wedding, a start."""
    view = scene.playing
    if key == "s" and scene.is_master and not scene.running:
        return Start()
    if key == seen.WEDDING_KEY and seen.names_solo(scene):
        return MakeMove(model.NoSolo())
    if view is None or view.hand is None or view.phase != "play":
        return None
    is_held = key in seen.CARD_KEYS[: len(view.hand)]
    return MakeMove(_move(view, key)) if is_held or key in seen.CALL_KEYS else None


def _press_command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    local = with_notice(local, seen.usable(scene), "")
    match key:
        case seen.RESERVE_KEY if local.sure != seen.stage(scene) and not seen.may_wed(scene):
            question = words("Without both queens of clubs you must play a solo then. [V] again: reservation.")
            return with_notice(replace(local, sure=seen.stage(scene)), seen.usable(scene), question), None
        case "S":
            return local, Start()
        case _:
            pass
    view = scene.game
    if view is None:
        return local, None
    if key == seen.HEALTHY_KEY and seen.may_decide(scene):
        return toggled(local, scene, key, seen.stage(scene)), None
    if key in {seen.LAST_KEY, seen.TABLE_KEY}:
        return _turned(local, "last" if key == seen.LAST_KEY else "table", view), None
    return local, MakeMove(_move(view, key))


def _turned(local: Local, page: seen.Page, view: View) -> Local:
    """Open a page, or close it."""
    is_open = local.page == page or (local.page == "score" and page == "table")
    return replace(local, page="" if is_open else page, since=seen.moment(view))


def _move(view: View, key: str) -> Move:
    match view.phase:
        case "reservation" if key in {seen.HEALTHY_KEY, seen.RESERVE_KEY}:
            return model.Reserve() if key == seen.RESERVE_KEY else model.Healthy()
        case "naming":
            return model.NoSolo() if key == seen.WEDDING_KEY else model.PlaySolo(model.SOLOS[seen.SOLO_KEYS.index(key)])
        case "question":
            return model.GoOn(key == "Y")
        case "reservation" | "play" | "over":
            pass
    if key.lower() in seen.CALL_KEYS:
        return model.Call(model.LEVELS[seen.CALL_KEYS.index(key.lower())])
    return model.PlayCard((view.hand or ())[seen.CARD_KEYS.index(key)])


def _press_cursor(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    """Choose the next card that may be played, or play the one that is chosen."""
    at, fitting, view = seen.chosen(scene, local), seen.places(scene), scene.playing
    if not fitting or view is None:
        return local, None
    if key == ENTER:
        if at == seen.NONE:
            return local, None
        return with_notice(local, seen.usable(scene), ""), MakeMove(model.PlayCard((view.hand or ())[at]))
    if key == KEY_RIGHT:
        return replace(local, at=next((place for place in fitting if place > at), fitting[0])), None
    return replace(local, at=next((place for place in reversed(fitting) if place < at), fitting[-1])), None


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene."""
    local = _with_page(_with_score(local, scene), scene)
    if local.ahead is not None and not seen.holds(local.ahead, scene):
        local = replace(local, ahead=None)
    if local.turn != scene.turn:
        local = replace(local, at=seen.NONE)
    is_open = seen.is_player(scene)
    return common.followed(local, scene.turn, seen.usable(scene), is_open=lambda prompt: prompt != "leave" or is_open)


def _with_score(local: Local, scene: Scene) -> Local:
    """Open the score of a round behind which the next one has begun without a question, as in a tournament."""
    view = scene.playing
    known = 0 if view is None else len(view.results)
    if known == local.scored:
        return local
    is_new = seen.NONE < local.scored < known and view is not None and view.phase in {"reservation", "naming"}
    local = replace(local, scored=known)
    return replace(local, page="score", since=seen.moment(view)) if is_new and view is not None else local


def _with_page(local: Local, scene: Scene) -> Local:
    """Close a page that is over: the last trick's with the next trick, the table's with a new round or the own turn.

    A score that came by itself stays while reservations are asked for, also of the caller.
    """
    if not local.page:
        return local
    view = scene.game
    is_turn = scene.turn is not None and scene.turn != local.turn and view is not None and view.phase != "question"
    match local.page:
        case "last":
            is_over = view is None or seen.moment(view) != local.since or seen.is_between(view)
        case _:
            is_read = local.page != "score" or (view is not None and view.phase == "play")
            is_over = view is None or view.round.number != local.since[0] or (is_turn and is_read)
    return replace(local, page="") if is_over else local
