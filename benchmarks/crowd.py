"""Hundreds of simulated callers, driven by one loop, who sit down five at a table and play.

Keys go through each caller's own telnet connection; only the player on turn is read from shared memory. A move is done
when all five have received their new screens. All callers register as people do, with a password that is hashed.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, Protocol

from tests.end_to_end.bbs import Bbs
from tests.stress.loop import Loop
from tests.stress.wire import Wire
from yawc_poker.casino.presence.directory import Directory, index_of
from yawc_poker.engine.values import Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, MayBet, MayShow, MaySwap, State
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.games import POKER_TABLES

FIVE: Final = 5
SCREEN: Final = 30
"""Minimum bytes of a new screen; a redrawn clock takes fewer."""
PATIENCE: Final = 180.0
RETRY: Final = 8.0
"""Seconds after which a move without effect is repeated: a key pressed too early does not reach the game."""
AT_A_TIME: Final = 12
"""Maximum callers who log in at the same time."""
PASSWORD: Final = "secret-1"
LOGIN: Final = "Name:"
PROMPT: Final = "?: help)>"
CONFIG: Final = """
[bbs]
name = "Testville"
hold_seconds = 0
start_cubes = 1000000000
cubes_per_hour = 0
[telnet]
registrations_per_hour = 0
max_sessions = 1100
max_per_address = 1200
merge_memory = true
idle_seconds = 36000
[poker]
tables = 202
turn_seconds = 3600
master_seconds = 3600
pause_seconds = 0.2
max_bet = 1000000
"""


class Late(Exception):
    """An expected event did not happen in time."""


class Visitor:
    """A caller who registers, walks to a table and sits down; at a stop on the way they wait."""

    def __init__(self, loop: Loop, port: int, number: int, kind: str, stops: Collection[str] = ()) -> None:
        self.name = f"{kind} {number}"
        self.received = 0
        """Bytes received since this was last set to 0."""
        self.heard: Callable[[], None] = lambda: None
        self.is_seated = False
        self.is_stopped = False
        self._stops = stops
        self._way = self._walk(number // FIVE + 1)
        self._awaited = next(self._way)
        self.wire = Wire(loop, port, self._hear, self._lost)

    def _walk(self, table: int) -> Iterator[str]:
        """Type the keys that lead to the table; yield the text that must be seen before each."""
        for seen, keys in (
            (LOGIN, f"{self.name}\r"),
            ("(y/n)", "y"),
            ("Password:", f"{PASSWORD}\r"),
            ("Repeat the", f"{PASSWORD}\r"),
            (PROMPT, "s"),
            ("Casino>", "2"),
            ("(ENTER: back)", f"{table}\r"),
            ("(y/n)", "y"),
        ):
            yield seen
            self.wire.send(keys)
        yield "Master:"

    def go_on(self) -> None:
        """Leave a stop."""
        self.is_stopped = False
        self._step()

    def _hear(self, data: bytes) -> None:
        self.received += len(data)
        if not self.is_seated and not self.is_stopped and self.wire.shows(self._awaited):
            self.is_stopped = self._awaited in self._stops
            if not self.is_stopped:
                self._step()
        self.heard()

    def _step(self) -> None:
        self._awaited = next(self._way, "")
        self.is_seated = not self._awaited

    def _lost(self) -> None:
        raise Late(f"{self.name} lost the connection; the last seen: {self.wire.text[-200:]!r}")


class Place(Protocol):
    """Where a table's value is read."""

    @property
    def index(self) -> int:
        """Its number, from 0."""

    @property
    def number(self) -> int:
        """The number of its last commit."""

    def data(self) -> bytes:
        """Return its value."""


