"""A table: seats, the master, the clock, the log, and the one game that runs there (spec/poker.md 2, 3, 4, 10).

Owns who sits where, who is master between games, when a clock ends, and what was said. Never the rules of a game (they
are an argument, `engine.game.Game`), never money (whoever runs the table moves it as `Change.payments` say), never time
or chance (arguments). All functions are pure: they return a new `Table` or raise `IllegalMove` and change nothing.

A game's life: `start`, then `play`, `expire`, `leave`, `sit` until the rules call it over. Then `Table.game` stays in
its final state with `due` saying whom the pot belongs to ("closing"): nothing but leaving, sitting down and chat is
allowed until the pot was paid out and `finish` ends it. `finish` is a step of its own because money lies between.

Invariants: while a game runs, `master` is the rules' master; without one he is somebody seated, or None where nobody
is. `deadline` is None exactly while nobody is seated or a game waits for `finish`. `logged` never falls, `action` not
within a game. `chronicle` is there while a game is, and gets one deed an action until the game is over.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import chronicle
from yawc_poker.engine.chronicle import Chronicle, Dealt, Deed, Joined, Person
from yawc_poker.engine.game import A, Chance, E, Game, IllegalMove, M, Payment, S, Step
from yawc_poker.engine.values import (
    CHAT,
    LOG,
    Change,
    Chat,
    Clocks,
    Due,
    Entry,
    Header,
    Left,
    NewMaster,
    Notice,
    Paid,
    Removed,
    SatDown,
    Sealed,
    Seat,
    Started,
    Table,
    Voided,
    seat_of,
    seated,
)

__all__ = [
    "CHAT",
    "LOG",
    "Change",
    "Chat",
    "Clocks",
    "Due",
    "Entry",
    "Header",
    "Left",
    "NewMaster",
    "Notice",
    "Paid",
    "Removed",
    "SatDown",
    "Sealed",
    "Seat",
    "Started",
    "Table",
    "Voided",
    "chat",
    "claim",
    "empty",
    "expire",
    "finish",
    "fund",
    "header",
    "is_closing",
    "leave",
    "may_start",
    "play",
    "seat_of",
    "seated",
    "sit",
    "start",
    "void",
]

# --- looking ---------------------------------------------------------------------------------------------------------


def empty(game: Game[S, M, E, A]) -> Table[S, E]:
    """Give a table where nobody has sat yet."""
    return Table(seats=(None,) * game.SEATS)


def header(table: Table[S, E], game: Game[S, M, E, A]) -> Header:
    """Give the part of the value that is also kept as plain numbers."""
    current = None if table.game is None else game.to_move(table.game)
    deadline = None if table.deadline == math.inf else table.deadline
    return Header(table.master, current, table.pot, table.override, table.number, deadline)


def is_closing(table: Table[S, E], game: Game[S, M, E, A]) -> bool:
    """Say whether a game is over, or being closed, and not yet finished."""
    return table.override != 0 or (table.game is not None and game.is_over(table.game))


def may_start(table: Table[S, E], game: Game[S, M, E, A], seat: int, now: float) -> None:
    """Raise `IllegalMove` if `seat` may not start a game now (3.1, 4.1, 4.2).

    Reasons, in this order: "closing", "game_running", "not_master", "alone", "pause" (`seconds` still to wait).
    """
    _not_closing(table, game)
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.master != seat:
        raise IllegalMove("not_master")
    if len(seated(table)) < game.FEWEST:
        raise IllegalMove("alone")
    if now < table.pause_until:
        raise IllegalMove("pause", seconds=math.ceil(table.pause_until - now))


# --- sitting and talking ---------------------------------------------------------------------------------------------


def sit(table: Table[S, E], game: Game[S, M, E, A], person: Seat, now: float, clocks: Clocks) -> Table[S, E]:
    """Give a person the first free seat (1.8); raises "already_seated" (session, user or name) or "table_full".

    The first one at a table becomes master (3.2); during a game the newcomer looks on (2.5).
    """
    if any(who is not None and _same(who, person) for who in table.seats):
        raise IllegalMove("already_seated")
    seat = next((seat for seat, who in enumerate(table.seats) if who is None), None)
    if seat is None:
        raise IllegalMove("table_full")
    table = _log(replace(table, seats=_with(table.seats, seat, person)), SatDown(seat), seat)
    if table.game is not None:
        step = game.join(table.game, seat, person.cash)
        deed = Deed(table.action, 0, "join", seat, person.user, _json(Joined(person.name, person.cash)))
        return _advance(table, game, step, now, clocks, deed).table
    if table.master is None:
        return replace(table, master=seat, deadline=now + clocks.master)
    return table


def leave(
    table: Table[S, E],
    game: Game[S, M, E, A],
    session: int,
    now: float,
    clocks: Clocks,
    removed: bool = False,
    cash: Mapping[int, int] | None = None,
) -> Change[S, E]:
    """Free the seat of a session, by his own wish or (`removed`) by the purge; raises "not_seated".

    What he paid stays in the pot, a turn of his passes on, and so does the privilege (2.6, 9.2, A13).
    """
    seat = _seat(table, session)
    table = _funded(table, game, cash)
    table = _log(table, Removed(seat) if removed else Left(seat), seat)
    deed = Deed(table.action, 0, "removed" if removed else "leave", seat, _user(table, seat))
    table = replace(table, seats=_with(table.seats, seat, None))
    if table.game is not None:
        return _advance(table, game, game.leave(table.game, seat), now, clocks, deed)
    if table.last is not None:
        table = replace(table, last=game.leave(table.last, seat).state if seated(table) else None)
    return Change(_pass_on(table, now, clocks) if table.master == seat else table)


def chat(table: Table[S, E], session: int, text: str) -> Table[S, E]:
    """Say something to everybody, at any time (14.1); raises "not_seated". An empty text says nothing."""
    seat = _seat(table, session)
    return _log(table, Chat(seat, text[:CHAT]), seat) if text else table


def fund(table: Table[S, E], game: Game[S, M, E, A], session: int, cash: Mapping[int, int]) -> Table[S, E]:
    """Take over what everybody owns now, because this session heard that it changed; raises "not_seated"."""
    _seat(table, session)
    return _funded(table, game, cash)


# --- a game ----------------------------------------------------------------------------------------------------------


def start(
    table: Table[S, E],
    game: Game[S, M, E, A],
    session: int,
    cash: Mapping[int, int],
    rng: Chance,
    now: float,
    options: A,
    clocks: Clocks,
    number: int | None = None,
) -> Change[S, E]:
    """Start a game for everybody seated now (4). `number` is the ledger's; None: one more than the last game's.

    Raises what `may_start` raises, and "not_seated".
    """
    seat = _seat(table, session)
    may_start(table, game, seat, now)
    table = _funded(table, game, cash)
    people = tuple(Person(at, who.user, who.name, cash.get(at, 0)) for at, who in _people(table))
    step = game.deal({person.seat: person.cash for person in people}, seat, rng, options)
    book = chronicle.begin(now, step.sealed, rng.getrandbits(chronicle.SALT_BITS) if step.sealed else 0)
    number = table.number + 1 if number is None else number
    table = replace(table, last=None, number=number, action=0, pot=0, due=(), deadline=_turn_ends(now, clocks))
    table = _log(replace(table, chronicle=book), Started(seat), seat)
    if book.seal:
        table = _log(table, Sealed(book.seal), None)
    dealt = Dealt(seat, people, msgspec.Raw(msgspec.json.encode(options)))
    return _advance(table, game, step, now, clocks, Deed(0, 0, "deal", seat, _user(table, seat), _json(dealt)))


def play(
    table: Table[S, E],
    game: Game[S, M, E, A],
    session: int,
    move: M,
    cash: Mapping[int, int],
    rng: Chance,
    now: float,
    clocks: Clocks,
) -> Change[S, E]:
    """Make a move for a session.

    Raises "not_seated", "closing", "no_game", "too_late" (his clock has run out though nobody has served it yet), and
    whatever the rules refuse.
    """
    seat = _seat(table, session)
    _not_closing(table, game)
    table = _funded(table, game, cash)
    if table.game is None:
        raise IllegalMove("no_game")
    if table.deadline is not None and now >= table.deadline and game.to_move(table.game) == seat:
        raise IllegalMove("too_late")
    deed = Deed(table.action, 0, "move", seat, _user(table, seat), _json(move))
    return _advance(table, game, game.play(table.game, seat, move, rng), now, clocks, deed)


def expire(
    table: Table[S, E], game: Game[S, M, E, A], now: float, rng: Chance, cash: Mapping[int, int], clocks: Clocks
) -> Change[S, E] | None:
    """Do what a clock does that has run out; None where none has. Raises "closing" (a closing game has no clock).

    A turn: as the rules say. The master's: the privilege passes on; alone he keeps it, without a word (3.6).
    """
    if table.deadline is None or now < table.deadline:
        return None
    _not_closing(table, game)
    table = _funded(table, game, cash)
    if table.game is not None:
        mover = game.to_move(table.game)
        deed = Deed(table.action, 0, "time", -1 if mover is None else mover, _user(table, mover))
        return _advance(table, game, game.timeout(table.game, rng), now, clocks, deed)
    if len(seated(table)) == 1:
        return Change(replace(table, deadline=now + clocks.master))
    return Change(_pass_on(table, now, clocks))


def claim(table: Table[S, E], session: int) -> Table[S, E]:
    """Mark the session that closes the game (the override ID); taking it over from a dead one is the same."""
    return replace(table, override=session)


def finish(
    table: Table[S, E],
    game: Game[S, M, E, A],
    now: float,
    clocks: Clocks,
    cash: Mapping[int, int] | None = None,
    paid: int | None = None,
) -> Table[S, E]:
    """End a game that was paid out: a new master, the pause, his clock (3.5, 8.7); raises "no_game", "game_running".

    The privilege goes to the next seated person after the master at the end (A39). `paid` is what the pot held; where
    that is not what the game told when it was decided, it is told now.
    """
    if table.game is None:
        raise IllegalMove("no_game")
    if not game.is_over(table.game):
        raise IllegalMove("game_running")
    over = table.game
    if paid is not None and paid != table.pot:
        winner = next((seat for seat, who in _people(table) if table.due and who.user == table.due[0].user), None)
        table = _log(table, Paid(winner, paid), winner)
    table = replace(table, game=None, last=over, pot=0, override=0, due=(), pause_until=now + clocks.pause)
    table = replace(table, chronicle=None)
    if not seated(table):
        table = replace(table, last=None)
    table = _cashed(table, cash) if cash is not None else table
    return _pass_on(table, now, clocks)


def void(table: Table[S, E], reason: str, now: float, clocks: Clocks) -> Table[S, E]:
    """Drop the game without a winner, after the bank gave the stakes back; the master's clock starts."""
    table = replace(table, game=None, last=None, pot=0, override=0, due=(), deadline=None, chronicle=None)
    table = _log(table, Voided(reason), None)
    if table.master is None or table.seats[table.master] is None:
        return _pass_on(table, now, clocks)
    return replace(table, deadline=now + clocks.master)


