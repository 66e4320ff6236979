"""A match of Doppelkopf over real telnet, played at the speed of the machine.

Whose turn it is and which keys are offered are read from the table in shared memory, by the code that draws the keys on
the screens. So the callers' screens need not be emulated at each of a thousand cards.
"""

import json
import selectors
import time
from collections.abc import Callable, Sequence
from random import Random

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from yawc_poker.engine.table import Table
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.model import State
from yawc_poker.games.doppelkopf.ui.scene import scene, usable
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.entry import GameTables

AGAIN = 0.05
"""Seconds after which a key that had no effect is pressed again."""
_TABLES = GameTables(DOPPELKOPF)
_NO_MOVES = frozenset(".XSLTN")
"""Keys that ask for no move, and the one that ends the match."""

Choose = Callable[[Sequence[str]], str]


def seated(bbs: Bbs, *names: str) -> list[Caller]:
    """Four callers at the table, the first of them its master; a caller's place is their number."""
    callers = [bbs.call().register(name) for name in names]
    for caller in callers:
        caller.press("S4")
        caller.see("(y/n)")
        caller.send("y")
        caller.see("Master:", "Match:")
    callers[0].see(*names[1:])
    return callers


def by_chance(seed: int, reserving: float = 0.1, idle: float = 0.0) -> Choose:
    """Return a player who makes a reservation now and then, and otherwise presses any key that is a move.

    Some moves they leave to the clock: a caller who plays all of a match at this speed would be taken for a flood.
    """
    rng = Random(seed)

    def choose(keys: Sequence[str]) -> str:
        if "V" in keys:
            return "v" if rng.random() < reserving else "g"
        if "Y" not in keys and rng.random() < idle:
            return ""
        return rng.choice([key for key in keys if key not in _NO_MOVES]).lower()

    return choose


def offered(value: Table[State, Event], seat: int) -> tuple[str, ...]:
    """Return the keys that the caller in a seat is offered."""
    who = value.seats[seat]
    assert who is not None, f"nobody sits in seat {seat}"
    return usable(scene(value, who.session, 0, time.monotonic()))


class Match:
    """The table, and four callers at it whose names begin as in the tests and end with this."""

    def __init__(self, bbs: Bbs, ending: str) -> None:
        self.bbs = bbs
        self.names = tuple(f"{name}{ending}" for name in ("Anna", "Bert", "Carl", "Dora"))
        self.callers = seated(bbs, *self.names)
        self.number = 0
        """Of the match that has begun, in the books."""
        self._segment = Segment.attach(segment_name(bbs.data))
        self._cell = next(cell for cell in self._segment.cells if cell.game == rules.KIND)
        self._commit = -1

    def value(self) -> Table[State, Event]:
        """Return the table as it is."""
        self._commit, _, data = self._cell.read()
        return _TABLES.codec.decode(data)

    def state(self) -> State:
        """Return the match that runs."""
        state = self.value().game
        assert state is not None, "no match runs"
        return state

    def begin(self, keys: str = "s") -> None:
        """Press these keys as the master; they start the match."""
        self.callers[0].send(keys)
        self.wait(lambda: self.value().game is not None)
        self.number = self.value().number

    def play(self, choose: Choose, until: Callable[[State], bool] = lambda state: False) -> None:
        """Answer for the callers what is asked of them, until a moment of the match or its end.

        A key does nothing in a session that has not looked at the table yet, so it is pressed again.
        """
        while (state := (value := self.value()).game) is not None and not rules.is_over(state) and not until(state):
            commit, seat = self._commit, state.current
            if seat is not None and self.callers[seat].is_open:
                self.callers[seat].send(choose(offered(value, seat)))
            self._listen(commit, AGAIN)

    def _listen(self, commit: int, seconds: float) -> None:
        """Take what comes from the lines until the table has changed and all have been told, or so long."""
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            for caller in self.callers:
                if caller.is_open:
                    selector.register(caller, selectors.EVENT_READ, caller.skim)
            told = set[int]()
            while len(told) < len(selector.get_map()) and (left := until - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    key.data()
                    told |= {key.fd} if self._cell.number != commit else set()

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition of the table, and take from the lines what comes meanwhile."""
        until = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < until, f"timed out at {self.value()}"
            self._listen(self._commit, AGAIN)

    def told(self) -> str:
        """Wait until the match is in the books; return what the sysop is told of it."""
        self.wait(lambda: self.value().game is None)
        return self.bbs.yawcctl("history", str(self.number))

    def points(self) -> list[int]:
        """Return the points of the four at the end, which add up to 0; all of it must be proven."""
        assert f"Game {self.number} is proven." in self.bbs.yawcctl("verify", str(self.number))
        told = json.loads(self.bbs.yawcctl("history", str(self.number), "--json"))
        found = [int(one["total"]) for one in sorted(told["standings"], key=lambda one: one["seat"])]
        assert sum(found) == 0
        return found
