"""A line in memory and an eye on the terminal at its end (pyte)."""

from typing import NamedTuple

import pyte

from tests.terminal import Screen
from yawc_poker.terminal.frame import Frame
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.line import Line
from yawc_poker.transport import OUTPUT_LIMIT, LineClosed, Transport

LOW_GLYPHS = {3: "♥", 4: "♦", 6: "♠"}
ENQUIRY = "\5"


class Watched(Screen):
    """A screen that records what a terminal does besides showing text: answer, ring, change its title."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.actions: list[str] = []

    def write_process_input(self, data: str) -> None:
        self.actions.append(f"answers {data!r}")

    def inbox(self, *args: object) -> None:
        self.actions.append("rings")

    def set_title(self, param: str) -> None:
        self.actions.append(f"is called {param!r}")

    def set_icon_name(self, param: str) -> None:
        self.actions.append(f"its icon is called {param!r}")


class Nothing(Transport):
    """What a line in memory has below it."""

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        pass

    def _read(self, most: int) -> bytes:
        raise BlockingIOError

    def _write(self, data: bytearray) -> int:
        return len(data)


class MemoryLine(Line):
    """A `Line` in memory: `typed` is a test's input, `sent` the output."""

    def __init__(
        self, kind: str = "xterm-256color", charset: Charset = "utf-8", columns: int = 80, rows: int = 24
    ) -> None:
        super().__init__(Nothing(), "memory")
        self.kind, self.charset = kind, charset
        self.columns, self.rows = columns, rows
        self.sent = bytearray()
        self.sends = 0
        self.typed = bytearray()
        self.closed = False

    def receive(self) -> bytes:
        data = bytes(self.typed)
        self.typed.clear()
        return data

    def send(self, data: bytes) -> None:
        if self.closed or len(data) > OUTPUT_LIMIT:
            raise LineClosed("closed")
        self.sends += 1
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def take(self) -> bytes:
        """Return what was sent since the last call."""
        data = bytes(self.sent)
        self.sent.clear()
        return data


class Cell(NamedTuple):
    """The visible properties of a cell."""

    character: str
    front: str
    ground: str
    bold: bool
    reverse: bool


BLANK = Cell(" ", "default", "default", False, False)


class Eye:
    """A terminal of one charset that shows what it is sent."""

    def __init__(self, columns: int = 80, rows: int = 24, charset: Charset = "utf-8") -> None:
        self.charset = charset
        self.screen = Watched(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._bytes = pyte.ByteStream(self.screen)

    def see(self, data: bytes) -> None:
        """Show bytes."""
        if ENQUIRY.encode() in data:  # unknown to pyte
            self.screen.actions.append("answers an enquiry")
        if self.charset == "utf-8":
            self._bytes.feed(data)
        else:
            code_page = self.charset if self.charset in {"cp850", "latin-1"} else "cp437"
            self._stream.feed("".join(LOW_GLYPHS.get(ord(c), c) for c in data.decode(code_page)))

    def cell(self, column: int, row: int) -> Cell:
        """Return a cell as a person sees it: all plain blanks are alike."""
        seen = self.screen.buffer[row][column]
        cell = Cell(seen.data, seen.fg, seen.bg, seen.bold, seen.reverse)
        return BLANK if cell.character == " " and cell.ground == "default" and not cell.reverse else cell

    def cells(self) -> list[list[Cell]]:
        """Return the whole screen, row by row."""
        return [[self.cell(x, y) for x in range(self.screen.columns)] for y in range(self.screen.lines)]

    @property
    def rows(self) -> list[str]:
        """The screen's text."""
        return list(self.screen.display)

    @property
    def actions(self) -> list[str]:
        """What the terminal did besides showing."""
        return self.screen.actions

    @property
    def cursor(self) -> tuple[int, int] | None:
        """The cursor's (column, row); None: hidden."""
        return None if self.screen.cursor.hidden else (self.screen.cursor.x, self.screen.cursor.y)


def texts(frame: Frame) -> list[str]:
    """Return a frame's text, row by row."""
    return [row.text for row in frame.rows]
