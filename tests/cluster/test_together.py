"""One casino on three hosts, all of them well: a game over three, and what people and sysops do from host to host.

The third host's monotonic clock is a day ahead, and its wall clock wrong by an hour (`site`).
"""

import json
import re
from collections.abc import Iterator
from functools import partial

import pytest
from msgspec.structs import replace

from tests.cluster.play import bet, clock_of, in_force, on_hosts, seated, sit, start
from tests.cluster.site import Site, has_own_clock, needed
from tests.end_to_end.bbs import FAST, Caller
from tests.end_to_end.test_poker import play_on_from_the_swap
from tests.waiting import wait_until
from yawc_poker.registry.games import POKER_TABLES

pytestmark = pytest.mark.xdist_group("cluster")  # its hosts take both processors for a moment, and are made once

CONFIG = (
    FAST.replace("pause_seconds = 0.3", "pause_seconds = 0\ntables = 9")
    .replace("players = 0", "pace = [0.0, 0.1]")
    .replace("start_cubes = 100", "start_cubes = 1000")
)


@pytest.fixture(scope="module")
def _shared() -> Iterator[Site]:
    needed()
    with Site(CONFIG) as site:
        in_force(site, *site.hosts)
        yield site


@pytest.fixture
def site(_shared: Site) -> Iterator[Site]:
    """The hosts, with nobody there when a test begins."""
    yield _shared
    _shared.everybody_out()


def test_three_on_three_hosts_play_to_the_showdown(site: Site) -> None:
    people = anna, bert, carl = seated(site, 1, "Anna", "Bert", "Carl")
    start(people)
    for caller in people:
        caller.owns(990)
    for caller in people:
        caller.see("[B]")
        assert 50 <= clock_of(caller) <= 60
        bet(caller, people)
    play_on_from_the_swap(anna, bert, carl)
    for caller in people:
        caller.hear("wins 66 CUBES")
        caller.until("Master:", "Bert")
        caller.until("Turn:", "NO GAME")
        caller.owns(978, 1044)
    assert sum(caller.cubes for caller in people) == 3000
    north, _, south = site.hosts
    assert has_own_clock(south) == ("unshare" in south.under)
    told = south.yawcctl("history", "--json")
    assert told == north.yawcctl("history", "--json")
    assert "proven" in south.yawcctl("verify", str(json.loads(told.splitlines()[-1])["number"]))


def test_a_killed_session_is_removed_for_all_hosts(site: Site) -> None:
    people = anna, _, carl = seated(site, 2, "Dead Anna", "Dead Bert", "Dead Carl")
    start(people)
    bet(anna, people)
    site.host("east").session("Dead Bert").kill()
    for caller in (anna, carl):
        caller.hear("[SYSTEM] Dead Bert was removed from the table.")
        caller.until("Turn:", "Dead Carl")
    bet(carl, (anna, carl))
    carl.send("x")
    carl.see("(y/n)")
    carl.send("y")
    carl.at_prompt()
    anna.hear("wins 40 CUBES")


def test_everybody_is_listed_with_their_host(site: Site) -> None:
    people = on_hosts(site, "Here North", "Here East", "Here South")
    names = [caller.name for caller in people]
    for caller in people:
        for name in names:
            is_listed = partial(_lists, caller, name)
            wait_until(is_listed, f"{name} to be listed")
        caller.see(*(host.name for host in site.hosts))
    told = {
        one["name"]: one["host"] for one in map(json.loads, site.host("south").yawcctl("who", "--json").splitlines())
    }
    assert told == {f"Here {host.name.capitalize()}": host.name for host in site.hosts}
    cluster = [json.loads(line) for line in site.host("east").yawcctl("cluster", "--json").splitlines()]
    assert {one["name"]: one["lease"] for one in cluster} == {host.name: "in_force" for host in site.hosts}
    people[1].hang_up()
    wait_until(lambda: not _lists(people[0], "Here East"), "the end of the entry")


def _lists(caller: Caller, name: str) -> bool:
    """Ask who is online, and return whether the name stands there, with a time, not in a notice that came meanwhile."""
    caller.press("w")
    caller.see("online.")
    return re.search(rf"^ *{name} .*\d:\d\d", caller.text, re.MULTILINE) is not None


