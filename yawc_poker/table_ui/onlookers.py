"""Lines about on-lookers: who they are, for everybody; where they stand and which keys they have, for themselves."""

from collections.abc import Mapping, Sequence
from typing import Final

from yawc_poker.words import Words

SIT: Final = "S"
"""An on-looker's key to sit down."""
TOLD: Final = 3
"""Most comings and goings that are told one by one."""
MOST_TOLD: Final = 6
"""Most such lines within `TOLD_SECONDS`: one who comes and goes all the time moves nobody's talk off the screen."""
TOLD_SECONDS: Final = 60.0
ROOM: Final = 200
"""Characters for the names of on-lookers where they are told, not shown."""
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


def changes(before: Sequence[str], names: Sequence[str], words: Words) -> list[str]:
    """Return who has come to look on and who has gone, in sentences; of many at once, who is there."""
    come = [words("{name} is watching.", name=name) for name in names if name not in before]
    gone = [words("{name} is not watching any more.", name=name) for name in before if name not in names]
    found = [*come, *gone]
    return found if len(found) <= TOLD else [watching(names, ROOM, words) or words("Nobody is watching any more.")]


def called(name: str, words: Words) -> str:
    """Return what an on-looker is called at the table."""
    return words("{name}, watching", name=name)


def murmured(name: str, text: str, words: Words) -> str:
    """Return a line that an on-looker said to the others who look on."""
    return f"({called(name, words)}) {text}"


def place(words: Words) -> str:
    """Return what somebody reads in place of own cards who looks on."""
    return words("You are watching: you see what everybody may see, and no hidden card.")


def keys(words: Words) -> Mapping[str, str]:
    """Return the lines of an on-looker's own keys, by `Local.house`."""
    return {
        SIT: words("[S] Sit down"),
        SIT + ASIDE: words("[S] Sit down   [,] To those who watch"),
        ASIDE: words("[,] To those who watch"),
    }
