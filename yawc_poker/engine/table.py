"""A table: seats, the master, the clock, the log, and the one game that runs there (spec/poker.md 2, 3, 4, 10).

Owns who sits where, who is master between games, when a clock ends, and the chat: the operations, and who may do which
when. Parts of them are in `engine.changes`: who comes and goes, house players, common effects. Never knows the rules of
a game (an argument, `engine.game.Game`), never moves money (the caller that runs the table does, as `Change.payments`
say), never reads a clock or draws chance (arguments). All functions are pure: they return a new `Table`, or raise
`IllegalMove` and change nothing.

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
from collections.abc import Mapping

from yawc_poker.engine.changes.absence import (
    clock_missed,
    due_at,
    end_hold,
    held_for,
    hold,
    line_back,
    take_over,
    wake,
    woken,
)
from yawc_poker.engine.changes.attendance import here, is_asleep, own_seat
from yawc_poker.engine.changes.company import broke, can_dismiss, dismiss, invite, make_room, must_go
from yawc_poker.engine.changes.effects import advance, funded, log, pass_on
from yawc_poker.engine.changes.events import (
    ByHandOver,
    CameBack,
    Chat,
    Committed,
    DealtBy,
    Fixed,
    HouseBroke,
    Left,
    LineGone,
    NewMaster,
    Notice,
    NotStarted,
    OnlookerChat,
    OnlookersMay,
    OptionsChosen,
    Paid,
    Removed,
    SatDown,
    Sealed,
    StakeBack,
    Started,
    Unrevealed,
    Voided,
    WaitsForBank,
    WentAway,
)
from yawc_poker.engine.changes.kept import Keeps, away_at, give_up, given_up, wanted
from yawc_poker.engine.changes.onlookers import let_speak, murmur, speak
from yawc_poker.engine.changes.seats import abandon, leave, sit, waiting
from yawc_poker.engine.ending import claim, finish, void
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.opening import (
    begin,
    commit,
    deal,
    is_frozen,
    is_ready,
    one_game_less,
    overdue,
    owed,
    owes_commitment,
    postponed,
    revealed,
)
from yawc_poker.engine.transcript import Action, detail
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
    "ByHandOver",
    "CameBack",
    "Change",
    "Chat",
    "Clocks",
    "Committed",
    "DealtBy",
    "Debt",
    "Due",
    "Fixed",
    "GalleryLine",
    "HouseBroke",
    "Keeps",
    "Left",
    "LineGone",
    "LogEntry",
    "NewMaster",
    "NotStarted",
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
    "Unrevealed",
    "Voided",
    "WaitsForBank",
    "WentAway",
    "abandon",
    "broke",
    "can_dismiss",
    "chat",
    "claim",
    "commit",
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
    "is_frozen",
    "is_person",
    "leave",
    "let_speak",
    "line_back",
    "make_room",
    "may_start",
    "murmur",
    "must_go",
    "owed",
    "owes_commitment",
    "persons",
    "play",
    "postponed",
    "reveal",
    "revealed",
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

    The reasons are checked in this order: "closing", "game_running", "frozen" (one begins), "not_master", "sits_out"
    (`games` more), "alone" (too few sit here: `here` of `needed`), "asleep" (too few of them are there), "pause"
    (`seconds` left).
    """
    _not_closing(table, game)
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.opening is not None:
        raise IllegalMove("frozen")
    if table.master != seat or seat not in persons(table):
        raise IllegalMove("not_master")
    if (who := table.seats[seat]) is not None and who.out:
        raise IllegalMove("sits_out", games=who.out)
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
) -> Change[StateT, EventT]:
    """Start a game for everybody who is here now (4).

    Those who are away, or without a line, look on. What the players are committed to is frozen, and the game is dealt
    once their texts are revealed: at once if nobody is committed to any. Raise "not_seated", or what `may_start` does.
    """
    seat = own_seat(table, session)
    table = woken(line_back(table, session, now, clocks), seat, now, clocks)
    may_start(table, game, seat, now)
    table = prepared(funded(table, game, cash), game, rng)
    table = begin(table, game, seat, cash, options, now, clocks)
    return deal(table, game, cash, now, clocks) if is_ready(table) else Change(table)


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
    table = revealed(funded(table, game, cash), session, text)
    return deal(table, game, cash, now, clocks) if is_ready(table) else Change(table)


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
    something to do, is away: a master who could have started no game had nothing to do. For a game that begins
    `engine.opening` decides.
    """
    if table.deadline is None or now < table.deadline:
        return None
    _not_closing(table, game)
    if table.opening is not None:
        return overdue(table, game, cash, now, clocks)
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
    return Change(pass_on(one_game_less(table), now, clocks))


# --- inside ----------------------------------------------------------------------------------------------------------


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
