"""A session at a table: in a seat, whatever plays there (a caller, a client of a protocol, a computer), or beside it.

Owns coming and going, taking over the table's commits, and the ticks; of a seat also the alarm of the own deadline, and
the looks at which the table is maintained. Never decides a move, never draws, never waits.
"""

import logging
from typing import ClassVar, Final

from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.values import AnyTable, GalleryLine, seat_of
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.loop.loop import TICK

log = logging.getLogger(__name__)

DEADLINE = "deadline"
"""The alarm at which the own clock runs out."""
PATIENCE: Final = {TICK: 0.0, DEADLINE: 1.0}
"""Seconds to wait for the table's lock: a tick comes again, the own deadline is served at its moment."""
_NONE = -1


class Attendance:
    """One session at one table."""

    sits: ClassVar[bool] = False
    """In a seat, so that the table's clocks and its dead are this session's care."""

    def __init__(self, table: GameTable, alarms: Alarms, tick_seconds: float) -> None:
        self.table = table
        self.commit = _NONE
        """Number of the commit taken over last."""
        self._alarms = alarms
        self._tick_seconds = tick_seconds
        self._unchanged = table.unchanged(sits=self.sits)

    def follow(self, *, force: bool = False) -> AnyTable | None:
        """Take over and return the table's newest value, or None if it is not new, and nothing asks to `force` it."""
        commit = self.table.commit_number
        if commit == self.commit and not force:
            return None
        value = self.table.look()
        self.commit = commit
        return value

    def is_unchanged(self, now: float) -> bool:
        """Return whether there is nothing to do or read since the commit taken over last; `now` is monotonic."""
        return self._unchanged.lasts(self.commit, now)

    def something_happened(self) -> None:
        """Read everything when `is_unchanged` is asked next."""
        self._unchanged.forget()


class SeatedPlayer(Attendance):
    """One session in a seat, between `sit` and `stand_up`."""

    sits = True

    def __init__(self, table: GameTable, alarms: Alarms, tick_seconds: float) -> None:
        super().__init__(table, alarms, tick_seconds)
        self.seat: int | None = None
        """By the commit taken over last, or None if it has none, or none any more."""
        self._ticks_through: float | None = None
        """A moment on which the ticks fall, None: they are on the grid of all alarms."""

    # --- coming and going ---------------------------------------------------------------------------------------------

    def sit(self, user: int, name: str, wanted: int | None = None, grace: float = 0.0, program: str = "") -> AnyTable:
        """Sit down, if possible on the seat that is `wanted`, and return the table's value then; the ticks begin.

        `program` is a house player's (`engine.house.program_name`).

        Raise `IllegalMove`, `StoreError` or `LockTimeout`.
        """
        return self._seated(self.table.sit(user, name, wanted, grace, program))

    def take_over(self, user: int) -> AnyTable:
        """Take over the seat that is held for a user (`GameTable.take_over_seat`); else as `sit`."""
        return self._seated(self.table.take_over_seat(user))

    def _seated(self, value: AnyTable) -> AnyTable:
        self.seat = seat_of(value, self.table.context.session)
        self.commit = _NONE
        self._ticks_through = None
        self.keep_time()
        return value

    def keep_time(self) -> None:
        """Let the ticks go on, or begin."""
        self._alarms.every(TICK, self._tick_seconds, self._ticks_through)

    def show_place(self) -> None:
        """Note in the directory that this session sits here."""
        self.table.context.notifier.own.stand_at(PlaceKind.TABLE, self.table.number, self.seat)

    def stand_up(self, *, removed: bool = False) -> None:
        """Leave the table; `removed`: not by one's own wish, which the others are told (spec/poker.md 9.2).

        Raise `LockTimeout` if it is busy: the seat is kept until this session sits down again or ends.
        """
        self._rest()
        self.table.leave(removed=removed)
        self.seat = None

    def let_go(self) -> None:
        """Leave the seat, which is held, to the session that takes it over."""
        self._rest()
        self.seat = None

    def _rest(self) -> None:
        for name in (TICK, DEADLINE):
            self._alarms.cancel(name)

    # --- the table's value --------------------------------------------------------------------------------------------

    def follow(self, *, force: bool = False) -> AnyTable | None:
        """Take over and return the table's newest value, or None if it is not new, and nothing asks to `force` it.

        Commits to a text for a deck that was sealed meanwhile, and reveals it when a game begins.
        """
        self.table.tend()
        value = super().follow(force=force)
        if value is not None:
            self.seat = seat_of(value, self.table.context.session)
        return value

    def set_deadline(self, deadline: float | None, *, ticks_through: float | None = None) -> None:
        """Set the alarm of the own clock, which nobody else serves in time; monotonic seconds, None: it rests.

        The ticks fall on the moment `ticks_through`, if there is one.
        """
        if deadline is None:
            self._alarms.cancel(DEADLINE)
        else:
            self._alarms.set(DEADLINE, deadline)
        if ticks_through != self._ticks_through:
            self._ticks_through = ticks_through
            self.keep_time()

    # --- what everybody at a table does for it ------------------------------------------------------------------------

    def maintain(self, timeout: float = 0.0) -> None:
        """Do what is due at the table, if its lock is to be had within `timeout` seconds."""
        try:
            self.table.maintain(timeout)
        except LockTimeout:
            pass  # the process that holds the lock does what is due before anything else
        except OSError as error:  # no descriptor is left to look at the others; they do it, or the next tick does
            log.warning("table %s is not looked after: %s", self.table.name, error)


class Onlooker(Attendance):
    """One session that looks on. No clock waits for it, so its ticks only make up for a signal that was lost."""

    def __init__(self, table: GameTable, alarms: Alarms, tick_seconds: float) -> None:
        super().__init__(table, alarms, tick_seconds)
        self.gallery = table.gallery()
        self.said: list[GalleryLine] = []
        """What on-lookers said to each other, by the commit taken over last, since the one before.

        What they said before this one came was not for them, and would stand below what happened later.
        """
        self._heard = 0
        """Number of the last of these lines."""

    def come(self) -> None:
        """Look on from now on; the ticks begin."""
        self.gallery.come()
        self._alarms.every(TICK, self._tick_seconds)

    def go(self) -> None:
        """Look on no more."""
        self._alarms.cancel(TICK)
        self.gallery.go()

    def follow(self, *, force: bool = False) -> AnyTable | None:
        """Take over and return the table's newest value, as any session, and what was `said`."""
        before = self.commit
        value = super().follow(force=force)
        if value is not None:
            newest = value.gallery[-1].number if value.gallery else 0
            heard = self._heard if self._heard <= newest else 0  # a table that was made anew counts from 1 again
            self._heard = newest
            self.said = [] if before == _NONE else [line for line in value.gallery if line.number > heard]
        return value
