"""Golden screens: files that people read, and that a screen must equal. `YAWC_GOLDEN=1 pytest` writes them anew."""

import os
from pathlib import Path

from yawc_poker.terminal.frame import Frame


def drawn(frame: Frame) -> str:
    """Return a frame's text without blanks at the ends of lines."""
    return "".join(row.text.rstrip() + "\n" for row in frame.rows)


def agrees(text: str, path: Path) -> None:
    """Assert that a screen is the one in a file."""
    if os.environ.get("YAWC_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
