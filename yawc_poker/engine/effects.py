"""The effects of an allowed operation on a table: log, cash, master, clock, and the result of a step of the rules.

Owns the changes that the operations of `engine.table` have in common; `engine.table` decides whether an operation is
allowed. Never refuses anything, never knows a rule of a game, never moves money: a payment is added to the pot here,
and made by the caller that runs the table. All functions are pure and keep the invariants of `engine.table`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from yawc_poker.engine import transcript, values
from yawc_poker.engine.events import NewMaster, Notice
from yawc_poker.engine.game import EventT, Payment, PlacedEvent, Rules, StateT, Step
from yawc_poker.engine.transcript import Action, Transcript
from yawc_poker.engine.values import Change, Clocks, LogEntry, Seat, Table

STAND_IN = 20.0
"""Seconds that a turn waits for a house player to stand in for somebody who is away."""


def log(
    table: Table[StateT, EventT], event: EventT | Notice, seat: int | None, left: Seat | None = None
) -> Table[StateT, EventT]:
    """Return the table with a log entry about the person in a seat, or about the one who has just `left` it."""
    who = left if left is not None or seat is None else table.seats[seat]
    number = table.logged + 1
    entry: LogEntry[EventT] = LogEntry(number, who.session if who else 0, who.name if who else "", event, seat)
    return replace(table, log=(*table.log, entry)[-values.LOG :], logged=number)


def with_seat(seats: Sequence[Seat | None], seat: int, who: Seat | None) -> tuple[Seat | None, ...]:
    """Return the seats with a person in one of them, or nobody."""
    return (*seats[:seat], who, *seats[seat + 1 :])


def cashed(table: Table[StateT, EventT], cash: Mapping[int, int]) -> Table[StateT, EventT]:
    """Return the table with the bank's balances in its seats, but not in the running game."""
    seats = table.seats
    for seat, who in enumerate(table.seats):
        if who is not None and cash.get(seat, who.cash) != who.cash:
            seats = with_seat(seats, seat, replace(who, cash=cash[seat]))
    return table if seats is table.seats else replace(table, seats=seats)


def funded(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], cash: Mapping[int, int] | None
) -> Table[StateT, EventT]:
    """Return the table with the bank's balances in its seats and in the running game."""
    if cash is None:
        return table
    table = cashed(table, cash)
    if table.game is None:
        return table
    state = game.fund(table.game, cash)
    if state is table.game or state == table.game:
        return table
    book = table.transcript and transcript.funded(table.transcript, cash)
    return replace(table, game=state, transcript=book)


def pass_on(
    table: Table[StateT, EventT], now: float, clocks: Clocks, after: int | None = None
) -> Table[StateT, EventT]:
    """Make the next person the master, with a fresh clock; without anybody seated there is no master.

    House players are passed by while a person sits, and those who are not here while anybody is; where nobody is, the
    master stays. `after` is the seat to count from; None: the master's. Nothing is logged if the master stays the same.
    """
    taken = values.leaders(table)
    if not taken:
        return replace(table, master=None, deadline=None)
    if after is None and table.master in taken and not _anybody_here(table, taken):
        return replace(table, deadline=now + clocks.master)
    last = next((seat for seat in (after, table.master) if seat is not None), -1)
    master = next((seat for seat in taken if seat > last), taken[0])
    return led_by(replace(table, deadline=now + clocks.master), master)


def led_by(table: Table[StateT, EventT], master: int) -> Table[StateT, EventT]:
    """Return the table with this master, which is logged unless they lead it already."""
    return table if master == table.master else log(replace(table, master=master), NewMaster(master), master)


def _anybody_here(table: Table[StateT, EventT], seats: Iterable[int]) -> bool:
    return any((who := table.seats[seat]) is not None and values.is_here(who) for seat in seats)


def turn_ends(now: float, clocks: Clocks, who: Seat | None = None, *, is_alone: bool = True) -> float:
    """Return when the clock makes a move in a turn of `who` that begins now; infinite if turns have no limit.

    For somebody who is gone: when no stand-in is waited for any longer. For somebody who is away, where they are not
    `is_alone` with house players: soon.
    """
    grace = 0.0 if who is None else who.grace
    turn = clocks.turn + grace if clocks.turn else math.inf
    if who is not None and values.is_asleep(who) and not is_alone:
        return now + min(turn, values.NAP)
    return now + (STAND_IN if who is not None and who.session == values.AWAY else turn)


