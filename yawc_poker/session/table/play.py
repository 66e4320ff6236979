"""A caller at a table: the path of a key into a move, and of a signal into a new screen.

Owns the time a caller spends seated: what a key does to the table, what an event means there, and how the stay ends.
The seat itself is `yawc_poker.session.table.seated_player`'s. What the caller sees, and when it is drawn, is
`yawc_poker.session.table.screen`'s. The rules and the transaction are elsewhere; no game is known here.
"""

import logging
import time
from collections.abc import Callable
from typing import Generic

from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.store import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.table import Table
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.semaphore import LockSlow, LockTimeout
from yawc_poker.session.caller import notices
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.loop.events import AlarmDue, Event, Key, Resized
from yawc_poker.session.loop.loop import TICK
from yawc_poker.session.table.screen import SECOND, TableScreen
from yawc_poker.session.table.seated_player import DEADLINE, SeatedPlayer
from yawc_poker.table_ui.definition import Definition
from yawc_poker.table_ui.face import LocalT, MoveT, OptionsT, ViewT
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.scene import is_coarse
from yawc_poker.table_ui.spoken import (
    AT_TABLE,
    ChooseOption,
    GiveWord,
    JoinTable,
    StartGame,
    TellSeal,
    Unknown,
    asked,
)
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.words import Words, mark

log = logging.getLogger(__name__)

_PATIENCE = {TICK: 0.0, DEADLINE: 1.0}
"""Seconds to wait for the table's lock: a tick comes again, the own deadline is served at its moment."""

_BUSY = mark("The table is busy; please try again.")
_SLOW = mark("The bank is slow; nothing was changed. Please try again.")
_UNSURE = mark("The bank did not confirm that. Any CUBES it took will come back.")
_NO_BANK = mark("The bank cannot be reached; nothing was changed. Please try again.")


