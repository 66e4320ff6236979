"""The answers to `yawcctl top` and `events`.

Owns when the segment and the databases are looked at. Events wait in the databases, so this process keeps `BATCH` of
them at a time, however slowly they are read; a side that does not read at all is hung up on (`ControlLine.send`), while
no lock is held.
"""

import logging
import os
import time
from collections.abc import Iterator
from typing import Final

from yawc_poker.casino import counters
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.snapshot import Snapshot, overview, visitors
from yawc_poker.control.protocol import BadRequest
from yawc_poker.control.requests import Asked, occupied, request_row
from yawc_poker.extras.live.events import Event, Follower, Position, before, newest
from yawc_poker.extras.live.protocol import Events, Glance, Load, Top
from yawc_poker.session.caller.endings import ClosingDown

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
GONE_SECONDS = 3.0
"""How often sessions are looked for that were killed."""


def _top(request: Top, asked: Asked) -> Iterator[Glance]:
    """Yield everything at a glance, and again every so many seconds; ends with the connection or the BBS."""
    instance = asked.instance
    while not (instance.closing or instance.segment.is_orphaned):
        seen, config = Snapshot.of(instance.segment), instance.config
        now, whole = time.time(), overview(seen, config, measures=False)
        yield Glance(now, whole, visitors(seen, config), occupied(instance), _load(seen))
        if request.once:
            return
        asked.line.pause(request.every)
    raise ClosingDown


def _load(seen: Snapshot) -> Load:
    return Load(
        average=os.getloadavg(),
        cores=os.cpu_count() or 1,
        moves=seen.counts.counter(counters.MOVES),
        commands=seen.posted,
        games=seen.counts.counter(counters.FINISHED),
        logins=seen.counts.counter(counters.LOGINS),
    )


def _events(request: Events, asked: Asked) -> Iterator[Event]:
    """Yield events, the oldest first; with `follow`, until the connection or the BBS ends.

    Raise `BadRequest`, `StoreError`, `Gone`, `ClosingDown`.
    """
    log.info("%s reads the events", asked.by)
    instance = asked.instance
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
            asked.line.pause(LOOK_SECONDS)


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


ANNOUNCED: Final = (request_row(Top, _top, enters=False), request_row(Events, _events))
