"""The tests' own screen shows what pyte's shows."""

import pyte
from hypothesis import example, given
from hypothesis import strategies as st

from tests.terminal import Screen

PIECES = st.one_of(
    st.text("abc ─│█é", max_size=30),
    st.text("a\u0301あ\u200b♥", max_size=6),
    st.sampled_from(["\r", "\n", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[31m", "\x1b[0;1m", "\x1b[2J"]),
    st.sampled_from(["\x1b[3;5H", "\x1b[K", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b[L", "\x1b[P", "\x1b[20C"]),
)


def shown_by_pyte(screen: pyte.Screen) -> list[str] | None:
    """Return a screen's lines; None: pyte shows none where half of a wide letter was written over."""
    try:
        return screen.display
    except IndexError:
        return None


@example(["あ", "\r", "a"])
@given(st.lists(PIECES))
def test_it_shows_what_pyte_shows(pieces: list[str]) -> None:
    ours, theirs = Screen(20, 4), pyte.Screen(20, 4)
    streams = [pyte.Stream(ours), pyte.Stream(theirs)]
    for piece in pieces:
        for stream in streams:
            stream.feed(piece)
        assert shown_by_pyte(theirs) in (None, ours.display)
        assert [dict(ours.buffer[row]) for row in range(4)] == [dict(theirs.buffer[row]) for row in range(4)]
        assert (ours.cursor.x, ours.cursor.y) == (theirs.cursor.x, theirs.cursor.y)
