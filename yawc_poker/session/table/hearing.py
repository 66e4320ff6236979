"""What a caller is told of their table besides the screen, or instead of it: by a page around the terminal, in lines.

Owns which of the two there are, and the choice between lines and a screen: by `/linear` and `/screen`, at the name
prompt and everywhere behind it. A page lasts as long as the line; it is told what lines tell, and the keys that mean
something now. Lines begin and end with the caller's choice, or with the kind of terminal that their side tells.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from yawc_poker.announcing import announced
from yawc_poker.engine.values import AnyTable
from yawc_poker.page.protocol import Offer, Page
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.lines import LinearTable, TerminalVoice
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.keys import STATE
from yawc_poker.table_ui.layout import offers
from yawc_poker.table_ui.linear import Question
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.table_ui.screen import nobody
from yawc_poker.table_ui.speech import in_words
from yawc_poker.table_ui.touch import areas, over_help
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.words import Words


def choose(caller: Caller, *, lines: bool) -> None:
    """Show a caller lines from now on, or a screen where their terminal can draw one, and say so."""
    caller.prefer(replace(caller.preferences, linear=lines))
    caller.console.say(what_is_shown(caller), Style.CYAN)


def has_chosen(caller: Caller) -> bool:
    """Return whether there is nothing to choose between lines and a screen; a page tells lines in any case."""
    return caller.preferences.linear is not None or caller.page is not None or not caller.display.can_draw


def tell_of_lines(caller: Caller) -> None:
    """Tell a caller who has never chosen that tables can be told in lines."""
    if not has_chosen(caller):
        caller.console.say(caller.words("For a screen reader: /linear tells the tables in lines."))


def what_is_shown(caller: Caller) -> str:
    """Return how this caller's tables are shown."""
    words = caller.words
    if caller.display.can_draw:
        return words("Tables are drawn on a screen.")
    told = words("Tables are told in lines. There [=] tells the state, [?] the keys.")
    if not caller.display.moves_cursor:
        return words("Your terminal moves no cursor.") + f" {told}"
    return f"{told} " + words("/screen draws them again.")


class PageVoice:
    """What a page beside the screen says: what happened among its messages, what is asked as a question."""

    shows_typing = False

    def __init__(self, page: Page, appearance: Appearance) -> None:
        self.is_open = False
        self.asks = ""
        """What the caller is asked now, with all that they need to know to answer."""
        self._page = page
        self._appearance = appearance

    @property
    def words(self) -> Words:
        """The caller's own, with cards by name."""
        return self._appearance.spoken

    def tell(self, lines: Sequence[str]) -> None:
        """Tell each line as a message."""
        for line in lines:
            self._page.tell(line, Style.PLAIN.name.lower())

    def ask(self, lines: Sequence[str], cards: str, said: Sequence[str]) -> None:
        """Ask by the lines, with the hand, in which the cards that may be played have their keys."""
        may_play = self.words("You may play: {cards}", cards="")
        named = [line for line in lines if line != cards and not (cards and line.startswith(may_play))]
        self.asks = "\n".join([*named, cards]).rstrip()

    def be_silent(self) -> None:
        """Ask nothing."""
        self.asks = ""

    def prompt(self, asked: Question, *, is_known: bool) -> None:
        """Ask by the prompt, with what it is about."""
        self.is_open = True
        self.asks = "\n".join((*asked.lines, asked.text.strip()))

    def show_typed(self, editor: LineEditor) -> None:
        """Do nothing: what is typed stands in the page's own line."""

    def finish(self, echo: str = "") -> None:
        """Close the prompt."""
        self.is_open = False
        self.asks = ""


class PageNews:
    """What one caller's page knows of their table: what is told in lines, whether or not those are shown, and keys."""

    def __init__(self, page: Page, caller: Caller, game: AnyDefinition, token: int) -> None:
        """`token` is the session's."""
        self._page = page
        self._game = game
        self._voice = PageVoice(page, caller.appearance)
        self.telling = LinearTable(self._voice, caller, game, token)
        self.due = math.inf
        """When time alone makes something to be told, in monotonic seconds."""

    def announce(self, text: str, style: Style) -> None:
        """Tell a message."""
        self._page.tell(text, style.name.lower())

    def show(self, value: AnyTable, scene: Scene[object], local: Local, words: Words) -> None:
        """Tell what is new, and show the keys that mean something now; `words` are those of the screen."""
        spoken = self._voice.words
        change = self.telling.tell(value, scene, replace(local, notice=in_words(local.notice, spoken)))
        self.due = math.inf if change is None else change
        moment = self.telling.moment(value, scene, local)
        names = {offer.key: offer.label for offer in offers(scene, local, spoken, moment.small).keys}
        cards = {one.key.lower(): f"{one.name} ({one.note})" if one.note else one.name for one in moment.cards}
        found = offers(scene, local, words, self._game.face.layout.small(scene, local, words))
        self._page.offer(replace(found, keys=tuple(_named(found.keys, names, cards)), asks=self._voice.asks))


