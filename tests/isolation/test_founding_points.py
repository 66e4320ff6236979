"""Killed at once, and killed again while it starts: SIGKILL at every line of the founding, then a start that works.

`make test` tries every seventh line.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import CONFIG, told
from tests.isolation.stores import bank_in_file, in_file
from tests.kernel import semaphore_exists
from tests.thoroughness import SOAK
from yawc_poker.bbs import lifecycle, recovery
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.ipc import segment as segments
from yawc_poker.ipc.layout import HEAD_BYTES, KEY_IN_CELL, KEY_WORDS
from yawc_poker.ipc.segment import NoSegment, Segment, segment_name

if TYPE_CHECKING:
    from _typeshed import TraceFunction

SMALL = replace(CONFIG, telnet=replace(CONFIG.telnet, max_sessions=1, max_logins=1))
TRACED = {lifecycle.__file__, recovery.__file__, segments.__file__}


class Lines:
    """Counts the lines of the traced files that a process and its children come to; at one of them all are killed."""

    def __init__(self, last: int) -> None:
        self._last = last
        self._met: set[tuple[str, int]] = set()

    def trace(self, frame: FrameType, event: str, argument: object) -> "TraceFunction | None":
        if frame.f_code.co_filename not in TRACED:
            return None
        if event == "line":
            self._met.add((frame.f_code.co_filename, frame.f_lineno))
            if len(self._met) == self._last:
                os.killpg(0, signal.SIGKILL)
        return self.trace


def founder(data: Path, last: int) -> int:
    """Found the BBS in a process group of its own, which is killed at so many lines; give the exit code."""

    def work() -> None:
        os.setpgid(0, 0)
        sys.settrace(Lines(last).trace)
        Foundation.found(data, SMALL)
        sys.settrace(None)

    return exit_code(fork(work))


def semaphores_of(data: Path) -> list[int]:
    """Keys of the semaphores that are named by whatever segment there is, half-made ones included."""
    file = Path("/dev/shm") / segment_name(data).removeprefix("/")
    words = memoryview(file.read_bytes()).cast("Q") if file.exists() else memoryview(b"").cast("Q")
    if len(words) * 8 < HEAD_BYTES:
        return []
    cells = [(words[24] + table * words[25]) // 8 + KEY_IN_CELL for table in range(words[4])]
    return [words[at] for at in (*KEY_WORDS, *cells) if at < len(words) and words[at]]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    data = tmp_path / "data"
    data.mkdir()
    yield data
    with suppress(NoSegment):
        Segment.destroy(segment_name(data))


def test_killed_at_every_line_of_the_start_the_next_one_finds_its_way(data: Path) -> None:
    bank = bank_in_file(data / BANK_FILE)
    with closing(Accounts(in_file(data / USERS_FILE))) as accounts:
        bank.welcome(accounts.enrol("Anna", "no hash", "en").id, 100)
    keys: set[int] = set()
    code, lines = -signal.SIGKILL, 0
    while code != 0:
        game, _ = bank.open_game(0, "poker", {1: 10})
        bank.close()
        lines += 1 if SOAK else 7
        code = founder(data, lines)
        assert code in (0, -signal.SIGKILL)
        keys.update(semaphores_of(data))
        assert founder(data, 0) == 0
        keys.update(semaphores_of(data))
        assert (told(bank, 1), bank.balance(1), bank.audit()) == ([(game, 10)], 100, [])
    bank.close()
    assert lines > 100
    Segment.destroy(segment_name(data))
    assert [key for key in keys if semaphore_exists(key)] == []
