"""How the weights of Offiziersskat's judgement are found, and written as a module."""

from random import Random

import pytest

from benchmarks.skat_weights import Example, Feature, Table, example, features, fitted, played, written
from yawc_poker.cards import Suit
from yawc_poker.games.offiziersskat.player import weights
from yawc_poker.games.offiziersskat.player.position import counts, order
from yawc_poker.games.offiziersskat.player.search import world
from yawc_poker.games.offiziersskat.player.weights import SUIT, Colour
from yawc_poker.games.offiziersskat.player.worth import judge_of


def found_of_module() -> dict[Feature, float]:
    """Return the weights of the module as a fit would have found them."""
    found: dict[Feature, float] = {("lead", 0, 0, 0, 0): SUIT.lead / 10}
    for who, suit in enumerate(SUIT.suits):
        found |= _colour("suit", who, suit)
    return found | _colour("trumps", 0, SUIT.trumps)


def _colour(name: str, who: int, colour: Colour) -> dict[Feature, float]:
    found: dict[Feature, float] = {}
    for first, row in enumerate(colour.numbers):
        found |= {(f"{name} numbers", who, first, second, 0): value / 20 for second, value in enumerate(row)}
    for kind, rows in enumerate(colour.cards[0]):
        for above, row in enumerate(rows):
            found |= {(f"{name} cards", who, kind, above, column): value / 10 for column, value in enumerate(row)}
    return found


@pytest.mark.parametrize("number", range(6))
def test_the_features_are_those_of_the_judgement(number: int) -> None:
    rng, cards, found = Random(number), order(Suit.CLUBS), found_of_module()
    dealt = list(cards)
    rng.shuffle(dealt)
    _, side, pattern = played(world(dealt, counts(cards)), 26 - 2 * number, rng)
    worth = sum(found[name] * count for name, count in features(pattern, side).items() if count)
    judged = judge_of(SUIT)(pattern, side)
    assert (-worth if side else worth) == pytest.approx(judged + 0.5, abs=0.51)


def test_the_module_is_written_as_it_stands() -> None:
    names = dict(vars(weights))
    exec("\n".join(written("SUIT", found_of_module())), names)
    assert names["SUIT"] == SUIT


def test_weights_are_found_again() -> None:
    rng = Random(1)
    names: list[Feature] = [("suit cards", 0, kind, 0, 0) for kind in range(3)]
    counted = [{name: rng.randrange(-3, 4) for name in names} for _ in range(3000)]
    examples = [Example(one, sum(place * 4 * one[name] for place, name in enumerate(names))) for one in counted]
    table = Table(fitted(examples))
    assert [round(table.weight("suit cards", 0, kind) / 10) for kind in range(3)] == [0, 4, 8]


def test_an_example_is_worth_what_its_cards_can_bring() -> None:
    one = example(4, None)
    assert abs(one.value) <= 120
    assert any(name[0] == "trumps cards" for name in one.features)
