"""What a caller types: bytes become keys, by the names of `yawc_poker.terminal.keys`.

What is pasted into a terminal that marks it (bracketed paste) comes out between `PASTE` and `PASTED`, as characters
alone: a line's end is a blank, one at the end of all is nothing, and controls and sequences are dropped.

Owns the typed characters not yet made into keys, at most `UNREAD` of them, and the question whether an ESC is a key or
begins a sequence. Never reads a descriptor, never waits, never raises, whatever comes in.

Sequences are told from text here, by their grammar (ECMA-48), so that an unknown or broken one is swallowed whole and
a paste of any length costs linear time. blessed decodes one whole sequence at a time: its `inkey` is quadratic in the
length of its input, and raises `KeyError` for a few sequences on some kinds.
"""

import re
from typing import Literal

from yawc_poker.terminal import keys as named
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.kinds import VT52
from yawc_poker.terminal.text import Decoder

ESCAPE_DELAY = 0.5
"""Seconds after which an ESC with nothing behind it is a key. A packet that is sent again is later than 0.2."""
SEQUENCE_DELAY = 2.0
"""Seconds after which a control sequence that has begun, which nobody types by hand, is given up."""
PASTE_DELAY = 30.0
"""Seconds without more of it after which a paste is over whose end was lost."""
UNREAD = 8192
"""Most characters kept between two calls of `keys`; what comes beyond is dropped."""
LONGEST_STRING = 4096
"""Characters of a device control or operating system string; a longer one ends there."""

_TEXT = re.compile(r"[^\x00-\x1f\x7f]+")
_SEQUENCE = re.compile(
    r"""\x1b(?:
      \[\[[ -~]                                          # a function key of the Linux console
    | \[M[^\x00-\x1f]{3}                                # a report of the old mouse
    | \[(?![\[M])[0-?]{0,24}[ -/]{0,4}[@-~]            # a control sequence
    | O[ -~]                                           # a single shift and its character
    | \\                                               # a string's end
    )""",
    re.VERBOSE,
)
_UNFINISHED = re.compile(r"\x1b(?:\[(?:\[|M[^\x00-\x1f]{0,2}|[0-?]{0,24}[ -/]{0,4})|[OP\]X^_])?\Z")
_VT52_SEQUENCE = re.compile(r"\x1b(?:\?[ -~]|[A-DHP-S])")
"""A key of a VT52; no other terminal's begin so."""
_VT52_UNFINISHED = re.compile(r"\x1b\?\Z")
_BROKEN = re.compile(r"\x1b(?:\[(?:\[|M[^\x00-\x1f]{0,2}|[0-?]{0,24}[ -/]{0,4})|O)")
"""How a sequence began that something else interrupts, or that is too long for one."""
_STRING = re.compile(r"\x1b[P\]X^_]")
_STRING_BODY = re.compile(r"[^\x07\x18\x1a\x1b]*")
_REST = re.compile(r"[ -?]*[@-~]?")
"""The rest of a control sequence that is too long for one."""

_ALIASES = {f"\x1bO{letter}": f"\x1b[{letter}" for letter in "ABCDHF"} | {
    "\x1b[11~": "\x1bOP",
    "\x1b[[A": "\x1bOP",
    "\x1b[M": "\x1bOP",  # of the SCO and BSD consoles; a mouse would have said more
}
"""Sequences that blessed knows on some kinds only, with one of the same meaning that it knows on all."""

_PRESSED = re.compile(r"\x1b\[<0;(\d{1,4});(\d{1,4})M")
"""The report of a mouse whose first button goes down: column and row, from 1."""
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"

_KEYPAD = dict(zip("MXjklmnopqrstuvwxy", "\r=*+,-./0123456789", strict=True))
"""The keypad's keys in application mode, by the last character of `ESC O M` and so on, or of a VT52's `ESC ? M`."""

_CONTROLS = {
    "\r": named.ENTER,
    "\n": named.ENTER,
    "\b": named.BACKSPACE,
    "\x7f": named.BACKSPACE,
    "\t": named.TAB,
    "\x03": named.BREAK,
    "\x0c": named.REDRAW,
    "\x15": named.KILL,
    "\x17": named.WORD,
}
"""Controls that are keys; the others are dropped."""

_NAMES = {
    "KEY_UP": named.KEY_UP,
    "KEY_DOWN": named.KEY_DOWN,
    "KEY_LEFT": named.KEY_LEFT,
    "KEY_RIGHT": named.KEY_RIGHT,
    "KEY_HOME": named.KEY_HOME,
    "KEY_FIND": named.KEY_HOME,
    "KEY_END": named.KEY_END,
    "KEY_SELECT": named.KEY_END,
    "KEY_DELETE": named.KEY_DELETE,
    "KEY_DC": named.KEY_DELETE,
    "KEY_PGUP": named.KEY_PGUP,
    "KEY_PGDOWN": named.KEY_PGDOWN,
    "KEY_F1": named.KEY_F1,
    "KEY_ENTER": named.ENTER,
    "KEY_TAB": named.TAB,
    "KEY_BACKSPACE": named.BACKSPACE,
    "KEY_ESCAPE": named.ESCAPE,
}
"""blessed's names of the keys known here."""

_Skip = Literal["", "string", "sequence"]


