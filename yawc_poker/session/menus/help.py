"""`H`: the pages of the help; those of games and extras stand among those about the BBS."""

import math
from collections.abc import Mapping
from functools import cache
from itertools import zip_longest

from msgspec.structs import asdict

from yawc_poker.announcing import announced
from yawc_poker.catalogues import package_text, text
from yawc_poker.config import Config, TableSettings
from yawc_poker.page.protocol import Offer
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller import own_texts
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.console import broken
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.table_ui.definition import HelpPage
from yawc_poker.table_ui.keys import HELP
from yawc_poker.words import Language, Words

_PAGE_KEYS = "123456789ABCDEFGIJKLMNOPRSTUVWXYZ"
"""Of the pages; H and Q lead back."""
_COLUMN = 30
"""Cells of the narrowest column of the menu."""
_AROUND = 4
"""Lines of the menu besides its pages: a blank one above and below, the way back, the prompt."""
_PAGES = {
    "bbs": 0,
    "conduct": 40,
    "meeting": 45,
    "watching": 70,
    "house": 80,
    "rankings": 87,
    "linear": 89,
    "legal": 90,
    "credits": 95,
}
"""The pages about the BBS, each with its place among those of the games (`table_ui.definition.HelpPage`)."""


@cache
def help_pages(language: Language, *, plain: bool = False) -> tuple[Page, ...]:
    """Return all help pages of a language, in the order of the menu; `plain` without accents."""
    found = [(order, _page(text(language, f"help/{name}", plain=plain), name=name)) for name, order in _PAGES.items()]
    of_games = ((page, game.settings) for game in GAMES for page in game.help)
    of_extras = ((page, None) for page in announced("help_pages", HelpPage))
    for page, settings in (*of_games, *of_extras):
        whole = package_text(page.package, language, page.name, plain=plain)
        found.append((page.order, _page(whole, settings)))
    return tuple(page for _, page in sorted(found, key=lambda one: one[0]))


def key_of(name: str) -> str:
    """Return the key in the menu of a page about the BBS."""
    of_games = (page.order for game in GAMES for page in game.help)
    of_extras = (page.order for page in announced("help_pages", HelpPage))
    return _PAGE_KEYS[sorted([*_PAGES.values(), *of_games, *of_extras]).index(_PAGES[name])]


def _page(whole: str, settings: type[TableSettings] | None = None, name: str = "") -> Page:
    return Page(whole.partition("\n")[0].strip(), whole, settings, name)


def filled(page: Page, config: Config, words: Words) -> Page:
    """Return a page with its game's settings in it: those named `..._seconds` as times, all others as they are."""
    if page.settings is None:
        return page
    whole, values = page.text, asdict(config.of(page.settings))
    for name, value in values.items():
        shown = _duration(value, words) if name.endswith("_seconds") else str(value)
        whole = whole.replace(f"{{{name}}}", shown)
    return page._replace(text=whole)


def _duration(seconds: float, words: Words) -> str:
    minutes, rest = divmod(seconds, 60)
    if minutes and not rest:
        return words.count("{n} minute", "{n} minutes", int(minutes))
    return words.count("{n} second", "{n} seconds", math.ceil(seconds))


def _listed(entries: list[str], caller: Caller) -> list[str]:
    """Return the entries of the menu, in two columns on a screen that is too low for all of them, and wide enough."""
    half, width = -(-len(entries) // 2), (caller.line.columns - 1) // 2 - 3
    if not caller.display.can_draw or len(entries) + _AROUND <= caller.line.rows or width < _COLUMN:
        return entries
    short = [one if len(one) <= width else one[: width - 3].rstrip() + "..." for one in entries]
    pairs = zip_longest(short[:half], short[half:], fillvalue="")
    return [f"{left:<{width}}   {right}".rstrip() for left, right in pairs]


def _key(caller: Caller, pages: Mapping[str, Page]) -> str:
    """Show the menu, a windowful at a time, and return the key that was pressed: one that is seen already, at once."""
    say = caller.console.say
    width, left = caller.line.columns - 1, caller.line.rows - 1
    for entry in _listed([f"[{key}] {page.title}" for key, page in pages.items()], caller):
        rows = len(broken(f"  {entry}", width))
        if caller.display.can_draw and rows >= left:
            key = ask_key(caller, caller.words("-- more: any key, [Q] stops -- ")).upper()
            if key in {*pages, "Q", "\x1b"}:
                return key
            caller.console.wipe()
            left = caller.line.rows
        say(f"  {entry}")
        left -= rows
    say("  [Q] " + caller.words("Back"))
    say()
    caller.console.take_said()  # a page has the keys in their own order, not in that of two columns
    return _asked(caller, pages, caller.words("Help") + "> ")


def _asked(caller: Caller, pages: Mapping[str, Page], prompt: str) -> str:
    keys = [Offer(key.lower(), page.title) for key, page in pages.items()]
    return ask_key(caller, prompt, lambda: [*keys, Offer("q", caller.words("Back"))]).upper()


def help_menu(caller: Caller) -> None:
    """`H` or `?`: introduction, instructions, rules, conduct. As text the menu is told once, and whenever `?` asks."""
    words, say = caller.words, caller.console.say
    pages = dict(zip(_PAGE_KEYS, help_pages(words.language, plain=caller.appearance.plain), strict=False))
    is_text, is_told = not caller.display.can_draw, False
    while True:
        say()
        key = _asked(caller, pages, words("Help ([?]: pages)> ")) if is_told else _key(caller, pages)
        chosen = pages.get(key)
        if chosen is None and not (is_told and key == HELP):
            caller.console.finish()
            return
        is_told = is_text and chosen is not None
        if chosen is None:
            caller.console.finish()
            continue
        caller.console.finish("" if is_text else chosen.title)  # as text the page itself tells it
        own = own_texts.plain(caller, "conduct") if chosen.name == "conduct" else ""
        show_page(caller, chosen._replace(text=own) if own else filled(chosen, caller.config, words))
