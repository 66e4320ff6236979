"""Linear time and bounded memory: eight times the input takes about eight times as long, and none of it is kept.

They use processor time, the best of several tries, and a limit half-way (in factors) to quadratic growth: a busy
machine does not fail these tests, but a loop over all previous input does.
"""

import math
import time
import tracemalloc
from collections.abc import Callable

import pytest

from telnetd.telnet.codec import Telnet
from tests.fuzz.targets import PURE
from tests.protocols.wire import naws, sub
from tests.screens.eye import MemoryLine
from tests.thoroughness import SOAK
from yawc_poker.session.caller.console import Console
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.kinds import is_known
from yawc_poker.terminal.text import clean
from yawc_poker.terminal.widgets import wrap

SMALL, TIMES = 2048, 8
LIMIT = TIMES * TIMES**0.5
READ = 512
LONG = (64 if SOAK else 16) * 1024
MEMORY = 200_000
"""Bytes of memory allowed while handling a reading; a twentieth of it may be kept. Caches are filled before."""

PIECES = {
    "letters": b"x",
    "umlauts": "ä".encode(),
    "wide": "漢".encode(),
    "accents": "e\u0301".encode(),
    "enter": b"\r",
    "IAC": b"\xff",
    "NOP": b"\xff\xf1",
    "are you there": b"\xff\xf6",
    "options": b"\xff\xfd\x63\xff\xfb\x1f\xff\xfc\x1f",
    "windows": naws(65535, 0) + naws(0, 65535),
    "types": sub(24, b"\x00" + b"T" * 300),
    "endless subnegotiation": b"\xff\xfa\x18" + b"y" * 1500,
    "subnegotiation of IACs": b"\xff\xfa\x27" + b"\xff" * 1500,
    "variables": sub(39, b"\x00" + b"\x03A\x01B" * 100),
    "charsets": sub(42, b"\x01" + b";X" * 200),
    "ESC": b"\x1b",
    "arrows": b"\x1b[A",
    "sequences": b"\x1b[1;5~",
    "unfinished": b"\x1b[1;",
    "strings": b"\x1bPx\x1b\\",
    "endless string": b"\x1b]" + b"z" * 1500,
}


def growth(work: Callable[[int], None]) -> float:
    """Return a ratio of the times for `TIMES` as much input and for the input: below `LIMIT`, or the best of three."""
    best = math.inf
    for _ in range(3):
        best = min(best, _seconds(work, SMALL * TIMES) / _seconds(work, SMALL))
        if best < LIMIT:
            break
    return best


def _seconds(work: Callable[[int], None], size: int) -> float:
    return min(_once(work, size) for _ in range(3))


def _once(work: Callable[[int], None], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began


def fed(take: Callable[[bytes], object], piece: bytes) -> Callable[[int], None]:
    """Return a function that takes a number of bytes, one reading at a time."""

    def work(size: int) -> None:
        data = (piece * (size // len(piece) + 1))[:size]
        for at in range(0, size, READ):
            take(data[at : at + READ])

    return work


def decoder() -> Callable[[bytes], object]:
    codec = Telnet(is_known)

    def take(data: bytes) -> None:
        codec.receive(data)
        codec.output()

    return take


def typist() -> Callable[[bytes], object]:
    board, editors = Keyboard(Display(MemoryLine())), [LineEditor(limit=400)]

    def take(data: bytes) -> None:
        board.feed(data)
        for key in board.keys(0.0):
            editors[0] = editors[0].key(key)

    return take


@pytest.mark.parametrize("make", [decoder, typist])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_time_grows_with_the_input(make: Callable[[], Callable[[bytes], object]], piece: bytes) -> None:
    assert growth(lambda size: fed(make(), piece)(size)) < LIMIT


@pytest.mark.parametrize("make", [decoder, typist])
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_nothing_is_kept_of_a_flood(make: Callable[[], Callable[[bytes], object]], piece: bytes) -> None:
    take = make()
    fed(take, piece)(SMALL)  # fills the caches
    tracemalloc.start()
    try:
        fed(take, piece)(LONG)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * LONG + MEMORY  # includes the input itself
    assert kept < MEMORY / 20


@pytest.mark.parametrize("piece", ["word ", "x", " ", "漢", "e\u0301", "\u202e"])
def test_a_long_text_is_wrapped_cleaned_and_shown_in_its_length(piece: str) -> None:
    line = MemoryLine(columns=40)
    console = Console(line, Display(line))

    def show(size: int) -> None:
        text = piece * (size // len(piece))
        clean(text, size)
        wrap(text, 40)
        for at in range(0, len(text), 2000):
            console.say(text[at : at + 2000])
        line.take()

    assert growth(show) < LIMIT


@pytest.mark.parametrize("target", ["characters", "order"])
def test_targets_without_a_state_grow_with_their_input(target: str) -> None:
    assert growth(lambda size: PURE[target](b"\xff" + b"[{" * (size // 2))) < LIMIT
