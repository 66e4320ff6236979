"""Worlds: every hidden card in a place, in agreement with a reading of the round. Pure.

Owns how they are drawn. A world in which another player would have laid other cards than they did is drawn anew most
times: players choose much as the rules of thumb do.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.maumau.model import View
from yawc_poker.games.maumau.player.bits import ALL, BIT, JACKS, fitting, split
from yawc_poker.games.maumau.player.knowledge import Choice, Story, is_wish_open
from yawc_poker.games.maumau.player.playout import Position, shuffle
from yawc_poker.games.maumau.player.thumb import AT, Row, best_card

DRAWS: Final = 6
"""The most draws of a world: the last one counts, whatever is to be said against it."""
CHOICES: Final = 5
"""Of the newest choices, so many are looked at."""
BELIEVED: Final = 2
"""Of eight worlds in which somebody would have laid another card, so many count; for each such card."""

Held = list[tuple[int, int, int]]
"""The hidden cards of a world: place, card, when it came into the hand."""


class Worlds:
    """The worlds of one choice."""

    def __init__(self, view: View, places: Sequence[int], story: Story, table: Sequence[Row]) -> None:
        """Draw worlds in agreement with a story; `places` are those of the hands, the view's own first."""
        self._story, self._table, self._stock = story, table, view.stock
        self._hands = dict.fromkeys(places, 0) | {places[0]: story.own}
        self._hidden = tuple(split(ALL & ~(story.own | story.pile | story.top)))
        top = BIT[view.top]
        self._open = Position(
            hands=(),
            stock=(),
            pile=story.pile,
            top=top,
            fit=fitting(top, view.suit),
            penalty=view.penalty,
            open_wish=is_wish_open(view),
            must_wish=view.must_wish,
        )

    def draw(self, number: int) -> tuple[Position, int]:
        """Return a world, and the next number of chance."""
        for _ in range(DRAWS):
            cards = list(self._hidden)
            number = shuffle(cards, number)
            held = [(place, _drawn(cards, slot), born) for place, slot, born in self._story.tightest]
            if number >> 40 & 7 < BELIEVED or is_likely(self._story, held, self._table):
                break
        return self._position(held, cards), number

    def _position(self, held: Held, cards: Sequence[int]) -> Position:
        hands = self._hands.copy()
        for place, card, _ in held:
            hands[place] |= card
        stock, rest = tuple(cards[: self._stock]), cards[self._stock :]
        return self._open._replace(hands=tuple(hands.values()), stock=stock, pile=self._open.pile | sum(rest))


def _drawn(cards: list[int], slot: int) -> int:
    """Take the first of the cards that a hidden card may be; if none of them may, the first."""
    at = next((at for at, card in enumerate(cards) if card & slot), 0)
    return cards.pop(at)


def is_likely(story: Story, held: Held, table: Sequence[Row]) -> bool:
    """Return whether all others would have laid what they did."""
    return all(_would_lay(choice, held, table) for choice in story.choices[-CHOICES:])


def _would_lay(choice: Choice, held: Held, table: Sequence[Row]) -> bool:
    hand = choice.card | choice.later
    for place, card, born in held:
        if place == choice.place and born <= choice.time:
            hand |= card
    row = table[AT[choice.following][choice.left]]
    best = best_card(row, hand & choice.fit | choice.card, hand, ALL & ~(hand | choice.seen))
    return best == choice.card or not (best | choice.card) & ~JACKS
