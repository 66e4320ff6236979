"""`L`: how a caller wants things shown and how they are called. Every choice is shown with a sample, and remembered.

Owns the menu. What a choice does belongs to `Appearance` and `Calls`.
"""

from collections.abc import Callable
from itertools import zip_longest
from typing import Final, NamedTuple

from msgspec.structs import replace

from yawc_poker.appearance import osc
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.cards import SIGNS, SYMBOLS, cards
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import check_keys, for_everybody
from yawc_poker.session.caller.prompts import SAMPLE, ask_key
from yawc_poker.table_ui.speech import ENGLISH_CARDS, card_text, letters
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.widgets import card_style
from yawc_poker.words import TONGUES, Language, mark

_LANGUAGES: Final[dict[str, Language]] = {tongue.key: language for language, tongue in TONGUES.items()}
_CHARSETS: Final[dict[str, Charset]] = {"U": "utf-8", "C": "cp437", "A": "ascii"}
_CHARSET_NAMES: Final = ("UTF-8", "CP437 (DOS)", "ASCII")
_INDENT: Final = "  "
_NAME: Final = 8
"""Cells of the caller's name in the sample."""
_CARDS: Final = cards("A+ 10* K# 7-")


class _Choice(NamedTuple):
    """A line of the menu."""

    label: str
    now: Callable[[Caller], str]
    """What is chosen, in words."""
    other: Callable[[Caller], Preferences]
    """The preferences with the other choice."""
    differs: Callable[[Caller], bool] = for_everybody
    """Whether it makes a difference to a caller; else the menu does not have it."""


def appearance(caller: Caller) -> None:
    """`L`: language, characters, suits, colours, and what calls the caller; all of it is remembered."""
    while True:
        _show(caller)
        key = ask_key(caller, caller.words("Your choice (ENTER: done)") + "> ").upper()
        caller.console.finish()
        if key in _LANGUAGES:
            caller.speak(_LANGUAGES[key])
        elif key in _CHARSETS:
            caller.show_as(_CHARSETS[key])
        elif key in _choices(caller):
            caller.prefer(_CHOICES[key].other(caller))
        elif key in {ENTER, ESCAPE, "Q", "L"}:
            return


def _show(caller: Caller) -> None:
    say, words = caller.console.say, caller.words
    say()
    now = words("now:")
    languages = [f"[{tongue.key}] {tongue.name}" for tongue in TONGUES.values()]
    charsets = [f"[{key}] {name}" for key, name in zip(_CHARSETS, _CHARSET_NAMES, strict=True)]
    rows = list(zip_longest(languages, charsets, fillvalue=""))
    for chosen, column in ((TONGUES[words.language].name, 0), (caller.line.charset, 1)):
        choices = [f"{row[column]:<{max(map(len, row))}}" for row in rows]
        say(f"{_INDENT}{'  '.join(choices)}  {now} {chosen}")
    say(_INDENT + words("This should look like boxes and umlauts: {sample}", sample=SAMPLE))
    say()
    switches = _choices(caller)
    width = max(len(words(choice.label)) for choice in switches.values())
    for key, choice in switches.items():
        say(f"{_INDENT}[{key}] {words(choice.label):<{width}}  {choice.now(caller)}")
    if caller.display.can_draw:  # in lines no card has a look
        _show_sample(caller)


def _choices(caller: Caller) -> dict[str, _Choice]:
    return {key: choice for key, choice in _CHOICES.items() if choice.differs(caller)}


def _show_sample(caller: Caller) -> None:
    """Show cards, keys and messages as they look at a table now."""
    words = caller.words
    drawn = [(f" {card_text(card, words)} ", card_style(str(card))) for card in _CARDS]
    spaced = [piece for card in drawn for piece in (card, (" ", Style.PLAIN))]
    caller.console.show(
        [
            (_INDENT + words("It looks like this:") + " ", Style.PLAIN),
            *spaced,
            (" [S]", Style.GREEN),
            (" -> ", Style.NEWEST),
            ("[INFO] ", Style.CYAN),
            (f" {caller.user.name[:_NAME]} ", Style.BAR),
            (" ", Style.PLAIN),
            (f">{caller.user.name[:_NAME]} ", Style.TURN),
        ]
    )


