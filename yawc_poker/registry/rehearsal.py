"""A game rehearsed: its opening moves played and drawn as a session does it, with nobody there.

Owns nothing and leaves nothing: no process, no database, no shared memory. What it warms is told in
`session.warmup.rehearsal`.
"""

from collections.abc import Callable
from random import Random

from yawc_poker.config import Config
from yawc_poker.engine import table as tables
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import EventT, StateT
from yawc_poker.engine.table import Clocks, Seat, Table
from yawc_poker.table_ui.definition import Definition
from yawc_poker.table_ui.face import Face, LocalT, MoveT, OptionsT, ViewT
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import Words

_CLOCKS = Clocks()
_CASH = 100
_KEYS = (".", "x", "\x1b")
"""Pressed before each drawing: a chat line with a character in it, closed again."""

Show = Callable[[Frame], None]


def rehearse(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    codec: Codec[StateT, EventT],
    config: Config,
    show: Show,
    speak: Words,
) -> None:
    """Play the moves that a game has for its rehearsal; each position is shown from the first seat."""
    if not game.rehearsal:
        return
    rules, rng, now, options = game.rules, Random(1), 0.0, game.options(config)
    cash = dict.fromkeys(range(rules.FEWEST), _CASH)
    table: Table[StateT, EventT] = tables.empty(rules)
    for seat in cash:
        table = tables.sit(table, rules, Seat(seat + 1, seat + 1, f"Name {seat + 1}", _CASH), now, _CLOCKS)
    table = tables.start(table, rules, 1, cash, rng, now, options, _CLOCKS).table
    local = game.face.fresh(options)
    for move in game.rehearsal:
        local = _drawn(game.face, codec, table, local, show, speak)
        mover = None if table.game is None else rules.to_move(table.game)
        assert mover is not None, "the rehearsed game ended early"
        table = tables.play(table, rules, mover + 1, move, cash, rng, now, _CLOCKS).table
    if table.game is not None and rules.is_over(table.game):
        table = tables.finish(table, rules, now, _CLOCKS)
    _drawn(game.face, codec, table, local, show, speak)


def _drawn(
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    codec: Codec[StateT, EventT],
    table: Table[StateT, EventT],
    local: LocalT,
    show: Show,
    speak: Words,
) -> LocalT:
    table = codec.decode(codec.encode(table))
    seen = face.scene(table, 1, 0, 0.0)
    local = face.follow(face.hear(local, table.log, 1, speak), seen)
    for key in _KEYS:
        local, _ = face.press(local, seen, key, speak)
        show(face.render(seen, local, speak, 80, 24))
    return local
