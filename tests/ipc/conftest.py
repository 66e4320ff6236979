import secrets
from collections.abc import Iterator

import pytest

from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.segment import NoSegment, Segment


@pytest.fixture
def name() -> Iterator[str]:
    """Yield an unused segment name; a segment created under it is destroyed."""
    name = f"/yawc-test-{secrets.token_hex(8)}"
    yield name
    try:
        Segment.destroy(name)
    except NoSegment:
        pass


@pytest.fixture
def small() -> Layout:
    return Layout(sessions=8, tables=2, slots=8, payload=64, half=4096, seats=5)


@pytest.fixture
def segment(name: str, small: Layout) -> Iterator[Segment]:
    segment = Segment.create(name, small)
    yield segment
    segment.close()
