"""Two hosts of one casino, by telnet: who is on the other one is seen, written to, kicked, and taken over from."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from tests.end_to_end.test_hosts import HOLD, Hosts
from tests.end_to_end.test_watching import sees_watching
from tests.waiting import wait_until
from yawc_poker.casino.presence.directory import Directory
from yawc_poker.ipc.segment import Segment, segment_name

CONFIG = HOLD.replace("players = 0", "players = 2\npace = [0.0, 0.1]").replace("hold_seconds = 30", "hold_seconds = 4")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Hosts]:
    """Two hosts that all tests here use, one after the other."""
    postgres = request.getfixturevalue("postgres")
    name = postgres.create()
    made = Hosts(Path(tmp_path_factory.mktemp("hosts")), postgres.url(name))
    for host in ("alpha", "beta"):
        made.start(host, CONFIG)
    yield made
    for bbs in made.of.values():
        bbs.__exit__(None, None, None)
        assert "Traceback" not in bbs.log.read_text()
        bbs.is_sound()
    postgres.drop(name)


def come(bbs: Bbs, name: str) -> Caller:
    """A user comes who may have been here before, and is known to the other host, too."""
    caller = bbs.call()
    caller.name = name
    caller.see("Name:")
    caller.line(name)
    caller.wait(lambda: "(y/n)" in caller.text or "Password:" in caller.text, "an answer")
    if "(y/n)" not in caller.text:
        caller.line("secret-1")
        return caller.at_prompt()
    caller.send("y")
    caller.see("Password:")
    caller.line("secret-1")
    caller.see("Repeat the password:")
    caller.line("secret-1")
    return caller.at_prompt()


def online(bbs: Bbs) -> set[str]:
    """Return who is on any host, as the directory of this one has it."""
    with closing(Segment.attach(segment_name(bbs.data))) as segment:
        return {one.name for one in Directory(segment, segment.directory_lock).people()}


def see(hosts: Hosts, *names: str) -> None:
    """Wait until all hosts know that exactly these are online."""
    for bbs in hosts.of.values():
        wait_until(partial(lambda bbs: online(bbs) == set(names), bbs), f"{names} online", DEADLINE)


@pytest.fixture
def pair(hosts: Hosts) -> Iterator[tuple[Caller, Caller]]:
    """Anna at alpha and Bert at beta, at the prompt, who see each other; in the end everybody is gone."""
    anna, bert = come(hosts.of["alpha"], "Anna"), come(hosts.of["beta"], "Bert")
    see(hosts, "Anna", "Bert")
    yield anna, bert
    for bbs in hosts.of.values():
        for caller in bbs._callers:
            caller.hang_up()
        bbs._callers.clear()
    see(hosts)


def test_who_is_on_the_other_host_is_seen_and_written_to(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    anna, bert = pair
    anna.send("w")
    anna.see("Name", "Place", "Idle", "Host", "alpha", "beta", "2 users online.")
    anna.at_prompt()
    at_prompts = [["NAME", "HOST", "WHERE"], ["Anna", "alpha", "prompt"], ["Bert", "beta", "prompt"]]
    who = partial(hosts.of["alpha"].yawcctl, "who")
    wait_until(lambda: [line.split()[:3] for line in who().splitlines()] == at_prompts, "both at their prompts")
    anna.press("x")
    anna.see("To:")
    anna.press("Bert\r")
    bert.see("Anna is about to send you a message.")
    anna.see("Message:")
    anna.press("Good evening over there\r")
    anna.see("Sent to Bert.")
    bert.see("X-message from Anna", "Good evening over there")
    carl = come(hosts.of["beta"], "Carl")
    anna.see("Carl has just logged in.")
    carl.send("q")
    carl.see("(y/n)")
    carl.send("y")
    carl.ended()
    wait_until(lambda: "Carl" not in hosts.of["alpha"].yawcctl("who"), "the end of the session")
    anna.at_prompt()
    assert "logged out" not in anna.transcript, "that is told once a minute"


def test_a_user_has_one_session_on_all_hosts(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    _, bert = pair
    again = come(hosts.of["alpha"], "Bert")
    bert.ended()
    assert "You logged in from another place" in bert.transcript
    assert "Your older session has been ended." in again.transcript
    back = come(hosts.of["beta"], "Bert")
    again.ended()
    back.send("w")
    back.see("2 users online.")


def test_who_calls_the_other_host_is_led_back_to_the_seat(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    anna, bert = pair
    anna.sit()
    bert.sit()
    anna.see("Bert")
    again = hosts.of["alpha"].call()
    again.name = "Bert"
    again.see("Name:")
    again.line("Bert")
    again.see("Password:")
    again.line("secret-1")
    again.see("Anna", "[X] Leave")
    assert "Your seat was kept for you." in again.transcript
    bert.ended()
    again.send(".Here again\r")
    anna.hear("[Bert] Here again")


def test_a_sysop_ends_a_session_on_the_other_host(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    anna, bert = pair
    alpha, beta = hosts.of["alpha"], hosts.of["beta"]
    alpha.yawcctl("say", "We close in ten minutes.")
    for caller in (anna, bert):
        caller.see("The sysops say: We close in ten minutes.")
    alpha.yawcctl("twit", "Bert", "--for", "1h", "--reason", "insults")
    bert.see("The sysops have taken your right to write to others")
    alpha.yawcctl("untwit", "Bert")
    bert.see("You may write to others again.")
    assert "disconnected" in beta.yawcctl("kick", "Anna", "--reason", "blocks a seat")
    anna.ended()
    assert "A sysop has ended this session. (blocks a seat)" in anna.transcript
    assert "Anna" not in beta.yawcctl("who")


def test_on_lookers_and_house_players_of_both_hosts_meet_at_a_table(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    anna, bert = pair
    anna.sit()
    bert.press("/watch poker\r")
    bert.see("Master:", "Watching:", "Anna")
    for caller in (anna, bert):
        sees_watching(caller, "Bert")
    anna.hear("[SYSTEM] Bert is watching.")
    anna.send("++")
    for caller in (anna, bert):
        caller.see("* sits down at the table; level:")
    bert.press("x")
    bert.at_prompt()
    sees_watching(anna)


def test_a_session_that_is_stopped_or_killed_there_keeps_nobody_out(hosts: Hosts, pair: tuple[Caller, Caller]) -> None:
    alpha, beta = hosts.of["alpha"], hosts.of["beta"]
    beta.stopped("Bert")
    again = come(alpha, "Bert")
    assert "Your older session has been ended." in again.transcript
    os.kill(process(alpha, "Bert"), signal.SIGKILL)
    see(hosts, "Anna")
    come(beta, "Bert")
    see(hosts, "Anna", "Bert")


def process(bbs: Bbs, name: str) -> int:
    """Return the pid of a caller's session on this host."""
    found = (json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines())
    (pid,) = (int(one["pid"]) for one in found if one["name"] == name)
    return pid
