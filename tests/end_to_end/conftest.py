"""One running BBS a test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start every program by itself, for a test that looks at a start, at memory or at descriptors."""
    monkeypatch.setattr(Bbs, "is_forked", False)


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS on fast clocks; at the end it must stop cleanly and its books be sound."""
    with Bbs(tmp_path / "data") as running:
        yield running
        running.is_sound()


@pytest.fixture(scope="module")
def town_of() -> Callable[[Path], Bbs]:
    """What makes the BBS of a file's tests in a data directory; a file with another BBS has its own of these."""
    # No pause after a game: the one a test leaves behind would be the next test's.
    return lambda data: Bbs(data, FAST.replace("pause_seconds = 0.3", "pause_seconds = 0"))


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory, town_of: Callable[[Path], Bbs]) -> Iterator[Bbs]:
    with town_of(tmp_path_factory.mktemp("town") / "data") as running:
        yield running
        running.is_sound()


@pytest.fixture
def town(_shared: Bbs) -> Iterator[Bbs]:
    """One BBS for all tests of a file; each test begins with nobody there, and takes names of its own."""
    yield _shared
    _shared.everybody_out()
