"""The pager: a long text, shown a window at a time."""

import re
from typing import NamedTuple

from yawc_poker.config import TableSettings
from yawc_poker.page.protocol import Offer
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.console import broken
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.terminal.frame import Style


class Page(NamedTuple):
    """A help text; the title is its first line."""

    title: str
    text: str
    settings: type[TableSettings] | None = None
    """The section whose values fill the fields of the text, as `{ante}`."""
    name: str = ""
    """Of a page about the BBS: its file's."""


_LAID_OUT = re.compile(r"(?:^|\n)(?: |[-*] |\d+[.)] )|\S {2,}\S")
"""In a paragraph whose lines mean something by themselves: a table, a list, a picture."""


def fitted(text: str, width: int) -> list[str]:
    """Return a text in lines for a window; where it is too narrow for a paragraph, its words are set anew."""
    found: list[str] = []
    for paragraph in text.rstrip("\n").split("\n\n"):
        lines = paragraph.split("\n")
        if max(map(len, lines)) > width and not _LAID_OUT.search(paragraph):
            lines = [" ".join(lines)]
        found += [*(part for line in lines for part in broken(line, width)), ""]
    return found[:-1]


def show_page(caller: Caller, page: Page) -> None:
    """Show a text a windowful at a time; each stands until a key is pressed, the last one, too."""
    lines = fitted(page.text, caller.line.columns - 1)
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
