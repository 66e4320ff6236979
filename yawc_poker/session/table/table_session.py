"""A session at a table: a caller who plays, one who looks on, a house player, a client of a protocol.

Owns what is the same for all of them: taking over the table's commits, each of which passes `TableSession.take`, and
nowhere else; what a tick and a signal ask for; the end. What a key, a turn or a message means is each kind's own.
"""

import gc
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.events import AlarmDue, Event, Key, Resized
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.page.links import page_address
from yawc_poker.session.caller import notices
from yawc_poker.session.caller.attention import TableAttention
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown, Exit, free_reserve
from yawc_poker.session.prefork.heap import return_free_pages
from yawc_poker.session.table.attendance import PATIENCE, Attendance, SeatedPlayer
from yawc_poker.session.table.screen import SECOND, TableScreen
from yawc_poker.session.table.sitting import trouble
from yawc_poker.table_ui import commands
from yawc_poker.table_ui.commands import Added
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.scene import Scene
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import REDRAW

log = logging.getLogger(__name__)


class TableSession(ABC):
    """One session's time at one table."""

    place: Attendance | None
    """Where it is, or None if it is nowhere yet."""

    def refresh(self, *, force: bool = False) -> None:
        """Take over the table's newest value, if it is new; `force`: also if it is not."""
        value = None if self.place is None else self.place.follow(force=force)
        if value is not None:
            self.take(value)

    @abstractmethod
    def take(self, value: AnyTable) -> None:
        """Take over a value of the table: what happened, what is seen now, and what follows from it."""


# --- a caller ---------------------------------------------------------------------------------------------------------


class Way(Enum):
    """How a caller goes from a table."""

    OUT = "out"
    IN = "in"
    """From beside it to a seat."""


class Deed(NamedTuple):
    """What a command of an extra does (the place `deeds`)."""

    name: str
    """As in `table_ui.commands.Added`."""
    do: Callable[[Caller, GameTable | None, str], str]
    """Do it for a caller at a table, or at a prompt, with the text behind the command; return what came of it.

    Raise `StoreError` or `LockTimeout`.
    """


def done(caller: Caller, table: GameTable | None, wish: Added) -> str:
    """Do what a command of an extra does, and return what came of it, in a sentence."""
    deeds = {one.name: one for one in announced("deeds", Deed)}
    return deeds[wish.name].do(caller, table, wish.text)