class Keyboard:
    """The keys of one caller. The owner calls `feed` with what came in, then `keys`, and again at `escape_at`."""

    def __init__(self, display: Display) -> None:
        self.escape_at: float | None = None
        """When (monotonic seconds) `keys` is to decide an unfinished sequence, or None if there is none."""
        self._display = display
        self._decoder = Decoder(display.line.charset)
        self._unread = ""
        self._held = ""
        self._skip: _Skip = ""
        self._skipped = 0
        self._pastes = False
        """Inside a paste."""
        self._owes_blank = False
        """A line has ended in the paste; it is a blank as soon as more text comes."""

    def feed(self, data: bytes) -> None:
        """Take any typed bytes; those that find no room are dropped."""
        if self._decoder.charset != self._display.line.charset:
            self._decoder = Decoder(self._display.line.charset)
        self._unread += self._decoder.decode(data)[: UNREAD - len(self._unread)]

    def keys(self, now: float) -> list[str]:
        """Return the keys typed since the last call; `now` in monotonic seconds."""
        keys: list[str] = []
        if self._unread.isprintable() and self._unread.isascii() and self._is_plain:
            keys, self._unread, self.escape_at = list(self._unread), "", None
        elif self._unread:
            text, self._held, self._unread = self._held + self._unread, "", ""
            at = 0
            while at < len(text):
                at = self._step(text, at, keys)
            self.escape_at = None if self._is_plain else now + self._delay
        elif self.escape_at is not None and now >= self.escape_at:
            self._decide(keys, now)
        return keys

    @property
    def _is_plain(self) -> bool:
        """Whether nothing has begun that goes on."""
        return not (self._held or self._skip or self._pastes)

    @property
    def _delay(self) -> float:
        if self._held.startswith("\x1b["):
            return SEQUENCE_DELAY
        return ESCAPE_DELAY if self._held or self._skip else PASTE_DELAY

    def _step(self, text: str, at: int, keys: list[str]) -> int:
        """Take one piece of the text at `at`, add its keys, and return where the next one begins."""
        if self._skip:
            return self._skipping(text, at)
        if run := _TEXT.match(text, at):
            if self._owes_blank:
                self._owes_blank = False
                keys.append(" ")
            keys.extend(run.group())  # as they are: what a character is good for, whoever asked for it knows
            return run.end()
        if text[at] == named.ESCAPE:
            return self._escape(text, at, keys)
        if self._pastes:
            self._owes_blank |= text[at] in "\r\n\t"
            return at + 1
        if text[at] in _CONTROLS:
            keys.append(_CONTROLS[text[at]])
        return at + 1

    def _escape(self, text: str, at: int, keys: list[str]) -> int:
        is_vt52 = self._display.line.kind == VT52
        if is_vt52 and (whole := _VT52_SEQUENCE.match(text, at)):
            keys.extend(self._named(f"\x1bO{whole.group()[-1]}"))  # as other terminals send the same key
            return whole.end()
        if whole := _SEQUENCE.match(text, at):
            keys.extend(self._named(whole.group()))
            return whole.end()
        if begun := _UNFINISHED.match(text, at) or (is_vt52 and _VT52_UNFINISHED.match(text, at)):
            self._held = begun.group()
            return len(text)
        if broken := _BROKEN.match(text, at):
            keys.extend(self._named(broken.group()))
            self._skip = "sequence" if " " <= text[broken.end()] <= "~" else ""
            return broken.end()
        if string := _STRING.match(text, at):
            self._skip, self._skipped = "string", 0
            return string.end()
        if not self._pastes:
            keys.append(named.ESCAPE)
        return at + 1

    def _skipping(self, text: str, at: int) -> int:
        if self._skip == "string":
            end = _end(_STRING_BODY, text, at, at + LONGEST_STRING - self._skipped)
            self._skipped += end - at
            ended = end < len(text) or self._skipped >= LONGEST_STRING
            if ended and text[end : end + 1] in {"\x07", "\x18", "\x1a"}:
                end += 1
        else:
            end = _end(_REST, text, at, len(text))
            ended = end < len(text) or text[end - 1] >= "@"
        if ended:
            self._skip = ""
        return end

    def _decide(self, keys: list[str], now: float) -> None:
        """Nothing more came: ESC was a key; a sequence that stays unfinished is dropped."""
        held, self._held, self._skip, self.escape_at = self._held, "", "", None
        if self._pastes:
            if held:
                self.escape_at = now + PASTE_DELAY
            else:
                keys.extend(self._pasted())
        elif held == named.ESCAPE:
            keys.append(named.ESCAPE)
        elif _STRING.fullmatch(held):  # typed by hand
            keys.extend(held)
        elif held:
            keys.extend(self._named(held))

    def _named(self, sequence: str) -> list[str]:
        """Return the key, if any, that a whole sequence stands for."""
        if self._pastes:
            return self._pasted() if sequence == _PASTE_ENDS else []
        if sequence == _PASTE_BEGINS:
            self._pastes = True
            return [named.PASTE]
        if sequence[:2] == "\x1bO" and sequence[2:] in _KEYPAD:
            return [_KEYPAD[sequence[2:]]]
        if pressed := _PRESSED.fullmatch(sequence):
            return self._display.touched(int(pressed[1]) - 1, int(pressed[2]) - 1)
        terminal = self._display.terminal
        terminal.typed.extend(_ALIASES.get(sequence, sequence))
        try:
            name = terminal.inkey(timeout=0).name
        except (KeyError, ValueError, OverflowError):  # blessed, for codes it does not name or no character has
            name = None
        terminal.typed.clear()
        terminal.flushinp()
        return [_NAMES[name]] if name in _NAMES else []

    def _pasted(self) -> list[str]:
        """End the paste."""
        self._pastes = self._owes_blank = False
        return [named.PASTED]


def _end(pattern: re.Pattern[str], text: str, at: int, limit: int) -> int:
    match = pattern.match(text, at, limit)
    return match.end() if match else at
