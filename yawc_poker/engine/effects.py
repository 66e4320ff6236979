"""What an operation that was allowed does to a table: log, cash, privilege, clock, and a step of the rules taken over.

Owns how a table goes on, for every operation of `engine.table` alike; whether it may, `engine.table` has said before.
Never refuses, never a rule of a game, never money: a payment is counted here, whoever runs the table moves it. All
functions are pure, and keep the invariants of `engine.table`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from yawc_poker.engine import transcript
from yawc_poker.engine.game import A, E, Game, M, Payment, S, Step
from yawc_poker.engine.transcript import Chronicle, Deed
from yawc_poker.engine.values import LOG, Change, Clocks, Due, Entry, NewMaster, Notice, Seat, Table, seated


def log(table: Table[S, E], event: E | Notice, seat: int | None, left: Seat | None = None) -> Table[S, E]:
    """Add an entry about the person in a seat, or about the one who has just `left` it."""
    who = left if left is not None or seat is None else table.seats[seat]
    number = table.logged + 1
    entry: Entry[E] = Entry(number, who.session if who else 0, who.name if who else "", event, seat)
    return replace(table, log=(*table.log, entry)[-LOG:], logged=number)


def with_seat(seats: Sequence[Seat | None], seat: int, who: Seat | None) -> tuple[Seat | None, ...]:
    """Put a person into a seat, or nobody."""
    return (*seats[:seat], who, *seats[seat + 1 :])


def cashed(table: Table[S, E], cash: Mapping[int, int]) -> Table[S, E]:
    """Take over what the bank says everybody owns, in the seats alone."""
    seats = table.seats
    for seat, who in enumerate(table.seats):
        if who is not None and cash.get(seat, who.cash) != who.cash:
            seats = with_seat(seats, seat, replace(who, cash=cash[seat]))
    return table if seats is table.seats else replace(table, seats=seats)


def funded(table: Table[S, E], game: Game[S, M, E, A], cash: Mapping[int, int] | None) -> Table[S, E]:
    """Take over what the bank says everybody owns, here and in the running game."""
    if cash is None:
        return table
    table = cashed(table, cash)
    if table.game is None:
        return table
    state = game.fund(table.game, cash)
    if state is table.game or state == table.game:
        return table
    book = table.chronicle and transcript.funded(table.chronicle, cash)
    return replace(table, game=state, chronicle=book)


def pass_on(table: Table[S, E], now: float, clocks: Clocks, after: int | None = None) -> Table[S, E]:
    """Give the privilege to the next seated person, with a fresh clock; to nobody where none sits.

    `after` is the seat to count from, None: the master's. Whoever has it already keeps it without a word.
    """
    taken = seated(table)
    if not taken:
        return replace(table, master=None, deadline=None)
    last = next((seat for seat in (after, table.master) if seat is not None), -1)
    master = next((seat for seat in taken if seat > last), taken[0])
    passed = replace(table, master=master, deadline=now + clocks.master)
    return passed if master == table.master else log(passed, NewMaster(master), master)


def turn_ends(now: float, clocks: Clocks, who: Seat | None = None) -> float:
    """Return when the clock moves in a turn of `who` that begins now."""
    grace = 0.0 if who is None else who.grace
    return now + clocks.turn + grace if clocks.turn else math.inf


def advance(
    table: Table[S, E],
    game: Game[S, M, E, A],
    step: Step[S, E],
    now: float,
    clocks: Clocks,
    deed: Deed,
    left: Seat | None = None,
) -> Change[S, E]:
    """Take over a step of the rules: its events, payments, master and clock; `left` is who has just left the seat."""
    book = _noted(table, game, step.state, deed, now)
    turn = None if table.game is None else game.turn(table.game)
    before = table.master
    master, over = game.master(step.state), game.is_over(step.state)
    if over and before is not None and table.seats[before] is not None:
        master = before  # the one everybody knows of; `finish` counts on from the rules' master
    for event in step.events:
        table = log(table, event, event.seat, left if event.seat == deed.seat else None)
    table = replace(
        table,
        game=step.state,
        master=master if seated(table) else None,
        action=table.action + 1,
        chronicle=book,
        pot=table.pot + sum([payment.amount for payment in step.payments]),
        seats=_paid(table.seats, step.payments),
    )
    if over:
        return Change(_decided(table, game, step.state), step.payments)
    if turn != game.turn(step.state):
        mover = game.to_move(step.state)
        table = replace(table, deadline=turn_ends(now, clocks, None if mover is None else table.seats[mover]))
    return Change(table if master == before else log(table, NewMaster(master), master), step.payments)


def _noted(table: Table[S, E], game: Game[S, M, E, A], state: S, deed: Deed, now: float) -> Chronicle | None:
    """Write down what leads to `state`; nothing more is written of a game that is over."""
    if table.chronicle is None or (table.game is not None and game.is_over(table.game)):
        return table.chronicle
    return transcript.note(table.chronicle, deed, game.hands(state, table.game), now)


def _paid(seats: Sequence[Seat | None], payments: Iterable[Payment]) -> tuple[Seat | None, ...]:
    now = list(seats)
    for payment in payments:
        who = now[payment.seat]
        if who is not None:
            now[payment.seat] = replace(who, cash=who.cash - payment.amount)
    return tuple(now)


def _decided(table: Table[S, E], game: Game[S, M, E, A], state: S) -> Table[S, E]:
    """Stop the clock and say whom the pot belongs to, by user, while the winner is still in his seat."""
    if table.deadline is None:
        return table  # already said: somebody sat down or left while the game waits for its payout
    due = ((table.seats[seat], share) for seat, share in game.payouts(state).items() if share)
    return replace(table, deadline=None, due=tuple(Due(who.user, share) for who, share in due if who is not None))