# --- what is chosen ---------------------------------------------------------------------------------------------------


def _suits(caller: Caller) -> str:
    if caller.appearance.fitted.suits == "signs":
        return " ".join(reversed(SIGNS))
    if not caller.appearance.symbols:
        return caller.words("symbols, but only in UTF-8")
    return " ".join(reversed(SYMBOLS))


def _colours(caller: Caller) -> str:
    words = caller.words
    return words("two: red and black") if caller.appearance.fitted.colours == 2 else words("four: one for each suit")


def _other_suits(caller: Caller) -> Preferences:
    return replace(caller.preferences, suits="symbols" if caller.appearance.fitted.suits == "signs" else "signs")


def _other_colours(caller: Caller) -> Preferences:
    return replace(caller.preferences, colours=4 if caller.appearance.fitted.colours == 2 else 2)


def _letters(caller: Caller) -> str:
    return letters(caller.words)


def _other_letters(caller: Caller) -> Preferences:
    return replace(caller.preferences, letters="own" if caller.preferences.letters == "english" else "english")


def _background(caller: Caller) -> str:
    return caller.words("dark") if caller.preferences.background == "dark" else caller.words("light")


def _title(caller: Caller) -> str:
    if caller.page is not None:
        return caller.words("always on in the page")
    return _switch(caller, caller.preferences.title, osc.takes(caller.line.terminal_name).title)


def _notice(caller: Caller) -> str:
    takes = osc.takes(caller.line.terminal_name).notice is not None
    return _allowed(caller, caller.preferences.notice) or _switch(caller, caller.preferences.notice, takes)


def _bell(caller: Caller) -> str:
    return _allowed(caller, caller.preferences.bell) or _switch(caller, caller.preferences.bell)


def _allowed(caller: Caller, is_on: bool) -> str:
    """Return on what a page makes it depend; empty: it is off, or there is only the terminal."""
    is_asked = is_on and caller.page is not None
    return caller.words("on, once you have allowed it in the page's settings") if is_asked else ""


def _mouse(caller: Caller) -> str:
    if caller.page is not None:
        return caller.words("always on in the page")
    return _switch(caller, caller.preferences.mouse, caller.display.has_modes)


def _switch(caller: Caller, is_on: bool, works: bool = True) -> str:
    """Return whether something is on; `works`: this terminal is known to take it."""
    words = caller.words
    if not is_on:
        return words("off")
    return words("on") if works else words("on, but your terminal takes none")


_CHOICES: Final = {
    "1": _Choice(mark("Suits"), _suits, _other_suits),
    "2": _Choice(mark("Colours of the suits"), _colours, _other_colours),
    "3": _Choice(
        mark("Background of your window"),
        _background,
        lambda one: replace(one.preferences, background="light" if one.preferences.background == "dark" else "dark"),
    ),
    "4": _Choice(
        mark("Bell when you are called"),
        _bell,
        lambda one: replace(one.preferences, bell=not one.preferences.bell),
    ),
    "5": _Choice(
        mark("Call in the window's title"),
        _title,
        lambda one: replace(one.preferences, title=not one.preferences.title),
    ),
    "6": _Choice(
        mark("Call as a desktop notice"),
        _notice,
        lambda one: replace(one.preferences, notice=not one.preferences.notice),
    ),
    "7": _Choice(
        mark("Lines instead of a screen"),
        lambda one: _switch(one, one.appearance.in_lines),
        lambda one: replace(one.preferences, linear=not one.appearance.in_lines),
    ),
    "8": _Choice(
        mark("Keys and cards by the mouse"),
        _mouse,
        lambda one: replace(one.preferences, mouse=not one.preferences.mouse),
    ),
    "9": _Choice(
        mark("Letters of the cards"),
        _letters,
        _other_letters,
        differs=lambda one: one.words("A K Q J") != ENGLISH_CARDS,
    ),
}
check_keys("the look", (*_LANGUAGES, *_CHARSETS, *_CHOICES, "L", "Q"))
