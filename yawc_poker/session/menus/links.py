"""Where a link leads: whoever opens one in a page comes to its table; a guest without one plays with the house.

Owns the choice of what is done there. The ways to a seat and beside a table are `session.menus.casino`'s.
"""

from collections.abc import Callable
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.digits import decimal
from yawc_poker.engine.house import Level
from yawc_poker.registry.entry import Entry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.casino import games_here, look_on_at, sit_at
from yawc_poker.session.menus.guests import remind
from yawc_poker.session.table.play import play_at
from yawc_poker.terminal.frame import Style


class AddedLink(NamedTuple):
    """Where links lead that an extra adds (place `links`)."""

    word: str
    """Stands before a number, as `game` in `#game-17`; no game is called so."""
    follow: Callable[[Caller, int], None]
    """Lead a caller there."""


def follow_link(caller: Caller) -> None:
    """Lead a caller who has just come to the table of their link, and a guest to a game."""
    place = caller.login.link.place
    number = caller.tables.named(place)
    word, _, at = place.lower().rpartition("-")
    added = next((one for one in announced("links", AddedLink) if one.word == word), None)
    if number is not None:
        _go(caller, number)
    elif added is not None:
        added.follow(caller, decimal(at) or 0)
    elif place:
        caller.console.say(caller.words("The link leads to no table of this BBS."), Style.YELLOW)
    elif caller.user.guest:
        _play_with_house(caller)


def _go(caller: Caller, number: int) -> None:
    """Look on where somebody sits; sit down at an empty table, a guest at once."""
    if any(seat is not None for seat in caller.tables[number].sitting()):
        look_on_at(caller, number)
    elif caller.user.guest:
        _play(caller, number)
    else:
        sit_at(caller, number, by_command=False)


def _play_with_house(caller: Caller) -> None:
    """Seat a guest at the first empty table of a game that the house plays; do nothing if there is none."""
    games = [game for game in games_here(caller) if _house(caller, game) is not None]
    tables = [table for game in games for table in caller.tables.of(game)]
    empty = (table for table in tables if all(seat is None for seat in caller.tables[table].sitting()))
    number = next(empty, None)
    if number is not None:
        _play(caller, number)


def _play(caller: Caller, number: int) -> None:
    """Let a guest sit down, with house players if these come there."""
    game = caller.tables.game(number)
    play_at(caller, caller.tables[number], game.definition, _house(caller, game))
    remind(caller)


def _house(caller: Caller, game: Entry) -> Level | None:
    """Return how well house players of a game play who are not told otherwise; None: none come."""
    house = caller.config.house
    return house.level if game.has_house and house.players > 0 else None
