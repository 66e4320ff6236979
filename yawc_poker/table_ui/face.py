"""A game at a terminal: what its folder gives, and what follows from that in every game. Pure.

Owns which keys mean the same in every game: those of the chat line, and those to leave the table.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple

from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import LogEntry, Table
from yawc_poker.table_ui import keys
from yawc_poker.table_ui.guide import Guide, common_keys
from yawc_poker.table_ui.intents import Invite, Leave, MakeMove, Say, Start
from yawc_poker.table_ui.layout import TableLayout
from yawc_poker.table_ui.scene import LocalT, Scene, look
from yawc_poker.words import Words


def _never(scene: object) -> bool:
    return False


def _nothing_ahead(local: object, scene: object) -> None:
    return None


class Face(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game's screen and keys, in pure functions; `LocalT` is the state local to a caller's process."""

    rules: Game[StateT, MoveT, EventT, OptionsT]
    view: Callable[[StateT, int | None], ViewT]
    """What a seat may see; None: somebody who looks on."""
    fresh: Callable[[OptionsT], LocalT]
    """The state of a caller who has just sat down, by the table's usual options."""
    usable: Callable[[Scene[ViewT]], tuple[str, ...]]
    """The keys that mean something now."""
    command: Callable[
        [LocalT, Scene[ViewT], str, Words], tuple[LocalT, MakeMove[MoveT] | Start[OptionsT] | Leave | Say | None]
    ]
    """Handle a key that does not mean the same in every game.

    Return the new local state, and the caller's intent if there is one.
    """
    follow: Callable[[LocalT, Scene[ViewT]], LocalT]
    """Adapt the local state to a changed scene."""
    sentences: keys.Sentences[EventT]
    refusal: Callable[[IllegalMove, Words], str]
    """Why something was refused."""
    guide: Callable[[Scene[ViewT], Words], Guide]
    """What the help over the screen tells of the game: its own keys, and what its cards are worth."""
    layout: TableLayout[ViewT, LocalT]
    forfeits: Callable[[Scene[ViewT]], bool] = _never
    """Whether the caller would lose something by leaving now, and so is asked."""
    decided: Callable[[LocalT, Scene[ViewT]], MoveT | None] = _nothing_ahead
    """The move that was decided ahead for the turn that has come; None: none was, or it does not hold."""
    take: Callable[[LocalT, LogEntry[EventT], int, Words], LocalT | None] | None = None
    """Take over an entry of the log for a session, where it is no message to them; None: it is one."""

    def scene(self, table: Table[StateT, EventT], session: int, waiting: int, now: float) -> Scene[ViewT]:
        """Return a table as a session's seat sees it. Raise `IllegalMove` "not_seated"."""
        return look(self.rules, self.view, table, session, waiting, now)

    def press(
        self, local: LocalT, scene: Scene[ViewT], key: str, words: Words
    ) -> tuple[LocalT, MakeMove[MoveT] | Start[OptionsT] | Leave | Say | Invite | None]:
        """Handle a key; return the new local state and the caller's intent, if any."""
        local = self.follow(local, scene)
        if local.mode == "chat":
            return keys.press_chat(local, key)
        if local.mode == "leave" and key != ".":
            return keys.press_leave(local, key)
        if local.mode == "house" and key.upper() not in {".", "X"}:
            return keys.press_level(local, key)
        if key == "." and scene.chats:
            return keys.chatting(local, scene.name), None
        if key.upper() == "X":
            local = keys.with_notice(local, self.usable(scene), "")
            return (keys.asking_leave(local), None) if self.forfeits(scene) else (local, Leave())
        return self.command(local, scene, key, words)

    def full_guide(self, scene: Scene[ViewT], local: LocalT, words: Words) -> Guide:
        """Return the help over the screen, with the keys that mean the same in every game."""
        guide = self.guide(scene, words)
        return guide._replace(keys=(*common_keys(scene, local, words), *guide.keys))

    def hear(self, local: LocalT, entries: tuple[LogEntry[EventT], ...], session: int, words: Words) -> LocalT:
        """Take over the new log entries (spec/poker.md 13).

        A caller who has just sat down also sees the earlier messages: all of them were public.
        """
        return keys.hear(local, entries, session, words, self.sentences, self.take)

    def refused(self, local: LocalT, illegal: IllegalMove, words: Words) -> LocalT:
        """Show why the table refused an intent."""
        return keys.refused(local, illegal, self.refusal(illegal, words))
