"""What the poker screen is drawn from: the public scene, and what only this caller's process knows. Pure values.

Owns the extract of a table that one seat may see (a hidden card is never in it, since `rules.view` left it out) and
the answer to "which keys are usable now". Never draws and never decides a rule.

Invariants: `Scene.turn` is None exactly while it is not one's own turn, and no number returns; a prompt or a mark in
`Local` belongs to the turn `Local.turn`.
"""

from typing import Literal

import msgspec

from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Table, seat_of
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, State, View
from yawc_poker.terminal.widgets import LineEditor, Talk

Turn = tuple[int, int]
"""One turn of one game: the ledger's number of the game, the number of the turn in it."""


class Person(msgspec.Struct, frozen=True):
    """Somebody else at the table."""

    seat: int
    name: str


class Scene(msgspec.Struct, frozen=True):
    """All that one seat may see of its table at one moment."""

    seat: int
    name: str
    cash: int
    """Own CUBES."""
    people: tuple[Person, ...]
    """All others who sit there, by seat."""
    master: str
    """The master's name."""
    current: str | None
    """Name of whose turn it is; None: nobody's."""
    pot: int | None
    """CUBES; None while no game runs."""
    game: View | None
    """The running game, or the last one, which is looked at until the next; None before the first."""
    running: bool
    is_master: bool
    deadline: float | None
    """Monotonic second at which one's own clock ends; None: the clock is somebody else's."""
    pause_until: float
    """Monotonic second until which no new game may start."""
    waiting: int
    """X-messages that came in since one sat down."""
    now: float
    """Monotonic second."""
    turn: Turn | None = None
    """One's own turn; None while it is somebody else's."""


def scene(table: Table[State, Event], session: int, waiting: int, now: float) -> Scene:
    """Look at a table from the seat of a session; raises `IllegalMove` "not_seated" where it has none."""
    seat = seat_of(table, session)
    own = None if seat is None else table.seats[seat]
    if seat is None or own is None:
        raise IllegalMove("not_seated")
    game = table.last if table.game is None else table.game
    current = None if table.game is None else rules.to_move(table.game)
    is_mine = current == seat if table.game is not None else table.master == seat
    return Scene(
        seat=seat,
        name=own.name,
        cash=own.cash,
        people=tuple(Person(at, who.name) for at, who in enumerate(table.seats) if who is not None and at != seat),
        master=_name(table, table.master),
        current=None if current is None else _name(table, current),
        pot=None if table.game is None else table.pot,
        game=None if game is None else rules.view(game, seat),
        running=table.game is not None,
        is_master=table.master == seat,
        deadline=table.deadline if is_mine else None,
        pause_until=table.pause_until,
        waiting=waiting,
        now=now,
        turn=None if table.game is None or current != seat else (table.number, rules.turn(table.game)),
    )


def _name(table: Table[State, Event], seat: int | None) -> str:
    who = None if seat is None else table.seats[seat]
    return "" if who is None else who.name


def usable(scene: Scene) -> tuple[str, ...]:
    """Give the command keys usable now, in the order of the command area (spec/poker.md 12)."""
    return (".", "X", *_more_keys(scene))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.is_master else ()
    if scene.turn is None or scene.game is None:
        return ()
    match scene.game.phase:
        case "bet" if scene.game.low > scene.game.high:
            return ("P",)  # the cash fell from outside during the turn
        case "bet":
            return ("B", "P") if scene.game.round == 1 else ("B", "H", "P")
        case "swap":
            return ("1", "2", "3", "4", "5", "D")
        case "showdown":
            return ("R",)
    return ()


Mode = Literal["menu", "bet", "see", "pass", "chat"]


class Local(msgspec.Struct, frozen=True):
    """What only this caller's process knows; a fresh one for whoever sits down."""

    mode: Mode = "menu"
    """Who gets the keys: the commands, the prompt of `[B]` or `[H]`, the question of `[P]`, or the chat line."""
    editor: LineEditor = LineEditor()
    """The number or the chat line being typed."""
    marks: tuple[int, ...] = ()
    """Places of the cards marked for the exchange, ascending, 0 = leftmost."""
    notice: str = ""
    """An error or a reason for the command area."""
    lasting: bool = False
    """The notice says why one is out of the game: it stays when the turn changes."""
    waits: bool = False
    """`[S]` came too early: the seconds still to wait are shown until there are none."""
    talk: Talk = Talk()
    heard: int = 0
    """Number of the last log entry taken over; 0: none yet."""
    turn: Turn | None = None
    """One's own turn that mode, marks and notice belong to."""
    offered: tuple[str, ...] = ()
    """The keys that were usable when the notice was given."""
