"""Connections that have not said their first words: who goes, what is looked at, and how often."""

import socket
from collections.abc import Iterator

import pytest

from telnetd.doors.door import Door
from telnetd.doors.telnet import TelnetService
from telnetd.listener.vestibule import Vestibule, Waiting
from yawc_poker.bbs.service import FirstWords
from yawc_poker.doors import TELNET
from yawc_poker.registry.games import DEFAULTS

WORDS = FirstWords(lambda said: said.endswith(b"\n"), 10.0, "too late")
DOOR = Door(TELNET, TelnetService(DEFAULTS), ())


class Hall:
    """Connections that wait, and their other ends."""

    def __init__(self) -> None:
        self.opened: list[socket.socket] = []

    def waiting(self, peer: str = "192.0.2.1") -> tuple[Waiting, socket.socket]:
        listening = socket.create_server(("127.0.0.1", 0))
        theirs = socket.create_connection(listening.getsockname())
        ours, _ = listening.accept()
        one = Waiting(DOOR, ours, peer, WORDS, 0.0)
        self.opened += (listening, theirs, one.connection)
        return one, theirs


@pytest.fixture
def hall() -> Iterator[Hall]:
    hall = Hall()
    yield hall
    for one in hall.opened:
        one.close()


def test_the_oldest_from_where_most_wait_goes(hall: Hall) -> None:
    vestibule = Vestibule(4)
    first, second, third, fourth, fifth = (
        hall.waiting(peer)[0] for peer in ("192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.2", "192.0.2.3")
    )
    assert [vestibule.enter(one) for one in (first, second, third, fourth)] == [None] * 4
    assert vestibule.enter(fifth) is second
    vestibule.leave(second)
    assert list(vestibule) == [first, third, fourth, fifth]


def test_whoever_has_many_ipv6_networks_goes_before_a_household(hall: Hall) -> None:
    vestibule = Vestibule(16)
    household = [hall.waiting("192.0.2.1")[0] for _ in range(2)]
    site = [hall.waiting(f"2001:db8:0:{number:x}00::1")[0] for number in range(14)]
    assert [vestibule.enter(one) for one in (*household, *site)] == [None] * 16
    assert vestibule.enter(hall.waiting("2001:db8:0:ff00::1")[0]) is site[0]


def test_what_is_looked_at_is_left_there(hall: Hall) -> None:
    one, theirs = hall.waiting()
    assert one.said() == b""
    theirs.sendall(b"hello\n")
    assert one.said() == one.said() == b"hello\n"
    assert one.is_complete(b"hello\n")
    theirs.close()
    assert one.said() == b"hello\n", "a process is to find that out"
    assert one.connection.recv(16) == b"hello\n"


@pytest.mark.parametrize("said", [b"", b"hel"])
def test_who_hangs_up_before_is_gone(hall: Hall, said: bytes) -> None:
    one, theirs = hall.waiting()
    theirs.sendall(said)
    theirs.close()
    assert one.said() is None


def test_looks_are_further_and_further_apart(hall: Hall) -> None:
    one, _ = hall.waiting()
    now, looks = 0.0, 0
    while now < one.until:
        one.look_again(now)
        assert now < one.look_at <= one.until
        now, looks = one.look_at, looks + 1
    assert looks < 30
