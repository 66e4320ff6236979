"""A table told to one caller in lines: what `session.table.screen` shows instead of a screen, and a page beside it.

Owns what this caller has been told. Never touches the table. What is said is `table_ui.linear`'s; how it reaches the
caller is a `Voice`'s, of which there are two: `TerminalVoice` here, and the page's (`session.table.hearing`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.console import HANG, Console
from yawc_poker.table_ui import speech
from yawc_poker.table_ui.definition import AnyDefinition, Hand
from yawc_poker.table_ui.keys import HELP, STATE
from yawc_poker.table_ui.linear import (
    Linear,
    Moment,
    Question,
    Told,
    all_keys,
    by_default,
    folded,
    hand,
    known,
    news,
    next_mark,
    others,
    question,
    short_seal,
    state,
    told,
    worth,
)
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor, is_character
from yawc_poker.terminal.text import in_signs
from yawc_poker.words import Words

EARLIER: Final = 5
"""Lines of the log from before the caller came that are told."""


class Voice(Protocol):
    """The way by which lines reach a caller."""

    @property
    def words(self) -> Words:
        """The texts as this caller hears them."""

    @property
    def is_open(self) -> bool:
        """Whether a prompt is open."""

    def tell(self, lines: Sequence[str]) -> None:
        """Tell what happened."""

    def ask(self, lines: Sequence[str], cards: str) -> None:
        """Ask the caller for what they may do on their turn; `cards` is their hand, which the lines need not name."""

    def be_silent(self) -> None:
        """The caller is asked nothing now."""

    def prompt(self, asked: Question, *, is_known: bool) -> None:
        """Open a prompt; `is_known`: what it is about was said."""

    def show_typed(self, editor: LineEditor) -> None:
        """Show what is typed behind the prompt."""

    def finish(self, echo: str = "") -> None:
        """Close the prompt, behind which `echo` stands."""


class TerminalVoice:
    """Lines on the caller's terminal, with the prompt at their foot.

    Sends nothing else: no cursor is moved, nothing is cleared, no colour is set (`Display.show_lines`).
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._console = Console(caller.line, caller.display, tells_page=False)
        self.show_typed = self._console.show_typed
        self.finish = self._console.finish

    @property
    def words(self) -> Words:
        """The caller's own."""
        return self._caller.words

    @property
    def is_open(self) -> bool:
        """Whether a prompt is open."""
        return self._console.is_open

    def tell(self, lines: Sequence[str]) -> None:
        """Write lines above the open prompt, which is shown again behind the last."""
        width = self._caller.line.columns - 1
        self._console.interrupt("\n".join(part for line in lines for part in folded(in_signs(line), width, HANG)))

    def ask(self, lines: Sequence[str], cards: str) -> None:
        """Write the lines."""
        if lines:
            self.tell(lines)

    def be_silent(self) -> None:
        """Do nothing: what was asked stands further up."""

    def prompt(self, asked: Question, *, is_known: bool) -> None:
        """Write the prompt, and what it is about above it."""
        if asked.lines and not is_known:
            self.tell(asked.lines)
        self._console.prompt(asked.text)