# --- inside ----------------------------------------------------------------------------------------------------------


def _turn_ends(now: float, clocks: Clocks) -> float:
    return now + clocks.turn if clocks.turn else math.inf


def _same(one: Seat, other: Seat) -> bool:
    return one.session == other.session or one.user == other.user or one.name == other.name


def _people(table: Table[S, E]) -> Iterator[tuple[int, Seat]]:
    """Give everybody who is seated, by seat."""
    return ((seat, who) for seat, who in enumerate(table.seats) if who is not None)


def _user(table: Table[S, E], seat: int | None) -> int:
    """Give the user in a seat, 0 for nobody."""
    who = None if seat is None else table.seats[seat]
    return 0 if who is None else who.user


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _seat(table: Table[S, E], session: int) -> int:
    seat = seat_of(table, session)
    if seat is None:
        raise IllegalMove("not_seated")
    return seat


def _not_closing(table: Table[S, E], game: Game[S, M, E, A]) -> None:
    if is_closing(table, game):
        raise IllegalMove("closing")


def _with(seats: Sequence[Seat | None], seat: int, who: Seat | None) -> tuple[Seat | None, ...]:
    return (*seats[:seat], who, *seats[seat + 1 :])


def _log(table: Table[S, E], event: E | Notice, seat: int | None) -> Table[S, E]:
    """Add an entry about whoever sits there now."""
    who = None if seat is None else table.seats[seat]
    number = table.logged + 1
    entry: Entry[E] = Entry(number, who.session if who else 0, who.name if who else "", event, seat)
    return replace(table, log=(*table.log, entry)[-LOG:], logged=number)


