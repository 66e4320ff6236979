"""Who has not logged in, as directory and listener know it; and the lines, which are given out at the login."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.ipc.processes import forked
from yawc_poker.bbs.lifecycle import Foundation, Standing
from yawc_poker.casino.instance.everybody import claim_user
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import LinesBusy, PlaceKind
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.config import TelnetSettings
from yawc_poker.registry.games import DEFAULTS

CONFIG = replace(DEFAULTS, telnet=TelnetSettings(max_sessions=2))


@pytest.fixture
def foundation(tmp_path: Path) -> Iterator[Foundation]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    yield foundation
    signal.signal(signal.SIGUSR1, before)
    foundation.demolish()
    foundation.segment.close()


def enter(foundation: Foundation, entrance: Entrance = Entrance.DOOR) -> Instance:
    instance = foundation.instance(CONFIG)
    instance.enter("192.0.2.1", entrance)
    return instance


def standing(foundation: Foundation, instance: Instance) -> Standing:
    return next(one for one in foundation.standings() if one.token == instance.own.token)


def test_a_session_is_a_strangers_until_somebody_has_logged_in(foundation: Foundation) -> None:
    member, guest, stranger = (enter(foundation) for _ in range(3))
    enter(foundation, Entrance.TERMINAL)
    assert claim_user(member, 7, "Anna") is None
    guest.directory.claim_guest(guest.notifier.index, lambda taken: "Egal")
    found = [standing(foundation, one) for one in (member, guest, stranger)]
    assert len(foundation.standings()) == 3, "those by a terminal are not the listener's"
    assert [(one.takes_line, one.is_guest, one.is_stranger) for one in found] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    member.own.stand_at(PlaceKind.HELD, 0, 0)
    now = standing(foundation, member)
    assert (now.takes_line, now.is_held, now.is_stranger) == (False, True, False)
    stranger.own.touch(time.monotonic() + 10)
    assert standing(foundation, stranger).last_input > time.monotonic()


def test_only_strangers_are_asked_to_go(foundation: Foundation) -> None:
    member, stranger = enter(foundation), enter(foundation)
    seen = standing(foundation, member)
    assert claim_user(member, 7, "Anna") is None
    assert not foundation.put_out(os.getpid(), seen), "who has logged in meanwhile"
    assert foundation.put_out(os.getpid(), standing(foundation, stranger))
    records = foundation.segment.records
    assert records[member.own.index].end_reason == EndReason.NONE
    assert records[stranger.own.index].end_reason == EndReason.CROWDED
    seen = standing(foundation, stranger)
    stranger.leave()
    assert foundation.put_out(os.getpid(), seen), "who has left is no obstacle"


def test_nobody_waits_for_the_directory(foundation: Foundation) -> None:
    stranger = enter(foundation)

    def hold(say: Callable[[str], None]) -> None:
        with foundation.segment.directory_lock:
            say("held")
            signal.pause()

    with forked(hold) as holder:
        assert holder.hear() == "held"
        began = time.monotonic()
        assert foundation.put_out(os.getpid(), standing(foundation, stranger))
        assert time.monotonic() - began < 5
    assert foundation.segment.records[stranger.own.index].end_reason == EndReason.NONE, "it is asked again"


def test_a_process_without_a_session_is_told_by_a_signal_if_it_is_a_child(foundation: Foundation) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)
            signal.pause()
        finally:
            os._exit(1)
    assert foundation.put_out(os.getppid(), None), "not a child: it is left alone"
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        assert foundation.put_out(pid, None)
    assert os.WTERMSIG(ended[1]) == signal.SIGUSR1
    assert foundation.put_out(pid, None), "it is gone"


def test_as_many_log_in_as_there_are_lines(foundation: Foundation) -> None:
    first, second, third = (enter(foundation) for _ in range(3))
    by_terminal = enter(foundation, Entrance.TERMINAL)
    assert claim_user(first, 1, "Anna") is None
    assert claim_user(second, 2, "Bert") is None
    with pytest.raises(LinesBusy):
        claim_user(third, 3, "Carl")
    assert claim_user(by_terminal, 4, "Dora") is None, "a terminal of this machine takes no line"
    assert claim_user(third, 2, "Bert") is not None, "the older session is asked to end first"
    second.own.stand_at(PlaceKind.HELD, 0, 0)
    assert claim_user(third, 3, "Carl") is None, "a line that is gone is free"
    fourth = enter(foundation)
    with pytest.raises(LinesBusy):
        claim_user(fourth, 5, "Emil")
    assert claim_user(fourth, 5, "Emil", returns=True) is None
