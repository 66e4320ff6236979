"""Whose the directory's records are: callers, terminals, control processes and house players keep nobody else out."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.ipc.processes import forked
from tests.waiting import wait_until
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.instance import Instance, records_by_doors
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.entrances import CONTROLS, TERMINALS, Entrance, records_for
from yawc_poker.config import House, TelnetSettings
from yawc_poker.doors import BY_TLS
from yawc_poker.ipc import process
from yawc_poker.registry.games import DEFAULTS

CALLERS, HOUSE = 3, 2
CONFIG = replace(DEFAULTS, telnet=TelnetSettings(max_sessions=CALLERS), house=House(players=HOUSE))
ROOM = {
    Entrance.DOOR: records_by_doors(CONFIG),
    Entrance.TERMINAL: TERMINALS,
    Entrance.CONTROL: CONTROLS,
    Entrance.HOUSE: HOUSE,
}
"""A courier has no place, since there is one host."""


@pytest.fixture
def foundation(tmp_path: Path) -> Iterator[Foundation]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    yield foundation
    foundation.demolish()
    foundation.segment.close()


def enter(foundation: Foundation, entrance: Entrance) -> None:
    foundation.instance(CONFIG).enter(entrance.value, entrance)


@pytest.mark.parametrize("greedy", ROOM)
def test_those_of_one_kind_take_no_place_of_another(foundation: Foundation, greedy: Entrance) -> None:
    for _ in range(ROOM[greedy]):
        enter(foundation, greedy)
    with pytest.raises(DirectoryFull):
        enter(foundation, greedy)
    for other in set(ROOM) - {greedy}:
        for _ in range(ROOM[other]):
            enter(foundation, other)
    assert foundation.count() == len(foundation.segment.records)


def test_only_those_who_came_by_a_door_take_a_callers_line(foundation: Foundation) -> None:
    for entrance in ROOM:
        enter(foundation, entrance)
    assert {one.peer for one in foundation.living() if one.is_caller} == {"door"}
    assert len(foundation.living()) == len(ROOM)


def test_where_there_is_one_host_there_is_no_place_for_a_courier(foundation: Foundation) -> None:
    with pytest.raises(DirectoryFull):
        enter(foundation, Entrance.COURIER)


def test_the_door_by_which_a_session_came_is_known_to_others(foundation: Foundation) -> None:
    foundation.instance(CONFIG).enter("first", Entrance.DOOR, BY_TLS)
    second = foundation.instance(CONFIG)
    second.enter("second")
    second.directory.enter(process.me(), "third")
    found = second.directory.everybody()
    assert [(one.peer, one.door) for one in found] == [
        ("first", BY_TLS),
        ("second", 0),
        ("third", 0),
    ]


def test_the_dead_make_room(foundation: Foundation) -> None:
    """Nobody has noticed their deaths: the listener is away, and no duty was due yet."""

    def take_all(say: object) -> None:
        for _ in range(TERMINALS):
            enter(foundation, Entrance.TERMINAL)
        os.kill(os.getpid(), signal.SIGKILL)

    with forked(take_all):
        wait_until(
            lambda: foundation.count() == TERMINALS and not any(map(process.is_alive, _identities(foundation))),
            "the death of all",
        )
        enter(foundation, Entrance.TERMINAL)
        assert foundation.count() == 1


def _identities(foundation: Foundation) -> list[process.Identity]:
    return [record.identity for record in foundation.segment.records if record.token]


def test_a_segment_that_was_not_divided_is_anybodys(foundation: Foundation) -> None:
    segment = foundation.segment
    segment.head.user[2] = 0
    for entrance in Entrance:
        assert records_for(segment, entrance) == range(len(segment.records))
    assert Instance(foundation.data, CONFIG, segment).directory.count() == 0
