"""A key at the poker table: local state in, local state and perhaps an action out (spec/poker.md 12 to 14). Pure.

Owns prompts, marks, notices and the ten messages of one caller. Never plays: an action is a wish that the table may
refuse, and `refused` says so. A key that is not offered does nothing.
"""

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import CHAT, Entry, SatDown, Started
from yawc_poker.games.poker.model import MOST_SWAPPED, Bet, Event, Fold, Move, Show, Swap, TakenOut
from yawc_poker.games.poker.scene import Local, Scene, usable
from yawc_poker.games.poker.speech import SYSTEM, out_of_range, reason, refusal, sentences, too_many
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import ENTER, ESCAPE, LineEditor, wrap
from yawc_poker.words import Words, is_yes

NUMBER_LIMIT = 10
"""Characters of the bet prompt."""
MESSAGE_WIDTH = 76
"""Cells of a line of the message area behind arrow and blank, short of the last column."""


class Play(msgspec.Struct, frozen=True):
    """Make this move."""

    move: Move


class Start(msgspec.Struct, frozen=True):
    """Start a game."""


class Leave(msgspec.Struct, frozen=True):
    """Leave the table."""


class Say(msgspec.Struct, frozen=True):
    """Say this to everybody at the table; never empty."""

    text: str


Action = Play | Start | Leave | Say


def press(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Action | None]:
    """Take a key; give the new local state and what the caller asks for."""
    local = follow(local, scene)
    match local.mode:
        case "chat":
            return _press_chat(local, key)
        case "bet" | "see":
            return _press_number(local, scene, key, words)
        case "pass":
            return _menu(local), Play(Fold()) if is_yes(key) else None
    command = key.upper() if key.isascii() else key
    return _press_command(local, scene, command, words) if command in usable(scene) else (local, None)


def _press_command(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Action | None]:
    if key == ".":
        return replace(local, mode="chat", editor=LineEditor(limit=chat_limit(scene.name))), None
    local = _told(local, scene, "")
    match key:
        case "X":
            return local, Leave()
        case "S":
            return local, Start()
        case "B":
            return replace(local, mode="bet", editor=LineEditor(limit=NUMBER_LIMIT)), None
        case "H":
            return replace(local, mode="see", editor=LineEditor(limit=NUMBER_LIMIT)), None
        case "P":
            return replace(local, mode="pass"), None
        case "D":
            return local, Play(Swap(local.marks))
        case "R":
            return local, Play(Show())
    return _mark(local, scene, int(key) - 1, words), None


def _mark(local: Local, scene: Scene, place: int, words: Words) -> Local:
    """Turn a card, or turn it back; a fourth stays open (7.2, A15)."""
    if place in local.marks:
        return replace(local, marks=tuple(other for other in local.marks if other != place))
    if len(local.marks) >= MOST_SWAPPED:
        return _told(local, scene, too_many(words))
    return replace(local, marks=tuple(sorted((*local.marks, place))))


def _press_number(local: Local, scene: Scene, key: str, words: Words) -> tuple[Local, Action | None]:
    """Edit the bet; the prompt stays open after ENTER until the turn is over, for the table may refuse (6.4)."""
    if key == ESCAPE:
        return _menu(_told(local, scene, "")), None
    if key != ENTER or scene.game is None:
        return replace(local, editor=local.editor.key(key)), None
    low, high, text = scene.game.low, scene.game.high, local.editor.text
    local = _told(replace(local, editor=LineEditor(limit=NUMBER_LIMIT)), scene, "")
    amount = low if not text else int(text) if text.isascii() and text.isdigit() else None
    if amount is None or not low <= amount <= high:
        return _told(local, scene, out_of_range(low, high, words)), None
    return local, Play(Bet(amount, see=local.mode == "see"))


def _press_chat(local: Local, key: str) -> tuple[Local, Action | None]:
    if key == ESCAPE:
        return _menu(local), None
    if key != ENTER:
        return replace(local, editor=local.editor.key(key)), None
    text = local.editor.text.strip()
    return _menu(local), Say(text) if text else None


def chat_limit(name: str) -> int:
    """Give the characters of a chat line that fit one line of the message area behind the speaker's name."""
    return min(MESSAGE_WIDTH - len(f"[{name}] "), CHAT)


def _menu(local: Local) -> Local:
    return replace(local, mode="menu", editor=LineEditor())


def _told(local: Local, scene: Scene, notice: str) -> Local:
    return replace(local, notice=notice, lasting=False, waits=False, offered=usable(scene))


def follow(local: Local, scene: Scene) -> Local:
    """Fit the local state to a changed scene: with the turn its prompt, marks and error text go, a chat line stays."""
    if local.turn != scene.turn:
        local = replace(local, turn=scene.turn, marks=())
        local = local if local.mode == "chat" else _menu(local)
        return local if local.lasting and scene.turn is None else _told(local, scene, "")
    if local.offered != usable(scene) and not local.lasting:
        return _told(local, scene, "")
    return local


def hear(local: Local, entries: tuple[Entry[Event], ...], session: int, words: Words) -> Local:
    """Take over the log entries that are new since one sat down (13).

    Why oneself was taken out is a notice in the command area instead; a new game makes it void.
    """
    since = local.heard or max((entry.number - 1 for entry in entries if _is_arrival(entry, session)), default=0)
    for entry in entries:
        if entry.number > since:
            local = _heard(local, entry, session, words)
    return local


def _is_arrival(entry: Entry[Event], session: int) -> bool:
    return entry.session == session and isinstance(entry.event, SatDown)


def _heard(local: Local, entry: Entry[Event], session: int, words: Words) -> Local:
    local = replace(local, heard=entry.number)
    if isinstance(entry.event, TakenOut) and entry.session == session:
        return replace(local, notice=reason(entry.event, words), lasting=True, waits=False)
    if isinstance(entry.event, Started):
        local = replace(local, notice="", lasting=False, waits=False)
    talk = local.talk
    for text, style in sentences(entry, words):
        talk = talk.add(text, style)
    return replace(local, talk=talk)


def announced(local: Local, text: str, style: Style) -> Local:
    """Put a text of the system among the messages, on as many lines as it needs."""
    for line in wrap(f"{SYSTEM} {text}", MESSAGE_WIDTH):
        local = replace(local, talk=local.talk.add(line, style))
    return local


def refused(local: Local, illegal: IllegalMove, words: Words) -> Local:
    """Tell the caller why the table refused an action; after "pause" the screen counts the seconds down."""
    if illegal.reason == "pause":
        return replace(local, notice="", lasting=False, waits=True)
    return replace(local, notice=refusal(illegal, words), lasting=False, waits=False)
