"""The choice of a card, by level. Pure.

Owns the levels. "easy" follows two rules of thumb and is careless now and then. The others play each card that they may
play in a number of worlds, all cards in the same ones, and take the one that is worth most on average. What is averaged
is not eyes but the points of the round that they bring. The other side knows the covered cards no better: its reply to
a card is the one that is best for it on average, and not one for each world.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from yawc_poker.cards import Card
from yawc_poker.engine.house import HousePlayer, Level, SealedChance, Weighed
from yawc_poker.engine.players import FEWEST, best, compared
from yawc_poker.games.offiziersskat.model import ALL_EYES, Move, PlayCard, View
from yawc_poker.games.offiziersskat.player.position import COLOUR, Position, order, position, worlds
from yawc_poker.games.offiziersskat.player.search import Judge, outcomes, searcher, takes, world
from yawc_poker.games.offiziersskat.player.weights import GRAND, SUIT
from yawc_poker.games.offiziersskat.player.worth import judge_of


class Budget(NamedTuple):
    """How much a level thinks."""

    samples: int
    """Worlds, while not all cards are known."""
    tricks: int
    """How far each of them is played, the present trick included."""
    ending: int
    """From this number of tricks on each of them is played to the end."""
    positions: int
    """No further world is begun after these; in a world that is judged each counts three times: it takes that long."""

    def horizon(self, tricks: int) -> int:
        """Return the number of tricks, of these, that are judged and not played."""
        return 0 if tricks <= self.ending else max(0, tricks - self.tricks)

    def worlds(self, tricks: int) -> int:
        """Return the most worlds with this number of tricks left: all of them in a short ending."""
        return _ALL if tricks <= min(EVERY, self.ending) else self.samples


EVERY: Final = 6
"""From this number of tricks on all possible worlds are played, where an ending is played to the end at all."""
_ALL = 720
"""That many are possible then: of twelve cards six may be covered."""
BUDGETS: Final[dict[Level, Budget]] = {
    "normal": Budget(samples=1, tricks=1, ending=2, positions=2_000),
    "hard": Budget(samples=48, tricks=4, ending=10, positions=135_000),
}
POINT: Final = 400
"""What a point of the round is worth; an eye is worth 1."""
BLUR: Final = 2
"""By how many eyes, for each card that is covered, a round may end otherwise than its worlds do."""
_CARELESS = 4
"""An easy player plays one card in so many without looking."""


def choose(view: View, level: Level, chance: SealedChance) -> Move:
    """Return the card to be played; raise `ValueError` if the seat is not on turn."""
    cards = order(view.round.trump)
    known = position(view, cards)
    may = allowed(view)
    numbers = [number for number, card in cards.items() if card in may]
    if len(numbers) == 1:
        return PlayCard(cards[numbers[0]])
    if level == "easy":
        return PlayCard(cards[_thumb(known, numbers, chance)])
    judge = judge_of(GRAND if view.round.trump is None else SUIT)
    slots = [known.slots.index(number) for number in numbers]
    return PlayCard(cards[known.slots[think(known, slots, BUDGETS[level], judge, chance).slot]])


def allowed(view: View) -> Sequence[Card]:
    """Return the cards that the seat may play."""
    return [card for choice in view.choices for card in choice.cards]


# --- rules of thumb ---------------------------------------------------------------------------------------------------


def _thumb(known: Position, numbers: Sequence[int], chance: SealedChance) -> int:
    """Return the card that takes the trick for sure and counts most; without one, the card that counts least."""
    if chance.below(_CARELESS) == 0:
        return numbers[chance.below(len(numbers))]
    sure = [number for number in numbers if takes(known, number)]
    counts = known.eyes
    if sure:
        return max(sure, key=lambda number: (number >= COLOUR, counts[number], number))
    return min(numbers, key=lambda number: (counts[number] + 5 * (number < COLOUR), -number))


# --- the search -------------------------------------------------------------------------------------------------------


class Thought(NamedTuple):
    """What a search has found, and what it took."""

    slot: int
    samples: int
    positions: int


def think(known: Position, slots: Sequence[int], budget: Budget, judge: Judge, chance: SealedChance) -> Thought:
    """Play the cards of these slots in all worlds that the budget allows, as far as it allows."""
    thinking = Thinking(known, slots, budget, judge, chance)
    fewest = budget.worlds(known.tricks) if known.tricks <= EVERY else FEWEST
    slot = best(slots, thinking.affordable(), thinking.worths, fewest=fewest)
    return Thought(slot, thinking.samples, thinking.positions)


class Thinking:
    """A search under way."""

    def __init__(
        self, known: Position, slots: Sequence[int], budget: Budget, judge: Judge, chance: SealedChance
    ) -> None:
        self.samples = self.positions = 0
        self._known, self._slots, self._budget, self._judge, self._chance = known, slots, budget, judge, chance
        self._worth = worth_of(known)

    def affordable(self) -> Iterator[tuple[int, ...]]:
        """Yield worlds until the budget is spent."""
        known, budget = self._known, self._budget
        for numbers in worlds(known, budget.worlds(known.tricks), self._chance):
            if self.positions >= budget.positions:
                return
            yield numbers

    def worths(self, numbers: tuple[int, ...], which: Sequence[int]) -> list[list[int]]:
        """Return what cards are worth in a world, by each reply."""
        known, worth = self._known, self._worth
        here = world(numbers, known.eyes)
        horizon = self._budget.horizon(known.tricks)
        search = searcher(here, self._judge, 2 * horizon)
        values = [outcomes(here, search.value, known.led, self._slots[at]) for at in which]
        found = [[worth[min(max(one, -ALL_EYES), ALL_EYES) + ALL_EYES] for one in by_reply] for by_reply in values]
        self.samples, self.positions = self.samples + 1, self.positions + len(search.table) * (3 if horizon else 1)
        return found


def worth_of(known: Position) -> list[int]:
    """Return what -120 to 120 eyes to come, those of the other side subtracted, are worth.

    In a world all cards are known, in the round they are not: for each card that is covered it may end with `BLUR` eyes
    more or less than the search says, all of this equally likely.
    """
    blur = BLUR * len(known.covered)
    gains = [gain(ahead) for ahead in range(-2 * ALL_EYES - blur, 2 * ALL_EYES + blur + 1)]
    first = known.ahead + ALL_EYES
    return [sum(gains[at : at + 2 * blur + 1]) // (2 * blur + 1) for at in range(first, first + 2 * ALL_EYES + 1)]


def gain(ahead: int) -> int:
    """Return the points of the round that this difference of eyes brings, times `POINT`; a little more for each eye."""
    size = min(abs(ahead), ALL_EYES)
    points = (size > 0) * 2 + (size > ALL_EYES // 2) + (size == ALL_EYES)
    return ahead + POINT * (points if ahead > 0 else -points)


# --- afterwards -------------------------------------------------------------------------------------------------------


def weigh(view: View, mine: Move, chance: SealedChance, effort: int) -> Weighed[Move] | None:
    """Return what each card that may be played is worth, and whether it wins the round."""
    cards = order(view.round.trump)
    known = position(view, cards)
    numbers = [number for number, card in cards.items() if card in allowed(view)]
    if len(numbers) < 2:
        return None
    hard = BUDGETS["hard"]
    budget = hard._replace(samples=max(FEWEST, hard.samples * effort // 100), positions=hard.positions * effort // 100)
    slots = [known.slots.index(number) for number in numbers]
    thinking = Thinking(known, slots, budget, judge_of(GRAND if view.round.trump is None else SUIT), chance)
    found = compared(len(slots), thinking.affordable(), thinking.worths)
    choice = max(range(len(found)), key=lambda at: sum(found[at]))
    wins = tuple([tuple([one > 0 for one in worths]) for worths in found])
    return Weighed(tuple([PlayCard(cards[number]) for number in numbers]), choice, found, POINT, wins)


HOUSE: Final = HousePlayer(version=6, choose=choose, weigh=weigh)
