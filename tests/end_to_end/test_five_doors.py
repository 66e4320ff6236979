"""One poker table with five callers, each by another door: telnet, TLS, ssh, a browser, the console."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.certificates import make_certificate, needs_openssl
from tests.end_to_end.bbs import Caller
from tests.end_to_end.browser import Tab
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.ssh_servers import SSHD, call, ground, missing
from tests.end_to_end.test_poker import play_to_showdown
from tests.end_to_end.tls import TlsCaller, section
from tests.ports import free_ports

DOORS = {"Tessa": "telnet", "Tilda": "tls", "Sasha": "ssh", "Wilma": "web", "Konrad": "console"}
"""Who comes by which door, as `yawcctl who` shows it."""


@needs_openssl
@pytest.mark.skipif(bool(missing(SSHD)), reason=missing(SSHD))
@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_five_callers_by_five_doors_play_a_whole_game(tmp_path: Path) -> None:
    tls_port, web_port, ssh_port = free_ports(3)
    files = make_certificate(tmp_path)
    with ground(section(tls_port, files), web_port) as town, ExitStack() as lines:
        bbs = town.bbs
        lines.enter_context(town.sshd(ssh_port, "sshd-bbs.conf"))
        callers: list[Caller] = [
            bbs.call(),
            TlsCaller(tls_port, files.cert),
            call(ssh_port, "bbs"),
            Tab(web_port),
            PtyCaller([sys.executable, "-m", "yawc_poker", "--data", str(bbs.data)]),
        ]
        for caller, name in zip(callers, DOORS, strict=True):
            lines.callback(caller.hang_up)
            caller.register(name)
            caller.sit()
        told = bbs.yawcctl("who").splitlines()
        assert {
            name: door for name, door in DOORS.items() if any({name, door} <= set(line.split()) for line in told)
        } == DOORS
        first, *others = callers
        for name in list(DOORS)[1:]:
            first.hear(f"{name} sits down")
        first.send("s")
        play_to_showdown(first, *others)
        won = {caller.name: next(one for one in messages(caller) if "wins" in one) for caller in callers}
        assert len(set(won.values())) == 1, won
        assert "Game 1 is proven." in bbs.yawcctl("verify", "1")
        for caller in callers:
            caller.send("x")
            caller.at_prompt()
        bbs.is_sound()


def messages(caller: Caller) -> list[str]:
    """Wait until somebody has won, and return what was told."""
    caller.hear("wins")
    return caller.messages
