"""A caller at a table: the path of a key into a move, and of a signal into a new screen.

Owns the time a caller spends seated: what a key does to the table, what an event means there, and how the stay ends.
The seat itself is `yawc_poker.session.table.seated_player`'s. What the caller sees, and when it is drawn, is
`yawc_poker.session.table.screen`'s. The rules and the transaction are elsewhere; no game is known here.
"""

import gc
import logging
import time
from collections.abc import Callable, Sequence
from typing import assert_never

from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.catalogues import all_languages
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import Level
from yawc_poker.engine.kept import wanted
from yawc_poker.engine.opening import is_frozen
from yawc_poker.engine.sealing import seal
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.events import AlarmDue, Event, Key, Resized
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.page.protocol import NextGame
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.calls import TableCalls, company
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.caller.from_outside import FromOutside
from yawc_poker.session.caller.summons import meet, summoned
from yawc_poker.session.loop.loop import TICK
from yawc_poker.session.table.absence import CallersAbsence
from yawc_poker.session.table.ahead import play_ahead
from yawc_poker.session.table.house_host import HouseHost
from yawc_poker.session.table.screen import SECOND, TableScreen
from yawc_poker.session.table.seated_player import PATIENCE, SeatedPlayer
from yawc_poker.session.table.sitting import sit_down, trouble
from yawc_poker.session.warmup.heap import return_free_pages
from yawc_poker.table_ui.commands import (
    Added,
    ChooseOption,
    Commit,
    GiveWord,
    JoinTable,
    LetSpeak,
    Reveal,
    ShowAs,
    ShowLines,
    StartGame,
    Summoning,
    TellSeal,
    Unknown,
    WatchTable,
    asked,
    no_command,
)
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.intents import Invite, Leave, MakeMove, Say, SendAway, Start
from yawc_poker.table_ui.scene import is_coarse
from yawc_poker.table_ui.speech import term_lines
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import REDRAW

log = logging.getLogger(__name__)


def play_at(
    caller: Caller,
    table: GameTable,
    game: AnyDefinition,
    house: Level | None = None,
    *,
    returns: bool = False,
) -> None:
    """Sit down, asking for a `house` player's company; or in the held seat, if the caller `returns`. Stand up again."""
    table.word.has_device = caller.page is not None
    player = SeatedPlayer(table, caller.instance.notifier, caller.loop.alarms, caller.config.engine.tick_seconds)
    value = sit_down(caller, player, game.face, returns=returns)
    if value is None:
        return
    stay = _Stay(caller, player, game, value)
    left = False
    try:
        with stay.absence.outlived():
            left = stay.run(house, returns=returns)
    finally:
        stay.end(removed=not left)
    if not left:
        caller.console.say(caller.words("You were removed from the table."), Style.YELLOW)


