"""A table: seats, the master, the clock, the log, and the one game that runs there (spec/poker.md 2, 3, 4, 10).

Owns who sits where, who is master between games, when a clock ends, and the chat: the operations, and who may do which
when. Parts of them are in `engine.absence`, `company`, `kept` and `opening`, and what they have in common in `effects`.
Never knows the rules of a game (an argument, `engine.game.Game`), never moves money (the caller that runs the table
does, as `Change.payments` say), never reads a clock or draws chance (arguments). All functions are pure: they return a
new `Table`, or raise `IllegalMove` and change nothing.

People who look on have no seat, and nothing that happens waits for them. They talk in the table's log, which everybody
sees, if its master lets them, and in the gallery, which only on-lookers see. Who they are is not part of the table's
value: sessions that may die at any time are known by the directory (`casino.presence.onlookers`).

A game's life: `start`, which freezes what the players are committed to, `reveal` of each text (`engine.opening`), the
last of which deals, then `play`, `expire`, `leave`, `sit` until it is over by the rules. Then `Table.game` stays in
its final state; `due` and `debts` name the users whom the pot belongs to, or who owe it ("closing"). Only leaving,
sitting down and chat are allowed until the pot is paid out and `finish` ends the game. `finish` is a separate step
because the payment comes between.

Invariants: while a game runs, `master` is the rules' master, whoever has a line, sleeps, or is a house player. When it
is over, and without a game, the master is in a seat (the last master announced, if still seated), or None if nobody is
seated. Between games a house player is passed by for the next person, as long as one sits there, and a sleeper, or
somebody without a line, for one who is here. `deadline` is None exactly while nobody is seated or a game waits for
`finish`. `logged` never falls; `action` never falls within a game. `transcript` exists while a game does, and gets one
entry per action until the game is over.
"""

import math
from collections.abc import Collection, Mapping
from typing import TypeVar

from msgspec.structs import replace

from yawc_poker.engine import events, opening, reserving, values
from yawc_poker.engine.absence import clock_missed, line_back, woken
from yawc_poker.engine.against_house import NOBODY
from yawc_poker.engine.company import taken_up, within_room
from yawc_poker.engine.effects import advance, cashed, funded, led_by, log, pass_on, with_seat
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, Rules, StateT
from yawc_poker.engine.kept import Keeps, away_at, freed, give_up, put_aside, released, set_aside, taken_over, wanted
from yawc_poker.engine.next_game import announced, options_of, prepared, with_time_to_read
from yawc_poker.engine.transcript import Action, GivenBack, Joined, detail
from yawc_poker.engine.values import Back, Change, Clocks, LogEntry, Seat, Table

KeyT = TypeVar("KeyT")


# --- looking ---------------------------------------------------------------------------------------------------------


def empty(game: Rules[StateT, EventT]) -> Table[StateT, EventT]:
    """Return a table where nobody has sat yet."""
    return Table(seats=(None,) * game.SEATS)


def read_log(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], session: int, since: int = 0
) -> tuple[LogEntry[EventT], ...]:
    """Return the log behind the entry with this number as a session may read it.

    What is about itself is whole; of all else it learns what everybody does (`Rules.concealed`).
    """
    new = [entry for entry in table.log if entry.number > since]
    return tuple([entry if entry.session == session else concealed(entry, game) for entry in new])


def concealed(entry: LogEntry[EventT], game: Rules[StateT, EventT]) -> LogEntry[EventT]:
    """Return an entry of the log as everybody may read it but the player whom it is about."""
    return entry if isinstance(entry.event, events.Notice) else replace(entry, event=game.concealed(entry.event))


def is_closing(table: Table[StateT, EventT], game: Rules[StateT, EventT]) -> bool:
    """Return whether a game is over, or being closed, and not yet finished."""
    return table.override != 0 or (table.game is not None and game.is_over(table.game))


