"""A key at the Offiziersskat table: local state in, local state and perhaps an intent out. Pure.

Owns the question before a running match is left, the choice of a card by cursor keys, and the page of tricks. A key
that is not offered does nothing, except that of an open card: the table refuses it and says why.
"""

from typing import Final

from msgspec.structs import replace

from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import LogEntry
from yawc_poker.games.offiziersskat.model import Event, Move, Options, PlayCard
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
from yawc_poker.games.offiziersskat.ui.speech import refusal, sentences
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import told, without_prompt
from yawc_poker.terminal.keys import ENTER, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_UP
from yawc_poker.words import Words

Intent = MakeMove[Move] | Start[Options] | Leave | Say

_STEPS: Final = {KEY_LEFT: -1, KEY_RIGHT: 1, KEY_UP: -IN_A_ROW, KEY_DOWN: IN_A_ROW}


def press(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any."""
    local = follow(local, scene)
    if local.mode == "chat":
        return common.press_chat(local, key)
    if local.mode == "leave" and key != ".":
        return common.press_leave(local, key)
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
    """Adapt the local state to a changed scene. With its turn, error text goes; open prompts and typed text stay."""
    if local.page and TABLE_KEY not in usable(scene):
        local = replace(local, page="")
    prompt = local.mode if local.behind is None else local.behind.mode
    closes = prompt == "leave" and not forfeits(scene)
    if local.turn != scene.turn or closes:
        local = replace(local, turn=scene.turn, at=NONE)
        stays = prompt == "leave" and not closes
        return told(local if stays else without_prompt(local), usable(scene), "")
    return local if local.offered == usable(scene) else told(local, usable(scene), "")


def hear(local: Local, entries: tuple[LogEntry[Event], ...], session: int, words: Words) -> Local:
    """Take over the log entries that are new since the caller sat down."""
    return common.hear_all(local, entries, session, words, sentences)


def decided(local: Local, scene: Scene) -> None:
    """Return None: no move is decided ahead in this game."""


def refused(local: Local, illegal: IllegalMove, words: Words) -> Local:
    """Show why the table refused an intent; after "pause" the screen counts the seconds down."""
    return common.refused(local, illegal, refusal(illegal, words))
