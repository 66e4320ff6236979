"""Fit the weights by which the house player of Offiziersskat judges a position anew, and write them into its module.

    python -m benchmarks.skat_weights [--positions N]

Rounds are dealt and played, partly at random, until eight to ten tricks are left; what they are worth then, all cards
known, is found by search. The weights are the least-squares fit of these values. It takes some ten minutes. Other
weights make another version of the house player (`HOUSE`).
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from yawc_poker.cards import Suit
from yawc_poker.games.offiziersskat.model import PLACES
from yawc_poker.games.offiziersskat.player import weights
from yawc_poker.games.offiziersskat.player.position import SLOTS, counts, order
from yawc_poker.games.offiziersskat.player.search import BOUND, MARKS, OPEN, SIDES, World, searcher, world
from yawc_poker.games.offiziersskat.player.worth import FIELD, PLAIN_KINDS, TRUMP_KINDS, numbers, terms

Feature = tuple[str, int, int, int, int]
"""A weight: "cards" of a plain suit or of the "trumps", or their "numbers", and where it stands in its table."""
LEFT: Final = (8, 8, 9, 10)
"""Tricks left, in turn."""
RIDGE: Final = 20.0
"""Keeps weights small where positions are few."""
UNIT: Final = weights.SUIT.unit
MODULE: Final = Path(weights.__file__)


class Example(NamedTuple):
    """A position: what it is judged by, and what it is worth to side 0."""

    features: Mapping[Feature, int]
    value: int


# --- positions --------------------------------------------------------------------------------------------------------


def example(number: int, trump: Suit | None) -> Example:
    """Return the example of a number."""
    rng = Random(f"weights {number} {trump}")
    cards = order(trump)
    dealt = list(cards)
    rng.shuffle(dealt)
    here = world(dealt, counts(cards))
    left, side, pattern = played(here, 2 * LEFT[number % len(LEFT)], rng)
    rest = sum(counts(cards)[dealt[slot]] for slot in range(SLOTS) if left >> slot & 1)
    value = searcher(here, lambda pattern, side: 0, 0).value(left, side, rest, pattern, -BOUND, BOUND)
    return Example(features(pattern, side), -value if side else value)


def played(here: World, left: int, rng: Random) -> tuple[int, int, int]:
    """Play until this number of cards is left, more or less at random; return the slots, who leads, and the pattern."""
    cards, side, pattern = here.cards, rng.getrandbits(1), here.pattern
    wild = 0.1 + 0.6 * rng.random()
    while cards.bit_count() > left:
        free = cards & ~((cards & OPEN) << PLACES)
        leads = [lead for lead in here.leads[side] if lead.bit & free]
        lead = rng.choice(leads) if rng.random() < wild else leads[0]
        others = free & SIDES[1 - side]
        follow = others & lead.colour or others
        replies = [reply for reply in lead.replies if reply.bit & follow]
        reply = rng.choice(replies) if rng.random() < wild else replies[0]
        cards, side, pattern = cards ^ reply.both, side ^ reply.takes, pattern ^ reply.change
    return cards, side, pattern


def features(pattern: int, side: int) -> Mapping[Feature, int]:
    """Return how often each weight counts in the judgement of a position."""
    found: Counter[Feature] = Counter({("lead", 0, 0, 0, 0): -1 if side else 1})
    trumps = numbers(pattern & FIELD)
    who = tuple(int(trumps[side] > 0) + 2 * int(trumps[1 - side] > 0) for side in range(2))
    _add(found, "trumps", pattern & FIELD, (0, 0), TRUMP_KINDS, (3, 6))
    while pattern := pattern >> MARKS:
        _add(found, "suit", pattern & FIELD, (who[0], who[1]), PLAIN_KINDS, (2, 4))
    return found


def _add(
    found: Counter[Feature], name: str, field: int, who: tuple[int, int], kinds: Sequence[int], most: tuple[int, int]
) -> None:
    """Count the features of a colour; `most`: cards above, and cards of a side, that make a difference."""
    for side, kind, above, column in terms(field, kinds):
        found[f"{name} cards", who[side], kind, min(above, most[0]), column] += -1 if side else 1
    first, second = (min(number, most[1]) for number in numbers(field))
    found[f"{name} numbers", who[0], first, second, 0] += 1
    found[f"{name} numbers", who[1], second, first, 0] -= 1


# --- the fit ----------------------------------------------------------------------------------------------------------


def fitted(examples: Sequence[Example]) -> dict[Feature, float]:
    """Return the weights with the least squares of errors."""
    names = sorted({name for one in examples for name in one.features})
    places = {name: place for place, name in enumerate(names)}
    rows = [[0.0] * (len(names) + 1) for _ in names]
    for one in examples:
        counted = [(places[name], count) for name, count in one.features.items() if count]
        for place, count in counted:
            row = rows[place]
            row[-1] += count * one.value
            for other, times in counted:
                row[other] += count * times
    for place, row in enumerate(rows):
        row[place] += RIDGE
    return dict(zip(names, _solved(rows), strict=True))


def _solved(rows: list[list[float]]) -> list[float]:
    """Return the solution of a symmetric system of equations, by elimination."""
    for place, row in enumerate(rows):
        for other in rows[place + 1 :]:
            if factor := other[place] / row[place]:
                other[place:] = [one - factor * top for one, top in zip(other[place:], row[place:], strict=True)]
    found = [0.0] * len(rows)
    for place in reversed(range(len(rows))):
        rest = sum(weight * value for weight, value in zip(rows[place][place:-1], found[place:], strict=True))
        found[place] = (rows[place][-1] - rest) / rows[place][place]
    return found


def errors(examples: Sequence[Example], found: Mapping[Feature, float]) -> list[float]:
    """Return by how much each position is judged wrongly."""
    return [one.value - sum(found.get(name, 0.0) * count for name, count in one.features.items()) for one in examples]


def spread(values: Sequence[float]) -> float:
    """Return the root of the mean square."""
    return float((sum(value**2 for value in values) / len(values)) ** 0.5)


# --- the module -------------------------------------------------------------------------------------------------------


def written(name: str, found: Mapping[Feature, float]) -> Iterator[str]:
    """Return the lines of the weights of a kind of round."""
    table = Table(found)
    yield f"_{name}_TRUMPS: Final[Kinds] = {table.cards('trumps cards', 0, 4, 4)}"
    for who, label in enumerate(LABELS):
        yield f"_{name}_{label}: Final[Kinds] = {table.cards('suit cards', who, 3, 3)}"
    suits = [
        f"Colour({table.numbers('suit numbers', who, other, 5)}, (_{name}_{LABELS[who]}, _{name}_{LABELS[other]}))"
        for who, other in enumerate((0, 2, 1, 3))
    ]
    trumps = f"Colour({table.numbers('trumps numbers', 0, 0, 7)}, (_{name}_TRUMPS, _{name}_TRUMPS))"
    yield f"{name}: Final = Weights({table.weight('lead')}, {trumps}, ({', '.join(suits)}))"


class Table(NamedTuple):
    """The weights that were found, as the module has them."""

    found: Mapping[Feature, float]

    def weight(self, kind: str, who: int = 0, first: int = 0, second: int = 0, third: int = 0) -> int:
        """Return a weight."""
        return round(self._exact((kind, who, first, second, third)))

    def _exact(self, feature: Feature) -> float:
        return UNIT * self.found.get(feature, 0.0)

    def cards(self, kind: str, who: int, kinds: int, rows: int) -> tuple[object, ...]:
        """Return the weights of cards, by their kind, the cards above and their column."""
        return tuple(
            tuple(tuple(self.weight(kind, who, one, row, column) for column in range(4)) for row in range(rows))
            for one in range(kinds)
        )

    def numbers(self, kind: str, who: int, other: int, most: int) -> tuple[object, ...]:
        """Return the weights of numbers of cards; `other` is who has trumps, as the other side sees it."""

        def weight(one: int, two: int) -> int:
            return round(self._exact((kind, who, one, two, 0)) - self._exact((kind, other, two, one, 0)))

        return tuple(tuple(weight(one, two) for two in range(most)) for one in range(most))


LABELS: Final = ("BARE", "FIRST", "SECOND", "BOTH")
"""Who has trumps: nobody, the side itself, the other one, both."""


def main() -> None:
    """Fit both kinds of rounds and write the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=24_000, help="for suit rounds; half as many for Grand")
    options = parser.parse_args()
    lines: list[str] = []
    for name, trump, positions in (("SUIT", Suit.CLUBS, options.positions), ("GRAND", None, options.positions // 2)):
        examples = [example(number, trump) for number in range(positions)]
        held = len(examples) // 10
        missed = spread(errors(examples[:held], fitted(examples[held:])))
        values = spread([one.value for one in examples])
        print(f"{name}: off by {missed:.1f} eyes (root of the mean square) where values are {values:.1f}", flush=True)
        lines.extend(written(name, fitted(examples)))
    head, found, _ = MODULE.read_text().partition("_SUIT_TRUMPS")
    assert found
    MODULE.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
