"""How often a table waits for its database: the way there and back, times this, is what a step takes.

The marks are those of docs/cluster.md. Counted where the bytes pass (`tests.exchanges`).
"""

from collections.abc import Callable, Iterator

import pytest

from tests.exchanges import Exchanges
from tests.isolation.test_rows import mover
from tests.isolation.two_hosts import Cluster, Person, cluster_of
from tests.postgres import ROLE, Server
from yawc_poker.games.poker.model import Bet, Show, State, Swap
from yawc_poker.games.poker.progress import SWAP_ROUND

BET, PAYOUT = 3, 5
"""Exchanges at most."""
START: dict[str, int] = {"commit": 3, "start": 3, "reveal": 3, "deal": 13}
"""At most, of each step of a start. Callers wait for them one after the other; texts are revealed by all at once."""


@pytest.fixture
def exchanges(postgres: Server) -> Iterator[Exchanges]:
    with Exchanges(postgres.folder) as relay:
        yield relay


@pytest.fixture
def cluster(database: str, exchanges: Exchanges) -> Iterator[Cluster]:
    name = database.rpartition("/")[2].partition("?")[0]
    with cluster_of(exchanges.url(name, ROLE)) as cluster:
        yield cluster


def play(exchanges: Exchanges, cluster: Cluster, at: Person) -> list[tuple[str, int]]:
    """Play a game to its end; return each step's kind, and how many exchanges it took."""
    steps: list[tuple[str, int]] = []
    while True:
        cluster.take_over()
        game = at.table.look().game
        if game is None:
            return steps
        assert isinstance(game, State)
        person = mover(cluster, at)
        person.table.take_over()
        exchanges.taken()
        match game.phase:
            case "bet":
                person.play(Bet(max(game.low, 1), see=game.round > SWAP_ROUND))
            case "swap":
                person.play(Swap((0,)))
            case _:
                person.play(Show())
        kind = "payout" if person.table.look().game is None else game.phase
        steps.append((kind, exchanges.taken()))


def deal(exchanges: Exchanges, cluster: Cluster) -> list[tuple[str, int]]:
    """Start a game by its steps, each made as by a session that was woken; return each, and how many exchanges."""
    steps: list[tuple[str, int]] = []

    def step(kind: str, person: Person, act: Callable[[], None]) -> None:
        person.table.take_over()
        before = person.table.look()
        exchanges.taken()
        act()
        if person.table.look() is not before:
            steps.append((kind, exchanges.taken()))

    for person in cluster.people:
        step("commit", person, person.table.tend)
    cluster.take_over()
    table = cluster.people[0].table.look()
    who = None if table.master is None else table.seats[table.master]
    master = next(one for one in cluster.people if who is not None and one.token == who.session)
    step("start", master, master.table.begin)
    for person in (one for one in cluster.people if one is not master):
        step("reveal", person, person.table.tend)
    step("deal", master, master.table.tend)
    assert master.table.look().game is not None
    return steps


def test_each_step_of_a_game_waits_for_the_database_a_few_times_only(exchanges: Exchanges, cluster: Cluster) -> None:
    anna, *_ = cluster.seat("Anna", "Bert", "Carl")
    first = deal(exchanges, cluster) + play(exchanges, cluster, anna)  # who sits down is committed by that
    steps = first + deal(exchanges, cluster) + play(exchanges, cluster, anna)
    assert {kind for kind, _ in steps} >= {"bet", "payout", *START}
    most = {kind: max(many for one, many in steps if one == kind) for kind, _ in steps}
    assert {kind: many for kind, many in most.items() if many > START.get(kind, many)} == {}, most
    assert most["bet"] <= BET, most
    assert most["payout"] <= PAYOUT, most
    assert cluster.pot() == 0
