"""The questions put to a caller at a prompt: a key, yes or no, a line of text.

Owns what keys do to the answer, how it is shown while it is typed, and that a line with a fault is not taken
(`LineEditor.fault`): the caller is told, and goes on with it or is asked again. Other events until the answer
(messages, alarms, an end) are handled by `Caller.meanwhile`, as everywhere at a prompt, and the question stays open.
Not for the table, whose screen has its own keys.
"""

import math
import time
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, assert_never

from msgspec.structs import replace

from yawc_poker.casino.users.names import NAME_LENGTHS
from yawc_poker.catalogues import all_languages
from yawc_poker.digits import decimal
from yawc_poker.ipc.events import Key
from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Fill, Offer, Offers
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.input_queue import BEHIND
from yawc_poker.table_ui.commands import ShowAs, asked
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE, KILL, REDRAW, LineEditor, is_key
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.line import Echo
from yawc_poker.words import Words, is_yes

SAMPLE: Final = "┌──┐ ═╬═ äöüß ÄÖÜ éëï"
"""Shows whether a character set is the terminal's."""
LONGEST_SECRET: Final = 1024
"""Characters of a secret that are read; what it is for has a limit of its own, and says so."""
NAME_LIMIT: Final = NAME_LENGTHS.stop - 1
"""Characters of a user's name."""
NUMBER_LIMIT: Final = 4
"""Characters of a number that is asked for."""
ECHO_SECONDS = 1.0
"""How long to wait until a caller's side that shows what is typed says whether it stops that for a secret."""

OwnOffers = Callable[[], Iterable[Offer]]
"""Returns the keys that a prompt offers and that stand in no line above it; called only for a page."""


class Summoned(Exception):
    """The caller goes where they are invited: at the prompt of some menu they have pressed J."""


def no_more() -> tuple[Offer, ...]:
    """Return nothing (`OwnOffers`)."""
    return ()


def ask_key(caller: Caller, prompt: str, own: OwnOffers = no_more) -> str:
    """Ask for one key. The prompt stays open: close it by `console.finish` or `console.wipe`.

    A page shows as buttons the keys named in the lines said before, and `own`. Raise `Summoned` for the key of an
    invitation that stands, which goes before what it means in a menu.
    """
    caller.console.prompt(prompt)
    _offer_keys(caller, prompt, lambda: (*_summons(caller), *own()))
    while not is_key(key := _key(caller)):
        pass
    if any(offer.key == key.lower() for offer in _summons(caller)):
        raise Summoned
    return key


def _summons(caller: Caller) -> tuple[Offer, ...]:
    """Return the key that takes the caller where somebody asks them to come; none: nobody does."""
    standing = caller.others.standing(time.monotonic())
    return () if standing is None else (Offer("j", caller.words("Go where you are invited")),)


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
                caller.console.answered_at = time.monotonic()
            return agrees


def ask_line(
    caller: Caller,
    prompt: str,
    limit: int,
    *,
    q_is_back: bool = False,
    takes_charset: bool = True,
    fill: Fill = "",
    own: OwnOffers = no_more,
) -> str:
    """Ask for a line of text; ESC gives it up and answers with an empty one, as ENTER alone does.

    With `q_is_back` a Q does so at once, where no answer begins with one. With `takes_charset` a command such as
    `/utf8` is carried out, and the question asked again. `fill` is what a page's browser may know, `own` returns
    answers that a page has buttons for.
    """
    line = _line(caller, prompt, limit, q_is_back=q_is_back, takes_charset=takes_charset, fill=fill, own=own)
    return (line or "").strip()


def ask_number(caller: Caller, prompt: str, most: int, refusal: str, listed: Sequence[Offer] = ()) -> int | None:
    """Ask for a whole number from 1 to `most`; return None if the caller gave up, or has read why it is refused.

    `listed` are the numbers that stand in a list above, with what each is.
    """
    answer = ask_line(caller, prompt, NUMBER_LIMIT, q_is_back=True, own=lambda: listed)
    number = decimal(answer) or 0
    if 1 <= number <= most:
        return number
    if answer:
        caller.console.say(refusal, Style.YELLOW)
    return None


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


def ask_name(caller: Caller, prompt: str) -> str | None:
    """Ask for a user's name; return None if the caller gave up, by ESC or a Q, which is no name.

    On a page those who are online are buttons.
    """
    name = _line(caller, prompt, NAME_LIMIT, own=lambda: _online(caller))
    return None if name is None or name.strip() in {"q", "Q"} else name.strip()


def _online(caller: Caller) -> list[Offer]:
    """Return the names of everybody else who is online, as answers."""
    people = caller.instance.directory.people()
    names = {one.name for one in people if not one.is_house and one.user != caller.user.id}
    return [Offer(name, name) for name in sorted(names, key=str.casefold)]


