"""A table told to one caller in lines: what `session.table.screen` shows instead of a screen, and a page beside it.

Owns how far this caller has read the table's rows, what they have been told, and the last of it to be told again. Never
touches the table. What is said is `table_ui.telling`'s; how it reaches the caller is a `Voice`'s, of which there are
two: `TerminalVoice` here, and the page's (`session.table.hearing`).
"""

from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.console import HANG, Console
from yawc_poker.table_ui import linear
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.keys import HELP, STATE
from yawc_poker.table_ui.rows import Read
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.table_ui.telling import (
    Heard,
    as_heard,
    happened,
    linear_of,
    moment_of,
    row_lines,
    state_lines,
    telling,
)
from yawc_poker.terminal.keys import ENTER, ESCAPE, LineEditor, is_character
from yawc_poker.terminal.text import in_signs
from yawc_poker.words import Words

FORMER: Final = 5
"""Lines from before the caller came, or changed to lines, that are told."""
AGAIN: Final = 50
"""Last lines that can be told again."""


class Voice(Protocol):
    """The way by which lines reach a caller."""

    @property
    def words(self) -> Words:
        """The texts as this caller hears them."""

    @property
    def is_open(self) -> bool:
        """Whether a prompt is open."""

    @property
    def shows_typing(self) -> bool:
        """Whether what is typed behind a prompt stands among the lines afterwards."""

    def tell(self, lines: Sequence[str]) -> None:
        """Tell what happened."""

    def ask(self, lines: Sequence[str], cards: str, said: Sequence[str]) -> None:
        """Ask the caller for what they may do on their turn, a moment after these lines were `said`.

        `cards` is their hand, which the lines need not name.
        """

    def be_silent(self) -> None:
        """The caller is asked nothing now."""

    def prompt(self, asked: linear.Question, *, is_known: bool) -> None:
        """Open a prompt; `is_known`: what it is about was said."""

    def show_typed(self, editor: LineEditor) -> None:
        """Show what is typed behind the prompt."""

    def finish(self, echo: str = "") -> None:
        """Close the prompt, behind which `echo` stands."""


