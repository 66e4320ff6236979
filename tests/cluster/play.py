"""What callers of several hosts do at a table of poker: sit down there, start, bet; each as seen by all others."""

import re
from collections.abc import Sequence
from contextlib import suppress

from tests.cluster.site import Host, Site
from tests.end_to_end.bbs import Caller
from tests.waiting import wait_until
from yawc_poker.ipc.segment import SegmentError

STAKE = 10
_CLOCK = re.compile(r"(\d+):(\d\d)$")


def on_hosts(site: Site, *names: str) -> list[Caller]:
    """Register these, one on each host in turn."""
    return [site.hosts[number % len(site.hosts)].call().register(name) for number, name in enumerate(names)]


def sit(caller: Caller, table: int) -> Caller:
    """Sit down at a table, numbered from 1."""
    caller.press("S2")
    caller.see("(ENTER: back)")
    caller.send(f"{table}\r")
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Master:", "Pot:")
    return caller


def seated(site: Site, table: int, *names: str) -> list[Caller]:
    """Register these on the hosts in turn, and have them sit down in this order; all see each other."""
    people = on_hosts(site, *names)
    for number, caller in enumerate(people):
        sit(caller, table)
        for other in people[:number]:
            other.hear(f"{caller.name} sits down")
    for caller in people:
        caller.see(*names)
    return people


def start(people: Sequence[Caller]) -> None:
    """Start a game, as its master, the first of them; all see it."""
    master = people[0]
    master.wait(lambda: _has_started(master), "the start")
    for caller in people:
        caller.until("Pot:", f"{STAKE * len(people)} CUBES")
        caller.until("Turn:", master.name)


def _has_started(master: Caller) -> bool:
    """Press S until the pause is over."""
    if master.field("Round:") == "1":
        return True
    master.send("s")
    return False


def in_game(site: Site, table: int, *names: str) -> list[Caller]:
    people = seated(site, table, *names)
    start(people)
    return people


def bet(caller: Caller, people: Sequence[Caller], amount: int = 5) -> None:
    """Bet, and wait until all see it."""
    caller.bet(str(amount))
    hear_bet(caller, people, amount)


def hear_bet(caller: Caller, people: Sequence[Caller], amount: int = 5) -> None:
    for one in people:
        one.hear(f"{caller.name} bets {amount} CUBE")


def comes_back(caller: Caller, name: str) -> Caller:
    """Log in, and be in the seat again without pressing another key."""
    caller.name = name
    caller.see("Name:")
    caller.line(name)
    caller.see("Password:")
    caller.line("secret-1")
    caller.see("Master:", "Pot:")
    return caller


def cards(caller: Caller) -> str:
    """The caller's own cards, as the screen shows them."""
    return caller.left(7, 11)


def clock_of(caller: Caller) -> int:
    """Wait for the clock of the turn, and return the seconds that it shows now."""
    caller.drain()
    caller.wait(lambda: _CLOCK.search(caller.lines[11]) is not None, "the clock of the turn")
    found = _CLOCK.search(caller.lines[11])
    assert found is not None
    return 60 * int(found[1]) + int(found[2])


def in_force(site: Site, *hosts: Host) -> None:
    """Wait until exactly these hosts hold their leases, and know it."""
    query = "SELECT name, epoch FROM cluster.host WHERE until > clock_timestamp() ORDER BY name"

    def is_so() -> bool:
        with suppress(SegmentError):
            return site.asks(query) == sorted((host.name, host.epoch) for host in hosts)
        return False

    wait_until(is_so, f"the leases of {[host.name for host in hosts]}", 30)
