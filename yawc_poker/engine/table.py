"""A table: seats, the master, the clock, the log, and the one game that runs there (spec/poker.md 2, 3, 4, 10).

Owns who sits where, who is master between games, when a clock ends, and the chat: the operations, and who may do which
when. Parts of them are in `engine.changes`: who comes and goes, house players, common effects. Never knows the rules of
a game (an argument, `engine.game.Game`), never moves money (the caller that runs the table does, as `Change.payments`
say), never reads a clock or draws chance (arguments). All functions are pure: they return a new `Table`, or raise
`IllegalMove` and change nothing.

A game's life: `start`, then `play`, `expire`, `leave`, `sit` until it is over by the rules. Then `Table.game` stays in
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
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import sealing, transcript
from yawc_poker.engine.changes.absence import (
    clock_missed,
    due_at,
    end_hold,
    held_for,
    hold,
    line_back,
    looking_on,
    take_over,
    wake,
    woken,
)
from yawc_poker.engine.changes.attendance import here, is_asleep, is_here, own_seat
from yawc_poker.engine.changes.company import broke, can_dismiss, dismiss, invite, make_room, must_go
from yawc_poker.engine.changes.effects import advance, funded, log, pass_on, turn_ends
from yawc_poker.engine.changes.events import (
    CameBack,
    Chat,
    DealtBy,
    HouseBroke,
    Left,
    LineGone,
    NewMaster,
    Notice,
    OnlookerChat,
    OnlookersMay,
    OptionsChosen,
    Paid,
    Removed,
    SatDown,
    Sealed,
    StakeBack,
    Started,
    Voided,
    WentAway,
    WordGiven,
)
from yawc_poker.engine.changes.kept import Keeps, away_at, give_up, given_up, wanted
from yawc_poker.engine.changes.onlookers import let_speak, murmur, speak
from yawc_poker.engine.changes.seats import abandon, leave, sit, waiting
from yawc_poker.engine.ending import claim, finish, void
from yawc_poker.engine.game import Chance, Dealing, EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.next_game import prepared, words_of
from yawc_poker.engine.transcript import Action, Dealt, Participant, detail
from yawc_poker.engine.values import (
    AWAY,
    CHAT,
    GALLERY,
    LOG,
    Back,
    Change,
    Clocks,
    Debt,
    Due,
    GalleryLine,
    LogEntry,
    Seat,
    Table,
    TableHeader,
    is_person,
    persons,
    seat_of,
    seated,
)

__all__ = [
    "AWAY",
    "CHAT",
    "GALLERY",
    "LOG",
    "Back",
    "CameBack",
    "Change",
    "Chat",
    "Clocks",
    "DealtBy",
    "Debt",
    "Due",
    "GalleryLine",
    "HouseBroke",
    "Keeps",
    "Left",
    "LineGone",
    "LogEntry",
    "NewMaster",
    "Notice",
    "OnlookerChat",
    "OnlookersMay",
    "OptionsChosen",
    "Paid",
    "Removed",
    "SatDown",
    "Sealed",
    "Seat",
    "StakeBack",
    "Started",
    "Table",
    "TableHeader",
    "Voided",
    "WentAway",
    "WordGiven",
    "abandon",
    "broke",
    "can_dismiss",
    "chat",
    "claim",
    "dismiss",
    "empty",
    "end_hold",
    "expire",
    "finish",
    "fund",
    "given_up",
    "header",
    "held_for",
    "here",
    "hold",
    "invite",
    "is_asleep",
    "is_closing",
    "is_person",
    "leave",
    "let_speak",
    "line_back",
    "make_room",
    "may_start",
    "murmur",
    "must_go",
    "persons",
    "play",
    "seat_of",
    "seated",
    "sit",
    "speak",
    "start",
    "take_over",
    "void",
    "waiting",
    "wake",
    "wanted",
]

# --- looking ---------------------------------------------------------------------------------------------------------


def empty(game: Game[StateT, MoveT, EventT, OptionsT]) -> Table[StateT, EventT]:
    """Return a table where nobody has sat yet."""
    return Table(seats=(None,) * game.SEATS)


def header(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT]) -> TableHeader:
    """Return the part of the value that is also stored as plain numbers."""
    current, waits = None if table.game is None else game.to_move(table.game), len(wanted(table))
    return TableHeader(table.master, current, table.pot, table.override, table.number, due_at(table), waits)


def is_closing(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT]) -> bool:
    """Return whether a game is over, or being closed, and not yet finished."""
    return table.override != 0 or (table.game is not None and game.is_over(table.game))


def may_start(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT], seat: int, now: float) -> None:
    """Raise `IllegalMove` if `seat` may not start a game now (3.1, 4.1, 4.2).

    The reasons are checked in this order: "closing", "game_running", "not_master", "alone" (too few sit here: `here` of
    `needed`), "asleep" (too few of them are there), "pause" (`seconds` left).
    """
    _not_closing(table, game)
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.master != seat or seat not in persons(table):
        raise IllegalMove("not_master")
    if len(seated(table)) < game.FEWEST:
        raise IllegalMove("alone", here=len(seated(table)), needed=game.FEWEST)
    if len(here(table)) < game.FEWEST:
        raise IllegalMove("asleep", needed=game.FEWEST)
    if now < table.pause_until:
        raise IllegalMove("pause", seconds=math.ceil(table.pause_until - now))


# --- sitting and talking ---------------------------------------------------------------------------------------------


def chat(table: Table[StateT, EventT], session: int, text: str) -> Table[StateT, EventT]:
    """Log a chat line for everybody, at any time (14.1); raise "not_seated". An empty text changes nothing."""
    seat = own_seat(table, session)
    return log(table, Chat(seat, text[:CHAT]), seat) if text else table


def fund(
    table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT], session: int, cash: Mapping[int, int]
) -> Table[StateT, EventT]:
    """Update everybody's cash, because this session was told of a change; raise "not_seated"."""
    own_seat(table, session)
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
    number: int | None = None,
) -> Change[StateT, EventT]:
    """Start a game for everybody who is here now (4). `number` is the ledger's; None: one more than the last game's.

    Those who are away, or without a line, look on. It is dealt from the sealed deck by the words given so far; a
    missing word is not waited for. Raise what `may_start` raises, or "not_seated".
    """
    seat = own_seat(table, session)
    table = woken(line_back(table, session, now, clocks), seat, now, clocks)
    may_start(table, game, seat, now)
    table = prepared(funded(table, game, cash), game, rng)
    people = tuple(Participant(at, who.user, who.name, cash.get(at, 0), who.program) for at, who in _people(table))
    seats = {person.seat: person.cash for person in people}
    deck = None if table.next_deck is None else table.next_deck.deck
    book = transcript.begin(now, deck, words_of(table, game, seats, options))
    dealing = Dealing("") if deck is None else sealing.dealing(deck, book.words)
    step = game.deal(seats, seat, dealing, options)
    number = table.number + 1 if number is None else number
    table = replace(table, last=None, number=number, action=0, pot=0, deadline=turn_ends(now, clocks))
    players = tuple([0 if who is None or not is_here(who) else who.user for who in table.seats])
    table = replace(table, due=(), debts=(), players=players)
    table = log(replace(table, next_deck=None, transcript=book), Started(seat), seat)
    if book.seal:
        table = log(table, DealtBy(book.seal, book.words), None)
    dealt = Dealt(seat, people, msgspec.Raw(msgspec.json.encode(options)))
    change = advance(table, game, step, now, clocks, Action(0, 0, "deal", seat, _user(table, seat), detail(dealt)))
    return looking_on(change, game, now, clocks)


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
    seat = own_seat(table, session)
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
    action = Action(table.action, 0, "move", seat, _user(table, seat), detail(move))
    return advance(table, game, step, now, clocks, action)


