"""A key at the Offiziersskat table: local state in, local state and perhaps an intent out. Pure.

Owns the question before a running match is left, the choice of a card by cursor keys, and the page of tricks. A key
that is not offered does nothing, except that of an open card: the table refuses it and says why.
"""

from typing import Final

from msgspec.structs import replace

from yawc_poker.games.offiziersskat.model import Move, Options, PlayCard
from yawc_poker.games.offiziersskat.ui.scene import (
    CARD_KEYS,
    IN_A_ROW,
    NONE,
    TABLE_KEY,
    Local,
    Scene,
    beside,
    chosen,
    forfeits,
    own_cards,
    places,
    usable,
)
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import told
from yawc_poker.terminal.keys import ENTER, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_UP
from yawc_poker.words import Words

Intent = MakeMove[Move] | Start[Options] | Leave | Say

_STEPS: Final = {KEY_LEFT: -1, KEY_RIGHT: 1, KEY_UP: -IN_A_ROW, KEY_DOWN: IN_A_ROW}


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    if key in _STEPS:
        return _chosen(local, scene, _STEPS[key]), None
    if key == ENTER:
        return _played(local, scene, chosen(scene, local))
    if key in CARD_KEYS:
        return _played(local, scene, CARD_KEYS.index(key))
    return _press_command(local, scene, key.upper()) if key.upper() in usable(scene) else (local, None)


def _chosen(local: Local, scene: Scene, step: int) -> Local:
    """Choose another card that may be played."""
    fitting = places(scene)
    return replace(local, at=beside(chosen(scene, local), fitting, step)) if fitting else local


def _played(local: Local, scene: Scene, place: int) -> tuple[Local, Intent | None]:
    """Play the open card in a place. If that is not possible now, the table tells the player why."""
    cards = own_cards(scene)
    card = cards[place] if place != NONE and cards else None
    return (local, None) if card is None else (told(local, usable(scene), ""), MakeMove(PlayCard(card)))


def _press_command(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    if key == ".":
        return common.chatting(local, scene.name), None
    local = told(local, usable(scene), "")
    match key:
        case "X" if forfeits(scene):
            return common.asking_leave(local), None
        case "X":
            return local, Leave()
        case "S":
            return local, Start()
        case _:
            assert key == TABLE_KEY, key
            return replace(local, page="" if local.page else "table"), None


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene."""
    if local.page and TABLE_KEY not in usable(scene):
        local = replace(local, page="")
    if local.turn != scene.turn:
        local = replace(local, at=NONE)
    is_open = forfeits(scene)
    return common.followed(local, scene.turn, usable(scene), is_open=lambda prompt: prompt != "leave" or is_open)