def may_start(table: Table[StateT, EventT], game: Rules[StateT, EventT], seat: int, now: float) -> None:
    """Raise `IllegalMove` if `seat` may not start a game now (3.1, 4.1, 4.2).

    The reasons are checked in this order: "closing", "game_running", "frozen" (one begins), "not_master", "sits_out"
    (`games` more), "reserved_next" at a claimed table, "reserved_over" and "reserved_waits" (`here` of `needed`) at a
    reserved one, "alone" (too few sit here: `here` of `needed`), "asleep" (too few of them are there), "pause"
    (`seconds` left).
    """
    _not_closing(table, game)
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.opening is not None:
        raise IllegalMove("frozen")
    if table.master != seat or seat not in values.persons(table):
        raise IllegalMove("not_master")
    if (who := table.seats[seat]) is not None and who.out:
        raise IllegalMove("sits_out", games=who.out)
    reserving.need_all(table)
    if len(values.seated(table)) < game.FEWEST:
        raise IllegalMove("alone", here=len(values.seated(table)), needed=game.FEWEST)
    if len(values.here(table)) < game.FEWEST:
        raise IllegalMove("asleep", needed=game.FEWEST)
    if now < table.pause_until:
        raise IllegalMove("pause", seconds=math.ceil(table.pause_until - now))


# --- coming and going ------------------------------------------------------------------------------------------------


def sit(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    person: Seat,
    now: float,
    clocks: Clocks,
    wanted: int | None = None,
) -> Table[StateT, EventT]:
    """Seat a person on the seat `wanted` if it is free, else on the first free one (1.8).

    Raise "already_seated" (same session, user or name), "not_invited" (a house player that nobody has asked to join, or
    not at this level), "reserved" (for others) or "table_full".
    The first person at a table becomes master (3.2), and so does one who finds the master asleep or without a line; a
    person who comes during a game watches it (2.5).
    Where the master has chosen options, a pause follows: they may have changed since the person was asked. A person
    whose seat was kept gets it back; a house player takes the place of somebody who is away before any other.
    """
    if any(who is not None and who.session != values.AWAY and _same(who, person) for who in table.seats):
        raise IllegalMove("already_seated")
    if (kept := taken_over(table, game, person, now, clocks)) is not None:
        return kept
    reserving.admit(table, person)
    if person.program:
        table = taken_up(table, person.program)
    free = [seat for seat, who in enumerate(table.seats) if who is None]
    if not free:
        raise IllegalMove("table_full")
    seat = wanted if wanted in free else free[0]
    person = replace(person, came=table.logged + 1)
    table = within_room(log(replace(table, seats=with_seat(table.seats, seat, person)), events.SatDown(seat), seat))
    table = opening.barred_shown(table)
    if table.opening is not None:
        return table
    if table.game is not None:
        step = game.join(table.game, seat, person.cash)
        action = Action(table.action, 0, "join", seat, person.user, detail(Joined(person.name, person.cash)))
        return advance(table, game, step, now, clocks, action).table
    if values.persons(table) == (seat,) or (not person.program and _is_led_by_nobody(table)):
        return _led(table, seat, now, clocks)
    return with_time_to_read(table, now, clocks) if table.options and not person.program else table


