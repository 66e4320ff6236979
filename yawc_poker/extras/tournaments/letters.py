"""A letter of the BBS's own to everybody who takes part: that it has begun, then how it ended, or that it does not.

One a tournament lies in a box, the newest: a letter never calls anybody to what is over.
"""

from collections.abc import Iterator
from typing import Final, Literal

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.catalogues import words
from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.rows import Tournament
from yawc_poker.extras.tournaments.standings import Standing
from yawc_poker.session.menus.history import game_name
from yawc_poker.words import Words

BEST: Final = 3
"""Places that a letter names."""

Told = Literal["running", "over", "off"]
"""The states of a tournament of which a letter tells."""


def title_of(words: Words, one: Tournament) -> str:
    """Return a tournament's game, with the name that it was given."""
    name = game_name(one.kind, words)
    return f"{name}: {one.name}" if one.name else name


def write(instance: Instance, one: Tournament, state: Told) -> None:
    """Tell all who take part that a tournament reaches a state; again it changes nothing. Raise `StoreError`."""
    with instance.bank.store.reading() as books:
        order = rows.table_of(books, one.id)
        due = rows.due(books, one.id, order) if state == "over" else {}
    names = instance.accounts.names([each.user for each in order[:BEST]])
    for each in order:
        user = instance.accounts.by_id(each.user)
        if user is not None:
            speak = words(user.language)
            best = ", ".join(f"{place.rank}. {names.get(place.user, '')}" for place in order[:BEST])
            lines = _told(speak, one, state, each, due.get(user.id, 0), best)
            instance.meeting.letters.leave(user.id, "\n".join(lines))


def _told(words: Words, one: Tournament, state: Told, own: Standing, prize: int, best: str) -> Iterator[str]:
    """Yield the lines of a letter, of which the first names the tournament."""
    yield words("Tournament {n}: {title}", n=one.id, title=title_of(words, one))
    match state:
        case "running":
            yield words("It has begun. S, E leads to your table.")
        case "over":
            yield words("It is over. Your place: {rank}.", rank=own.rank)
            if prize:
                yield words("Your prize: {cubes} CUBES.", cubes=prize)
            yield best
        case "off":
            yield words("It was called off. All fees went back.")
