"""A caller in a seat: the path of a key into a move, and of a signal into a new screen.

Owns what a key does to the table, what an event means there, and how the stay ends; what is the same for a caller who
looks on is `session.table.table_session`'s. The seat itself is `session.table.attendance`'s. What the caller sees, and
when it is drawn, is `session.table.screen`'s. The rules and the transaction are elsewhere; no game is known here.
"""

import logging
import time
from collections.abc import Sequence
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
from yawc_poker.engine.reserving import begins
from yawc_poker.engine.sealing import seal
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.events import Event, Key, Ready
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.page.protocol import NextGame
from yawc_poker.session.caller.attention import company
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.caller.summons import meet, summoned
from yawc_poker.session.table.absence import CallersAbsence
from yawc_poker.session.table.attendance import PATIENCE, SeatedPlayer
from yawc_poker.session.table.errand import Errands, cannot, errand_of, offered_keys
from yawc_poker.session.table.house_host import HouseHost
from yawc_poker.session.table.screen import TableScreen
from yawc_poker.session.table.sitting import may_sit, sit_down, trouble, wait_for_key
from yawc_poker.session.table.table_session import CallersSession, Way
from yawc_poker.table_ui import commands
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.intents import AskExtra, Invite, Leave, MakeMove, Say, SendAway, Start
from yawc_poker.table_ui.scene import is_coarse
from yawc_poker.table_ui.speech import term_lines
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def play_at(
    caller: Caller, table: GameTable, game: AnyDefinition, house: Level | None = None, *, returns: bool = False
) -> None:
    """Sit down, asking for a `house` player's company; or in the held seat, if the caller `returns`. Stand up again.

    A caller who is away while a house player stands in for them gets the seat back by any key.
    """
    if not returns and not may_sit(caller, table):
        return
    table.word.has_device = caller.page is not None
    while True:
        player = SeatedPlayer(table, caller.loop.alarms, caller.config.engine.tick_seconds)
        value = sit_down(caller, player, game.face, returns=returns)
        if value is None:
            return
        stay = Stay(caller, player, game, value, house, returns=returns)
        try:
            with stay.absence.outlived():
                stay.left = stay.run() is not None
        finally:
            stay.end()
        if stay.left:
            return
        if not wait_for_key(caller, table):
            caller.console.say(caller.words("You were removed from the table."), Style.YELLOW)
            return
        house, returns = None, False


