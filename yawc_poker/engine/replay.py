"""A game played again by the rules, from its dealing and its actions; and the table behind each of them. Pure.

Owns the order of the calls; the rules decide whether they are possible. A replay shows all cards of the game. Tables
(`positions`) are those that sessions saw, but for what was no part of the game.
"""

import math
from collections.abc import Iterator, MutableSequence, Sequence
from typing import Generic, assert_never

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.effects import advance, cashed, log, with_seat
from yawc_poker.engine.events import Left, Removed, SatDown, StakeBack, Started, TakesHints, WentAway
from yawc_poker.engine.game import Chance, Dealing, EventT, Game, IllegalMove, ItemT, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.kept import kept_at, released
from yawc_poker.engine.transcript import UNPLAYED, Action, Dealt, GivenBack, Joined, detail
from yawc_poker.engine.values import AWAY, SLEEPS, Clocks, Kept, LogEntry, Seat, Table


class Contradiction(Exception):
    """The actions are impossible by the rules; `number` is the first such action, a "deed" in `yawcctl verify`."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"deed {number}: {reason}")
        self.number = number


class _NoChance:
    """A source of no chance: all of it is in the deal, so a game that asks for more cannot be replayed."""

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        raise Contradiction(0, "asks for chance")

    def getrandbits(self, k: int, /) -> int:
        raise Contradiction(0, "asks for chance")


def check_order(game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing) -> None:
    """Raise `ValueError` if the order is not a permutation of the game's whole deck."""
    if sorted(dealing.order.split()) != sorted(game.DECK):
        raise ValueError(f"the order does not name each of the {len(game.DECK)} cards once")


def replay(
    game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action]
) -> Iterator[tuple[Action, Step[StateT, EventT]]]:
    """Yield each action with its result; raise `Contradiction`, or `ValueError` if the order is not a whole deck."""
    check_order(game, dealing)
    rng: Chance = _NoChance()
    state: StateT | None = None
    for number, action in enumerate(actions):
        if action.number != number:
            raise Contradiction(number, "is missing")
        if action.seat not in range(game.SEATS) and action.kind != "abandoned":
            raise Contradiction(number, "names no seat")
        try:
            step = _dealt(game, action, dealing) if state is None else _done(game, state, action, rng)
        except IllegalMove as refusal:
            raise Contradiction(number, f"against the rules: {refusal.reason}") from None
        except msgspec.DecodeError as error:
            raise Contradiction(number, str(error)) from None
        yield action, step
        state = step.state


def _dealt(game: Game[StateT, MoveT, EventT, OptionsT], action: Action, dealing: Dealing) -> Step[StateT, EventT]:
    if action.kind != "deal":
        raise Contradiction(action.number, "is no deal")
    dealt = msgspec.json.decode(action.detail, type=Dealt)
    if not {dealt.master, *(person.seat for person in dealt.people)} <= set(range(game.SEATS)):
        raise Contradiction(action.number, "names no seat")
    options = game.read_options(bytes(dealt.options).decode())
    return game.deal({person.seat: person.cash for person in dealt.people}, dealt.master, dealing, options)


def _done(
    game: Game[StateT, MoveT, EventT, OptionsT], state: StateT, action: Action, rng: Chance
) -> Step[StateT, EventT]:
    if game.is_over(state):
        raise Contradiction(action.number, "the game was over")
    if action.cash is not None:
        state = game.fund(state, action.cash)
    match action.kind:
        case "move":
            return game.play(state, action.seat, game.read_move(action.detail), rng)
        case "time" if action.seat == game.to_move(state):
            return game.timeout(state, rng)
        case "join":
            return game.join(state, action.seat, msgspec.json.decode(action.detail, type=Joined).cash)
        case "removed" if action.detail:
            back = msgspec.json.decode(action.detail, type=GivenBack)
            return game.leave(game.give_back(state, action.seat, back.known), action.seat)
        case "leave" | "removed":
            return game.leave(state, action.seat, unplayed=action.detail == UNPLAYED)
        case "abandoned":
            return game.abandon(state)
        case "away" | "stand_in" | "back" | "hint":
            return Step(state)
        case _:
            raise Contradiction(action.number, "is out of place")


# --- the table behind each action -------------------------------------------------------------------------------------


