"""Hostile text from strangers, and a check that it reached nothing but its own cells."""

from hypothesis import strategies as st

from tests.screens.eye import Eye, MemoryLine
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.kinds import Charset

MARK = "~"
"""Marks a character of a stranger's text; no text of our own contains it."""

PIECES = (
    "\x1b[2J\x1b[H", "\x1b[1;1H\x1b[K", "\x1b[3;20r", "\x1b[?1049h", "\x1b[?6h", "\x1bc", "\x1b7", "\x1b8", "\x1bM",
    "\x1b(0", "\x1b#8", "\x1b[4h", "\x1b[20h", "\x1b[5i", "\x1b[c", "\x1b[>c", "\x1b[6n", "\x1b[5n", "\x1bZ", "\5",
    "♣♧",
    "\x1b]0;title\a", "\x1b]2;title\x1b\\", "\x1b]52;c;?\a", "\x1b]11;?\a", "\x1bP$qm\x1b\\", "\x1b_app\x1b\\",
    "\x1b^pm\x1b\\", "\x1bX", "\x1b[", "\x1b]", "\x1b", "\x9b2J", "\x9b6n", "\x9d0;title\x9c", "\x90$qm\x9c", "\x9a",
    "\x84\x85\x8d\x88", "¢2J", "É$qmÜ", "¥0;title£", "Ü", "\a", "\b\b\b\b", "\r", "\n", "\r\n", "\t", "\v\f",
    "\x0e\x0f",
    "\0", "\x7f", "\x11\x13", "\x18\x1a", "\xff\xf4", "\u2028", "\u2029", "e\u0301\u0301\u0316", "\u0489", "\u20e3",
    "\u1160\u11a8", "漢字", "ｆｕｌｌ", "가", "🂡🃏", "👩\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f", "\U000e0041", "שלום",
    "مرحبا",
    "\u202eabc\u202c", "\u2066x\u2069", "\u200f", "\u200b\u200d\ufeff\u2060", "\xad", "\ue000\uf8ff", "\U000f0000",
    "\ud800", "\udc9b2J", "\ufffe\uffff", "\u0378", "┌─┐│", "  ", " x ", "{name}", "%s", "[SYSTEM]", "w" * 90,
)  # fmt: skip
ANYTHING = st.characters(codec=None, exclude_categories=())
strangers = st.lists(st.sampled_from(PIECES) | st.text(ANYTHING, max_size=6), max_size=6).map("".join)
"""Any text; most of it would control a terminal or leave its cells."""

TERMINALS: tuple[tuple[str, Charset], ...] = (
    ("xterm-256color", "utf-8"),
    ("linux", "utf-8"),
    ("syncterm", "cp437"),
    ("ansi-bbs", "cp437"),
    ("putty-256color", "cp437"),
    ("vt100", "ascii"),
)
terminals = st.sampled_from(TERMINALS)


def marked(text: str) -> str:
    """Return a text of marks of the same length, with blanks at the same places."""
    return "".join(character if character == " " else MARK for character in text)


class Stage:
    """A caller's screen and the eye that sees it."""

    def __init__(self, terminal: tuple[str, Charset], columns: int = 80, rows: int = 24) -> None:
        kind, charset = terminal
        self.line = MemoryLine(kind, charset, columns, rows)
        self.display = Display(self.line)
        self.eye = Eye(columns, rows, charset)

    def look(self) -> Eye:
        """Show what was sent since the last look."""
        self.eye.see(self.line.take())
        return self.eye


def assert_same_but_marks(seen: Eye, plain: Eye) -> None:
    """Check that a stranger's text changed only the cells of its marks, not the cursor, and caused nothing else."""
    assert (seen.actions, seen.cursor) == ([], plain.cursor)
    for row, (cells, wanted) in enumerate(zip(seen.cells(), plain.cells(), strict=True)):
        for column, (cell, want) in enumerate(zip(cells, wanted, strict=True)):
            assert len(cell.character) == 1
            assert cell == want or want.character == MARK, f"column {column}, row {row}: {seen.rows[row]!r}"
