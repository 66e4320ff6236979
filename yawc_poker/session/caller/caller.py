"""One caller's stay: their line, their record in the directory, and what comes in between while they type or play.

`Caller` is what the menus and the table work with. It owns what happens to a session wherever it is: commands of
others, the alarms "login", "duty", "keepalive", the caller's language. Prompts (`yawc_poker.session.caller.prompts`),
the rules of the games and the screens are elsewhere.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, TypeVar

from yawc_poker.appearance.preferences import Preferences
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.instance.instance import ERRANDS_FILE, Instance
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.own_record import REASON_BITS, EndReason, OwnRecord
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.store.patience import patiently
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.invitations import Invitation
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.broadcast import Command, Kind
from yawc_poker.ipc.events import AlarmDue, Event, Key, Ready, Resized, Terminated, Woken
from yawc_poker.ipc.semaphore import LockTimeout, held
from yawc_poker.page.links import Link
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller import endings, notices
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.session.caller.attention import Attention
from yawc_poker.session.caller.console import Console
from yawc_poker.session.caller.notices import Bulletin
from yawc_poker.session.caller.offload import run_apart
from yawc_poker.session.caller.others import Others
from yawc_poker.session.loop.loop import LatencyTimer, Loop
from yawc_poker.session.prefork.slices import go_first, let_others_first
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.line import Line
from yawc_poker.words import Language, Words

T = TypeVar("T")

log = logging.getLogger(__name__)

WAKE_SECONDS = 0.003
"""About how much processor time it costs another session to be woken: a look and a drawing. The one that wakes pays."""
WARNING = 60.0
"""Seconds between the warning and the end of an idle call, but never more than half of what is allowed."""
TOLD_SECONDS = 30.0
"""Seconds before a caller is told again that the bank is slow."""
_HOUR = 3600


class OnlineTime:
    """The time online that a user has not been credited with yet. Moments are monotonic seconds."""

    def __init__(self, bank: Bank, session: int, cubes_per_hour: float, now: float) -> None:
        """`session` is the session's token."""
        self._bank = bank
        self._session = session
        self._per_hour = cubes_per_hour
        self._since = now
        self._credits = 0
        """How many were confirmed by the bank."""

    def begin(self, now: float) -> None:
        """Count from now on: the user has logged in."""
        self._since = now

    def credit(self, user: int, now: float, *, final: bool) -> None:
        """Credit the time once a whole CUBE is due, or what there is of it if this is `final`.

        Raise `StoreError`, and then the time is kept for the next try.
        """
        seconds = now - self._since
        if self._per_hour <= 0 or (not final and seconds * self._per_hour < _HOUR):
            return
        # The same key until the bank has confirmed it: what looked like a failure may have been booked.
        self._bank.earn(user, f"{self._session:016x}:{self._credits}", seconds, self._per_hour)
        self._credits += 1
        self._since = now


class IdleTimeout:
    """When a caller last pressed a key, and what follows from that: a warning, then the end after `limit` seconds.

    A key moves no alarm. When the alarm fires, it is set anew from the last key.
    """

    def __init__(self, own: OwnRecord, alarms: Alarms, limit: float) -> None:
        self._own = own
        self._alarms = alarms
        self._limit = limit
        self._warns_after = max(limit - WARNING, limit / 2)
        self._last_key = time.monotonic()
        self._warned = False

    def touch(self) -> None:
        """A key was pressed."""
        self._last_key = time.monotonic()
        self._own.touch(self._last_key)
        self._warned = False

    def watch(self) -> None:
        """Set the alarm `idle`."""
        self._alarms.set("idle", self._last_key + (self._limit if self._warned else self._warns_after))

    def fired(self) -> float | None:
        """The alarm fired: return the seconds left if a warning is due, else None. Raise `IdleTooLong`."""
        silent = time.monotonic() - self._last_key
        if silent >= self._limit:
            raise endings.IdleTooLong
        warns = not self._warned and silent >= self._warns_after
        self._warned |= warns
        self.watch()
        return self._limit - silent if warns else None


