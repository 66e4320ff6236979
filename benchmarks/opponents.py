"""Callers who play Offiziersskat against the house, each at a table, in a process of their own: at once, or not at all.

Whose turn it is and which keys are offered are read from shared memory, so no screen is emulated. The process has the
priority of house players, and a scheduling group of its own: it would not be on the machine of a BBS.
"""

import selectors
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Final

from tests.end_to_end.bbs import Caller
from yawc_poker.engine.values import Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import Event, State
from yawc_poker.games.offiziersskat.ui.scene import CARD_KEYS, usable
from yawc_poker.games.offiziersskat.ui.screen import FACE
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.entry import GameTables
from yawc_poker.session.house.house_player import yield_to_people

LOOK: Final = 0.01
"""Seconds between two looks at the tables."""
AGAIN: Final = 0.2
"""Seconds after which a key that had no effect is pressed again: the session has not looked at the table yet."""
PATIENCE: Final = 20.0
_TABLES: Final = GameTables(OFFIZIERSSKAT)


def offered(value: Table[State, Event], name: str) -> str:
    """Return the keys that move something for a caller now, or none."""
    if value.game is None:
        return "s"
    seat = rules.to_move(value.game)
    who = None if seat is None else value.seats[seat]
    if who is None or who.name != name:
        return ""
    return "".join(key for key in usable(FACE.scene(value, who.session, 0, time.monotonic())) if key in CARD_KEYS)


class Opponent:
    """A caller at a table."""

    def __init__(self, caller: Caller, cell: Cell) -> None:
        self._caller = caller
        self._cell = cell
        self._rng = Random(caller.name)
        self._answered = -1
        """The last commit that was answered, or in which it is another's turn."""
        self._at = 0.0

    def answer(self) -> None:
        """Press a key if it is their turn."""
        if self._cell.number == self._answered and (not self._at or time.monotonic() < self._at + AGAIN):
            return
        self._answered, _, data = self._cell.read()
        keys = offered(_TABLES.codec.decode(data), self._caller.name)
        self._at = time.monotonic() if keys else 0.0
        if keys:
            self._caller.send(self._rng.choice(keys))


class Opponents:
    """All callers. They rest until they are told to play."""

    def __init__(self, data: Path, callers: Sequence[Caller]) -> None:
        """The callers' sockets are read by the other process from now on."""
        forking = get_context("fork")
        self._plays = forking.Event()
        self._process = forking.Process(target=self._run, args=(data, callers), daemon=True)
        self._process.start()

    def play(self) -> None:
        """Let them answer at once."""
        self._plays.set()

    def rest(self) -> None:
        """Let them leave the answer."""
        self._plays.clear()

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join(PATIENCE)

    def _run(self, data: Path, callers: Sequence[Caller]) -> None:
        yield_to_people()
        segment = Segment.attach(segment_name(data))
        cells = [cell for cell in segment.cells if cell.game == rules.KIND]
        opponents = [Opponent(caller, cell) for caller, cell in zip(callers, cells, strict=True)]
        with selectors.DefaultSelector() as selector:
            for caller in callers:
                selector.register(caller, selectors.EVENT_READ, caller)
            while True:
                until = time.monotonic() + LOOK
                while (left := until - time.monotonic()) > 0:
                    for key, _ in selector.select(left):
                        reader: Caller = key.data
                        reader.skim()
                if self._plays.is_set():
                    for one in opponents:
                        one.answer()
