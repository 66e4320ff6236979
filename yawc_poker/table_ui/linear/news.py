"""What is new at a table since the last look, in lines, each said once. Pure.

Owns what a caller in lines has been told (`Told`): notices, own cards, others' cards that are laid open, the own turn
with its keys, the last seconds of the own clock. What the log says is not among it. A screen shows all that there is; a
line is read once, so only what is new is said, and all of it by the state key (`table_ui.linear.state`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.linear.contract import Held
from yawc_poker.table_ui.linear.phrases import Other, always, cards_line, commands, house, key_of, short
from yawc_poker.table_ui.scene import Local, Scene, Turn, shown_seconds
from yawc_poker.table_ui.screen import chat_lines, notice, sits_out
from yawc_poker.table_ui.speech import in_words
from yawc_poker.words import Words

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


def news(before: Told, scene: Scene[ViewT], local: Local, words: Words, moment: Moment) -> tuple[Told, tuple[str, ...]]:
    """Return what has been said then, and the lines that say what is new."""
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
    lines = (
        *_messages(before, scene, words),
        *_notice(before, scene, local, words),
        *_laid_open(before, moment.others, words),
        *_cards(before, scene, words, moment),
        *_keys(before, now, scene, words, moment),
        *_clock(before, now, scene, words),
    )
    return now, lines


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
