"""What the programs of all games think with: deals that agree with what is known and said, and the search over them."""

from collections import Counter
from itertools import permutations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thoroughness import sampled
from yawc_poker.engine.players import Dice, Lean, Plan, best, dealt, likely, steps_up

ANY = (1 << 48) - 1


@given(st.integers(0, 2**64 - 1), st.integers(1, 3), st.integers(0, 40))
@settings(max_examples=sampled(100))
def test_every_card_lies_once_and_where_it_may(seed: int, voids: int, swaps: int) -> None:
    """The first player has nothing below 8, 16 or 24; others may have anything. Six cards lie elsewhere."""
    may = (ANY & ~((1 << 8 * voids) - 1),) * 12 + (ANY,) * 18
    plan = Plan(tuple(range(36)), (0,) * 12 + (1,) * 18, may, swaps=swaps)
    cards = dealt(plan, Dice(seed))
    assert sorted(cards) == list(range(36))
    assert all(may[at] >> card & 1 for at, card in enumerate(cards[:30]))


def test_cards_that_may_lie_nowhere_are_dealt_all_the_same() -> None:
    assert sorted(dealt(Plan((1, 2, 3), (0, 0, 1), (1 << 1, 1 << 1, ANY)), Dice(5))) == [1, 2, 3]


@pytest.mark.parametrize("is_said", [False, True])
def test_deals_are_as_likely_as_they_should_be(is_said: bool) -> None:
    """Two players with two cards each; one lacks a card, and one may have said something that needs good cards."""
    may = (0b1110, 0b1110, ANY, ANY)
    lean = Lean((0, 1, 2, 3), (0.05, 0.1, 0.2, 0.4, 0.8, 0.9), 0)
    leans = {0: lean} if is_said else {}
    plan, dice = Plan((0, 1, 2, 3), (0, 0, 1, 1), may, leans, 30), Dice(1)
    found = Counter(frozenset(dealt(plan, dice)[:2]) for _ in range(6000))
    wanted = {
        frozenset(one[:2]): prod([lean.chance(sum(one[:2]))] * is_said)
        for one in permutations(range(4))
        if all(may[at] >> card & 1 for at, card in enumerate(one))
    }
    whole = sum(wanted.values())
    assert found.keys() == wanted.keys()
    for hand, weight in wanted.items():
        assert abs(found[hand] / 6000 - weight / whole) < 0.03


def test_worlds_are_chosen_as_often_as_their_weights_ask_for() -> None:
    dice = Dice(3)
    chosen = Counter(likely(lambda: dice.below(4), lambda world: float(world), dice, 600, 4))
    assert chosen[0] == 0
    assert [round(chosen[world] / 100) for world in (1, 2, 3)] == [1, 2, 3]


def test_chances_go_up_with_the_worth() -> None:
    chances = steps_up(10)
    assert chances[10] == 0.5
    assert chances == tuple(sorted(chances))
    assert chances[0] < 0.001 < 0.998 < chances[-1]


def test_the_best_on_average_is_found() -> None:
    """What is seldom much better is not better."""
    worths = {"a": (3, 3, 3, 3), "b": (9, 0, 0, 0), "c": (4, 2, 4, 3)}
    assert best("abc", range(40), lambda world, which: [(worths["abc"[at]][world % 4],) for at in which]) == "c"


def test_who_is_clearly_behind_is_dropped() -> None:
    played: Counter[int] = Counter()

    def worths(world: int, which: list[int]) -> list[tuple[int]]:
        played.update(which)
        return [((0, 10, 11)[at] + world % 3,) for at in which]

    assert best("abc", range(100), lambda world, which: worths(world, list(which))) == "c"
    assert played[0] < 20


def test_the_other_side_gives_one_answer_for_all_worlds() -> None:
    """The second card can be answered well in each world by somebody who knows it, and by nobody else."""
    worths = ((5,), (10, 2)), ((5,), (2, 10))
    assert best("ab", [0, 1] * 5, lambda world, which: [worths[world][at] for at in which]) == "b"


def test_the_first_one_stays_unless_another_is_better_by_some() -> None:
    assert best("ab", range(9), lambda world, which: [((10, 12)[at],) for at in which], ahead=3) == "a"
    assert best("ab", range(9), lambda world, which: [((10, 12)[at],) for at in which], ahead=1) == "b"
