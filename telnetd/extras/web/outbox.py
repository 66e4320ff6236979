"""What a page has still to be sent, bounded however little it reads. Pure.

Text for the terminal is sent as it comes, or not at all: while nobody reads it (the tab sleeps, the line is slow or
broken), it is dropped, and the screen drawn anew afterwards. Of what the page shows beside the terminal the newest is
kept, of messages the newest `MOST_MESSAGES`, whether they were sent or not: a page that comes back without them is
shown them again.

Scrolling text is drawn again from its end (`Tail`): it scrolls line by line, and each line ends in the plain style, so
the last lines are all that a screen shows. What clears the screen makes all before it worthless. At a table the session
draws its whole screen itself.
"""

from collections import deque
from typing import Final

from telnetd.extras.web import frames

MOST_TEXT: Final = 64 * 1024
"""Bytes of text between two flushes."""
MOST_MESSAGES: Final = 50
MOST_WORDS: Final = 32 * 1024
"""Bytes of all messages that are kept."""
_HIDE: Final = b"\x1b[?25l"
_SHOW: Final = b"\x1b[?25h"
MOST_KEPT: Final = 16 * 1024
"""Bytes that are kept; a window of 500 columns by 30 rows has as many."""
CLEAR: Final = b"\x1b[2J"
"""What all terminals of a page understand; `Display` sends it as its kind has it."""
BEGINNING: Final = b"\x1b[m\x1b[H\x1b[2J\x1b[3J"
"""Plain style, the cursor home, an empty screen and an empty history."""


class Tail:
    """The last bytes of scrolling text, from which its screen can be drawn again."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, data: bytes) -> None:
        """Append bytes; those before the last clearing, and the oldest lines beyond `MOST`, are dropped."""
        at = data.rfind(CLEAR)
        if at >= 0:
            self._kept.clear()
            data = data[at + len(CLEAR) :]
        self._kept += data
        if len(self._kept) > 2 * MOST_KEPT:
            self._cut()

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def screen(self) -> bytes:
        """Return what draws the screen again, from an empty one."""
        self._cut()
        return BEGINNING + bytes(self._kept)

    def _cut(self) -> None:
        """Drop whole lines; text without any is dropped altogether."""
        if len(self._kept) > MOST_KEPT:
            line = self._kept.find(b"\n", len(self._kept) - MOST_KEPT)
            del self._kept[: line + 1 if line >= 0 else len(self._kept)]


class Outbox:
    """Frames for one page. The line that sends them keeps the three flags true."""

    def __init__(self) -> None:
        self.is_hidden = False
        """The page cannot be seen: it is sent everything but text."""
        self.is_slow = False
        """The line does not take what it has: nothing is sent."""
        self.is_away = False
        """There is no line."""
        self.redraws = False
        """The session draws the whole screen anew when it is asked to."""
        self._text = bytearray()
        self._tail = Tail()
        self._has_dropped = False
        self._cursor = _SHOW
        """What was last said of the cursor."""
        self._shown: dict[bytes, bytes] = {}
        """The newest frame of each kind that is shown until it changes."""
        self._changed: dict[bytes, bytes] = {}
        self._messages: deque[tuple[int, bytes]] = deque(maxlen=MOST_MESSAGES)
        """The newest, each with its number."""
        self._told = 0
        """The number of the newest message."""
        self._sent = 0
        """The number of the last message that the page has."""
        self._is_new = False
        """The page has none of the messages that were sent before."""

    def write(self, data: bytes) -> None:
        """Take text for the terminal."""
        if _HIDE in data or _SHOW in data:
            self._cursor = _HIDE if data.rfind(_HIDE) > data.rfind(_SHOW) else _SHOW
        if self.redraws:
            self._tail.clear()
        else:
            self._tail.add(data)
        if self._is_unread or len(self._text) + len(data) > MOST_TEXT:
            self._has_dropped = True
            self._text.clear()
        elif not self._has_dropped:
            self._text += data

    def show(self, frame: bytes) -> None:
        """Take a frame that is shown until another of its kind comes; the same one again is not sent."""
        kind = frame[:1]
        if self._shown.get(kind) != frame:
            self._shown[kind] = self._changed[kind] = frame

    def pass_on(self, frame: bytes) -> None:
        """Take a frame that is about this moment: it is sent once, and gives way to a newer one of its kind."""
        self._changed[frame[:1]] = frame

    def tell(self, text: str, style: str) -> None:
        """Take a message; it gives way to newer ones."""
        self._told += 1
        self._messages.append((self._told, frames.message(text, style, self._told)))
        while sum(len(frame) for _, frame in self._messages) > MOST_WORDS:
            self._messages.popleft()

    def see(self, *, is_visible: bool) -> None:
        """The page is hidden, or can be seen again: then its terminal is empty."""
        self.is_hidden = not is_visible
        self._text.clear()
        self._has_dropped = True

    def begin_again(self, heard: int) -> None:
        """Another page is there now, which knows nothing but the messages up to the one that it has `heard` last."""
        self.is_slow = self.is_away = False
        self._is_new = heard <= 0
        self._sent = self._sent if self._is_new else min(heard, self._told)
        self._changed = dict(self._shown)
        self.see(is_visible=True)

    def must_redraw(self) -> bool:
        """Return whether the session has to draw its screen anew, because text was dropped and is read again now.

        Scrolling text is then ready to be sent again.
        """
        if not self._has_dropped or self._is_unread:
            return False
        self._has_dropped = False
        self._text += self._cursor if self.redraws else self._tail.screen() + self._cursor
        return True

    def take(self) -> list[bytes]:
        """Return the frames to send now."""
        if self.is_slow or self.is_away:
            return []
        found = [frames.text(self._text)] if self._text else []
        if self._is_new and (old := [frame for number, frame in self._messages if number <= self._sent]):
            found.append(frames.history(old))
        found += [frame for number, frame in self._messages if number > self._sent]
        found += self._changed.values()
        self._text.clear()
        self._changed.clear()
        self._sent, self._is_new = self._told, False
        return found

    @property
    def _is_unread(self) -> bool:
        return self.is_hidden or self.is_slow or self.is_away
