"""A table told in lines, for callers without a screen: rows as sentences, the state, the prompts. Pure.

Owns what a game adds (`Linear`), and what is said of one that says nothing of its own: its sentences, and what a small
window shows. Owns what a caller in lines has been told of the moment (`Told`): notices, the own turn with its keys, the
last seconds of the own clock. All that happens comes as rows (`table_ui.rows`), and `spoken_row` is how each of them
reads: once, in order, no seal, own chat not again. A screen shows all that there is; a line is read once, so only what
is new is said, and all of it by the state key (`state`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, Self

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card, card
from yawc_poker.engine.events import Chat, Committed, DealtBy, OnlookerChat, Sealed
from yawc_poker.engine.game import EventT, ViewT
from yawc_poker.engine.values import LogEntry
from yawc_poker.table_ui.guide import RANGE, Guide
from yawc_poker.table_ui.keys import Sentences
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.onlookers import ROOM, called, place, watching
from yawc_poker.table_ui.rows import Missed
from yawc_poker.table_ui.scene import Local, LocalT, Occupant, Scene, Turn, shown_seconds
from yawc_poker.table_ui.screen import (
    COLUMNS,
    at_any_time,
    chat_lines,
    clock_text,
    nobody,
    notice,
    sits_out,
    whole_lines,
)
from yawc_poker.table_ui.screen import named as with_mark
from yawc_poker.table_ui.speech import INFO, SYSTEM, card_text, in_words, more_games_out, told_name
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import hanging
from yawc_poker.words import Words, mark


class Held(NamedTuple):
    """A card of the caller's."""

    card: Card
    name: str
    key: str = ""
    """The key that plays or marks it; empty: none does now."""
    note: str = ""
    """What the caller has done with it, as "marked"."""

    @classmethod
    def of(cls, card: Card, words: Words, key: str = "", note: str = "") -> Self:
        """Return a card with its name in the caller's words."""
        return cls(card, card_text(card, words), key, note)


class Who(NamedTuple):
    """Whom a row is about, and who hears it."""

    own: bool
    """It is about the caller."""
    names: Sequence[str]
    """The players by seat, also those who have left, or their stand-ins."""


def _nothing(scene: Scene[ViewT], local: LocalT, words: Words) -> tuple[str, ...]:
    return ()


def _no_echo(scene: Scene[ViewT], before: LocalT, after: LocalT, words: Words) -> tuple[str, ...]:
    return ()


class Linear(NamedTuple, Generic[EventT, ViewT, LocalT]):
    """A game in lines."""

    sentences: Callable[[LogEntry[EventT], Who, Words], tuple[str, ...]]
    """A row of the log, with all that a screen would show of it, such as a card that is played."""
    cards: Callable[[Scene[ViewT], LocalT, Words], tuple[Held, ...]]
    """The caller's cards, in the order of their keys."""
    facts: Callable[[Scene[ViewT], LocalT, Words], tuple[str, ...]]
    """What the state key tells of the game: the round, the trick, the points."""
    echo: Callable[[Scene[ViewT], LocalT, LocalT, Words], tuple[str, ...]] = _no_echo
    """What a key has changed that only a screen would show: local state before, and behind."""
    asked: Callable[[Scene[ViewT], LocalT, Words], tuple[str, ...]] = _nothing
    """What one needs to know on one's own turn: what lies there, the pot, the limits."""
    scores: Callable[[Scene[ViewT], LocalT, Words], tuple[str, ...]] = _nothing
    """The scores with their reasons; nothing: there are none yet."""
    scores_key: str = "T"
    """The key that tells the scores, none of the game's own; empty: nothing tells them."""
    quiet: str = ""
    """Keys that are not told whenever they begin to mean something: of pages, and of cards, which are told by name."""
    others: bool = True
    """The others' open and covered cards are told by the state key."""
    names_cards: bool = True
    """`cards` tells the caller's cards; otherwise what a small window shows of them is told."""


def by_default(sentences: Sentences[EventT]) -> Linear[EventT, ViewT, LocalT]:
    """Return what is said of a game that has nothing of its own: cards that are written by signs are named."""

    def named(entry: LogEntry[EventT], who: Who, words: Words) -> tuple[str, ...]:
        return tuple(in_words(text, words) for text in without_prefix(sentences(entry, words)))

    return Linear(named, _no_cards, _nothing, scores_key="", names_cards=False)


def _no_cards(scene: Scene[ViewT], local: LocalT, words: Words) -> tuple[Held, ...]:
    return ()


# --- rows -------------------------------------------------------------------------------------------------------------


