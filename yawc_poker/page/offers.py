"""Which keys a text offers: ``[B] Bet   [P] Pass`` offers two. Pure.

Menus, prompts and the command area of a table name their keys in brackets, in every language. What a page shows as
buttons is read from the same lines, so that it cannot differ from what the terminal shows.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from yawc_poker.page.protocol import Offer
from yawc_poker.words import TONGUES, Words

_KEY: Final = re.compile(r"\[([^\[\] ]{1,6})\]")
_ENTER: Final = re.compile(r"\(ENTER: ([^()]*)\)")
_YES_OR_NO: Final = re.compile(rf"\([{''.join(tongue.yes for tongue in TONGUES.values())}]/n\)")
_NAMED: Final = frozenset({"ENTER", "ESC"})
_MOST: Final = 64
"""Keys; more are never offered at once."""
_LONGEST: Final = 60
"""Characters of a label."""


def offered(lines: Iterable[str]) -> tuple[Offer, ...]:
    """Return the keys that lines of text offer, each once, in their order; of two labels the later one counts."""
    found: dict[str, Offer] = {}
    for line in lines:
        for offer in _in_line(line):
            found[offer.key] = offer
    return tuple(found.values())[:_MOST]


def yes_or_no(words: Words) -> tuple[Offer, Offer]:
    """Return the keys that answer a question."""
    return Offer("y", words("yes")), Offer("n", words("no"))


def asks_yes_or_no(lines: Iterable[str]) -> bool:
    """Return whether one of these lines is a question that y or n answers."""
    return any(_YES_OR_NO.search(line) for line in lines)


def merged(*groups: Iterable[Offer]) -> tuple[Offer, ...]:
    """Return all offers, each key once, at its first place and with its last label."""
    found = {offer.key: offer for group in groups for offer in group}
    return tuple(found.values())[:_MOST]


def _in_line(line: str) -> Iterator[Offer]:
    """Return the keys of a line.

    Keys without a text of their own share the next one: ``[+] [-] Wish for a suit``; ``[1] - [5] Change cards`` are
    five. A text that follows without a blank is one word, as a card's: ``[1]A+ [2]K-``.
    """
    _, *parts = _KEY.split(line)
    names, texts = parts[::2], parts[1::2]
    shared: list[str] = []
    for name, behind, following in zip(names, texts, [*names[1:], ""], strict=False):
        if following and behind.strip() == "-":
            shared += _range(name, following)
        elif following and not behind.strip():
            shared.append(name)
        else:
            keys, label = [*shared, name], _label(behind)
            for one in keys:
                yield from _offer(one, label if len(keys) == 1 else f"{label} {one}")
            shared = []
    for label in _ENTER.findall(line):
        yield from _offer("ENTER", label)


def _range(first: str, last: str) -> list[str]:
    """Return the digits from the first up to the last, without it."""
    if not (first.isdecimal() and last.isdecimal() and len(first) == len(last) == 1):
        return [first]
    return [str(number) for number in range(int(first), int(last))]


def _label(behind: str) -> str:
    if behind and not behind.startswith(" "):
        return behind.split()[0][:_LONGEST]
    text = re.split(r" {2,}|\(ENTER:", behind.strip())[0]
    return text.removeprefix("...").strip(" -")[:_LONGEST]


def _offer(name: str, label: str) -> Iterator[Offer]:
    if len(name) == 1:
        yield Offer(name.lower(), label)
    elif name in _NAMED:
        yield Offer(name, label)