class Login:
    """What is known of a caller before they have logged in; the dialogue is `session.menus.login`'s."""

    until = 0.0
    """The moment by which the caller has to have logged in. Monotonic seconds."""
    wrong_passwords = 0
    language: Language | None = None
    """Chosen at the name prompt."""
    linear: bool | None = None
    """Lines or a screen, as chosen at the name prompt."""
    is_new = False
    """The user registered in this call."""
    link = Link()
    """What the link says by which the caller's page was opened."""
    invitation: Invitation | None = None
    """The invitation by which the caller comes."""
    name = ""
    """What the caller is called where they come from, as whoever passes them on says."""
    key = ""
    """Fingerprint of the key of ssh that the caller has proven to have; empty: there is none."""
    password_hash = ""
    """What is stored of the password that the caller has proven to know; empty: they came by the key, or are new."""


class Caller:
    """A caller, from first byte to last, in an instance that this process has entered."""

    def __init__(self, line: Line, display: Display, loop: Loop, instance: Instance) -> None:
        self.line = line
        self.display = display
        self.loop = loop
        self.instance = instance
        self.config = instance.config
        self.console = Console(line, display)
        loop.latency = LatencyTimer(instance.tally)
        self.tables = Tables(instance)
        instance.tables = self.tables
        loop.meter.burden = lambda: instance.notifier.woken * WAKE_SECONDS
        self.page = line.page
        """The page around the caller's terminal, or None if there is only the terminal."""
        self.appearance = Appearance(line, display, self.config.bbs.language)
        self.attention = Attention(display, self.appearance, self.config.bbs.name)
        self.user_or_none: User | None = None
        self.login = Login()
        self.place: Literal["prompt", "table", "leaving"] = "prompt"
        """Where the caller is: at a prompt, at a table, or on the way from there."""
        self.in_casino = False
        """The casino's menu is asked next, not the main prompt: the caller has gone there, or has left a table."""
        self._told_at = -math.inf
        """When the caller was told last that the bank is slow. Monotonic seconds."""
        instance.segment.watch.on_slow = self._waits_for_bank
        self.idle_notice = ""
        self._idle = IdleTimeout(instance.own, loop.alarms, self.config.telnet.idle_seconds)
        self._online = OnlineTime(
            instance.bank, instance.notifier.token, self.config.bbs.cubes_per_hour, time.monotonic()
        )
        self.bulletin = Bulletin(instance)
        self.others = Others(instance, self.tables, self.console, self.attention)

    @property
    def user(self) -> User:
        """The user who is logged in."""
        assert self.user_or_none is not None, "asked for the user of a caller who is not logged in"
        return self.user_or_none

    # --- life ---------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the clocks that run from the first moment."""
        self._log_in_by(time.monotonic() + self.config.telnet.login_seconds)
        self.loop.alarms.every("duty", self.config.engine.duty_seconds)
        self.loop.alarms.every("keepalive", self.config.telnet.keepalive_seconds)

    def _log_in_by(self, deadline: float) -> None:
        self.login.until = deadline
        self.loop.alarms.set("login", deadline)

    def logged_in(self, user: User) -> None:
        """The caller is this user from now on; commands that came before were not for them."""
        for command in self.look():
            self._interrupt(command)
        self.user_or_none = user
        self.loop.meter.rank(go_first, let_others_first)
        self._online.begin(time.monotonic())
        self.loop.alarms.cancel("login")
        if self.page is not None:
            self.page.keep(self.loop.attend, self.loop.alarms.set)
        self._idle.watch()

    def tidy(self) -> None:
        """Credit the last online time; if that fails it is logged, and the session ends all the same."""
        try:
            if self.user_or_none is not None:
                self._online.credit(self.user.id, time.monotonic(), final=True)
        except StoreError:
            log.warning("online time of %s could not be credited", self.user.name)

    # --- words and characters -----------------------------------------------------------------------------------------

    @property
    def words(self) -> Words:
        """The texts as this caller reads them."""
        return self.appearance.words

    @property
    def preferences(self) -> Preferences:
        """What the caller prefers; `prefer` changes it."""
        return self.appearance.preferences

    def speak(self, language: Language) -> None:
        """Change the language, remembered for a user."""
        self.appearance.speak(language)
        if self.user_or_none is not None:
            self.instance.accounts.set_language(self.user.id, language)

    def show_as(self, charset: Charset) -> None:
        """Change the character set, remembered for a user; a page's terminal is UTF-8, whatever their others are."""
        if self.appearance.show_as(charset) and self.user_or_none is not None:
            self.instance.accounts.set_charset(self.user.id, charset)

    def prefer(self, preferences: Preferences) -> None:
        """Change what the caller prefers, remembered for a user."""
        self.appearance.prefer(preferences)
        if self.user_or_none is not None:
            self.instance.accounts.set_preferences(self.user.id, preferences)

    # --- waiting without asking ---------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass; keys are kept, all else is dealt with. It does not count as time to log in."""
        self.loop.alarms.set("wait", time.monotonic() + seconds)
        if self.user_or_none is None:
            self._log_in_by(self.login.until + seconds)
        while (event := self.loop.next(keys=False)) != AlarmDue("wait"):
            self.meanwhile(event)

    def patiently(self, act: Callable[[], T]) -> T:
        """Do what the database may have no time for now, and wait for it as `casino.store.patience` does."""
        return patiently(act, self.wait)

    def apart(self, work: Callable[[], bytes]) -> bytes:
        """Make a child process do work that takes long, and return its answer; meanwhile as in `wait`."""
        return run_apart(work, self.instance.data / ERRANDS_FILE, self.loop, self.meanwhile)

    def _waits_for_bank(self) -> bool:
        """Return whether to go on waiting for the bank, which waits for the disk; called in the middle of the wait.

        At a table the wait is given up: the caller reads so in the command area, signals and clocks go on, and the key
        may be pressed again. At a prompt callers have asked for one thing, and wait for it. Nothing is written while
        this process holds a lock.
        """
        now = time.monotonic()
        if self.place == "prompt" and not held() and now - self._told_at > TOLD_SECONDS:
            self._told_at = now
            self.console.interrupt(self.words("The bank is slow at the moment. Please wait."), Style.YELLOW)
            self.line.flush()
        return self.place != "table"

    # --- what comes in between ----------------------------------------------------------------------------------------

    def background(self, event: Event) -> tuple[Command, ...]:
        """Do what every place does with an event that is no key; return the commands for the place itself.

        Raise the `Ending` that the event means.
        """
        match event:
            case Woken():
                return self.look()
            case Terminated():
                raise endings.asked_to_end(self.instance, self.loop.pause)
            case AlarmDue(name="tick" | "duty"):
                if event.name == "duty":
                    self._duty()
                return self.look()
            case AlarmDue(name=name):
                self._alarm(name)
            case Resized():
                self.appearance.follow_line()
                self._follow_page()
                return self._missed()
            case Key() | Ready():
                pass
        return ()

    def _follow_page(self) -> None:
        """Let others see where a page calls from, whose line may have come back from another address.

        Raise `ShownOut` if that is banned: who bans it meanwhile sees it here, or this session sees the ban.
        """
        if self.page is not None and self.instance.own.call_from(self.line.peer, self.page.carrier):
            self.instance.tell_listener()
            with suppress(StoreError):  # not known now; the listener lets nobody in from there
                notices.refuse_banned(self.instance, self.user, self.line.origin, self.words)

    def _missed(self) -> tuple[Command, ...]:
        """Return what makes the session look for news that waited while the caller's page was away."""
        waited = self.page is not None and self.user_or_none is not None and not self.page.is_away
        return (Command(Kind.XMESSAGE), Command(Kind.SYSOP)) if waited else ()

    def meanwhile(self, event: Event) -> None:
        """Deal with an event that is no key at a prompt: what others sent is shown above it."""
        for command in self.background(event):
            self._interrupt(command)

    def look(self) -> tuple[Command, ...]:
        """Look into shared memory, as at every signal and tick, and return the commands.

        A lost signal so costs no more than a tick.
        """
        if self.instance.closing:
            raise endings.ClosingDown
        self._check_record()
        reading = self.instance.notifier.read()
        for command in reading.commands:
            if command.kind == Kind.TABLE:
                self.loop.latency.woken(command.posted_at)
        # Unread commands that were overwritten may have announced what is in the database: messages, sysop actions.
        overrun = reading.overrun and self.user_or_none is not None
        return reading.commands + ((Command(Kind.XMESSAGE), Command(Kind.SYSOP)) if overrun else ())

    def _check_record(self) -> None:
        mine = self.instance.own.live()
        if mine is None or self.instance.segment.is_orphaned:
            raise endings.LostSlot
        reason, action = mine.end_reason & ((1 << REASON_BITS) - 1), mine.end_reason >> REASON_BITS
        if reason == EndReason.REPLACED:
            raise endings.Replaced
        if reason == EndReason.FENCED:
            raise endings.CutOff
        if reason == EndReason.CROWDED:
            raise endings.Full
        if reason == EndReason.BY_SYSOP:
            raise endings.ShownOut(self.bulletin.farewell(action, self.words))

    def maintain(self, work: Callable[[], None]) -> None:
        """Do what every process does for the tables; without a lock or a descriptor for it, it waits."""
        try:
            work()
        except (LockTimeout, OSError) as error:
            log.info("a duty of %s waits for the next time: %s", self.line.peer, error)

    def _interrupt(self, command: Command) -> None:
        if command.kind == Kind.PURGE:
            self.maintain(lambda: self.instance.maintain_table(command.table or 0))
        if self.user_or_none is None or self._is_away:
            return
        match command.kind:
            case Kind.XMESSAGE:
                if shown := self.read_messages():
                    self.attention.call(self.words.count("{n} X-message", "{n} X-messages", shown))
            case Kind.SYSOP:
                self.show_news()
            case Kind.NOTICE:
                self.others.show(command, self.preferences, self.words)
            case _:
                pass

    def _alarm(self, name: str) -> None:
        match name:
            case "login" if self.user_or_none is None:
                raise endings.LoginTooSlow
            case "idle":
                if seconds := self._idle.fired():
                    self.warn(seconds)
            case "keepalive" | "return":
                self.line.keep_alive()
            case _:
                pass

    def _duty(self) -> None:
        """Do the periodic work of every session: purge, overdue clocks, online time."""
        self.maintain(self.instance.maintain_part)
        if self.user_or_none is not None:
            try:
                self._online.credit(self.user.id, time.monotonic(), final=False)
            except StoreError as error:
                log.warning("online time of %s not credited yet: %s", self.user.name, error)

    # --- idle ---------------------------------------------------------------------------------------------------------

    def touched(self) -> None:
        """The caller pressed a key."""
        self._idle.touch()
        self.attention.answered()

    def warn(self, seconds: float) -> None:
        """Warn an idle caller that they will be disconnected."""
        self.attention.ring()
        text = self.words(
            "You are idle. Press a key within {seconds} seconds, or you will be disconnected.", seconds=round(seconds)
        )
        if self.place == "table":
            self.idle_notice = text
        else:
            self.console.interrupt(text, Style.ALERT)

    # --- sysops -------------------------------------------------------------------------------------------------------

    @contextmanager
    def news(self) -> Iterator[list[SysopAction]]:
        """Yield what sysops did or said since the last look, to be shown in this block; the user is read anew.

        If the process is killed before it was sent, it is shown again. Raise `StoreError`.
        """
        with self.bulletin.news(self.user) as (user, actions):
            self.user_or_none = user
            yield actions
            self.line.flush()

    def show_news(self) -> None:
        """Show what sysops did or said, above the open prompt if there is one."""
        try:
            with self.news() as actions:
                for action in actions:
                    if action.kind == "warn":
                        self.attention.ring()
                    text, style = notices.sentence(action, self.words)
                    self.console.interrupt(f"*** {text}", style)
        except StoreError as error:
            log.error("news of the sysops for %r wait: %s", self.user.name, error)

    def may_write(self, *, line: bool = False) -> bool:
        """Return whether the caller may write to others, and tell them why not; `line`: one is written, and counted."""
        refusal = self.bulletin.may_not_write(self.words) if line else self.bulletin.silenced(self.words)
        if refusal:
            self.console.say(refusal, Style.ALERT)
        return not refusal

    # --- others -------------------------------------------------------------------------------------------------------

    def stand_at(self, kind: PlaceKind, table: int | None = None, seat: int | None = None) -> None:
        """Note in the directory where this session is."""
        self.instance.own.stand_at(kind, table, seat)
        if self.page is not None and self.user_or_none is not None:
            self.page.redraws = False
            self.page.touch(())
            self.page.call(f"{self.user.name} - {self.config.bbs.name}")

    def read_messages(self) -> int:
        """Show the X-messages that wait for this user, above the open prompt if there is one; return how many."""
        if self._is_away:
            return 0
        shown = 0
        try:
            with self.instance.messages.taking(self.user.id) as waiting:
                shown = len(waiting)
                for message in waiting:
                    self.console.interrupt(notices.message(message, self.words), Style.CYAN)
                self.line.flush()  # a message counts as read only once it was sent
        except StoreError as error:
            log.error("messages for %r wait: %s", self.user.name, error)
        return shown

    @property
    def _is_away(self) -> bool:
        """Whether nobody would read now what is sent, because the line broke and may come back."""
        return self.page is not None and self.page.is_away