def play_at(
    caller: Caller,
    table: GameTable[StateT, MoveT, EventT, OptionsT],
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    """Sit down, play until the caller leaves or is taken away, and stand up again."""
    instance, alarms = caller.instance, caller.loop.alarms
    player = SeatedPlayer(table, instance.notifier, alarms, caller.config.engine.tick_seconds)
    try:
        value = player.sit(caller.user.id, caller.user.name)
    except IllegalMove as refusal:
        if refusal.reason == "closing_down":
            raise ClosingDown from None
        caller.console.say(game.face.refusal(refusal, caller.words), Style.YELLOW)
        return
    except (StoreError, LockTimeout) as error:
        log.error("%r could not sit down: %s", caller.user.name, error)
        caller.console.say(caller.words(_trouble(error)), Style.ALERT)
        return
    stay = _Stay(caller, player, game, value)
    left = False
    try:
        left = stay.run()
    finally:
        stay.end(removed=not left)
    if not left:
        caller.console.say(caller.words("You were removed from the table."), Style.YELLOW)


def _trouble(error: StoreError | LockTimeout) -> str:
    """Return the sentence for an operation that failed for now."""
    if isinstance(error, LockSlow) or (isinstance(error, StoreError) and error.slow):
        return _SLOW
    if isinstance(error, LockTimeout):
        return _BUSY
    return _UNSURE if error.maybe_done else _NO_BANK


def _no_command(command: str, words: Words) -> str:
    return words(
        "There is no command {command}. At a table there are {commands}.",
        command=command,
        commands=", ".join(AT_TABLE),
    )


class _Stay(Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """One stay at the table."""

    def __init__(
        self,
        caller: Caller,
        player: SeatedPlayer[StateT, MoveT, EventT, OptionsT],
        game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        value: Table[StateT, EventT],
    ) -> None:
        """`value` is the table's when the caller sat down."""
        self._caller = caller
        self._player = player
        self._table = player.table
        self._choices = game.choices
        self._screen = TableScreen(caller, game, player.table.options, value)

    def run(self) -> bool:
        """Play; return whether the caller left of their own accord, and was not taken from their seat."""
        caller, player = self._caller, self._player
        caller.seated = True
        caller.slow.mode = "refuse"
        player.show_place()
        caller.loop.passes = self._passes
        caller.display.forget()
        self._refresh(force=True)
        self._screen.greet()
        while player.seat is not None:
            player.something_happened()
            self._screen.draw()
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

    def end(self, *, removed: bool) -> None:
        """Stand up, and give the screen back to the scrolling text; `removed`: not by the caller's own `X`.

        The others are told which it was (spec/poker.md 9.2): a line that broke, a second login, a kick are removals.
        """
        caller = self._caller
        caller.loop.passes = lambda: False
        caller.loop.alarms.cancel(SECOND)
        caller.seated = False
        caller.slow.mode = "wait"
        caller.instance.own.count_waiting(0)
        try:
            self._player.stand_up(removed=removed)
        except LockTimeout as error:
            # They keep the seat until they sit down again or are gone; the others serve their clock.
            log.error("%r could not give back their seat: %s", caller.user.name, error)
        caller.stand_at(PlaceKind.PROMPT)
        caller.display.leave_screen()
        caller.slow.mode = "tell"

    # --- the table's value --------------------------------------------------------------------------------------------

    def _refresh(self, *, force: bool = False) -> None:
        """Take over the table's newest value, if it is new."""
        value = self._player.follow(force=force)
        if value is None:
            return
        seen = self._screen.take(self._player.commit, value)
        if seen is not None:
            # While the own clock goes in coarse steps, the ticks fall on them, so a step needs no alarm of its own.
            through = seen.deadline if is_coarse(seen) else None
            self._player.set_deadline(seen.deadline, ticks_through=through)

    # --- what happens -------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> bool:
        """Pass a key to the screen and do what it asks for; return whether the caller leaves the table."""
        if key == REDRAW:
            self._caller.display.forget()
            self._screen.invalidate()
            return False
        self._caller.idle_notice = ""
        if self._screen.append(key):
            return False
        match self._screen.press(key):
            case Leave():
                return True
            case Start(options):
                self._try(lambda: self._table.start(options))
            case MakeMove(move):
                self._try(lambda: self._table.play(move))
            case Say(text):
                self._say(text)
            case None:
                pass
        return False

    def _say(self, text: str) -> None:
        match asked(text):
            case TellSeal():
                self._screen.tell_seal()
            case StartGame():
                self._try(self._table.start)
            case ChooseOption(""):
                self._screen.tell_options()
            case ChooseOption(option):
                self._try(lambda: self._choose(option))
            case JoinTable():
                self._screen.notice(self._caller.words("You sit at this table already."))
            case Unknown(command):
                self._screen.notice(_no_command(command, self._caller.words))
            case _ if refusal := self._caller.bulletin.may_not_write(self._caller.words):
                self._screen.notice(refusal)
            case GiveWord(word):
                self._try(lambda: self._table.give_word(word))
            case None:
                self._try(lambda: self._table.say(text))

    def _choose(self, option: str) -> None:
        """Choose an option of the games to come. A caller who names none there is reads what may be chosen."""
        try:
            self._table.choose(lambda options: self._choices.choose(options, option))
        except IllegalMove as refusal:
            if refusal.reason != "no_option":
                raise
            self._screen.tell_usage()

    def _try(self, ask: Callable[[], None]) -> None:
        """Ask the table for something; a refusal is shown in the command area and changes nothing."""
        try:
            ask()
        except IllegalMove as refusal:
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            self._screen.refuse(refusal)
        except (LockTimeout, StoreError) as error:
            log.error("table %d: %s", self._table.number + 1, error)
            self._screen.notice(self._caller.words(_trouble(error)))

    def _happened(self, event: Event) -> None:
        if isinstance(event, AlarmDue) and event.name in _PATIENCE:
            self._player.look_after(_PATIENCE[event.name])
        elif isinstance(event, Resized):
            self._screen.invalidate()
        for command in self._caller.background(event):
            if command.kind == Kind.XMESSAGE:
                self._count_messages()
            elif command.kind == Kind.PURGE:
                self._player.look_after(_PATIENCE[TICK])
            elif command.kind == Kind.SYSOP:
                self._show_news()
        if self._caller.idle_notice:
            self._screen.notice(self._caller.idle_notice)
            self._caller.idle_notice = ""

    def _passes(self) -> bool:
        """Deal with a tick at which at most a clock has moved since the screen was drawn; return whether it was one.

        With hundreds at the tables, who mostly think, this is what a BBS does most often (`casino.tables.unchanged`).
        """
        self._player.watch_over()
        now = time.monotonic()
        return self._screen.is_drawn and self._player.is_unchanged(now) and self._screen.pass_tick(now)

    def _show_news(self) -> None:
        """Show what sysops did or said among the messages; take over CUBES that came or went at once."""
        try:
            with self._caller.news() as actions:
                for action in actions:
                    self._announce(action)
                if actions:
                    self._refresh()
                    self._screen.draw(at_once=True)
        except IllegalMove:
            pass  # there is no seat to see it from any more: it is shown at the prompt
        except StoreError as error:
            log.error("news of the sysops for %r wait: %s", self._caller.user.name, error)

    def _announce(self, action: SysopAction) -> None:
        text, style = notices.sentence(action, self._caller.words)
        self._screen.announce(text, style)
        if action.kind == "warn":
            self._caller.display.bell()
        elif action.kind in {"grant", "take"}:
            self._try(self._table.fund)

    def _count_messages(self) -> None:
        """Count unread messages, which came in since the prompt; a command may be lost, a row is not."""
        waiting = self._screen.waiting
        try:
            waiting = self._caller.instance.messages.count_unread(self._caller.user.id)
        except StoreError as error:
            log.error("X-messages of %r cannot be counted: %s", self._caller.user.name, error)
        self._caller.instance.own.count_waiting(waiting)
        self._screen.count_waiting(waiting)
