"""Everything that `yawcctl top` shows, in one row: overview, callers, tables, and the load.

Reads only, as `overview`: no lock, no database. Counters count since the segment was made; two rows give a rate.
"""

import os
import time

import msgspec

from yawc_poker.casino import counters
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.monitoring.overview import Overview, TableView, Visitor, overview, visitors


class Load(msgspec.Struct, frozen=True):
    """What the machine and the BBS do."""

    average: tuple[float, float, float]
    """Processes that run or wait to run: of the whole machine, over 1, 5 and 15 minutes."""
    cores: int
    moves: int
    """Moves made by players."""
    commands: int
    """Commands between sessions."""
    games: int
    """Games paid out."""
    logins: int


class Glance(msgspec.Struct, frozen=True):
    """One row of `top`."""

    at: float
    """Epoch seconds."""
    overview: Overview
    """Without the sessions' memory."""
    callers: list[Visitor]
    tables: list[TableView]
    """Those at which somebody sits."""
    load: Load


def glance(instance: Instance, tables: list[TableView]) -> Glance:
    """Return the row of this moment; a table is read by the game that it plays."""
    return Glance(time.time(), overview(instance, measures=False), visitors(instance), tables, _load(instance))


def _load(instance: Instance) -> Load:
    counts = counters.read_metrics(instance.segment)
    return Load(
        average=os.getloadavg(),
        cores=os.cpu_count() or 1,
        moves=counts.counter(counters.MOVES),
        commands=instance.segment.head.posted,
        games=counts.counter(counters.FINISHED),
        logins=counts.counter(counters.LOGINS),
    )
