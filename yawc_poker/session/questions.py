"""The questions put to a caller at a prompt: a key, yes or no, a line of text.

Owns what his keys do to the answer, and how it is shown while he types. Whatever else happens until he has answered,
messages, alarms, an end, is dealt with as everywhere at a prompt (`Caller.meanwhile`), and the question stays open.
Not for the table, whose screen has its own keys.
"""

import math
import time

from yawc_poker.session.caller import Caller
from yawc_poker.session.loop import Key
from yawc_poker.terminal.widgets import ENTER, ESCAPE, REDRAW, LineEditor
from yawc_poker.words import is_yes

BEHIND = 0.8
"""Seconds in which an ENTER behind y or n belongs to that, as many type it, and is no empty answer to what is next."""


def ask_key(caller: Caller, prompt: str) -> str:
    """Ask for one key. The prompt stays open: close it by `console.finish` or `console.wipe`."""
    caller.console.prompt(prompt)
    return _key(caller)


def ask_yes(caller: Caller, prompt: str) -> bool:
    """Ask a yes/no question; y and j mean yes, n, ENTER and ESC mean no. One key is enough."""
    caller.console.prompt(prompt)
    while True:
        key = _key(caller)
        if is_yes(key) or key in {"n", "N", ENTER, ESCAPE}:
            caller.console.finish(caller.words("yes") if is_yes(key) else caller.words("no"))
            if key not in {ENTER, ESCAPE}:
                caller.answered_at = time.monotonic()
            return is_yes(key)


def ask_line(caller: Caller, prompt: str, limit: int, *, hidden: bool = False) -> str:
    """Ask for a line of text; ESC gives it up and answers with an empty one, as ENTER alone does."""
    caller.console.prompt(prompt)
    editor = LineEditor(limit=limit)
    while True:
        key = _key(caller, begins=not editor.text)
        if key in {ENTER, ESCAPE}:
            caller.console.finish()
            return editor.text.strip() if key == ENTER and not hidden else (editor.text if key == ENTER else "")
        editor = editor.key(key)
        if not caller.loop.busy:
            caller.console.show_typed(editor, hidden=hidden)


def _key(caller: Caller, *, begins: bool = False) -> str:
    """Wait for a key; `begins`: of an empty line, not ended by an ENTER that belongs to the question before."""
    while True:
        event = caller.loop.next()
        if isinstance(event, Key):
            caller.touched()
            answered, caller.answered_at = caller.answered_at, -math.inf
            if event.name == REDRAW:
                caller.console.redraw()
            elif event.name != ENTER or not begins or time.monotonic() >= answered + BEHIND:
                return event.name
        else:
            caller.meanwhile(event)
