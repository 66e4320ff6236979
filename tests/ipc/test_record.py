import math
import time
from collections.abc import Callable

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment

Say = Callable[[str], None]

MOVING = 0.3
"""Seconds in which a session changes its peer again and again."""


def test_a_claimed_record_tells_everything_to_another_process(segment: Segment) -> None:
    before = time.monotonic()

    def log_in(say: Say) -> None:
        record = segment.records[3]
        record.claim(process.me(), 2**64 - 1, "192.0.2.7 port 4711", 2)
        record.user, record.name = 42, "Zoë"
        record.place = Place(2, 0, 4)
        record.last_input, record.login_time = time.monotonic(), 1_700_000_000
        record.x_waiting, record.end_reason = 3, 9

    with forked(log_in) as child:
        child.end()
        found = segment.records[3].state()
    assert found is not None
    assert (found.index, found.token, found.identity.pid) == (3, 2**64 - 1, child.pid)
    assert (found.user, found.name, found.peer, found.door) == (42, "Zoë", "192.0.2.7 port 4711", 2)
    assert found.place == segment.records[3].place == Place(2, 0, 4)
    assert before - 0.001 <= found.last_input <= time.monotonic()
    assert (found.login_time, found.x_waiting, found.end_reason) == (1_700_000_000, 3, 9)


def test_a_free_record_has_no_snapshot_and_a_new_session_inherits_nothing(segment: Segment) -> None:
    record = segment.records[0]
    assert record.state() is None
    record.claim(Identity(100, 1), 5, "first", 3)
    record.user, record.name, record.end_reason, record.place = 1, "Ada", 2, Place(1, 1, 1)
    record.free()
    assert record.state() is None
    record.claim(Identity(200, 2), 6, "second")
    found = record.state()
    assert found is not None
    assert (found.user, found.name, found.end_reason, found.place, found.peer) == (0, "", 0, Place(), "second")
    assert found.identity == record.identity == Identity(200, 2)
    assert found.door == 0


def test_a_record_is_claimed_once_and_with_a_token(segment: Segment) -> None:
    record = segment.records[0]
    with pytest.raises(ValueError, match="token"):
        record.claim(process.me(), 0, "")
    record.claim(process.me(), 1, "")
    with pytest.raises(ValueError, match="once"):
        record.claim(process.me(), 2, "")
    assert record.token == 1


def test_long_texts_are_cut_at_a_character_and_touch_no_neighbour(segment: Segment) -> None:
    record, neighbour = segment.records[1], segment.records[2]
    neighbour.claim(Identity(100, 1), 9, "next door")
    record.claim(Identity(100, 1), 5, "x" * 200)
    record.name = "ä" * 39 + "€€"
    assert record.name == "ä" * 39
    assert record.peer == "x" * 64
    found = neighbour.state()
    assert found is not None
    assert (found.name, found.peer) == ("", "next door")


def test_a_peer_that_changes_is_never_read_as_a_mixture_of_two(segment: Segment) -> None:
    record = segment.records[0]
    places = ("127.0.0.1", "198.51.100.254", "203.0.113.254")
    record.claim(process.me(), 7, places[0])

    def move(say: Say) -> None:
        while True:
            for place in places:
                segment.records[0].peer = place
                time.sleep(0.0002)  # no line comes back as often as that

    found: set[str] = set()
    with forked(move):
        until = time.monotonic() + MOVING
        while time.monotonic() < until or not found.issuperset(places):
            found.add(record.peer)
    assert found - {""} == set(places)


@pytest.mark.parametrize(
    "place", [Place(), Place(65535), Place(1, 0), Place(1, 0, 0), Place(3, 65534, 65534), Place(0, None, 7)]
)
def test_a_place_is_one_word(place: Place) -> None:
    assert Place.unpack(place.pack()) == place
    assert 0 <= place.pack() < 2**48


@pytest.mark.parametrize("when", [0.0, 12.345, math.inf])
def test_the_last_wait_is_kept_to_the_millisecond_or_as_going_on(segment: Segment, when: float) -> None:
    record = segment.records[0]
    record.claim(process.me(), 7, "here")
    record.last_wait = when
    found = record.state()
    assert found is not None
    assert found.last_wait == record.last_wait == when
