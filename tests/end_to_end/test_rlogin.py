"""Callers whom another BBS passes on by rlogin, against the real daemon."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from telnetd.extras.rlogin import doors
from tests.end_to_end.bbs import FAST, Bbs, SocketCaller, connected
from tests.ports import free_port

OTHER_BBS = "127.0.0.2"


class RloginCaller(SocketCaller):
    """A caller who has a name elsewhere."""

    def send(self, data: bytes | str) -> None:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def line(self, text: str) -> None:
        self.send(text + "\r")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.send(struct.pack(">4s4H", b"\xff\xffss", rows, columns, 0, 0))

    def _receive(self, data: bytes) -> None:
        self._show(data.replace(b"\0", b""))


class RloginBbs(Bbs):
    """The daemon, which listens to one other BBS."""

    def __init__(self, data: Path) -> None:
        self.rlogin_port = free_port()
        super().__init__(data, f'{FAST}[rlogin]\nport = {self.rlogin_port}\nfrom_hosts = ["{OTHER_BBS}"]\n')

    def passed_on(self, name: str, address: str = OTHER_BBS) -> RloginCaller:
        opening = f"\0{name.lower()}\0{name}\0xterm/115200\0".encode()
        caller = RloginCaller(connected(self.rlogin_port, address, opening))
        return self.called(caller)


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[RloginBbs]:
    with RloginBbs(tmp_path / "data") as running:
        yield running
        running.is_sound()


def test_a_caller_comes_with_their_name_and_gives_the_password_as_always(bbs: RloginBbs) -> None:
    bbs.call().register("Anna").hang_up()
    caller = bbs.passed_on("Anna")
    caller.see("Name: Anna", "Password:")
    caller.line("secret-1")
    caller.at_prompt()
    caller.resize(100, 30)
    caller.send("m")
    caller.see("main menu>")
    (row,) = [one for one in map(json.loads, bbs.yawcctl("who", "--json").splitlines()) if one["name"] == "Anna"]
    assert (row["door"], row["address"]) == (doors.RLOGIN.name, OTHER_BBS)


def test_a_name_that_is_new_here_leads_to_a_new_account(bbs: RloginBbs) -> None:
    caller = bbs.passed_on("Berta")
    caller.see("Name: Berta", "(y/n)")


def test_a_name_that_can_be_none_here_is_asked_for(bbs: RloginBbs) -> None:
    caller = bbs.passed_on("/quit")
    caller.see("Name:")
    caller.line("guest")
    caller.at_prompt()


def test_others_are_hung_up_on_with_a_line_in_the_log(bbs: RloginBbs) -> None:
    caller = bbs.passed_on("Anna", "127.0.0.1")
    caller.ended()
    assert "127.0.0.1: no session: it is not in [rlogin] from_hosts" in bbs.log.read_text()


def test_what_is_no_rlogin_is_hung_up_on(bbs: RloginBbs) -> None:
    caller = bbs.called(RloginCaller(connected(bbs.rlogin_port, OTHER_BBS, b"GET / HTTP/1.1\r\n\r\n")))
    caller.ended()
    assert f"{OTHER_BBS}: no session: no rlogin" in bbs.log.read_text()