class LinearTable:
    """What one caller hears of their table."""

    def __init__(self, voice: Voice, caller: Caller, game: AnyDefinition, token: int, heard: int | None = None) -> None:
        """`token` is the session's; `heard` the last log entry that the caller knows, None: they have just come."""
        self._voice = voice
        self._caller = caller
        self._game = game
        self._linear: Linear[GameEvent, object, Local] = game.linear or by_default(game.sentences)
        self._token = token
        self._told = Told()
        self._heard = heard
        """Number of the last log entry that was told, or None if nothing was yet."""
        self._has_begun = False
        """The state was told once."""
        self._is_puzzled = False
        """The last key meant nothing, and the caller was told so."""

    # --- what happens -------------------------------------------------------------------------------------------------

    def hear(self, entries: tuple[LogEntry[GameEvent], ...]) -> None:
        """Tell the new log entries; of those from before the caller came, the last lines."""
        if self._heard is None:
            self._heard = self._arrival(entries) - 1
            self._tell_earlier([entry for entry in entries if entry.number <= self._heard])
        new = [entry for entry in entries if entry.number > self._heard]
        self._heard = max((entry.number for entry in new), default=self._heard)
        self.say(*(text for entry in new for text in self._lines(entry)))

    def _arrival(self, entries: tuple[LogEntry[GameEvent], ...]) -> int:
        """Return the number of the entry with which this stay began; behind the last one: it began in the middle."""
        mine = [entry.number for entry in entries if entry.session == self._token and isinstance(entry.event, SatDown)]
        return max(mine, default=entries[-1].number + 1 if entries else 1)

    def _tell_earlier(self, entries: Sequence[LogEntry[GameEvent]]) -> None:
        lines = [text for entry in entries[-EARLIER:] for text in self._lines(entry)][-EARLIER:]
        if lines:
            self.say(self._voice.words("What was said last:"), *(f"  {text}" for text in lines))

    def _lines(self, entry: LogEntry[GameEvent]) -> list[str]:
        return [told(text) for text, _ in self._linear.sentences(entry, self._voice.words)]

    def say(self, *lines: str) -> None:
        """Tell these lines."""
        if lines:
            self._is_puzzled = False
            self._voice.tell(lines)

    # --- what is seen -------------------------------------------------------------------------------------------------

    def tell(self, value: AnyTable, scene: Scene[object], local: Local) -> float | None:
        """Tell what is new and open the prompt that is asked; return when time alone makes something to be told next.

        In monotonic seconds, or None for never.
        """
        words, moment = self._voice.words, self.moment(value, scene, local)
        if not self._has_begun:
            self._has_begun = True
            self._say_state(scene, local, moment, ())
            self._told = known(scene, moment)
        before = self._told
        if before.mode != local.mode:
            self.close()
        self._told, new = news(before, scene, local, words, moment)
        self.say(*new.said)
        if new.asked:
            self._is_puzzled = False
            self._voice.ask(new.asked, hand(moment, words))
        elif scene.turn is None and local.mode == "menu":
            self._voice.be_silent()
        self._ask(scene, local, moment, before.mode)
        return next_mark(self._told, scene)

    def _ask(self, scene: Scene[object], local: Local, moment: Moment, before: str) -> None:
        """Open the prompt that is asked now, or close one that is not asked any more; show what is typed."""
        asked = question(scene, local, self._voice.words, moment.small)
        if asked is None:
            self.close()
            return
        if not self._voice.is_open:
            self._voice.prompt(asked, is_known=before == local.mode)
        if asked.is_line:
            self._voice.show_typed(local.editor)

    def moment(self, value: AnyTable, scene: Scene[object], local: Local) -> Moment:
        """Return what there is to be said of the table now, besides scene and local state."""
        words, game = self._voice.words, value.last if value.game is None else value.game
        hands: Mapping[int, Hand] = {} if game is None else self._game.public(game).hands
        small, linear = self._game.face.layout.small(scene, local, words), self._linear
        return Moment(
            small,
            linear.cards(scene, local, words),
            others(hands, scene, words),
            linear.quiet,
            "" if linear.names_cards else small.cards,
        )

    # --- keys ---------------------------------------------------------------------------------------------------------

    def answers(self, key: str, value: AnyTable, scene: Scene[object], local: Local) -> bool:
        """Tell the state or the keys, if this key asks for that; return whether it does."""
        if local.mode == "chat" or key not in {STATE, HELP}:
            return False
        if key == STATE:
            self.tell_state(value, scene, local)
        else:
            self._say_keys(value, scene, local)
        return True

    def _say_keys(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Tell the keys that mean something now, and what the screen's help says of cards and seal."""
        words, (label, seal) = self._voice.words, speech.seal_now(value, self._voice.words)
        keys = all_keys(scene, local, words, self.moment(value, scene, local))
        guide = worth(self._game.face.guide(scene, local, words), words)
        self.say(*keys, *guide, *([f"{label}: {seal}"] if seal else ()))

    def tell_state(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Tell the whole state of the table."""
        seal = [short_seal(*speech.seal_now(value, self._voice.words))]
        self._say_state(scene, local, self.moment(value, scene, local), seal)

    def _say_state(self, scene: Scene[object], local: Local, moment: Moment, seal: Sequence[str]) -> None:
        words, linear = self._voice.words, self._linear
        self.say(*state(scene, words, moment, linear.facts(scene, local, words), seal, others=linear.others))

    def pressed(self, key: str, scene: Scene[object], before: Local, after: Local, *, acts: bool) -> None:
        """Echo what a key has changed in the local state; `acts`: it asks the table for something, too."""
        voice, is_answer = self._voice, key in {ENTER, ESCAPE} or before.mode != after.mode
        if voice.is_open and is_answer:
            if key == ENTER and before.editor.text:
                voice.show_typed(before.editor)  # what was pasted is not shown yet
            is_line = before.mode == "chat" or before.editor != LineEditor() or not is_character(key)
            voice.finish("" if is_line or after.mode == "chat" else key)
        if before != after and (key == ENTER or before.mode == "menu"):
            self.forget_notice()
        self.say(*self._linear.echo(scene, before, after, self._voice.words))
        if before.mode == "menu" and before == after and not acts and key not in {ENTER, ESCAPE}:
            self._puzzle()

    def forget_notice(self) -> None:
        """Tell the next notice also if it is the same as the last one."""
        self._told = replace(self._told, notice="", waits=False)

    def _puzzle(self) -> None:
        """Tell a caller once that their keys mean nothing now."""
        if not self._is_puzzled:
            self.say(self._voice.words("That key means nothing now. [=] State, [?] Keys"))
            self._is_puzzled = True

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the open prompt: other lines follow."""
        if self._voice.is_open:
            self._voice.finish()