def expire(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    now: float,
    rng: Chance,
    cash: Mapping[int, int],
    clocks: Clocks,
) -> Change[StateT, EventT] | None:
    """Serve a clock that has run out; return None if none has. Raise "closing" (a closing game has no clock).

    For a turn the rules decide; a kept seat for which nobody stands in is given up. For the master the privilege passes
    on; a master who is alone keeps it, and nothing is logged (3.6). Whoever lets clocks run out in a row, with
    something to do, is away: a master who could have started no game had nothing to do.
    """
    if table.deadline is None or now < table.deadline:
        return None
    _not_closing(table, game)
    table = funded(table, game, cash)
    if (state := table.game) is not None:
        mover = game.to_move(state)
        if (kept := away_at(table, mover)) is not None:
            return give_up(table, game, kept, now, clocks)
        table = clock_missed(table, mover)
        action = Action(table.action, 0, "time", -1 if mover is None else mover, _user(table, mover))
        return advance(table, game, game.timeout(state, rng), now, clocks, action)
    if _could_start(table, game, now):
        table = clock_missed(table, table.master)
    return Change(pass_on(table, now, clocks))


# --- inside ----------------------------------------------------------------------------------------------------------


def _people(table: Table[StateT, EventT]) -> Iterator[tuple[int, Seat]]:
    """Return everybody who is dealt in, with their seats."""
    return ((seat, who) for seat, who in enumerate(table.seats) if who is not None and is_here(who))


def _could_start(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT], now: float) -> bool:
    """Return whether the master could start a game."""
    if table.master is None:
        return False
    try:
        may_start(table, game, table.master, now)
    except IllegalMove:
        return False
    return True


def _user(table: Table[StateT, EventT], seat: int | None) -> int:
    """Return the user in a seat, 0 for nobody."""
    who = None if seat is None else table.seats[seat]
    return 0 if who is None else who.user


def _not_closing(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT]) -> None:
    if is_closing(table, game):
        raise IllegalMove("closing")
