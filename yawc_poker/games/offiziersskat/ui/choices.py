"""Offiziersskat's option, as people read and choose it: the points that end a match. Pure."""

from typing import Final

from msgspec.structs import replace

from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.offiziersskat.model import TARGET, Options
from yawc_poker.table_ui.definition import Choices, number
from yawc_poker.words import Words

SHORT: Final = 7
"""Points that end a short match."""
_MEANT: Final = {
    **dict.fromkeys(("points", "punkte", "punten"), "points"),
    **dict.fromkeys(("short", "kurz", "kort", "court"), "short"),
    **dict.fromkeys(("normal", "normaal"), "normal"),
}


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return how a match with these options is played."""
    return (words.count("The match ends at {n} point.", "The match ends at {n} points.", options.target),)


def usage(words: Words) -> str:
    """Return what may be typed after `/option`."""
    return words(
        "The Game-Master may choose: /option short ({n} points), /option normal, /option points 1-{most}",
        n=SHORT,
        most=TARGET,
    )


def choose(options: Options, text: str) -> Options:
    """Return the options after a line such as `points 7`. Raise `IllegalMove` "no_option", "option_range"."""
    name, _, rest = text.partition(" ")
    match _MEANT.get(name.lower()), rest.strip():
        case "short", "":
            return replace(options, target=SHORT)
        case "normal", "":
            return replace(options, target=TARGET)
        case "points", amount:
            return replace(options, target=number(amount, 1, TARGET))
        case _:
            raise IllegalMove("no_option")


CHOICES = Choices(terms, usage, choose)
