"""Lines about on-lookers: who they are, for everybody; where they stand and which keys they have, for themselves."""

from collections.abc import Mapping, Sequence
from typing import Final

from yawc_poker.words import Words

SIT: Final = "S"
"""An on-looker's key to sit down."""
ASIDE: Final = ","
"""An on-looker's key to speak to the others who look on, where `[.]` speaks to the table."""


def watching(names: Sequence[str], room: int, words: Words) -> str:
    """Return who looks on: as many names as a line of `room` cells holds, and how many more. Empty: nobody does."""
    for shown in range(len(names), 0, -1):
        text = words("Watching: {names}", names=", ".join(names[:shown]))
        if shown < len(names):
            text += " " + words("and {n} more", n=len(names) - shown)
        if len(text) <= room:
            return text
    return ""


def called(name: str, words: Words) -> str:
    """Return what an on-looker is called at the table."""
    return words("{name}, watching", name=name)


def murmured(name: str, text: str, words: Words) -> str:
    """Return a line that an on-looker said to the others who look on."""
    return f"({called(name, words)}) {text}"


def place(words: Words) -> str:
    """Return what somebody reads in place of own cards who looks on."""
    return words("You look on: you see what everybody may see, and no hidden card.")


def keys(words: Words) -> Mapping[str, str]:
    """Return the lines of an on-looker's own keys, by `Local.house`."""
    return {
        SIT: words("[S] Sit down"),
        SIT + ASIDE: words("[S] Sit down   [,] To those who watch"),
        ASIDE: words("[,] To those who watch"),
    }