def _cashed(table: Table[S, E], cash: Mapping[int, int]) -> Table[S, E]:
    seats = table.seats
    for seat, who in enumerate(table.seats):
        if who is not None and cash.get(seat, who.cash) != who.cash:
            seats = _with(seats, seat, replace(who, cash=cash[seat]))
    return table if seats is table.seats else replace(table, seats=seats)


def _funded(table: Table[S, E], game: Game[S, M, E, A], cash: Mapping[int, int] | None) -> Table[S, E]:
    """Take over what the bank says everybody owns, here and in the running game."""
    if cash is None:
        return table
    table = _cashed(table, cash)
    if table.game is None:
        return table
    state = game.fund(table.game, cash)
    if state is table.game or state == table.game:
        return table
    book = table.chronicle and chronicle.funded(table.chronicle, cash)
    return replace(table, game=state, chronicle=book)


def _paid(seats: Sequence[Seat | None], payments: Iterable[Payment]) -> tuple[Seat | None, ...]:
    now = list(seats)
    for payment in payments:
        who = now[payment.seat]
        if who is not None:
            now[payment.seat] = replace(who, cash=who.cash - payment.amount)
    return tuple(now)


def _pass_on(table: Table[S, E], now: float, clocks: Clocks) -> Table[S, E]:
    """Give the privilege to the next seated person after the master, with a fresh clock; to nobody where none sits."""
    taken = seated(table)
    if not taken:
        return replace(table, master=None, deadline=None)
    after = -1 if table.master is None else table.master
    master = next((seat for seat in taken if seat > after), taken[0])
    return _log(replace(table, master=master, deadline=now + clocks.master), NewMaster(master), master)


