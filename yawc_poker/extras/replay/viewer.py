"""One caller's look at a finished game: keys, the pace, the screen or lines, a page around the terminal.

Owns the time that a caller spends with a film. Never touches a table: a finished game never changes.
"""

import time
from collections.abc import Sequence
from typing import Final

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.digits import decimal
from yawc_poker.extras.replay.film import Film
from yawc_poker.extras.replay.notation import written
from yawc_poker.extras.replay.picture import PACES, View, look_keys, picture, place, way_keys, whose
from yawc_poker.extras.replay.rows import has_opened, lay_open
from yawc_poker.ipc.events import AlarmDue, Key
from yawc_poker.page.links import page_address
from yawc_poker.page.offers import offered
from yawc_poker.page.protocol import Offers
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.table_ui import linear
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.screen import is_too_small
from yawc_poker.table_ui.telling import moment_of, row_lines, state_lines
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import BREAK, ESCAPE, REDRAW
from yawc_poker.words import Words

_MOVE: Final = "replay"
"""The alarm at which the next move comes."""
MOST_TOLD: Final = 12
"""Rows that are told at most where several moves are passed at once."""


class Viewer:
    """One look at one game."""

    def __init__(self, caller: Caller, film: Film, played: PastGame) -> None:
        self._caller = caller
        self._film = film
        self._played = played
        own = next((one.seat for one in played.game.players if one.user == caller.user.id), None)
        self._opens = own is not None and not has_opened(caller.instance.bank.store, caller.user.id, film.number)
        """The caller may lay the game open."""
        self._view = View(eyes=own if own in film.eyes and own is not None else film.eyes[0])
        self._notice = ""
        self._is_drawn = False
        """A picture stands on the caller's screen."""

    def run(self) -> None:
        """Show the game until the caller goes back."""
        caller = self._caller
        caller.place = "table"
        caller.display.forget()
        if caller.page is not None:
            caller.page.redraws = True
        try:
            self._tell(self._opening())
            while self._serve():
                pass
        finally:
            caller.loop.alarms.cancel(_MOVE)
            caller.place = "prompt"
            self._close()

    def _serve(self) -> bool:
        """Show what is new, and deal with what happens next; return whether the caller stays."""
        caller = self._caller
        self._show()
        event = caller.loop.next()
        if isinstance(event, Key):
            caller.touched()
            self._notice = caller.idle_notice = ""
            return self._press(event.name)
        if event == AlarmDue(_MOVE):
            self._go_on()
            return True
        for command in caller.background(event):
            heard = caller.others.hear_seated(command, time.monotonic(), caller.words)
            if heard is not None:
                self._notice = heard.text
                caller.attention.call(heard.text)
        self._notice = caller.idle_notice or self._notice
        return True

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> bool:
        """Do what a key means; return whether the caller stays."""
        view, film, caller = self._view, self._film, self._caller
        key = key.upper() if len(key) == 1 else key
        if key in {"Q", ESCAPE, BREAK}:
            return False
        if (at := film.moved(view.at, key)) is not None:
            self._move(at)
        elif key in {"+", "-"}:
            self._set_pace(view.pace + (1 if key == "+" else -1))
        elif key == "P":
            self._play(plays=not view.plays)
            self._tell([self._pace() if self._view.plays else self._words("Stopped.")])
        elif key == "A":
            self._view = view._replace(cards=not view.cards)
            self._tell([f"{name}: {cards}" for name, cards in film.hands(view.at, self._words)])
        elif (place := decimal(key)) is not None and place - 1 in film.eyes:
            self._view = view._replace(eyes=place - 1)
            self._tell([f"{whose(film, self._view.eyes, self._words)}."])
        elif key == "O" and self._opens:
            lay_open(caller.instance.bank.store, caller.user.id, film.number)
            self._opens = False
            self._say(caller.words("Everybody may look at this game now, with your cards."))
        elif key == "L":
            self._say(self._link())
        elif key == "X" and self._exports:
            self._write_out()
        elif key == "=":
            self._tell(self._state())
        elif key == "?":
            self._tell(self._keys())
        elif key == REDRAW:
            caller.display.forget()
        return True

    def _move(self, at: int) -> None:
        """Go to a move, and tell what was passed on the way there, or where one is now."""
        before, view = self._view.at, self._view
        self._view = view._replace(at=at, plays=view.plays and at < self._film.last)
        if not self._view.plays:
            self._caller.loop.alarms.cancel(_MOVE)
        passed = range(before + 1, at + 1)
        rows = [text for one in passed for text in self._rows(one)] if passed else list(self._rows(at))
        self._tell(rows[-MOST_TOLD:] or [place(self._film, self._view, self._words)])

    def _rows(self, at: int) -> Sequence[str]:
        """Return what the caller's eyes learned by a move, in words."""
        film, eyes = self._film, self._view.eyes
        table, session = film.moves[at].table, film.session(at, eyes)
        rows = film.rows(at, eyes)
        return [text for row in rows for text in row_lines(film.game, table, session, row, self._words)]

    def _set_pace(self, pace: int) -> None:
        self._view = self._view._replace(pace=min(max(pace, 0), len(PACES) - 1))
        self._tell([self._pace()])
        if self._view.plays:
            self._play(plays=True)

    def _pace(self) -> str:
        words = self._words
        return words("A move in {seconds:g} seconds.", seconds=PACES[self._view.pace])

    def _play(self, *, plays: bool) -> None:
        """Let the game go on by itself, or stop that."""
        self._view = self._view._replace(plays=plays and self._view.at < self._film.last)
        if self._view.plays:
            self._caller.loop.alarms.set(_MOVE, time.monotonic() + PACES[self._view.pace])
        else:
            self._caller.loop.alarms.cancel(_MOVE)

    def _go_on(self) -> None:
        self._move(min(self._view.at + 1, self._film.last))
        self._play(plays=self._view.plays)

    def _link(self) -> str:
        caller = self._caller
        address = page_address(caller.config) if caller.page is None else caller.page.address
        if not address:
            return caller.words("There is no link: this BBS has not been told where its page is.")
        return caller.words("To this game: {link}", link=f"{address}#game-{self._film.number}")

    @property
    def _exports(self) -> bool:
        """Whether the caller may write the game out, with all its cards: they must know them all."""
        return self._film.is_whole

    def _write_out(self) -> None:
        """Show the game as a text that can be copied from the window."""
        self._close()
        show_page(self._caller, Page("", written(self._played, self._film.game)))
        self._caller.display.forget()

    # --- what is shown ------------------------------------------------------------------------------------------------

    @property
    def _in_lines(self) -> bool:
        """Whether the game is told in lines: by the caller's choice, or because their window is too small."""
        line = self._caller.line
        return not self._caller.display.can_draw or is_too_small(line.columns, line.rows)

    @property
    def _words(self) -> Words:
        """The texts in which the game is told."""
        appearance = self._caller.appearance
        return appearance.words if self._in_lines or self._caller.page is None else appearance.spoken

    def _show(self) -> None:
        """Bring screen and page up to date."""
        caller = self._caller
        others = look_keys(self._film, caller.words, opens=self._opens, exports=self._exports)
        if caller.page is not None:
            caller.page.offer(Offers("menu", offered([*way_keys(caller.words), *others]), turn=False))
        if self._in_lines:
            if self._is_drawn:  # the window has become too small for a table
                self._is_drawn = False
                caller.display.leave_screen()
                self._tell(self._state())
            if self._notice:
                caller.console.interrupt(self._notice, Style.YELLOW)
                self._notice = ""
            if not caller.console.is_open:
                caller.console.prompt(caller.words("Replay ([?]: keys)> "))
        elif not caller.loop.busy:
            self._is_drawn, line = True, caller.line
            caller.display.draw(
                picture(self._film, self._view, caller.words, line.columns, line.rows, others, self._notice)
            )

    def _say(self, text: str) -> None:
        """Tell something that is no part of the game."""
        self._notice = text
        if self._caller.page is not None and not self._in_lines:
            self._caller.page.tell(text, Style.YELLOW.name.lower())

    def _tell(self, lines: Sequence[str]) -> None:
        """Tell lines to who reads them: on the terminal, or among a page's messages."""
        caller = self._caller
        if self._in_lines:
            caller.console.interrupt("\n".join(lines))
        elif caller.page is not None:
            for line in lines:
                caller.page.tell(line, Style.PLAIN.name.lower())

    def _opening(self) -> list[str]:
        return [place(self._film, self._view, self._words), *self._rows(0)]

    def _state(self) -> Sequence[str]:
        film, view, words = self._film, self._view, self._words
        scene, local = film.scene(view.at, view.eyes), film.local(view.at, view.eyes, words)
        moment = moment_of(film.game, film.moves[view.at].table, scene, local, words)
        return [place(film, view, words), *state_lines(film.game, scene, local, words, moment)]

    def _keys(self) -> Sequence[str]:
        words = self._words
        lines = *way_keys(words), *look_keys(self._film, words, opens=self._opens, exports=self._exports)
        return [linear.spoken_keys(", ".join(linear.commands(Small([line]))), words) for line in lines]

    def _close(self) -> None:
        """Go back to scrolling text."""
        caller = self._caller
        if caller.console.is_open:
            caller.console.finish()
        if caller.page is not None:
            caller.page.redraws = False
        if self._is_drawn:
            self._is_drawn = False
            caller.display.leave_screen()
