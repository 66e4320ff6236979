"""What a game says where there is no screen. Pure.

Owns the shape, and what is said of a game that says nothing of its own: its sentences, and what a small window shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple

from yawc_poker.engine.events import Chat
from yawc_poker.engine.game import EventT, ViewT
from yawc_poker.engine.values import LogEntry
from yawc_poker.table_ui.keys import Sentences
from yawc_poker.table_ui.scene import LocalT, Scene
from yawc_poker.table_ui.speech import in_words
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words


class Held(NamedTuple):
    """A card of the caller's."""

    name: str
    key: str = ""
    """The key that plays or marks it; empty: none does now."""
    note: str = ""
    """What the caller has done with it, as "marked"."""


class Linear(NamedTuple, Generic[EventT, ViewT, LocalT]):
    """A game in lines."""

    sentences: Callable[[LogEntry[EventT], Words], tuple[tuple[str, Style], ...]]
    """An entry of the log, with all that a screen would show of it, such as a card that is played."""
    cards: Callable[[Scene[ViewT], LocalT, Words], tuple[Held, ...]]
    """The caller's cards, in the order of their keys."""
    facts: Callable[[Scene[ViewT], LocalT, Words], tuple[str, ...]]
    """What the state key tells of the game: the round, the trick, the points."""
    echo: Callable[[Scene[ViewT], LocalT, LocalT, Words], tuple[str, ...]]
    """What a key has changed that only a screen would show: local state before, and behind."""
    quiet: str = ""
    """Keys that are not told whenever they begin to mean something, as those of pages."""
    others: bool = True
    """The others' open and covered cards are told by the state key."""
    names_cards: bool = True
    """`cards` tells the caller's cards; otherwise what a small window shows of them is told."""


def by_default(sentences: Sentences[EventT]) -> Linear[EventT, ViewT, LocalT]:
    """Return what is said of a game that has nothing of its own: cards that are written by signs are named."""

    def named(entry: LogEntry[EventT], words: Words) -> tuple[tuple[str, Style], ...]:
        lines = sentences(entry, words)
        return (
            lines if isinstance(entry.event, Chat) else tuple((in_words(text, words), style) for text, style in lines)
        )

    return Linear(named, _no_cards, _nothing, _no_echo, names_cards=False)


def _no_cards(scene: Scene[ViewT], local: LocalT, words: Words) -> tuple[Held, ...]:
    return ()


def _nothing(scene: Scene[ViewT], local: LocalT, words: Words) -> tuple[str, ...]:
    return ()


def _no_echo(scene: Scene[ViewT], before: LocalT, after: LocalT, words: Words) -> tuple[str, ...]:
    return ()