class TerminalVoice:
    """Lines on the caller's terminal, with the prompt at their foot.

    Sends nothing else: no cursor is moved, nothing is cleared, no colour is set (`Display.show_lines`).
    """

    shows_typing = True

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
        self._console.interrupt(
            "\n".join(part for line in lines for part in linear.folded(in_signs(line), width, HANG))
        )

    def ask(self, lines: Sequence[str], cards: str, said: Sequence[str]) -> None:
        """Write the lines but for those that stand right above."""
        if new := [line for line in lines if line not in said]:
            self.tell(new)

    def be_silent(self) -> None:
        """Do nothing: what was asked stands further up."""

    def prompt(self, asked: linear.Question, *, is_known: bool) -> None:
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
        self._linear = linear_of(game)
        self._token = token
        self._since = heard
        self._heard: Heard | None = None
        """How far the table was told; None: nothing was yet."""
        self._is_puzzled = False
        """The last key meant nothing, and the caller was told so."""
        self._past: deque[str] = deque(maxlen=AGAIN)
        self._back = 0
        """How many lines back of the newest that was told again last; 0: none was since the newest came."""

    # --- what happens -------------------------------------------------------------------------------------------------

    def hear(self, value: AnyTable) -> None:
        """Tell the new rows of the log; of those from before the caller came, the last lines."""
        self._heard, lines = happened(self._game, value, self._token, self._begun(value), self._voice.words)
        self.happens(*lines)

    def _begun(self, value: AnyTable) -> Heard:
        """Return how far the table was told; at first, tell what was before."""
        if self._heard is None:
            log = read_log(value, self._game.rules, self._token)
            since = self._arrival(log) - 1 if self._since is None else self._since
            self._tell_former(value, [entry for entry in log if entry.number <= since])
            self._heard = Heard(Read(logged=since), speaker=self._caller.instance.notifier.token)
        return self._heard

    def _arrival(self, log: Sequence[LogEntry[GameEvent]]) -> int:
        """Return the number of the entry with which this stay began; behind the last one: it began in the middle."""
        mine = [entry.number for entry in log if entry.session == self._token and isinstance(entry.event, SatDown)]
        return max(mine, default=log[-1].number + 1 if log else 1)

    def _tell_former(self, value: AnyTable, log: Sequence[LogEntry[GameEvent]]) -> None:
        game, words = self._game, self._voice.words
        hand = words("Your cards: {cards}", cards="")  # the state tells it as it is now
        told = (text for entry in log[-FORMER:] for text in row_lines(game, value, self._token, entry, words))
        lines = [text for text in told if not text.startswith(hand)]
        if lines:
            self._past.extend(lines[-FORMER:])
            self.say(words("What was said last:"), *(f"  {text}" for text in lines[-FORMER:]))

    def happens(self, *lines: str) -> None:
        """Tell these lines, which may be told again."""
        self._past.extend(lines)
        self._back = 0 if lines else self._back
        self.say(*lines)

    def say(self, *lines: str) -> None:
        """Tell these lines."""
        if lines:
            self._is_puzzled = False
            self._voice.tell(lines)

    def _named(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return lines in which keys that are signs are named."""
        return tuple(linear.spoken_keys(line, self._voice.words) for line in lines)

    # --- what is seen -------------------------------------------------------------------------------------------------

    def tell(self, value: AnyTable, scene: Scene[object], local: Local) -> float | None:
        """Tell what is new and open the prompt that is asked; return when time alone makes something to be told next.

        In monotonic seconds; None: never.
        """
        words, brief, before = self._voice.words, self._caller.preferences.brief, self._begun(value)
        if before.told.mode != local.mode:
            self.close()
        self._heard, new = telling(self._game, value, self._token, scene, local, before, words, brief=brief)
        self.happens(*new.events)
        self.say(*self._named(new.said))
        if new.asked:
            self._is_puzzled = False
            self._voice.ask(self._named(new.asked), new.hand, self._named(new.said))
        elif scene.turn is None and local.mode == "menu":
            self._voice.be_silent()
        self._ask(scene, local, before.told.mode)
        return linear.next_mark(self._heard.told, scene)

    def _ask(self, scene: Scene[object], local: Local, before: str) -> None:
        """Open the prompt that is asked now, or close one that is not asked any more; show what is typed."""
        words = self._voice.words
        asked = linear.question(scene, local, words, self._game.face.layout.small(scene, local, words))
        if asked is None:
            self.close()
            return
        if not self._voice.is_open:
            self._voice.prompt(asked, is_known=before == local.mode)
        if asked.is_line:
            self._voice.show_typed(local.editor)

    def moment(self, value: AnyTable, scene: Scene[object], local: Local) -> linear.Moment:
        """Return what there is to be said of the table now, besides scene and local state."""
        return moment_of(self._game, value, scene, local, self._voice.words)

    # --- keys ---------------------------------------------------------------------------------------------------------

    def answers(self, key: str, value: AnyTable, scene: Scene[object], local: Local) -> bool:
        """Tell the state, the keys, the scores or a line again, if this key asks for that; return whether it does."""
        if local.mode == "chat":
            return False
        if key == STATE:
            self.tell_state(value, scene, local)
        elif key == HELP:
            self._say_keys(value, scene, local)
        elif key in {linear.EARLIER, linear.LATER}:
            self._say_again(1 if key == linear.EARLIER else -1)
        elif local.mode == "menu" and self._asks_scores(key, scene):
            no = self._voice.words("There are no scores yet.")
            self.say(*(self._linear.scores(as_heard(scene), local, self._voice.words) or (no,)))
        else:
            return False
        return True

    def _asks_scores(self, key: str, scene: Scene[object]) -> bool:
        """Return whether a key asks for the scores, and means nothing else in the game now."""
        is_game = key.upper() in {one.upper() for one in self._game.face.usable(scene)}
        return key.upper() == self._linear.scores_key and (not is_game or key.upper() in self._linear.quiet)

    def _say_again(self, step: int) -> None:
        """Tell the line again that is so many further back, with its distance from the newest."""
        words, self._back = self._voice.words, self._back + step
        if self._back > len(self._past):
            self._back = len(self._past)
            self.say(words("There is nothing earlier."))
        elif self._back < 1:
            self._back = 0
            self.say(words("There is nothing newer."))
        else:
            self.say(f"{self._back}: {self._past[-self._back]}")

    def _say_keys(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Tell the keys in sentences, those first that mean something now, and what the game's cards are worth."""
        words = self._voice.words
        guide = self._game.face.full_guide(scene, local, words)
        now = linear.all_keys(scene, local, words, self.moment(value, scene, local))
        others = () if scene.looks_on else linear.other_keys(guide, self._linear.scores_key, words)
        self.say(*self._named((*now, *linear.own_keys(words, self._linear.scores_key), *others)))
        self.say(*linear.worth(guide, words))

    def tell_state(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Tell the whole state of the table."""
        moment = self.moment(value, scene, local)
        self.say(*state_lines(self._game, scene, local, self._voice.words, moment))

    def pressed(self, key: str, scene: Scene[object], before: Local, after: Local, *, acts: bool) -> None:
        """Echo what a key has changed in the local state; `acts`: it asks the table for something, too."""
        voice, is_answer = self._voice, key in {ENTER, ESCAPE} or before.mode != after.mode
        is_chat, is_seen = key == ENTER and before.mode == "chat", voice.is_open and voice.shows_typing
        if voice.is_open and is_answer:
            if key == ENTER and before.editor.text:
                voice.show_typed(before.editor)  # what was pasted is not shown yet
            is_line = before.mode == "chat" or before.editor != LineEditor() or not is_character(key)
            voice.finish("" if is_line or after.mode == "chat" else key)
        if is_chat and before.editor.text and not is_seen:
            self.say(f"{scene.name}: {before.editor.text}")  # as where it came with its ENTER: no prompt was ever shown
        if before != after and (key == ENTER or before.mode == "menu"):
            self.forget_notice()
        self.say(*self._linear.echo(as_heard(scene), before, after, self._voice.words))
        if before.mode == "menu" and before == after and not acts and key not in {ENTER, ESCAPE}:
            self._puzzle()

    def forget_notice(self) -> None:
        """Tell the next notice also if it is the same as the last one."""
        if self._heard is not None:
            self._heard = replace(self._heard, told=replace(self._heard.told, notice="", waits=False))

    def _puzzle(self) -> None:
        """Tell a caller once that their keys mean nothing now."""
        if not self._is_puzzled:
            self.say(*self._named([self._voice.words("That key means nothing now. [=] State, [?] Keys")]))
            self._is_puzzled = True

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the open prompt: other lines follow."""
        if self._voice.is_open:
            self._voice.finish()
