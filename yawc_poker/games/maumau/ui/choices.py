"""Mau-Mau's options, as people read and choose them: the number of rounds. Pure."""

from typing import Final

from msgspec.structs import replace

from yawc_poker.games.maumau.model import MOST_ROUNDS, Options
from yawc_poker.table_ui.definition import Choices, Option
from yawc_poker.words import Words


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return how a game with these options is played."""
    return (words.count("{n} round is played.", "{n} rounds are played.", options.rounds),)


def usage(words: Words) -> str:
    """Return what may be typed after `/option`."""
    return words("The Game-Master may choose: /option rounds 1-{most}", most=MOST_ROUNDS)


CHOICES: Final = Choices[Options](
    terms,
    usage,
    (Option("rounds runden ronden rondes manches", lambda one, number: replace(one, rounds=number), 1, MOST_ROUNDS),),
)
