"""A caller at a table who is not there: asleep, or without a line.

Owns what the session does about it: it tells the table of the first key after clocks that ran out; it outlives a line
that is lost, without reading, writing or drawing, until the caller has come back by another one or the time is over; it
leaves the seat to a newer session of the same user. The seat itself, and who may have it, is the table's
(`engine.absence`). casino/tables/README.md has the races.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.entrances import Entrance, records_for
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.engine.absence import held_for
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable, Seat
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.events import AlarmDue, Event
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.page.protocol import RETURN
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import CutOff, HostLeaves, Replaced
from yawc_poker.session.table.attendance import PATIENCE, SeatedPlayer
from yawc_poker.terminal.line import DROPPED
from yawc_poker.transport import LineClosed

log = logging.getLogger(__name__)

HOLD: Final = "hold"
"""The alarm at which the time is over for which a seat is kept without a line."""
MOVING_SECONDS: Final = 60.0
"""How long a seat is kept at least for a caller whose host closes while others go on."""
_OF_THE_LINE: Final = ("idle", "keepalive", RETURN)
"""The alarms that nobody is there for any more."""


class CallersAbsence:
    """The absence of one caller who sits at a table."""

    def __init__(self, caller: Caller, player: SeatedPlayer) -> None:
        self._caller = caller
        self._player = player
        self._seconds = caller.config.bbs.hold_seconds
        self._who: Seat | None = None
        """The own seat, as it was seen last."""
        self._was_away = False
        """The table knows that the line of a page is broken."""
        self._hands_over = False
        """The seat is held, and is left as it is to whoever takes it over."""
        self._is_late = False
        """The table could not be told the last time, which is in the log."""

    # --- asleep -------------------------------------------------------------------------------------------------------

    def take(self, value: AnyTable) -> None:
        """Take over a value of the table."""
        self._who = None if self._player.seat is None else value.seats[self._player.seat]

    def pressed(self) -> None:
        """The caller has pressed a key: they are awake, whatever their clocks say."""
        if self._who is not None and self._who.missed:
            self._try(self._player.table.wake)

    # --- a page whose line broke and may come back --------------------------------------------------------------------

    @property
    def is_news(self) -> bool:
        """Whether the line of a page broke, or came back, and the table does not know it yet."""
        page = self._caller.page
        return page is not None and self._seconds > 0 and page.is_away != self._was_away

    def is_unchanged(self, now: float) -> bool:
        """Return whether there is nothing to do or read at the table, and no news of the line; `now` is monotonic."""
        return not self.is_news and self._player.is_unchanged(now)

    def follow_page(self) -> None:
        """Tell the table that the line of a page broke, or that it is back; once its lock is to be had."""
        page, table = self._caller.page, self._player.table
        if page is None or not self.is_news or self._player.seat is None:
            return
        if page.is_away:
            seconds = max(self._seconds, page.resume_seconds)
            self._was_away = self._try(lambda: table.hold(seconds))
            if self._was_away:
                self._stand_without_line()
        elif self._try(table.line_back):
            self._was_away = False
            self._player.show_place()
            self._caller.instance.tell_listener()

    # --- a line that is gone ------------------------------------------------------------------------------------------

    @contextmanager
    def outlived(self) -> Iterator[None]:
        """Run this block, a stay at the table; if the line is lost in it, or the caller is to call anew, keep the seat.

        What the block raises is raised in any case, once the seat is another's or the time is over.
        """
        try:
            try:
                yield
            except LineClosed as closed:
                self._hands_over = self._outlive(closed)
                raise
        except Replaced:
            self._hands_over = self._hand_over(self._seconds)
            raise
        except HostLeaves:
            self._hands_over = self._hand_over(max(self._seconds, MOVING_SECONDS))
            raise
        except CutOff:
            self._hands_over = True  # nothing that this session tells the table counts
            raise

    def stand_up(self, *, removed: bool) -> None:
        """Leave the seat, unless it is held for another session."""
        if self._hands_over:
            self._player.let_go()
            return
        try:
            self._player.stand_up(removed=removed)
        except (LockTimeout, StoreError) as error:
            # They keep the seat until they sit down again or are gone; the others serve their clock.
            log.error("%r could not give back their seat: %s", self._name, error)

    def _outlive(self, closed: LineClosed) -> bool:
        """Keep the seat while the caller has no line; return whether it is left as it is, to whoever takes it over.

        False: the time is over, or such a caller keeps no seat. Raise the `Ending` that comes meanwhile.
        """
        if not self._seconds or str(closed) in DROPPED or self._player.seat is None:
            return False
        caller, alarms = self._caller, self._caller.loop.alarms
        log.info("%s: %s; the seat of %r is kept", caller.line.peer, closed, caller.user.name)
        caller.display.restore()
        caller.loop.drop_line()
        caller.loop.passes = lambda: False
        for name in _OF_THE_LINE:
            alarms.cancel(name)
        known = 0.0 if self._who is None else self._who.held
        until = known or time.monotonic() + self._seconds
        alarms.set(HOLD, until)
        try:
            return self._lives_on(until)
        finally:
            alarms.cancel(HOLD)

    def _lives_on(self, until: float) -> bool:
        """Do the duties of everybody at a table until this monotonic second, or until the seat is another's."""
        caller, player = self._caller, self._player
        is_held = False
        while player.seat is not None:
            if not is_held:
                # First: whom the table is told of keeps nobody out any more.
                self._stand_without_line()
                is_held = self._try(lambda: player.table.hold(max(0.0, until - time.monotonic())))
            elif caller.instance.directory.is_full(records_for(caller.instance.segment, Entrance.DOOR)):
                log.info("%s: all lines are busy; %r gives up the session", caller.line.peer, caller.user.name)
                return True
            self._follow()
            event = caller.loop.next()
            if event == AlarmDue(HOLD):
                break
            self._take(event)
        return False

    def _take(self, event: Event) -> None:
        if isinstance(event, AlarmDue) and event.name in PATIENCE:
            self._player.table.check_locks()
            self._player.maintain(PATIENCE[event.name])
        for command in self._caller.background(event):
            if command.kind == Kind.PURGE:
                self._player.maintain()

    def _follow(self) -> None:
        """Take over the table's newest value, and set the alarm of the own clock."""
        value, seat = self._player.follow(), self._player.seat
        if value is None or seat is None:
            return
        mover = value.master if value.game is None else self._player.table.rules.game.to_move(value.game)
        is_mine = mover == seat and value.deadline != math.inf
        self._player.set_deadline(value.deadline if is_mine else None)

    def _stand_without_line(self) -> None:
        """Show in the directory that there is no line; the listener counts no caller for it."""
        instance, player = self._caller.instance, self._player
        instance.own.stand_at(PlaceKind.HELD, player.table.number, player.seat)
        instance.tell_listener()

    def _hand_over(self, seconds: float) -> bool:
        """Leave the seat to a newer session of this user; return whether it is held for it, for so long."""
        if not seconds or self._player.seat is None:
            return False
        self._player.table.tend()  # nobody else can reveal what this session keeps
        self._try(lambda: self._player.table.hold(seconds, told=False))
        try:
            return held_for(self._player.table.look(), self._caller.user.id) is not None
        except LockTimeout:
            return False

    def _try(self, ask: Callable[[], None]) -> bool:
        """Ask the table for something; return whether it was done. It is asked again later."""
        try:
            ask()
        except (LockTimeout, StoreError, IllegalMove) as error:
            if not self._is_late:  # every key and every tick asks again
                log.info("table %s is not told about %r yet: %s", self._player.table.name, self._name, error)
            self._is_late = True
            return False
        self._is_late = False
        return True

    @property
    def _name(self) -> str:
        return self._caller.user.name