def spoken_row(
    row: LogEntry[EventT] | Missed, linear: Linear[EventT, ViewT, LocalT], who: Who, words: Words
) -> tuple[str, ...]:
    """Return a row as it is told in lines: nothing of a seal, which one asks for, and of what the caller has typed."""
    if isinstance(row, Missed):
        return (words.count("{n} event was missed.", "{n} events were missed.", row.entries),)
    match row.event:
        case Sealed() | DealtBy() | Committed():
            return ()
        case Chat(text=text):
            return () if who.own else (chat_line(row.name, text, words),)
        case OnlookerChat(text=text):
            return () if who.own else (chat_line(called(row.name, words), text, words),)
        case _:
            return linear.sentences(row, who, words)


def chat_line(name: str, text: str, words: Words) -> str:
    """Return what somebody said, with a mark that sets it apart from the game."""
    return words("Chat, {name}: {text}", name=name, text=text)


def without_prefix(lines: Iterable[tuple[str, Style]]) -> tuple[str, ...]:
    """Return messages of the screen without their prefixes."""
    return tuple(text.removeprefix(f"{INFO} ").removeprefix(f"{SYSTEM} ") for text, _ in lines)


# --- keys -------------------------------------------------------------------------------------------------------------

EARLIER: Final = "<"
"""The key that tells the events again, from the newest back, one by one."""
LATER: Final = ">"
"""The key that goes forward again among them."""

_BARE: Final = re.compile(r"(?:\[[^\]]+\] ?-? ?)+")
"""Keys without a text of their own; they share the next one's."""
_CURSOR: Final = "[<-]"
"""Names the cursor keys, by which a card is chosen on a screen."""


class Seen(Protocol):
    """A player as a by-stander sees them (`table_ui.definition.Hand`)."""

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


def spaced(text: str) -> str:
    """Return a text whose parts are separated by several blanks with commas between them."""
    return ", ".join(re.split(" {2,}", text.strip()))


def folded(line: str, width: int, hang: str) -> list[str]:
    """Return a line in parts that fit into `width` characters; no key is parted from its text, the rest is indented."""
    kept = line.replace("] ", "]\xa0")
    return [part.replace("\xa0", " ") for part in hanging(kept, width, hang)]


def commands(small: Small) -> tuple[str, ...]:
    """Return the keys of the command area, each with its text; those for cursor keys are left out."""
    return tuple(part for line in small.commands if _CURSOR not in line for part in _parts(line))


def always(scene: Scene[ViewT], local: Local, words: Words) -> tuple[str, ...]:
    """Return the keys that work at any time, and those for house players."""
    return (*_parts(at_any_time(words, chats=scene.chats)), *house(local, words), *short(words))


def house(local: Local, words: Words) -> tuple[str, ...]:
    """Return the keys for house players, of an on-looker and of extras that mean something now, each with its text."""
    return tuple(part for line in whole_lines(local, words) for part in _parts(line))


def short(words: Words) -> tuple[str, str]:
    """Return the two keys that tell everything else."""
    return words("[=] State"), words("[?] Keys")


_SIGNS: Final = {
    ".": mark("full stop"),
    ",": mark("comma"),
    "=": mark("equals sign"),
    "?": mark("question mark"),
    "<": mark("less-than sign"),
    ">": mark("greater-than sign"),
    "+": mark("plus"),
    "-": mark("minus"),
    "*": mark("star"),
    "#": mark("number sign"),
    "!": mark("exclamation mark"),
}
_SIGN: Final = re.compile(r"\[([^\w\s])\]")


def spoken_keys(line: str, words: Words) -> str:
    """Return a line in which each key that is a sign is named behind it: speech leaves signs out."""
    return _SIGN.sub(lambda found: f"{found[0]} ({words(_SIGNS[found[1]])})" if found[1] in _SIGNS else found[0], line)


def key_of(part: str) -> str:
    """Return the first key of a part; empty: it has none."""
    found = re.match(r"\[([^\]]+)\]", part)
    return "" if found is None else found[1]


def _parts(line: str) -> list[str]:
    """Return the keys of a line, each with its text: ``[B] Bet   [P] Pass`` has two."""
    parts, begun = [], ""
    for piece in re.split(r" +(?=\[)", line.strip()):
        begun = f"{begun} {piece}".strip(" ,")
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
        return card_text(card(text), words)
    except (KeyError, ValueError, IndexError):
        return text


def others(hands: Mapping[int, Seen], scene: Scene[ViewT], words: Words) -> tuple[Other, ...]:
    """Return everybody else at the table, with the cards that a by-stander sees."""
    found = []
    for person in scene.people:
        held, name = hands.get(person.seat), told_name(person.name, words)
        mark = marked(person, words).removeprefix(name)
        if held is None:
            found.append(Other(name, mark=mark))
        else:
            cards = tuple(named(text, words) for text in held.cards or ())
            found.append(Other(name, cards, held.hidden, mark))
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
    asked: tuple[str, ...] = ()
    """What one needs to know on one's own turn."""
    quiet: str = ""
    """Keys that are not told by themselves."""
    unnamed: str = ""
    """The caller's cards, of a game that does not name them one by one."""
    brief: bool = False
    """Nothing is told that a key would tell: the moment before the own turn, keys that always work."""


