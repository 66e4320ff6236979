"""Long texts: the help pages, and the pager that shows them a window at a time."""

import math
from functools import cache
from typing import NamedTuple

from msgspec.structs import asdict

from yawc_poker.announcing import announced
from yawc_poker.catalogues import package_text, text
from yawc_poker.config import Config, TableSettings
from yawc_poker.page.protocol import Offer
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.table_ui.definition import HelpPage
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Language, Words

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


class Page(NamedTuple):
    """A help text; the title is its first line."""

    title: str
    text: str
    settings: type[TableSettings] | None = None
    """The section whose values fill the fields of the text, as `{ante}`."""


@cache
def help_pages(language: Language, *, plain: bool = False) -> tuple[Page, ...]:
    """Return all help pages of a language, in the order of the menu; `plain` without accents."""
    found = [(order, _page(text(language, f"help/{name}", plain=plain))) for name, order in _PAGES.items()]
    of_games = ((page, game.settings) for game in GAMES for page in game.help)
    of_extras = ((page, None) for page in announced("help_pages", HelpPage))
    for page, settings in (*of_games, *of_extras):
        whole = package_text(page.package, language, page.name, plain=plain)
        found.append((page.order, _page(whole, settings)))
    return tuple(page for _, page in sorted(found, key=lambda one: one[0]))


def _page(whole: str, settings: type[TableSettings] | None = None) -> Page:
    return Page(whole.partition("\n")[0].strip(), whole, settings)


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


def show_page(caller: Caller, page: Page) -> None:
    """Show a text a windowful at a time; each stands until a key is pressed, the last one, too."""
    lines = page.text.rstrip("\n").split("\n")
    room = max(2, caller.line.rows - 1)
    for start in range(0, len(lines), room):
        for number, line in enumerate(lines[start : start + room], start):
            caller.console.say(line, Style.BOLD if number == 0 else Style.PLAIN)
        is_last = start + room >= len(lines)
        prompt = caller.words("-- end: any key -- ") if is_last else caller.words("-- more: any key, [Q] stops -- ")
        key = ask_key(caller, prompt, lambda: (Offer("ENTER", caller.words("Go on")),))
        caller.console.wipe()
        if key in {"q", "Q", "\x1b"}:
            return