def leave(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
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
    seat = values.own_seat(table, session)
    if opening.is_frozen(table, seat):
        return Change(opening.hold_back(table, seat, now))
    table = funded(table, game, cash)
    if back is None and (aside := set_aside(table, game, seat, removed, keeps, now, clocks)) is not None:
        return Change(aside)
    table = log(table, events.Removed(seat) if removed else events.Left(seat), seat)
    what = ""
    if back is not None and table.game is not None:
        state = game.give_back(table.game, seat, back.known)
        table = log(replace(table, game=state, pot=back.pot), events.StakeBack(seat, back.amount), seat)
        what = detail(GivenBack(back.amount, back.known))
    left = table.seats[seat]
    action = Action(table.action, 0, "removed" if removed else "leave", seat, left.user if left else 0, what)
    table = opening.without_commitment(replace(table, seats=with_seat(table.seats, seat, None)), seat)
    table = replace(table, kept=tuple(one for one in table.kept if one.seat != seat))
    if not values.persons(table):
        options = "" if table.reserved is None else table.options
        table = replace(table, options=options, invited=(), open_gallery=False, hints=False)
    if table.game is not None:
        return advance(table, game, game.leave(table.game, seat), now, clocks, action, left)
    if table.last is not None:
        table = replace(table, last=game.leave(table.last, seat).state if values.seated(table) else None)
    began = table.opening is not None
    table = opening.without_player(table, game, seat, now, clocks)
    if began and table.master != seat:
        return Change(table)
    return Change(pass_on(table, now, clocks) if table.master == seat else table)


def abandon(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], gone: Collection[int], now: float, clocks: Clocks
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


def waiting(table: Table[StateT, EventT], game: Rules[StateT, EventT]) -> Seat | None:
    """Return the person who has waited longest here for one more; None: nobody does.

    Somebody waits between games, alone or with all but one of the players that a game takes, unless a house player
    was asked to come, or the table is reserved. Who is away, or has no line, does not count.
    """
    if table.game is not None or table.reserved is not None or wanted(table) or None not in table.seats:
        return None
    ready = [who for who in table.seats if who is not None and values.is_here(who)]
    if len(ready) not in {1, game.FEWEST - 1}:
        return None
    people = [who for who in ready if values.is_person(who)]
    return min(people, key=lambda who: who.came, default=None)


# --- talking, also of those who look on ------------------------------------------------------------------------------


def let_speak(table: Table[StateT, EventT], session: int, *, on: bool) -> Table[StateT, EventT]:
    """Let on-lookers speak to the table, or not, as the master has decided; told to all.

    While a running game's master is a house player, or not here, the next person who is here decides. It holds for
    later masters, too, until one changes it or the last person leaves. Raise "not_seated", "not_master".
    """
    seat = values.own_seat(table, session)
    if table.master is None or values.leader_from(table, table.master) != seat:
        raise IllegalMove("not_master")
    return log(replace(table, open_gallery=on), events.OnlookersMay(seat, on), seat)


def speak(table: Table[StateT, EventT], session: int, name: str, text: str) -> Table[StateT, EventT]:
    """Log a line of somebody who looks on for everybody; raise "gallery_closed". An empty text changes nothing."""
    if not table.open_gallery:
        raise IllegalMove("gallery_closed")
    return log(table, events.OnlookerChat(text[: values.CHAT]), None, left=Seat(session, 0, name, 0)) if text else table


def murmur(table: Table[StateT, EventT], session: int, name: str, text: str) -> Table[StateT, EventT]:
    """Add a line of somebody who looks on, for the others who do. An empty text changes nothing."""
    if not text:
        return table
    number = table.gallery[-1].number + 1 if table.gallery else 1
    line = values.GalleryLine(number, session, name, text[: values.CHAT])
    return replace(table, gallery=(*table.gallery, line)[-values.GALLERY :])


def chat(table: Table[StateT, EventT], session: int, text: str) -> Table[StateT, EventT]:
    """Log a chat line for everybody, at any time (14.1); raise "not_seated". An empty text changes nothing."""
    seat = values.own_seat(table, session)
    return log(table, events.Chat(seat, text[: values.CHAT]), seat) if text else table


def fund(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], session: int, cash: Mapping[int, int]
) -> Table[StateT, EventT]:
    """Update everybody's cash, because this session was told of a change; raise "not_seated"."""
    values.own_seat(table, session)
    return funded(table, game, cash)


# --- a game ----------------------------------------------------------------------------------------------------------


