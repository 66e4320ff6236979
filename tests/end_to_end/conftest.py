"""One running BBS a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import Bbs


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS on fast clocks; at the end it must stop cleanly and its books be sound."""
    with Bbs(tmp_path / "data") as running:
        yield running
        running.audit()
