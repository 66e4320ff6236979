"""Three hosts at whose tables people play while something dies, stops, or is cut off. No CUBE is lost or made.

Seats are held for some seconds. Whose host is stopped in good order comes back by another one, to the same cards;
whose host is lost has lost the seat, as by a session that is killed. Each test has tables of its own. The books are
looked at when all is over (`Site`).
"""

import os
import signal
import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests.cluster.play import bet, cards, comes_back, hear_bet, in_force, in_game, seated, sit, start
from tests.cluster.site import Host, Site, courier_of, needed
from tests.end_to_end.bbs import FAST, Caller
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("cluster")

CONFIG = (
    FAST.replace("pause_seconds = 0.3", "pause_seconds = 0\ntables = 13")
    .replace("hold_seconds = 0", "hold_seconds = 6")
    .replace("start_cubes = 100", "start_cubes = 1000")
)
NO_BANK = "The bank cannot be"
REMOVED = "was removed from the table."


@pytest.fixture(scope="module")
def _shared() -> Iterator[Site]:
    needed()
    with Site(CONFIG) as site:
        yield site


@pytest.fixture
def site(_shared: Site) -> Iterator[Site]:
    """The hosts, all of them well when a test begins."""
    in_force(_shared, *_shared.hosts)
    yield _shared
    _shared.mend()


def is_fenced_off(caller: Caller) -> None:
    """The session ends by itself, and has said why."""
    caller.ended()
    assert FENCED in " ".join(caller.transcript.split()), caller.text


FENCED = "was cut off from the rest. Your CUBES are safe"
"""Of the sentence for those whose host had lost its lease."""


def test_couriers_are_killed_and_the_game_goes_on(site: Site) -> None:
    people = in_game(site, 1, "Anna", "Bert", "Carl")
    epochs = [host.epoch for host in site.hosts]
    for caller, host in zip(people, site.hosts, strict=True):
        before = courier_of(host)
        os.kill(before.pid, signal.SIGKILL)
        bet(caller, people)
        courier_of(host, other_than=before)
    in_force(site, *site.hosts)
    assert [host.epoch for host in site.hosts] == epochs
    for caller in people:
        caller.until("Turn:", "Anna")


def test_the_server_is_killed_and_the_game_goes_on_when_it_is_back(site: Site) -> None:
    people = anna, bert, carl = in_game(site, 2, "Gone Anna", "Gone Bert", "Gone Carl")
    lobby = site.host("east").call().register("Gone Dora")
    bet(anna, people)
    bert.see("[B]")
    site.server.kill()
    bert.bet("5")
    bert.see(NO_BANK)
    lobby.press("p\r")
    lobby.see("That cannot be done at the moment")
    site.server.start()
    in_force(site, *site.hosts)
    wait_until(site.answers, "the pooler")
    assert all(caller.is_open for caller in (*people, lobby))
    bert.send("5\r")
    hear_bet(bert, people)
    bet(carl, people)
    lobby.press("p\r")
    lobby.see("CUBES")


def test_the_pooler_is_killed_and_the_game_goes_on_when_it_is_back(site: Site) -> None:
    people = anna, bert, carl = in_game(site, 3, "Pooler Anna", "Pooler Bert", "Pooler Carl")
    anna.see("[B]")
    site.pooler.kill()
    anna.bet("5")
    anna.see(NO_BANK)
    site.pooler.start()
    wait_until(site.answers, "the pooler")
    anna.send("5\r")
    hear_bet(anna, people)
    for caller in (bert, carl):
        bet(caller, people)


def test_a_host_dies_and_who_was_there_plays_on_at_another(site: Site) -> None:
    north, _, south = site.hosts
    people = anna, bert, _ = in_game(site, 4, "Dying Anna", "Dying Bert", "Dying Carl")
    bet(anna, people)
    before = south.epoch
    south.kill()
    for caller in (anna, bert):
        caller.hear(f"Dying Carl {REMOVED}")
    again = north.call().log_in("Dying Carl")
    again.see("You own 990 CUBES.")
    bet(bert, (anna, bert))
    anna.see("[D] Done")
    sit(again, 4)
    for caller in (anna, bert):
        caller.hear("Dying Carl sits down")
    south.start()
    in_force(site, *site.hosts)
    assert south.epoch > before
    dora = south.call().register("Dying Dora")
    dora.press("w")
    dora.see("Dying Anna", "Dying Bert", "Dying Carl")


