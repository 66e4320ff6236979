"""The moments in a table's value, for hosts whose clocks differ. Pure.

Owns which parts of a value are moments: seconds of a clock that belongs to one host. A length of time is none, for it
is the same by every clock. Nothing that the rules of a game know is one.
"""

from msgspec.structs import replace

from yawc_poker.engine.game import EventT, StateT
from yawc_poker.engine.values import Seat, Table

_NEARLY_ZERO = 1e-6
"""Seconds: a moment that another clock calls 0.0, where that says that there is none."""


def moved(table: Table[StateT, EventT], seconds: float) -> Table[StateT, EventT]:
    """Return the table with all its moments so many seconds later, as a clock tells them that is so much ahead."""
    book = table.transcript
    return replace(
        table,
        seats=tuple([None if who is None else _moved(who, seconds) for who in table.seats]),
        deadline=None if table.deadline is None else table.deadline + seconds,
        pause_until=_later(table.pause_until, seconds),
        transcript=None if book is None else replace(book, began=book.began + seconds),
        kept=tuple([replace(one, holder=_moved(one.holder, seconds)) for one in table.kept]),
    )


def not_before(table: Table[StateT, EventT], moment: float) -> Table[StateT, EventT]:
    """Return the table with no clock that runs out before this moment, nor a hold; the same table if none does."""
    seats = tuple([None if who is None else _held_until(who, moment) for who in table.seats])
    is_early = table.deadline is not None and table.deadline < moment
    if not is_early and seats == table.seats:
        return table
    return replace(table, seats=seats, deadline=moment if is_early else table.deadline)


def _moved(who: Seat, seconds: float) -> Seat:
    return replace(who, held=_later(who.held, seconds)) if who.held else who


def _held_until(who: Seat, moment: float) -> Seat:
    """Return somebody whose seat, if it is held, is held until this moment at least."""
    return replace(who, held=moment) if who.held and who.held < moment else who


def _later(moment: float, seconds: float) -> float:
    """Return a moment so many seconds later; 0.0, which says that there is none, stays so."""
    return moment and (moment + seconds or _NEARLY_ZERO)
