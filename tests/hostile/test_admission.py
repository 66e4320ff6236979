"""Who is let in, and who goes for them, when lines are few: by the numbers, without processes."""

import time
from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

from telnetd.doors.door import Door
from telnetd.listener.admission import (
    DOOR_FULL,
    FULL,
    LEAVING_SECONDS,
    MOST_LEAVING,
    REMIND_SECONDS,
    SPARE,
    TOO_MANY,
    Admission,
)
from telnetd.listener.rate_limits import MOST_ADDRESSES
from tests.doors import door
from tests.hostile.test_rate_limits import Sessions
from tests.waiting import wait_until
from yawc_poker import doors
from yawc_poker.bbs.lifecycle import Standing
from yawc_poker.casino.presence.directory import GUESTS
from yawc_poker.config import TelnetSettings

LIMITS = TelnetSettings(max_sessions=4, max_logins=2, max_per_address=4)
TELNET, WIRE = door(doors.TELNET), door(doors.TLS, limit=3)
STRANGER = Standing(0, 0, 0, carrier=0, user=0, last_input=0.0, is_held=False)
INSIDE = STRANGER._replace(user=1)
HELD = STRANGER._replace(user=1, is_held=True)
GUEST = STRANGER._replace(user=GUESTS)


class House:
    """An admission, and the sessions that it sees."""

    def __init__(self, folder: Path, limits: TelnetSettings = LIMITS, records: int = 1000) -> None:
        self.limits = limits
        self.sessions = Sessions(records=records)
        self.admission = Admission(folder / "none", self.sessions)

    def call(self, address: str, door: Door = TELNET) -> object:
        return self.admission.refusal(door, address, self.limits)

    def enter(self, pid: int, address: str, what: Standing | None = STRANGER, heard: float = 0.0) -> None:
        """Let a connection in, whose session there is already, unless that is None."""
        self.admission.note(pid, WIRE if what is GUEST else TELNET, address, self.limits)
        if what is not None:
            self.sessions.there.append(what._replace(pid=pid, last_input=heard))

    def leave(self, pid: int) -> None:
        self.admission.connections.leave(pid)
        self.sessions.there = [one for one in self.sessions.there if one.pid != pid]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_the_oldest_of_the_address_with_most_goes(house: House) -> None:
    for pid, address in enumerate(("192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5")):
        house.enter(pid, address, heard=10.0 - pid)
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == [2], "the one that was silent longer than its neighbour"
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == [2, 2], "there is room; who goes is reminded"


def test_who_types_stays_longer_and_who_was_logged_in_there_longest(house: House) -> None:
    house.enter(0, "192.0.2.1", INSIDE)
    house.admission.find_strangers()
    house.leave(0)
    for pid in range(6):
        house.enter(pid, f"192.0.2.{pid + 1}", heard=100.0 if pid == 1 else pid)
    gone: list[int] = []
    for number in range(6):
        assert house.call(f"198.51.100.{number}") is None
        gone.append(house.sessions.asked[-1])
        house.leave(gone[-1])
        house.enter(100 + number, f"198.51.100.{number}", heard=1000.0 + number)
    assert gone == [2, 3, 4, 5, 1, 100], "the first is from where somebody was logged in"


def test_one_networks_many_ipv6_addresses_are_one_crowd(house: House) -> None:
    for pid in range(3):
        house.enter(pid, f"192.0.2.{pid}", heard=0.0)
    for pid in range(3, 6):
        house.enter(pid, f"2001:db8:0:{pid:x}00::1", heard=10.0)  # a /56 each, of one /48
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == [0], "three of a /48 are fewer than four times one"
    house.leave(0)
    house.enter(6, "2001:db8:0:600::1", heard=10.0)
    house.enter(7, "2001:db8:0:700::1", heard=10.0)
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked[-1] in range(3, 8)


def test_strangers_have_the_free_lines_and_some_more_and_those_inside_keep_theirs(house: House) -> None:
    for pid in range(3):
        house.enter(pid, f"192.0.2.{pid}", INSIDE)
    for pid in range(3, 6):
        house.enter(pid, f"192.0.2.{pid}")
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == [3]
    house.leave(3)
    house.enter(6, "192.0.2.6", INSIDE)
    assert house.call("192.0.2.9") == FULL, "as many are in as may be"


def test_with_all_lines_taken_those_are_let_in_who_may_have_a_seat(house: House) -> None:
    for pid in range(4):
        house.enter(pid, f"192.0.2.{pid}", INSIDE)
    house.enter(4, "192.0.2.4", HELD)
    house.admission.connections.without_line({4})
    assert house.call("192.0.2.4") is None
    assert house.call("192.0.2.2") is None, "the line may be broken, and nobody have noticed"
    assert house.call("192.0.2.9") == FULL
    for pid in range(5, 7):
        house.enter(pid, "192.0.2.4")
    assert house.call("192.0.2.4") is None
    assert house.sessions.asked == [5]


def test_however_many_have_taken_the_lines_of_those_who_lost_theirs_these_come_back(house: House) -> None:
    for pid in range(4):
        house.enter(pid, f"192.0.2.{pid}", HELD)
    house.admission.connections.without_line(set(range(4)))
    for pid in range(4):
        house.enter(10 + pid, f"198.51.100.{pid}", INSIDE)
    for pid in range(4):
        assert house.call(f"192.0.2.{pid}") is None
        house.leave(pid)
        house.enter(20 + pid, f"192.0.2.{pid}", INSIDE)
    assert house.sessions.asked == []
    assert house.call("203.0.113.1") == FULL


