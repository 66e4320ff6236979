"""Poker's stakes, as people read them; only a sysop sets them. Pure."""

from yawc_poker.games.poker.model import Options
from yawc_poker.table_ui.definition import Choices
from yawc_poker.words import Words


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return the stakes."""
    return (words("The ante is {ante} CUBES, a bet at most {most} CUBES.", ante=options.ante, most=options.max_bet),)


def usage(words: Words) -> str:
    """Return who chooses the stakes."""
    return words("The sysop chooses the stakes.")


CHOICES = Choices(terms, usage)
