"""One caller's screen at the table: what it shows, what it ought to show, and how little must be sent to make it so.

Owns what only this process knows of the table (`Local`), and when to draw; what was seen and drawn last is kept in
`yawc_poker.session.table.render_cache`. Never touches the table: it is given values and keys, and returns what a key
asks for. Invariant: after a `draw` that was not put off the screen shows what a drawing of everything would; only a
clock that ticks move on may lag behind.

Most of what happens at a table changes one cell or nothing. Where that is sure, nothing is drawn: a character of the
chat line is put where the cursor stands (`append`), a clock is written over, the same drawing is not made twice.
"""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from yawc_poker.digits import decimal
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.next_game import options_of
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import AnyTable, GalleryLine, seat_of
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.broadcast import Command
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import SAMPLE, fault_of
from yawc_poker.session.table.hearing import Hearing, what_is_shown
from yawc_poker.session.table.render_cache import Drawing, SceneCache
from yawc_poker.table_ui import onlookers, speech
from yawc_poker.table_ui.added_keys import added_keys
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.guide import SealLine, keys_in, laid_over
from yawc_poker.table_ui.intents import AskExtra, Invite, Leave, MakeMove, Say, SendAway, Start
from yawc_poker.table_ui.keys import (
    HELP,
    STATE,
    announced,
    may_append,
    noticed,
    overheard,
    press_chat,
    press_help,
    press_house,
)
from yawc_poker.table_ui.scene import ONLOOKER, Scene, may_pass, next_change, shown_seconds
from yawc_poker.table_ui.screen import clock_cells, lit, shows_table
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, KILL
from yawc_poker.terminal.kinds import Charset

Intent = MakeMove[object] | Start[object] | Leave | Say | Invite | SendAway | AskExtra
"""What a caller asks for by a key at a table."""
SECOND = "second"
"""The alarm at which time alone changes what the screen shows."""


class MovingAlarm:
    """An alarm that is moved often, mostly to where it is already; nobody else sets the one of its name."""

    def __init__(self, alarms: Alarms, name: str) -> None:
        self._alarms = alarms
        self._name = name
        self._moment: float | None = None

    def move(self, moment: float | None) -> None:
        """Set the alarm for this moment (monotonic seconds) unless that is done already, or cancel it if None."""
        if moment is None:
            self._alarms.cancel(self._name)
        elif moment != self._moment:
            self._alarms.set(self._name, moment)
        self._moment = moment


class Beside(Protocol):
    """Those who look on at a table (`casino.tables.gallery`)."""

    @property
    def state(self) -> int:
        """Another number after each coming and going."""

    def names(self) -> tuple[str, ...]:
        """Return their names."""


