"""Worlds: every hidden card in a place, in agreement with readings of the round. Pure.

Owns how likely a world is. Players choose much as the rules of thumb do, so one in which another player would have laid
other cards than they did counts less.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.players import Dice, Plan, dealt, likely
from yawc_poker.games.maumau.model import View
from yawc_poker.games.maumau.player import weights
from yawc_poker.games.maumau.player.bits import ALL, BIT, JACKS, fitting, split
from yawc_poker.games.maumau.player.knowledge import Choice, Story, is_wish_open
from yawc_poker.games.maumau.player.playout import Position
from yawc_poker.games.maumau.player.thumb import AT, Row, best_card, rows

_TWO: Final = rows(weights.TWO)
_OTHER: Final = rows(weights.OTHER)
_MORE: Final = rows(weights.MORE)
STORIES: Final = 8
"""Readings of the round; the worlds take turns with them."""
BATCH: Final = 24
"""Worlds that are chosen at a time."""
TRIES: Final = 3
"""Worlds that are dealt for each that is chosen."""
ODD: Final = 0.4
"""Weight of a card that the rules of thumb would not have laid."""


def table_of(view: View) -> tuple[Row, ...]:
    """Return the weights for as many players as there are."""
    return _TWO if _are_two(view) else _MORE


def others_of(view: View) -> tuple[Row, ...]:
    """Return the weights by which others are expected to play."""
    return _OTHER if _are_two(view) else _MORE


def _are_two(view: View) -> bool:
    return sum(player.seat is not None for player in view.players) == 2


def following(view: View) -> int:
    """Return how many cards the next player holds."""
    players = [player for player in view.players if player.seat is not None]
    mine = next(at for at, player in enumerate(players) if player.place == view.place)
    return players[(mine + 1) % len(players)].cards


class World(NamedTuple):
    """What the hidden cards are, in one reading of the round."""

    story: Story
    cards: list[int]
    """Those in hands come in the order of `Story.tightest`, then those of the stock, then the others."""


def worlds(view: View, places: Sequence[int], chance: SealedChance) -> Iterator[Position]:
    """Yield positions without end; `places` are those of the hands, the view's own first."""
    stories = [Story(view, chance.below) for _ in range(STORIES)]
    plans = [plan(story) for story in stories]
    dice, numbers, table = Dice(chance.getrandbits(64)), count(), others_of(view)

    def draw() -> World:
        number = next(numbers) % STORIES
        return World(stories[number], [1 << card for card in dealt(plans[number], dice)])

    while True:
        for world in likely(draw, lambda world: weight(world, table), dice, BATCH, TRIES):
            yield position(view, places, world)


def plan(story: Story) -> Plan:
    """Return how the hidden cards are dealt."""
    hidden = ALL & ~(story.own | story.pile | story.top)
    return Plan(
        cards=tuple([card.bit_length() - 1 for card in split(hidden)]),
        places=tuple([place for place, _, _ in story.tightest]),
        may=tuple(_possible([slot & hidden for _, slot, _ in story.tightest])),
    )


def _possible(slots: Sequence[int]) -> Iterator[int]:
    """Yield the sets of cards, but all cards where a reading contradicts itself: no card is left for that place."""
    lies: dict[int, int] = {}

    def finds_card(at: int, tried: set[int]) -> bool:
        for card in split(slots[at]):
            if card not in tried:
                tried.add(card)
                if card not in lies or finds_card(lies[card], tried):
                    lies[card] = at
                    return True
        return False

    for at, slot in enumerate(slots):
        yield slot if finds_card(at, set()) else ALL


def position(view: View, places: Sequence[int], world: World) -> Position:
    """Return the position that a world gives the players at these places."""
    story, cards, top = world.story, world.cards, BIT[view.top]
    hands = dict.fromkeys(places, 0) | {places[0]: story.own}
    for (place, _, _), card in zip(story.tightest, cards, strict=False):
        hands[place] |= card
    rest = cards[len(story.tightest) :]
    return Position(
        hands=tuple(hands.values()),
        stock=tuple(rest[: view.stock]),
        pile=story.pile | sum(rest[view.stock :]),
        top=top,
        fit=fitting(top, view.suit),
        penalty=view.penalty,
        open_wish=is_wish_open(view),
        must_wish=view.must_wish,
    )


def weight(world: World, table: Sequence[Row]) -> float:
    """Return how likely it is that the others have laid what they did."""
    found = 1.0
    for choice in world.story.choices:
        if not _would_lay(choice, world, table):
            found *= ODD
    return found


def _would_lay(choice: Choice, world: World, table: Sequence[Row]) -> bool:
    hand = choice.card | choice.later
    for (place, _, born), card in zip(world.story.tightest, world.cards, strict=False):
        if place == choice.place and born <= choice.time:
            hand |= card
    legal = hand & choice.fit | choice.card
    if legal == choice.card:
        return True
    row = table[AT[choice.following][choice.left]]
    best = best_card(row, legal, hand, ALL & ~(hand | choice.seen))
    return best == choice.card or not (best | choice.card) & ~JACKS