def test_messages_go_from_host_to_host(site: Site) -> None:
    xenia, yves, zoe = on_hosts(site, "Xenia", "Yves", "Zoe")
    sit(zoe, 3)
    for reader in (yves, zoe):
        xenia.press("x")
        xenia.see("To:")
        xenia.line(reader.name)
        xenia.see("Message:")
        xenia.line(f"hello {reader.name} over there")
        xenia.see(f"Sent to {reader.name}.")
    yves.see("X-message from Xenia", "hello Yves over there")
    zoe.see("1 X-message")


def test_a_sysop_reaches_callers_of_other_hosts(site: Site) -> None:
    north, east, south = site.hosts
    warned, kicked, banned = on_hosts(site, "Warned", "Kicked", "Banned")
    south.yawcctl("warn", "Warned", "--reason", "be nice")
    warned.see("Warning from the sysops: be nice")
    north.yawcctl("kick", "Kicked", "--reason", "enough of it")
    kicked.see("enough of it")
    kicked.ended()
    east.yawcctl("ban", "Banned", "--for", "1h", "--reason", "too much of it")
    banned.see("too much of it")
    banned.ended()
    again = north.call()
    again.see("Name:")
    again.line("Banned")
    again.see("Password:")
    again.line("secret-1")
    again.see("too much of it")
    again.ended()


def test_who_logs_in_on_another_host_is_there_alone(site: Site) -> None:
    north, _, south = site.hosts
    people = (first, other) = seated(site, 4, "Twice", "Other")
    start(people)
    again = south.call().log_in("Twice")
    first.ended()
    other.hear("[SYSTEM] Twice was removed from the table.")
    other.hear("wins 20 CUBES")
    wait_until(lambda: not north.sessions(), "the end of the older session")
    assert site.host("east").yawcctl("who").count("Twice") == 1
    sit(again, 4)
    other.hear("Twice sits down")


def test_somebody_looks_on_from_another_host(site: Site) -> None:
    people = anna, bert = seated(site, 5, "Seen Anna", "Seen Bert")
    emil = site.host("south").call().register("Emil")
    emil.press("/watch poker 5\r")
    emil.see("Master:", "Watching:")
    for caller in people:
        caller.hear("Emil is watching.")
    start(people)
    bet(anna, (anna, bert, emil))


def test_the_audit_compares_the_pots_that_tables_show_with_the_ledger(site: Site) -> None:
    people = anna, _ = seated(site, 7, "Audit Anna", "Audit Bert")
    start(people)
    bet(anna, people)
    north = site.host("north")
    north.audit()
    ((value, ledger),) = site.asks(
        "SELECT value, balance FROM cluster.place JOIN bank.account ON kind = 'pot' AND ref = number WHERE number = 6"
    )
    assert isinstance(value, bytes)
    false = POKER_TABLES.codec.encode(replace(POKER_TABLES.codec.decode(value), pot=77))
    site.asks(f"UPDATE cluster.place SET value = '\\x{false.hex()}' WHERE number = 6")
    try:
        told = north.tried("audit")
        assert told.returncode == 1
        assert re.search(
            rf"table 7 has game (\d+) with 77 in the pot, the ledger has game \1 with {ledger} ", told.stdout
        )
    finally:
        site.asks(f"UPDATE cluster.place SET value = '\\x{value.hex()}' WHERE number = 6")
    north.audit()


def test_a_house_player_plays_with_people_of_two_hosts(site: Site) -> None:
    (gerd,) = on_hosts(site, "Gerd")
    sit(gerd, 6)
    gerd.send("++")
    gerd.wait(lambda: "*" in gerd.left(2, 5), "a house player")
    hanna = site.host("south").call().register("Hanna")
    sit(hanna, 6)
    hanna.wait(lambda: "*" in hanna.left(2, 5), "the house player")
    gerd.send("s")
    for caller in (gerd, hanna):
        caller.until("Pot:", "30 CUBES")
    gerd.bet("1")
    hanna.until("Turn:", "Hanna")
