"""Seats that are kept while their holders are away, with a house player as their stand-in. Pure.

Owns when a seat is kept, who plays there meanwhile, and when it is given back or given up. The rules are told nothing
until then: for them the seat is taken. Invariants: a kept seat is never free; it is kept only while a game runs; the
shares, debts and points of the game stay its holder's (`Table.players`).
"""

from collections.abc import Callable
from typing import Generic, NamedTuple

from msgspec.structs import replace

from yawc_poker.engine.effects import advance, log, recorded, turn_of, with_seat
from yawc_poker.engine.events import Left, Removed, SatDown, SeatFreed
from yawc_poker.engine.game import EventT, Rules, StateT
from yawc_poker.engine.house import HOUSE_USERS, Level, read_program
from yawc_poker.engine.transcript import UNPLAYED, Action, ActionKind, Joined, detail
from yawc_poker.engine.values import (
    AWAY,
    Change,
    Clocks,
    Kept,
    Seat,
    Table,
    is_asleep,
    is_person,
    persons,
    seated,
)


class Keeps(NamedTuple, Generic[StateT]):
    """How a game keeps seats. A seat of somebody who is away is kept until they press a key, or the game is over."""

    stage: Callable[[StateT], int | None]
    """Return a number; a seat is kept until it is another one, such as that of the round. None: no seat is kept now."""
    left: bool = False
    """Also the seats of those who leave by their own wish are kept."""
    level: Level = "normal"
    """Of the house players who stand in for people."""


def kept_at(table: Table[StateT, EventT], seat: int) -> Kept | None:
    """Return what is kept of a seat; None: it is not kept."""
    return next((one for one in table.kept if one.seat == seat), None)


def kept_for(table: Table[StateT, EventT], user: int) -> Kept | None:
    """Return what is kept for a user, or None if nothing is."""
    return next((one for one in table.kept if one.holder.user == user), None)


def away_at(table: Table[StateT, EventT], seat: int | None) -> Kept | None:
    """Return what is kept of a seat where nobody plays now; None: somebody does, or it is not kept."""
    kept = None if seat is None else kept_at(table, seat)
    return kept if kept is not None and _is_away(table, kept) else None


def wanted(table: Table[StateT, EventT]) -> tuple[Level, ...]:
    """Return the levels of the house players that a table waits for: stand-ins first, then those asked to join."""
    return (*[one.level for one in table.kept if _is_away(table, one)], *table.invited)


def set_aside(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    seat: int,
    removed: bool,
    keeps: Keeps[StateT] | None,
    now: float,
    clocks: Clocks,
) -> Table[StateT, EventT] | None:
    """Return the table with the seat of somebody who goes kept; None: it is not to be kept, and they just leave.

    A guest's is not: nobody could tell whether it is the same one who comes back.
    """
    who, state = table.seats[seat], table.game
    if who is None or keeps is None or state is None or game.is_over(state) or not set(persons(table)) - {seat}:
        return None
    kept = kept_at(table, seat)
    if kept is None and (removed or keeps.left) and game.competes(state, seat) and who.user < HOUSE_USERS.stop:
        kept = _new(who, seat, state, keeps)
    if kept is None:
        return None
    others = tuple(one for one in table.kept if one.seat != seat)
    action = Action(table.action, 0, "away", seat, who.user, detail("removed" if removed else "left"))
    table = log(table, Removed(seat, kept=True) if removed else Left(seat, kept=True), seat)
    table = replace(table, seats=with_seat(table.seats, seat, kept.holder), kept=(*others, kept))
    return _on_turn(recorded(table, game, action, now), game, seat, now, clocks)


def put_aside(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    seat: int | None,
    keeps: Keeps[StateT] | None,
    now: float,
    clocks: Clocks,
) -> Table[StateT, EventT]:
    """Return the table with the seat of a player who is away kept, for a stand-in, where other people wait for them."""
    who, state = None if seat is None else table.seats[seat], table.game
    if seat is None or who is None or state is None or keeps is None or game.is_over(state):
        return table
    is_alone = not set(persons(table)) - {seat}
    if not is_asleep(who) or not is_person(who) or is_alone or not game.competes(state, seat):
        return table
    if (kept := _new(who, seat, state, keeps)) is None:
        return table
    kept = replace(kept, holder=replace(kept.holder, missed=who.missed), asleep=who.session)
    table = replace(table, seats=with_seat(table.seats, seat, kept.holder), kept=(*table.kept, kept))
    action = Action(table.action, 0, "away", seat, who.user, detail("asleep"))
    return _on_turn(recorded(table, game, action, now), game, seat, now, clocks)


