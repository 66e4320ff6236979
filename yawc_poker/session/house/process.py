"""The process of a house player: forked by the listener for a table that waits for one, it ends when it stands up.

Owns the life of such a process, from the directory to the exit code, and the place where it waits. What happens at the
table is `session.house.stay`'s. It has no caller and no line. Killed at any moment it leaves what a killed session
leaves: its seat is purged, and those who sit there may ask another one to join.

It runs at a low priority, and everybody else preempts it at once (`session.warmup.slices`): it costs people nothing.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.places import Entrance, places
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.engine.house import HOUSE_NAMES, HOUSE_USERS
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import AlarmDue, Event, Terminated
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.endings import Exit, is_closing
from yawc_poker.session.house.names import free_number, house_name
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.house.stay import MOVE, HouseStay, Over
from yawc_poker.session.run import OpenInstance
from yawc_poker.session.table.seated_player import DEADLINE

log = logging.getLogger(__name__)

NICE: Final = 10
PEER: Final = "house"
"""Where house players call from, as the directory shows it."""
_PATIENCE: Final = 1.0
"""Seconds to wait for the table's lock at the end of the own turn."""


def serve_house(number: int, open_instance: OpenInstance) -> Exit:
    """Serve as a house player at a table, by its number in the segment, until the stay is over. Never raises."""
    yield_to_people()
    try:
        inbox = SignalInbox()
    except OSError as error:  # no descriptors
        log.error("no house player for table %d: %s", number + 1, error)
        return Exit.UNAVAILABLE
    alarms = Alarms()
    try:
        return _serve(EventLoop(inbox, alarms), alarms, open_instance(), number)
    except (SegmentError, DirectoryFull, LockGone, LockTimeout, StoreError, OSError, MemoryError) as error:
        log.error("house player at table %d: %r", number + 1, error)
        return Exit.UNAVAILABLE
    except Exception:
        log.exception("a house player at table %d ended by a bug", number + 1)
        return Exit.BUG
    finally:
        alarms.close()
        inbox.close()


def yield_to_people() -> None:
    """Run at a low priority, and in a scheduling group of its own that has it, too.

    Linux shares processors among sessions (setsid) first, so time spent here would else be taken from the callers'.
    """
    with suppress(OSError):  # a service may not be allowed to
        os.nice(NICE)
    with suppress(OSError):  # not every kernel has these groups
        os.setsid()
        Path("/proc/self/autogroup").write_text(f"{NICE}")


def _serve(loop: EventLoop, alarms: Alarms, instance: Instance, number: int) -> Exit:
    instance.enter(PEER, Entrance.HOUSE)
    try:
        instance.tables = tables = Tables(instance)
        alarms.every("duty", instance.config.engine.duty_seconds)
        game = tables.game(number).definition
        if game.player is None:
            return Exit.OK
        slots = ThinkSlots(instance.data / FILE)
        try:
            _stay(loop, instance, HouseStay(instance, alarms, tables[number], game, game.player, slots), number)
        finally:
            slots.close()
    finally:
        instance.leave()
    return Exit.OK


def _stay(
    loop: EventLoop,
    instance: Instance,
    stay: HouseStay,
    number: int,
) -> None:
    """Sit down, play, stand up."""
    found = enter_name(instance)
    if found is None:
        log.info("no house player for table %d: all are playing", number + 1)
        return
    user, name = found
    by_wish = False
    try:
        stay.sit(user, name)
        log.info("%s sits down at table %d", name, number + 1)
        stay.look()
        while True:
            loop.wait()
            while loop.events:
                _take(loop, instance, stay, loop.events.popleft())
    except Over as over:
        by_wish = over.by_wish
        log.info("%s at table %d %s", name, number + 1, over)
    finally:
        stay.stand_up(by_wish=by_wish)


def enter_name(instance: Instance) -> tuple[int, str] | None:
    """Be one of the house players that are not in yet, and return user and name; None: all are.

    Those of each host have numbers of their own, so that no two hosts send the same one.
    """
    first, most = 0, instance.config.house.players
    if instance.here.is_clustered:
        room = len(places(instance.segment, Entrance.HOUSE))
        first, most = instance.here.number * room, min(most, room)
    numbers = list(range(first + 1, first + most + 1))
    random.shuffle(numbers)
    accounts = [name for name in HOUSE_NAMES if instance.accounts.find(name) is not None]

    def choose(taken: Collection[str]) -> tuple[int, str] | None:
        number = free_number(numbers, taken, accounts)
        return None if number is None else (HOUSE_USERS[number - 1], house_name(number))

    return instance.directory.claim_house(instance.notifier.index, choose)


def _take(
    loop: EventLoop,
    instance: Instance,
    stay: HouseStay,
    event: Event,
) -> None:
    match event:
        case Terminated():
            raise Over("ends with the BBS" if is_closing(instance, loop.wait) else "was asked to end")
        case AlarmDue(name) if name == MOVE:
            stay.move()
        case AlarmDue(name) if name == DEADLINE:
            stay.look(_PATIENCE)
        case AlarmDue("duty"):
            with suppress(LockTimeout, OSError):  # without a lock or a descriptor it waits
                instance.maintain_part()
            stay.look()
        case _:
            stay.look()
