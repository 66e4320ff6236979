"""A table as a by-stander sees it, for the sysop: public by the rules, whoever asks.

Made from what the rules show to nobody in particular (`rules.view(state, None)`), so a hidden card cannot be in it.
Reads without a lock.
"""

from msgspec import DecodeError

from yawc_poker.casino.overview import Seat, TableView
from yawc_poker.catalogues import words
from yawc_poker.engine.table import Table, empty, is_closing
from yawc_poker.games import POKER
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, State, View
from yawc_poker.games.poker.speech import sentences
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.session.floor import POKER_CODEC

MESSAGES = 10


def table_view(cell: Cell, now: float) -> TableView:
    """Look at a table, in English; `now` in monotonic seconds. Raises `TornRead`."""
    speak = words("en")
    commit, _, value = cell.read()
    try:
        table = POKER_CODEC.decode(value) if value else empty(POKER)
    except DecodeError as error:
        raise TornRead(f"table {cell.index + 1}: its value cannot be read: {error}") from None
    state = table.last if table.game is None else table.game
    view = None if state is None else rules.view(state, None)
    return TableView(
        table=cell.index + 1,
        game=POKER.KIND,
        seats=_seats(table, view),
        number=table.number,
        running=table.game is not None,
        phase="" if view is None or table.game is None else view.phase,
        round=0 if view is None or table.game is None else view.round,
        pot=table.pot,
        seconds=None if table.deadline is None else round(table.deadline - now, 1),
        closing=is_closing(table, POKER),
        commit=commit,
        messages=[text for entry in table.log for text, _ in sentences(entry, speak)][-MESSAGES:],
    )


def _seats(table: Table[State, Event], view: View | None) -> list[Seat]:
    current = None if view is None or table.game is None else view.current
    known = {} if view is None else {other.seat: other for other in view.opponents}
    seats = []
    for seat, who in enumerate(table.seats):
        if who is not None:
            other = known.get(seat)
            cards = None if other is None or other.cards is None else [str(card) for card in other.cards]
            plays = other is not None and other.active
            seats.append(Seat(seat + 1, who.name, seat == table.master, seat == current, plays, cards))
    return seats
