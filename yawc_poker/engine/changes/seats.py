"""Coming to a table and going from it. Pure.

Owns who sits where, and what an arrival or a departure changes: the log, the master, the running game, the commitments.
"""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from yawc_poker.engine.changes.attendance import is_here, own_seat
from yawc_poker.engine.changes.company import taken_up, within_room
from yawc_poker.engine.changes.effects import advance, funded, led_by, log, pass_on, with_seat
from yawc_poker.engine.changes.events import Left, Removed, SatDown, StakeBack
from yawc_poker.engine.changes.kept import Keeps, set_aside, taken_over
from yawc_poker.engine.changes.kept import wanted as waited_for
from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.next_game import announced, with_time_to_read
from yawc_poker.engine.opening import barred_shown, hold_back, is_frozen, without_commitment, without_player
from yawc_poker.engine.transcript import Action, GivenBack, Joined, detail
from yawc_poker.engine.values import AWAY, Back, Change, Clocks, Seat, Table, is_person, persons, seated


def sit(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    person: Seat,
    now: float,
    clocks: Clocks,
    wanted: int | None = None,
) -> Table[StateT, EventT]:
    """Seat a person on the seat `wanted` if it is free, else on the first free one (1.8).

    Raise "already_seated" (same session, user or name), "not_invited" (a house player that nobody has asked to join, or
    not at this level) or "table_full".
    The first person at a table becomes master (3.2), and so does one who finds the master asleep or without a line; a
    person who comes during a game watches it (2.5).
    Where the master has chosen options, a pause follows: they may have changed since the person was asked. A person
    whose seat was kept gets it back; a house player takes the place of somebody who is away before any other.
    """
    if any(who is not None and who.session != AWAY and _same(who, person) for who in table.seats):
        raise IllegalMove("already_seated")
    if (kept := taken_over(table, game, person, now, clocks)) is not None:
        return kept
    if person.program:
        table = taken_up(table, person.program)
    free = [seat for seat, who in enumerate(table.seats) if who is None]
    if not free:
        raise IllegalMove("table_full")
    seat = wanted if wanted in free else free[0]
    person = replace(person, came=table.logged + 1)
    table = within_room(log(replace(table, seats=with_seat(table.seats, seat, person)), SatDown(seat), seat))
    table = barred_shown(table)
    if table.opening is not None:
        return table
    if table.game is not None:
        step = game.join(table.game, seat, person.cash)
        action = Action(table.action, 0, "join", seat, person.user, detail(Joined(person.name, person.cash)))
        return advance(table, game, step, now, clocks, action).table
    if persons(table) == (seat,) or (not person.program and _is_led_by_nobody(table)):
        return _led(table, seat, now, clocks)
    return with_time_to_read(table, now, clocks) if table.options and not person.program else table


def leave(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    now: float,
    clocks: Clocks,
    removed: bool = False,
    cash: Mapping[int, int] | None = None,
    back: Back | None = None,
    keeps: Keeps[StateT] | None = None,
) -> Change[StateT, EventT]:
    """Free the seat of a session, at its own wish or (`removed`) by the system; raise "not_seated".

    The player's stake stays in the pot, unless it was given `back`. Their turn passes on, and so does the privilege of
    the master (2.6, 9.2, A13). Where the game `keeps` seats, a player's is kept instead, as long as another person sits
    here: the rules are not told. Who is about to be dealt in keeps the seat until they are.
    """
    seat = own_seat(table, session)
    if is_frozen(table, seat):
        return Change(hold_back(table, seat, now))
    table = funded(table, game, cash)
    if back is None and (aside := set_aside(table, game, seat, removed, keeps, now, clocks)) is not None:
        return Change(aside)
    table = log(table, Removed(seat) if removed else Left(seat), seat)
    what = ""
    if back is not None and table.game is not None:
        state = game.give_back(table.game, seat, back.known)
        table = log(replace(table, game=state, pot=back.pot), StakeBack(seat, back.amount), seat)
        what = detail(GivenBack(back.amount, back.known))
    left = table.seats[seat]
    action = Action(table.action, 0, "removed" if removed else "leave", seat, left.user if left else 0, what)
    table = without_commitment(replace(table, seats=with_seat(table.seats, seat, None)), seat)
    table = replace(table, kept=tuple(one for one in table.kept if one.seat != seat))
    table = table if persons(table) else replace(table, options="", invited=(), open_gallery=False)
    if table.game is not None:
        return advance(table, game, game.leave(table.game, seat), now, clocks, action, left)
    if table.last is not None:
        table = replace(table, last=game.leave(table.last, seat).state if seated(table) else None)
    opening = table.opening is not None
    table = without_player(table, game, seat, now, clocks)
    if opening and table.master != seat:
        return Change(table)
    return Change(pass_on(table, now, clocks) if table.master == seat else table)


def abandon(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    gone: Collection[int],
    now: float,
    clocks: Clocks,
) -> Change[StateT, EventT] | None:
    """End the running game if all who compete in it are `gone` (seats), before they are removed one after the other.

    Else the last of them would win it, though as gone as the others. None: somebody is left, or the game does not mind.
    """
    state = table.game
    if state is None or game.is_over(state):
        return None
    players = {seat for seat in range(len(table.seats)) if game.competes(state, seat)}
    step = game.abandon(state) if players <= set(gone) else None
    if step is None or step.state == state:
        return None
    return advance(table, game, step, now, clocks, Action(table.action, 0, "abandoned", -1, 0))


def waiting(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT]) -> Seat | None:
    """Return the person who has waited longest here for one more; None: nobody does.

    Somebody waits between games, alone or with all but one of the players that a game takes, unless a house player
    was asked to come. Who is away, or has no line, does not count.
    """
    if table.game is not None or waited_for(table) or None not in table.seats:
        return None
    ready = [who for who in table.seats if who is not None and is_here(who)]
    if len(ready) not in {1, game.FEWEST - 1}:
        return None
    people = [who for who in ready if is_person(who)]
    return min(people, key=lambda who: who.came, default=None)


def _led(table: Table[StateT, EventT], seat: int, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Make a newcomer the master, perhaps in place of a house player or of somebody who is not here."""
    table = replace(table, deadline=now + clocks.master)
    return announced(replace(table, master=seat) if table.master is None else led_by(table, seat))


def _is_led_by_nobody(table: Table[StateT, EventT]) -> bool:
    master = None if table.master is None else table.seats[table.master]
    return master is not None and not is_here(master)


def _same(one: Seat, other: Seat) -> bool:
    return one.session == other.session or one.user == other.user or one.name == other.name