class LocalHost:
    """A table in the memory of one BBS."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self.index = cell.index

    @property
    def number(self) -> int:
        """The number of its last commit."""
        return self._cell.number

    def data(self) -> bytes:
        """Return its value."""
        return self._cell.read()[2]


class Five:
    """A table of five, or of fewer, who play until told to stop."""

    def __init__(self, loop: Loop, cell: Place, people: Sequence[Visitor]) -> None:
        self.times: list[float] = []
        """Seconds per move, from its key to the last screen at the table."""
        self.games = 0
        """Games played to the end."""
        self.ends_games = True
        """If false, the last bets go round for ever."""
        self._loop = loop
        self._cell = cell
        self._people = {one.name: one for one in people}
        for one in people:
            one.heard = self._look
        self._is_over: Callable[[Five], bool] = lambda _: True
        self._pace = 0.0
        self._began = 0.0
        self._moves = 0
        self._commit = 0
        self._is_moving = False
        self._was_playing = False

    def play(self, is_over: Callable[["Five"], bool], pace: float = 0.0, after: float = 0.0) -> None:
        """Start playing after a delay, with a move every `pace` seconds or without pauses, until told to stop."""
        self._is_over, self._pace = is_over, pace
        self._loop.after(after, self._move)

    @property
    def rests(self) -> bool:
        """Whether no move is in progress and none will follow."""
        return not self._is_moving and self._is_over(self)

    def value(self) -> Table[State, Event]:
        """Read the table."""
        return POKER_TABLES.codec.decode(self._cell.data())

    def hang_up(self) -> None:
        """Hang up all five."""
        for one in self._people.values():
            one.wire.close()

    def _move(self) -> None:
        value = self.value()
        self.games += self._was_playing and value.game is None
        self._was_playing = value.game is not None
        if self._is_over(self):
            return
        pause = value.pause_until - time.monotonic()
        if value.game is None and pause > 0:
            self._loop.after(pause, self._move)
            return
        seat, keys = self._choice(value)
        who = value.seats[seat]
        assert who is not None
        for one in self._people.values():
            one.received = 0
        self._commit = self._cell.number
        self._is_moving = True
        self._moves += 1
        number = self._moves
        self._loop.after(RETRY, lambda: self._retry(number))
        self._began = time.perf_counter()
        self._people[who.name].wire.send(keys)

    def _choice(self, value: Table[State, Event]) -> tuple[int, str]:
        """Return the player on turn, and the keys to type."""
        if value.game is None:
            return value.master or 0, "s"
        seat = rules.to_move(value.game) or 0
        for move in rules.legal_moves(value.game, seat):
            match move:
                case MayBet(low=low, see=see):
                    return seat, f"{'h' if see and self.ends_games else 'b'}{low}\r"
                case MaySwap():
                    return seat, "d"
                case MayShow():
                    return seat, "r"
        raise Late(f"nobody can move at table {self._cell.index + 1}")

    def _look(self) -> None:
        if self._is_moving and self._cell.number == self._commit:
            for one in self._people.values():
                one.received = 0  # this was still about what happened before
        elif self._is_moving and all(one.received >= SCREEN for one in self._people.values()):
            took = time.perf_counter() - self._began
            self.times.append(took)
            self._is_moving = False
            self._moves += 1
            self._loop.after(max(0.0, self._pace - took), self._move)

    def _retry(self, number: int) -> None:
        if number == self._moves:
            self._is_moving = False
            self._move()


class Crowd:
    """All callers, at one BBS with the configuration above."""

    def __init__(self, bbs: Bbs) -> None:
        self.loop = Loop()
        self.fives: list[Five] = []
        self._segment = Segment.attach(segment_name(bbs.data))
        self._directory = Directory(self._segment, self._segment.directory_lock)
        self._port = bbs.port

    def seat(self, first: int, count: int, port: int | None = None, kind: str = "Caller") -> list[Five]:
        """Seat callers, numbered from `first` on, some at a time; return their tables.

        Everybody of a kind and number comes once.
        """
        people: list[Visitor] = []

        def are_seated() -> bool:
            on_their_way = sum(not one.is_seated for one in people)
            for number in range(first + len(people), first + min(count, len(people) + AT_A_TIME - on_their_way)):
                people.append(self._visitor(port or self._port, number, kind))
            return len(people) == count and all(one.is_seated for one in people)

        self.run(are_seated)
        return [self.table((first + at) // FIVE, people[at : at + FIVE]) for at in range(0, count, FIVE)]

    def table(self, number: int, people: Sequence[Visitor]) -> Five:
        """Return these callers as the players of a table, numbered from 0."""
        return Five(self.loop, self._place(number), people)

    def _place(self, number: int) -> Place:
        return LocalHost(self._segment.cells[number])

    def _visitor(self, port: int, number: int, kind: str) -> Visitor:
        return Visitor(self.loop, port, number, kind)

    def pids(self, fives: Sequence[Five]) -> list[int]:
        """Return the session processes at these tables."""
        seats = [who for five in fives for who in five.value().seats if who is not None]
        people = [self._directory.at(index_of(who.session)) for who in seats]
        return [one.identity.pid for one in people if one is not None]

    def dismiss(self, fives: Sequence[Five]) -> None:
        """Hang up these callers."""
        for five in fives:
            five.hang_up()

    def play_games(self, fives: Sequence[Five], games: int = 1, pace: float = 0.0) -> None:
        """Play games to the end at all these tables at the same time, with a move every `pace` seconds."""
        wanted = {five: five.games + games for five in fives}
        for five in fives:
            five.ends_games = True
            five.play(lambda five: five.games >= wanted[five], pace)
        self.run(lambda: all(five.rests for five in fives))

    def play_for(self, fives: Sequence[Five], seconds: float, pace: float = 0.0) -> list[float]:
        """Play at these tables for some seconds, in endless games; return the seconds of each move."""
        until = time.monotonic() + seconds
        for number, five in enumerate(fives):
            five.times.clear()
            five.ends_games = False
            five.play(lambda _: time.monotonic() > until, pace, pace * number / len(fives))
        self.loop.run_for(seconds)
        self.run(lambda: all(five.rests for five in fives))
        return [took for five in fives for took in five.times]

    def run(self, until: Callable[[], bool]) -> None:
        """Run everybody until a condition holds; raise `Late`."""
        deadline = time.monotonic() + PATIENCE
        self.loop.run(lambda: until() or time.monotonic() > deadline)
        if not until():
            raise Late("the crowd does not get on")
