"""Two hosts on one machine: each a real daemon with a data directory of its own, and one PostgreSQL database."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, yawcctl
from tests.end_to_end.daemons import kill_all, refused
from tests.end_to_end.wire import PLAYERS, WireClient
from tests.ports import free_port
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import MARK_FILE
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.maumau_wire.protocol.client import Known, choices, hear
from yawc_poker.extras.maumau_wire.protocol.messages import FromClient
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import MayPlay, MayTake
from yawc_poker.ipc.segment import Segment, segment_name

LEASE = 1.5
HOLD = FAST.replace("hold_seconds = 0", "hold_seconds = 30")


def on(url: str, host: str, config: str = HOLD) -> str:
    return f'{config}\n[cluster]\ndatabase = "{url}"\nhost = "{host}"\nhosts = 2\nlease_seconds = {LEASE}\n'


class Hosts:
    """Hosts by name."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.folder = folder
        self.of: dict[str, Bbs] = {}

    def start(self, name: str, config: str = HOLD) -> Bbs:
        """Start a host, again where it was stopped."""
        if name not in self.of:
            self.of[name] = Bbs(self.folder / name, on(self.url, name, config))
        return self.of[name].start()

    def courier(self, name: str) -> int:
        """Return the pid of a host's courier, once there is one that lives."""
        segment = Segment.attach(segment_name(self.of[name].data))
        here = ClusteredHost(segment.head)

        def pid() -> int:
            courier = here.courier
            return courier.pid if courier is not None and psutil.pid_exists(courier.pid) else 0

        try:
            wait_until(lambda: pid() != 0, "a courier", DEADLINE)
            return pid()
        finally:
            segment.close()

    def leases(self) -> dict[str, str]:
        data = next(iter(self.of.values())).data
        told = yawcctl(data, "cluster", "--json")
        assert told.returncode in {0, 1}, told.stderr
        return {one["name"]: one["lease"] for one in map(json.loads, told.stdout.splitlines())}


@pytest.fixture
def hosts(tmp_path: Path, empty_database: str) -> Iterator[Hosts]:
    """Hosts; in the end all must stop cleanly, and the books be sound."""
    made = Hosts(tmp_path, empty_database)
    yield made
    for bbs in made.of.values():
        bbs.__exit__(None, None, None)
        said = bbs.log.read_text()
        assert not re.search(r"by a bug|ended by a bug|Traceback", said), said
        bbs.is_sound()


def poker_across(one: Bbs, other: Bbs) -> tuple[Caller, Caller]:
    """Anna on one host and Bert on the other sit down at one table, and Anna begins a game."""
    (anna,), (bert,) = one.seat("Anna"), other.seat("Bert")
    anna.see("Bert")
    anna.send("s")
    for caller in (anna, bert):
        caller.until("Pot:", "20 CUBES")
    return anna, bert


def on_turn(*callers: Caller) -> Caller:
    """Wait until it is the turn of one of them, and return that one."""

    def can_bet() -> list[Caller]:
        for caller in callers:
            caller.drain()
        return [caller for caller in callers if "[B]" in caller.text]

    wait_until(lambda: bool(can_bet()), "a turn", DEADLINE)
    return can_bet()[0]


def bets(*callers: Caller) -> Caller:
    """Whoever is on turn bets, and all hear of it."""
    caller = on_turn(*callers)
    caller.bet("5")
    for one in callers:
        one.hear(f"{caller.name} bets 5 CUBES")
    return caller


def says(bbs: Bbs, text: str) -> None:
    """Wait for a line in a host's log."""
    wait_until(lambda: text in bbs.log.read_text(), f"{text!r} in the log", DEADLINE)


def family(bbs: Bbs) -> list[psutil.Process]:
    listener = psutil.Process(bbs.process.pid)
    return [listener, *listener.children(recursive=True)]


def test_a_game_is_played_across_hosts_and_a_courier_that_is_killed_comes_back(hosts: Hosts) -> None:
    alpha, beta = hosts.start("alpha"), hosts.start("beta")
    assert hosts.leases() == {"alpha": "in_force", "beta": "in_force"}
    anna, bert = poker_across(alpha, beta)
    bets(anna, bert)
    before = hosts.courier("beta")
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: hosts.courier("beta") != before, "another courier", DEADLINE)
    for caller in (anna, bert):
        caller.send(f".Hello from {caller.name}\r")
        for one in (anna, bert):
            one.hear(f"Hello from {caller.name}")


def test_a_host_that_closes_keeps_seats_for_its_callers_who_go_on_elsewhere(hosts: Hosts) -> None:
    alpha, beta = hosts.start("alpha"), hosts.start("beta")
    anna, bert = poker_across(alpha, beta)
    assert beta.stop() == 0
    bert.ended()
    assert "Please call again at once: a seat" in bert.transcript
    assert hosts.leases() == {"alpha": "in_force", "beta": "none"}
    again = alpha.call()
    again.name = "Bert"
    again.see("Name:")
    again.line("Bert")
    again.see("Password:")
    again.line("secret-1")
    again.see("Pot:", "Anna")
    again.until("Pot:", "20 CUBES")
    bets(anna, again)
    assert alpha.stop() == 0
    anna.ended()
    assert "The BBS is closing down." in anna.transcript, "there is no other host now"
    assert "stakes went back" in alpha.log.read_text()


