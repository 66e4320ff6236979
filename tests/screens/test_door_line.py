"""A terminal that was handed over, as a line: a pseudo-terminal and a connection, without the program."""

import fcntl
import os
import pty
import signal
import socket
import termios
import time
from collections.abc import Iterator

import pytest

from tests.strangers import said_as_a_stranger
from tests.waiting import wait_until
from yawc_poker.extras.ssh_door.line import DoorLine
from yawc_poker.terminal.line import Line
from yawc_poker.transport import HUNG_UP, LineClosed

DEADLINE = 10.0


class Peer:
    """The far side: the terminal's other end, and the door."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(80, 24)
        self.door, self.connection = socket.socketpair()
        self.settings = termios.tcgetattr(self.slave)
        self.signals: list[int] = []
        """One for each SIGWINCH that this process got."""

    def line(self, peer: str = "192.0.2.7") -> DoorLine:
        """Hand over a copy of the terminal."""
        return DoorLine(os.dup(self.slave), {"TERM": "xterm"}, self.connection, peer)

    def resize(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self.slave, (rows, columns))

    def close(self) -> None:
        self.door.close()
        self.connection.close()
        for descriptor in (self.master, self.slave):
            os.close(descriptor)


@pytest.fixture
def peer() -> Iterator[Peer]:
    found = Peer()
    before = signal.signal(signal.SIGWINCH, lambda *_: found.signals.append(1))
    yield found
    found.close()
    signal.signal(signal.SIGWINCH, before)


def test_it_is_a_line_of_its_callers_address(peer: Peer) -> None:
    line: Line = peer.line()
    assert (line.peer, line.origin, line.kind) == ("192.0.2.7", "192.0.2.7", "xterm-256color")
    assert (line.columns, line.rows) == (80, 24)
    line.close()
    local = peer.line("/dev/pts/7")
    assert (local.peer, local.origin) == ("/dev/pts/7", "/dev/pts/7")
    local.close()


def test_what_is_typed_comes_and_what_is_sent_is_shown(peer: Peer) -> None:
    line = peer.line()
    assert line.receive() == b""
    os.write(peer.master, b"\x03\r")
    end = time.monotonic() + DEADLINE
    typed = b""
    while len(typed) < 2 and time.monotonic() < end:
        typed += line.receive()
    assert typed == b"\x03\r", "raw: no signal, no translation"
    line.send(b"shown")
    line.flush()
    assert os.read(peer.master, 100) == b"shown"
    line.close()


def test_a_change_of_the_window_that_the_door_tells_is_a_signal(peer: Peer) -> None:
    line = peer.line()
    peer.resize(132, 43)
    assert not peer.signals
    peer.door.send(b"w")
    wait_until(lambda: bool(peer.signals), "the signal")
    assert line.receive() == b""
    assert (line.columns, line.rows) == (132, 43)
    line.close()


def test_a_change_told_before_the_line_was_made_is_not_lost(peer: Peer) -> None:
    peer.door.send(b"w")
    peer.resize(100, 30)
    line = peer.line()
    assert (line.columns, line.rows) == (100, 30)
    assert line.receive() == b""
    line.close()


def test_the_end_of_the_door_is_a_signal_and_a_hang_up(peer: Peer) -> None:
    line = peer.line()
    peer.door.close()
    wait_until(lambda: bool(peer.signals), "the signal")
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.receive()
    line.close()


def test_a_door_that_ends_before_it_hears_that_it_may_stop_is_a_hang_up(peer: Peer) -> None:
    line = peer.line()
    peer.door.send(b"s")
    peer.door.close()
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.receive()
    line.close()


def test_the_end_of_the_terminal_is_a_hang_up(peer: Peer) -> None:
    line = peer.line()
    os.close(peer.master)
    peer.master = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(LineClosed, match=HUNG_UP):
        line.receive()
    line.close()


def test_closing_restores_the_terminal_and_leaves_the_connection(peer: Peer) -> None:
    line = peer.line()
    assert termios.tcgetattr(peer.slave) != peer.settings
    assert fcntl.fcntl(peer.slave, fcntl.F_GETFL) & os.O_NONBLOCK, "it is shared with the door"
    line.send(b"bye")
    line.close()
    assert os.read(peer.master, 100) == b"bye"
    assert termios.tcgetattr(peer.slave) == peer.settings
    assert not fcntl.fcntl(peer.slave, fcntl.F_GETFL) & os.O_NONBLOCK
    assert peer.connection.send(b"\0") == 1
    line.close()


def test_what_is_done_after_closing_reaches_no_other_file_and_no_terminal(peer: Peer) -> None:
    line = peer.line()
    line.close()
    others = [os.open(os.devnull, os.O_RDWR) for _ in range(4)]  # they have the line's numbers
    facts = [os.fstat(one) for one in others]
    line.send(b"too late")
    line.take_again()
    line.give_back()
    line.close()
    assert [os.fstat(one) for one in others] == facts
    assert line.fileno() == -1
    assert termios.tcgetattr(peer.slave) == peer.settings
    os.set_blocking(peer.master, False)
    with pytest.raises(BlockingIOError):
        os.read(peer.master, 100)
    for one in others:
        os.close(one)


def test_the_door_of_another_user_than_the_terminals_opens_it_anew_too() -> None:
    code = """
        opened = _own_terminal()
        print("shared" if opened == 0 else os.get_blocking(opened))
    """
    assert said_as_a_stranger(code) == ["False"]
