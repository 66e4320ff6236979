"""A table told in lines, for callers without a screen: what is new, the state, the prompts. Pure.

Owns what a game adds (`Linear`), and what is said of one that says nothing of its own: its sentences, and what a small
window shows. Owns what a caller in lines has been told (`Told`): notices, own cards, others' cards that are laid open,
the own turn with its keys, the last seconds of the own clock. What the log says is not among it. A screen shows all
that there is; a line is read once, so only what is new is said, and all of it by the state key (`state`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import card
from yawc_poker.engine.events import Chat
from yawc_poker.engine.game import EventT, ViewT
from yawc_poker.engine.values import LogEntry
from yawc_poker.table_ui.guide import Guide
from yawc_poker.table_ui.keys import Sentences
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.onlookers import ROOM, place, watching
from yawc_poker.table_ui.scene import Local, LocalT, Occupant, Scene, Turn, shown_seconds
from yawc_poker.table_ui.screen import (
    COLUMNS,
    at_any_time,
    chat_lines,
    clock_text,
    house_lines,
    nobody,
    notice,
    sits_out,
)
from yawc_poker.table_ui.screen import named as with_mark
from yawc_poker.table_ui.speech import INFO, SYSTEM, card_label, in_words, more_games_out, told_name
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
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


_BARE: Final = re.compile(r"(?:\[[^\]]+\] ?-? ?)+")
"""Keys without a text of their own; they share the next one's."""
_CURSOR: Final = "[<-]"
"""Names the cursor keys, by which a card is chosen on a screen."""


class Seen(Protocol):
    """A player as a by-stander sees them (`table_ui.definition.Hand`)."""

    @property
    def active(self) -> bool:
        """Whether they are in the game."""

    @property
    def cards(self) -> Sequence[str] | None:
        """Open cards; None: none are open."""

    @property
    def hidden(self) -> int:
        """The number of hidden cards."""


class Other(NamedTuple):
    """Somebody else at the table."""

    name: str
    open: tuple[str, ...] = ()
    """Their open cards, in words."""
    hidden: int = 0
    """The number of their hidden cards."""
    mark: str = ""
    """That they are not there."""


def told(text: str) -> str:
    """Return a sentence of the log without its prefix; a line of chat keeps its speaker in brackets."""
    for prefix in (INFO, SYSTEM):
        text = text.removeprefix(f"{prefix} ")
    return text


def spaced(text: str) -> str:
    """Return a text whose parts are separated by several blanks with commas between them."""
    return ", ".join(re.split(" {2,}", text.strip()))


def folded(line: str, width: int, hang: str) -> list[str]:
    """Return a line in parts that fit into `width` characters; no key is parted from its text, the rest is indented."""
    kept = line.replace("] ", "]\xa0")
    first = wrap(kept, width)[:1]
    rest = wrap(kept[len(first[0]) :].lstrip(" "), width - len(hang)) if first else []
    return [part.replace("\xa0", " ") for part in (*first, *(hang + one for one in rest))]


def commands(small: Small) -> tuple[str, ...]:
    """Return the keys of the command area, each with its text; those for cursor keys are left out."""
    return tuple(part for line in small.commands if _CURSOR not in line for part in _parts(line))


def always(scene: Scene[ViewT], local: Local, words: Words) -> tuple[str, ...]:
    """Return the keys that work at any time, and those for house players."""
    return (*_parts(at_any_time(words, chats=scene.chats)), *house(local, words), *short(words))


def house(local: Local, words: Words) -> tuple[str, ...]:
    """Return the keys for house players, or of an on-looker, that mean something now; each has a text of its own."""
    alone = (replace(local, house=key) for key in local.house)
    return tuple(part for one in alone for line in house_lines(one, words) for part in _parts(line))


def short(words: Words) -> tuple[str, str]:
    """Return the two keys that tell everything else."""
    return words("[=] State"), words("[?] Keys")


def key_of(part: str) -> str:
    """Return the first key of a part; empty: it has none."""
    found = re.match(r"\[([^\]]+)\]", part)
    return "" if found is None else found[1]


def _parts(line: str) -> list[str]:
    """Return the keys of a line, each with its text: ``[B] Bet   [P] Pass`` has two."""
    parts, begun = [], ""
    for piece in re.split(r" +(?=\[)", line.strip()):
        begun = f"{begun} {piece}".strip()
        if begun and not _BARE.fullmatch(begun):
            parts.append(begun)
            begun = ""
    return [*parts, begun] if begun else parts


def cards_line(cards: Iterable[Held]) -> str:
    """Return cards with their keys: ``[1] king of hearts, [2] ten of clubs (marked)``."""
    return ", ".join(map(_card, cards))


def _card(held: Held) -> str:
    key, note = f"[{held.key}] " if held.key else "", f" ({held.note})" if held.note else ""
    return f"{key}{held.name}{note}"


def named(text: str, words: Words) -> str:
    """Return a card, written as rank and sign, in words; another text, as a game's own kind of card, as it is."""
    try:
        return card_label(card(text), words)
    except (KeyError, ValueError, IndexError):
        return text


