"""Ranking of hands: one at a time, as they are dealt, and all 658,008 of the deck together.

Ours is compared with packages that rank five cards by the usual rules. Each gets hands of the same forty cards in its
own representation, prepared beforehand, and is called by the fastest of its public functions.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, starmap
from timeit import Timer
from typing import NamedTuple

import phevaluator
import pokerkit
import treys

from benchmarks.report import Mark, Measured, Row, at_least, count, figure, ratio
from yawc_poker.cards import Rank, deck
from yawc_poker.games.poker.hands import strength

REPETITIONS = 5
BATCH, BATCHES = 100, 200
_NAMES = [rank + suit for rank in "56789TJQKA" for suit in "dhsc"]
"""The forty cards in the notation of the other packages."""
_NUMBERS = range(len(_NAMES))

Numbers = tuple[int, ...]


class Way(NamedTuple):
    """The ranking function of a package."""

    name: str
    cards: Sequence[object]
    rank: Callable[..., object]
    takes: str = "hand"
    """The arguments of `rank`: a hand, its cards (`*hand`), or a list of two of them and another (`*parts`)."""

    def hands(self, dealt: Iterable[Numbers]) -> Iterator[object]:
        """Return the arguments of `rank` for the numbers of cards."""
        for numbers in dealt:
            hand = [self.cards[number] for number in numbers]
            yield (hand[:2], hand[2:]) if self.takes == "*parts" else tuple(hand)

    def seconds(self, lots: Iterable[Sequence[object]], each: str, starred: str) -> Iterator[float]:
        """Run a statement over each batch of hands, with the garbage collector off."""
        names: dict[str, object] = {"rank": self.rank, "starmap": starmap}
        timer = Timer(each if self.takes == "hand" else starred, globals=names)
        for lot in lots:
            names["lot"] = lot
            yield timer.timeit(1)


WAYS = (
    Way("ours", deck(Rank), strength),
    Way("treys", [treys.Card.new(name) for name in _NAMES], treys.Evaluator().evaluate, "*parts"),
    Way("phevaluator", range(12, 52), phevaluator.evaluate_5cards, "*hand"),  # its numbers, of which 0 is a deuce
    Way("pokerkit", list(pokerkit.Card.parse(*_NAMES)), pokerkit.StandardLookup().get_entry),
)


def single(way: Way, dealt: Sequence[Numbers]) -> list[float]:
    """Rank hands one by one; return the average seconds per hand of each batch."""
    hands = list(way.hands(dealt))
    batches = (hands[at : at + BATCH] for at in range(0, len(hands), BATCH))
    times = way.seconds(batches, "for hand in lot: rank(hand)", "for hand in lot: rank(*hand)")
    return [seconds / BATCH for seconds in times]


def bulk(way: Way, dealt: Sequence[Numbers]) -> float:
    """Rank all hands; return the hands per second."""
    (seconds,) = way.seconds([list(way.hands(dealt))], "list(map(rank, lot))", "list(starmap(rank, lot))")
    return len(dealt) / seconds


def measure(quick: bool) -> Measured:
    """Measure all packages in turn, several times."""
    rng = random.Random(7)
    some = [tuple(rng.sample(_NUMBERS, 5)) for _ in range(BATCH * BATCHES)]
    every = list(combinations(_NUMBERS, 5))[:: 20 if quick else 1]
    singles: dict[str, list[list[float]]] = {way.name: [] for way in WAYS}
    bulks: dict[str, list[float]] = {way.name: [] for way in WAYS}
    for _ in range(REPETITIONS):
        for way in WAYS:
            singles[way.name].append(single(way, some))
            bulks[way.name].append(bulk(way, every))
    ours, *peers = (figure(name, times) for name, times in singles.items())
    ours_in_bulk, *peers_in_bulk = (count(name, rates, "/s") for name, rates in bulks.items())
    return Measured(
        [
            Row(
                "a hand ranked, single",
                f"call → its strength, {len(some):,} hands as dealt, by batches of {BATCH}",
                ours,
                tuple(peers),
                tuple(_faster(peer.name, ratio(peer, ours)) for peer in peers),
                note="treys, phevaluator (which is C) and pokerkit rank by the usual rules, where suits never decide.",
            ),
            Row(
                "hands ranked, in bulk",
                f"{len(every):,} hands of the deck of 40 → their strengths",
                ours_in_bulk,
                tuple(peers_in_bulk),
                tuple(_faster(peer.name, ratio(ours_in_bulk, peer)) for peer in peers_in_bulk),
            ),
        ]
    )


def _faster(peer: str, times: float | None) -> Mark:
    return at_least(f"faster than {peer}: times as fast", times, 1.0)
