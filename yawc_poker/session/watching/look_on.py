"""A caller who looks on: keys, commits, chat, until they leave, sit down or are taken away.

Owns the time that a caller spends beside a table. What they see is the game's own screen, made from a scene without a
seat (`table_ui.scene.ONLOOKER`): it comes from what the rules show to anybody, so no hidden card is ever in it. The
session's place beside the table is `onlooker`'s, what is said there the table's (`casino.tables.gallery`).
"""

import gc
import logging
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.catalogues import all_languages
from yawc_poker.engine.company import make_room
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.events import Event, Key, Resized
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.calls import TableCalls
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.caller.from_outside import FromOutside
from yawc_poker.session.table.play import play_at
from yawc_poker.session.table.screen import SECOND, TableScreen
from yawc_poker.session.table.sitting import trouble
from yawc_poker.session.warmup.heap import return_free_pages
from yawc_poker.session.watching.onlooker import Onlooker
from yawc_poker.table_ui.commands import ChooseOption, JoinTable, ShowAs, ShowLines, Summoning, TellSeal, asked, told
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.intents import Leave, Say
from yawc_poker.table_ui.onlookers import ASIDE, SIT, called
from yawc_poker.terminal.keys import ESCAPE, REDRAW

log = logging.getLogger(__name__)

SPEAK: Final = "."


class Way(Enum):
    """How a caller goes from beside a table."""

    OUT = "out"
    IN = "in"
    """To a seat."""


def look_on(
    caller: Caller,
    table: GameTable,
    game: AnyDefinition,
) -> None:
    """Look on at a table until the caller leaves or is taken away; sit down there, if that is how they leave."""
    watch = _Watch(caller, table, game)
    way = Way.OUT
    try:
        way = watch.run()
    finally:
        watch.end()
    if way is Way.IN:
        play_at(caller, table, game)