def others(hands: Mapping[int, Seen], scene: Scene[ViewT], words: Words) -> tuple[Other, ...]:
    """Return everybody else at the table, with the cards that a by-stander sees."""
    found = []
    for person in scene.people:
        hand, mark = hands.get(person.seat), marked(person, words).removeprefix(person.name)
        if hand is None:
            found.append(Other(person.name, mark=mark))
        else:
            cards = tuple(named(text, words) for text in hand.cards or ())
            found.append(Other(person.name, cards, hand.hidden, mark))
    return tuple(found)


def marked(person: Occupant, words: Words) -> str:
    """Return somebody's name, with a mark if they are not there."""
    return with_mark(replace(person, name=told_name(person.name, words)), COLUMNS, words)


def other_line(other: Other, words: Words) -> str:
    """Return somebody else with their cards."""
    hidden = words.count("{n} covered card", "{n} covered cards", other.hidden) if other.hidden else ""
    cards = ", ".join([*other.open, *([hidden] if hidden else ())])
    return f"{other.name}{other.mark}: {cards}" if cards else other.name + other.mark


MARKS: Final = (30, 10)
"""Seconds left of the own clock at which it is told."""


class Moment(NamedTuple):
    """What is to be said of a table at one moment, besides scene and local state."""

    small: Small
    cards: tuple[Held, ...] = ()
    others: tuple[Other, ...] = ()
    quiet: str = ""
    """Keys that are not told by themselves."""
    unnamed: str = ""
    """The caller's cards, of a game that does not name them one by one."""


class Told(msgspec.Struct, frozen=True):
    """What has been said."""

    turn: Turn | None = None
    running: bool = False
    mode: str = "menu"
    keys: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    cards: str = ""
    """The default line of a game that names no cards one by one."""
    open: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The others' open cards by their names."""
    notice: str = ""
    waits: bool = False
    waiting: int = 0
    """X-messages."""
    deadline: float | None = None
    left: int = 0
    """Seconds of that deadline that have been told, the fewest."""
    sits_out: bool = False


class Question(NamedTuple):
    """An open prompt."""

    lines: tuple[str, ...]
    """Said before it, once."""
    text: str
    """Stands before what is typed."""
    is_line: bool
    """A line of text is typed; otherwise one key is the answer."""


def known(scene: Scene[ViewT], moment: Moment) -> Told:
    """Return what has been said once the whole state was told."""
    return Told(
        running=scene.running,
        held=tuple(held.name for held in moment.cards),
        cards=moment.unnamed,
        open=tuple((other.name, other.open) for other in moment.others),
        waiting=scene.waiting,
        sits_out=scene.sits_out,
    )


class News(NamedTuple):
    """The lines that say what is new."""

    said: tuple[str, ...]
    asked: tuple[str, ...]
    """What the caller is asked on their own turn, said last."""


def news(before: Told, scene: Scene[ViewT], local: Local, words: Words, moment: Moment) -> tuple[Told, News]:
    """Return what has been said then, and what is new."""
    if scene.running and not before.running:
        before = replace(before, held=(), open=())  # another game, other cards
    keys = (*commands(moment.small), *house(local, words)) if local.mode == "menu" else before.keys
    now = Told(
        turn=scene.turn,
        running=scene.running,
        mode=local.mode,
        keys=keys,
        held=tuple(held.name for held in moment.cards),
        cards=moment.unnamed,
        open=tuple((other.name, other.open) for other in moment.others),
        notice=local.notice,
        waits=local.waits,
        waiting=scene.waiting,
        deadline=scene.deadline,
        left=_left(before, scene),
        sits_out=scene.sits_out,
    )
    said = (
        *_messages(before, scene, words),
        *_notice(before, scene, local, words),
        *_laid_open(before, moment.others, words),
    )
    asked = (*_cards(before, scene, words, moment), *_keys(before, now, scene, words, moment))
    left = tuple(_clock(before, now, scene, words))
    return now, News((*said, *left), asked) if scene.turn is not None else News((*said, *asked, *left), ())


def hand(moment: Moment, words: Words) -> str:
    """Return the caller's cards in a line; empty: there are none."""
    if moment.cards:
        return words("Your cards: {cards}", cards=cards_line(moment.cards))
    return words("Your cards: {cards}", cards=in_words(moment.unnamed, words)) if moment.unnamed else ""


def _messages(before: Told, scene: Scene[ViewT], words: Words) -> Iterator[str]:
    if scene.waiting > before.waiting:
        yield words.count("{n} X-message waits for you.", "{n} X-messages wait for you.", scene.waiting)


def _notice(before: Told, scene: Scene[ViewT], local: Local, words: Words) -> Iterator[str]:
    if scene.sits_out and not before.sits_out:
        yield sits_out(words)
    if local.waits:
        text = notice(scene, local, words)
        if text and not before.waits:
            yield text
    elif local.notice and local.notice != before.notice:
        yield local.notice


def _laid_open(before: Told, others: Iterable[Other], words: Words) -> Iterator[str]:
    """Return the cards that the others have laid open meanwhile."""
    known = dict(before.open)
    for other in others:
        new = _gained(known.get(other.name, ()), other.open)
        if new:
            yield words("{name} lays open: {cards}.", name=other.name, cards=", ".join(new))