def start(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    cash: Mapping[int, int],
    rng: Chance,
    now: float,
    options: OptionsT,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """Start a game for everybody who is here now (4).

    Those who are away, or without a line, look on. What the players are committed to is frozen, and the game is dealt
    once their texts are revealed: at once if nobody is committed to any. A table that is reserved has options of its
    own, whatever the master's are. Raise "not_seated", or what `may_start` does.
    """
    if table.reserved is not None:
        options = options_of(table, game, options)
    seat = values.own_seat(table, session)
    table = woken(line_back(table, session, now, clocks), seat, now, clocks)
    may_start(table, game, seat, now)
    table = prepared(funded(table, game, cash), game, rng)
    table = opening.begin(table, game, seat, cash, options, now, clocks)
    return opening.deal(table, game, cash, now, clocks) if opening.is_ready(table) else Change(table)


def reveal(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    text: str,
    cash: Mapping[int, int],
    now: float,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """Take the text of a session's player in a game that begins, and deal it if that was the last one.

    Raise "nothing_to_reveal" or "wrong_text".
    """
    table = opening.revealed(funded(table, game, cash), session, text)
    return opening.deal(table, game, cash, now, clocks) if opening.is_ready(table) else Change(table)


def play(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    move: MoveT,
    cash: Mapping[int, int],
    rng: Chance,
    now: float,
    clocks: Clocks,
    after: Table[StateT, EventT] | None = None,
) -> Change[StateT, EventT]:
    """Make a move for a session.

    `after` is the value that the move was chosen by. If the game is another one by now, has moved on, or has other
    cash, the move is refused ("changed"): so the choice can be repeated once the game is over. Raise "not_seated",
    "closing", "no_game", "changed", "too_late" (the player's clock has run out, though no session has served it yet),
    or the refusal of the rules.
    """
    seat = values.own_seat(table, session)
    _not_closing(table, game)
    table = funded(table, game, cash)
    if table.game is None:
        raise IllegalMove("no_game")
    if after is not None and (after.number, after.action, after.game) != (table.number, table.action, table.game):
        raise IllegalMove("changed")
    if table.deadline is not None and now >= table.deadline and game.to_move(table.game) == seat:
        raise IllegalMove("too_late")
    step = game.play(table.game, seat, move, rng)
    table = woken(table, seat, now, clocks)
    action = Action(table.action, 0, "move", seat, values.user_at(table, seat), detail(move))
    return advance(table, game, step, now, clocks, action)


def expire(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    now: float,
    rng: Chance,
    cash: Mapping[int, int],
    clocks: Clocks,
    keeps: Keeps[StateT] | None = None,
) -> Change[StateT, EventT] | None:
    """Serve a clock that has run out; return None if none has. Raise "closing" (a closing game has no clock).

    For a turn the rules decide; a kept seat for which nobody stands in is given up, unless its holder is only away. For
    the master the privilege passes on; a master who is alone keeps it, and nothing is logged (3.6). Whoever lets clocks
    run out in a row, with something to do, is away, and gets a stand-in where the game `keeps` seats: a master who
    could have started no game had nothing to do. For a game that begins `engine.opening` decides.
    """
    if table.deadline is None or now < table.deadline:
        return None
    _not_closing(table, game)
    if table.opening is not None:
        return opening.overdue(table, game, cash, now, clocks)
    table = funded(table, game, cash)
    if (state := table.game) is not None:
        mover = game.to_move(state)
        if (kept := away_at(table, mover)) is not None and not kept.asleep:
            return give_up(table, game, kept, now, clocks)
        table = clock_missed(table, mover)
        action = Action(table.action, 0, "time", -1 if mover is None else mover, values.user_at(table, mover))
        change = advance(table, game, game.timeout(state, rng), now, clocks, action)
        return Change(put_aside(change.table, game, mover, keeps, now, clocks), change.payments)
    if _could_start(table, game, now):
        table = clock_missed(table, table.master)
    return Change(pass_on(opening.one_game_less(table), now, clocks))


# --- the end of a game -----------------------------------------------------------------------------------------------


def claim(table: Table[StateT, EventT], session: int) -> Table[StateT, EventT]:
    """Record the session that closes the game (the override ID), perhaps in place of one that has died."""
    return replace(table, override=session)


def finish(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    now: float,
    clocks: Clocks,
    cash: Mapping[int, int] | None = None,
    paid: int | None = None,
    back: Mapping[int, int] | None = None,
) -> Table[StateT, EventT]:
    """End a game that was paid out: new master, pause, master's clock (3.5, 8.7); raise "no_game", "game_running".

    The next master is the next seated person after the last one (A39). `paid` is what the pot held according to the
    bank; if that differs from the amount that the game announced, or more was paid than the rules know, it is logged.
    So is what went `back`, by user, since people and house players played for fun (`engine.against_house`).
    """
    if table.game is None:
        raise IllegalMove("no_game")
    if not game.is_over(table.game):
        raise IllegalMove("game_running")
    over = table.game
    forfeit = 0 if table.transcript is None else table.transcript.forfeit
    if paid is not None and (paid != table.pot or forfeit):
        winners = {due.user for due in table.due}
        winner = next((seat for seat, who in enumerate(table.seats) if who is not None and winners == {who.user}), None)
        table = log(table, events.Paid(winner, paid), winner)
    for seat in values.persons(table):
        if (who := table.seats[seat]) is not None and (amount := (back or {}).get(who.user, 0)):
            table = log(table, events.WentBack(seat, amount), seat)
    table = reserving.one_game_less(_ended(replace(table, last=over, pause_until=now + clocks.pause)))
    if not values.seated(table):
        table = replace(table, last=None)
    table = cashed(freed(table, game), cash) if cash is not None else freed(table, game)
    return pass_on(table, now, clocks, after=over.master)


def void(table: Table[StateT, EventT], reason: str, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Drop the game without a winner, after the bank has refunded the stakes; the master's clock starts."""
    table = log(replace(_ended(table), last=None, deadline=None), events.Voided(reason), None)
    for kept in table.kept:
        table = released(table, kept)
    if table.master is None or table.seats[table.master] is None:
        return pass_on(table, now, clocks)
    return led_by(replace(table, deadline=now + clocks.master), values.leader_from(table, table.master))


def split(pot: int, shares: Mapping[KeyT, int]) -> dict[KeyT, int]:
    """Return each part of the pot, in the order of the shares (`Game.payouts`). Raise `ValueError` for one below zero.

    The parts are the whole pot, or nothing if nobody has a share. Fractions are cut off. The CUBES that
    are left over, fewer than there are shares, go one each to the first of those who have a share.
    """
    whole = sum(shares.values())
    if pot < 0 or any(share < 0 for share in shares.values()):
        raise ValueError(f"a pot of {pot} in shares of {dict(shares)}")
    if not whole:
        return dict.fromkeys(shares, 0)
    parts = {who: pot * share // whole for who, share in shares.items()}
    left = pot - sum(parts.values())
    for who in [who for who, share in shares.items() if share][:left]:
        parts[who] += 1
    return parts


# --- inside ----------------------------------------------------------------------------------------------------------


def _ended(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Return the table without its game, and without all that belongs to one."""
    table = replace(table, game=None, pot=0, override=0, transcript=None, players=(), against_house=NOBODY)
    return replace(table, due=(), debts=(), points=())


def _could_start(table: Table[StateT, EventT], game: Rules[StateT, EventT], now: float) -> bool:
    """Return whether the master could start a game."""
    if table.master is None:
        return False
    try:
        may_start(table, game, table.master, now)
    except IllegalMove:
        return False
    return True


def _not_closing(table: Table[StateT, EventT], game: Rules[StateT, EventT]) -> None:
    if is_closing(table, game):
        raise IllegalMove("closing")


def _led(table: Table[StateT, EventT], seat: int, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Make a newcomer the master, perhaps in place of a house player or of somebody who is not here."""
    table = replace(table, deadline=now + clocks.master)
    return announced(replace(table, master=seat) if table.master is None else led_by(table, seat))


def _is_led_by_nobody(table: Table[StateT, EventT]) -> bool:
    master = None if table.master is None else table.seats[table.master]
    return master is not None and not values.is_here(master)


def _same(one: Seat, other: Seat) -> bool:
    return one.session == other.session or one.user == other.user or one.name == other.name
