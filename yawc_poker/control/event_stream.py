"""The answer to `yawcctl events`: what happened, and on request each event as it happens.

Owns when the databases are looked at. The events wait there, so this process keeps `BATCH` of them at a time, however
slowly they are read; a side that does not read at all is hung up on (`ControlLine.send`), while no lock is held.
"""

import time
from collections.abc import Iterator

from yawc_poker.casino.events.events import Event, Position, before, newest
from yawc_poker.casino.events.follower import Follower
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.protocol import BadRequest, Events
from yawc_poker.session.caller.endings import ClosingDown

LOOK_SECONDS = 0.5
GONE_SECONDS = 3.0
"""How often sessions are looked for that were killed."""


def events(request: Events, instance: Instance, line: ControlLine) -> Iterator[Event]:
    """Yield events, the oldest first; with `follow`, until the connection or the BBS ends.

    Raise `BadRequest`, `StoreError`, `Gone`, `ClosingDown`.
    """
    follower = Follower(instance, _start(request, instance))
    if not request.follow:
        yield from _past(request, follower)
        return
    due = 0.0
    while True:
        told, is_all = follower.news()
        yield from told
        if instance.closing or instance.segment.is_orphaned:
            raise ClosingDown
        if is_all:
            if time.monotonic() >= due:
                follower.note_gone()
                due = time.monotonic() + GONE_SECONDS
            instance.notifier.read()  # what is told to all sessions; nothing of it is for this process
            line.pause(LOOK_SECONDS)


def _start(request: Events, instance: Instance) -> Position:
    if request.after is not None:
        try:
            return Position.read(request.after)
        except ValueError as error:
            raise BadRequest(str(error)) from None
    if request.follow:
        return newest(instance)
    return before(instance, request.limit)


def _past(request: Events, follower: Follower) -> Iterator[Event]:
    """Yield what has happened: all behind a given position, or the latest `limit` of all sources together."""
    if request.after is not None:
        is_all = False
        while not is_all:
            told, is_all = follower.news()
            yield from told
        return
    found: list[Event] = []
    is_all = False
    while not is_all:
        told, is_all = follower.news()
        found = [*found, *told]
    yield from sorted(found, key=lambda one: one.at)[max(len(found) - request.limit, 0) :]
