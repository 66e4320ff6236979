"""House players at a table: asked to join, sent away, and who makes room for whom. Pure.

Owns which house player may sit down and which one goes; a seat's program is chosen by the process that sits there.
Invariants: there are never more invitations than free seats, and none where no person sits.
"""

from msgspec.structs import replace

from yawc_poker.engine.effects import log, with_seat
from yawc_poker.engine.events import HouseSays, Phrase
from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.house import Level, read_program
from yawc_poker.engine.reserving import need_free
from yawc_poker.engine.values import Table, own_seat, persons, seat_of


def invite(table: Table[StateT, EventT], session: int, level: Level) -> Table[StateT, EventT]:
    """Ask a house player to join, as a person who sits here; raise "not_seated", or "table_full" if none has a seat.

    Raise "reserved_fixed" at a reserved table.
    """
    _person(table, session)
    need_free(table)
    if len(table.invited) >= _free(table):
        raise IllegalMove("table_full")
    return replace(table, invited=(*table.invited, level))


def dismiss(table: Table[StateT, EventT], session: int) -> Table[StateT, EventT]:
    """Withdraw the last invitation, or send the house player away who came last; raise "not_seated", "no_house".

    Raise "reserved_fixed" at a reserved table.
    """
    _person(table, session)
    need_free(table)
    if table.invited:
        return replace(table, invited=table.invited[:-1])
    last = _last(table)
    if last is None:
        raise IllegalMove("no_house")
    return _sent_away(table, last)


def can_dismiss(table: Table[StateT, EventT]) -> bool:
    """Return whether an invitation can be withdrawn, or a house player sent away."""
    return bool(table.invited) or _last(table) is not None


def make_room(table: Table[StateT, EventT]) -> Table[StateT, EventT] | None:
    """Return a full table where a house player goes for a person who wants a seat; None: none of them can.

    It is the same table if one of them goes already.
    """
    if any(who is not None and who.goes for who in table.seats):
        return table
    last = _last(table)
    return None if last is None else _sent_away(table, last)


def must_go(table: Table[StateT, EventT], session: int) -> bool:
    """Return whether a house player has to leave now.

    They do when no person sits here any more, and when they were sent away and do not play in a running game.
    """
    seat = seat_of(table, session)
    who = None if seat is None else table.seats[seat]
    if seat is None or who is None or not who.program:
        return False
    plays = table.game is not None and table.players[seat] == who.user
    return not persons(table) or (who.goes and not plays)


def speak(table: Table[StateT, EventT], session: int, phrase: Phrase) -> Table[StateT, EventT]:
    """Let a house player say something, unless one has said something lately; the same table: it keeps silent.

    Raise "not_seated".
    """
    seat = own_seat(table, session)
    if any(isinstance(entry.event, HouseSays) for entry in table.log):
        return table
    return log(table, HouseSays(seat, phrase), seat)


def taken_up(table: Table[StateT, EventT], program: str) -> Table[StateT, EventT]:
    """Take away the invitation that a house player follows; raise "not_invited"."""
    named = read_program(program)
    if named is None or named[0] not in table.invited:
        raise IllegalMove("not_invited")
    place = table.invited.index(named[0])
    return replace(table, invited=(*table.invited[:place], *table.invited[place + 1 :]))


def within_room(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Drop the invitations, last first, for which no seat is free any more."""
    free = _free(table)
    return table if len(table.invited) <= free else replace(table, invited=table.invited[:free])


def _free(table: Table[StateT, EventT]) -> int:
    return table.seats.count(None)


def _last(table: Table[StateT, EventT]) -> int | None:
    """Return the seat of the house player who came last, of those who stay and stand in for nobody."""
    kept = {one.seat for one in table.kept}
    staying = [
        (who.came, seat)
        for seat, who in enumerate(table.seats)
        if who and who.program and not who.goes and seat not in kept
    ]
    return max(staying)[1] if staying else None


def _sent_away(table: Table[StateT, EventT], seat: int) -> Table[StateT, EventT]:
    who = table.seats[seat]
    return table if who is None else replace(table, seats=with_seat(table.seats, seat, replace(who, goes=True)))


def _person(table: Table[StateT, EventT], session: int) -> None:
    if seat_of(table, session) not in persons(table):
        raise IllegalMove("not_seated")
