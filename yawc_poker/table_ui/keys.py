"""Keys and news that mean the same in every game: the chat line, messages, notices. Pure.

Every function takes a game's own subclass of `Local` and returns the same subclass.
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from yawc_poker.engine.events import CameBack, SatDown, Started
from yawc_poker.engine.game import EventT, IllegalMove
from yawc_poker.engine.house import LEVELS, Level
from yawc_poker.engine.values import CHAT, LogEntry
from yawc_poker.table_ui.commands import SIGN
from yawc_poker.table_ui.intents import Invite, Leave, Say, SendAway
from yawc_poker.table_ui.scene import PAST, Local, LocalT, Prompt, Turn
from yawc_poker.table_ui.speech import SYSTEM
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor, is_character, is_key
from yawc_poker.terminal.text import in_signs
from yawc_poker.terminal.widgets import MESSAGES, wrap
from yawc_poker.words import Words, is_yes

MESSAGE_WIDTH = 76
"""Cells of a message line after arrow and blank, without the last column."""

Sentences = Callable[[LogEntry[EventT], Words], tuple[tuple[str, Style], ...]]
"""A game's function that turns a log entry into one line or more."""


HELP = "?"
"""The key that lays the help over the screen, or tells all keys."""
STATE = "="
"""The key that tells the state; no game and no prompt uses it."""


def chatting(local: LocalT, name: str) -> LocalT:
    """Open the chat line of the caller with this name. Closing it restores an open prompt and its text.

    A command, which nobody else reads, may be longer than a line.
    """
    return replace(
        local,
        mode="chat",
        editor=LineEditor(limit=chat_limit(name), is_for_people=True, longer=(SIGN, CHAT)),
        behind=_open_prompt(local),
    )


def asking_leave(local: LocalT) -> LocalT:
    """Ask whether the caller leaves a running game. Any answer but yes restores an open prompt and its text."""
    return replace(local, mode="leave", editor=LineEditor(), behind=_open_prompt(local))


def _open_prompt(local: Local) -> Prompt | None:
    return None if local.mode == "menu" else Prompt(local.mode, local.editor, local.behind)


def press_chat(local: LocalT, key: str) -> tuple[LocalT, Say | None]:
    """Handle a key in the chat line; ENTER does nothing to a line that has a fault."""
    if key == ESCAPE:
        return _closed(local), None
    editor = local.editor
    if key != ENTER:
        return replace(local, editor=editor.key(key)), None
    if editor.fault is not None:
        return local, None
    text = editor.text.strip()
    return _closed(local), Say(text) if text else None


def _closed(local: LocalT) -> LocalT:
    """Close the chat line, or the question whether to leave, and restore the mode it was opened in."""
    if local.behind is None:
        return menu(local)
    return replace(local, mode=local.behind.mode, editor=local.behind.editor, behind=local.behind.behind)


def press_leave(local: LocalT, key: str) -> tuple[LocalT, Leave | None]:
    """Handle a key at the question whether to leave a running game; `X` once more means yes, too."""
    return _closed(local), Leave() if is_yes(key) or key.upper() == "X" else None


def press_help(local: LocalT, key: str) -> tuple[LocalT, bool]:
    """Lay the help over the screen, or take it away by any key; return also whether that is all the key does.

    In the chat line a question mark is a character; where no text is typed a character that cannot be shown is no key,
    and does nothing. A key that takes the help away does nothing else, because who reads does not see what it would do;
    but `.` opens the chat line at any time, or what is typed after it would be commands.
    """
    if not is_key(key) and (local.helps or local.mode in {"menu", "leave"}):
        return local, True
    if local.helps:
        return replace(local, helps=False), key != "."
    is_asked = key == HELP and local.mode != "chat"
    return (replace(local, helps=True) if is_asked else local), is_asked


def press_house(local: LocalT, key: str) -> tuple[LocalT, Invite | SendAway | None]:
    """Handle `+` and `-`, where neither a game nor a prompt needs them.

    `+` asks how well a house player shall play, where one may sit down at once; else one comes who plays as usual here.
    """
    if local.mode != "menu" or key in local.offered:
        return local, None
    if key == "+" and "+" in local.house:
        return replace(local, mode="house", editor=LineEditor()), None
    return local, Invite() if key == "+" else SendAway() if key == "-" else None


def press_level(local: LocalT, key: str) -> tuple[LocalT, Invite | None]:
    """Handle a key at the question how well a house player shall play; `+` once more, or ENTER: as is usual here."""
    levels: dict[str, Level | None] = {ENTER: None, "+": None, **{str(at): level for at, level in enumerate(LEVELS, 1)}}
    return menu(local), Invite(levels[key]) if key in levels else None


def may_append(local: Local, key: str) -> bool:
    """Return whether a key only appends a character to the chat line.

    This changes nothing on the screen but the cell under the cursor, unless the line has to scroll.
    """
    editor = local.editor
    return local.mode == "chat" and not editor.right and len(editor.text) < editor.limit and is_character(key)


def chat_limit(name: str) -> int:
    """Return how many characters of chat fit on one message line after the speaker's name."""
    return min(MESSAGE_WIDTH - len(f"[{name}] "), CHAT)


def menu(local: LocalT) -> LocalT:
    """Return to the menu of commands."""
    return replace(local, mode="menu", editor=LineEditor(), behind=None)


