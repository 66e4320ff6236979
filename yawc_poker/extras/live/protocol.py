"""What `yawcctl top` and `events` ask of a running BBS, and the row of `top`. Pure.

The row of `events` is `extras.live.events.Event`. Counters count since the segment was made; two rows give a rate.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from yawc_poker.casino.snapshot import Overview, TableView, Visitor
from yawc_poker.control.protocol import Request


class Top(Request, frozen=True):
    """Callers, tables, locks and load, every `every` seconds, or `once`."""

    word = "top"
    once: bool = False
    every: Annotated[float, Meta(ge=0.2, le=3600)] = 1.0


class Events(Request, frozen=True):
    """The latest `limit` events, or all those `after` a position; with `follow` then each one as it happens."""

    word = "events"
    follow: bool = False
    after: Annotated[str, Meta(max_length=80)] | None = None
    limit: Annotated[int, Meta(ge=0, le=10000)] = 20


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
