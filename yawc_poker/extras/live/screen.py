"""`yawcctl top` on a terminal: what comes from the BBS is drawn until the sysop leaves.

What draws takes longer to load than all other commands: `top` imports this only where it has a terminal.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import closing

import msgspec

from yawc_poker.control.client import CannotAsk, Failed, connect, read
from yawc_poker.control.protocol import FAILED, AnyRequest, BadRequest, read_answer, write_request
from yawc_poker.extras.live.picture import picture
from yawc_poker.extras.live.protocol import Glance, Top
from yawc_poker.session.loop.foreground import Foreground
from yawc_poker.terminal import frame, keys, kinds
from yawc_poker.terminal.tty import TtyLine

_LEAVE = frozenset({"q", "Q", keys.BREAK, keys.ESCAPE})
_MOST = 1 << 20


def can_draw() -> bool:
    """Return whether the terminal moves its cursor."""
    return kinds.terminal(os.environ.get("TERM", ""))[0] != kinds.DUMB


def show(chosen: argparse.Namespace) -> None:
    """Show the BBS until the sysop leaves. Raise `CannotAsk`, `Failed`."""
    with closing(_Feed(chosen, Top(every=chosen.every))) as feed:
        _Screen(feed, TtyLine(sys.stdout.fileno())).run()


class _Feed:
    """Rows of an endless answer of the running BBS, as they come. Raise `CannotAsk` where none runs."""

    def __init__(self, chosen: argparse.Namespace, request: AnyRequest) -> None:
        self._connection = connect(chosen.data, chosen.timeout)
        self._read = bytearray()
        try:
            self._connection.sendall(write_request(request))
        except OSError as error:
            self._connection.close()
            raise CannotAsk(f"the BBS on {chosen.data} hung up: {error.strerror}") from None
        self._connection.setblocking(False)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._connection.fileno()

    def rows(self) -> Iterator[msgspec.Raw]:
        """Yield the rows that have come. Raise `Failed` at the end of the answer, whatever it is."""
        try:
            data = self._connection.recv(_MOST)
        except BlockingIOError:
            return
        except OSError as error:
            raise Failed(FAILED, f"the BBS hung up: {error.strerror}") from None
        if not data:
            raise Failed(FAILED, "the BBS ended")
        self._read += data
        while (end := self._read.find(b"\n")) >= 0:
            line = bytes(self._read[: end + 1])
            del self._read[: end + 1]
            yield from self._row(line)

    def _row(self, line: bytes) -> Iterator[msgspec.Raw]:
        try:
            answer = read_answer(line)
        except BadRequest as error:
            raise Failed(FAILED, str(error)) from None
        if isinstance(answer.end, int):
            raise Failed(answer.end or FAILED, answer.error or "the BBS ended")
        if isinstance(answer.row, msgspec.Raw):
            yield answer.row


class _Screen(Foreground):
    """What is shown: the latest look at the BBS, beside the one before. `run` raises `Failed`."""

    def __init__(self, feed: _Feed, line: TtyLine) -> None:
        super().__init__(line, feed.fileno())
        self._feed = feed
        self._latest: Glance | None = None
        self._before: Glance | None = None

    def draw(self) -> None:
        """Draw the latest look."""
        columns, rows = self.line.columns, self.line.rows
        canvas = frame.Canvas(columns, rows)
        if self._latest is None:
            canvas.put(0, 0, "Waiting for the BBS.")
        else:
            for number, (text, style) in enumerate(picture(self._latest, self._before, columns, rows)):
                canvas.put(0, number, f"{text:<{columns}}" if style == frame.Style.BAR else text, style)
        self.display.draw(canvas.frame())

    def receive(self) -> None:
        """Take the looks that have come."""
        for answer in self._feed.rows():
            self._before, self._latest = self._latest, read(answer, Glance)

    def press(self, key: str) -> None:
        """Leave by `q`, ESC or Ctrl-C."""
        self.is_over |= key in _LEAVE
