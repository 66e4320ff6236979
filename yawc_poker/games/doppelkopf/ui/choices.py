"""Doppelkopf's options, as people read and choose them: rounds or a tournament, and CUBES for the points. Pure."""

from msgspec.structs import replace

from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.doppelkopf.model import MOST_CUBES, MOST_ROUNDS, TOURNAMENT, Options
from yawc_poker.table_ui.definition import Choices, number
from yawc_poker.words import Words

_NAMES = {
    "tournament": "tournament turnier toernooi tournoi",
    "normal": "normal normaal",
    "rounds": "rounds runden ronden rondes manches",
    "cubes": "cubes",
}
_MEANT = {name: meant for meant, names in _NAMES.items() for name in names.split()}


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


def choose(options: Options, text: str) -> Options:
    """Return the options after a line such as `tournament`. Raise `IllegalMove` "no_option", "option_range"."""
    name, _, rest = text.partition(" ")
    match _MEANT.get(name.lower()), rest.strip():
        case ("tournament" | "normal") as kind, "":
            return replace(options, tournament=kind == "tournament")
        case "rounds", amount:
            return replace(options, rounds=number(amount, 1, MOST_ROUNDS), tournament=False)
        case "cubes", amount:
            return replace(options, cubes=number(amount, 0, MOST_CUBES))
        case _:
            raise IllegalMove("no_option")


CHOICES = Choices(terms, usage, choose)