class Told(msgspec.Struct, frozen=True):
    """What has been said."""

    turn: Turn | None = None
    mode: str = "menu"
    keys: tuple[str, ...] = ()
    """Of the command area."""
    around: tuple[str, ...] = ()
    """The keys for house players, of an on-looker and of extras."""
    notice: str = ""
    waits: bool = False
    waiting: int = 0
    """X-messages."""
    deadline: float | None = None
    left: int = 0
    """Seconds of that deadline that have been told, the fewest."""
    sits_out: bool = False
    game: int = 0
    """Number of the game in which the keys that always work were told."""
    offered: tuple[str, ...] = ()
    """Those of extras that were told on the own turn in that game."""


class Question(NamedTuple):
    """An open prompt."""

    lines: tuple[str, ...]
    """Said before it, once."""
    text: str
    """Stands before what is typed."""
    is_line: bool
    """A line of text is typed; otherwise one key is the answer."""


def known(scene: Scene[ViewT]) -> Told:
    """Return what has been said once the whole state was told."""
    return Told(waiting=scene.waiting, sits_out=scene.sits_out)


class News(NamedTuple):
    """The lines that say what is new."""

    said: tuple[str, ...]
    asked: tuple[str, ...]
    """What the caller is asked on their own turn, said last."""


def news(before: Told, scene: Scene[ViewT], local: Local, words: Words, moment: Moment) -> tuple[Told, News]:
    """Return what has been said then, and what is new of the moment, behind all rows."""
    is_menu, own = local.mode == "menu", scene.turn is not None
    around = house(local, words) if is_menu else before.around
    offered = before.offered if before.game == scene.number else ()
    now = Told(
        turn=scene.turn,
        mode=local.mode,
        keys=commands(moment.small) if is_menu else before.keys,
        around=around,
        notice=local.notice,
        waits=local.waits,
        waiting=scene.waiting,
        deadline=scene.deadline,
        left=_left(before, scene),
        sits_out=scene.sits_out,
        game=scene.number if own and is_menu else before.game,
        offered=(*offered, *(key for key in around if key not in offered)) if own and is_menu else before.offered,
    )
    said = (
        *_messages(before, scene, words),
        *_notice(before, scene, local, words),
    )
    asked = (*_question(before, now, scene, words, moment), *_keys(before, now, scene, words, moment))
    left = tuple(_clock(before, now, scene, words, moment))
    return now, News((*said, *left), asked) if own else News((*said, *asked, *left), ())


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


def _question(before: Told, now: Told, scene: Scene[ViewT], words: Words, moment: Moment) -> Iterator[str]:
    """Return on one's own turn what one needs to know then, and the cards that have a key; not into a prompt."""
    if scene.turn is None or now.mode != "menu" or not _is_told_now(before, scene):
        return
    if not moment.brief:
        yield from moment.asked
    keyed = [held for held in moment.cards if held.key]
    if keyed and len(keyed) == len(moment.cards):
        yield words("Your cards: {cards}", cards=cards_line(keyed))
    elif keyed:
        yield words("You may play: {cards}", cards=cards_line(keyed))
    elif moment.unnamed:
        yield words("Your cards: {cards}", cards=in_words(moment.unnamed, words))


def _keys(before: Told, now: Told, scene: Scene[ViewT], words: Words, moment: Moment) -> Iterator[str]:
    if now.mode != "menu":
        if now.mode == "chat" and scene.turn is not None and scene.turn != before.turn:
            yield words("It is your turn!")
        return
    keys = [part for part in now.keys if key_of(part) not in moment.quiet]
    if scene.turn is not None:
        is_known = before.game == scene.number
        more = [part for part in now.around if not is_known or part not in before.offered]
        if not is_known:
            more += [*([words("[.] Chat")] if scene.chats else []), *short(words)]
        more = [] if moment.brief else more
        row = ", ".join([*keys, *more])
        if _is_told_now(before, scene):
            yield _own_turn(scene, row, words)
        elif row and (more or now.keys != before.keys or before.mode != "menu"):
            yield words("Keys: {keys}", keys=row)
        return
    keys += now.around
    new = keys if before.waits and not now.waits else [part for part in keys if part not in before.keys + before.around]
    if new:
        yield words("Keys: {keys}", keys=", ".join(new))


def _is_told_now(before: Told, scene: Scene[ViewT]) -> bool:
    """Return whether the own turn is to be told: it has come, perhaps while the caller wrote a line."""
    return scene.turn != before.turn or before.mode == "chat"


