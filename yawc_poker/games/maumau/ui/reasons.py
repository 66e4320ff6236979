"""Why one card is better than another, by the rules of thumb that people know. Pure.

Owns the sentences, and when they hold. The first rule that holds is told. Whether the next player can answer a card is
counted in worlds that agree with what the seat knows.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from yawc_poker.cards import Suit
from yawc_poker.engine.house import SealedChance
from yawc_poker.games.maumau.model import Move, PlayCard, View, Wish
from yawc_poker.games.maumau.player.bits import ACES, BIT, JACKS, ON_CARD, ON_SUIT, PLAIN, SEVENS, SUITS, mask, worth
from yawc_poker.games.maumau.player.search import places_of
from yawc_poker.games.maumau.player.worlds import following, worlds
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.words import mark

WORLDS: Final = 100
SHORT: Final = 2
"""Cards of the next player with which a seven hurts most."""
CLEAR: Final = 10
"""Worlds, of a hundred, that make a difference worth telling."""


def reason(view: View, mine: Move | None, choice: Move | None, chance: SealedChance) -> Reason | None:
    """Return why the choice is better; None: no rule tells."""
    match mine, choice:
        case PlayCard(card), PlayCard(better):
            return next(_of_cards(view, BIT[card], BIT[better], chance), None)
        case Wish(suit), Wish(better_suit):
            return next(_of_suits(view, suit, better_suit, chance), None)
        case _:
            return None


def _of_cards(view: View, mine: int, better: int, chance: SealedChance) -> Iterator[Reason]:
    left, rest = following(view), mask(view.hand or ()) & ~(mine | better)
    if better & SEVENS and not mine & SEVENS and left <= SHORT:
        yield Reason(
            mark("Cards left in the next hand: {left}. Now a seven hurts most, so it is not kept."), {"left": left}
        )
    if mine & JACKS and not better & JACKS:
        yield Reason(mark("A jack fits on every card: it is kept while something else fits."))
    if better & JACKS:
        yield Reason(mark("A jack stops what comes next: you choose the suit, before others are out of cards."))
    elif better & ACES and not mine & ACES and len(places_of(view)) == SHORT:
        yield Reason(mark("Against one other player an ace gives you another turn."))
    if not (mine | better) & JACKS:
        answers = _answers(view, (_fit(mine), _fit(better)), chance)
        if answers[0] - answers[1] >= CLEAR:
            yield Reason(
                mark("The next player can answer {mine} in {worse} of 100 worlds, {choice} in {better}."),
                {"worse": answers[0], "better": answers[1]},
            )
        many, few = ((rest | mine) & ON_CARD[better]).bit_count(), ((rest | better) & ON_CARD[mine]).bit_count()
        if many > few:
            yield Reason(
                mark("Cards of your hand that fit on {choice}: {many}; on {mine}: {few}."), {"many": many, "few": few}
            )
    if worth(better) > worth(mine) + 1:
        yield Reason(
            mark("What is left in the hand counts against you: {choice} counts {many}, {mine} only {few}."),
            {"many": worth(better), "few": worth(mine)},
        )


def _of_suits(view: View, mine: Suit, better: Suit, chance: SealedChance) -> Iterator[Reason]:
    hand = mask(view.hand or ()) & PLAIN
    many, few = (hand & SUITS[better]).bit_count(), (hand & SUITS[mine]).bit_count()
    answers = _answers(view, (ON_SUIT[mine], ON_SUIT[better]), chance)
    if answers[0] - answers[1] >= CLEAR:
        yield Reason(
            mark("The next player can answer {mine} in {worse} of 100 worlds, {choice} in {better}."),
            {"worse": answers[0], "better": answers[1]},
        )
    if many > few:
        yield Reason(mark("Your cards of that suit: {many} of {choice}, {few} of {mine}."), {"many": many, "few": few})


def _fit(card: int) -> int:
    """Return the cards that answer a card; a seven is answered by sevens."""
    return SEVENS if card & SEVENS else ON_CARD[card]


def _answers(view: View, fits: tuple[int, int], chance: SealedChance) -> list[int]:
    """Return in how many worlds the next player holds one of these cards."""
    found = islice(worlds(view, places_of(view), chance), WORLDS)
    hands = [position.hands[1] for position in found]
    return [sum([hand & fit != 0 for hand in hands]) for fit in fits]
