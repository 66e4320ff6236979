"""Keys by name, and the editor of one line of text. Pure."""

import msgspec

from yawc_poker.terminal.text import REPLACEMENT, is_harmless

ENTER = "\r"
ESCAPE = "\x1b"
BACKSPACE = "\x7f"
TAB = "\t"
KILL = "\x15"
"""^U: delete the whole line."""
WORD = "\x17"
"""^W: delete the last word."""
REDRAW = "\x0c"
"""^L: draw the screen anew."""
BREAK = "\x03"
"""^C."""
KEY_UP = "KEY_UP"
KEY_DOWN = "KEY_DOWN"
KEY_LEFT = "KEY_LEFT"
KEY_RIGHT = "KEY_RIGHT"
KEY_HOME = "KEY_HOME"
KEY_END = "KEY_END"
KEY_DELETE = "KEY_DELETE"
KEY_PGUP = "KEY_PGUP"
KEY_PGDOWN = "KEY_PGDOWN"
KEY_F1 = "KEY_F1"
REPLACED = "\ufffd"
"""A character that was typed and cannot be shown: in a line of text it stands as "?", anywhere else it is no key."""


def is_character(key: str) -> bool:
    """Return whether a key is a printable character rather than one of the named keys."""
    return len(key) == 1 and key != REPLACED and is_harmless(key)


class LineEditor(msgspec.Struct, frozen=True):
    """A line of text being typed; every key gives a new value. ENTER and ESCAPE are its owner's."""

    text: str = ""
    limit: int = 70
    """Most characters."""
    digits_only: bool = False
    right: int = 0
    """Characters right of the cursor, 0..len(text)."""
    longer: tuple[str, int] = ("", 0)
    """The limit of a line that begins with this character; empty: there is no other one."""

    @property
    def position(self) -> int:
        """Where the cursor stands in the text, 0..len(text)."""
        return len(self.text) - self.right

    def key(self, key: str) -> "LineEditor":
        """Return the line after a key; keys that mean nothing here, or find no room, change nothing."""
        if is_character(key):
            return self._inserted(key)
        if key == REPLACED:
            return self._inserted(REPLACEMENT)
        before, behind = self.text[: self.position], self.text[self.position :]
        match key:
            case "\x7f":
                return self._with(before[:-1], behind)
            case "KEY_DELETE":
                return self._with(before, behind[1:])
            case "\x15":
                return self._with("", "")
            case "\x17":
                return self._with(_without_word(before), behind)
        return self._moved(key)

    @property
    def _room(self) -> int:
        sign, limit = self.longer
        return max(limit, self.limit) if sign and self.text.startswith(sign) else self.limit

    def _inserted(self, character: str) -> "LineEditor":
        if len(self.text) >= self._room or (self.digits_only and character not in "0123456789"):
            return self
        return self._with(self.text[: self.position] + character, self.text[self.position :])

    def _moved(self, key: str) -> "LineEditor":
        steps = {
            KEY_LEFT: min(self.right + 1, len(self.text)),
            KEY_RIGHT: max(self.right - 1, 0),
            KEY_HOME: len(self.text),
            KEY_END: 0,
        }
        return msgspec.structs.replace(self, right=steps.get(key, self.right))

    def _with(self, before: str, behind: str) -> "LineEditor":
        return msgspec.structs.replace(self, text=before + behind, right=len(behind))

    def visible(self, width: int, mask: str = "") -> tuple[str, int]:
        """Return the part to show in `width` cells, scrolled so that the cursor is in it, and the cursor's column
        there.

        With `mask`, one character, that is shown for every character of the text (a password).
        """
        width = max(width, 1)
        start = max(self.position - width + 1, 0)
        shown = mask * len(self.text) if mask else self.text
        return shown[start : start + width], self.position - start


def _without_word(text: str) -> str:
    kept = text.rstrip(" ")
    return kept[: kept.rfind(" ") + 1]
