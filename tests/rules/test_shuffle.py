"""An even shuffle, by the system's randomness: each card in each place, and each kind of hand, as often as expected.

Pearson's chi-square test against an even shuffle; the kinds of hands against the exact counts of all 658,008 hands
(`test_poker_facts`). A fair shuffle fails a test in less than one of a million runs. Then the test of the test:
shuffles with known faults are caught.
"""

import math
from collections import Counter
from collections.abc import Callable, MutableSequence, Sequence
from random import Random, SystemRandom

import pytest

from tests.rules.test_poker_facts import CATEGORIES
from tests.thoroughness import sampled
from yawc_poker.cards import Rank, deck, written
from yawc_poker.engine.game import Chance, Dealing, ItemT
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import category
from yawc_poker.games.poker.model import Category, Options

pytestmark = pytest.mark.xdist_group("shuffle")

DEALS = sampled(200_000)
FAULTY_DEALS = 10_000
"""So many show the faults."""
FALSE_ALARM = 1e-6
CARDS = len(deck(Rank))
RARE = (Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, Category.FOUR)
"""Too rare to be counted apart: chi-square needs about five of each."""

Deal = tuple[str, Category]
"""The order dealt, and the kind of the first player's hand."""


def deals(rng: Chance, count: int) -> list[Deal]:
    """Deal through the rules, from an order as it was shuffled before sealing."""
    found = []
    for _ in range(count):
        order = list(deck(Rank))
        rng.shuffle(order)
        dealt = Dealing(written(reversed(order)))
        step = rules.deal({0: 100, 1: 100}, 0, dealt, Options())
        player = step.state.players[0]
        assert player is not None
        found.append((dealt.order, category(player.hand)))
    return found


@pytest.fixture(scope="module")
def sample() -> list[Deal]:
    return deals(SystemRandom(), DEALS)


def tail(chi_square: float, degrees: int) -> float:
    """Return the probability of a value at least this great: exact for even degrees, else slightly too high.

    For 2m degrees it is exp(-x/2) times the first m terms of the series of exp(x/2); an odd number is rounded up.
    """
    half, terms = chi_square / 2, -(-degrees // 2)
    logs = [term * math.log(half) - math.lgamma(term + 1) - half for term in range(terms)] if half else [0.0]
    most = max(logs)
    return min(1.0, math.exp(most) * sum(math.exp(one - most) for one in logs))


def places(sample: Sequence[Deal]) -> float:
    """Return the probability that an even shuffle puts cards in places at least as unevenly as this one.

    Every deal puts each card somewhere and something into each place, so of 40 x 40 counts 39 x 39 are free, and the
    sum is 40/39 times a chi-square.
    """
    counts = Counter((place, card) for order, _ in sample for place, card in enumerate(order.split()))
    expected = len(sample) / CARDS
    found = sum((counts[place, str(card)] - expected) ** 2 for place in range(CARDS) for card in deck(Rank)) / expected
    return tail(found * (CARDS - 1) / CARDS, (CARDS - 1) ** 2)


def kinds(sample: Sequence[Deal]) -> float:
    """Return the probability that an even shuffle deals kinds of hands at least as unevenly as this one."""
    merged: dict[Category, int] = {}
    for name, (hands, _) in CATEGORIES.items():
        together = Category.FOUR if name in RARE else name
        merged[together] = merged.get(together, 0) + hands
    counts = Counter(Category.FOUR if name in RARE else name for _, name in sample)
    whole = sum(merged.values())
    expected = {name: hands / whole * len(sample) for name, hands in merged.items()}
    assert min(expected.values()) > 5
    return tail(sum((counts[name] - wanted) ** 2 / wanted for name, wanted in expected.items()), len(expected) - 1)


def neighbours(sample: Sequence[Deal]) -> float:
    """Return the same for the distance, around the deck, of two cards that began side by side."""
    first, second = (str(card) for card in deck(Rank)[:2])
    counts: Counter[int] = Counter()
    for order, _ in sample:
        cards = order.split()
        counts[(cards.index(second) - cards.index(first)) % CARDS] += 1
    expected = len(sample) / (CARDS - 1)
    found = sum((counts[distance] - expected) ** 2 for distance in range(1, CARDS)) / expected
    return tail(found, CARDS - 2)


TESTS = (places, kinds, neighbours)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.__name__)
def test_the_shuffle_is_even(sample: list[Deal], test: Callable[[Sequence[Deal]], float]) -> None:
    assert test(sample) > FALSE_ALARM


def test_these_tests_are_run_by_one_worker(request: pytest.FixtureRequest) -> None:
    """The deals are made once a worker. Where pytest does not fit pytest-xdist, groups are lost silently."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("not distributed by groups")
    assert request.node.nodeid.endswith("@shuffle")


def test_no_order_comes_twice(sample: list[Deal]) -> None:
    assert len({order for order, _ in sample}) == DEALS


# --- the test of the test ---------------------------------------------------------------------------------------------


class Faulty(Random):
    """A shuffle with a known fault."""

    def __init__(self, fault: str) -> None:
        super().__init__(1)
        self._fault = fault

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        match self._fault:
            case "swaps with any place":  # the naive one: 40 ** 40 ways do not divide evenly among 40! orders
                for place in range(len(x)):
                    other = self.randrange(len(x))
                    x[place], x[other] = x[other], x[place]
            case "one card too few":
                rest = [x[place] for place in range(len(x) - 1)]
                super().shuffle(rest)
                x[:] = [*rest, x[-1]]
            case "only cut":
                at = self.randrange(len(x))
                x[:] = [*x[at:], *x[:at]]
            case "a favoured card":
                super().shuffle(x)
                if self.random() < 0.07:
                    at = next(place for place in range(len(x)) if str(x[place]) == "A+")
                    x[at], x[-1] = x[-1], x[at]


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        ("swaps with any place", places),
        ("one card too few", places),
        ("only cut", kinds),
        ("only cut", neighbours),
        ("a favoured card", places),
    ],
)
def test_a_faulty_shuffle_is_caught(fault: str, test: Callable[[Sequence[Deal]], float]) -> None:
    assert test(deals(Faulty(fault), FAULTY_DEALS)) < FALSE_ALARM


def test_a_good_shuffle_of_known_seeds_passes_with_any_luck() -> None:
    chances = [test(sample) for seed in range(3) for sample in [deals(Random(seed), 9000)] for test in TESTS]
    assert min(chances) > 0.001
    assert 0.2 < sum(chances) / len(chances) < 0.8


@pytest.mark.parametrize(
    ("chi_square", "degrees", "chance"),
    [(0.0, 4, 1.0), (3.841459, 1, 0.146), (9.487729, 4, 0.05), (18.307038, 10, 0.05), (1703.9, 1521, 7.3e-4)],
)
def test_tail(chi_square: float, degrees: int, chance: float) -> None:
    assert tail(chi_square, degrees) == pytest.approx(chance, rel=0.05)
