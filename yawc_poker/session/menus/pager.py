"""The pager: a long text, shown a window at a time."""

from typing import NamedTuple

from yawc_poker.config import TableSettings
from yawc_poker.page.protocol import Offer
from yawc_poker.session.caller.caller import Caller
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