class _Stay:
    """One stay at the table."""

    def __init__(
        self,
        caller: Caller,
        player: SeatedPlayer,
        game: AnyDefinition,
        value: AnyTable,
    ) -> None:
        """`value` is the table's when the caller sat down."""
        self._caller = caller
        self._player = player
        self._table = player.table
        self._choices = game.choices
        self._title = game.titles.game
        self.absence = CallersAbsence(caller, player)
        self._house = HouseHost(caller.instance, player.table, has_program=game.player is not None)
        keys = self._house.keys if self._house.offers else None
        self._screen = TableScreen(caller, game, player.table.rules.options, value, keys, player.table.gallery())
        self._calls = TableCalls(caller.calls, has_page=caller.page is not None)
        self._outside = FromOutside(caller, self._screen, self._calls)
        self._finished = self._collected = value.number
        self._begins = False
        """The caller has begun a game that is not dealt yet."""
        """The last game that is over, and the last one after which garbage was collected."""

    def run(self, house: Level | None, *, returns: bool = False) -> bool:
        """Play, with `house` players at once; return whether the caller left of their own accord, not taken away."""
        caller, player = self._caller, self._player
        caller.seated = True
        caller.slow.mode = "refuse"
        player.show_place()
        if caller.page is not None:
            caller.page.redraws = True
            caller.page.call(f"{caller.words(self._title)} - {caller.user.name} - {caller.config.bbs.name}")
        caller.loop.passes = self._passes
        caller.loop.reads_line, caller.loop.takes_enter = self._screen.reads_line, self._screen.reads_number
        caller.display.forget()
        self._refresh(force=True, at_keys=True)
        self._screen.greet()
        if returns:
            self._outside.count_messages()
        if house is not None:
            self._try(lambda: self._house.company(house))
        elif told := meet(caller, self._table):
            self._screen.notice(told)
        while player.seat is not None:
            player.something_happened()
            self._screen.draw()
            self._collect()
            event = caller.loop.next()
            self.absence.follow_page()
            self._take_from_device()
            if isinstance(event, Key):
                self.absence.pressed()
                leaves = self._press(event.name)
                caller.touched()
                if leaves:
                    return True
            else:
                self._happened(event)
            self._refresh(at_keys=isinstance(event, Key))
        return False

    def end(self, *, removed: bool) -> None:
        """Stand up, and give the screen back to the scrolling text; `removed`: not by the caller's own `X`.

        The others are told which it was (spec/poker.md 9.2): a line that broke, a second login, a kick are removals.
        """
        caller = self._caller
        caller.loop.passes = caller.loop.reads_line = caller.loop.takes_enter = lambda: False
        caller.loop.alarms.cancel(SECOND)
        caller.seated = False
        caller.slow.mode = "wait"
        caller.instance.own.count_waiting(0)
        self.absence.stand_up(removed=removed)
        caller.stand_at(PlaceKind.PROMPT)
        caller.calls.end()
        caller.others.tell_who_waits(self._table.number, time.monotonic())
        self._screen.end()
        caller.slow.mode = "tell"

    # --- the table's value --------------------------------------------------------------------------------------------

    def _refresh(self, *, force: bool = False, at_keys: bool = False) -> None:
        """Take over the table's newest value, if it is new; `at_keys`: after a key of the caller's."""
        value = self._player.follow(force=force)
        if value is not None and self._house.may_start(value, self._player.seat):
            self._try(self._table.start)
            value = self._player.follow(force=True)
        if value is None:
            return
        if self._caller.page is not None:
            self._caller.page.ask(next_game_of(value, self._player.seat))
        self._house.waits = bool(wanted(value))
        self._house.remind()
        self._finished = value.number if value.game is None else self._collected
        seen = self._screen.take(self._player.commit, value)
        began, self._begins = self._begins, value.opening is not None and value.opening.master == self._player.seat
        self.absence.take(value)
        if seen is not None:
            # While the own clock goes in coarse steps, the ticks fall on them, so a step needs no alarm of its own.
            through = seen.deadline if is_coarse(seen) else None
            self._player.set_deadline(seen.deadline, ticks_through=through)
            again = play_ahead(self._caller, self._screen, self._table, value)
            if again is None:
                is_known = at_keys or began  # whoever has begun a game waits for it
                self._calls.look(seen.turn, company(value, seen.seat), self._caller.words, at_keys=is_known)
            else:
                self._refresh(force=again, at_keys=at_keys)

    def _take_from_device(self) -> None:
        """Commit to a text that the caller's page has drawn, or reveal it; one that is late is refused in silence."""
        digest, text = ("", "") if self._caller.page is None else self._caller.page.answered()
        try:
            if digest:
                self._table.commit(digest, told=False)
            if text:
                self._table.reveal(text)
        except (IllegalMove, LockTimeout, StoreError) as error:
            log.info("table %d: the page of %r is late: %s", self._table.number + 1, self._caller.user.name, error)

    def _collect(self) -> None:
        """Collect garbage once after each game, when its end has been drawn.

        A full collection also empties Python's free lists: else the values of each game would lie elsewhere in the
        heap, and the session would touch more and more pages. So pages without values go back to the system, too.
        """
        if self._finished != self._collected and self._screen.is_drawn:
            self._collected = self._finished
            gc.collect()
            return_free_pages()

    # --- what happens -------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> bool:
        """Pass a key to the screen and do what it asks for; return whether the caller leaves the table."""
        if key == REDRAW:
            self._screen.show_again()
            return False
        self._caller.idle_notice = ""
        if self._screen.append(key):
            return False
        match self._screen.press(key):
            case Leave():
                return True
            case Start(options=options):
                self._try(lambda: self._table.start(options))
            case MakeMove(move=move):
                self._try(lambda: self._table.play(move))
            case Say(text=text):
                self._say(text)
                return self._caller.others.goes_over
            case Invite() | SendAway() as wish:
                self._try(lambda: self._ask_house(wish))
            case None:
                pass
        return False

    def _say(self, text: str) -> None:
        words, wanted = self._caller.words, asked(text, all_languages())
        if wanted is not None:
            self._screen.forget_refusal()
        match wanted:
            case TellSeal():
                self._screen.tell_seal()
            case StartGame():
                self._try(self._table.start)
            case ChooseOption(""):
                self._screen.tell_options()
            case ChooseOption(option):
                self._try(lambda: self._choose(option))
            case Invite() | SendAway() as wish if self._house.offers:
                self._try(lambda: self._ask_house(wish))
            case Invite() | SendAway():
                self._screen.notice(no_command(text.split()[0], words, house=False))
            case Summoning(name):
                self._screen.notice(summoned(self._caller, name, self._table))
            case LetSpeak(on):
                self._try(lambda: self._table.gallery().let_speak(on=on))
            case JoinTable() | WatchTable():
                self._screen.notice(words("You sit at this table already."))
            case ShowLines(lines):
                self._screen.change_to(lines=lines)
            case ShowAs(charset):
                self._screen.show_as(charset)
            case Added(do):
                do(self._screen, words)
            case Unknown(command):
                for line in term_lines([no_command(command, words, house=self._house.offers)]):
                    self._screen.announce(line, Style.YELLOW)
            case GiveWord() | Commit() | Reveal() | None if refusal := self._caller.bulletin.may_not_write(words):
                self._screen.notice(refusal)
            case GiveWord(word):
                self._try(lambda: self._table.give_word(word))
            case Commit(digest):
                self._try(lambda: self._table.commit(digest, told=True))
            case Reveal(revealed):
                self._try(lambda: self._table.reveal(revealed))
            case None:
                self._try(lambda: self._table.say(text))
            case _ as never:
                assert_never(never)

    def _ask_house(self, wish: Invite | SendAway) -> None:
        """Ask house players to join or to go, and tell the caller if none of them is free."""
        if isinstance(wish, SendAway):
            self._house.send_away(everyone=wish.everyone)
            self._screen.notice(self._house.leaving(self._caller.words))
        else:
            busy = self._house.busy(self._caller.words)
            self._house.invite(wish.level)
            self._screen.notice(busy)

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
            self._screen.notice(self._caller.words(trouble(error)))

    def _happened(self, event: Event) -> None:
        if isinstance(event, AlarmDue) and event.name in PATIENCE:
            self._player.maintain(PATIENCE[event.name])
            self._house.remind()
        elif isinstance(event, Resized):
            self._screen.invalidate()
        for command in self._caller.background(event):
            if command.kind == Kind.XMESSAGE:
                self._outside.count_messages()
            elif command.kind == Kind.PURGE:
                self._player.maintain(PATIENCE[TICK])
            elif command.kind == Kind.SYSOP:
                self._outside.show_news(self._follow)
            self._screen.hear(command)
        if self._caller.idle_notice:
            self._screen.notice(self._caller.idle_notice)
            self._caller.idle_notice = ""

    def _passes(self) -> bool:
        """Deal with a tick at which at most a clock has moved since the screen was drawn; return whether it was one.

        With hundreds at the tables, who mostly think, this is what a BBS does most often (`casino.tables.unchanged`).
        """
        self._player.check_locks()
        now = time.monotonic()
        is_quiet = self._screen.is_drawn and not self._house.waits and self.absence.is_unchanged(now)
        return is_quiet and self._screen.pass_tick(now)

    def _follow(self, actions: Sequence[SysopAction]) -> None:
        """Take over CUBES that came or went by sysops' actions."""
        if any(action.kind in {"grant", "take"} for action in actions):
            self._try(self._table.fund)
        self._refresh()


def next_game_of(value: AnyTable, seat: int | None) -> NextGame:
    """Return what a page needs to know of the next game of the caller in a seat."""
    if seat is None or value.next_deck is None:
        return NextGame("", "", frozen=False)
    mine = next((one.hash for one in value.next_deck.commitments if one.seat == seat), "")
    return NextGame(seal(value.next_deck.deck), mine, frozen=is_frozen(value, seat))
