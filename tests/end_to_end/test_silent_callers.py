"""Callers who say nothing: however many there are, they keep nobody out, and cost nobody line, seat or stake."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.certificates import client_hello, make_certificate, needs_openssl
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, cut
from tests.end_to_end.browser import Tab
from tests.end_to_end.wire import WireClient
from tests.ports import free_port
from tests.processes import serving
from tests.waiting import wait_until

LINES, LOGINS, ADDRESSES, EACH = 40, 2, 4, 10
CONFIG = FAST.replace("hold_seconds = 0", "hold_seconds = 30").replace(
    "max_per_address = 200", f"max_per_address = 20\nmax_sessions = {LINES}\nmax_logins = {LOGINS}"
)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
"""A request that does not end."""


@contextmanager
def silence(port: int, said: bytes = b"", each: int = EACH) -> Iterator[list[socket.socket]]:
    """Hold so many connections from each of four addresses."""
    with ExitStack() as stack:
        silent = []
        for number in range(ADDRESSES * each):
            address = f"127.0.66.{1 + number % ADDRESSES}"
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), DEADLINE, (address, 0)))
            one.sendall(said)
            silent.append(one)
        yield silent


def are_in(bbs: Bbs, number: int) -> None:
    """Wait until the listener has so many processes at least."""
    listener = psutil.Process(bbs.process.pid)
    wait_until(lambda: len(serving(listener.pid)) >= number, "their processes")


def newcomers_play(bbs: Bbs) -> None:
    """Two who were never here register and play a game."""
    anna, bert = (bbs.call(address=f"127.0.0.{10 + at}").register(name) for at, name in enumerate(("Anna", "Bert")))
    for one in (anna, bert):
        one.sit()
    anna.send("s")
    bert.until("Turn:", "Anna")
    assert "all lines are busy" not in bbs.log.read_text()


def test_four_addresses_that_hold_all_lines_keep_nobody_out(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG) as bbs, silence(bbs.port):
        are_in(bbs, LINES)
        newcomers_play(bbs)


def test_whoever_goes_is_told(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG.replace(f"max_sessions = {LINES}", "max_sessions = 1")) as bbs:
        silent = [bbs.call(address="127.0.66.1").at("Name: ") for _ in range(3)]
        bbs.call(address="127.0.0.9").at("Name: ")
        silent[0].see("All lines are busy.")
        silent[0].ended()
        assert "telnet: lines are few: 127.0.66.1, who has not logged in, goes" in bbs.log.read_text()
        assert all(one.is_open for one in silent[1:])


def comes_back(caller: Caller, name: str) -> None:
    caller.see("Name:")
    caller.line(name)
    caller.see("Password:")
    caller.line("secret-1")
    caller.see("Bert is back.", "Pot:")


def test_whoever_loses_the_line_meanwhile_comes_back_to_seat_and_stake(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        bert.until("Turn:", "Anna")
        pot = bert.field("Pot:")
        with silence(bbs.port) as silent:
            are_in(bbs, LINES)
            cut(bert)
            anna.hear("Bert's line is gone")
            again = bbs.call(address="127.0.0.77")
            comes_back(again, "Bert")
            assert again.field("Pot:") == pot
            for one in silent:
                one.close()
        anna.send("x")
        anna.see("(y/n)")
        anna.send("y")
        again.see("wins")
        bbs.is_sound()


def test_a_seat_that_is_kept_is_a_line_though_others_have_taken_all(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG.replace(f"max_sessions = {LINES}", "max_sessions = 2")) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        bert.until("Turn:", "Anna")
        cut(bert)
        anna.hear("Bert's line is gone")
        bbs.call(address="127.0.0.3").register("Carl")
        late = bbs.call(address="127.0.0.4")
        late.see("all lines of this BBS are busy")
        late.ended()
        comes_back(bbs.call(), "Bert")


def test_a_line_is_given_out_at_the_login(tmp_path: Path) -> None:
    """Whoever was let in while a line was free may find it taken; a session of one's own is no obstacle."""
    with Bbs(tmp_path / "data", CONFIG.replace(f"max_sessions = {LINES}", "max_sessions = 1")) as bbs:
        bbs.call().register("Bert")
        bbs.everybody_out()
        first, second = (bbs.call(address=f"127.0.0.{at}").at("Name: ") for at in (3, 4))
        first.register("Anna")
        second.line("Bert")
        second.see("Password:")
        second.line("secret-1")
        second.see("All lines are busy. Please call again later.")
        second.ended()
        bbs.call(address="127.0.0.3").log_in("Anna").see("Your older session has been ended.")


@needs_openssl
@pytest.mark.parametrize("said", [b"", client_hello()[:50], client_hello()], ids=["nothing", "half a hello", "a hello"])
def test_handshakes_that_never_end_keep_nobody_out(tmp_path: Path, said: bytes) -> None:
    files = make_certificate(tmp_path)
    port = free_port()
    tls = f'[tls]\nport = {port}\ncert = "{files.cert}"\nkey = "{files.key}"\nhandshake_seconds = 60\n'
    with Bbs(tmp_path / "data", CONFIG + tls) as bbs, silence(port, said):
        are_in(bbs, LINES if len(said) > 50 else 0)  # the others wait without a process
        newcomers_play(bbs)


@pytest.mark.parametrize("said", [b"", GET], ids=["nothing", "half a request"])
def test_browsers_that_ask_for_nothing_keep_nobody_out(tmp_path: Path, said: bytes) -> None:
    with Bbs(tmp_path / "data", f"{CONFIG}[web]\n", web_port=free_port()) as bbs, silence(bbs.web_port, said):
        are_in(bbs, 0)  # they wait without a process
        newcomers_play(bbs)


def test_pages_that_do_not_log_in_keep_nobody_out(tmp_path: Path) -> None:
    config = CONFIG.replace(f"max_sessions = {LINES}", "max_sessions = 4")
    with Bbs(tmp_path / "data", f"{config}[web]\n", web_port=free_port()) as bbs, ExitStack() as stack:
        for number in range(LOGINS + 4):
            tab = stack.enter_context(Tab(bbs.web_port, address=f"127.0.66.{number % 2 + 1}"))
            tab.see("Name:")
        newcomers_play(bbs)


def test_clients_that_do_not_shake_hands_keep_no_others_out(tmp_path: Path) -> None:
    config = CONFIG + "[maumau]\nplayers = 2\nmax_clients = 8\n"
    with Bbs(tmp_path / "data", config, wire_port=free_port()) as bbs, silence(bbs.wire_port, each=2):
        are_in(bbs, 8)
        with WireClient(bbs.wire_port, "127.0.0.10") as one, WireClient(bbs.wire_port, "127.0.0.11") as other:
            assert {one.greet().id, other.greet().id} == {1, 2}
            newcomers_play(bbs)
