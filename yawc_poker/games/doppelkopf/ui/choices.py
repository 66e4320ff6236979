"""Doppelkopf's options, as people read and choose them: rounds or a tournament, and CUBES for the points. Pure."""

from typing import Final

from msgspec.structs import replace

from yawc_poker.games.doppelkopf.model import MOST_CUBES, MOST_ROUNDS, TOURNAMENT, Options
from yawc_poker.table_ui.definition import Choices, Option
from yawc_poker.words import Words


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return how a match with these options is played, and what is at stake."""
    return (_length(options, words), *stakes(options, words))


def _length(options: Options, words: Words) -> str:
    if options.tournament:
        return words("A tournament of {n} games, with a compulsory solo of each player.", n=TOURNAMENT)
    return words.count("A match of {n} round.", "A match of {n} rounds.", options.rounds)


def stakes(options: Options, words: Words) -> tuple[str, ...]:
    """Return what is at stake in a match."""
    if not options.cubes:
        return (words("It is played for points, not for CUBES."),)
    return (
        words.count(
            "At stake: {n} CUBE for each point, won above 0 and paid below 0.",
            "At stake: {n} CUBES for each point, won above 0 and paid below 0.",
            options.cubes,
        ),
        words("You pay at most what you own at the start, even if you leave."),
    )


def usage(words: Words) -> str:
    """Return what may be typed after `/option`."""
    return words(
        "The Game-Master may choose: /option tournament, /option normal, /option rounds 1-{most}, "
        "/option cubes N (0: none)",
        most=MOST_ROUNDS,
    )


def _with_rounds(options: Options, rounds: int) -> Options:
    return replace(options, rounds=rounds, tournament=False)


CHOICES: Final = Choices[Options](
    terms,
    usage,
    (
        Option("tournament turnier toernooi tournoi", lambda one, _: replace(one, tournament=True)),
        Option("normal normaal", lambda one, _: replace(one, tournament=False)),
        Option("rounds runden ronden rondes manches", _with_rounds, 1, MOST_ROUNDS),
        Option("cubes", lambda one, number: replace(one, cubes=number), 0, MOST_CUBES),
    ),
)
