"""Lines about keys and cards, made of the texts that a screen has. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from yawc_poker.cards import card
from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.linear.contract import Held
from yawc_poker.table_ui.scene import Local, Occupant, Scene
from yawc_poker.table_ui.screen import COLUMNS, at_any_time, house_lines
from yawc_poker.table_ui.screen import named as with_mark
from yawc_poker.table_ui.speech import INFO, SYSTEM, card_label
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

STATE: Final = "="
"""The key that tells the state; no game and no prompt uses it."""
KEYS: Final = "?"
"""The key that tells all keys."""

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
    return with_mark(person, COLUMNS, words)


def other_line(other: Other, words: Words) -> str:
    """Return somebody else with their cards."""
    hidden = words.count("{n} covered card", "{n} covered cards", other.hidden) if other.hidden else ""
    cards = ", ".join([*other.open, *([hidden] if hidden else ())])
    return f"{other.name}{other.mark}: {cards}" if cards else other.name + other.mark
