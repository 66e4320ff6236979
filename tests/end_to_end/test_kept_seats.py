"""A player is gone from a running game: a house player stands in until the round is over, or until they come back."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end import test_doppelkopf_match as doppelkopf
from tests.end_to_end import test_offiziersskat as offiziersskat
from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.doppelkopf_match import Match as FourPlay
from tests.waiting import wait_until

CLOCKS = "turn_seconds = 60\npause_seconds = 0\n"
HOUSE = FAST.replace("players = 0", 'pace = [0.0, 0.1]\nlevel = "easy"')
CONFIG = f"{HOUSE}\n[offiziersskat]\n{CLOCKS}[doppelkopf]\n{CLOCKS}"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    with Bbs(tmp_path_factory.mktemp("kept") / "data", CONFIG) as running:
        yield running
        running.is_sound()


def stands_in(match: offiziersskat.Match | FourPlay, seat: int) -> bool:
    who = match.value().seats[seat]
    return who is not None and bool(who.program)


def test_a_killed_player_comes_back_to_the_seat_that_was_kept(town: Bbs) -> None:
    match = offiziersskat.Match(town, "k")
    match.begin()
    match.play(offiziersskat.first, until=lambda state: len(state.round.tricks) == 2)
    offiziersskat.is_killed(match)
    match.wait(lambda: stands_in(match, 0))
    match.play(offiziersskat.first, until=lambda state: len(state.round.tricks) >= 5)
    again = town.call().comes_back(match.names[0])
    again.see("Round 1, match to", f"{match.names[0]} sits down at the table.")
    match.wait(lambda: not stands_in(match, 0))
    who = match.value().seats[0]
    assert who is not None
    assert who.name == match.names[0]
    again.send("x")
    again.see("(y/n)")
    again.send("y")
    again.at_prompt()
    told = match.told()
    assert "is gone; the seat is kept" in told
    assert "stands in" in told
    assert "comes back" in told
    match.points()
    assert "of 1 house player, each by its program" in town.yawcctl("verify", str(match.number))
    again.hang_up()
    match.callers[1].hang_up()


def test_a_round_of_four_is_played_to_its_end_for_one_who_left(town: Bbs) -> None:
    match = FourPlay(town, "q")
    match.begin()
    match.play(doppelkopf.healthy, until=lambda state: len(state.round.tricks) == 2)
    doppelkopf.leaves(match)
    match.wait(lambda: stands_in(match, 2))
    assert not match.state().players[2].gone
    match.play(doppelkopf.healthy)
    told = match.told()
    match.ended("The match ends after 1 round: somebody has left.")
    assert told.count(" takes trick ") == 12
    match.points()
    assert "of 1 house player, each by its program" in town.yawcctl("verify", str(match.number))


def test_the_last_person_and_the_stand_in_die_at_once(town: Bbs) -> None:
    match = offiziersskat.Match(town, "d")
    watcher = town.call().register("Watcher")
    match.begin()
    match.play(offiziersskat.first, until=lambda state: len(state.round.tricks) == 2)
    town.session(match.names[1]).kill()
    match.wait(lambda: stands_in(match, 1))
    here = [json.loads(line) for line in town.yawcctl("who", "--json").splitlines()]
    table = {one["pid"] for one in here if one["address"] == "house"} | {town.session(match.names[0]).pid}
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in table:
            os.kill(pid, number)
    wait_until(lambda: not any(match.value().seats), "everybody to be removed")
    watcher.press("w")
    watcher.see("Watcher", "online.")
    assert "by a bug" not in town.log.read_text()


def test_a_house_player_stands_in_for_a_sleeper_until_a_key_is_pressed(tmp_path: Path) -> None:
    quick = HOUSE + "[offiziersskat]\nturn_seconds = 1.5\npause_seconds = 0\n"
    with Bbs(tmp_path / "data", quick) as bbs:
        match = offiziersskat.Match(bbs, "z")
        match.begin()
        sleeper, other = match.callers

        def other_plays() -> bool:
            """Play for the one who is awake, and return whether somebody stands in for the sleeper."""
            value = match.value()
            if value.game is not None and value.game.current == 1:
                other.send(offiziersskat.first(offiziersskat.offered(value, 1)))
            return stands_in(match, 0)

        match.wait(other_plays)
        tricks = len(match.state().round.tricks)
        match.wait(lambda: other_plays() and len(match.state().round.tricks) > tricks + 1)
        sleeper.send(" ")
        sleeper.redraw()
        sleeper.see("Round 1, match to")
        match.wait(lambda: not stands_in(match, 0))
        bbs.is_sound()