def ask_secret(caller: Caller, prompt: str, fill: Fill) -> str:
    """Ask for a line that is not shown until there is one; empty: the caller gave up, by ESC.

    It is what was typed, composed (NFC), whatever of it a terminal could show. ENTER alone is no answer: it may belong
    to the key that was pressed before.
    """
    with _hidden_typing(caller):
        while (secret := _line(caller, prompt, LONGEST_SECRET, hidden=True, fill=fill)) == "":
            caller.console.say(caller.words("Please type something; ESC: back."), Style.YELLOW)
    return unicodedata.normalize("NFC", secret or "")


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


def show_charset(caller: Caller, charset: Charset) -> None:
    """Change the character set, remembered for a user, and show a sample of it."""
    caller.show_as(charset)
    caller.console.say(caller.words("This should look like boxes and umlauts: {sample}", sample=SAMPLE))


def fault_of(editor: LineEditor, words: Words) -> str:
    """Return why a line is not taken, in a sentence; empty: nothing is wrong with it."""
    match editor.fault:
        case None:
            return ""
        case "not_understood":
            return words("A character was not understood; try /utf8 or /cp437.")
        case "not_shown":
            return words("A character was not understood: not every terminal can show it.")
        case "too_long":
            return words("That is too long: {n} characters at most.", n=editor.limit)
        case _ as never:
            assert_never(never)


def _line(
    caller: Caller,
    prompt: str,
    limit: int,
    *,
    hidden: bool = False,
    q_is_back: bool = False,
    takes_charset: bool = True,
    fill: Fill = "",
    own: OwnOffers = no_more,
) -> str | None:
    """Ask for a line; return None if the caller gave up."""
    while True:
        caller.console.prompt(prompt)
        _offer_line(caller, prompt, hidden=hidden, fill=fill, own=own)
        line = _edited(caller, LineEditor(limit=limit, is_secret=hidden), q_is_back=q_is_back)
        if (
            line is None
            or hidden
            or not takes_charset
            or not isinstance(command := asked(line, all_languages()), ShowAs)
        ):
            return line
        show_charset(caller, command.charset)


def _edited(caller: Caller, editor: LineEditor, *, q_is_back: bool = False) -> str | None:
    """Let the caller edit the line behind an open prompt; return None if they gave up.

    A line with a fault stays to be edited. If it came as a whole, from a caller whose side sends lines, or is secret,
    it begins anew: what comes next is another line.
    """
    caller.loop.reads_line = lambda: True
    try:
        return _typed(caller, editor, q_is_back=q_is_back)
    finally:
        caller.loop.reads_line = lambda: False


def _typed(caller: Caller, editor: LineEditor, *, q_is_back: bool) -> str | None:
    hidden, came_whole = editor.is_secret, True
    caller.console.show_typed(editor, hidden=hidden)
    while True:
        key = _key(caller, begins=not editor.text)
        if key == ENTER:
            caller.console.show_typed(editor, hidden=hidden)  # what was pasted is not shown yet
        if key == ENTER and (fault := fault_of(editor, caller.words)):
            caller.console.interrupt(fault, Style.YELLOW)
            editor = editor.key(KILL) if hidden or came_whole else replace(editor, overflows=False)
            caller.console.show_typed(editor, hidden=hidden)
            came_whole = True
            continue
        if key in {ENTER, ESCAPE}:
            caller.console.finish(by_enter=key == ENTER)
            return editor.text if key == ENTER else None
        if q_is_back and not editor.text and key in {"q", "Q"}:
            caller.console.finish(key)
            caller.console.answered_at = time.monotonic()  # as after y or n
            return None
        editor = editor.key(key)
        came_whole = came_whole and caller.loop.busy
        if not caller.loop.busy:
            caller.console.show_typed(editor, hidden=hidden)


def _offer_keys(caller: Caller, prompt: str, own: OwnOffers = no_more) -> None:
    """Show on a page, if there is one, the keys that the lines before a prompt and the prompt itself offer."""
    page = caller.line.page
    if page is not None:
        lines = [*caller.console.take_said(), prompt]
        answers = yes_or_no(caller.words) if asks_yes_or_no([prompt]) else ()
        keys = merged(answers, offered(lines), own())
        caller.console.offer(Offers("menu", keys, turn=False, asks=prompt.strip(), is_told=True))


def _offer_line(
    caller: Caller, prompt: str, *, hidden: bool = False, fill: Fill = "", own: OwnOffers = no_more
) -> None:
    """Show on a page, if there is one, that a line is asked for."""
    page = caller.line.page
    if page is not None:
        caller.console.take_said()
        keys, asks = merged(own(), offered([prompt])), prompt.strip()
        caller.console.offer(Offers("line", keys, turn=False, hidden=hidden, fill=fill, asks=asks, is_told=True))


def _key(caller: Caller, *, begins: bool = False) -> str:
    """Wait for a key; `begins`: of an empty line, not ended by an ENTER that belongs to the question before."""
    loop = caller.loop
    while True:
        event = loop.next()
        if isinstance(event, Key):
            caller.touched()
            answered, caller.console.answered_at = caller.console.answered_at, -math.inf
            if event.name == REDRAW:
                caller.console.redraw()
            elif event.name != ENTER or not begins or loop.is_behind_line or time.monotonic() >= answered + BEHIND:
                return event.name
        else:
            caller.meanwhile(event)
