"""A key at the Mau-Mau table: local state in, local state and perhaps an intent out. Pure.

Owns the prompt for the number of rounds, the question before a running game is left, and which card a key lays. A key
that is not offered does nothing.
"""

from msgspec.structs import replace

from yawc_poker.cards import Suit
from yawc_poker.digits import decimal
from yawc_poker.games.maumau.model import MOST_ROUNDS, Finish, MayTake, Move, Options, Take, Wish
from yawc_poker.games.maumau.model import PlayCard as Lay
from yawc_poker.games.maumau.ui.scene import CARD_KEYS, SUIT_KEYS, Local, Scene, forfeits, shown_hand, usable
from yawc_poker.games.maumau.ui.speech import bad_rounds
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.keys import menu, with_notice
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor
from yawc_poker.words import Words

NUMBER_LIMIT = 3
"""Characters of the prompt for rounds."""

Intent = MakeMove[Move] | Start[Options] | Leave | Say


def command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Handle a key; return the new local state and the caller's intent, if any (`Face.command`)."""
    offered = usable(scene)
    if local.mode == "rounds" and key != ".":
        return _press_rounds(local, scene, key, words)
    name = next((form for form in (key, key.upper(), key.lower()) if form in offered), None)
    return (local, None) if name is None else _press_command(local, scene, name)


def _press_command(local: Local, scene: Scene, key: str) -> tuple[Local, Intent | None]:
    local = with_notice(local, usable(scene), "")
    match key:
        case "S" if not scene.people:
            return local, Start()  # the table refuses, and the caller is told why
        case "S":
            return replace(local, mode="rounds", editor=LineEditor(limit=NUMBER_LIMIT)), None
        case _:
            return local, _move(scene, key)


def _move(scene: Scene, key: str) -> MakeMove[Move] | None:
    if scene.game is None:
        return None
    if key in SUIT_KEYS:
        return MakeMove(Wish(Suit(SUIT_KEYS.index(key))))
    if key == "F":
        return MakeMove(Finish())
    if key == "T":
        count = next((choice.count for choice in scene.game.choices if isinstance(choice, MayTake)), 1)
        return MakeMove(Take(count))
    return MakeMove(Lay(shown_hand(scene.game)[CARD_KEYS.index(key)]))


def _press_rounds(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Intent | None]:
    """Edit the number of rounds; ENTER alone takes the usual number."""
    if key == ESCAPE:
        return menu(with_notice(local, usable(scene), "")), None
    if key != ENTER:
        return replace(local, editor=local.editor.key(key)), None
    text = local.editor.answer
    if not text:
        return menu(local), Start()
    rounds = decimal(text) or 0
    if not 1 <= rounds <= MOST_ROUNDS:
        local = replace(local, editor=LineEditor(limit=NUMBER_LIMIT))
        return with_notice(local, usable(scene), bad_rounds(MOST_ROUNDS, words)), None
    return menu(local), Start(Options(rounds=rounds))


def follow(local: Local, scene: Scene) -> Local:
    """Adapt the local state to a changed scene."""
    return common.followed(local, scene.turn, usable(scene), is_open=lambda prompt: _is_open(prompt, scene))


def _is_open(prompt: str, scene: Scene) -> bool:
    """Return whether the thing a prompt asks for is still possible."""
    match prompt:
        case "rounds":
            return "S" in usable(scene)
        case "leave":
            return forfeits(scene)
        case _:
            return True
