"""Keys by name, and the editor of one line of text. Pure."""

from typing import Final, Literal, TypeAlias

import msgspec

from yawc_poker.terminal.text import NOT_UNDERSTOOD, REPLACEMENT, in_signs, is_harmless, is_writable, with_typed

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
PASTE = "KEY_PASTE"
"""What follows is pasted (bracketed paste): text, and never a key."""
PASTED = "KEY_PASTED"
"""The end of what is pasted."""
Fault: TypeAlias = Literal["not_understood", "not_shown", "too_long"]
"""Why a typed line is not taken: bytes meant nothing, a terminal cannot show a character, some found no room."""


_BY_NAME: Final = {"ENTER": ENTER, "ESC": ESCAPE}


def typed_for(key: str) -> list[str]:
    """Return what is typed for a key as a page calls it (`page.protocol.Offer`); nothing for an empty one."""
    return [_BY_NAME.get(key, key)] if len(key) == 1 or key in _BY_NAME else [*key, ENTER] if key else []


def is_character(key: str) -> bool:
    """Return whether a key is a character that every terminal shows, rather than one of the named keys."""
    return len(key) == 1 and key != NOT_UNDERSTOOD and is_harmless(key)


def is_key(key: str) -> bool:
    """Return whether a key means something where no text is typed; a character that cannot be shown never does."""
    return key.isascii() or is_character(key)


class LineEditor(msgspec.Struct, frozen=True):
    """A line of text being typed; every key gives a new value. ENTER and ESCAPE are its owner's.

    What cannot be read, shown or held is never dropped in silence: the line has a `fault` until it is edited away.
    """

    text: str = ""
    limit: int = 70
    """Most characters."""
    right: int = 0
    """Characters right of the cursor, 0..len(text)."""
    is_secret: bool = False
    """The text is kept as it is typed, because it is never shown."""
    overflows: bool = False
    """A character found no room, and nothing was deleted since."""
    is_unseen: bool = False
    """A character was typed that leaves no trace, such as a joiner, and nothing was deleted since."""
    is_for_people: bool = False
    """Others read the text: what they may write to each other is taken, not only what terminals show."""
    longer: tuple[str, int] = ("", 0)
    """The limit of a line that begins with this character; empty: there is no other one."""

    @property
    def fault(self) -> Fault | None:
        """Why the line cannot be taken as it is, or None if it can."""
        if NOT_UNDERSTOOD in self.text:
            return "not_understood"
        if not self.is_secret and not self._is_shown:
            return "not_shown"
        return "too_long" if self.overflows or len(self.text) > self._room else None

    @property
    def answer(self) -> str:
        """The text for a question that takes few answers: "?", which is none of them, for a line with a fault.

        So it is for one of unseen characters alone: who typed something has not just pressed ENTER.
        """
        is_nothing = self.is_unseen and not self.text
        return self.text if self.fault is None and not is_nothing else REPLACEMENT

    @property
    def position(self) -> int:
        """Where the cursor stands in the text, 0..len(text)."""
        return len(self.text) - self.right

    def key(self, key: str) -> "LineEditor":
        """Return the line after a key; keys that mean nothing here change nothing."""
        if len(key) == 1 and (key.isprintable() or not key.isascii()):
            return self._inserted(key)
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
            case _:
                return self._moved(key)

    @property
    def _is_shown(self) -> bool:
        """Whether whoever reads the text sees it; a line of `longer` is read by nobody."""
        sign, _ = self.longer
        is_for_people = self.is_for_people and not (sign and self.text.startswith(sign))
        return is_writable(self.text) if is_for_people else is_harmless(self.text)

    @property
    def _room(self) -> int:
        sign, limit = self.longer
        return max(limit, self.limit) if sign and self.text.startswith(sign) else self.limit

    def _inserted(self, character: str) -> "LineEditor":
        before, behind = self.text[: self.position], self.text[self.position :]
        before = before + character if self.is_secret else with_typed(before, character)
        if len(before) + len(behind) > self._room:
            return msgspec.structs.replace(self, overflows=True)
        text = before + behind
        return msgspec.structs.replace(self, text=text, is_unseen=self.is_unseen or text == self.text)

    def _moved(self, key: str) -> "LineEditor":
        steps = {
            KEY_LEFT: min(self.right + 1, len(self.text)),
            KEY_RIGHT: max(self.right - 1, 0),
            KEY_HOME: len(self.text),
            KEY_END: 0,
        }
        return msgspec.structs.replace(self, right=steps.get(key, self.right))

    def _with(self, before: str, behind: str) -> "LineEditor":
        return msgspec.structs.replace(self, text=before + behind, right=len(behind), overflows=False, is_unseen=False)

    def visible(self, width: int) -> tuple[str, int]:
        """Return the part to show in `width` cells, scrolled so that the cursor is in it, and the cursor's column
        there.
        """
        width = max(width, 1)
        shown, position = self.text, self.position
        if self.is_for_people:
            shown, position = in_signs(shown), len(in_signs(shown[:position]))
        start = max(position - width + 1, 0)
        return shown[start : start + width], position - start


def _without_word(text: str) -> str:
    kept = text.rstrip(" ")
    return kept[: kept.rfind(" ") + 1]
