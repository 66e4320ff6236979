"""The questions put to a caller at a prompt: a key, yes or no, a line of text.

Owns what keys do to the answer, and how it is shown while it is typed. Other events until the answer (messages, alarms,
an end) are handled by `Caller.meanwhile`, as everywhere at a prompt, and the question stays open. Not for the table,
whose screen has its own keys.
"""

import math
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager

from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.events import Key
from yawc_poker.session.loop.input_queue import BEHIND
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE, REDRAW, REPLACED, LineEditor, is_character
from yawc_poker.terminal.line import Echo
from yawc_poker.words import is_yes

ECHO_SECONDS = 1.0
"""How long to wait until a caller's side that shows what is typed says whether it stops that for a secret."""

OwnOffers = Callable[[], Iterable[Offer]]
"""Returns the keys that a prompt offers and that stand in no line above it; called only for a page."""


def no_more() -> tuple[Offer, ...]:
    """Return nothing (`OwnOffers`)."""
    return ()


def ask_key(caller: Caller, prompt: str, own: OwnOffers = no_more) -> str:
    """Ask for one key. The prompt stays open: close it by `console.finish` or `console.wipe`.

    A page shows as buttons the keys named in the lines said before, and `own`.
    """
    caller.console.prompt(prompt)
    _offer_keys(caller, prompt, own)
    while (key := _key(caller)) == REPLACED:
        pass
    return key


def check_keys(menu: str, keys: Iterable[str]) -> None:
    """Raise `ValueError` unless each of a menu's keys can be pressed and stands for one thing, in any case.

    For the import of a menu whose keys come from several places.
    """
    taken = set[str]()
    for key in keys:
        if len(key) != 1 or not is_character(key) or key == " ":
            raise ValueError(f"{menu}: nobody can press the key {key!r}")
        if key.upper() in taken:
            raise ValueError(f"{menu}: two things have the key {key!r}")
        taken.add(key.upper())


def ask_one_of(caller: Caller, prompt: str, keys: Container[str], own: OwnOffers = no_more) -> str:
    """Ask for one of these keys, and return it; the prompt stays open, as in `ask_key`."""
    caller.console.prompt(prompt)
    _offer_keys(caller, prompt, own)
    while (key := _key(caller)) not in keys:
        pass
    return key


def ask_yes(caller: Caller, prompt: str) -> bool:
    """Ask a yes/no question; y and j mean yes, n, Q (back), ENTER and ESC no. One key is enough."""
    caller.console.prompt(prompt)
    _offer_keys(caller, prompt)
    while True:
        key = _key(caller)
        agrees = is_yes(key)
        if agrees or key in {"n", "N", "q", "Q", ENTER, ESCAPE}:
            caller.console.finish(caller.words("yes") if agrees else caller.words("no"))
            if key not in {ENTER, ESCAPE}:
                caller.answered_at = time.monotonic()
            return agrees


def ask_line(caller: Caller, prompt: str, limit: int, *, q_is_back: bool = False) -> str:
    """Ask for a line of text; ESC gives it up and answers with an empty one, as ENTER alone does.

    With `q_is_back` a Q does so at once, where no answer begins with one.
    """
    return (_line(caller, prompt, limit, q_is_back=q_is_back) or "").strip()


def ask_text(caller: Caller, prompt: str, limit: int) -> str:
    """Ask for a text that others will read, as `ask_line`; the rest of what was pasted with it is no key."""
    opened = caller.loop.piece
    text = ask_line(caller, prompt, limit)
    caller.loop.end_text(opened)
    return text


def ask_rest(caller: Caller, begun: str, limit: int) -> str:
    """Ask for the rest of a line that `begun`, the key pressed at an open prompt, has opened; empty: given up."""
    _offer_line(caller, "")
    return (_edited(caller, LineEditor(begun, limit)) or "").strip()


def ask_name(caller: Caller, prompt: str, limit: int) -> str | None:
    """Ask for a user's name; None: the caller gave up, by ESC or a Q, which is no name."""
    name = _line(caller, prompt, limit)
    return None if name is None or name.strip() in {"q", "Q"} else name.strip()


