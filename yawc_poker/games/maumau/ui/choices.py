"""Mau-Mau's options, as people read and choose them: the number of rounds. Pure."""

from msgspec.structs import replace

from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.maumau.model import MOST_ROUNDS, Options
from yawc_poker.table_ui.definition import Choices, number
from yawc_poker.words import Words

_ROUNDS = frozenset({"rounds", "runden", "ronden", "rondes", "manches"})


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return how a game with these options is played."""
    return (words.count("{n} round is played.", "{n} rounds are played.", options.rounds),)


def usage(words: Words) -> str:
    """Return what may be typed after `/option`."""
    return words("The Game-Master may choose: /option rounds 1-{most}", most=MOST_ROUNDS)


def choose(options: Options, text: str) -> Options:
    """Return the options after a line such as `rounds 8`. Raise `IllegalMove` "no_option", "option_range"."""
    name, _, rest = text.partition(" ")
    if name.lower() not in _ROUNDS:
        raise IllegalMove("no_option")
    return replace(options, rounds=number(rest.strip(), 1, MOST_ROUNDS))


CHOICES = Choices(terms, usage, choose)
