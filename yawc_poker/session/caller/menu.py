"""Menus: each line is one value, from which the menu's text, the check of its keys and what a key does are derived.

Owns how a menu of single keys is shown and answered, and where extras add lines (the place `menu_lines`). Two lines
with one key are an error: of a menu's own lines at import, of added ones at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.page.protocol import Offer
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import OwnOffers, ask_key, no_more
from yawc_poker.terminal.keys import is_character

BACK: Final = "Q"
"""The key that leads back from a menu which says so; any other key that it does not have does the same."""


def for_everybody(caller: Caller) -> bool:
    """Return that a line is there for any caller."""
    return True


class MenuLine(NamedTuple):
    """A key of a menu."""

    key: str
    """It works in any case."""
    title: str
    """A message of the catalogues: the line's text, and what stands behind the prompt once the key is pressed."""
    act: Callable[[Caller], MenuLine | None]
    """Do what the key means; may return a line that works at the next prompt only."""
    works: Callable[[Caller], bool] = for_everybody
    """Whether the menu has this line for a caller; else the key means nothing."""
    is_listed: bool = True
    """It stands in the menu's text."""
    is_offered: Callable[[Caller], bool] = for_everybody
    """Whether a page has a button for it."""
    goes_on: bool = False
    """What it does begins at the open prompt, behind which no title is written."""
    also: str = ""
    """Another key that does the same, which no text names."""

    def offer(self, caller: Caller) -> Offer:
        """Return the key as a button of a page."""
        return Offer(self.key.lower(), caller.words(self.title))

    def has(self, key: str) -> bool:
        """Return whether a key that was pressed is this line's."""
        return key.upper() in {self.key.upper(), *self.also}


class AddedLine(NamedTuple):
    """A line that an extra adds to a menu."""

    menu: str
    """The menu's name."""
    line: MenuLine
    before: str
    """The key of the menu's own line that it stands before."""


class Menu:
    """Lines in their order, and what their keys do."""

    def __init__(self, name: str, lines: Iterable[MenuLine], *, leads_back: bool) -> None:
        """`leads_back`: the last line is that of `BACK`. Raise `ValueError` for no key, and for one given twice."""
        self.name = name
        self._lines = tuple(lines)
        self._leads_back = leads_back
        self.keys = tuple([key for line in self._lines for key in (line.key, *line.also)])
        check_keys(name, (BACK, *self.keys) if leads_back else self.keys)

    def with_added(self) -> Menu:
        """Return the menu with the lines of all extras; to be called at the start.

        Raise `ValueError` for a line before one that is not there, and as the constructor does.
        """
        lines = list(self._lines)
        for menu, line, before in announced("menu_lines", AddedLine):
            if menu == self.name:
                places = [place for place, one in enumerate(lines) if one.key == before]
                if not places:
                    raise ValueError(f"{menu}: there is no line {before!r} for {line.key!r} to stand before")
                lines.insert(places[0], line)
        return Menu(self.name, lines, leads_back=self._leads_back)

    def lines(self, caller: Caller) -> list[MenuLine]:
        """Return the lines that the menu has for a caller, listed or not."""
        return [line for line in self._lines if line.works(caller)]

    def texts(self, caller: Caller) -> Iterator[str]:
        """Yield the text of each line that is listed for a caller."""
        for line in self.lines(caller):
            if line.is_listed:
                yield f"[{line.key}] {caller.words(line.title)}"
        if self._leads_back:
            yield f"[{BACK}] " + caller.words("Back")

    def show(self, caller: Caller) -> None:
        """Write the lines, and an empty one below."""
        for text in self.texts(caller):
            caller.console.say(f"  {text}")
        caller.console.say()

    def has(self, caller: Caller, key: str) -> bool:
        """Return whether a key means something in the menu to a caller, if only the way back."""
        return (self._leads_back and key.upper() == BACK) or any(line.has(key) for line in self.lines(caller))

    def ask(self, caller: Caller, prompt: str, own: OwnOffers = no_more) -> MenuLine | None:
        """Ask for a key, and return its line, or None if the menu has none for it, which leads back. As `answered`."""
        return self.answered(caller, ask_key(caller, prompt, own))

    def answered(self, caller: Caller, key: str, offered: MenuLine | None = None) -> MenuLine | None:
        """Return the line of a key that was pressed at an open prompt, and close the prompt by the line's title.

        `offered` is a line besides, which goes first.
        """
        lines = self.lines(caller) if offered is None else [offered, *self.lines(caller)]
        chosen = next((line for line in lines if line.has(key)), None)
        if chosen is None or not chosen.goes_on:
            caller.console.finish("" if chosen is None else caller.words(chosen.title))
        return chosen

    def offers(self, caller: Caller) -> list[Offer]:
        """Return all keys of the menu for a caller as the buttons of a page."""
        return [line.offer(caller) for line in self.lines(caller) if line.is_offered(caller)]


def check_keys(menu: str, keys: Iterable[str]) -> None:
    """Raise `ValueError` unless each of a menu's keys can be pressed and stands for one thing, in any case."""
    taken = set[str]()
    for key in keys:
        if len(key) != 1 or not is_character(key) or key == " ":
            raise ValueError(f"{menu}: nobody can press the key {key!r}")
        if key.upper() in taken:
            raise ValueError(f"{menu}: two things have the key {key!r}")
        taken.add(key.upper())
