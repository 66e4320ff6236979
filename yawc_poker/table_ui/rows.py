"""What a caller learns of their table by each change, in order, as values: *rows*. Pure.

Where rows come from. The rules report every change as events that tell all of it, hidden parts too: each card that is
dealt, taken or given away. They stand in the table's log, which lies in shared memory beside all hands. A session reads
it concealed (`engine.table.read_log`): what is about itself is whole, of the rest it learns what everybody does. So a
card that comes is a row, also if the same card was held before; nobody looks for it in the difference of two states.
Two things are no events, because only the newest one counts, and nothing is lost if one was never seen: what is asked
now (`Asked`), by the number of its turn, and what the caller owns (`Owns`).

The log keeps `engine.values.LOG` entries, and a session that waits on its line may miss more. Then a `Missed` comes
first: whoever reads the rows knows that they are not all, and looks at the whole scene.

Invariant (tests/rows/test_rows.py): from a seat's rows alone follows all that its scene shows of the game; and nothing
follows from them that the scene hides.
"""

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.game import EventT, MoveT, OptionsT, Rules, StateT, ViewT
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import LOG, LogEntry, Table
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.scene import LocalT, Scene, Turn


class Asked(msgspec.Struct, frozen=True):
    """Whose turn it is, and what the caller may do now."""

    running: bool
    """A game runs, or is over and not paid out yet."""
    current: str | None
    """The name of the player on turn; None: nobody is."""
    turn: Turn | None
    """The caller's own turn; None: it is not theirs."""
    choices: tuple[object, ...]
    """The caller's legal moves with their bounds, as their game has them; also out of turn."""
    keys: tuple[str, ...]
    """The keys that mean something now."""
    until: float | None
    """Monotonic second at which the caller's own clock ends; None: none of theirs runs."""


class Owns(msgspec.Struct, frozen=True):
    """What the caller owns now, in CUBES. Who looks on has no such row."""

    cubes: int


class Missed(msgspec.Struct, frozen=True):
    """So many entries of the log were gone before they were read."""

    entries: int


Row = LogEntry[EventT] | Asked | Owns | Missed


class Read(msgspec.Struct, frozen=True):
    """How far somebody has read."""

    logged: int = 0
    """Number of the last log entry; 0: they have just come, and miss nothing."""
    asked: Asked | None = None
    cubes: int | None = None


def rows(
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    table: Table[StateT, EventT],
    session: int,
    scene: Scene[ViewT],
    read: Read,
) -> tuple[Read, tuple[Row[EventT], ...]]:
    """Return the new rows for a session, in order, and how far it has read then; `scene` is what it sees of the table.

    With `scene.ONLOOKER` as the session: for somebody who looks on.
    """
    read, logged = entries(face.rules, table, session, read)
    read, now = question(face, table, scene, read)
    return read, (*logged, *now)


def entries(
    game: Rules[StateT, EventT], table: Table[StateT, EventT], session: int, read: Read
) -> tuple[Read, tuple[LogEntry[EventT] | Missed, ...]]:
    """Return the first part of the new rows: the log's."""
    gone = table.logged - LOG - read.logged
    missed = (Missed(gone),) if gone > 0 and read.logged else ()
    return replace(read, logged=table.logged), (*missed, *read_log(table, game, session, read.logged))


def question(
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    table: Table[StateT, EventT],
    scene: Scene[ViewT],
    read: Read,
) -> tuple[Read, tuple[Asked | Owns, ...]]:
    """Return the second part: what the caller owns and what is asked, as far as either is new."""
    may = () if table.game is None or scene.looks_on else face.rules.legal_moves(table.game, scene.seat)
    asked = Asked(scene.running, scene.current, scene.turn, may, face.usable(scene), scene.deadline)
    cubes = None if scene.looks_on else scene.cash
    owns = () if cubes is None or cubes == read.cubes else (Owns(cubes),)
    return replace(read, asked=asked, cubes=cubes), (*owns, *(() if asked == read.asked else (asked,)))
