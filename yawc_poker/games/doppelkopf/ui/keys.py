"""A key at the Doppelkopf table: local state in, local state and perhaps an intent out. Pure.

Owns the question before a running match is left, the choice of a card by cursor keys, and which page is looked at. A
key that is not offered does nothing, except that of a card held or of a call: the table refuses it and says why.
"""

from msgspec.structs import replace

from yawc_poker.games.doppelkopf.model import (
    LEVELS,
    SOLOS,
    Call,
    GoOn,
    Healthy,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    View,
)
from yawc_poker.games.doppelkopf.ui.scene import (
    CALL_KEYS,
    CARD_KEYS,
    HEALTHY_KEY,
    LAST_KEY,
    NONE,
    RESERVE_KEY,
    SOLO_KEYS,
    TABLE_KEY,
    WEDDING_KEY,
    Local,
    Page,
    Scene,
    chosen,
    holds,
    is_between,
    is_player,
    match,
    may_decide,
    moment,
    places,
    stage,
    usable,
)
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import told
from yawc_poker.table_ui.scene import toggled
from yawc_poker.terminal.keys import ENTER, KEY_LEFT, KEY_RIGHT
from yawc_poker.words import Words, is_yes

Intent = MakeMove[Move] | Start[Options] | Leave | Say


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    if key in {KEY_LEFT, KEY_RIGHT, ENTER}:
        return _press_cursor(local, scene, key)
    offered = usable(scene)
    name = next((form for form in (key, key.upper(), key.lower()) if form in offered), None)
    if name is None and is_yes(key) and "Y" in offered:
        name = "Y"
    if name is None:
        return local, _refusable(scene, key.lower())
    return _press_command(local, scene, name)


def _refusable(scene: Scene, key: str) -> MakeMove[Move] | None:
    """Return a card or a call that is not possible now, so that the table tells the player why."""
    view = match(scene)
    if view is None or view.hand is None or view.phase != "play":
        return None
    is_held = key in CARD_KEYS[: len(view.hand)]
    return MakeMove(_move(view, key)) if is_held or key in CALL_KEYS else None


def _press_command(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    if key == ".":
        return common.chatting(local, scene.name), None
    local = told(local, usable(scene), "")
    match key:
        case "X" if is_player(scene):
            return common.asking_leave(local), None
        case "X":
            return local, Leave()
        case "S":
            return local, Start()
        case _:
            pass
    view = scene.game
    if view is None:
        return local, None
    if key == HEALTHY_KEY and may_decide(scene):
        return toggled(local, scene, key, stage(scene)), None
    if key in {LAST_KEY, TABLE_KEY}:
        return _turned(local, "last" if key == LAST_KEY else "table", view), None
    return local, MakeMove(_move(view, key))


def _turned(local: Local, page: Page, view: View) -> Local:
    """Open a page, or close it."""
    is_open = local.page == page or (local.page == "score" and page == "table")
    return replace(local, page="" if is_open else page, since=moment(view))


def _move(view: View, key: str) -> Move:
    match view.phase:
        case "reservation" if key in {HEALTHY_KEY, RESERVE_KEY}:
            return Reserve() if key == RESERVE_KEY else Healthy()
        case "naming":
            return NoSolo() if key == WEDDING_KEY else PlaySolo(SOLOS[SOLO_KEYS.index(key)])
        case "question":
            return GoOn(key == "Y")
        case "reservation" | "play" | "over":
            pass
    if key.lower() in CALL_KEYS:
        return Call(LEVELS[CALL_KEYS.index(key.lower())])
    return PlayCard((view.hand or ())[CARD_KEYS.index(key)])


def _press_cursor(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    """Choose the next card that may be played, or play the one that is chosen."""
    at, fitting, view = chosen(scene, local), places(scene), match(scene)
    if not fitting or view is None:
        return local, None
    if key == ENTER:
        hand = view.hand or ()
        return (local, None) if at == NONE else (told(local, usable(scene), ""), MakeMove(PlayCard(hand[at])))
    if key == KEY_RIGHT:
        return replace(local, at=next((place for place in fitting if place > at), fitting[0])), None
    return replace(local, at=next((place for place in reversed(fitting) if place < at), fitting[-1])), None


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene."""
    local = _with_page(_with_score(local, scene), scene)
    if local.ahead is not None and not holds(local.ahead, scene):
        local = replace(local, ahead=None)
    if local.turn != scene.turn:
        local = replace(local, at=NONE)
    is_open = is_player(scene)
    return common.followed(local, scene.turn, usable(scene), is_open=lambda prompt: prompt != "leave" or is_open)


def _with_score(local: Local, scene: Scene) -> Local:
    """Open the score of a round behind which the next one has begun without a question, as in a tournament."""
    view = match(scene)
    known = 0 if view is None else len(view.results)
    if known == local.scored:
        return local
    is_new = NONE < local.scored < known and view is not None and view.phase in {"reservation", "naming"}
    local = replace(local, scored=known)
    return replace(local, page="score", since=moment(view)) if is_new and view is not None else local


def _with_page(local: Local, scene: Scene) -> Local:
    """Close a page that is over: the last trick's with the next trick, the table's with a new round or the own turn."""
    if not local.page:
        return local
    view = scene.game
    is_turn = scene.turn is not None and scene.turn != local.turn and view is not None and view.phase != "question"
    match local.page:
        case "last":
            is_over = view is None or moment(view) != local.since or is_between(view)
        case _:
            is_over = view is None or view.round.number != local.since[0] or is_turn
    return replace(local, page="") if is_over else local
