"""The help that `?` lays over the screen of a table: its keys, what beats what, the whole seal. Pure.

Owns where its lines stand. The status line with the caller's clock is left as it is, so that who reads sees their turn
come; the table goes on below. Each game writes its own lines (`Face.guide`).

    lines  1 to 11   the keys, those that can be used now marked by `>`
    line  12         the status line of the table
    lines 13 to 23   what the game's cards are worth
    line  24         the seal, if it is told
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.terminal.frame import Canvas, Frame, Piece, Style
from yawc_poker.terminal.widgets import hanging
from yawc_poker.words import Words

WHEN_COLUMN = 41
"""First column of when a key means something."""
SIGN = ">"
"""Before a key that means something now, and before the line that the caller's own cards belong to."""


_KEY: Final = re.compile(r"\[([^\[\] ])\]")
RANGE: Final = re.compile(r"\[(\w)\] [^\s\[\]]{1,5} \[(\w)\]")
"""All keys from one to the other: a word or a dash stands between them."""


class GuideKey(NamedTuple):
    """A line of keys."""

    text: str
    """With the keys in brackets."""
    when: str
    is_usable: bool


class GuideLine(NamedTuple):
    """A line of what cards are worth."""

    text: str
    is_own: bool = False
    """The caller's own cards are that."""


class Guide(NamedTuple):
    """The help of a game."""

    keys: tuple[GuideKey, ...]
    title: str
    lines: tuple[GuideLine, ...]


class SealLine(NamedTuple):
    """The seal at the end of the help."""

    label: str
    """Of which cards it is."""
    seal: str
    """All digits; empty: nothing is sealed."""


def common_keys(scene: Scene[ViewT], local: Local, words: Words) -> tuple[GuideKey, ...]:
    """Return the lines of the keys that mean the same in every game."""
    if scene.looks_on:
        own = [GuideKey(text, words("at any time"), True) for text in common.house_lines(local, words)]
        return (GuideKey(common.at_any_time(words, chats=scene.chats), words("at any time"), True), *own)
    may_start = scene.is_master and not scene.running
    house = (GuideKey(text, words("between games"), not scene.running) for text in common.house_lines(local, words))
    return (
        GuideKey(common.at_any_time(words, chats=scene.chats), words("at any time, in prompts too"), True),
        GuideKey(common.start_line(words), words("the Game-Master, between games"), may_start),
        *house,
        *[GuideKey(text, words("on your turn"), True) for text in common.added_lines(local, words)],
    )


def keys_in(guide: Guide) -> frozenset[str]:
    """Return all keys of one character that the help names, in capitals, also those that mean nothing now.

    Between two of them a word or a dash says that all from one to the other are meant.
    """
    found = set[str]()
    for key in guide.keys:
        found.update(_KEY.findall(key.text.upper()))
        for first, last in RANGE.findall(key.text.upper()):
            found.update(map(chr, range(ord(first), ord(last) + 1)))
    return frozenset(found)


def lines(guide: Guide, sealed: SealLine, words: Words) -> Iterator[str]:
    """Return the help as lines of text of any length, the most important first."""
    for key in guide.keys:
        yield f"{key.text} ({key.when})" if key.when else key.text
    yield f"{guide.title}:"
    for line in guide.lines:
        yield f"{SIGN if line.is_own else ' '} {line.text}"
    if sealed.seal:
        yield f"{sealed.label}:"
        yield sealed.seal
    yield words("Any key: back")


def laid_over(frame: Frame, guide: Guide, sealed: SealLine, words: Words) -> Frame:
    """Return the screen of a table with the help over it; its status line stays, and what is beside or below."""
    canvas = Canvas(frame.columns, len(frame.rows))
    canvas.paste(Piece(0, 0, frame.columns, frame.rows))
    if common.shows_table(frame):
        _draw(canvas, guide, sealed, words)
    else:
        _draw_small(canvas, guide, sealed, words)
    return canvas.frame()


def _draw(canvas: Canvas, guide: Guide, sealed: SealLine, words: Words) -> None:
    """Draw both halves of the help around the status line."""
    last = min(canvas.rows, common.ROWS)
    canvas.fill(0, 0, common.COLUMNS, common.STATUS_ROW)
    canvas.fill(0, common.STATUS_ROW + 1, common.COLUMNS, last - common.STATUS_ROW - 1)
    for row, title in ((0, words("Keys")), (common.STATUS_ROW + 1, guide.title)):
        canvas.put(0, row, "─" * common.COLUMNS, Style.FELT)
        common.draw_title(canvas, 1, row, title)
    back = words("Any key: back")
    common.draw_title(canvas, common.COLUMNS - len(back) - 3, 0, back)
    for row, key in enumerate(guide.keys[: common.STATUS_ROW - 1], 1):
        _draw_key(canvas, row, key)
    room = last - common.STATUS_ROW - 2
    shown = guide.lines[:room]
    for row, line in enumerate(shown, common.STATUS_ROW + 2):
        canvas.put(0, row, SIGN if line.is_own else " ", Style.NEWEST)
        canvas.put(2, row, line.text[: common.COLUMNS - 2], Style.BOLD if line.is_own else Style.PLAIN)
    if sealed.seal and len(shown) < room:
        _draw_seal(canvas, last - 1, room - len(shown), sealed)


def _draw_key(canvas: Canvas, row: int, key: GuideKey) -> None:
    style = Style.PLAIN if key.is_usable else Style.DIM
    text = key.text[: WHEN_COLUMN - 3]
    canvas.put(0, row, SIGN if key.is_usable else " ", Style.NEWEST)
    canvas.put(2, row, text, style)
    if key.is_usable:
        common.draw_keys(canvas, 2, row, text)
    canvas.put(WHEN_COLUMN, row, key.when[: common.COLUMNS - WHEN_COLUMN], style)


def _draw_seal(canvas: Canvas, last: int, room: int, sealed: SealLine) -> None:
    """Draw the seal, behind its label if both have room in a line, else below it; the last cell stays blank."""
    both = f"{sealed.label}: {sealed.seal}"
    found = [both] if len(both) < common.COLUMNS else [f"{sealed.label}:", sealed.seal] if room > 1 else [sealed.seal]
    for row, text in enumerate(found, last - len(found) + 1):
        canvas.put(0, row, text, Style.YELLOW)


def _draw_small(canvas: Canvas, guide: Guide, sealed: SealLine, words: Words) -> None:
    """Draw what there is room for in a small window, below its first line, which has the turn and the clock."""
    canvas.fill(0, 1, canvas.columns, canvas.rows - 1)
    texts = [f"{SIGN if key.is_usable else ' '} {key.text}" for key in guide.keys]
    texts += [f"{SIGN if line.is_own else ' '} {line.text}" for line in guide.lines]
    texts += [f"{sealed.label}: {sealed.seal}"] if sealed.seal else []
    rows = [row for text in texts for row in hanging(text, canvas.columns - 1, "  ")]
    for row, text in enumerate(rows[: canvas.rows - 1], 1):
        canvas.put(0, row, text)
