"""What some process of a host does now and then: when it looks, and when another one need not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.instance import AGAIN_SECONDS, LONGEST_SECONDS, Duty, Instance
from yawc_poker.casino.store.connection import Unavailable
from yawc_poker.config import TelnetSettings
from yawc_poker.registry.games import DEFAULTS

CONFIG: Final = replace(DEFAULTS, telnet=TelnetSettings(max_sessions=2))
WORD: Final = 61
"""Of the segment's head, which nobody uses."""


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    yield foundation.instance(CONFIG)
    foundation.demolish()
    foundation.segment.close()


def left(instance: Instance) -> float:
    """Return the seconds until the next look."""
    return instance.segment.head.user[WORD] / 100 - instance.here.now()


def looks(instance: Instance, do: Callable[[Instance], float]) -> int:
    """Return how often what is done by two processes in turn is really done."""
    done = []

    def noted(here: Instance) -> float:
        done.append(here)
        return do(here)

    for _ in range(2):
        Duty("the trials", WORD, noted).go_on(instance)
    return len(done)


@pytest.mark.parametrize(("pause", "times", "after"), [(30, 1, 30), (0, 2, 0), (-5, 2, 0), (1e9, 1, LONGEST_SECONDS)])
def test_nobody_looks_again_before_there_is_more_to_do(
    instance: Instance, pause: float, times: int, after: float
) -> None:
    assert looks(instance, lambda here: pause) == times
    assert after - 5 < left(instance) <= after + 0.01


def test_nobody_looks_while_another_one_does(instance: Instance) -> None:
    others = []

    def slow(here: Instance) -> float:
        others.append(looks(here, lambda again: 1.0))
        return 1.0

    assert looks(instance, slow) == 1
    assert others == [0]


def test_who_wants_it_sooner_meanwhile_gets_it(instance: Instance) -> None:
    def wanted(here: Instance) -> float:
        here.segment.head.user[WORD] = 0
        return 60.0

    assert looks(instance, wanted) == 2


def test_a_clock_that_was_set_back_delays_it_for_no_longer_than_a_pause(instance: Instance) -> None:
    instance.segment.head.user[WORD] = int(100 * (instance.here.now() + LONGEST_SECONDS + 60))
    assert looks(instance, lambda here: 30.0) == 1


def test_without_an_answer_it_is_tried_again_later_whoever_looks(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(here: Instance) -> float:
        raise Unavailable("no answer in time")

    assert looks(instance, refused) == 1
    assert AGAIN_SECONDS - 5 < left(instance) <= AGAIN_SECONDS + 0.01
    assert "the trials wait for the next time: no answer in time" in caplog.text