def test_neighbours_of_somebody_who_was_logged_in_do_not_keep_them_out(house: House) -> None:
    house.enter(0, "192.0.2.1", INSIDE)
    for pid in range(1, 4):
        house.enter(pid, "192.0.2.1", heard=pid)
        house.enter(10 + pid, "192.0.2.2", heard=pid)
    house.enter(14, "192.0.2.2")
    assert house.call("192.0.2.2") == TOO_MANY
    assert house.call("192.0.2.1") is None
    assert house.sessions.asked == [1]
    for pid in range(2, 4):
        house.sessions.there = [one for one in house.sessions.there if one.pid != pid]
        house.sessions.there.append(INSIDE._replace(pid=pid))
    house.enter(20, "192.0.2.1", INSIDE)
    assert house.call("192.0.2.1") == TOO_MANY, "all of them are in"


def test_clients_that_do_not_shake_hands_keep_no_guests_out(house: House) -> None:
    house.enter(0, "192.0.2.1", GUEST)
    house.admission.note(1, WIRE, "192.0.2.2", LIMITS)
    house.admission.note(2, WIRE, "192.0.2.3", LIMITS)
    house.enter(3, "192.0.2.3")
    assert house.call("192.0.2.9", WIRE) is None
    assert house.sessions.asked == [2]
    for pid in (1, 2):
        house.leave(pid)
        house.enter(pid, f"192.0.2.{pid}", GUEST)
    assert house.call("192.0.2.9", WIRE) == DOOR_FULL


def test_guests_take_no_line(house: House) -> None:
    for pid in range(3):
        house.enter(pid, f"192.0.2.{pid}", GUEST)
    for pid in range(3, 8):
        house.enter(pid, f"192.0.2.{pid}", INSIDE if pid < 6 else STRANGER)
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == []


def test_who_has_logged_in_meanwhile_stays(house: House) -> None:
    for pid in range(6):
        house.enter(pid, f"192.0.2.{pid}", heard=pid)
    house.sessions.late = {0}
    assert house.call("192.0.2.9") == FULL
    assert house.sessions.asked == [0]
    assert house.admission.connections.lines == 6


def test_who_was_asked_to_go_and_has_not_heard_it_is_asked_again(house: House) -> None:
    """It was forked a moment ago, and ignored the signal; then it has a session, or has logged in."""
    for pid in range(6):
        house.enter(pid, f"192.0.2.{pid}", None)
    assert house.call("192.0.2.9") is None
    house.admission.find_strangers()
    assert house.sessions.asked == [0, 0]
    assert house.admission.connections.leaving == [0]
    assert 0 < house.admission.reminds_in <= REMIND_SECONDS
    house.admission.remind()
    assert house.sessions.asked == [0, 0], "it is too early for that"
    wait_until(lambda: house.admission.reminds_in == 0, "the time to remind it")
    house.admission.remind()
    assert house.sessions.asked == [0, 0, 0]
    house.sessions.late = {0}
    house.admission.find_strangers()
    assert house.admission.connections.leaving == []
    assert house.admission.reminds_in == inf
    assert house.admission.connections.lines == 6


def test_only_so_many_may_be_about_to_go(tmp_path: Path) -> None:
    few = replace(LIMITS, max_sessions=1, max_logins=MOST_LEAVING + 5)
    house = House(tmp_path, few)
    for pid in range(MOST_LEAVING + 6):
        house.enter(pid, f"192.0.2.{pid}")
    now = time.monotonic() + 60.0  # when the pace of calls is no reason to wait
    for pid in range(MOST_LEAVING):
        assert house.admission.pause_seconds(now) == (0.0 if pid < SPARE else LEAVING_SECONDS)
        assert house.call(f"198.51.100.{pid}") is None
        house.enter(1000 + pid, f"198.51.100.{pid}")
    assert house.call("203.0.113.1") == FULL
    house.leave(0)
    assert house.call("203.0.113.1") is None


def test_where_an_older_program_has_made_the_records_nobody_is_without_one(tmp_path: Path) -> None:
    house = House(tmp_path, records=16)
    house.limits = replace(LIMITS, max_sessions=16)
    for pid in range(14):
        house.enter(pid, f"192.0.2.{pid}")
    assert house.call("192.0.2.99") is None
    assert house.sessions.asked == []
    house.limits = replace(LIMITS, max_sessions=14)
    assert house.call("192.0.2.99") is None
    assert house.sessions.asked == [0]


def test_a_process_that_encrypts_for_a_session_is_no_stranger(house: House) -> None:
    house.enter(0, "192.0.2.1", INSIDE._replace(carrier=1))
    house.enter(1, "192.0.2.1", None)
    for pid in range(2, 7):
        house.enter(pid, f"192.0.2.{pid}", heard=1000.0 + pid)
    assert house.call("192.0.2.9") is None
    assert house.sessions.asked == [2]


def test_what_is_known_of_addresses_is_bounded(tmp_path: Path) -> None:
    admission = Admission(tmp_path / "none", Sessions(), familiar=["192.0.2.1"])
    for number in range(MOST_ADDRESSES + 10):
        admission.note(1, TELNET, f"10.0.{number >> 8}.{number & 255}", LIMITS)
        admission.find_strangers([INSIDE._replace(pid=1)])
    assert len(admission.familiar) == MOST_ADDRESSES
    assert "192.0.2.1" not in admission.familiar
