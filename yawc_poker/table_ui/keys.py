"""Keys and news that mean the same in every game: the chat line, messages, notices. Pure.

Every function takes a game's own kind of `Local` and gives the same kind back.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from yawc_poker.engine.game import EventT, IllegalMove
from yawc_poker.engine.table import CHAT, LogEntry, SatDown, Started
from yawc_poker.table_ui.intents import Say
from yawc_poker.table_ui.scene import Local, Prompt
from yawc_poker.table_ui.speech import SYSTEM
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor, is_character
from yawc_poker.terminal.widgets import MESSAGES, wrap
from yawc_poker.words import Words

MESSAGE_WIDTH = 76
"""Cells of a line of the message area behind arrow and blank, short of the last column."""

LocalT = TypeVar("LocalT", bound=Local)
Sentences = Callable[[LogEntry[EventT], Words], tuple[tuple[str, Style], ...]]
"""A game's way to say a log entry, in one line or more."""


def chatting(local: LocalT, name: str) -> LocalT:
    """Open the chat line of whoever bears this name; a prompt is there again behind it, with what was typed."""
    behind = None if local.mode == "menu" else Prompt(local.mode, local.editor)
    return replace(local, mode="chat", editor=LineEditor(limit=chat_limit(name)), behind=behind)


def press_chat(local: LocalT, key: str) -> tuple[LocalT, Say | None]:
    """Take a key of the chat line."""
    if key == ESCAPE:
        return _closed(local), None
    if key != ENTER:
        return replace(local, editor=local.editor.key(key)), None
    text = local.editor.text.strip()
    return _closed(local), Say(text) if text else None


def _closed(local: LocalT) -> LocalT:
    """Close the chat line; the keys go where they went before."""
    if local.behind is None:
        return menu(local)
    return replace(local, mode=local.behind.mode, editor=local.behind.editor, behind=None)


def may_append(local: Local, key: str) -> bool:
    """Tell whether a key adds a character to the end of the chat line, and does nothing else.

    All that this changes on the screen is the cell where the cursor stands, as long as the line need not scroll.
    """
    editor = local.editor
    return local.mode == "chat" and not editor.right and len(editor.text) < editor.limit and is_character(key)


def chat_limit(name: str) -> int:
    """Give the characters of a chat line that fit one line of the message area behind the speaker's name."""
    return min(MESSAGE_WIDTH - len(f"[{name}] "), CHAT)


def menu(local: LocalT) -> LocalT:
    """Give the keys back to the commands."""
    return replace(local, mode="menu", editor=LineEditor(), behind=None)


def without_prompt(local: LocalT) -> LocalT:
    """End a prompt whose turn is over; a chat line stays open."""
    return replace(local, behind=None) if local.mode == "chat" else menu(local)


def told(local: LocalT, offered: tuple[str, ...], notice: str) -> LocalT:
    """Put a text into the command area, or an empty one; `offered` are the keys usable now."""
    return replace(local, notice=notice, lasting=False, alone=False, waits=False, offered=offered)


def noticed(local: LocalT, text: str) -> LocalT:
    """Put a text into the command area, whatever is offered."""
    return replace(local, notice=text, lasting=False, alone=False, waits=False)


def hear(
    local: LocalT,
    entries: tuple[LogEntry[EventT], ...],
    session: int,
    words: Words,
    sentences: Sentences[EventT],
    take: Callable[[LocalT, LogEntry[EventT]], LocalT],
) -> LocalT:
    """Take over the log entries that are new (spec/poker.md 13), each by `take`.

    Who has just sat down sees what was said at the table before, as `sentences`: all of it was for everybody.
    """
    arrival = max((entry.number for entry in entries if _is_arrival(entry, session)), default=0)
    if not local.heard and arrival:
        earlier = [line for entry in entries if entry.number < arrival for line in sentences(entry, words)]
        talk = local.talk
        for text, style in earlier[1 - MESSAGES :]:
            talk = talk.add(text, style)
        local = replace(local, talk=talk, heard=arrival - 1)
    since = local.heard
    for entry in entries:
        if entry.number > since:
            local = take(replace(local, heard=entry.number), entry)
    return local


def _is_arrival(entry: LogEntry[EventT], session: int) -> bool:
    return entry.session == session and isinstance(entry.event, SatDown)


def talked(local: LocalT, entry: LogEntry[EventT], sentences: Sentences[EventT], words: Words) -> LocalT:
    """Put a log entry among the messages; a new game makes old notices void, company the one that says one is alone."""
    if isinstance(entry.event, Started) or (local.alone and isinstance(entry.event, SatDown)):
        local = noticed(local, "")
    talk = local.talk
    for text, style in sentences(entry, words):
        talk = talk.add(text, style)
    return replace(local, talk=talk)


def announced(local: LocalT, text: str, style: Style) -> LocalT:
    """Put a text of the system among the messages, on as many lines as it needs."""
    for line in wrap(f"{SYSTEM} {text}", MESSAGE_WIDTH):
        local = replace(local, talk=local.talk.add(line, style))
    return local


def refused(local: LocalT, illegal: IllegalMove, text: str) -> LocalT:
    """Show why the table refused an intent; after "pause" the screen counts the seconds down."""
    if illegal.reason == "pause":
        return replace(noticed(local, ""), waits=True)
    return replace(noticed(local, text), alone=illegal.reason == "alone")