def _gained(before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return what is in the second row and not in the first, in its order."""
    left, new = Counter(before), []
    for one in now:
        if left[one]:
            left[one] -= 1
        else:
            new.append(one)
    return new


def _cards(before: Told, scene: Scene[ViewT], words: Words, moment: Moment) -> Iterator[str]:
    """Return the cards that have come, and on one's own turn those that have a key."""
    cards = moment.cards
    if not cards:
        if moment.unnamed and moment.unnamed != before.cards:
            yield words("Your cards: {cards}", cards=in_words(moment.unnamed, words))
        return
    new, keyed = _gained(before.held, [held.name for held in cards]), [held for held in cards if held.key]
    is_begun = scene.turn is not None and scene.turn != before.turn
    if not before.held or (is_begun and len(keyed) == len(cards)):
        yield words("Your cards: {cards}", cards=cards_line(cards))
        return
    if new:
        yield words("New cards: {cards}", cards=", ".join(new))
    if keyed and (is_begun or (new and scene.turn is not None)):
        yield words("You may play: {cards}", cards=cards_line(keyed))


def _keys(before: Told, now: Told, scene: Scene[ViewT], words: Words, moment: Moment) -> Iterator[str]:
    if now.mode != "menu":
        if now.mode == "chat" and scene.turn is not None and scene.turn != before.turn:
            yield words("It is your turn!")
        return
    keys = [part for part in now.keys if key_of(part) not in moment.quiet]
    if scene.turn is not None:
        row = ", ".join((*keys, words("[.] Chat"), *short(words)) if scene.chats else (*keys, *short(words)))
        if scene.turn != before.turn or before.mode == "chat":
            yield _own_turn(scene, row, words)
        elif now.keys != before.keys or before.mode != "menu":
            yield words("Keys: {keys}", keys=row)
        return
    new = keys if before.waits and not now.waits else [part for part in keys if part not in before.keys]
    if new:
        yield words("Keys: {keys}", keys=", ".join(new))


def _own_turn(scene: Scene[ViewT], keys: str, words: Words) -> str:
    if scene.deadline is None:
        return words("Your turn: {keys}", keys=keys)
    return words("Your turn, {seconds} seconds: {keys}", seconds=shown_seconds(scene), keys=keys)


# --- the clock --------------------------------------------------------------------------------------------------------


def _runs(scene: Scene[ViewT]) -> bool:
    """Return whether the own clock is worth a warning: not that of a master who is alone, which begins again."""
    return scene.deadline is not None and (scene.running or bool(scene.people))


def _seconds(scene: Scene[ViewT]) -> int:
    return 0 if scene.deadline is None else max(math.ceil(scene.deadline - scene.now), 0)


def _left(before: Told, scene: Scene[ViewT]) -> int:
    """Return the seconds that have been told once this is told."""
    if not _runs(scene):
        return 0
    seconds = _seconds(scene)
    return seconds if before.deadline != scene.deadline or _mark(before, scene) is not None else before.left


def _mark(before: Told, scene: Scene[ViewT]) -> int | None:
    """Return the mark that the clock has passed since it was told, the last of several."""
    seconds = _seconds(scene)
    return next((mark for mark in reversed(MARKS) if seconds <= mark < before.left), None)


def _clock(before: Told, now: Told, scene: Scene[ViewT], words: Words) -> Iterator[str]:
    if _runs(scene) and before.deadline == now.deadline and _mark(before, scene) is not None:
        yield words.count("{n} second left.", "{n} seconds left.", _seconds(scene))


def next_mark(now: Told, scene: Scene[ViewT]) -> float | None:
    """Return when time alone makes something to be said next, in monotonic seconds; None: it does not."""
    if now.waits and scene.pause_until > scene.now:
        return scene.pause_until
    if scene.deadline is None or not _runs(scene):
        return None
    return next((scene.deadline - mark for mark in MARKS if mark < now.left), None)


# --- prompts ----------------------------------------------------------------------------------------------------------


def question(scene: Scene[ViewT], local: Local, words: Words, small: Small) -> Question | None:
    """Return the prompt that is open; None: keys act at once."""
    if local.mode == "menu":
        return None
    if local.mode == "chat":
        return Question((", ".join(commands(Small(chat_lines(words)))),), f"{scene.name}: ", is_line=True)
    lines = list(small.commands) or ["?"]
    if small.number is None:
        return Question((), " ".join(lines) + " ", is_line=False)
    said = (", ".join(commands(Small([line]))) for place, line in enumerate(lines) if place != small.number)
    return Question(tuple(said), lines[small.number] + " ", is_line=True)


def all_keys(scene: Scene[ViewT], local: Local, words: Words, moment: Moment) -> tuple[str, ...]:
    """Return all keys that mean something now, in lines."""
    cards = cards_line(held for held in moment.cards if held.key)
    keys = ", ".join((*commands(moment.small), *always(scene, local, words)))
    return (*([cards] if cards else ()), words("Keys: {keys}", keys=keys))


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
    yield hand(moment, words)
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