def _noted(table: Table[S, E], game: Game[S, M, E, A], state: S, deed: Deed, now: float) -> Chronicle | None:
    """Write down what leads to `state`; nothing more is written of a game that is over."""
    if table.chronicle is None or (table.game is not None and game.is_over(table.game)):
        return table.chronicle
    return chronicle.note(table.chronicle, deed, game.hands(state, table.game), now)


def _advance(
    table: Table[S, E], game: Game[S, M, E, A], step: Step[S, E], now: float, clocks: Clocks, deed: Deed
) -> Change[S, E]:
    """Take over a step of the rules: its events, payments, master and clock."""
    book = _noted(table, game, step.state, deed, now)
    turn = None if table.game is None else game.turn(table.game)
    before = table.master
    master, over = game.master(step.state), game.is_over(step.state)
    for event in step.events:
        table = _log(table, event, event.seat)
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
        table = replace(table, deadline=_turn_ends(now, clocks))
    return Change(table if master == before else _log(table, NewMaster(master), master), step.payments)


def _decided(table: Table[S, E], game: Game[S, M, E, A], state: S) -> Table[S, E]:
    """Stop the clock and say whom the pot belongs to, by user, while the winner is still in his seat."""
    if table.deadline is None:
        return table  # already said: somebody sat down or left while the game waits for its payout
    due = ((table.seats[seat], amount) for seat, amount in game.payouts(state).items())
    return replace(table, deadline=None, due=tuple(Due(who.user, amount) for who, amount in due if who is not None))
