"""At the table: the path of a key into a move, and of a bell into a new screen.

Owns the time a session spends seated: it sits down, ticks every five seconds, redraws when the table's commit number, a
clock or the window changed, and leaves in whatever way the stay ends. The rules, the screen and the transaction are
elsewhere; nothing here knows what a card is worth.
"""

import logging
import math
import time
from collections.abc import Callable
from typing import Generic

from msgspec.structs import replace

from yawc_poker.casino.acts import Act
from yawc_poker.casino.calm import Calm
from yawc_poker.casino.directory import PlaceKind
from yawc_poker.casino.store import StoreError
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.game import E, IllegalMove, S
from yawc_poker.engine.table import Table, seat_of
from yawc_poker.games.common.actions import Leave, Play, Say, Start
from yawc_poker.games.common.keys import may_append, press_chat
from yawc_poker.games.common.scene import Scene, may_pass, next_change
from yawc_poker.games.common.screen import ROWS, clock_cells, wind
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session import bulletin
from yawc_poker.session.caller import Caller
from yawc_poker.session.endings import ClosingDown
from yawc_poker.session.face import Face, L, Mv, Op, V
from yawc_poker.session.loop import TICK, Due, Event, Key, Resized
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.widgets import REDRAW
from yawc_poker.words import mark

log = logging.getLogger(__name__)

_PATIENCE = {TICK: 0.0, "deadline": 1.0}
"""Seconds to wait for the table's lock: a tick comes again, the own deadline shall be served at its moment."""

_BUSY = mark("The table is busy; please try again.")
_NO_BANK = mark("The bank cannot be reached; nothing was changed. Please try again.")


def play_at(caller: Caller, table: GameTable[S, Mv, E, Op], face: Face[S, Mv, E, Op, V, L]) -> None:
    """Sit down, play until the caller leaves or is taken away, and stand up again."""
    try:
        table.sit(caller.user.id, caller.user.name)
    except IllegalMove as refusal:
        if refusal.reason == "closing_down":
            raise ClosingDown from None
        caller.console.say(face.refusal(refusal, caller.words), Style.YELLOW)
        return
    except (StoreError, LockTimeout) as error:
        log.error("%r could not sit down: %s", caller.user.name, error)
        caller.console.say(caller.words(_BUSY if isinstance(error, LockTimeout) else _NO_BANK), Style.ALERT)
        return
    stay = _Stay(caller, table, face)
    try:
        left = stay.run()
    finally:
        stay.end()
    if not left:
        caller.console.say(caller.words("You were removed from the table."), Style.YELLOW)


