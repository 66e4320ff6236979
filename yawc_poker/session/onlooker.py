"""A table as a by-stander sees it, for the sysop: public by the rules, whoever asks.

Made from what the rules show to nobody in particular (`view(state, None)`), so a hidden card cannot be in it. Reads
without a lock.
"""

from collections.abc import Callable

from msgspec import DecodeError

from yawc_poker.casino.house import kind_of
from yawc_poker.casino.overview import Seat, TableView
from yawc_poker.catalogues import words
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import A, E, Game, M, S
from yawc_poker.engine.table import Entry, Table, empty, header, is_closing
from yawc_poker.games import MAUMAU, POKER, of_kind
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.maumau import rules as maumau_rules
from yawc_poker.games.maumau import speech as maumau_speech
from yawc_poker.games.poker import model as poker
from yawc_poker.games.poker import rules as poker_rules
from yawc_poker.games.poker import speech as poker_speech
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.ipc.segment import Segment
from yawc_poker.session.floor import MAUMAU_CODEC, POKER_CODEC
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words

MESSAGES = 10

Known = dict[int, tuple[bool, list[str] | None, int]]
"""Who is in the game, by seat: whether he still takes part, his open cards, and how many hidden ones he holds."""
Sentences = Callable[[Entry[E], Words], tuple[tuple[str, Style], ...]]


def table_view(segment: Segment, cell: Cell, now: float) -> TableView:
    """Look at a table, in English; `now` in monotonic seconds. Raises `TornRead` and `UnknownGame`."""
    return of_kind(_LOOKS, kind_of(segment, cell.index))(cell, now)


def _view(
    cell: Cell,
    now: float,
    game: Game[S, M, E, A],
    codec: Codec[S, E],
    seen: Callable[[S], tuple[str, int, Known]],
    sentences: Sentences[E],
) -> TableView:
    """Look at a table of one game; `seen` gives phase, round, and who takes part."""
    speak = words("en")
    commit, _, value = cell.read()
    try:
        table = codec.decode(value) if value else empty(game)
    except DecodeError as error:
        raise TornRead(f"table {cell.index + 1}: its value cannot be read: {error}") from None
    deadline = header(table, game).deadline
    state = table.last if table.game is None else table.game
    phase, number, known = ("", 0, {}) if state is None else seen(state)
    running = table.game is not None
    return TableView(
        table=cell.index + 1,
        game=game.KIND,
        seats=_seats(table, None if table.game is None else game.to_move(table.game), known),
        number=table.number,
        running=running,
        phase=phase if running else "",
        round=number if running else 0,
        pot=table.pot,
        seconds=None if deadline is None else round(deadline - now, 1),
        closing=is_closing(table, game),
        commit=commit,
        messages=[text for entry in table.log for text, _ in sentences(entry, speak)][-MESSAGES:],
    )


def _seats(table: Table[S, E], current: int | None, known: Known) -> list[Seat]:
    nothing: tuple[bool, list[str] | None, int] = (False, None, 0)
    return [
        Seat(seat + 1, who.name, seat == table.master, seat == current, *known.get(seat, nothing))
        for seat, who in enumerate(table.seats)
        if who is not None
    ]


def _poker(state: poker.State) -> tuple[str, int, Known]:
    view = poker_rules.view(state, None)
    known: Known = {}
    for one in view.opponents:
        cards = None if one.cards is None else [str(card) for card in one.cards]
        known[one.seat] = (one.active, cards, poker.HAND if one.active and cards is None else 0)
    return view.phase, view.round, known


def _maumau(state: maumau.State) -> tuple[str, int, Known]:
    view = maumau_rules.view(state, None)
    over = maumau_rules.is_over(state)
    known: Known = {
        one.seat: (not over, None, 0 if over else one.cards) for one in view.players if one.seat is not None
    }
    return view.phase, view.round, known


_LOOKS: dict[str, Callable[[Cell, float], TableView]] = {
    POKER.KIND: lambda cell, now: _view(cell, now, POKER, POKER_CODEC, _poker, poker_speech.sentences),
    MAUMAU.KIND: lambda cell, now: _view(cell, now, MAUMAU, MAUMAU_CODEC, _maumau, maumau_speech.sentences),
}