def test_a_host_that_stands_still_is_cut_off_and_comes_back(hosts: Hosts) -> None:
    alpha, beta = hosts.start("alpha"), hosts.start("beta")
    anna, bert = poker_across(alpha, beta)
    stopped = family(beta)
    for process in stopped:
        process.suspend()
    wait_until(lambda: hosts.leases()["beta"] == "none", "beta's lease to be taken away", DEADLINE)
    for process in reversed(stopped):
        process.resume()
    bert.ended()
    assert "was cut off from the rest" in bert.transcript
    wait_until(lambda: hosts.leases()["beta"] == "in_force", "beta's next epoch", DEADLINE)
    hosts.courier("beta")
    carl = beta.call().register("Carl")
    carl.send("w")
    carl.see("Anna")
    anna.drain()
    assert anna.is_open


def test_all_killed_at_once_the_first_start_gives_stakes_back(hosts: Hosts) -> None:
    alpha, beta = hosts.start("alpha"), hosts.start("beta")
    poker_across(alpha, beta)
    kill_all(alpha, beta)
    wait_until(lambda: hosts.leases()["beta"] == "run_out", "beta's lease to run out", DEADLINE)  # else it may live
    again = hosts.start("alpha").call().log_in("Anna")

    def has_stake_back() -> bool:
        again.press("p")
        again.see("Whose profile?")
        again.send("Anna\r")
        again.see("CUBES: ", "Registered:")
        return "CUBES: 100" in again.text

    wait_until(has_stake_back, "the stake")
    assert hosts.leases() == {"alpha": "in_force", "beta": "none"}
    hosts.start("beta")


def test_a_start_that_differs_is_refused_and_so_is_one_without_a_name(hosts: Hosts, tmp_path: Path) -> None:
    hosts.start("alpha")

    def told(name: str, config: str) -> str:
        file = tmp_path / f"{name}.toml"
        file.write_text(config)
        return refused("--config", file, "--data", tmp_path / name, "--host", "127.0.0.1", "--port", "0")

    differs = told("beta", on(hosts.url, "beta", HOLD.replace("[poker]", "[poker]\ntables = 2")))
    assert "host alpha runs, and differs in poker.tables (2 and 1)" in differs
    assert "hosts use this database (alpha)" in told("gamma", f'{HOLD}\n[cluster]\ndatabase = "{hosts.url}"\n')
    assert "another data directory is the host alpha" in told("delta", on(hosts.url, "alpha"))
    stopped = tmp_path / "stopped"
    stopped.mkdir(mode=0o700)
    (stopped / MARK_FILE).write_text(hosts.url)
    command = [sys.executable, "-m", "yawc_poker.sysop", "--data", str(stopped), "move", "--back"]
    moved = subprocess.run(command, capture_output=True, text=True, check=False)
    assert moved.returncode != 0
    assert "hosts use that database (alpha): stop them all first" in moved.stderr
    assert [file.name for file in stopped.iterdir() if file.suffix == ".sqlite"] == []


def test_the_database_gone_for_longer_than_a_lease_fences_nobody(hosts: Hosts, postgres: Server) -> None:
    alpha, beta = hosts.start("alpha"), hosts.start("beta")
    anna, bert = poker_across(alpha, beta)
    with postgres.frozen():
        for bbs in (alpha, beta):
            says(bbs, "the courier has no database")
    for bbs in (alpha, beta):
        says(bbs, "has its database again")
    anna.send(".Hello\r")
    bert.hear("Hello")
    assert not any("cut off" in bbs.log.read_text() for bbs in (alpha, beta))


def test_guests_of_one_name_come_to_one_table_before_their_hosts_know_of_each_other(hosts: Hosts) -> None:
    for name in ("alpha", "beta"):
        hosts.of[name] = Bbs(hosts.folder / name, on(hosts.url, name), wire_port=free_port()).start()
    courier = psutil.Process(hosts.courier("beta"))
    courier.suspend()
    try:
        with WireClient(hosts.of["alpha"].wire_port) as one, WireClient(hosts.of["beta"].wire_port) as other:
            assert (one.greet("Egal").id, other.greet("Egal").id) == (1, 2)
    finally:
        courier.resume()
    says(hosts.of["beta"], "wire client 'Egal2^' from 127.0.0.1 has seat 2")


def test_what_a_client_of_the_wire_does_while_the_server_is_away_is_done_once_it_is_back(
    hosts: Hosts, postgres: Server
) -> None:
    config = HOLD + PLAYERS.format(players=2, turn=0, rounds=1, limit=50, tables=1, wait=0)
    for name in ("alpha", "beta"):
        hosts.of[name] = Bbs(hosts.folder / name, on(hosts.url, name, config), wire_port=free_port()).start()
    with WireClient(hosts.of["alpha"].wire_port) as one, WireClient(hosts.of["beta"].wire_port) as other:
        one.greet("One")
        other.greet("Other")
        one.block()
        other.block()
        heard = len(other.messages)
        with postgres.frozen():
            says(hosts.of["alpha"], "the courier has no database")
            one.send(a_move(one))
            says(hosts.of["alpha"], "waits for table")
        other.until(lambda: len(other.messages) > heard, "what the first one did")
        assert one.is_open


def a_move(client: WireClient) -> FromClient:
    """Return something that a client may do on its turn."""
    known = Known()
    for message in client.messages:
        known, _ = hear(known, message)
    cards = [card for choice in choices(known) if isinstance(choice, MayPlay) for card in choice.cards]
    counts = [choice.count for choice in choices(known) if isinstance(choice, MayTake)]
    return model.PlayCard(cards[0]) if cards else model.Take(counts[0])