def ask_secret(caller: Caller, prompt: str, limit: int) -> str:
    """Ask for a line that is not shown until there is one; empty: the caller gave up, by ESC.

    ENTER alone is no answer: it may belong to the key that was pressed before.
    """
    with _hidden_typing(caller):
        while (secret := _line(caller, prompt, limit, hidden=True)) == "":
            caller.console.say(caller.words("Please type something; ESC: back."), Style.YELLOW)
    return secret or ""


@contextmanager
def _hidden_typing(caller: Caller) -> Iterator[None]:
    """Ask the caller's side to show nothing of what is typed; tell the caller if it does so all the same."""
    line, until = caller.line, time.monotonic() + ECHO_SECONDS
    line.hide_typing()
    while line.echo is Echo.ASKED and (left := until - time.monotonic()) > 0:
        caller.loop.pause(left)
    if line.echo is not Echo.OURS:
        text = caller.words(
            "Your program shows what you type and lets nobody change that: what you type now will be seen."
        )
        caller.console.say(text, Style.ALERT)
    try:
        yield
    finally:
        line.show_typing()


def _line(caller: Caller, prompt: str, limit: int, *, hidden: bool = False, q_is_back: bool = False) -> str | None:
    """Ask for a line; None: given up."""
    caller.console.prompt(prompt)
    _offer_line(caller, prompt, hidden=hidden)
    return _edited(caller, LineEditor(limit=limit), hidden=hidden, q_is_back=q_is_back)


def _edited(caller: Caller, editor: LineEditor, *, hidden: bool = False, q_is_back: bool = False) -> str | None:
    """Let the caller edit the line behind an open prompt; None: given up."""
    caller.console.show_typed(editor, hidden=hidden)
    caller.loop.reads_line = lambda: True
    try:
        return _typed(caller, editor, hidden=hidden, q_is_back=q_is_back)
    finally:
        caller.loop.reads_line = lambda: False


def _typed(caller: Caller, editor: LineEditor, *, hidden: bool, q_is_back: bool) -> str | None:
    while True:
        key = _key(caller, begins=not editor.text)
        if key == ENTER:
            caller.console.show_typed(editor, hidden=hidden)  # what was pasted is not shown yet
        if key in {ENTER, ESCAPE}:
            caller.console.finish(by_enter=key == ENTER)
            return editor.text if key == ENTER else None
        if q_is_back and not editor.text and key in {"q", "Q"}:
            caller.console.finish(key)
            caller.answered_at = time.monotonic()  # as after y or n
            return None
        editor = editor.key(key)
        if not caller.loop.busy:
            caller.console.show_typed(editor, hidden=hidden)


def _offer_keys(caller: Caller, prompt: str, own: OwnOffers = no_more) -> None:
    """Show on a page, if there is one, the keys that the lines before a prompt and the prompt itself offer."""
    page = caller.line.page
    if page is not None:
        lines = [*caller.console.take_said(), prompt]
        answers = yes_or_no(caller.words) if asks_yes_or_no([prompt]) else ()
        page.offer(Offers("menu", merged(answers, offered(lines), own()), turn=False))


def _offer_line(caller: Caller, prompt: str, *, hidden: bool = False) -> None:
    """Show on a page, if there is one, that a line is asked for."""
    page = caller.line.page
    if page is not None:
        caller.console.take_said()
        page.offer(Offers("line", offered([prompt]), turn=False, hidden=hidden))


def _key(caller: Caller, *, begins: bool = False) -> str:
    """Wait for a key; `begins`: of an empty line, not ended by an ENTER that belongs to the question before."""
    loop = caller.loop
    while True:
        event = loop.next()
        if isinstance(event, Key):
            caller.touched()
            answered, caller.answered_at = caller.answered_at, -math.inf
            if event.name == REDRAW:
                caller.console.redraw()
            elif event.name != ENTER or not begins or loop.is_behind_line or time.monotonic() >= answered + BEHIND:
                return event.name
        else:
            caller.meanwhile(event)