def _own_turn(scene: Scene[ViewT], keys: str, words: Words) -> str:
    """Return that it is the caller's turn, with the keys; there may be none but those of cards, which were told."""
    if scene.deadline is None:
        return words("Your turn: {keys}", keys=keys) if keys else words("Your turn.")
    if not keys:
        return words("Your turn, {seconds} seconds.", seconds=shown_seconds(scene))
    return words("Your turn, {seconds} seconds: {keys}", seconds=shown_seconds(scene), keys=keys)


# --- the clock --------------------------------------------------------------------------------------------------------


def _runs(scene: Scene[ViewT]) -> bool:
    """Return whether the own clock is worth a warning: not a master's who is alone or away, which begins again."""
    return scene.deadline is not None and (scene.running or (bool(scene.people) and not scene.sits_out))


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
    return next((one for one in reversed(MARKS) if seconds <= one < before.left), None)


def _clock(before: Told, now: Told, scene: Scene[ViewT], words: Words, moment: Moment) -> Iterator[str]:
    passed = _mark(before, scene) if _runs(scene) and before.deadline == now.deadline else None
    if passed is not None and not (moment.brief and passed == MARKS[0]):
        yield words.count("{n} second left.", "{n} seconds left.", _seconds(scene))


def next_mark(now: Told, scene: Scene[ViewT]) -> float | None:
    """Return when time alone makes something to be said next, in monotonic seconds; None: it does not."""
    if now.waits and scene.pause_until > scene.now:
        return scene.pause_until
    if scene.deadline is None or not _runs(scene):
        return None
    return next((scene.deadline - one for one in MARKS if one < now.left), None)


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


def other_keys(guide: Guide, scores: str, words: Words) -> Iterator[str]:
    """Yield the keys that mean nothing now, each with when it does, in a sentence.

    From a page that is told no key leads back. The key that tells the `scores` has its own sentence.
    """
    for key in guide.keys:
        kept = RANGE.sub(lambda found: found[0].replace(" ", "\xa0"), key.text)
        parts = [part.replace("\xa0", " ") for part in commands(Small([kept])) if key_of(part) != scores]
        if parts and not key.is_usable:
            yield _when("" if key.when == words("again: back") else key.when, ", ".join(parts), words)


def _when(when: str, keys: str, words: Words) -> str:
    return words("{keys}, when: {when}.", keys=keys, when=when) if when else f"{keys}."


def own_keys(words: Words, scores: str) -> tuple[str, ...]:
    """Return the keys that only a caller in lines has, in sentences; `scores` is the key that tells the scores."""
    return (
        words("[=] tells the state, [{key}] the scores.", key=scores) if scores else words("[=] tells the state."),
        words("[<] tells the last events again, one by one, the newest first; [>] goes forward again."),
        words("/brief tells less, /full more; /seal tells the seal; /screen draws the table."),
    )


def state(
    scene: Scene[ViewT], words: Words, moment: Moment, facts: Sequence[str], *, others: bool = True
) -> tuple[str, ...]:
    """Return whose turn it is with the pot, the caller's cards, what the game says (`facts`), the others.

    `others`: with the cards of the others. The shortest and most important comes first; seals are not among it.
    """
    return tuple(line for line in _lines(scene, words, moment, facts, others=others) if line)


def _lines(scene: Scene[ViewT], words: Words, moment: Moment, facts: Sequence[str], *, others: bool) -> Iterator[str]:
    if scene.looks_on:
        yield place(words)
    if scene.out:
        yield more_games_out(scene.out, words)
    elif scene.sits_out:
        yield sits_out(words)
    yield _turn(scene, words)
    if scene.pot:
        yield f"{words('Pot:')} {scene.pot} CUBES"
    yield hand(moment, words)
    yield from facts
    if others and any(other.open or other.hidden for other in moment.others):
        yield from (other_line(other, words) for other in moment.others)
    else:
        names = ", ".join(other.name + other.mark for other in moment.others) or nobody(words)
        yield f"{words('Players') if scene.looks_on else words('With you at the table')}: {names}"
    if scene.master:
        yield f"{words('Master:')} {scene.master}"
    if scene.waiting:
        yield words.count("{n} X-message waits for you.", "{n} X-messages wait for you.", scene.waiting)
    yield watching(scene.watching, ROOM, words)


def worth(guide: Guide, words: Words) -> tuple[str, ...]:
    """Return what a game's cards are worth, as its help tells it."""
    return (f"{guide.title}:", *(spaced(in_words(line.text, words)) for line in guide.lines if line.text.strip()))


def _turn(scene: Scene[ViewT], words: Words) -> str:
    current = (scene.current or "") if scene.running else words("NO GAME")
    clock = "" if scene.deadline is None else f", {clock_text(shown_seconds(scene))[0].strip()}"
    return f"{words('Turn:')} {current}{clock}"
