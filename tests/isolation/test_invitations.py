"""House players as the listener and the sysops see them: which tables wait for one, and how many there are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.snapshot import Snapshot, overview
from yawc_poker.config import House
from yawc_poker.engine.house import is_house
from yawc_poker.extras.live.metrics import exposition
from yawc_poker.ipc.cell import Header
from yawc_poker.registry.games import DEFAULTS
from yawc_poker.session.house.house_player import enter_name

MOST = 3
CONFIG = replace(DEFAULTS, house=House(players=MOST))


@pytest.fixture
def foundation(tmp_path: Path) -> Iterator[Foundation]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    yield foundation
    foundation.demolish()
    foundation.segment.close()


def invite(foundation: Foundation, table: int, count: int) -> None:
    foundation.segment.cells[table].commit(Header(invited=count), b"")


def wanted(foundation: Foundation, most: int = MOST) -> list[int]:
    return foundation.invitations.wanted(most)


def test_each_invitation_wants_a_process_as_far_as_there_is_room(foundation: Foundation) -> None:
    assert wanted(foundation) == []
    invite(foundation, 0, 1)
    invite(foundation, 1, 4)
    assert wanted(foundation) == [0, 1, 1]
    assert wanted(foundation, 2) == [0, 1]
    assert wanted(foundation, 0) == []
    assert wanted(foundation, 100) == [0, 1, 1]


def test_a_process_on_its_way_is_not_sent_again(foundation: Foundation) -> None:
    invite(foundation, 1, 2)
    foundation.invitations.note(1001, 1)
    assert wanted(foundation) == [1]
    foundation.invitations.note(1002, 1)
    assert wanted(foundation) == []
    foundation.invitations.ended(1002)
    assert wanted(foundation) == [1]


def test_one_that_sits_has_followed_its_invitation(foundation: Foundation) -> None:
    instance = foundation.instance(CONFIG)
    instance.enter("house", Entrance.HOUSE)
    invite(foundation, 1, 2)
    foundation.invitations.note(instance.segment.records[-MOST].identity.pid, 1)
    assert wanted(foundation) == [1]
    invite(foundation, 1, 1)
    assert wanted(foundation) == []
    instance.own.stand_at(PlaceKind.TABLE, 1, 0)
    assert wanted(foundation) == [1]
    instance.leave()


def test_house_players_are_counted_apart_from_callers(foundation: Foundation) -> None:
    instance = foundation.instance(CONFIG)
    instance.enter("house", Entrance.HOUSE)
    found = enter_name(instance, "normal")
    assert found is not None
    assert is_house(found[0])
    instance.own.stand_at(PlaceKind.TABLE, 1, 0)
    shown = exposition(Snapshot.of(foundation.segment))
    assert "\nyawc_house_players 1\n" in shown
    assert '\nyawc_sessions{place="table"} 0\n' in shown
    seen = overview(Snapshot.of(instance.segment), instance.config)
    assert (seen.house, seen.callers, seen.arriving) == (1, 0, 0)
    instance.leave()
    assert "\nyawc_house_players 0\n" in exposition(Snapshot.of(foundation.segment))


def test_no_two_house_players_are_the_same(foundation: Foundation) -> None:
    here = [foundation.instance(CONFIG) for _ in range(MOST)]
    for instance in here:
        instance.enter("house", Entrance.HOUSE)
    found = [enter_name(instance, "normal") for instance in here]
    assert len(set(found)) == MOST
    assert None not in found
    for instance in here:
        instance.leave()
