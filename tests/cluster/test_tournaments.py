"""A tournament at three hosts: where the host of a player is killed, the match goes on, and so does all else."""

from collections.abc import Iterator

import pytest

from tests.cluster.play import in_force
from tests.cluster.site import Host, Site, needed
from tests.cluster.test_faults import CONFIG
from tests.end_to_end.bbs import Caller
from tests.end_to_end.test_poker import play_to_showdown
from tests.end_to_end.test_tournaments import go_there, play_to_the_end, sign_up, state

pytestmark = pytest.mark.xdist_group("cluster")

EVENING = CONFIG + "[tournaments]\nwait_seconds = 60\n"
FEE, CUBES = 20, 1000


@pytest.fixture
def site() -> Iterator[Site]:
    needed()
    with Site(EVENING) as site:
        in_force(site, *site.hosts)
        yield site
        site.mend()


def is_over(host: Host) -> bool:
    told = state(host)["tournament"]
    assert isinstance(told, dict)
    return bool(told["state"] == "over")


def comes_again(host: Host, name: str) -> Caller:
    """Log in, and follow the call to the table of the match."""
    caller = host.call().log_in(name)
    go_there(caller)
    return caller


def test_it_goes_on_where_the_host_of_a_player_is_killed(site: Site) -> None:
    """The hand is the other's then, as where a session is killed; whoever comes again plays the next one."""
    north, east, south = site.hosts
    bert, anna = east.call().register("Bert"), north.call().register("Anna")
    north.yawcctl("tournament", "new", "poker", "--entry", str(FEE), "--length", "1")
    for caller in (bert, anna):
        sign_up(caller, 1, FEE)
    north.yawcctl("tournament", "begin", "1")
    go_there(bert, anna)
    play_to_showdown(bert, anna)
    anna.hear("wins 44 chips")
    anna.hear("Anna starts a game")
    east.kill()
    anna.hear("Bert was removed from the table.")
    anna.hear("wins 40 chips")
    bert = comes_again(south, "Bert")
    play_to_the_end(lambda: is_over(north), anna, bert)
    places = state(south)["places"]
    assert isinstance(places, list)
    assert sum(one["prize"] for one in places) == 2 * FEE
    (owned,) = site.asks("SELECT sum(balance) FROM bank.account WHERE kind = 'user' OR kind = 'house' AND ref <> 0")
    assert owned == (2 * CUBES,)
