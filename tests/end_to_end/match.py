"""A match over real telnet, played at the speed of the machine, of any game that is played by keys.

Whose turn it is and which keys are offered are read from the table in shared memory, by the code that draws the keys on
the screens. So the callers' screens need not be emulated at each of a thousand cards.
"""

import json
import selectors
import time
from collections.abc import Callable, Sequence
from typing import Generic

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Table
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.entry import GameTables

AGAIN = 0.05
"""Seconds after which a key that had no effect is pressed again."""

Choose = Callable[[Sequence[str]], str]
"""A player: the keys that are offered in, the one that is pressed out."""


def seated(bbs: Bbs, key: str, shown: str, names: Sequence[str]) -> list[Caller]:
    """Callers at a game's table, the first of them its master, by its key in the casino and a text on its screen."""
    callers = [bbs.call().register(name) for name in names]
    for caller in callers:
        caller.press(f"S{key}")
        caller.see("(y/n)")
        caller.send("y")
        caller.see("Master:", shown)
    callers[0].see(*names[1:])
    return callers


class Match(Generic[StateT, MoveT, EventT, OptionsT]):
    """The table, and the callers at it; a caller's seat is their number. House players may sit in the seats behind."""

    def __init__(
        self,
        bbs: Bbs,
        callers: Sequence[Caller],
        tables: GameTables[StateT, MoveT, EventT, OptionsT],
        offered: Callable[[Table[StateT, EventT], int], Sequence[str]],
    ) -> None:
        """`offered` returns the keys that the caller in a seat is offered."""
        self.bbs = bbs
        self.callers = callers
        self.names = tuple(caller.name for caller in callers)
        self.number = 0
        """Of the match that has begun, in the books."""
        self._rules, self._codec, self._offered = tables.rules, tables.codec, offered
        self._segment = Segment.attach(segment_name(bbs.data))
        self._cell = next(cell for cell in self._segment.cells if cell.game == tables.rules.KIND)
        self._commit = -1

    def value(self) -> Table[StateT, EventT]:
        """Return the table as it is."""
        self._commit, _, data = self._cell.read()
        return self._codec.decode(data)

    def state(self) -> StateT:
        """Return the match that runs."""
        state = self.value().game
        assert state is not None, "no match runs"
        return state

    def begin(self, keys: str = "s") -> None:
        """Press these keys as the master; they start the match, if it does not begin by itself."""
        self.callers[0].send(keys)
        self.wait(lambda: self.value().game is not None)
        self.number = self.value().number

    def play(self, choose: Choose, until: Callable[[StateT], bool] = lambda state: False) -> None:
        """Answer for the callers what is asked of them, until a moment of the match or its end.

        A key does nothing in a session that has not looked at the table yet, so it is pressed again.
        """
        while (state := (value := self.value()).game) is not None and not self._rules.is_over(state):
            if until(state):
                return
            commit, seat = self._commit, self._rules.to_move(state)
            if seat is not None and seat < len(self.callers) and self.callers[seat].is_open:
                self.callers[seat].send(choose(self._offered(value, seat)))
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

    def ended(self, text: str) -> None:
        """Wait until all who are still there have read how the match ended."""
        for caller in self.callers:
            if caller.is_open:
                caller.redraw()
                caller.hear(text)

    def told(self) -> str:
        """Wait until the match is in the books; return what the sysop is told of it."""
        self.wait(lambda: self.value().game is None)
        return self.bbs.yawcctl("history", str(self.number))

    def points(self) -> list[int]:
        """Return the points at the end, by seat; all of it must be proven."""
        assert f"Game {self.number} is proven." in self.bbs.yawcctl("verify", str(self.number))
        told = json.loads(self.bbs.yawcctl("history", str(self.number), "--json"))
        return [int(one["total"]) for one in sorted(told["standings"], key=lambda one: one["seat"])]
