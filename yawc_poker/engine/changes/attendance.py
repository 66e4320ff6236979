"""Who of those at a table is there: awake, and with a line. Pure.

Owns when somebody counts as away, who may lead a table, and whose seat a session has. House players are never away, and
neither are guests, who press no keys. Somebody who is not here is dealt no cards, and pays no ante; in a running game
their clocks act for them as for anybody.
"""

from typing import Final

from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.values import AWAY, Seat, Table, is_person, persons, seat_of, seated

SLEEPS: Final = 2
"""Clocks of a person that run out in a row before they are away."""


def may_sleep(who: Seat) -> bool:
    """Return whether somebody can be away: a person with an account."""
    return is_person(who) and who.user < HOUSE_USERS.start


def is_asleep(who: Seat) -> bool:
    """Return whether somebody is away: their clocks ran out, and they have pressed no key since."""
    return who.missed >= SLEEPS


def is_here(who: Seat) -> bool:
    """Return whether somebody is dealt into the next game: neither away, without a line, gone, nor sitting out."""
    return who.session != AWAY and not is_asleep(who) and not who.held and not who.out


def here(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats of those who are dealt into a game that begins now, ascending."""
    return tuple([seat for seat, who in enumerate(table.seats) if who is not None and is_here(who)])


def leaders(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats that the master's privilege may pass to, ascending: of people who are here, else of people."""
    people = persons(table)
    return tuple([seat for seat in people if seat in here(table)]) or people or seated(table)


def leader_from(table: Table[StateT, EventT], seat: int) -> int:
    """Return this seat, or if no person is here who may lead from there, that of the next one who may; between games.

    It is `seat` itself if nobody could take their place.
    """
    taken = leaders(table)
    if table.seats[seat] is None or not persons(table) or seat in taken:
        return seat
    return next((one for one in taken if one > seat), taken[0])


def own_seat(table: Table[StateT, EventT], session: int) -> int:
    """Return the seat of a session; raise "not_seated"."""
    seat = seat_of(table, session)
    if seat is None:
        raise IllegalMove("not_seated")
    return seat