def turn_of(table: Table[StateT, EventT], seat: int | None, now: float, clocks: Clocks) -> float:
    """Return when the clock makes a move in a turn of a seat that begins now."""
    is_alone = not set(values.persons(table)) - {seat}
    return turn_ends(now, clocks, None if seat is None else table.seats[seat], is_alone=is_alone)


def advance(
    table: Table[StateT, EventT],
    game: Rules[StateT, EventT],
    step: Step[StateT, EventT],
    now: float,
    clocks: Clocks,
    action: Action,
    left: Seat | None = None,
) -> Change[StateT, EventT]:
    """Apply a step of the rules: its events, payments, master and clock; `left` is the person who has just left."""
    book = _noted(table, game, step.state, action, now)
    turn = None if table.game is None else table.game.turn
    before, over = table.master, game.is_over(step.state)
    master = _master(table, step.state.master, over=over)
    for event in step.events:
        gone = _dealt_in(table, event) if event.seat is None else None
        table = log(table, event, event.seat, left if event.seat == action.seat else gone)
    table = replace(
        table,
        game=step.state,
        master=master,
        action=table.action + 1,
        transcript=book,
        pot=table.pot + sum([payment.amount for payment in step.payments]),
        seats=_paid(table.seats, step.payments),
    )
    if over:
        table = _decided(table, game, step.state)
    elif turn != step.state.turn:
        table = replace(table, deadline=turn_of(table, game.to_move(step.state), now, clocks))
    if master is not None and master != before:
        table = log(table, NewMaster(master), master)
    return Change(table, step.payments)


def _dealt_in(table: Table[StateT, EventT], event: object) -> Seat | None:
    """Return a player who has left, by their name, if an event is about one."""
    place = event.place if isinstance(event, PlacedEvent) else None
    name = table.names[place] if place is not None and place < len(table.names) else ""
    return Seat(0, 0, name, 0) if name else None


def _master(table: Table[StateT, EventT], named: int, *, over: bool) -> int | None:
    """Return the master while a game runs: the one whom the rules have `named`, whoever that is (spec/poker.md 3.3).

    Once it is over: the one who was announced last, and `finish` counts on from the rules' master; if they have left,
    the next one who may lead. None: nobody is seated.
    """
    if not over:
        return named
    if table.master is not None and table.seats[table.master] is not None:
        return table.master
    taken = values.leaders(table)
    return next((seat for seat in taken if seat >= named), taken[0]) if taken else None


def recorded(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], action: Action, now: float
) -> Table[StateT, EventT]:
    """Return the table with an action in its transcript that the rules are not told of."""
    assert table.game is not None, "an action without a game"
    book = _noted(table, game, table.game, action, now)
    return replace(table, action=table.action + 1, transcript=book)


def _noted(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], state: StateT, action: Action, now: float
) -> Transcript | None:
    """Return the transcript with the action that led to `state`; of a game that was over, nothing more is recorded."""
    if table.transcript is None or (table.game is not None and game.is_over(table.game)):
        return table.transcript
    return transcript.note(table.transcript, action, game.hands(state, table.game), now)


def _paid(seats: Sequence[Seat | None], payments: Iterable[Payment]) -> tuple[Seat | None, ...]:
    now = list(seats)
    for payment in payments:
        who = now[payment.seat]
        if who is not None:
            now[payment.seat] = replace(who, cash=who.cash - payment.amount)
    return tuple(now)


def _decided(table: Table[StateT, EventT], game: Rules[StateT, EventT], state: StateT) -> Table[StateT, EventT]:
    """Stop the clock and record who gets the pot, who owes it something, and all points, by user, as of the deal."""
    if table.deadline is None:
        return table  # recorded before: somebody sat down or left while the game waits for its payout
    won, shares = game.won(state), game.payouts(state)
    due = tuple(values.Due(table.players[seat], share, seat in won) for seat, share in shares.items() if share)
    debts = tuple(values.Debt(table.players[seat], amount) for seat, amount in game.debts(state).items() if amount)
    points = tuple(values.Points(table.players[seat], amount) for seat, amount in game.points(state).items())
    pot = table.pot + sum([debt.amount for debt in debts])
    return replace(table, deadline=None, due=due, debts=debts, points=points, pot=pot)
