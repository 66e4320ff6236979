"""How often a table waits for its database: the way there and back, times this, is what a step takes.

The marks are those of docs/cluster.md. Counted where the bytes pass (`tests.exchanges`).
"""

from collections.abc import Iterator

import pytest

from tests.exchanges import Exchanges
from tests.isolation.test_rows import mover
from tests.isolation.two_hosts import Cluster, Person, cluster_of
from tests.postgres import ROLE, Server
from yawc_poker.games.poker.model import Bet, Show, Swap
from yawc_poker.games.poker.progress import SWAP_ROUND

BET, PAYOUT = 3, 5
"""Exchanges at most."""


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


def test_a_bet_and_a_payout_wait_for_the_database_a_few_times_only(exchanges: Exchanges, cluster: Cluster) -> None:
    anna, *_ = cluster.seat("Anna", "Bert", "Carl")
    anna.table.start()
    steps = play(exchanges, cluster, anna)
    assert {kind for kind, _ in steps} >= {"bet", "payout"}
    most = {kind: max(many for one, many in steps if one == kind) for kind, _ in steps}
    assert most["bet"] <= BET, most
    assert most["payout"] <= PAYOUT, most
    assert cluster.pot() == 0