class _Watch:
    """One stay beside a table."""

    def __init__(
        self,
        caller: Caller,
        table: GameTable,
        game: AnyDefinition,
    ) -> None:
        instance = caller.instance
        self._caller = caller
        self._title = game.titles.game
        self._onlooker = Onlooker(table, instance.segment.words, caller.loop.alarms, caller.config.engine.tick_seconds)
        self._gallery = self._onlooker.gallery
        self._value = table.look()
        self._finished = self._collected = self._value.number
        """The last game that is over, and the last one after which garbage was collected."""
        self._calls = TableCalls(caller.calls, has_page=caller.page is not None)
        self._aside = False
        """The line that is typed is for those who look on, though the master lets them speak to the table."""
        self._screen = TableScreen(
            caller,
            game,
            table.rules.options,
            self._value,
            _own_keys,
            self._gallery,
            called(caller.user.name, caller.words),
        )
        self._outside = FromOutside(caller, self._screen, self._calls)

    def run(self) -> Way:
        """Look on; return how the caller goes."""
        caller = self._caller
        caller.seated = True
        caller.slow.mode = "refuse"
        self._onlooker.come()
        if caller.page is not None:
            caller.page.redraws = True
            caller.page.call(f"{caller.words(self._title)} - {caller.user.name} - {caller.config.bbs.name}")
        caller.loop.passes = self._passes
        caller.loop.reads_line, caller.loop.takes_enter = self._screen.reads_line, self._screen.reads_number
        caller.display.forget()
        self._refresh()
        self._screen.greet()
        while True:
            self._onlooker.something_happened()
            self._screen.draw()
            self._collect()
            event = caller.loop.next()
            if isinstance(event, Key):
                way = self._press(event.name)
                caller.touched()
                if way is not None:
                    return way
            else:
                self._happened(event)
            self._refresh()

    def end(self) -> None:
        """Go from the table, and give the screen back to the scrolling text."""
        caller = self._caller
        caller.loop.passes = caller.loop.reads_line = caller.loop.takes_enter = lambda: False
        caller.loop.alarms.cancel(SECOND)
        caller.seated = False
        caller.slow.mode = "wait"
        caller.instance.own.count_waiting(0)
        self._onlooker.go()
        caller.calls.end()
        if caller.page is not None:
            caller.page.redraws = False
        self._screen.end()
        caller.slow.mode = "tell"

    def _refresh(self) -> None:
        """Take over the table's newest value, if it is new, and what on-lookers have said."""
        news = self._onlooker.follow()
        if news is None:
            return
        self._value, said = news
        self._screen.take(self._onlooker.commit, self._value)
        self._screen.overhear(said)
        self._finished = self._value.number if self._value.game is None else self._collected

    def _collect(self) -> None:
        """Collect garbage once after each game, as those do who play (`session.table.play`)."""
        if self._finished != self._collected and self._screen.is_drawn:
            self._collected = self._finished
            gc.collect()
            return_free_pages()

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> Way | None:
        """Pass a key to the screen and do what it asks for; return how the caller goes, None: they stay."""
        if key == REDRAW:
            self._screen.show_again()
            return None
        self._caller.idle_notice = ""
        self._caller.calls.answered()
        if self._screen.append(key):
            return None
        if self._screen.takes_commands:
            if key.upper() == SIT:
                return self._way_in()
            if key in {SPEAK, ASIDE}:
                self._open_chat(key)
                return None
        match self._screen.press(key):
            case Leave():
                return Way.OUT
            case Say(text):
                return self._say(text)
            case _:  # a move or a start: nothing of it is offered here
                if key == ESCAPE:
                    self._screen.notice("")
                return None

    def _way_in(self) -> Way | None:
        """Return the way to a seat, if one is free or a house player makes room."""
        if can_sit(self._value):
            return Way.IN
        words = self._caller.words
        self._screen.notice(words("The table is full; there are only {n} seats.", n=len(self._value.seats)))
        return None

    def _open_chat(self, key: str) -> None:
        """Open the chat line, and show who will read it."""
        words, is_open = self._caller.words, self._value.open_gallery
        self._aside = key == ASIDE or not is_open
        self._screen.press(SPEAK)
        apart, together = words("Only those who watch read this."), words("Everybody at the table reads this.")
        self._screen.notice(apart if self._aside else together)

    def _say(self, text: str) -> Way | None:
        words = self._caller.words
        self._screen.notice("")
        match asked(text, all_languages()):
            case TellSeal():
                self._screen.tell_seal()
            case ChooseOption(""):
                self._screen.tell_options()
            case ShowLines(lines):
                self._screen.change_to(lines=lines)
            case ShowAs(charset):
                self._screen.show_as(charset)
            case JoinTable(""):
                return self._way_in()
            case Summoning(None):
                return self._follow_summons()
            case None if refusal := self._caller.bulletin.may_not_write(words):
                self._screen.notice(refusal)
            case None:
                self._try(lambda: self._send(text))
            case _:
                self._screen.notice(words("You look on: here there are {commands}.", commands=told(words, "gallery")))
        return None

    def _follow_summons(self) -> Way | None:
        """Leave for the table that the caller was invited to, if there is one."""
        others, words = self._caller.others, self._caller.words
        others.goes_over = others.standing(time.monotonic()) is not None
        if others.goes_over:
            return Way.OUT
        self._screen.notice(words("Nobody has invited you within the last two minutes."))
        return None

    def _send(self, text: str) -> None:
        """Send a line to the table, or to those who look on; raise what `Gallery` raises."""
        send = self._gallery.murmur if self._aside else self._gallery.speak
        send(self._caller.user.name, text)

    def _try(self, ask: Callable[[], None]) -> None:
        """Ask the table for something; a refusal is shown in the command area and changes nothing."""
        try:
            ask()
        except IllegalMove as refusal:
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            self._screen.refuse(refusal)
        except (LockTimeout, StoreError) as error:
            log.error("table %d: %s", self._onlooker.table.number + 1, error)
            self._screen.notice(self._caller.words(trouble(error)))

    # --- what happens -------------------------------------------------------------------------------------------------

    def _happened(self, event: Event) -> None:
        caller = self._caller
        if isinstance(event, Resized):
            self._screen.invalidate()
        for command in caller.background(event):
            if command.kind == Kind.XMESSAGE:
                self._outside.count_messages()
            elif command.kind == Kind.PURGE:
                caller.maintain(lambda: caller.instance.maintain_table(self._onlooker.table.number))
            elif command.kind == Kind.SYSOP:
                self._outside.show_news(lambda actions: None)
            self._screen.hear(command)
        if caller.idle_notice:
            self._screen.notice(caller.idle_notice)
            caller.idle_notice = ""

    def _passes(self) -> bool:
        """Deal with a tick at which nothing has happened since the screen was drawn; return whether it was one."""
        is_quiet = self._screen.is_drawn and self._onlooker.is_unchanged()
        return is_quiet and self._screen.pass_tick(time.monotonic())


def can_sit(value: AnyTable) -> bool:
    """Return whether somebody who looks on may try to sit down: a seat is free, or a house player makes room."""
    return None in value.seats or make_room(value) is not None


def _own_keys(value: AnyTable) -> str:
    """Return the keys of an on-looker that mean something now (`table_ui.onlookers.keys`)."""
    return (SIT if can_sit(value) else "") + (ASIDE if value.open_gallery else "")
