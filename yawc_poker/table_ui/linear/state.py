"""The state of a table in lines, as the state key tells it. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui.guide import Guide
from yawc_poker.table_ui.linear.news import Moment
from yawc_poker.table_ui.linear.phrases import cards_line, marked, other_line, spaced
from yawc_poker.table_ui.onlookers import ROOM, place, watching
from yawc_poker.table_ui.scene import Scene, shown_seconds
from yawc_poker.table_ui.screen import clock_text, nobody, sits_out
from yawc_poker.table_ui.speech import in_words, more_games_out
from yawc_poker.words import Words

SEAL: Final = 12
"""Digits of a seal in the state; the help tells all of it."""


def state(
    scene: Scene[ViewT], words: Words, moment: Moment, facts: Sequence[str], seal: Sequence[str], *, others: bool = True
) -> tuple[str, ...]:
    """Return whose turn it is, pot, the others, what the game says (`facts`), the caller's cards, the seal.

    `others`: with the cards of the others.
    """
    return tuple(line for line in _lines(scene, words, moment, facts, seal, others=others) if line)


def _lines(
    scene: Scene[ViewT], words: Words, moment: Moment, facts: Sequence[str], seal: Sequence[str], *, others: bool
) -> Iterator[str]:
    if scene.looks_on:
        yield place(words)
    if scene.out:
        yield more_games_out(scene.out, words)
    elif scene.sits_out:
        yield sits_out(words)
    yield _turn(scene, words)
    if scene.master:
        yield f"{words('Master:')} {scene.master}"
    if scene.pot:
        yield f"{words('Pot:')} {scene.pot} CUBES"
    if not scene.people:
        yield nobody(words)
    elif others:
        yield from (other_line(other, words) for other in moment.others)
    else:
        yield ", ".join(marked(person, words) for person in scene.people)
    yield from facts
    if moment.cards:
        yield words("Your cards: {cards}", cards=cards_line(moment.cards))
    elif moment.unnamed:
        yield words("Your cards: {cards}", cards=in_words(moment.unnamed, words))
    if scene.waiting:
        yield words.count("{n} X-message waits for you.", "{n} X-messages wait for you.", scene.waiting)
    yield watching(scene.watching, ROOM, words)
    yield from seal


def worth(guide: Guide, words: Words) -> tuple[str, ...]:
    """Return what a game's cards are worth, as its help tells it."""
    return (f"{guide.title}:", *(spaced(in_words(line.text, words)) for line in guide.lines if line.text.strip()))


def short_seal(label: str, seal: str) -> str:
    """Return the beginning of a seal, by which it is recognised; empty: there is none."""
    return f"{label}: {seal[:SEAL]}" if seal else ""


def _turn(scene: Scene[ViewT], words: Words) -> str:
    current = (scene.current or "") if scene.running else words("NO GAME")
    clock = "" if scene.deadline is None else f", {clock_text(shown_seconds(scene))[0].strip()}"
    return f"{words('Turn:')} {current}{clock}"