def test_a_host_is_stopped_and_started_again_as_for_an_upgrade(site: Site) -> None:
    north, _, south = site.hosts
    people = anna, bert, carl = in_game(site, 9, "Rolling Anna", "Rolling Bert", "Rolling Carl")
    bet(anna, people)
    mine = cards(carl)
    assert south.stop() == 0, south.log.read_text()
    south.close()
    carl.ended()
    assert "a seat at a table is kept for you" in " ".join(carl.transcript.split())
    in_force(site, *site.hosts[:2])
    again = comes_back(north.call(), "Rolling Carl")
    assert cards(again) == mine
    people = [anna, bert, again]
    for caller in (bert, again):
        bet(caller, people)
    south.start()
    in_force(site, *site.hosts)
    south.call().register("Rolling Dora")


def cut_off(site: Site, table: int, kind: str, seconds_more: float = 0.0) -> None:
    """Cut a host off for longer than its lease while people bet on both sides."""
    north, east, south = site.hosts
    people = anna, bert, carl = in_game(site, table, f"{kind} Anna", f"{kind} Bert", f"{kind} Carl")
    bet(anna, people)
    bert.see("[B]")
    there = [south.call().register(f"{kind} {name}") for name in ("Dora", "Emil")]
    dora, emil = in_game_at(there, table + 1)
    before = south.epoch
    dora.see("[B]")
    site.cut(south)
    try:
        dora.bet("5")
        dora.see(NO_BANK)
        for caller in (anna, bert):
            caller.hear(f"{kind} Carl {REMOVED}")
        in_force(site, north, east)
        bet(bert, (anna, bert))
        assert all(caller.is_open for caller in (carl, dora, emil))
        until = time.monotonic() + seconds_more
        while time.monotonic() < until:
            dora.listen(1.0)
        dora.send("5\r")
        again = north.call().log_in(carl.name)
        again.see("You own 990 CUBES.")
        anna.see("[D] Done")
    finally:
        site.join(south)
    for caller in (carl, dora, emil):
        is_fenced_off(caller)
    in_force(site, *site.hosts)
    assert south.epoch > before
    assert anna.field("Pot:") == "40 CUBES"
    there = [host.call().log_in(caller.name) for host, caller in zip((east, south), there, strict=True)]
    in_game_at(there, table + 1)
    for caller in there:
        bet(caller, there)


def in_game_at(people: list[Caller], table: int) -> list[Caller]:
    """Let callers who are there already begin a game."""
    for caller in people:
        sit(caller, table)
    people[0].hear(f"{people[-1].name} sits down")
    start(people)
    return people


def test_a_host_is_cut_off_while_people_bet_on_both_sides(site: Site) -> None:
    cut_off(site, 5, "Cut")


def test_a_host_stands_still_for_longer_than_its_lease_and_can_change_nothing_then(site: Site) -> None:
    south = site.host("south")
    people = anna, bert, carl = in_game(site, 7, "Still Anna", "Still Bert", "Still Carl")
    bet(anna, people)
    bet(bert, people)
    carl.see("[B]")
    before = south.epoch
    south.freeze()
    try:
        carl.send("b7\r")  # it waits in the line, and is read by a session that has no right any more
        for caller in (anna, bert):
            caller.hear(f"Still Carl {REMOVED}")
    finally:
        south.thaw()
    is_fenced_off(carl)
    in_force(site, *site.hosts)
    assert south.epoch > before
    assert anna.field("Pot:") == "40 CUBES"
    again = south.call().log_in("Still Carl")
    again.see("You own 990 CUBES.")
    sit(again, 7)
    anna.hear("Still Carl sits down")