def _named(keys: Iterable[Offer], names: Mapping[str, str], cards: Mapping[str, str]) -> Iterator[Offer]:
    """Return the keys with their names in words, where the labels are not these already."""
    for offer in keys:
        name = cards.get(offer.key) or names.get(offer.key, offer.label)
        yield replace(offer, name="" if name == offer.label else name, is_card=offer.key in cards)


class Teller(Protocol):
    """What else tells a caller of their table."""

    def show(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Tell what is new. Raise `LineClosed`."""

    def close(self) -> None:
        """Tell that the caller is at no table any more. Raise `LineClosed`."""


class TableNews(NamedTuple):
    """An extra that tells callers of their table in a way of its own (the place `table_news`)."""

    open: Callable[[Caller, AnyDefinition, int], Teller | None]
    """Return the teller of a caller who has come to a table of this game, given the session; None: they want none."""


class Hearing:
    """What one caller hears of their table."""

    def __init__(self, caller: Caller, game: AnyDefinition, token: int) -> None:
        """`token` is the session's."""
        self._caller = caller
        self._game = game
        self._token = token
        page = caller.line.page
        self.page = None if page is None else PageNews(page, caller, game, token)
        """What a page is told, or None if there is none."""
        found = [one.open(caller, game, token) for one in announced("table_news", TableNews)]
        self._tellers = [teller for teller in found if teller is not None]
        self.lines: LinearTable | None = None
        """What a caller is told who has no screen, or None if it is drawn."""
        self.refit(0)

    def refit(self, heard: int) -> None:
        """Begin to tell the table in lines or to draw it, as the caller's terminal and their choice want it now.

        `heard` is the last log entry that the caller knows; 0: they have just come.
        """
        if self._caller.display.can_draw == (self.lines is None):
            return
        if self.lines is None:
            self.lines = LinearTable(TerminalVoice(self._caller), self._caller, self._game, self._token, heard or None)
        else:
            self.lines.close()
            self.lines = None

    @property
    def _tellings(self) -> list[LinearTable]:
        """What is told in lines: on the terminal, by the page."""
        page = [] if self.page is None else [self.page.telling]
        return page if self.lines is None else [self.lines, *page]

    def hear(self, value: AnyTable) -> None:
        """Tell the new rows of a table."""
        for telling in self._tellings:
            telling.hear(value)

    def answers(self, key: str, value: AnyTable, scene: Scene[object], local: Local) -> bool:
        """Tell the state or the keys, if this key asks for that; return whether that is all it does.

        Over a screen the help is laid besides.
        """
        if local.helps:
            return False
        answers = [telling.answers(key, value, scene, local) for telling in self._tellings]
        return any(answers) and (self.lines is not None or key == STATE)

    def pressed(self, key: str, scene: Scene[object], before: Local, after: Local, *, acts: bool) -> None:
        """Tell what a key has changed; `acts`: it asks the table for something, too."""
        for telling in self._tellings:
            telling.pressed(key, scene, before, after, acts=acts)

    def show(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Let extras tell what is new."""
        for teller in self._tellers:
            teller.show(value, scene, local)

    def announce(self, text: str, style: Style) -> None:
        """Tell a text of the system, or of others."""
        if self.page is not None:
            self.page.announce(text, style)
        if self.lines is not None:
            self.lines.happens(text)

    def touch(self, frame: Frame, scene: Scene[object], local: Local) -> None:
        """Show which cells of a frame mean a key: on a page, or where the caller wants their mouse to press keys."""
        caller, words = self._caller, self._caller.words
        if self.page is None and not (caller.preferences.mouse and caller.display.has_modes):
            return
        told = offers(scene, local, words, self._game.face.layout.small(scene, local, words))
        keys = {offer.key for offer in told.keys}
        found = over_help(frame) if local.helps else areas(frame, keys, nobody(words))
        if caller.page is None:
            caller.display.touch(found)
        else:
            caller.page.touch(found)

    def forget_notice(self) -> None:
        """Tell the next notice also if it is the same as the last one."""
        for telling in self._tellings:
            telling.forget_notice()

    def close(self) -> None:
        """Leave the caller's terminal to scrolling text."""
        if self.lines is not None:
            self.lines.close()
        for teller in self._tellers:
            teller.close()
        self._caller.display.leave_screen()
