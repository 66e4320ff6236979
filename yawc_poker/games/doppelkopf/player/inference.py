"""How well a world agrees with what the others have played so far.

Owns the weights of worlds. In a likely world the others have mostly played as the policy would have in their place.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from yawc_poker.games.doppelkopf.model import SEATS
from yawc_poker.games.doppelkopf.player.decks import Deck
from yawc_poker.games.doppelkopf.player.knowledge import Known
from yawc_poker.games.doppelkopf.player.playouts import re_of
from yawc_poker.games.doppelkopf.player.policy import follow, lead
from yawc_poker.games.doppelkopf.player.worlds import Dice, Plan, World, deal

NEAR: Final = 0.55
"""Weight of a card that is worth about as much as the policy's and fares as well."""
ODD: Final = 0.25
"""Weight of any other card."""


def likely_worlds(known: Known, plan: Plan, dice: Dice, count: int, tries: int) -> list[World]:
    """Return `count` worlds, chosen among `tries` times as many by their weights."""
    worlds = [deal(plan, dice) for _ in range(count * tries)]
    if tries == 1 or known.hidden.bit_count() == 0:
        return worlds[:count]
    return resampled(worlds, [weight(known, world) for world in worlds], dice, count)


def resampled(worlds: Sequence[World], weights: Sequence[float], dice: Dice, count: int) -> list[World]:
    """Return `count` of the worlds, each as often as its weight asks for: by equal steps from a start by chance."""
    totals = list(accumulate(weights))  # `sum` rounds differently from Python 3.12 on
    step = totals[-1] / count
    mark = step * (dice.below(1 << 20) / (1 << 20))
    chosen: list[World] = []
    for world, total in zip(worlds, totals, strict=True):
        while mark < total and len(chosen) < count:
            chosen.append(world)
            mark += step
    return chosen or list(worlds[:count])


def weight(known: Known, world: World) -> float:
    """Return how likely it is that the others have played as they did, if they held the cards of this world."""
    deck, re, me = known.deck, re_of(known, world), known.me
    hands = [world[place] | known.laid[place] for place in range(SEATS)]
    found, gone = 1.0, 0
    present = ((known.leader, known.trick),) if known.trick else ()
    for leader, cards in (*((one.leader, one.cards) for one in known.tricks), *present):
        led, best, winner, eyes = deck.colour[cards[0]], cards[0], leader, 0
        for at, card in enumerate(cards):
            place = (leader + at) & 3
            bit = 1 << card
            if place != me:
                own = re[place]
                if at:
                    danger = at < 3 and (re[(place + 1) & 3] != own or (at < 2 and re[(place + 2) & 3] != own))
                    wanted = follow(deck, hands[place], led, best, re[winner] == own, danger, eyes, gone)
                else:
                    wanted = lead(deck, hands[place], gone, own)
                if wanted >> 1 != card >> 1:
                    found *= _likeness(deck, wanted, card, best, at)
            hands[place] ^= bit
            gone |= bit
            eyes += deck.eyes[card]
            if deck.above[best] & bit and (bit & led or bit & deck.trumps):
                best, winner = card, place
    return found


def _likeness(deck: Deck, wanted: int, card: int, best: int, at: int) -> float:
    """Return the weight of a card that was not the policy's."""
    if deck.colour[wanted] != deck.colour[card] or abs(deck.eyes[wanted] - deck.eyes[card]) > 4:
        return ODD
    if at and (deck.above[best] >> wanted ^ deck.above[best] >> card) & 1:
        return ODD
    return NEAR