def without_prompt(local: LocalT) -> LocalT:
    """Close a prompt whose turn is over; a chat line stays open."""
    return replace(local, behind=None) if local.mode == "chat" else menu(local)


def pruned(local: LocalT, stays: Callable[[str], bool]) -> LocalT:
    """Close the prompts of those modes that do not stay, wherever they lie; a chat line stays open."""
    one, kept = _open_prompt(local), list[Prompt]()
    while one is not None:
        if one.mode == "chat" or stays(one.mode):
            kept.append(one)
        one = one.behind
    behind: Prompt | None = None
    for prompt in reversed(kept):
        behind = replace(prompt, behind=behind)
    return _closed(replace(local, behind=behind))


def followed(local: LocalT, turn: Turn | None, offered: tuple[str, ...], *, is_open: Callable[[str], bool]) -> LocalT:
    """Adapt the local state to a changed scene: with its turn, error text goes; open prompts and typed text stay.

    `is_open` returns whether the thing that the prompt of a mode asks for is still possible.
    """
    prompt = local.mode if local.behind is None else local.behind.mode
    if local.turn == turn and is_open(prompt):
        return local if local.offered == offered else with_notice(local, offered, "")
    stays = prompt == "leave" and is_open(prompt)
    local = replace(local, turn=turn)
    return with_notice(local if stays else without_prompt(local), offered, "")


def with_notice(local: LocalT, offered: tuple[str, ...], notice: str) -> LocalT:
    """Set the notice in the command area; empty: none. `offered` are the keys usable now."""
    return replace(local, notice=notice, lasting=False, alone=False, waits=False, offered=offered)


def noticed(local: LocalT, text: str) -> LocalT:
    """Set the notice in the command area, whichever keys are offered."""
    return replace(local, notice=text, lasting=False, alone=False, waits=False)


def hear(
    local: LocalT,
    entries: tuple[LogEntry[EventT], ...],
    session: int,
    words: Words,
    sentences: Sentences[EventT],
    take: Callable[[LocalT, LogEntry[EventT], int, Words], LocalT | None] | None,
) -> LocalT:
    """Take over the new log entries as messages, but for those that `take` deals with.

    A caller who has just sat down also sees the earlier messages.
    """
    if not local.heard:
        local = _caught_up(local, entries, session, words, sentences)
    since = local.heard
    for entry in entries:
        if entry.number > since:
            local = replace(local, heard=entry.number)
            taken = None if take is None else take(local, entry, session, words)
            local = talked(local, entry, sentences, words) if taken is None else taken
    return local


def _caught_up(
    local: LocalT, entries: tuple[LogEntry[EventT], ...], session: int, words: Words, sentences: Sentences[EventT]
) -> LocalT:
    """Take over what was said before this session sat down, if it has."""
    arrival = max((entry.number for entry in entries if _is_arrival(entry, session)), default=0)
    if not arrival:
        return local
    earlier = [line for entry in entries if entry.number < arrival for line in _drawn(sentences(entry, words))]
    talk = local.talk
    for text, style in earlier[1 - MESSAGES :]:
        talk = talk.add(text, style)
    return _remembered(replace(local, talk=talk, heard=arrival - 1), earlier)


def _drawn(lines: Iterable[tuple[str, Style]]) -> list[tuple[str, Style]]:
    """Return messages as a screen shows them: signs for what people write beside that, on as many lines as it needs."""
    return [
        (part, style)
        for text, style in lines
        for signs in (in_signs(text),)
        for part in ([signs] if len(signs) <= MESSAGE_WIDTH else wrap(signs, MESSAGE_WIDTH))
    ]


def _remembered(local: LocalT, lines: Iterable[tuple[str, Style]]) -> LocalT:
    """Keep messages for a large window."""
    return replace(local, past=(*local.past, *lines)[-PAST:])


def _is_arrival(entry: LogEntry[EventT], session: int) -> bool:
    return entry.session == session and isinstance(entry.event, SatDown)


def talked(local: LocalT, entry: LogEntry[EventT], sentences: Sentences[EventT], words: Words) -> LocalT:
    """Add a log entry to the messages. A new game clears the notice; an arrival clears the one about being alone."""
    if isinstance(entry.event, Started) or (local.alone and isinstance(entry.event, CameBack | SatDown)):
        local = noticed(local, "")
    lines, talk = _drawn(sentences(entry, words)), local.talk
    for text, style in lines:
        talk = talk.add(text, style)
    return _remembered(replace(local, talk=talk), lines)


def announced(local: LocalT, text: str, style: Style) -> LocalT:
    """Add a system text to the messages, on as many lines as it needs."""
    for line in wrap(f"{SYSTEM} {text}", MESSAGE_WIDTH):
        local = _remembered(replace(local, talk=local.talk.add(line, style)), ((line, style),))
    return local


def overheard(local: LocalT, text: str, style: Style) -> LocalT:
    """Add a line to the messages that is in no table's log."""
    for line, own in _drawn([(text, style)]):
        local = _remembered(replace(local, talk=local.talk.add(line, own)), ((line, own),))
    return local


def refused(local: LocalT, illegal: IllegalMove, text: str) -> LocalT:
    """Show why the table refused an intent; after "pause" the screen counts the seconds down."""
    if illegal.reason == "pause":
        return replace(noticed(local, ""), waits=True)
    return replace(noticed(local, text), alone=illegal.reason in {"alone", "asleep"})
