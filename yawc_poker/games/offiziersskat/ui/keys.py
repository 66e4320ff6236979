"""A key at the Offiziersskat table: local state in, local state and perhaps an intent out. Pure.

Owns the question before a running match is left, the choice of a card by cursor keys, and the page of tricks. A key
that is not offered does nothing, except that of an open card and of a start: the table refuses it and says why.
"""

from typing import Final

from msgspec.structs import replace

from yawc_poker.games.offiziersskat.model import Move, Options, PlayCard
from yawc_poker.games.offiziersskat.ui import scene as seen
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import with_notice
from yawc_poker.terminal.keys import ENTER, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_UP
from yawc_poker.words import Words

Intent = MakeMove[Move] | Start[Options] | Leave | Say

_STEPS: Final = {KEY_LEFT: -1, KEY_RIGHT: 1, KEY_UP: -seen.IN_A_ROW, KEY_DOWN: seen.IN_A_ROW}


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    if key in _STEPS:
        return _chosen(local, scene, _STEPS[key]), None
    if key == ENTER:
        return _played(local, scene, seen.chosen(scene, local))
    if key in seen.CARD_KEYS:
        return _played(local, scene, seen.CARD_KEYS.index(key))
    if key.upper() in seen.usable(scene):
        return _press_command(local, scene, key.upper())
    return local, Start() if key.upper() == "S" and scene.is_master and not scene.running else None


def _chosen(local: Local, scene: Scene, step: int) -> Local:
    """Choose another card that may be played."""
    fitting = seen.places(scene)
    return replace(local, at=seen.beside(seen.chosen(scene, local), fitting, step)) if fitting else local


def _played(local: Local, scene: Scene, place: int) -> tuple[Local, Intent | None]:
    """Play the open card in a place. If that is not possible now, the table tells the player why."""
    cards = seen.own_cards(scene)
    card = cards[place] if place != seen.NONE and cards else None
    return (local, None) if card is None else (with_notice(local, seen.usable(scene), ""), MakeMove(PlayCard(card)))


def _press_command(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    local = with_notice(local, seen.usable(scene), "")
    match key:
        case "S":
            return local, Start()
        case _:
            assert key == seen.TABLE_KEY, key
            return replace(local, page="" if local.page else "table"), None


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene."""
    if local.page and seen.TABLE_KEY not in seen.usable(scene):
        local = replace(local, page="")
    if local.turn != scene.turn:
        local = replace(local, at=seen.NONE)
    is_open = seen.forfeits(scene)
    return common.followed(local, scene.turn, seen.usable(scene), is_open=lambda prompt: prompt != "leave" or is_open)
