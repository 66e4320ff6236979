"""What a caller prefers, remembered with their account: bells, titles, notices, suits, colours, lines for a screen.

Owns the values and how they are stored, as one JSON object of those that are not as shipped. Invariant: whatever is
stored can be read, also by a version that knows fewer or more preferences.
"""

from typing import Literal

import msgspec
from msgspec.structs import replace

Suits = Literal["signs", "symbols"]
"""``+ * # -`` or ♣ ♠ ♥ ♦."""
Colours = Literal[2, 4]
"""Of the suits: red and black, or one each."""
Letters = Literal["own", "english"]
"""Of the court cards: as the caller's language has them (A K D B), or A K Q J."""
Background = Literal["dark", "light"]


class Preferences(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a caller prefers. A new one is as shipped."""

    bell: bool = True
    """Ring when it is one's turn, when somebody comes to one's empty table, and for an X-message."""
    title: bool = True
    """Put it into the window's title (OSC 0), where the terminal is known to take that."""
    notice: bool = True
    """Show it as a notice of the desktop (OSC 9 or 777), where the terminal is known to take that."""
    suits: Suits | None = None
    """None: as `fitted` has them."""
    colours: Colours | None = None
    """None: as `fitted` has them."""
    letters: Letters = "own"
    background: Background = "dark"
    linear: bool | None = None
    """Events as lines instead of a screen; None: as fits the terminal, and the caller may be asked."""
    brief: bool = False
    """In lines nothing is told that a key would tell."""
    mouse: bool = False
    """A click on a key or a card of a table presses it, where the terminal reports its mouse; in a page always."""
    meet: bool = True
    """Read at a prompt who comes, who goes, and who waits at a table."""


def fitted(preferences: Preferences, *, on_page: bool) -> Preferences:
    """Return preferences in which all is chosen: a page shows symbols in four colours, a terminal signs in two."""
    suits, colours = preferences.suits, preferences.colours
    return replace(
        preferences,
        suits=suits or ("symbols" if on_page else "signs"),
        colours=colours or (4 if on_page else 2),
    )


def read_preferences(text: str) -> Preferences:
    """Return the preferences stored as `text`; what this version does not know, or cannot read, is as shipped."""
    try:
        return msgspec.json.decode(text, type=Preferences)
    except msgspec.DecodeError:
        return Preferences()


def written(preferences: Preferences) -> str:
    """Return the text to store."""
    return msgspec.json.encode(preferences).decode()
