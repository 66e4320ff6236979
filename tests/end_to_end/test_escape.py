"""`[telnet] ask_escape`: who presses ESC twice is greeted; who does not is no caller, and takes no record."""

from collections.abc import Iterator

import pytest

from telnetd.doors.telnet import ESCAPE_BYTES
from tests.end_to_end.bbs import FAST, Bbs, TelnetCaller, connected

CONFIG = FAST.replace("max_per_address = 200", "max_per_address = 200\nask_escape = true")


@pytest.fixture(scope="module")
def bbs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    with Bbs(tmp_path_factory.mktemp("escape") / "data", CONFIG) as running:
        yield running
        running.is_sound()


def caller_of(bbs: Bbs) -> TelnetCaller:
    caller = bbs.called(TelnetCaller(connected(bbs.port)))
    assert isinstance(caller, TelnetCaller)
    return caller


def test_who_presses_escape_twice_is_greeted(bbs: Bbs) -> None:
    caller = caller_of(bbs)
    caller.see("Press ESC twice.")
    assert "logging in" in bbs.yawcctl("status")
    assert ", 0 logging in;" in bbs.yawcctl("status")
    caller.send("x\x1b")
    caller.send("\x1b")
    caller.see("Name:")


def test_a_scanner_that_guesses_passwords_sees_no_prompt(bbs: Bbs) -> None:
    caller = caller_of(bbs)
    caller.see("Press ESC twice.")
    for _ in range(ESCAPE_BYTES // 16 + 1):
        caller.send("root\r\nxc3511\r\n\r\n")
    caller.ended()
    assert "Name:" not in caller.text
    assert "no session: ESC was not pressed twice" in bbs.log.read_text()