def test_a_cut_that_is_shorter_than_the_lease_costs_nobody_the_line(site: Site) -> None:
    south = site.host("south")
    people = anna, bert, carl = in_game(site, 8, "Short Anna", "Short Bert", "Short Carl")
    before = south.epoch
    site.cut(south)
    bet(anna, (anna, bert))
    site.join(south)
    hear_bet(anna, [carl])
    bet(bert, people)
    bet(carl, people)
    assert south.epoch == before


def test_all_players_of_a_table_are_on_a_host_that_dies_and_get_their_stakes_back(site: Site) -> None:
    south = site.host("south")
    people = anna, _ = in_game_at([south.call().register(f"Lost {name}") for name in ("Anna", "Bert")], 10)
    bet(anna, people, 7)
    south.kill()
    in_force(site, *site.hosts[:2])
    last = "SELECT outcome FROM bank.game WHERE table_no = 9 ORDER BY id DESC LIMIT 1"
    wait_until(lambda: site.asks(last) == [("refunded",)], "the end of the game", 10)
    users = "SELECT id FROM users.user WHERE name LIKE 'Lost %'"
    owned = f"SELECT balance FROM bank.account WHERE kind = 'user' AND ref IN ({users})"
    assert site.asks(owned) == [(1000,), (1000,)]
    again = site.host("north").call().log_in("Lost Anna")
    again.see("You own 1000 CUBES.")


def test_a_courier_that_stands_still_is_replaced_and_nobody_sits_at_a_frozen_screen(site: Site) -> None:
    south = site.host("south")
    anna, bert = [south.call().register(f"Frozen {name}") for name in ("Anna", "Bert")]
    before, epoch = courier_of(south), south.epoch
    os.kill(before.pid, signal.SIGSTOP)
    courier_of(south, other_than=before)
    for caller in (anna, bert):
        is_fenced_off(caller)
    in_force(site, *site.hosts)
    assert south.epoch > epoch
    people = in_game_at([south.call().log_in("Frozen Anna"), site.host("north").call().log_in("Frozen Bert")], 11)
    bet(people[0], people)


def is_deaf(host: Host) -> bool:
    return "the courier does not hear other hosts" in host.log.read_text()


def test_couriers_that_get_no_connection_of_their_own_go_by_the_pooler(site: Site) -> None:
    people = in_game(site, 12, "Full Anna", "Full Bert", "Full Carl")
    epochs = [host.epoch for host in site.hosts]
    with site.server.turning_hosts_away():
        for host in site.hosts:
            before = courier_of(host)
            os.kill(before.pid, signal.SIGKILL)
            courier_of(host, other_than=before)
            wait_until(partial(is_deaf, host), "a courier that hears nobody", 10)
        ((until,),) = site.asks(f"SELECT clock_timestamp() + interval '{3 * site.lease} s'")
        wait_until(lambda: site.asks("SELECT clock_timestamp()") > [(until,)], "three leases", 20)
        in_force(site, *site.hosts)
        for caller in people:
            bet(caller, people)
    listening = "SELECT count(*) FROM pg_stat_activity WHERE client_addr IS NOT NULL"
    wait_until(lambda: site.asks(listening) == [(3,)], "couriers that hear each other", 20)
    assert [host.epoch for host in site.hosts] == epochs


def test_the_servers_clock_is_set_and_nobody_loses_a_lease(site: Site) -> None:
    if not site.wall.under:
        pytest.skip("a C compiler is needed to set the clock of a server")
    people = seated(site, 13, "Hour Anna", "Hour Bert", "Hour Carl")
    epochs = [host.epoch for host in site.hosts]
    for seconds in (3600, -3600, 0):
        site.wall.set(seconds)
        over = time.monotonic() + 3 * site.lease
        ((now,),) = site.asks("SELECT extract(epoch FROM clock_timestamp())::float8")
        assert isinstance(now, float)
        assert abs(now - time.time() - seconds) < 60
        while time.monotonic() < over:  # as long as the trial takes
            people[0].listen(0.1)
        in_force(site, *site.hosts)
    assert [host.epoch for host in site.hosts] == epochs
    start(people)
    for caller in people:
        bet(caller, people)
