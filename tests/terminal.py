"""A terminal's screen (pyte), faster: most letters are one cell wide, and whoever waits looks at it very often."""

from collections.abc import Iterable, Iterator
from functools import cache

import pyte
from pyte.charsets import LAT1_MAP
from pyte.modes import IRM
from wcwidth import wcwidth


@cache
def _is_narrow(letter: str) -> bool:
    return wcwidth(letter) == 1


@cache
def _is_wide(letter: str) -> bool:
    return wcwidth(letter) == 2


def _shown(cells: Iterable[str]) -> Iterator[str]:
    """Yield what cells show; the one behind a wide letter belongs to that."""
    behind = False
    for text in cells:
        if not behind:
            yield text
        behind = not behind and _is_wide(text[:1])


class Screen(pyte.Screen):
    """A screen that draws a whole text at once where each letter takes one cell, and reads only changed lines anew."""

    def __init__(self, columns: int, rows: int) -> None:
        self._texts: list[str] = []
        self._known: dict[tuple[str, pyte.screens.Char], pyte.screens.Char] = {}
        """Cells by letter and attributes."""
        super().__init__(columns, rows)

    def draw(self, data: str) -> None:
        """Draw a text at the cursor."""
        cursor = self.cursor
        if (
            len(data) > self.columns - cursor.x
            or self.charset
            or self.g0_charset is not LAT1_MAP
            or IRM in self.mode
            or not all(map(_is_narrow, data))
        ):
            above = cursor.y - 1  # whose last cell a combining letter may change
            super().draw(data)
            self.dirty.update(range(max(above, 0), cursor.y + 1))
            return
        line, attributes, known = self.buffer[cursor.y], cursor.attrs, self._known
        for column, letter in enumerate(data, cursor.x):
            cell = known.get((letter, attributes))
            if cell is None:
                cell = known[letter, attributes] = attributes._replace(data=letter)
            line[column] = cell
        cursor.x += len(data)
        self.dirty.add(cursor.y)

    @property
    def display(self) -> list[str]:
        """The lines, each as wide as the screen."""
        if len(self._texts) != self.lines:
            self._texts, self.dirty = [""] * self.lines, set(range(self.lines))
        for row in self.dirty:
            if row < self.lines:
                line = self.buffer[row]
                self._texts[row] = "".join(_shown(line[column].data for column in range(self.columns)))
        self.dirty.clear()
        return list(self._texts)