class CallersSession(TableSession):
    """A caller at a table, in a seat or beside it: the path of a key, and of a signal to a new screen."""

    place: Attendance

    def __init__(self, caller: Caller, place: Attendance, game: AnyDefinition, screen: TableScreen) -> None:
        self.place = place
        self._caller = caller
        self._screen = screen
        self._table = place.table
        self._title = game.titles.game
        self._attention = TableAttention(caller.attention, has_page=caller.page is not None)
        self._finished = self._collected = -1
        """The last game that is over, and the last one after which garbage was collected."""
        self._at_keys = False
        """What is taken over now follows on a key of the caller's."""

    def run(self) -> Way | None:
        """Stay until the caller goes, and return how, or None if they have no place here any more."""
        caller, screen = self._caller, self._screen
        caller.place = "table"
        self._come()
        if caller.page is not None:
            caller.page.redraws = True
            caller.page.call(f"{caller.words(self._title)} - {caller.user.name} - {caller.config.bbs.name}")
        caller.loop.passes = self._passes
        caller.loop.reads_line, caller.loop.takes_enter = screen.reads_line, screen.reads_number
        caller.display.forget()
        self._at_keys = True
        self.refresh(force=True)
        screen.greet()
        self._begin()
        while self._has_place:
            self.place.something_happened()
            screen.draw()
            self._collect()
            event = caller.loop.next()
            self._before(event)
            self._at_keys = isinstance(event, Key)
            if isinstance(event, Key):
                way = self._press(event.name)
                caller.touched()
                if way is not None:
                    return way
            else:
                self._happened(event)
            self.refresh()
        return None

    def end(self) -> None:
        """Go from the table, and give the screen back to the scrolling text."""
        caller = self._caller
        caller.loop.passes = caller.loop.reads_line = caller.loop.takes_enter = lambda: False
        caller.loop.alarms.cancel(SECOND)
        caller.place = "leaving"
        caller.instance.own.count_waiting(0)
        self._go()
        caller.attention.end()
        if caller.page is not None:
            caller.page.redraws = False
        self._screen.end()
        caller.place, caller.in_casino = "prompt", True

    # --- what each kind adds ------------------------------------------------------------------------------------------

    @abstractmethod
    def _come(self) -> None:
        """Let others see where this session is."""

    @abstractmethod
    def _go(self) -> None:
        """Leave the place."""

    @abstractmethod
    def _key(self, key: str) -> Way | None:
        """Do what a key asks for; return how the caller goes, None: they stay."""

    @property
    def _has_place(self) -> bool:
        """Whether this session has a place here still."""
        return True

    def _begin(self) -> None:
        """Do what comes once, when the table is seen for the first time."""

    def _before(self, event: Event) -> None:
        """Do what comes before any event is dealt with."""

    def _maintain(self, patience: float) -> None:
        """Do what is due at the table; `patience` is in seconds."""

    def _on_alarm(self, name: str) -> None:
        """Serve an alarm of those in `PATIENCE`."""

    def _follow(self, actions: Sequence[SysopAction]) -> None:
        """Do what follows here from what sysops did."""

    # --- what happens -------------------------------------------------------------------------------------------------

    def _show(self, value: AnyTable) -> Scene[object] | None:
        """Show a value of the table, and return what is seen of it, or None if there is no seat to see it from.

        Note the end of a game.
        """
        self._finished = value.number if value.game is None else self._collected
        return self._screen.take(self.place.commit, value)

    def _collect(self) -> None:
        """Collect garbage once after each game, when its end has been drawn.

        A full collection also empties Python's free lists: else the values of each game would lie elsewhere in the
        heap, and the session would touch more and more pages. So pages without values go back to the system, too.
        """
        if self._finished != self._collected and self._screen.is_drawn:
            self._collected = self._finished
            gc.collect()
            self._caller.instance.accounts.store.rest()
            return_free_pages()

    def _press(self, key: str) -> Way | None:
        """Deal with a key; return how the caller goes, None: they stay."""
        if key == REDRAW:
            self._screen.show_again()
            return None
        self._caller.idle_notice = ""
        return self._key(key)

    def _happened(self, event: Event) -> None:
        caller, screen = self._caller, self._screen
        if isinstance(event, AlarmDue) and event.name in PATIENCE:
            self._on_alarm(event.name)
        elif isinstance(event, Resized):
            screen.invalidate()
        for command in caller.background(event):
            if command.kind == Kind.XMESSAGE:
                self._count_messages()
            elif command.kind == Kind.PURGE:
                self._maintain(0.0)
            elif command.kind == Kind.SYSOP:
                self._show_news()
            screen.hear(command)
        if caller.idle_notice:
            screen.notice(caller.idle_notice)
            caller.idle_notice = ""

    def _passes(self) -> bool:
        """Deal with a tick at which at most a clock has moved since the screen was drawn; return whether it was one.

        With hundreds at the tables, who mostly think, this is what a BBS does most often (`casino.tables.unchanged`).
        """
        now = time.monotonic()
        return self._screen.is_drawn and self._is_unchanged(now) and self._screen.pass_tick(now)

    def _is_unchanged(self, now: float) -> bool:
        return self.place.is_unchanged(now)

    def _try(self, ask: Callable[[], None]) -> None:
        """Ask the table for something; a refusal is shown in the command area and changes nothing."""
        try:
            ask()
        except IllegalMove as refusal:
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            self._screen.refuse(refusal)
        except (LockTimeout, StoreError) as error:
            log.error("table %s: %s", self._table.name, error)
            self._screen.notice(self._caller.words(trouble(error)))

    def _carry_out(self, command: commands.AtAnyTable) -> None:
        """Do what a command asks for that means the same in a seat and beside the table."""
        match command:
            case commands.TellSeal():
                self._screen.tell_seal()
            case commands.TellLink():
                self._try(self._tell_link)
            case commands.ShowLines(lines):
                self._screen.change_to(lines=lines)
            case commands.TellBriefly(brief):
                self._screen.tell_briefly(brief=brief)
            case commands.ShowAs(charset):
                self._screen.show_as(charset)
            case commands.Added() as deed:
                self._try(lambda: self._screen.notice(done(self._caller, self._table, deed)))

    def _tell_link(self) -> None:
        """Tell the caller, and show on a page, by which links others come to this table. Raise `StoreError`."""
        caller, words = self._caller, self._caller.words
        address = page_address(caller.config) if caller.page is None else caller.page.address
        if not address:
            self._screen.notice(words("There is no link: this BBS has not been told where its page is."))
            return
        place = caller.tables.word(self._table.number)
        invitation = f"{address}#join={caller.instance.invitations.make(caller.user.id, place)}"
        self._screen.announce(words("To this table: {link}", link=f"{address}#{place}"), Style.CYAN)
        text = words("An invitation of yours, for 12 hours and for guests, too: {link}", link=invitation)
        self._screen.announce(text, Style.CYAN)
        if caller.page is not None:
            caller.page.share(invitation)

    # --- what reaches a caller here from outside of the table ---------------------------------------------------------

    def _count_messages(self) -> None:
        """Count unread X-messages, to be read at the prompt; a command may be lost, a row is not."""
        caller, before = self._caller, self._screen.waiting
        waiting = before
        try:
            waiting = caller.instance.messages.count_unread(caller.user.id)
        except StoreError as error:
            log.error("X-messages of %r cannot be counted: %s", caller.user.name, error)
        caller.instance.own.count_waiting(waiting)
        self._attention.messages(before, waiting, caller.words)
        self._screen.count_waiting(waiting)

    def _show_news(self) -> None:
        """Show among the messages what sysops did or said, and do then what follows from it at the table."""
        caller = self._caller
        if caller.page is not None and caller.page.is_away:
            return
        try:
            with caller.news() as actions:
                for action in actions:
                    self._screen.announce(*notices.sentence(action, caller.words))
                    if action.kind == "warn":
                        caller.attention.ring()
                if actions:
                    self._follow(actions)
                    self._screen.draw(at_once=True)
        except IllegalMove:
            pass  # there is no seat to see it from any more: it is shown at the prompt
        except StoreError as error:
            log.error("news of the sysops for %r wait: %s", caller.user.name, error)


