"""People who go away without leaving the table: asleep, or without a line; and how they come back. Pure.

Owns the count of clocks that ran out, the seat that is held for somebody whose line is gone, and the exchange of the
session that has it. The rules are told nothing: clocks act for whoever is not there as for anybody. Invariants: a held
seat is a person's, and has the session that lost the line until another one takes it over; nobody but its holder gets
it; it is freed as any other once its time is over (`casino.tables.upkeep`), whether that session lives or not. Whoever
takes a seat over, or presses a key, is awake. Between games the master's privilege is with somebody who is here, if
anybody is: who goes loses it at once. In a running game the rules name the master, and absence is nothing to them
(spec/poker.md 3.3).
"""

import math
from collections.abc import Collection

from msgspec.structs import replace

from yawc_poker.engine import values
from yawc_poker.engine.effects import advance, led_by, log, with_seat
from yawc_poker.engine.events import CameBack, LineGone, WentAway
from yawc_poker.engine.game import EventT, IllegalMove, Rules, StateT
from yawc_poker.engine.transcript import Action, Joined, detail
from yawc_poker.engine.values import Change, Clocks, Seat, Table

# --- asleep ----------------------------------------------------------------------------------------------------------


def clock_missed(table: Table[StateT, EventT], seat: int | None) -> Table[StateT, EventT]:
    """Count a clock that ran out on the person in a seat; after `SLEEPS` of them in a row they are away.

    That is logged if there is anybody to read it.
    """
    who = None if seat is None else table.seats[seat]
    if seat is None or who is None or not values.may_sleep(who) or values.is_asleep(who):
        return table
    goes = who.missed + 1 == values.SLEEPS and len(values.persons(table)) > 1
    who = replace(who, missed=who.missed + 1, gone=who.gone or goes)
    table = replace(table, seats=with_seat(table.seats, seat, who))
    return log(table, WentAway(seat), seat) if goes else table


def wake(table: Table[StateT, EventT], session: int, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Note that the person of a session is awake: they have pressed a key. Raise "not_seated".

    They lead the table if nobody who is here does.
    """
    return woken(table, values.own_seat(table, session), now, clocks)


def woken(table: Table[StateT, EventT], seat: int, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Do the same for the person in a seat; the same table if their last clock did not run out."""
    who = table.seats[seat]
    if who is None or not who.missed:
        return table
    if not values.is_asleep(who):
        return replace(table, seats=with_seat(table.seats, seat, replace(who, missed=0)))
    return _back(table, seat, who, now, clocks)


def _led(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Return the table led by somebody who is here, with a fresh clock, now that somebody has gone or come back.

    Who is here and leads it does not lose it. In a running game the rules name the master, and whoever has started one
    stays it until it is dealt.
    """
    if table.master is None or table.game is not None or table.opening is not None:
        return table
    master = values.leader_from(table, table.master)
    return table if master == table.master else led_by(replace(table, deadline=now + clocks.master), master)


def looking_on(
    change: Change[StateT, EventT], game: Rules[StateT, EventT], now: float, clocks: Clocks, dealt: Collection[int]
) -> Change[StateT, EventT]:
    """Tell the rules of those who sat here when the game was `dealt` and are not in it, as of people who come later."""
    table = change.table
    for seat, who in enumerate(table.seats):
        if table.game is not None and who is not None and seat not in dealt:
            joined = Joined(who.name, who.cash, away=not values.is_here(who))
            action = Action(table.action, 0, "join", seat, who.user, detail(joined))
            table = advance(table, game, game.join(table.game, seat, who.cash), now, clocks, action).table
    return Change(table, change.payments)


# --- without a line --------------------------------------------------------------------------------------------------


def hold(
    table: Table[StateT, EventT], session: int, now: float, until: float, clocks: Clocks, *, told: bool = True
) -> Table[StateT, EventT]:
    """Keep the seat of a session for its person until this moment: their line is gone. Raise "not_seated".

    Between games the master's privilege passes on at once. A seat that is held already stays so until the moment that
    was told. Not `told`: nothing is logged and nothing passes on, because they are coming in by another line.
    """
    seat = values.own_seat(table, session)
    who = table.seats[seat]
    if who is None or who.held or not values.is_person(who):
        return table
    table = replace(table, seats=with_seat(table.seats, seat, replace(who, held=until, gone=who.gone or told)))
    return _led(log(table, LineGone(seat, round(until - now)), seat), now, clocks) if told else table


def end_hold(table: Table[StateT, EventT], user: int, now: float) -> Table[StateT, EventT]:
    """End now the time for which a seat is held for a user: it is to be freed. The same table if that is so already."""
    seat = held_for(table, user)
    who = None if seat is None else table.seats[seat]
    if seat is None or who is None or who.held <= now:
        return table
    return replace(table, seats=with_seat(table.seats, seat, replace(who, held=now)))


def line_back(table: Table[StateT, EventT], session: int, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Note that the line of a session is back. Raise "not_seated"."""
    seat = values.own_seat(table, session)
    who = table.seats[seat]
    return table if who is None or not who.held else _back(table, seat, replace(who, held=0.0), now, clocks)


def due_at(table: Table[StateT, EventT]) -> float | None:
    """Return when something is due at a table: the end of its clock, or of a hold, if that comes first; None: never."""
    moments = [who.held for who in table.seats if who is not None and who.held]
    first = min([*moments, math.inf if table.deadline is None else table.deadline])
    return None if first == math.inf else first


def held_for(table: Table[StateT, EventT], user: int) -> int | None:
    """Return the seat that is held for a user; None: there is none."""
    return next((seat for seat, who in enumerate(table.seats) if who and who.held and who.user == user), None)


def take_over(
    table: Table[StateT, EventT], user: int, session: int, now: float, clocks: Clocks
) -> Table[StateT, EventT]:
    """Put another session of a user into the seat that is held for them; raise "not_seated" if none is.

    Everything that the old session had is the new one's: its lines of the log, and the closing of a game.
    """
    seat = held_for(table, user)
    who = None if seat is None else table.seats[seat]
    if seat is None or who is None:
        raise IllegalMove("not_seated")
    entries = tuple(replace(entry, session=session) if entry.session == who.session else entry for entry in table.log)
    override = session if table.override == who.session else table.override
    table = replace(table, log=entries, override=override)
    if table.next_deck is not None and table.opening is None:  # the old session had the text, and may be dead
        others = tuple(one for one in table.next_deck.commitments if one.seat != seat)
        table = replace(table, next_deck=replace(table.next_deck, commitments=others))
    return _back(table, seat, replace(who, session=session, held=0.0), now, clocks)


def _back(table: Table[StateT, EventT], seat: int, who: Seat, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Return the table with somebody awake in their seat; that is told if it was told that they went."""
    table = replace(table, seats=with_seat(table.seats, seat, replace(who, missed=0, gone=False)))
    return _led(log(table, CameBack(seat), seat) if who.gone else table, now, clocks)
