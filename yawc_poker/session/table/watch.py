"""A caller who looks on: keys, commits, chat, until they leave, sit down or are taken away.

Owns the time that a caller spends beside a table. What they see is the game's own screen, made from a scene without a
seat (`table_ui.scene.ONLOOKER`): it comes from what the rules show to anybody, so no hidden card is ever in it. What
is said there is the table's (`casino.tables.gallery`).
"""

import logging
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.catalogues import all_languages
from yawc_poker.engine.company import make_room
from yawc_poker.engine.values import AnyTable
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.attendance import Onlooker
from yawc_poker.session.table.play import play_at
from yawc_poker.session.table.screen import TableScreen
from yawc_poker.session.table.table_session import CallersSession, Way
from yawc_poker.table_ui import commands
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.intents import Invite, Leave, Say, SendAway
from yawc_poker.table_ui.onlookers import ASIDE, SIT, called
from yawc_poker.terminal.keys import ESCAPE

log = logging.getLogger(__name__)

SPEAK: Final = "."


class Watching(NamedTuple):
    """What an extra does when somebody begins to look on at a game (place `watching`)."""

    begins: Callable[[Instance, int, int], None]
    """Told the user and the game by their numbers. May raise `StoreError`."""


def look_on(caller: Caller, table: GameTable, game: AnyDefinition) -> None:
    """Watch a table until the caller leaves or is taken away; sit down there, if that is how they leave."""
    watch = Watch(caller, table, game)
    way = None
    try:
        way = watch.run()
    finally:
        watch.end()
    if way is Way.IN:
        play_at(caller, table, game)


class Watch(CallersSession):
    """One stay beside a table."""

    place: Onlooker

    def __init__(self, caller: Caller, table: GameTable, game: AnyDefinition) -> None:
        name = called(caller.user.name, caller.words)
        place = Onlooker(table, caller.loop.alarms, caller.config.engine.tick_seconds)
        screen = TableScreen(caller, game, table.rules.options, table.gallery(), table.look(), _own_keys, name)
        super().__init__(caller, place, game, screen)
        self._aside = False
        """The line that is typed is for those who look on, though the master lets them speak to the table."""
        self._watched = 0
        """The newest game that was looked on at."""

    def _come(self) -> None:
        self.place.come()

    def _go(self) -> None:
        self.place.go()

    def take(self, value: AnyTable) -> None:
        """Take over a value of the table, and what on-lookers have said."""
        self._show(value)
        self._screen.overhear(self.place.said)
        if value.game is not None and value.number != self._watched:
            self._watched = value.number
            self._begins(value.number)

    def _begins(self, game: int) -> None:
        """Let extras know that the caller looks on at a game."""
        caller = self._caller
        for one in announced("watching", Watching):
            try:
                one.begins(caller.instance, caller.user.id, game)
            except StoreError as error:
                log.warning("that %r watches game %d is not noted: %s", caller.user.name, game, error)

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _key(self, key: str) -> Way | None:
        self._caller.attention.answered()
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
        if can_sit(self._screen.value):
            return Way.IN
        words = self._caller.words
        self._screen.notice(words("The table is full; there are only {n} seats.", n=len(self._screen.value.seats)))
        return None

    def _open_chat(self, key: str) -> None:
        """Open the chat line, and show who will read it."""
        words, is_open = self._caller.words, self._screen.value.open_gallery
        self._aside = key == ASIDE or not is_open
        self._screen.press(SPEAK)
        apart, together = words("Only those who watch read this."), words("Everybody at the table reads this.")
        self._screen.notice(apart if self._aside else together)

    def _say(self, text: str) -> Way | None:
        words, wanted = self._caller.words, commands.asked(text, all_languages())
        self._screen.notice("")
        if isinstance(wanted, commands.AtAnyTable):
            self._carry_out(wanted)
            return None
        match wanted:
            case commands.ChooseOption(""):
                self._screen.tell_options()
            case commands.JoinTable(""):
                return self._way_in()
            case commands.Summoning(None):
                return self._follow_summons()
            case None if refusal := self._caller.bulletin.may_not_write(words):
                self._screen.notice(refusal)
            case None:
                self._try(lambda: self._send(text))
            case (
                commands.GiveWord()
                | commands.Commit()
                | commands.Reveal()
                | commands.StartGame()
                | commands.ChooseOption()
                | commands.JoinTable()
                | commands.WatchTable()
                | commands.LetSpeak()
                | commands.Summoning()
                | Invite()
                | SendAway()
                | commands.Unknown()
            ):
                there = commands.commands_at(words, "gallery")
                self._screen.notice(words("You are watching: here there are {commands}.", commands=there))
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
        send = self.place.gallery.murmur if self._aside else self.place.gallery.speak
        send(self._caller.user.name, text)

    def _maintain(self, patience: float) -> None:
        self._caller.maintain(lambda: self._caller.instance.maintain_table(self._table.number))


def can_sit(value: AnyTable) -> bool:
    """Return whether somebody who looks on may try to sit down: a seat is free, or a house player makes room."""
    return None in value.seats or make_room(value) is not None


def _own_keys(value: AnyTable) -> str:
    """Return the keys of an on-looker that mean something now (`table_ui.beside.lines.keys`)."""
    return (SIT if can_sit(value) else "") + (ASIDE if value.open_gallery else "")
