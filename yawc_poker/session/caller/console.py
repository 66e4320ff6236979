"""The console: scrolling text and the prompt at its foot.

Owns the prompt's line: a text that comes in between (an X-message, a login notice) is written above it, and the prompt
with all that was typed so far is written again below. Never waits.

A page around the terminal is told the same texts as messages, and what was typed never. It is also told which cells of
the text mean a key of the open prompt (`table_ui.touch`): whatever comes in between, they stay where they are.
"""

import math
import re
from collections import deque
from collections.abc import Sequence
from typing import Final

from yawc_poker.page.protocol import Offers
from yawc_poker.table_ui.touch import in_text
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.line import Echo, Line
from yawc_poker.terminal.text import in_signs
from yawc_poker.terminal.widgets import hanging, wrap

HANG = "    "
"""The indent of the further lines of others' text."""
_MOST_SAID: Final = 64
"""Lines that are kept for a page; no menu has more."""
_KEY: Final = re.compile(r" *(?:(?<= )\[[^\] ]+\] )?")
"""The blanks a line begins with, and in a menu its key."""
_Row = tuple[str, str | None]
"""A row above the prompt, and what it means (`in_text`)."""


class Console:
    """Line-by-line conversation with a caller."""

    def __init__(self, line: Line, display: Display, *, tells_page: bool = True) -> None:
        """`tells_page`: a page around the terminal is told the same; not where it is told otherwise."""
        self._line = line
        self._display = display
        self._page = line.page if tells_page else None
        self._said: list[str] = []
        """What was said since `take_said`, for a page."""
        self._rows: deque[_Row] = deque(maxlen=_MOST_SAID)
        """What stands above the prompt since the last answer, for a page."""
        self._keys: frozenset[str] = frozenset()
        """What the open prompt offers."""
        self._prompt = ""
        self._typed = ""
        self.answered_at = -math.inf
        """When the caller last answered a question by y or n (`session.caller.prompts`). Monotonic seconds."""

    @property
    def is_open(self) -> bool:
        """Whether a prompt is open."""
        return bool(self._prompt)

    def say(self, text: str = "", style: Style = Style.PLAIN, means: str | None = "") -> None:
        """Write a line or several, broken between words where the window ends.

        `means` is a key of the next prompt, or an answer to it, that all of it stands for; None: it is what others have
        written, which names no keys.
        """
        wrapped = self._wrapped(text)
        self._display.text(wrapped + "\n", style)
        if self._page is not None:
            self._keep(wrapped, means)
            if means == "":
                self._said = [*self._said[1 - _MOST_SAID :], text]
            self._tell(text, style)

    def show(self, pieces: Sequence[tuple[str, Style]]) -> None:
        """Write a line of pieces that are not broken, each in a style of its own."""
        for text, style in pieces:
            self._display.text(text, style)
        self._display.text("\n")
        whole = "".join(text for text, _ in pieces)
        self._keep(whole, None)
        self._tell(whole, Style.PLAIN)

    def _keep(self, wrapped: str, means: str | None) -> None:
        if self._page is not None:
            self._rows.extend((row, means) for row in wrapped.split("\n"))

    def offer(self, offers: Offers) -> None:
        """Show on a page what may be pressed at the open prompt, and what may be touched of the text."""
        if self._page is not None:
            self._page.offer(offers)
            self._keys = frozenset(offer.key for offer in offers.keys)
            self._show_areas()

    def _show_areas(self) -> None:
        if self._page is not None and self._prompt:
            width = self._line.columns
            prompt = [(self._prompt[at : at + width], "") for at in range(0, len(self._prompt), width)]
            self._page.touch(in_text([*self._rows, *prompt], self._keys))

    def take_said(self) -> list[str]:
        """Return what was said since the last call, as far as it may name keys."""
        said, self._said = self._said, []
        return said

    def _tell(self, text: str, style: Style) -> None:
        if self._page is not None and (told := text.strip()):
            self._page.tell(told, style.name.lower())

    def prompt(self, text: str) -> None:
        """Open a prompt: the cursor stays behind it. Of a long one, only the last line is written anew."""
        *above, last = wrap(text, self._line.columns - 1) or [""]
        for line in above:
            self._display.text(line + "\n", Style.BOLD)
            self._keep(line, "")
        self._prompt, self._typed = last + " " * (len(text) - len(text.rstrip(" "))), ""
        self._display.text(self._prompt, Style.BOLD)
        self._tell(text, Style.BOLD)

    def show_typed(self, editor: LineEditor, *, hidden: bool = False) -> None:
        """Bring the prompt's line up to what the editor holds; long input scrolls inside the line.

        Where no line can be written anew, it goes on in the next one. Nothing is shown that the caller's side shows.
        """
        room = max(1, self._line.columns - len(self._prompt) - 2)
        if self._line.echo is not Echo.OURS:  # it stands there
            self._typed = "" if hidden else editor.text
            return
        typed = "" if hidden else editor.visible(room)[0] if self._display.can_draw else in_signs(editor.text)
        if typed == self._typed:
            return
        if typed.startswith(self._typed):
            self._display.text(typed[len(self._typed) :])
        elif self._typed.startswith(typed):
            gone = len(self._typed) - len(typed)
            self._display.erase(gone)
        else:
            self._display.erase_line()
            self._display.text(self._prompt, Style.BOLD)
            self._display.text(typed)
        self._typed = typed

    def finish(self, echo: str = "", *, by_enter: bool = False) -> None:
        """Close the prompt: the answer stays, the next text begins a line below.

        `by_enter`: the caller has typed an ENTER, which begins that line where the caller's side shows what is typed.
        """
        if by_enter and self._line.echo is not Echo.OURS:
            self._display.erase_line()  # some sides show a line feed alone
        else:
            self._display.text(echo + "\n")
        self._prompt = self._typed = ""
        self._rows.clear()

    def wipe(self) -> None:
        """Close the prompt and take it off the screen."""
        self._display.erase_line()
        self._prompt = self._typed = ""
        self._rows.clear()

    def interrupt(self, text: str, style: Style = Style.PLAIN) -> None:
        """Write a text at once, above the open prompt."""
        self._tell(text, style)
        wrapped, is_open = self._wrapped(text, HANG), bool(self._prompt)
        if is_open:
            self._display.erase_line()
        self._display.text(wrapped + "\n", style)
        self._keep(wrapped, None)
        if is_open:
            self._reopen()
            self._show_areas()

    def redraw(self) -> None:
        """Write the line of the open prompt anew."""
        self._display.erase_line()
        self._reopen()

    def _reopen(self) -> None:
        self._display.text(self._prompt, Style.BOLD)
        self._display.text(self._typed)

    def _wrapped(self, text: str, hang: str = "") -> str:
        width = self._line.columns - 1
        return "\n".join(one for line in text.split("\n") for one in broken(line, width, hang))


def broken(line: str, width: int, hang: str = "") -> list[str]:
    """Break a line; further lines are indented as the line itself is, or its text behind a key, and by `hang` more.

    So no other player's text stands in the first column, where the BBS's own lines begin.
    """
    if len(line) <= width:
        return [line.rstrip(" ")]
    start = _KEY.match(line)
    indent = (" " * (0 if start is None else start.end()) + hang)[: width // 2]
    return hanging(line, width, indent)
