"""How house players' thinking is measured: who is asked for a key, how many think, how long a choice takes."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks.house import Thinking
from benchmarks.opponents import offered
from benchmarks.thinks import CHOICES
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.values import Seat, Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import Event, Options, State
from yawc_poker.session.house.slots import FILE

NEEDS = "yawc_poker.extras.maumau_wire"
"""Its bots are players of Mau-Mau, too."""
HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
print("held", flush=True)
sys.stdin.read()
"""


def at_table(state: State | None) -> Table[State, Event]:
    seats = (Seat(1, 7, "Anna", 0), Seat(2, 8, "Ada*", 0))
    return Table(seats, game=state)


def begun() -> State:
    order = list(rules.DECK)
    Random(1).shuffle(order)
    return rules.deal({0: 0, 1: 0}, 0, Dealing(" ".join(order)), Options()).state


def test_a_key_is_pressed_only_by_the_player_on_turn() -> None:
    state = begun()
    seat = rules.to_move(state)
    keys = {name: offered(at_table(state), name) for name in ("Anna", "Ada*")}
    on_turn, other = ("Anna", "Ada*") if seat == 0 else ("Ada*", "Anna")
    assert keys[on_turn]
    assert set(keys[on_turn]) <= set("12345678")
    assert keys[other] == ""


def test_a_new_match_is_started_by_its_key() -> None:
    assert offered(at_table(None), "Anna") == "s"


def test_those_who_think_are_counted_by_the_slots_of_other_processes(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    thinking = Thinking(tmp_path)
    assert thinking.count() == 0
    command = [sys.executable, "-c", HOLD, str(tmp_path / FILE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        thinking.note()
        holder.communicate("")
    thinking.note()
    assert thinking.counted == [1, 0]
    thinking.close()


@pytest.mark.parametrize("number", [0, 1])
def test_every_choice_of_a_game_is_timed(number: int) -> None:
    times = list(CHOICES["poker"](number))
    assert len(times) > 5
    assert all(took > 0 for took in times)