class Position(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """A table as it was behind an action of its game."""

    action: Action
    table: Table[StateT, EventT]
    """Complete: who may see what of it, its rules decide as at any table (`Rules.view`, `Rules.concealed`)."""
    rows: tuple[LogEntry[EventT], ...]
    """What the action brought to its log."""


def positions(
    game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action], number: int = 0
) -> Iterator[Position[StateT, EventT]]:
    """Yield the table behind each action of a game, `number` in the ledger. Raise as `replay` does.

    A session is its user's number. Nothing is known of what was no part of the game: chat, clocks, money from outside
    that the rules were not told of, who came before. Behind the last action the game is not paid out yet.
    """
    table: Table[StateT, EventT] = Table((None,) * game.SEATS, number=number, deadline=math.inf)
    for action, step in replay(game, dealing, actions):
        logged = table.logged
        table = _behind(table, game, action, step)
        yield Position(action, table, tuple(entry for entry in table.log if entry.number > logged))


def _behind(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    action: Action,
    step: Step[StateT, EventT],
) -> Table[StateT, EventT]:
    """Return the table behind an action that led to this step of the rules."""
    left = None
    table = cashed(table, action.cash or {})
    match action.kind:
        case "deal":
            table = _seated(table, msgspec.json.decode(action.detail, type=Dealt))
        case "join" | "stand_in" | "back":
            table = _come(table, action, msgspec.json.decode(action.detail, type=Joined))
        case "away":
            table = _gone(table, action)
        case "leave" | "removed":
            table, left = _without(table, action)
        case "hint":
            table = log(replace(table, helped=(*table.helped, action.user)), TakesHints(action.seat), action.seat)
        case "move" | "time" | "abandoned":
            pass
        case _ as never:
            assert_never(never)
    table = advance(table, game, step, action.at, Clocks(turn=0.0), action, left).table
    return table if table.deadline is None else replace(table, deadline=math.inf)


def _seated(table: Table[StateT, EventT], dealt: Dealt) -> Table[StateT, EventT]:
    """Return the table with those who were there when the game was dealt."""
    people = {one.seat: Seat(one.user, one.user, one.name, one.cash, program=one.program) for one in dealt.people}
    seats = tuple(people.get(seat) for seat in range(len(table.seats)))
    players = tuple(0 if who is None else who.user for who in seats)
    names = tuple("" if who is None else who.name for who in seats)
    table = replace(table, seats=seats, master=dealt.master, players=players, names=names)
    return log(table, Started(dealt.master), dealt.master)


def _come(table: Table[StateT, EventT], action: Action, joined: Joined) -> Table[StateT, EventT]:
    """Return the table with somebody who sat down, stands in or is back; or sat there already, and was away."""
    who = Seat(action.user, action.user, joined.name, joined.cash, program=joined.program)
    if joined.away:
        who = replace(who, missed=SLEEPS)
    if action.kind == "back":
        table = replace(table, kept=tuple(one for one in table.kept if one.seat != action.seat))
    table = replace(table, seats=with_seat(table.seats, action.seat, who))
    return log(table, WentAway(action.seat) if joined.away else SatDown(action.seat), action.seat)


def _gone(table: Table[StateT, EventT], action: Action) -> Table[StateT, EventT]:
    """Return the table with the seat of somebody who has gone, or sleeps, kept for its holder."""
    seat, who = action.seat, table.seats[action.seat]
    if who is None:
        raise Contradiction(action.number, "nobody is there who could go")
    asleep = action.detail == detail("asleep")
    went = Removed(seat, kept=True) if action.detail == detail("removed") else Left(seat, kept=True)
    table = log(table, WentAway(seat) if asleep else went, seat)
    kept = kept_at(table, seat)
    holder = kept.holder if kept else replace(who, session=AWAY, missed=SLEEPS if asleep else 0)
    others = tuple(one for one in table.kept if one.seat != seat)
    seats = with_seat(table.seats, seat, holder)
    return replace(table, seats=seats, kept=(*others, Kept(seat, holder, 0, "normal")))


def _without(table: Table[StateT, EventT], action: Action) -> tuple[Table[StateT, EventT], Seat | None]:
    """Return the table without somebody who has left for good, and who that was."""
    seat, left = action.seat, table.seats[action.seat]
    kept = kept_at(table, seat)
    if kept is not None and kept.holder.user == action.user:
        return released(table, kept), kept.holder
    table = log(table, Removed(seat) if action.kind == "removed" else Left(seat), seat)
    if action.detail:
        back = msgspec.json.decode(action.detail, type=GivenBack)
        table = log(replace(table, pot=table.pot - back.known), StakeBack(seat, back.amount), seat)
    others = tuple(one for one in table.kept if one.seat != seat)
    return replace(table, seats=with_seat(table.seats, seat, None), kept=others), left
