import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import pytest

from tests.strangers import said_as_a_stranger
from yawc_poker.doors import AT_CONSOLE, BY_SSH
from yawc_poker.terminal.line import Line
from yawc_poker.terminal.tty import LAST_WORDS, TtyLine
from yawc_poker.transport import OUTPUT_LIMIT, LineClosed

DEADLINE = 10.0


class Peer:
    """The far side of a terminal."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.hung_up = False

    def type(self, data: bytes) -> None:
        os.write(self.master, data)

    def read(self, count: int) -> bytes:
        data = b""
        end = time.monotonic() + DEADLINE
        while len(data) < count and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                data += os.read(self.master, 65536)
        return data

    def hang_up(self) -> None:
        if not self.hung_up:
            self.hung_up = True
            os.close(self.master)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.hang_up()
    os.close(peer.slave)


def received(line: TtyLine, enough: Callable[[bytes], bool]) -> bytes:
    data = b""
    end = time.monotonic() + DEADLINE
    while not enough(data) and time.monotonic() < end:
        select.select([line], [], [], 0.1)
        data += line.receive()
    return data


@pytest.mark.parametrize(
    ("term", "kind"), [("xterm", "xterm-256color"), ("linux", "linux"), ("vt100", "vt100"), ("", "ansi")]
)
def test_it_is_a_line_that_knows_its_terminal(peer: Peer, term: str, kind: str) -> None:
    line: Line = TtyLine(peer.slave, {"TERM": term} if term else {})
    assert line.kind == kind
    assert line.peer == os.ttyname(peer.slave)
    assert (line.columns, line.rows, line.pending) == (80, 24, 0)
    line.keep_alive()
    line.close()


@pytest.mark.parametrize(
    ("environment", "origin"),
    [
        ({"SSH_CONNECTION": "192.0.2.7 50022 192.0.2.1 22"}, "192.0.2.7"),
        ({"SSH_CONNECTION": "fe80::1%eth0 50022 fe80::2%eth0 22"}, "fe80::1"),
        ({"SSH_CLIENT": "2001:db8::7 50022 22"}, "2001:db8::7"),
        ({"SSH_CONNECTION": "rubbish", "SSH_CLIENT": "192.0.2.8 50022 22"}, "192.0.2.8"),
        ({"SSH_CONNECTION": "UNKNOWN 65535 UNKNOWN 65535"}, None),
        ({"SSH_CONNECTION": "192.0.2.7\n 1 2 3"}, None),
        ({"SSH_CONNECTION": ""}, None),
        ({}, None),
    ],
)
def test_its_origin_is_the_address_that_sshd_tells(peer: Peer, environment: dict[str, str], origin: str | None) -> None:
    line = TtyLine(peer.slave, environment)
    assert line.peer == os.ttyname(peer.slave)
    assert line.origin == (origin or line.peer)
    assert line.way == (BY_SSH if origin else AT_CONSOLE)
    line.close()


@pytest.mark.parametrize(
    ("environment", "shows"),
    [
        ({}, "utf-8"),
        ({"LANG": "de_DE.UTF-8"}, "utf-8"),
        ({"LANG": "de_DE.ISO-8859-1"}, "latin-1"),
        ({"LANG": "de_DE"}, "ascii"),
        ({"LANG": "C"}, "ascii"),
        ({"LANG": "en_US.IBM437"}, "cp437"),
        ({"LANG": "en_US.UTF-8", "LC_CTYPE": "POSIX"}, "ascii"),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, "utf-8"),
    ],
)
def test_the_charset_is_the_locales(peer: Peer, environment: dict[str, str], shows: str) -> None:
    line = TtyLine(peer.slave, {"TERM": "xterm"} | environment)
    assert line.charset == shows
    line.close()


def test_what_python_makes_of_the_locale_says_nothing_about_the_terminal() -> None:
    code = (
        "import os; from yawc_poker.terminal.tty import as_started;"
        "print(os.getenv('LC_CTYPE'), 'LC_CTYPE' in as_started())"
    )
    for given, seen in (({"LANG": "xx_XX.ISO-8859-1"}, "False"), ({"LC_CTYPE": "C.UTF-8"}, "True")):
        done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["C.UTF-8", seen]


def test_terminals_of_the_bbs_family_keep_their_charset(peer: Peer) -> None:
    line = TtyLine(peer.slave, {"TERM": "syncterm"})
    assert line.charset == "cp437"
    line.close()


def test_keys_come_raw_and_nothing_blocks_or_echoes(peer: Peer) -> None:
    line = TtyLine(peer.slave, {})
    assert line.receive() == b""
    peer.type(b"a\r\x03\x1a\x13\x11\xc3\xa4")
    assert received(line, lambda data: len(data) >= 6) == b"a\r\x03\x1a\xc3\xa4"  # XON and XOFF are the terminal's
    line.send(b"x\r\ny\n")
    assert line.pending == 5
    line.flush()
    assert line.pending == 0
    assert peer.read(5) == b"x\r\ny\n"
    line.close()


def test_close_gives_the_terminal_back_as_it_was(peer: Peer) -> None:
    settings, flags = termios.tcgetattr(peer.slave), fcntl.fcntl(peer.slave, fcntl.F_GETFL)
    line = TtyLine(peer.slave, {})
    assert termios.tcgetattr(peer.slave) != settings
    assert fcntl.fcntl(peer.slave, fcntl.F_GETFL) == flags
    line.send(b"bye")
    line.close()
    line.close()
    assert peer.read(3) == b"bye"
    assert termios.tcgetattr(peer.slave) == settings
    assert fcntl.fcntl(peer.slave, fcntl.F_GETFL) == flags


def test_where_the_terminal_cannot_be_opened_again_the_shared_flag_is_given_back(peer: Peer) -> None:
    class Foreign(TtyLine):
        """A terminal whose name leads to nothing that can be opened."""

        def _open(self, descriptor: int) -> int:
            self.peer = "/dev/pts/nobody"
            return super()._open(descriptor)

    flags = fcntl.fcntl(peer.slave, fcntl.F_GETFL)
    line = Foreign(peer.slave, {})
    assert fcntl.fcntl(peer.slave, fcntl.F_GETFL) & os.O_NONBLOCK
    assert line.receive() == b""
    peer.type(b"k")
    assert received(line, bool) == b"k"
    line.close()
    assert fcntl.fcntl(peer.slave, fcntl.F_GETFL) == flags


def test_another_users_terminal_shares_no_flag_if_it_is_the_controlling_one() -> None:
    """A shell clears a flag that it shares, and this process would wait in a read."""
    assert said_as_a_stranger("""
        line = TtyLine(0, {})
        print("shared" if fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK else "own", line.receive(), end="\\r\\n")
        line.close()
    """) == ["own b''"]


def test_the_window_is_read_anew(peer: Peer) -> None:
    termios.tcsetwinsize(peer.slave, (50, 132))
    line = TtyLine(peer.slave, {})
    assert (line.columns, line.rows) == (132, 50)
    termios.tcsetwinsize(peer.slave, (30, 100))
    line.resized()
    assert (line.columns, line.rows) == (100, 30)
    termios.tcsetwinsize(peer.slave, (40_000, 65_535))
    line.resized()
    assert (line.columns, line.rows) == (500, 500)
    termios.tcsetwinsize(peer.slave, (0, 0))
    line.receive()
    assert (line.columns, line.rows) == (80, 24)
    line.close()


def test_hanging_up_closes_the_line(peer: Peer) -> None:
    line = TtyLine(peer.slave, {})
    peer.hang_up()
    with pytest.raises(LineClosed, match="hung up"):
        received(line, lambda data: False)
    line.send(b"still there?")
    with pytest.raises(LineClosed, match="hung up"):
        line.flush()
    line.resized()
    line.close()


def test_a_caller_who_does_not_read_is_not_waited_for(peer: Peer) -> None:
    settings = termios.tcgetattr(peer.slave)
    line = TtyLine(peer.slave, {})
    line.send(b"x" * (OUTPUT_LIMIT - 10))
    line.flush()
    waiting = line.pending
    assert waiting > 0
    with pytest.raises(LineClosed, match="does not read"):
        line.send(b"x" * OUTPUT_LIMIT)
    began = time.monotonic()
    line.close()
    assert LAST_WORDS <= time.monotonic() - began < LAST_WORDS + DEADLINE
    assert termios.tcgetattr(peer.slave) == settings


def test_what_is_no_terminal_is_refused() -> None:
    reading, writing = os.pipe()
    try:
        with pytest.raises(termios.error):
            TtyLine(reading, {})
    finally:
        os.close(reading)
        os.close(writing)
