"""A caller who plays a deal of the day: keys become moves, which are kept before they are shown.

Owns that stay, from the first look at the cards to the end of the time. Whoever leaves, or is cut off, finds the deal
as it was, as long as the time runs: it never stands still. Killed at any moment, nothing is lost but a move that was
not kept yet, and nothing can be played twice.
"""

import logging
import math
import time
from functools import partial
from typing import Final

from msgspec.structs import replace

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.transcript import detail
from yawc_poker.extras.daily.course import OWN, SECONDS, Course, Deal, again, answered, begun, given_up, is_over, moved
from yawc_poker.extras.daily.course import result as result_of
from yawc_poker.extras.daily.rows import Play, close, keep_move
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.events import AlarmDue, Event, Key, Resized
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.screen import SECOND, TableScreen
from yawc_poker.session.table.sitting import trouble
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.intents import Leave, MakeMove
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import REDRAW

log = logging.getLogger(__name__)

END: Final = "daily"
"""The alarm at the end of the time."""


LEAVE: Final = "X"
HINT: Final = "!"
"""The key by which other tables give hints."""


class Alone:
    """Nobody looks on."""

    state = 0

    def names(self) -> tuple[str, ...]:
        """Return nobody's name."""
        return ()


class Sitting:
    """One stay. What is only true of a deal that counts stands in `_keep` and `_close`."""

    _ends_at_unused = False
    """Any key that the table has no use for ends the stay."""

    def __init__(self, caller: Caller, game: AnyDefinition, deal: Deal, play: Play) -> None:
        """Play on where the moves of `play` have led. Raise `OtherProgram`."""
        self._caller, self._game, self._deal = caller, game, deal
        self._kept = len(play.moves)
        self._began = play.began
        self._until = self._ends(play)
        self._start = begun(game, deal, caller.instance.notifier.token, caller.user.id, caller.user.name)
        self._moves = play.moves
        self._course = self._start
        self._commit = 0
        options = game.rules.read_options("{}")
        self._screen = TableScreen(caller, game, options, Alone(), self._start.table)

    def _ends(self, play: Play) -> float:
        """Return when the time is over, in monotonic seconds."""
        left = play.began + SECONDS - time.time()
        return time.monotonic() + max(min(left, SECONDS), 0.0)

    def _keep(self, move: str) -> bool:
        """Keep a move; return False if the deal was played on elsewhere. Raise `StoreError`."""
        return keep_move(self._caller.instance.bank.store, self._deal, self._caller.user.id, self._kept, move)

    def _close(self, found: int) -> None:
        """Keep the result. Raise `StoreError`."""
        seconds = max(min(round(time.time() - self._began), SECONDS), 0)
        close(self._caller.instance.bank.store, self._deal, self._caller.user.id, found, seconds)

    def _comes_to_turn(self) -> None:
        """Do what is to be done before each wait for a key."""

    def run(self) -> int | None:
        """Play until the end, or until the caller leaves; return the result, or None if there is none yet."""
        caller = self._caller
        caller.place = "table"
        self._enter()
        try:
            self._show(self._start)
            self._show(again(self._game, self._start, self._moves))
            while not is_over(self._game, self._course):
                self._comes_to_turn()
                self._screen.draw()
                event = caller.loop.next()
                if isinstance(event, Key) and not self._press(event.name):
                    return None
                self._happened(event)
            return self._ended()
        finally:
            self._leave()

    # --- coming and going ---------------------------------------------------------------------------------------------

    def _enter(self) -> None:
        caller, screen = self._caller, self._screen
        if caller.page is not None:
            caller.page.redraws = True
        caller.loop.reads_line, caller.loop.takes_enter = screen.reads_line, screen.reads_number
        if self._until != math.inf:
            caller.loop.alarms.set(END, self._until)
        caller.display.forget()

    def _leave(self) -> None:
        caller = self._caller
        caller.loop.reads_line = caller.loop.takes_enter = lambda: False
        for name in (END, SECOND):
            caller.loop.alarms.cancel(name)
        caller.attention.end()
        if caller.page is not None:
            caller.page.redraws = False
        self._screen.end()
        caller.place = "prompt"

    def _ended(self) -> int:
        """Keep the result, and show the end until a key is pressed. Raise `StoreError`."""
        caller, found = self._caller, result_of(self._game, self._course)
        self._close(found)
        self._screen.announce(caller.words("The deal is over. Any key leads back."), Style.GREEN)
        while True:
            self._screen.draw()
            event = caller.loop.next()
            if isinstance(event, Key):
                caller.touched()
                return found
            self._happened(event)

    # --- what happens -------------------------------------------------------------------------------------------------

    def _show(self, course: Course) -> None:
        """Take over a value of the table; its clock is that of the whole deal."""
        self._course = course
        self._commit += 1
        is_mine = course.table.game is not None and self._game.rules.to_move(course.table.game) == OWN
        table = replace(course.table, deadline=self._until if is_mine else None)
        self._screen.take(self._commit, table)

    def _press(self, key: str) -> bool:
        """Deal with a key; return False if the caller leaves."""
        caller, screen = self._caller, self._screen
        caller.touched()
        if key == REDRAW:
            screen.show_again()
            return True
        caller.idle_notice = ""
        if screen.append(key):
            return True
        if screen.takes_commands and key.upper() == LEAVE:  # who comes back in time has lost nothing
            return False
        if screen.takes_commands and key == HINT:
            self._hint()
            return True
        intent, is_used = screen.press_if_used(key)
        match intent:
            case MakeMove(move):
                self._move(move)
            case Leave():
                return False
            case None:
                return is_used or not self._ends_at_unused
            case _:
                screen.notice(caller.words("Here you play alone: nobody hears that."))
        return True

    def _hint(self) -> None:
        """Tell that there are no hints."""
        self._screen.notice(self._caller.words("There are no hints in the deal of the day."))

    def _move(self, move: object) -> None:
        """Make a move, keep it, show it, and what the others answer."""
        caller, screen = self._caller, self._screen
        try:
            course = moved(self._game, self._course, move)
            if not self._keep(detail(move)):
                screen.notice(caller.words("This deal was played on elsewhere; leave it, and come back."))
                return
        except IllegalMove as refusal:
            screen.refuse(refusal)
            return
        except StoreError as error:
            log.error("a move of %r in the deal of the day: %s", caller.user.name, error)
            screen.notice(caller.words(trouble(error)))
            return
        self._kept += 1
        self._show(course)
        for one in answered(self._game, course):
            self._show(one)

    def _happened(self, event: Event) -> None:
        caller, screen = self._caller, self._screen
        if isinstance(event, AlarmDue) and event.name == END:
            self._show(given_up(self._game, self._course))
        elif isinstance(event, Resized):
            screen.invalidate()
        for command in caller.background(event):
            if command.kind == Kind.PURGE:
                caller.maintain(partial(caller.instance.maintain_table, command.table or 0))
            screen.hear(command)
        if caller.idle_notice:
            screen.notice(caller.idle_notice)
            caller.idle_notice = ""