class Stay(CallersSession):
    """One stay in a seat."""

    place: SeatedPlayer

    def __init__(
        self,
        caller: Caller,
        player: SeatedPlayer,
        game: AnyDefinition,
        value: AnyTable,
        house: Level | None = None,
        *,
        returns: bool = False,
    ) -> None:
        """`value` is the table's when the caller sat down; `house` players of this level are asked to join at once."""
        self._house = HouseHost(caller.instance, player.table, has_program=game.player is not None)
        keys = self._house.keys if self._house.offers else None
        table = player.table
        self._errands = Errands(caller, table)
        screen = TableScreen(
            caller, game, table.rules.options, table.gallery(), value, keys, extras_keys=self._extras_keys
        )
        super().__init__(caller, player, game, screen)
        self._game = game
        self.absence = CallersAbsence(caller, player)
        self.left = False
        """The caller has left of their own accord, by their own `X`.

        The others are told which it was (spec/poker.md 9.2): a line that broke, a second login, a kick are removals.
        """
        self._choices = game.choices
        self._company = house
        self._returns = returns
        self._begins = False
        """The caller has begun a game that is not dealt yet."""

    def run(self) -> Way | None:
        """Stay, as any session; no work apart outlives it."""
        try:
            return super().run()
        finally:
            self._errands.drop()

    def _come(self) -> None:
        self.place.show_place()

    def _begin(self) -> None:
        if self._returns:
            self._count_messages()
        if self._company is not None:
            level = self._company
            self._try(lambda: self._house.company(level))
        elif told := meet(self._caller, self._table):
            self._screen.notice(told)

    def _go(self) -> None:
        self.absence.stand_up(removed=not self.left)
        self._caller.stand_at(PlaceKind.PROMPT)
        self._caller.others.tell_who_waits(self._table.number, time.monotonic())

    @property
    def _has_place(self) -> bool:
        return self.place.seat is not None

    # --- the table's value --------------------------------------------------------------------------------------------

    def take(self, value: AnyTable) -> None:
        """Take over a value of the table, and play what was decided ahead, if its turn has come."""
        player = self.place
        if self._house.may_start(value, player.seat):
            self._try(self._table.start)
            value = player.follow(force=True) or value
        if self._caller.page is not None:
            self._caller.page.ask(next_game_of(value, player.seat))
        self._house.waits = bool(wanted(value))
        self._house.remind()
        seen = self._show(value)
        began, self._begins = self._begins, value.opening is not None and value.opening.master == player.seat
        self.absence.take(value)
        self._errands.follow(None if seen is None else seen.turn)
        if seen is None:
            return
        # While the own clock goes in coarse steps, the ticks fall on them, so a step needs no alarm of its own.
        player.set_deadline(seen.deadline, ticks_through=seen.deadline if is_coarse(seen) else None)
        again = self._play_ahead(value)
        if again is None:
            is_known = self._at_keys or began  # whoever has begun a game waits for it
            self._attention.look(seen.turn, company(value, seen.seat), self._caller.words, at_keys=is_known)
        else:
            self.refresh(force=again)

    def _take_from_device(self) -> None:
        """Commit to a text that the caller's page has drawn, or reveal it; one that is late is refused in silence."""
        digest, text = ("", "") if self._caller.page is None else self._caller.page.answered()
        try:
            if digest:
                self._table.commit(digest, told=False)
            if text:
                self._table.reveal(text)
        except (IllegalMove, LockTimeout, StoreError) as error:
            log.info("table %s: the page of %r is late: %s", self._table.name, self._caller.user.name, error)

    def _play_ahead(self, value: AnyTable) -> bool | None:
        """Make the move that was decided ahead, if its turn has come by this value; return None if there is none.

        It is made on the very value by which the decision was judged, in the transaction that a key would start. So a
        table that has moved on meanwhile refuses it, and it is judged again by the new value. Otherwise the table is
        to be looked at again, and the value returned is whether also if it has not changed since. A move that the rules
        or the bank refuse is forgotten: the caller decides, or the clock. Raise `ClosingDown`.
        """
        move, screen = self._screen.decided(), self._screen
        if move is None:
            return None
        try:
            self._table.play(move, value)
        except IllegalMove as refusal:
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            if refusal.reason == "changed":
                return False
            screen.undecided()
        except (LockTimeout, StoreError) as error:
            log.error("table %s: a move that was decided ahead: %s", self._table.name, error)
            screen.undecided()
            screen.notice(self._caller.words(trouble(error)))
        return True

    # --- what happens -------------------------------------------------------------------------------------------------

    def _before(self, event: Event) -> None:
        self.absence.follow_page()
        self._take_from_device()
        if isinstance(event, Key):
            self.absence.pressed()

    def _key(self, key: str) -> Way | None:
        if self._screen.append(key):
            return None
        match self._screen.press(key):
            case Leave():
                return Way.OUT
            case Start(options=options):
                self._try(lambda: self._table.start(options))
            case MakeMove(move=move):
                self._try(lambda: self._table.play(move))
            case Say(text=text):
                self._say(text)
                return Way.OUT if self._caller.others.goes_over else None
            case Invite() | SendAway() as wish:
                self._try(lambda: self._ask_house(wish))
            case AskExtra(key=asked):
                self._try(lambda: self._ask_extra(asked))
            case None:
                pass
        return None

    def _extras_keys(self, value: AnyTable) -> str:
        """Return the keys of extras that mean something at the table's value."""
        return offered_keys(self._game, value, self.place.seat)

    def _ask_extra(self, key: str) -> None:
        """Begin what a key of an extra is for, or tell again what came of it, or why there is none."""
        value, seat, errand = self._screen.value, self.place.seat, errand_of(key)
        if errand is None or seat is None:
            return
        words = self._caller.words
        turn = None if value.game is None else (value.number, value.game.turn)
        told = self._errands.told(turn, key, value.game)
        if told is not None:
            self._tell_extra(told)
            return
        work = errand.begin(self._caller, self._table, self._game, value, seat)
        if isinstance(work, str):
            self._screen.notice(work)
        elif turn is not None:
            is_begun = self._errands.begin(turn, key, value.game, work)
            self._screen.notice(words(errand.waits) if is_begun else cannot(words))

    def _tell_extra(self, told: Sequence[str]) -> None:
        """Tell what came of a piece of work."""
        if told:
            self._screen.notice("")
        for text in told:
            self._screen.announce(text, Style.GREEN)

    def _happened(self, event: Event) -> None:
        super()._happened(event)
        if isinstance(event, Ready):
            self._tell_extra(self._errands.take())

    def _say(self, text: str) -> None:
        words, wanted = self._caller.words, commands.asked(text, all_languages())
        if wanted is not None:
            self._screen.forget_refusal()
        if isinstance(wanted, commands.AtAnyTable):
            self._carry_out(wanted)
            return
        match wanted:
            case commands.StartGame():
                self._try(self._table.start)
            case commands.ChooseOption(""):
                self._screen.tell_options()
            case commands.ChooseOption(option):
                self._try(lambda: self._choose(option))
            case Invite() | SendAway() as wish if self._house.offers:
                self._try(lambda: self._ask_house(wish))
            case Invite() | SendAway():
                self._screen.notice(commands.no_command(text.split()[0], words, house=False))
            case commands.Summoning(name):
                self._screen.notice(summoned(self._caller, name, self._table))
            case commands.LetSpeak(on):
                self._try(lambda: self._table.gallery().let_speak(on=on))
            case commands.JoinTable() | commands.WatchTable():
                self._screen.notice(words("You sit at this table already."))
            case commands.Unknown(command):
                for line in term_lines([commands.no_command(command, words, house=self._house.offers)]):
                    self._screen.announce(line, Style.YELLOW)
            case commands.GiveWord() | commands.Commit() | commands.Reveal() | None if (
                refusal := self._caller.bulletin.may_not_write(words)
            ):
                self._screen.notice(refusal)
            case commands.GiveWord(word):
                self._try(lambda: self._table.give_word(word))
            case commands.Commit(digest):
                self._try(lambda: self._table.commit(digest, told=True))
            case commands.Reveal(revealed):
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

    def _maintain(self, patience: float) -> None:
        self.place.maintain(patience)

    def _on_alarm(self, name: str) -> None:
        self._maintain(PATIENCE[name])
        self._house.remind()
        if self._begins_by_itself(time.monotonic()):
            self._try(self._table.start)

    def _begins_by_itself(self, now: float) -> bool:
        """Return whether this session starts the next game of a reserved table now."""
        return begins(self._screen.value, self.place.seat, now)

    def _passes(self) -> bool:
        self.place.table.check_locks()
        value = self._screen.value
        if value.reserved is not None and value.game is None:  # who reserved it goes on, sooner than by a duty
            self._caller.maintain(self._caller.instance.do_added)
        return super()._passes()

    def _is_unchanged(self, now: float) -> bool:
        return not self._house.waits and self.absence.is_unchanged(now) and not self._begins_by_itself(now)

    def _follow(self, actions: Sequence[SysopAction]) -> None:
        """Take over CUBES that came or went by sysops' actions."""
        if any(action.kind in {"grant", "take"} for action in actions):
            self._try(self._table.fund)
        self.refresh()


def next_game_of(value: AnyTable, seat: int | None) -> NextGame:
    """Return what a page needs to know of the next game of the caller in a seat."""
    if seat is None or value.next_deck is None:
        return NextGame("", "", frozen=False)
    mine = next((one.hash for one in value.next_deck.commitments if one.seat == seat), "")
    return NextGame(seal(value.next_deck.deck), mine, frozen=is_frozen(value, seat))
