"""Offiziersskat's option, as people read and choose it: the points that end a match. Pure."""

from typing import Final

from msgspec.structs import replace

from yawc_poker.games.offiziersskat.model import TARGET, Options
from yawc_poker.table_ui.definition import Choices, Option
from yawc_poker.words import Words

SHORT: Final = 7
"""Points that end a short match."""


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


CHOICES: Final = Choices[Options](
    terms,
    usage,
    (
        Option("short kurz kort court", lambda one, _: replace(one, target=SHORT)),
        Option("normal normaal", lambda one, _: replace(one, target=TARGET)),
        Option("points punkte punten", lambda one, number: replace(one, target=number), 1, TARGET),
    ),
)
