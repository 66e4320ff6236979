"""What one seat may see of its table at one moment, in any game, and the state local to the caller's process.

Owns the extract of a table: names, the master, clocks, and the game's own view, which contains no hidden card.
Invariants: `Scene.turn` is None unless it is this seat's turn, and its values never repeat; a prompt in `Local` belongs
to the turn `Local.turn`.
"""

import math
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import Seat, Table, is_asleep, seat_of
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.widgets import Talk

STEP = 5
"""Seconds per step of the master's clock while no game runs, as in the original."""
COARSE_UNTIL = 30
"""Seconds left from which that clock runs second by second."""
WIN_SECONDS = 2.0
"""How long a win stands where the pot was."""

Turn = tuple[int, int]
"""One turn of one game: the game's number in the ledger, and the turn's number in the game."""


ONLOOKER = -1
"""In place of a session's token: of somebody who looks on, and sees what everybody may see."""
NO_SEAT = -1
"""In place of a seat: of somebody who looks on."""
PAST = 40
"""Messages kept for a large window."""

Absent = Literal["away", "line", "out"]
"""Their clocks ran out, and they sit out; their line is gone, and the seat is kept for them; they sit out games for a
withheld word."""


class Occupant(msgspec.Struct, frozen=True):
    """Somebody else at the table."""

    seat: int
    name: str
    absent: Absent | None = None
    """Why they are not there; None: they are."""


class Scene(msgspec.Struct, Generic[ViewT], frozen=True):
    """Everything that one seat may see of its table at one moment; or somebody who looks on, without a seat."""

    seat: int
    """`NO_SEAT`: the caller looks on."""
    name: str
    cash: int
    """The seat's own CUBES."""
    people: tuple[Occupant, ...]
    """Everybody else at the table, by seat."""
    master: str
    """The master's name."""
    current: str | None
    """The name of the player whose turn it is; None: nobody's."""
    pot: int | None
    """CUBES; None while no game runs."""
    game: ViewT | None
    """The running game or, until the next, the last one; None before the first."""
    running: bool
    is_master: bool
    deadline: float | None
    """Monotonic second at which the seat's own clock ends; None: somebody else's clock is running, or none."""
    pause_until: float
    """Monotonic second until which no new game may start."""
    waiting: int
    """X-messages received since the caller sat down."""
    now: float
    """Monotonic second."""
    turn: Turn | None = None
    """This seat's turn; None while it is not."""
    chats: bool = True
    """The caller may chat with the others."""
    options: str = ""
    """The options chosen for the games to come, as JSON for `Game.read_options`; empty: the table's usual ones."""
    number: int = 0
    """The running game's number in the ledger or, until the next, the last one's."""
    names: tuple[str, ...] = ()
    """The names of those who were dealt into the game that is shown, by seat; empty: nobody's."""
    watching: tuple[str, ...] = ()
    """The names of those who look on."""
    sits_out: bool = False
    """The caller's clocks ran out: they are dealt no cards until they press a key."""
    out: int = 0
    """Games that the caller sits out, because they withheld a text."""
    ended: float = -math.inf
    """Monotonic second at which the caller saw the last game end; long ago: they did not see it."""

    @property
    def is_win_new(self) -> bool:
        """Whether the last game has just ended, so that its win stands where the pot was."""
        return not self.running and self.now < self.ended + WIN_SECONDS

    def player(self, seat: int, *, gone: bool) -> str:
        """Return the name of the player in a seat, or of the stand-in.

        Of one who is `gone` it is the name that was dealt in: somebody else may sit there now.
        """
        return self.names[seat] if gone else self.sitting.get(seat, self.names[seat])

    @property
    def sitting(self) -> dict[int, str]:
        """The names of the people at the table, by seat; the caller's own, too."""
        return {self.seat: self.name} | {person.seat: person.name for person in self.people}

    def may_start(self, fewest: int) -> bool:
        """Return whether the caller may start a game now that so many must play."""
        return self.is_master and not self.running and len(self.people) + 1 >= fewest

    @property
    def playing(self) -> ViewT | None:
        """The game that runs."""
        return self.game if self.running else None

    @property
    def looks_on(self) -> bool:
        """Whether the caller has no seat and looks on."""
        return self.seat == NO_SEAT


class Prompt(msgspec.Struct, frozen=True):
    """A prompt with the text typed into it so far."""

    mode: str
    editor: LineEditor
    behind: "Prompt | None" = None
    """The prompt that this one was opened in."""


class Ahead(msgspec.Struct, frozen=True):
    """A move that was decided before its turn, and may be taken back. Only the caller's own process knows of it."""

    key: str
    """The key by which it was chosen."""
    game: int
    """`Scene.number`."""
    stage: str
    """The part of the game that it is for, in a word of the game's own."""


class Local(msgspec.Struct, frozen=True):
    """State local to the caller's process, in any game; a fresh one each time a caller sits down."""

    mode: str = "menu"
    """What receives the keys: the commands ("menu"), the chat line ("chat"), or a prompt of the game's own."""
    editor: LineEditor = LineEditor()
    """The number or the chat line being typed."""
    behind: Prompt | None = None
    """The prompt that the chat line or the question whether to leave was opened in, restored when that closes."""
    notice: str = ""
    """An error or a reason for the command area."""
    lasting: bool = False
    """The notice says why the caller is out of the game: it stays when the turn changes."""
    alone: bool = False
    """The notice says that the caller is alone: it goes when somebody sits down."""
    waits: bool = False
    """`[S]` came too early: the seconds still to wait are shown until none are left."""
    talk: Talk = Talk()
    past: tuple[tuple[str, Style], ...] = ()
    """The latest `PAST` messages, for a window that is higher than a table."""
    heard: int = 0
    """Number of the last log entry taken over; 0: none yet."""
    turn: Turn | None = None
    """The caller's own turn that mode, marks and notice belong to."""
    offered: tuple[str, ...] = ()
    """The keys that were usable when the notice was given."""
    house: str = ""
    """The keys for house players that mean something now, of `+-`, or those of an on-looker, of `S,`.

    Shown where there is room.
    """
    added: str = ""
    """The keys of extras that mean something now (`table_ui.added_keys`)."""
    ahead: Ahead | None = None
    """What the caller has decided for their next turn."""
    helps: bool = False
    """The help lies over the screen: the next key takes it away (`table_ui.guide`)."""