def asleep_gone(
    table: Table[StateT, EventT], keeps: Keeps[StateT] | None, lives: Callable[[int], bool]
) -> Table[StateT, EventT]:
    """Return the table where the seats of those who were away, and have no session any more, are kept as of any."""
    if all(not one.asleep or lives(one.asleep) for one in table.kept):
        return table
    stage = None if keeps is None or table.game is None else keeps.stage(table.game)
    kept = [one if not one.asleep or lives(one.asleep) else _unwatched(one, stage) for one in table.kept]
    return replace(table, kept=tuple(kept))


def _unwatched(kept: Kept, stage: int | None) -> Kept:
    return replace(kept, asleep=0, stage=kept.stage if stage is None else stage)


def taken_over(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], person: Seat, now: float, clocks: Clocks
) -> Table[StateT, EventT] | None:
    """Seat a person who comes back, or a house player as the stand-in of somebody; None: no kept seat is for them."""
    named = read_program(person.program)
    kept = next((one for one in table.kept if _is_for(table, one, person.user, named and named[0])), None)
    if kept is None:
        return None
    kind: ActionKind = "stand_in" if person.program else "back"
    joined = detail(Joined(person.name, person.cash, person.program))
    action = Action(table.action, 0, kind, kept.seat, person.user, joined)
    came = replace(person, came=table.logged + 1)
    table = log(replace(table, seats=with_seat(table.seats, kept.seat, came)), SatDown(kept.seat), kept.seat)
    if not person.program:
        table = replace(table, kept=tuple(one for one in table.kept if one is not kept))
    return _on_turn(recorded(table, game, action, now), game, kept.seat, now, clocks)


def given_up(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], keeps: Keeps[StateT] | None, now: float, clocks: Clocks
) -> Change[StateT, EventT] | None:
    """Free the first seat that is not to be kept any longer: the rules are told now; None: there is none."""
    if table.game is None or game.is_over(table.game):
        return None
    stage = None if keeps is None else keeps.stage(table.game)
    over = [one for one in table.kept if one.stage != stage and not one.asleep]
    late = over or (() if persons(table) else table.kept)
    return give_up(table, game, late[0], now, clocks, unplayed=bool(over)) if late else None


def give_up(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    kept: Kept,
    now: float,
    clocks: Clocks,
    *,
    unplayed: bool = False,
) -> Change[StateT, EventT]:
    """Free a kept seat, also of its stand-in: its holder has left the running game (`Rules.leave`)."""
    state = table.game
    assert state is not None, "a seat is kept without a game"
    table = released(table, kept)
    action = Action(table.action, 0, "leave", kept.seat, kept.holder.user, UNPLAYED if unplayed else "")
    return advance(table, game, game.leave(state, kept.seat, unplayed=unplayed), now, clocks, action, kept.holder)


def freed(table: Table[StateT, EventT], game: Rules[StateT, EventT]) -> Table[StateT, EventT]:
    """Free all seats that were kept in a game that has ended."""
    for kept in table.kept:
        last = None if table.last is None else game.leave(table.last, kept.seat).state
        table = replace(released(table, kept), last=last)
    return table if seated(table) else replace(table, last=None)


def released(table: Table[StateT, EventT], kept: Kept) -> Table[StateT, EventT]:
    """Free a seat that was kept, also of a stand-in; the rules are not told."""
    table = log(table, SeatFreed(kept.seat) if _is_away(table, kept) else Left(kept.seat), kept.seat)
    seats = with_seat(table.seats, kept.seat, None)
    return replace(table, seats=seats, kept=tuple(one for one in table.kept if one.seat != kept.seat))


def _new(who: Seat, seat: int, state: StateT, keeps: Keeps[StateT]) -> Kept | None:
    """Return what is to be kept of a seat; None: the game keeps none now."""
    stage, named = keeps.stage(state), read_program(who.program)
    level = keeps.level if named is None else named[0]
    return None if stage is None else Kept(seat, _absent(who), stage, level)


def _absent(who: Seat) -> Seat:
    """Return a seat as it stands while nobody plays there."""
    return replace(who, session=AWAY, goes=False, missed=0, held=0.0, gone=False)


def _is_away(table: Table[StateT, EventT], kept: Kept) -> bool:
    who = table.seats[kept.seat]
    return who is not None and who.session == AWAY


def _is_for(table: Table[StateT, EventT], kept: Kept, user: int, level: Level | None) -> bool:
    return kept.holder.user == user if level is None else kept.level == level and _is_away(table, kept)


def _on_turn(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], seat: int, now: float, clocks: Clocks
) -> Table[StateT, EventT]:
    """Return the table with a fresh clock, if it is this seat's turn."""
    if table.game is None or game.to_move(table.game) != seat:
        return table
    return replace(table, deadline=turn_of(table, seat, now, clocks))
