"""Hints: a player on turn is told what a house player would do, where that is agreed. Pure.

Owns where hints may be taken: where all others are house players; else where the master has allowed them before the
game, which all are told and have a pause to leave. A reserved table has none. Never knows what a hint says: an extra
gives them (`session.table.errand`). Invariant: whoever takes a hint in a game stands in `Table.helped` and in the
game's history, as an action that the rules are not told of, before they read it.
"""

from typing import Final

from msgspec.structs import replace

from yawc_poker.engine import events
from yawc_poker.engine.effects import log, recorded
from yawc_poker.engine.game import EventT, IllegalMove, Rules, StateT
from yawc_poker.engine.house import is_house
from yawc_poker.engine.next_game import need_decider, with_time_to_read
from yawc_poker.engine.reserving import is_free
from yawc_poker.engine.transcript import Action, ActionKind
from yawc_poker.engine.values import Clocks, Table, own_seat, persons

HINT: Final[ActionKind] = "hint"
"""The action by which a game's history says that its player took hints."""


def allow(table: Table[StateT, EventT], session: int, *, on: bool, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Allow hints in the games to come, or not, as the master; the same again changes nothing.

    It holds for later masters, too, until one changes it or the last person leaves. Raise as `next_game.choose`.
    """
    seat = own_seat(table, session)
    need_decider(table, seat)
    if table.hints == on:
        return table
    table = replace(table, hints=on)
    if len(persons(table)) > 1:
        table = with_time_to_read(table, now, clocks)
    return log(table, events.HintsMay(seat, on), seat)


def may_take(table: Table[StateT, EventT], seat: int) -> bool:
    """Return whether the player in a seat may take hints in the running game."""
    if table.game is None or not is_free(table):
        return False
    dealt = [user for at, user in enumerate(table.players) if user and at != seat and not is_house(user)]
    return table.hints or not (dealt or set(persons(table)) - {seat})


def take(table: Table[StateT, EventT], game: Rules[StateT, EventT], session: int, now: float) -> Table[StateT, EventT]:
    """Note that the player on turn takes hints in this game, which all are told once.

    Raise "not_seated", or "too_late": it is not their turn any more, or not agreed.
    """
    seat = own_seat(table, session)
    who = table.seats[seat]
    if table.game is None or who is None or game.to_move(table.game) != seat or not may_take(table, seat):
        raise IllegalMove("too_late")
    if who.user in table.helped:
        return table
    table = log(replace(table, helped=(*table.helped, who.user)), events.TakesHints(seat), seat)
    return recorded(table, game, Action(table.action, 0, HINT, seat, who.user), now)