LocalT = TypeVar("LocalT", bound=Local)
"""A game's own kind of `Local`."""


def look(
    game: Game[StateT, MoveT, EventT, OptionsT],
    view: Callable[[StateT, int | None], ViewT],
    table: Table[StateT, EventT],
    session: int,
    waiting: int,
    now: float,
) -> Scene[ViewT]:
    """Return a table as a session's seat sees it; `view` is the game's. Raise `IllegalMove` "not_seated".

    With `ONLOOKER` as the session: as somebody sees it who has no seat; without their name, which no table knows.
    """
    seat = seat_of(table, session)
    own = None if seat is None else table.seats[seat]
    if own is None and session != ONLOOKER:
        raise IllegalMove("not_seated")
    state = table.last if table.game is None else table.game
    current = None if table.game is None else game.to_move(table.game)
    is_master = seat is not None and table.master == seat
    is_mine = seat is not None and current == seat if table.game is not None else is_master
    return Scene(
        seat=NO_SEAT if seat is None else seat,
        name="" if own is None else own.name,
        cash=0 if own is None else own.cash,
        people=tuple([_occupant(at, who) for at, who in enumerate(table.seats) if who is not None and at != seat]),
        master=_name(table, table.master),
        current=None if current is None else _name(table, current),
        pot=None if table.game is None else table.pot,
        game=None if state is None else view(state, seat),
        running=table.game is not None,
        is_master=is_master,
        deadline=table.deadline if is_mine and table.deadline != math.inf else None,
        pause_until=table.pause_until,
        waiting=waiting,
        now=now,
        turn=(table.number, table.game.turn) if table.game is not None and is_mine else None,
        options=table.options,
        number=table.number,
        names=table.names,
        sits_out=own is not None and is_asleep(own),
        out=0 if own is None else own.out,
    )


def _occupant(seat: int, who: Seat) -> Occupant:
    return Occupant(seat, who.name, "line" if who.held else "out" if who.out else "away" if is_asleep(who) else None)


def _name(table: Table[StateT, EventT], seat: int | None) -> str:
    who = None if seat is None else table.seats[seat]
    return "" if who is None else who.name


def shown_seconds(scene: Scene[ViewT]) -> int:
    """Return the seconds that the seat's own clock shows.

    A turn's clock and the last seconds of the master's run second by second. Before that, the master's clock goes in
    steps, rounded up: 3:00, 2:55, 2:50.
    """
    if scene.deadline is None:
        return 0
    left = max(math.ceil(scene.deadline - scene.now), 0)
    return left if scene.running or left <= COARSE_UNTIL else left + -left % STEP


def is_coarse(scene: Scene[ViewT]) -> bool:
    """Return whether the seat's own clock goes in steps now."""
    return not scene.running and scene.deadline is not None and scene.deadline - scene.now > COARSE_UNTIL


def may_pass(scene: Scene[ViewT], waits: bool, change: float, tick: float) -> bool:
    """Return whether the next change, at `change`, may wait for the next tick: a step of the master's coarse clock may.

    Ticks come every `tick` seconds. They are too late if they are further apart than the steps, or in the last seconds.
    """
    is_quiet = not (scene.running or waits or scene.is_win_new) and scene.pause_until <= scene.now
    steps = is_quiet and scene.deadline is not None
    return steps and scene.deadline is not None and tick <= STEP and scene.deadline - change - tick > COARSE_UNTIL


def next_change(scene: Scene[ViewT], waits: bool) -> float | None:
    """Return when time alone next changes the screen: a step of the own clock, the end of the pause, or of a win.

    A turn's clock, a wait (`waits`) and the last seconds run second by second; the master's minutes without a game pass
    in steps (spec/poker.md 10), because each step costs a redraw and most tables are idle most of the time.
    """
    moments = []
    if scene.deadline is not None and scene.deadline > scene.now:
        left = math.ceil(scene.deadline - scene.now)
        step = 1 if scene.running or waits or left <= COARSE_UNTIL else left % STEP or STEP
        moments.append(scene.deadline - (left - step))
    if scene.pause_until > scene.now:
        moments.append(scene.pause_until)
    if scene.is_win_new:
        moments.append(scene.ended + WIN_SECONDS)
    return min(moments, default=None)


# --- decided ahead ----------------------------------------------------------------------------------------------------
#
# A game says for which part of it a key decides, and when a decision does not hold any more; the session makes the move
# when the turn has come, by the same transaction as a key would, and only on the very value that the game has judged.


def toggled(local: LocalT, scene: Scene[ViewT], key: str, stage: str) -> LocalT:
    """Decide by this key for a stage of the running game; decided already, it is taken back."""
    made = Ahead(key, scene.number, stage)
    return replace(local, ahead=None if local.ahead == made else made)


def is_for(ahead: Ahead, scene: Scene[ViewT], stage: str) -> bool:
    """Return whether a decision is for this stage of the running game."""
    return scene.running and (ahead.game, ahead.stage) == (scene.number, stage)
