"""The time until everybody at the table sees a bet: from the better's ENTER to the last caller's bytes.

A caller counts as reached when they receive data after the table's commit number has changed. Callers who were
disturbed by a fault, left, or lost their connection meanwhile are ignored; a refused bet is not a sample.
"""

import time
from collections.abc import Callable, Iterable

from tests.stress.callers import Caller
from tests.stress.figures import Figures

PATIENCE = 10.0
"""Seconds after which an undisturbed caller counts as not having seen a bet."""


class Race:
    """One bet and the callers who have not seen it yet."""

    def __init__(self, better: Caller, callers: Iterable[Caller], commit: int) -> None:
        self.better = better
        self.started = time.monotonic()
        self.commit = commit
        self.latest = self.started
        self.moved = False
        self.waiting = set(callers)


class Screens:
    """The races of all tables, one per table at a time."""

    def __init__(self, commit_of: Callable[[int], int], figures: Figures, slack: float) -> None:
        self._commit_of = commit_of
        self._figures = figures
        self._patience = PATIENCE + slack
        self._races: dict[int, Race] = {}

    def bet(self, better: Caller, table: int, callers: Iterable[Caller]) -> None:
        """Start a race: a caller has just pressed ENTER for a bet."""
        undisturbed = {one for one in callers if not _is_disturbed(one, 0.0)}
        if table not in self._races and better in undisturbed:
            self._races[table] = Race(better, undisturbed, self._commit_of(table))

    def reached(self, caller: Caller) -> None:
        """Record that a caller at a table has received data."""
        race = None if caller.table is None else self._races.get(caller.table)
        if race is None or caller.table is None or caller not in race.waiting:
            return
        race.moved = race.moved or self._commit_of(caller.table) != race.commit
        if race.moved:
            race.waiting.discard(caller)
            race.latest = time.monotonic()
            if not race.waiting:
                self._finish(caller.table, race)

    def sweep(self) -> None:
        """Drop disturbed callers, and races without callers."""
        for table, race in list(self._races.items()):
            if _is_disturbed(race.better, race.started) or race.better.table != table:
                del self._races[table]
                continue
            race.waiting = {one for one in race.waiting if one.table == table and not _is_disturbed(one, race.started)}
            if not race.waiting:
                self._finish(table, race)
            elif time.monotonic() - race.started > self._patience:
                if race.moved or self._commit_of(table) != race.commit:
                    names = ", ".join(one.name for one in race.waiting)
                    self._figures.silent.append(f"table {table + 1}: a bet of {race.better.name} not seen by {names}")
                del self._races[table]

    def _finish(self, table: int, race: Race) -> None:
        del self._races[table]
        if race.moved:
            self._figures.screens.append(race.latest - race.started)


def _is_disturbed(caller: Caller, since: float) -> bool:
    """Return whether a fault has disturbed the caller since then."""
    return caller.disturbed > max(since, 0.0) and (since > 0.0 or caller.disturbed > time.monotonic())