class TableScreen:
    """What a caller sees of their table."""

    def __init__(
        self,
        caller: Caller,
        game: AnyDefinition,
        usual: object,
        beside: Beside,
        value: AnyTable,
        own_keys: Callable[[AnyTable], str] | None = None,
        called: str = "",
        extras_keys: Callable[[AnyTable], str] | None = None,
    ) -> None:
        """Nothing is seen of the table's value before the first `take`; `usual` are its usual options.

        `own_keys` returns the keys for house players, or an on-looker's own, that mean something at a table; None:
        there are none. `called` is what the caller is called who looks on, empty: the caller sits at the table.
        `extras_keys` returns the keys of extras that mean something, where such keys may be asked for at all.
        """
        self.commit = -1
        """Number of the commit whose value was taken over last."""
        self.is_drawn = False
        """Whether the last drawing was not put off."""
        self._caller = caller
        self._game = game
        self._face = face = game.face
        self._usual = usual
        self._house_keys, self._extras_keys = own_keys, extras_keys
        self._gallery = beside
        self._watched = 0
        """`Gallery.state` when the names of those who look on were read."""
        self._token = ONLOOKER if called else caller.instance.notifier.token
        self._scenes = SceneCache(face, self._token, value, called)
        self._drawing = Drawing()
        self._local = face.fresh(usual)
        self._chat_opened = 0
        """The piece of input (`Loop.piece`) of the last key outside of the chat line: the one that opened it."""
        self._settled = self._local
        """What fits the scene of this commit: no key has to fit it again. Compared by identity."""
        self._second = MovingAlarm(caller.loop.alarms, SECOND)
        self._hearing = Hearing(caller, game, self._token)
        self._came_whole = False
        """Each key of the line that is typed came with more behind it."""

    @property
    def takes_commands(self) -> bool:
        """Whether a key is a command, not a part of a line or the answer to a prompt."""
        return self._local.mode == "menu" and not self._local.helps

    def press_if_used(self, key: str) -> tuple[Intent | None, bool]:
        """Take a key as `press`, and return also whether the table has a use for it, perhaps not now.

        It has where something comes of it, where the help names it, and where it is no character.
        """
        before, was_menu, scene, words = self._local, self.takes_commands, self._scene(), self._caller.words
        intent = self.press(key)
        named = keys_in(self._face.full_guide(scene, before, words))
        is_named = decimal(key) is not None or len(key) > 1 or key.upper() in named or key in {HELP, STATE, ENTER}
        return intent, not was_menu or intent is not None or self._local != before or is_named

    def reads_line(self) -> bool:
        """Return whether a line is typed, of chat or a number; else each key acts at once."""
        return self._local.mode == "chat" or self.reads_number()

    def reads_number(self) -> bool:
        """Return whether a number is typed, for which an ENTER alone is an answer, too."""
        local = self._local
        if local.mode in {"menu", "chat"} or local.helps:
            return False
        return self._face.layout.small(self._scene(), local, self._caller.words).number is not None

    @property
    def value(self) -> AnyTable:
        """The table's value that was taken over last, as far as the caller wants to hear of it."""
        return self._scenes.value

    @property
    def waiting(self) -> int:
        """X-messages that came in since the caller sat down."""
        return self._scenes.waiting

    # --- keys ---------------------------------------------------------------------------------------------------------

    def append(self, key: str) -> bool:
        """Take a character that only adds to the chat line and show it at once; False: it is not all there is to do.

        A key to which the screen answers with one cell is what callers press most and see soonest. Open only where the
        screen shows all there is and time changes nothing of it, so that `press` and `render` would do the same.
        """
        shown = self._drawing.source == self._source() and time.monotonic() < self._drawing.until
        if not shown or self._local is not self._settled or self._local.waits:
            return False
        if not may_append(self._local, key) or not self._caller.display.put(key):
            return False
        self._type(key)
        self._local = self._settled = press_chat(self._local, key)[0]
        self._drawing.source = self._source()
        return True

    def press(self, key: str) -> Intent | None:
        """Take a key and return what the caller asks for by it."""
        loop, chats = self._caller.loop, self._local.mode == "chat"
        self._chat_opened = self._chat_opened if chats else loop.piece
        if chats and key == ENTER:
            loop.end_text(self._chat_opened)
        if self._hearing.answers(key, self._scenes.value, self._scene(), self._local):
            return None
        self._local, is_done = press_help(self._local, key)
        if is_done:
            self._settled = self._local
            return None
        before, seen = self._local, self._scene()
        if self._house_keys is not None:
            self._local, wish = press_house(before, key)
            if wish is not None:
                return wish
            if self._local is not before:
                self._settled = self._local
                self._hearing.pressed(key, seen, before, self._local, acts=False)
                return None
        if self._extras_keys is not None and self.takes_commands and key in added_keys():
            return AskExtra(key)
        if key == ENTER and self._local.mode == "chat" and (fault := fault_of(self._local.editor, self._caller.words)):
            self._refuse_line(fault)
            return None
        self._type(key)
        self._local, intent = self._face.press(before, seen, key, self._caller.words)
        self._settled = self._local
        self._hearing.pressed(key, seen, before, self._local, acts=intent is not None)
        return intent

    def _type(self, key: str) -> None:
        """Note whether the line that is typed comes as a whole, from a caller whose side sends lines."""
        if key != ENTER:
            self._came_whole = (self._came_whole or not self._local.editor.text) and self._caller.loop.busy

    def _refuse_line(self, fault: str) -> None:
        """Tell the caller why the line is not taken, which stays to be edited.

        Where there is no screen to edit it on, or lines come as a whole, it begins anew.
        """
        editor, anew = self._local.editor, self._came_whole or self._hearing.lines is not None
        self._local = replace(self._local, editor=editor.key(KILL) if anew else replace(editor, overflows=False))
        self._settled = self._local
        self.notice(fault)

    # --- news ---------------------------------------------------------------------------------------------------------

    def take(self, commit: int, value: AnyTable) -> Scene[object] | None:
        """Take over a value of the table and return what is seen of it, or None if there is no seat to see it from."""
        self.commit = commit
        value = self._caller.others.audible(value)
        former = self._terms() if value.reserved and value.options != self._scenes.value.options else None
        self._scenes.take(value, time.monotonic())
        log = read_log(value, self._game.rules, self._token, self._local.heard)
        self._local = self._face.hear(self._local, log, self._token, self._caller.words)
        self._hearing.hear(value)
        if self._token != ONLOOKER and seat_of(value, self._token) is None:
            return None
        seen = self._scene()
        local = self._face.follow(self._local, seen)
        if self._house_keys is not None and local.house != (house := self._house_keys(value)):
            local = replace(local, house=house)
        if self._extras_keys is not None and local.added != (added := self._extras_keys(value)):
            local = replace(local, added=added)
        self._local = self._settled = local
        if former is not None and self._terms() != former:  # nobody here has chosen them: whoever reserved it did
            self._tell(self._terms())
        return seen

    def decided(self) -> object | None:
        """Return the move that the caller has decided ahead for the turn that has come, or None if there is none."""
        return None if self._local.ahead is None else self._face.decided(self._local, self._scene())

    def undecided(self) -> None:
        """Forget what was decided ahead."""
        self._local = replace(self._local, ahead=None)

    def refuse(self, refusal: IllegalMove) -> None:
        """Show in the command area why the table refused something."""
        self._hearing.forget_notice()
        self._local = self._face.refused(self._local, refusal, self._caller.words)

    def forget_refusal(self) -> None:
        """Take away why something was refused: the next command is not judged yet. Why the caller waits stays."""
        local = self._local
        if local.notice and not (local.lasting or local.alone or local.waits):
            self.notice("")

    def notice(self, text: str) -> None:
        """Put a text into the command area."""
        self._hearing.forget_notice()
        self._local = noticed(self._local, text)

    def announce(self, text: str, style: Style) -> None:
        """Put a text of the system among the messages; where it is told, cards in it are named."""
        self._hearing.announce(speech.in_words(text, self._caller.appearance.spoken), style)
        self._local = announced(self._local, text, style)

    def hear(self, command: Command) -> None:
        """Show among the messages what does not wait for the prompt of what others send: a summons."""
        caller = self._caller
        heard = caller.others.hear_seated(command, time.monotonic(), caller.words)
        if heard is not None:
            self.announce(heard.text, heard.style)
            caller.attention.call(heard.text)

    def overhear(self, lines: Sequence[GalleryLine]) -> None:
        """Put what on-lookers said to each other among the messages, each in one line.

        What the caller said stands already where lines are told: as it was typed.
        """
        for line in filter(lambda line: self._caller.others.hears(line.name), lines):
            text = onlookers.murmured(line.name, line.text, self._caller.words)
            if line.session != self._caller.instance.notifier.token:
                self._hearing.announce(text, Style.DIM)
            self._local = overheard(self._local, text, Style.DIM)

    def greet(self) -> None:
        """Show a caller who has just sat down what was chosen and what is sealed, as far as no message says it.

        Digits are not read to callers in lines who do not ask for them.
        """
        value = self._scenes.value
        if (value.options or value.hints) and not self._is_told(self._terms()):
            self._tell(self._terms())
        seal = speech.seal_line(value, self._caller.words)
        if seal and self._hearing.lines is None and not self._is_told([seal]):
            self._tell([seal])

    def _is_told(self, lines: Sequence[str]) -> bool:
        """Return whether the first of these lines is among the messages."""
        return any(lines[0] in text for text, _ in self._local.talk.lines if lines)

    def tell_seal(self) -> None:
        """Show among the messages, to this caller only, what is sealed at the table, and by which words it is dealt."""
        self._tell(speech.seal_again(self._scenes.value, self._caller.words))

    def tell_options(self) -> None:
        """Show among the messages, to this caller only, how the next game is played and what may be chosen."""
        self._tell(self._terms())
        self.tell_usage()

    def tell_usage(self) -> None:
        """Show among the messages, to this caller only, what may be chosen."""
        self._tell(speech.term_lines([self._game.choices.usage(self._caller.words)]))

    def _terms(self) -> list[str]:
        """Return how the next game is played, in lines."""
        options = options_of(self._scenes.value, self._game.rules, self._usual)
        words = self._caller.words
        hints = (speech.hints_allowed(words),) if self._scenes.value.hints else ()
        return speech.term_lines([*self._game.choices.terms(options, words), *hints])

    def _tell(self, lines: Sequence[str]) -> None:
        for text in lines:
            self.announce(text, Style.YELLOW)

    def count_waiting(self, waiting: int) -> None:
        """Show this number of X-messages that came in."""
        self._scenes.count_waiting(waiting)

    def _seal(self) -> SealLine:
        return SealLine(*speech.seal_now(self._scenes.value, self._caller.words))

    # --- what is seen -------------------------------------------------------------------------------------------------

    def _source(self) -> tuple[object, ...]:
        """Return all that a drawing is made from, except the time."""
        shown, line = (self.commit, self._local, self.waiting, self._scenes.watching), self._caller.line
        return (*shown, line.charset, self._caller.attention.is_open)

    def _scene(self) -> Scene[object]:
        """Return what is seen of the table from here."""
        return self._scenes.look(time.monotonic(), waits=self._local.waits)

    # --- what is shown ------------------------------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Draw next time in any case: the screen does not show any more what was drawn, or is none any more."""
        self._drawing.source = ()
        self._hearing.refit(self._local.heard)

    def change_to(self, *, lines: bool) -> None:
        """Tell the table in lines from now on, or draw it, as the caller's terminal allows; remembered."""
        self._caller.prefer(replace(self._caller.preferences, linear=lines))
        self.invalidate()
        self.announce(what_is_shown(self._caller), Style.CYAN)

    def tell_briefly(self, *, brief: bool) -> None:
        """Tell less in lines from now on, or all again; remembered."""
        words = self._caller.words
        self._caller.prefer(replace(self._caller.preferences, brief=brief))
        self.announce(words("Lines are brief now.") if brief else words("Lines tell all again."), Style.CYAN)

    def show_as(self, charset: Charset) -> None:
        """Take this for the character set of the caller's terminal, and show a sample; remembered."""
        self._caller.show_as(charset)
        self.show_again()
        text = self._caller.words("This should look like boxes and umlauts: {sample}", sample=SAMPLE)
        self.announce(text, Style.CYAN)

    def show_again(self) -> None:
        """Draw everything anew, or tell the state."""
        self._caller.display.forget()
        self.invalidate()
        if self._hearing.lines is not None:
            self._hearing.lines.tell_state(self._scenes.value, self._scene(), self._local)

    def end(self) -> None:
        """Leave the caller's terminal to scrolling text."""
        self._hearing.close()

    def draw(self, *, at_once: bool = False) -> None:
        """Draw, unless more has happened already, and set the alarm for the clock's next second.

        A tick at which nothing is new makes no frame: with hundreds at the tables that would be most of the work.
        """
        caller = self._caller
        self._look_around()
        if caller.loop.busy and not at_once:
            self.is_drawn = False
            return
        if self._local.waits and time.monotonic() >= self._scenes.value.pause_until:
            self._local = replace(self._local, waits=False)  # the seconds that were shown are over
        self.is_drawn = not self._local.waits
        source = self._source()
        is_same = self._drawing.source == source and not self._local.waits
        page = self._hearing.page
        if page is not None and not (is_same and time.monotonic() < page.due):
            page.show(self._scenes.value, self._scene(), self._local, caller.words)
        if not is_same:
            self._hearing.show(self._scenes.value, self._scene(), self._local)
        if is_same and (time.monotonic() < self._drawing.until or self._wind()):
            return
        seen = self._scene()
        if self._hearing.lines is not None:
            self._drawing.source = source
            change = self._hearing.lines.tell(self._scenes.value, seen, self._local)
            self._drawing.holds_until(change)
            self._second.move(change)
            return
        frame = self._face.layout.render(seen, self._local, caller.words, caller.line.columns, caller.line.rows)
        if self._local.helps:
            frame = laid_over(frame, self._face.full_guide(seen, self._local, caller.words), self._seal(), caller.words)
        if seen.turn is not None or caller.attention.is_open:
            frame = lit(frame)
        self._drawing.source = source
        self._hearing.touch(frame, seen, self._local)
        caller.display.draw(frame)
        self._shown_at(seen)

    def pass_tick(self, now: float) -> bool:
        """Move the clock on at a tick that has nothing else to do; False: it takes a drawing, or output is pending."""
        page = self._hearing.page
        if self._gallery.state != self._watched or (page is not None and now >= page.due):
            return False
        if now >= self._drawing.until:
            if not self._wind():
                return False
            self._caller.line.flush()
        return not self._caller.line.pending

    def _look_around(self) -> None:
        """Read anew who looks on, if anybody has come or gone."""
        if (state := self._gallery.state) != self._watched:
            self._watched = state
            for text in self._scenes.show_onlookers(self._gallery.names(), self._caller.words, time.monotonic()):
                self.announce(text, Style.DIM)

    def _shown_at(self, seen: Scene[object]) -> None:
        """Note that the screen shows this, and set the alarm for the moment when time changes it, if a tick is late."""
        waits = self._local.waits
        change = next_change(seen, waits)
        self._drawing.scene = seen
        self._drawing.holds_until(change)
        tick = self._caller.config.engine.tick_seconds
        shows_at_tick = change is not None and may_pass(seen, waits, change, tick)
        self._second.move(None if shows_at_tick else change)

    def _wind(self) -> bool:
        """Move one's own clock on, which is all that time alone changes of a screen; False: all of it must be drawn.

        So it must after a drawing in the pause, whose end shows in other places, too: what was looked at since then for
        the sake of a key does not count.
        """
        shown, before = self._caller.display.shown, self._drawing.scene
        if shown is None or before is None or before.deadline is None or not shows_table(shown):
            return False
        if before.pause_until > before.now or before.is_win_new:
            return False
        seen = self._scene()
        cells = clock_cells(shown, shown_seconds(replace(before, now=seen.now)))
        if cells is None or not self._caller.display.write(*cells):
            return False
        self._shown_at(seen)
        return True