# --- no caller --------------------------------------------------------------------------------------------------------


class Over(Exception):
    """The stay of a session without a caller ends; `str()` is the reason.

    `by_wish`: it leaves by itself, or its game has `ended`. Anything else is announced as a removal.
    """

    def __init__(self, reason: str, *, by_wish: bool = False, ended: bool = False) -> None:
        super().__init__(reason)
        self.by_wish = by_wish or ended
        self.ended = ended


class CallerlessSession(TableSession):
    """A session at a table that no caller has: a house player, or a client of a protocol."""

    place: SeatedPlayer | None

    def __init__(self, instance: Instance, alarms: Alarms, place: SeatedPlayer | None) -> None:
        self._instance, self._alarms, self.place = instance, alarms, place

    def look(self, patience: float = 0.0, *, force: bool = False) -> None:
        """Look into shared memory, as at every signal and tick, and do what is due at the table. Raise `Over`.

        `patience` is in seconds; `force`: look at the table's value even if it is not new.
        """
        instance = self._instance
        mine = instance.own.live()
        if instance.closing:
            raise Over("the BBS closes")
        if mine is None or mine.end_reason or instance.segment.is_orphaned:
            raise Over("was shown out")
        instance.notifier.read()
        if self.place is not None:
            self.place.table.check_locks()
            self.place.maintain(patience)
            self.refresh(force=force)


def serve_callerless(who: str, missing: str, broken: str, serve: Callable[[SignalInbox, Alarms], None]) -> Exit:
    """Run a session without a caller to its end, and return how it ended. Never raises.

    In the log it is called `who`; `missing` where it cannot begin, and `broken` where a bug ends it.
    """
    try:
        inbox = SignalInbox()
    except OSError as error:  # no descriptors
        log.error("%s: %s", missing, error)
        return Exit.UNAVAILABLE
    alarms = Alarms()
    try:
        serve(inbox, alarms)
    except (SegmentError, DirectoryFull, LockGone, LockTimeout, StoreError, OSError, MemoryError) as error:
        free_reserve()
        log.error("%s: %s", who, error)
        return Exit.UNAVAILABLE
    except Exception:
        free_reserve()
        log.exception("%s ended by a bug", broken)
        return Exit.BUG
    finally:
        alarms.close()
        inbox.close()
    return Exit.OK
