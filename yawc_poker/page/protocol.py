"""A page around a caller's terminal, as the session sees it.

A browser's page has more than a terminal: buttons, a log for a screen reader, a title. `Line.page` is the page of a
line that has one (`telnetd.extras.web.line`), and None for all others. So a session by telnet pays nothing for it.
"""

from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from yawc_poker.words import LANGUAGES, Language

RETURN: Final = "return"
"""The alarm at which a line that broke has not come back in time."""

Attend = Callable[[int, Callable[[], bool]], None]
"""Wait for input on a further descriptor: then the function is called, which returns whether the line has news."""


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key that means something now."""

    key: str
    """One character, or `ENTER`, `ESC`, or a word in small letters that answers a question."""
    label: str
    """What it does, in the caller's language, as the terminal shows it."""
    name: str = ""
    """The same in words, as "nine of clubs"; empty: the label is."""
    is_card: bool = False
    """It is one of the caller's cards."""
    lasts: bool = False
    """It means the same at any time at a table."""


Fill: TypeAlias = Literal["", "username", "current-password", "new-password"]
"""What a browser may fill in, in HTML's words (`autocomplete`); empty: nothing."""


class Area(msgspec.Struct, frozen=True, array_like=True):
    """Cells of the screen that mean a key when they are touched."""

    key: str
    """As in `Offer`."""
    column: int
    row: int
    """From the top of a table; below zero: of scrolling text, from the prompt's last row, which is -1."""
    width: int
    height: int

    def covers(self, column: int, row: int) -> bool:
        """Return whether a cell is one of these."""
        return 0 <= column - self.column < self.width and 0 <= row - self.row < self.height


Parting: TypeAlias = Literal["closing", "replaced"]
"""The BBS closes down; the same user has logged in from elsewhere."""


class Offers(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a caller may press now."""

    mode: Literal["menu", "line"]
    """Each key acts at once, or a line is being typed."""
    keys: tuple[Offer, ...]
    turn: bool
    """It is the caller's turn."""
    hidden: bool = False
    """What is typed must not be shown."""
    fill: Fill = ""
    digits: bool = False
    """A number is asked for."""
    room: int = 0
    """Characters of a line of chat; 0: there is nobody to chat with."""
    asks: str = ""
    """What the caller is asked, in words, with all that they need to know to answer; empty: nothing."""
    is_told: bool = False
    """The question stands among the messages, behind what it belongs to."""


class NextGame(msgspec.Struct, frozen=True):
    """What a page needs to know to have a part in the deal of the next game by a text that it draws itself."""

    seal: str
    """Empty: no deck is sealed now."""
    mine: str
    """What the caller is committed to; empty: nothing yet."""
    frozen: bool
    """The game begins, and the text is to be revealed."""


def spoken(tag: str) -> Language | None:
    """Return the language that a browser's tag means, as `de-AT`, or None if the BBS does not speak it."""
    code = tag.partition("-")[0].lower()
    return next((language for language in LANGUAGES if language == code), None)


class Page(Protocol):
    """A page around a terminal. Methods that send raise `LineClosed`, as a line does."""

    redraws: bool
    """The session draws the whole screen anew when the line is disturbed, as at a table; set by the session."""
    resume_seconds: float
    """How long its line may be broken; 0: the session ends with it."""
    carrier: int
    """The process that passes on what comes and goes by the line, as one that encrypts it does; 0: none."""

    address: str
    """Where it is, as its browser says; links that its caller is told begin with it. Empty: not said."""

    @property
    def is_away(self) -> bool:
        """Whether the line is broken, so that nothing sent now would be read before the caller comes back."""

    def offer(self, offers: Offers) -> None:
        """Show which keys mean something now."""

    def touch(self, areas: tuple[Area, ...]) -> None:
        """Show which cells of the screen mean a key when they are touched."""

    def tell(self, text: str, style: str) -> None:
        """Add a message to what happened, in words."""

    def notify(self, text: str) -> None:
        """Call the caller, as a notice of their device if nobody looks at the page and they have asked for that."""

    def share(self, link: str) -> None:
        """Show a link for others, to be copied or taken by a phone's camera."""

    def draw(self, title: str, svg: str) -> None:
        """Show a drawing (SVG), until the caller closes it."""

    def call(self, title: str) -> None:
        """Show where the caller is."""

    def speak(self, language: str) -> None:
        """Show the page in this language."""

    def ask(self, told: NextGame) -> None:
        """Tell what is sealed for the next game, so that the page commits to a text, or reveals it."""

    def answered(self) -> tuple[str, str]:
        """Return a commitment, or a text to reveal, that the page has sent since this was asked last; else empty."""

    def keep(self, attend: Attend, set_alarm: Callable[[str, float], None]) -> None:
        """Outlive a broken line from now on: the caller has logged in.

        `set_alarm` sets the alarm of a name (`RETURN`) to a moment; when it fires, the line's `keep_alive` is called.
        """

    def renew(self) -> None:
        """Let nobody come back by what the page has been given until now: the password was changed."""

    def part(self, why: Parting) -> None:
        """Tell the page at the end why it comes, where that is no goodbye."""