class _Stay(Generic[S, Mv, E, Op, V, L]):
    """One stay at the table."""

    def __init__(self, caller: Caller, table: GameTable[S, Mv, E, Op], face: Face[S, Mv, E, Op, V, L]) -> None:
        self._caller = caller
        self._table = table
        self._face = face
        self._waiting = 0
        self._value: Table[S, E] = table.look()
        self._commit = -1
        self._seen: Scene[V] | None = None
        self._seen_until = 0.0
        self._is_seated = True
        self._local = face.fresh(table.options)
        self._settled = self._local
        """What fits the scene of this commit: no key has to fit it again. Compared by identity."""
        self._next_second = 0.0
        self._drawn_scene: Scene[V] | None = None
        """What the screen shows, as it was when it was drawn."""
        self._ticks_on = False
        """The clock on the screen is moved on by ticks, without an alarm of its own."""
        self._drawn: tuple[object, ...] = ()
        """What the last drawing was made from; empty: draw in any case."""
        self._drawn_until = 0.0
        """Until then time alone changes nothing of it. Monotonic seconds."""
        self._is_drawn = False
        """Whether the last drawing was not put off."""
        self._calm: Calm | None = None
        """What was found at a tick since then."""

    def run(self) -> bool:
        """Play; True once the caller left by himself, False if his seat was taken from him."""
        caller, alarms = self._caller, self._caller.loop.alarms
        caller.seated = True
        alarms.every(TICK, caller.config.engine.tick_seconds)
        caller.loop.passes = self._passes
        caller.display.forget()
        self._refresh(force=True)
        caller.stand_at(PlaceKind.TABLE, self._table.number, seat_of(self._value, self._token))
        while self._is_seated:
            self._draw()
            event = caller.loop.next()
            if isinstance(event, Key):
                leaves = self._press(event.name)
                caller.touched()
                if leaves:
                    return True
            else:
                self._happened(event)
            self._refresh()
        return False

    def end(self) -> None:
        """Stand up, give the alarms back and the screen to the scrolling text."""
        alarms = self._caller.loop.alarms
        self._caller.loop.passes = lambda: False
        for name in (TICK, "deadline", "second"):
            alarms.cancel(name)
        self._caller.seated = False
        self._caller.house.exchange.count_waiting(0)
        try:
            self._table.leave()
        except LockTimeout as error:
            # He keeps the seat until he sits down again or is gone; his clocks are served by the others.
            log.error("%r could not give back his seat: %s", self._caller.user.name, error)
        self._caller.stand_at(PlaceKind.PROMPT)
        self._caller.display.leave_screen()

    @property
    def _token(self) -> int:
        return self._caller.house.exchange.token

    # --- what happens -------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> bool:
        """Give a key to the screen and do what it means; True: the caller leaves the table."""
        if key == REDRAW:
            self._caller.display.forget()
            self._drawn = ()
            return False
        self._caller.idle_notice = ""
        if self._append(key):
            return False
        self._local, action = self._face.press(self._local, self._scene(), key, self._caller.words)
        self._settled = self._local
        match action:
            case Leave():
                return True
            case Start(options):
                self._try(lambda: self._table.start(options))
            case Play(move):
                self._try(lambda: self._table.play(move))
            case Say(text):
                self._say(text)
            case None:
                pass
        return False

    def _append(self, key: str) -> bool:
        """Take a character that only adds to the chat line and show it at once; False: it is not all there is to do.

        A key to which the screen answers with one cell is what callers press most and see soonest. Open only where the
        screen shows all there is and time changes nothing of it, so that `press` and `render` would do the same.
        """
        shown = self._source() == self._drawn and time.monotonic() < self._drawn_until
        if not shown or self._local is not self._settled or self._local.waits:
            return False
        if not may_append(self._local, key) or not self._caller.display.put(key):
            return False
        self._local = self._settled = press_chat(self._local, key)[0]
        self._drawn = self._source()
        return True

    def _say(self, text: str) -> None:
        refusal = self._caller.bulletin.may_not_write(self._caller.words)
        if refusal:
            self._local = self._face.noticed(self._local, refusal)
        else:
            self._try(lambda: self._table.say(text))

    def _try(self, act: Callable[[], None]) -> None:
        """Ask the table for something; a refusal goes to the command area and changes nothing."""
        words = self._caller.words
        try:
            act()
        except IllegalMove as refusal:
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            self._local = self._face.refused(self._local, refusal, words)
        except LockTimeout as error:
            log.error("table %d: %s", self._table.number + 1, error)
            self._local = self._face.noticed(self._local, words(_BUSY))
        except StoreError as error:
            log.error("table %d: %s", self._table.number + 1, error)
            self._local = self._face.noticed(self._local, words(_NO_BANK))

    def _happened(self, event: Event) -> None:
        if isinstance(event, Due) and event.name in _PATIENCE:
            self._look_after(_PATIENCE[event.name])
        elif isinstance(event, Resized):
            self._drawn = ()
        for command in self._caller.background(event):
            if command.kind == Kind.XMESSAGE:
                self._count_messages()
            elif command.kind == Kind.PURGE:
                self._look_after(_PATIENCE[TICK])
            elif command.kind == Kind.SYSOP:
                self._show_news()
        if self._caller.idle_notice:
            self._local = self._face.noticed(self._local, self._caller.idle_notice)
            self._caller.idle_notice = ""

    def _passes(self) -> bool:
        """Deal with a tick at which all is as it was when the screen was drawn, or but for the clock; False: it is not.

        With hundreds at the tables, who mostly think, this is what a BBS does most often (`casino.calm`).
        """
        now = time.monotonic()
        try:
            if self._calm is None and self._is_drawn:
                self._calm = self._table.calm(self._commit)
        except OSError:  # no descriptor is to be had; whoever looks after the table meets it again, and says so
            return False
        if self._calm is None or not self._calm.lasts(now):
            return False
        if now >= self._drawn_until or self._ticks_on:
            if not self._wind():
                return False
            self._caller.line.flush()
        return not self._caller.line.pending

    def _look_after(self, timeout: float) -> None:
        try:
            self._table.look_after(timeout)
        except LockTimeout:
            pass  # whoever holds the lock sees to the same things before his own
        except OSError as error:  # nobody can be looked at for want of descriptors; the others do, and the next tick
            log.warning("table %d is not looked after: %s", self._table.number + 1, error)

    def _show_news(self) -> None:
        """Put what sysops did or said among the messages; CUBES that came or went are taken over at once."""
        try:
            with self._caller.news() as acts:
                for act in acts:
                    self._announce(act)
                if acts:
                    self._refresh()
                    self._draw(at_once=True)
        except IllegalMove:
            pass  # there is no seat to see it from any more: it is told at the prompt
        except StoreError as error:
            log.error("news of the sysops for %r wait: %s", self._caller.user.name, error)

    def _announce(self, act: Act) -> None:
        text, style = bulletin.sentence(act, self._caller.words)
        self._local = self._face.announced(self._local, text, style)
        if act.kind == "warn":
            self._caller.display.bell()
        elif act.kind in {"grant", "take"}:
            self._try(self._table.fund)

    def _count_messages(self) -> None:
        """Count what is unread: all was read at the prompt, so this came in since; commands may be lost, rows not."""
        try:
            self._waiting = self._caller.house.messages.count_unread(self._caller.user.id)
        except StoreError as error:
            log.error("X-messages of %r cannot be counted: %s", self._caller.user.name, error)
        self._caller.house.exchange.count_waiting(self._waiting)
        self._seen = None

    # --- what is seen -------------------------------------------------------------------------------------------------

    def _refresh(self, *, force: bool = False) -> None:
        """Take over the table's newest value, if it is new."""
        commit = self._table.commit_number
        if commit == self._commit and not force:
            return
        self._commit = commit
        self._value = self._table.look()
        self._seen = None
        self._local = self._face.hear(self._local, self._value.log, self._token, self._caller.words)
        self._is_seated = seat_of(self._value, self._token) is not None
        if not self._is_seated:
            return  # the seat was taken away: there is nothing to be seen from it
        seen = self._scene()
        self._local = self._settled = self._face.follow(self._local, seen)
        self._set_clock(seen)

    def _source(self) -> tuple[object, ...]:
        """Give what a drawing is made from, but for the time."""
        return (self._commit, self._local, self._waiting, self._caller.line.charset)

    def _scene(self) -> Scene[V]:
        """Look at the table from here; what was seen in the same second of it, if nothing came in between, is the same.

        But for who waits for the end of the pause, whose seconds are others than his clock's.
        """
        now = time.monotonic()
        if self._seen is None or now >= self._seen_until or self._local.waits:
            if self._seen is None:
                self._seen = self._face.scene(self._value, self._token, self._waiting, now)
            else:
                self._seen = replace(self._seen, now=now)
            change = next_change(self._seen, waits=True)
            self._seen_until = math.inf if change is None else change
        return self._seen

    def _set_clock(self, seen: Scene[V]) -> None:
        """The own deadline is served at the moment itself; everybody else's on the next tick."""
        alarms = self._caller.loop.alarms
        if seen.deadline is None:
            alarms.cancel("deadline")
        else:
            alarms.set("deadline", seen.deadline)

    def _draw(self, *, at_once: bool = False) -> None:
        """Draw, unless more has happened already; wake up again when the clock's next second is due.

        A tick at which nothing is new makes no frame: with hundreds at the tables that would be most of the work.
        """
        caller = self._caller
        self._calm = None
        if caller.loop.busy and not at_once:
            self._is_drawn = False
            return
        if self._local.waits and time.monotonic() >= self._value.pause_until:
            self._local = replace(self._local, waits=False)  # the seconds he was shown are over
        self._is_drawn = not self._local.waits
        source = self._source()
        is_same = source == self._drawn and not self._local.waits
        if is_same and (time.monotonic() < self._drawn_until or self._wind()):
            return
        seen = self._scene()
        frame = self._face.render(seen, self._local, caller.words, caller.line.columns, caller.line.rows)
        self._drawn = source
        self._show(frame, seen)

    def _show(self, frame: Frame, seen: Scene[V]) -> None:
        self._caller.display.draw(frame)
        self._shown_at(seen)

    def _shown_at(self, seen: Scene[V]) -> None:
        """The screen shows this; note when time changes it next, and wake up then, if that may not wait for a tick."""
        caller, self._drawn_scene = self._caller, seen
        wake = next_change(seen, self._local.waits)
        self._drawn_until = math.inf if wake is None else wake
        self._ticks_on = wake is not None and may_pass(seen, self._local.waits, wake, caller.config.engine.tick_seconds)
        if wake is None or self._ticks_on:
            self._next_second = 0.0
            caller.loop.alarms.cancel("second")
        elif wake != self._next_second:
            self._next_second = wake
            caller.loop.alarms.set("second", wake)

    def _wind(self) -> bool:
        """Move one's own clock on, which is all that time alone changes of a screen; False: all of it must be drawn.

        So it must after a drawing in the pause, whose end shows in other places, too: what was looked at since then for
        the sake of a key does not count.
        """
        shown, before = self._caller.display.shown, self._drawn_scene
        if shown is None or before is None or before.deadline is None or before.pause_until > before.now:
            return False
        seen = self._scene()
        left = before.deadline - seen.now
        cells = clock_cells(left)
        if len(shown.rows) == ROWS and cells is not None and self._caller.display.write(*cells):
            self._shown_at(seen)
        else:
            self._show(wind(shown, left), seen)
        return True
