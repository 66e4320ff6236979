"""A few callers with emulated terminals, whose screens must agree with shared memory.

They are compared only after nothing has happened for longer than a lost signal may cost, so a difference is an update
that was lost for good: a broken screen, or a delivery that was overrun and never made up for.
"""

import re
import time

import pyte

from tests.stress.callers import Caller
from tests.stress.figures import Figures
from tests.terminal import Screen
from yawc_poker.engine.values import Table, seated
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, State

MOST = 12
"""Maximum witnesses; an emulated screen costs much more than a socket."""
LOOKS = 3
"""Consecutive checks that must find the same screen wrong: the machine may be busy."""
NO_GAME = "NO GAME"
_WIN = re.compile(r".+ \+\d+ CUBES")


class Witness:
    """The screen of one caller."""

    def __init__(self, caller: Caller, figures: Figures, slack: float) -> None:
        """`slack`: seconds by which everything may be late; it adds a check each."""
        self.caller = caller
        self._figures = figures
        self._looks = LOOKS + round(slack)
        self._screen = Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._faulted = -1
        self._doubts = 0
        caller.seen = self._stream.feed

    def compare(self, value: Table[State, Event], commit: int) -> None:
        """Compare the screen with a table at which nothing has happened for a while and nobody was disturbed.

        Whose move ended a game shows it when the bank has paid, for which a disk that is slow keeps them waiting.
        """
        if commit == self._faulted or (value.game is not None and rules.is_over(value.game)):
            return
        self._figures.did["screens compared"] += 1
        expected = _expected(value, self.caller.name)
        rows = [str(row) for row in self._screen.display]
        shown = {label: _field(rows, label) for label in ("Pot:", "Turn:", "Master:")}
        people = [row[:21] for row in rows[1:5]]
        if value.game is None and _WIN.fullmatch(shown["Pot:"]):  # for two seconds in the pot's place
            shown["Pot:"] = NO_GAME
        wrong = {label: (shown[label], text) for label, text in expected.items() if shown[label] != text}
        others = [who.name for who in value.seats if who is not None and who.name != self.caller.name]
        missing = [name for name in others if not any(row.startswith(f"{name} ") for row in people)]
        if not wrong and not missing:
            self._doubts = 0
            return
        self._doubts += 1
        if self._doubts >= self._looks:
            self._faulted, self._doubts = commit, 0
            self._figures.wrong.append(
                f"{time.strftime('%T')}: {self.caller.name} at commit {commit}: (shown, true) {wrong},"
                f" missing {missing} in {people}"
            )


def _expected(value: Table[State, Event], name: str) -> dict[str, str]:
    current = None if value.game is None else rules.to_move(value.game)
    names = {seat: who.name for seat in seated(value) if (who := value.seats[seat]) is not None}
    return {
        "Pot:": NO_GAME if value.game is None else f"{value.pot} CUBES",
        "Turn:": NO_GAME if current is None else names.get(current, ""),
        "Master:": "" if value.master is None else names.get(value.master, ""),
    }


def _field(rows: list[str], label: str) -> str:
    for row in rows[1:5]:
        if label in row[40:]:
            return row[40:].partition(label)[2].strip()
    return ""


def undisturbed(caller: Caller, since: float) -> bool:
    """Return whether no fault has disturbed the caller for some seconds."""
    return caller.disturbed < time.monotonic() - since
