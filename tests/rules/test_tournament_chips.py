"""A tournament of poker for chips, pure: tables are merged, the last one wins, and places are an oracle's."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.chips_run import Hand
from tests.thoroughness import sampled
from yawc_poker.extras.tournaments import chips
from yawc_poker.extras.tournaments.draw import sizes
from yawc_poker.extras.tournaments.standings import Played, prizes
from yawc_poker.games.poker import rules

MOST = 5
TABLES = st.lists(st.lists(st.integers(), max_size=MOST), max_size=12).map(
    lambda tables: [[100 * at + place for place, _ in enumerate(table)] for at, table in enumerate(tables)]
)


def oracle(entrants: list[int], played: list[Played]) -> dict[int, int]:
    """Return everybody's place: one more than there are who went out later, or have more."""

    def chips_after(user: int, number: int) -> int:
        if number == 0:
            return chips.START
        return next((one.points for one in played if (one.user, one.round) == (user, number)), 0)

    last = max((one.round for one in played), default=0)

    def reached(user: int) -> list[int]:
        return [chips_after(user, number) for number in range(last, -1, -1)]

    def is_better(one: int, other: int) -> bool:
        for mine, theirs in zip(reached(one), reached(other), strict=True):
            if mine != theirs:
                return mine > theirs
            if mine:
                return False
        return False

    return {user: 1 + sum(is_better(other, user) for other in entrants) for user in entrants}


@given(TABLES)
@settings(max_examples=sampled(500))
def test_tables_are_merged_to_as_few_as_hold_everybody(tables: list[list[int]]) -> None:
    found = chips.merged(tables, MOST)
    players = sorted(player for table in tables for player in table)
    assert sorted(player for table in found for player in table) == players
    assert len(found) == -(-len(players) // MOST)
    lengths = [len(table) for table in found]
    assert not found or (max(lengths) - min(lengths) <= 1 and max(lengths) <= MOST)
    assert len(players) < 2 or min(lengths) >= 2, "nobody sits alone"
    assert sorted(chips.merged(found, MOST)) == sorted(found), "who need not move stays"


@given(st.integers(2, 17), st.integers(1, 3), st.integers(0, 10**6), st.sampled_from((0.0, 0.2, 1.0)))
@settings(max_examples=sampled(60), deadline=None)
def test_a_tournament_ends_with_all_chips_at_one_player(many: int, length: int, seed: int, absent: float) -> None:
    """Hand after hand, as `rows` draws them; some tables cannot be played, as too few of their players came."""
    rng, entrants, played = Random(seed), list(range(1, many + 1)), list[Played]()
    shapes = sizes(many, 2, MOST, filled=True)
    tables = [[entrants[sum(shapes[:at]) + place] for place in range(size)] for at, size in enumerate(shapes)]
    number = 0
    while len(tables) > 1 or len(tables[0]) > 1:
        number += 1
        assert number < 200
        stacks = chips.stacks_of(entrants, played, number)
        assert sum(stacks.values()) == many * chips.START
        for board, table in enumerate(tables, 1):
            wanted = chips.options(number, length, {user: stacks[user] for user in table})
            if rng.random() < absent:
                after = chips.unplayed(wanted, table[:1])
            else:
                after = dict(rules.after(Hand(dict(enumerate(table)), wanted, rng).play().state))
            assert sum(after.values()) == sum(stacks[user] for user in table)
            played += [Played(number, board, user, left) for user, left in after.items()]
        order = chips.standings(entrants, played)
        assert {one.user: one.rank for one in order} == oracle(entrants, played)
        left = chips.stacks_of(entrants, played, number + 1)
        tables = chips.merged([[user for user in table if user in left] for table in tables], MOST)
    best = order[0]
    assert (best.rank, best.points, best.out) == (1, many * chips.START, 0)
    assert [one.rank for one in order].count(1) == 1
    assert sum(prizes(100 * many, order).values()) == 100 * many


def test_who_goes_out_in_the_same_hand_is_placed_by_the_chips_before_it() -> None:
    first = [Played(1, 1, 1, 3500), Played(1, 1, 2, 900), Played(1, 1, 3, 100), Played(1, 1, 4, 500)]
    second = [Played(2, 1, 1, 4000), Played(2, 1, 2, 0), Played(2, 1, 3, 0), Played(2, 1, 4, 500)]
    order = chips.standings([1, 2, 3, 4, 5], [*first, *second, Played(1, 2, 5, 0)])
    assert [(one.user, one.rank, one.points, one.out) for one in order] == [
        (1, 1, 4000, 0),
        (4, 2, 500, 0),
        (2, 3, 0, 2),
        (3, 4, 0, 2),
        (5, 5, 0, 1),
    ]
    level = chips.standings([1, 2, 3], [Played(1, 1, 1, 3000), Played(1, 1, 2, 0), Played(1, 1, 3, 0)])
    assert [one.rank for one in level] == [1, 2, 2]
    assert [one.rank for one in chips.standings([1, 2], [])] == [1, 1], "before the first hand"


def test_the_ante_doubles_every_so_many_hands_and_stays_a_number_that_fits() -> None:
    found = [chips.options(number, 2, {1: 5}).ante for number in (1, 2, 3, 4, 5, 10**6)]
    assert found[:5] == [10, 10, 20, 20, 40]
    assert found[5] < 1 << 62
    assert chips.options(3, 2, {2: 7, 1: 5}).max_bet == 400


def test_where_nobody_came_nobody_loses_and_whoever_came_gets_the_antes_of_the_others() -> None:
    wanted = chips.options(1, 1, {1: 1000, 2: 4, 3: 700})
    assert chips.unplayed(wanted, ()) == {1: 1000, 2: 4, 3: 700}
    assert chips.unplayed(wanted, (1, 9)) == {1: 1014, 2: 0, 3: 690}
    assert chips.unplayed(wanted, (1, 3)) == {1: 1002, 2: 0, 3: 702}
