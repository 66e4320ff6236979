"""Worlds: hands of the others that agree with all that a place knows, as likely as what was said and done makes them.

Owns how a player's word and play depend on their hand. A world is four hands, sets of cards by place. A named solo and
a call lean on the deal itself (`Lean`), because few deals by chance have such a hand. What was not said, and each card
that was played, weigh the worlds that are dealt.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from yawc_poker.cards import Rank
from yawc_poker.engine.players import Dice, Lean, Plan, dealt, likely, steps_up
from yawc_poker.games.doppelkopf.model import SEATS, SOLOS, Kind, Team
from yawc_poker.games.doppelkopf.player.decks import ALL, Deck, deck_of, numbers
from yawc_poker.games.doppelkopf.player.knowledge import PLACES, Known
from yawc_poker.games.doppelkopf.player.playouts import AFTER, MATES, re_of
from yawc_poker.games.doppelkopf.player.policy import follow, lead
from yawc_poker.games.doppelkopf.trumps import TEN_OF_HEARTS, order_of

World = tuple[int, ...]

NEAR: Final = 0.55
"""Weight of a card that is worth about as much as the policy's and fares as well."""
ODD: Final = 0.25
"""Weight of any other card."""
SILENT: Final = 0.03
"""Weight of a hand with both queens of clubs whose player did not name the wedding."""
MIDDLE: Final[Mapping[Kind, int]] = {kind: {"aces": 27, "queens": 29, "jacks": 29}.get(kind, 28) for kind in SOLOS}
"""Worth of a hand with which every second player names the solo."""
CALL: Final = 20
"""Worth of a hand with which every second player announces in the normal game."""
DENIAL: Final = 3
"""How much more a hand is worth for each denial; and a soloist's for each call."""
COMPULSORY: Final = 3
"""How much less a hand is worth with which a compulsory solo is played."""
_SWAPS: Final = 10
_MORE_SWAPS: Final = 120
"""Where somebody has said something of their hand."""


# --- what a hand is worth ---------------------------------------------------------------------------------------------


@cache
def worths(deck: Kind, kind: Kind) -> tuple[int, ...]:
    """Return what each card is worth to somebody who plays `kind`, by its number in the deck of another kind."""
    order, tops = order_of(kind), {Rank.QUEEN: 3, Rank.JACK: 2}
    aces, tens = (
        (4, 2) if kind == "aces" else (2, 0 if order.ranks[-1] == Rank.NINE and len(order.trumps) > SEATS else 1)
    )
    found = []
    for card in deck_of(deck).cards:
        if card not in order.trumps:
            found.append(aces if card.rank == Rank.ACE else tens if card.rank == Rank.TEN else 0)
        elif len(order.trumps) == SEATS:
            found.append((5, 4, 4, 3)[order.trumps.index(card)])
        else:
            found.append(4 if card == TEN_OF_HEARTS else tops.get(card.rank, 1))
    return tuple(found)


@cache
def _parts(deck: Kind, kind: Kind) -> tuple[tuple[int, int], ...]:
    """Return the cards that are worth anything, as sets, each with the worth of one of its cards."""
    cards = worths(deck, kind)
    return tuple(
        (sum([1 << number for number, one in enumerate(cards) if one == worth]), worth)
        for worth in sorted(set(cards) - {0})
    )


def worth_of(deck: Deck, kind: Kind, hand: int) -> int:
    """Return what a hand is worth to somebody who plays `kind`."""
    return sum([worth * (hand & cards).bit_count() for cards, worth in _parts(deck.kind, kind)])


_SOLO: Final = {kind: steps_up(middle) for kind, middle in MIDDLE.items()}
_CALL: Final = steps_up(CALL)


# --- what was said ----------------------------------------------------------------------------------------------------


def _leans(known: Known) -> dict[int, Lean]:
    """Return what the others have said of their hands."""
    return dict(_each_lean(known))


def _each_lean(known: Known) -> Iterator[tuple[int, Lean]]:
    game, kind = known.game, known.game.kind
    said = {place: sum(call.place == place for call in known.calls) for place in PLACES if place != known.me}
    for place, calls in said.items():
        if game.is_solo and place == game.player:
            middle = MIDDLE[kind] + DENIAL * calls - COMPULSORY * game.compulsory
        elif calls and not game.is_solo:
            kind, middle = "normal", CALL + DENIAL * (calls - 1)
        else:
            continue
        yield (
            place,
            Lean(worths(known.deck.kind, kind), steps_up(middle), worth_of(known.deck, kind, known.laid[place])),
        )


def said(known: Known, world: World) -> float:
    """Return how likely it is that the others did not say what they might have, if they held these cards."""
    deck, found = known.deck, 1.0
    called = {call.team for call in known.calls}
    re = re_of(known, world)
    for place in PLACES:
        if place == known.me:
            continue
        hand = world[place] | known.laid[place]
        if known.healthy[place]:
            found *= 1 - max([_SOLO[kind][worth_of(deck, kind, hand)] for kind in SOLOS])
        team: Team = "re" if re >> place & 1 else "contra"
        if known.laid[place] and not known.game.is_solo and known.bride < 0 and team not in called:
            found *= 1 - _CALL[worth_of(deck, "normal", hand)]
        if known.game.player is None and hand & deck.queens == deck.queens:
            found *= SILENT
    return found


# --- what was done ----------------------------------------------------------------------------------------------------


def done(known: Known, world: World) -> float:
    """Return how likely it is that the others have played as they did, if they held the cards of this world."""
    deck, me = known.deck, known.me
    re = re_of(known, world)
    shown = sum({1 << call.place for call in known.calls}) if known.game.player is None else known.shown
    hands = [hand | laid for hand, laid in zip(world, known.laid, strict=True)]
    found, gone, mates = 1.0, 0, MATES[re][shown]
    present = ((known.leader, known.trick),) if known.trick else ()
    for leader, cards in (*((one.leader, one.cards) for one in known.tricks), *present):
        led, best, winner, eyes = deck.colour[cards[0]], cards[0], leader, 0
        for at, card in enumerate(cards):
            place = (leader + at) & 3
            bit = 1 << card
            if place != me:
                if at:
                    danger = AFTER[at][place] & ~mates[place] != 0
                    mate = mates[place] >> winner & 1 != 0
                    wanted = follow(deck, hands[place], led, best, mate, danger, eyes, gone)
                else:
                    wanted = lead(deck, hands[place], gone, re >> place & 1 != 0)
                if wanted >> 1 != card >> 1:
                    found *= _likeness(deck, wanted, card, best, at)
            hands[place] ^= bit
            gone |= bit
            eyes += deck.eyes[card]
            if deck.queens & bit:
                shown |= 1 << place
                mates = MATES[re][shown]
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


# --- worlds -----------------------------------------------------------------------------------------------------------


def plan(known: Known) -> Plan:
    """Return how to deal what a place does not know."""
    deck, leans = known.deck, _leans(known)
    queens = known.hidden & deck.queens
    found: list[tuple[int, int]] = []
    for place in PLACES:
        if place == known.me:
            continue
        free, held = ALL & ~known.barred[place], known.held[place]
        owed = 0 if not known.owed[place] else queens.bit_count() if place == known.game.player else 1
        found += [(queens & free, place)] * owed
        found += [(free & ~queens if owed else free, place)] * (held - owed)
    found.sort(key=lambda one: (one[0] & known.hidden).bit_count())
    swaps = _MORE_SWAPS if leans else _SWAPS
    may, places = tuple([may for may, _ in found]), tuple([place for _, place in found])
    return Plan(tuple(numbers(known.hidden)), places, may, leans, swaps)


def likely_worlds(known: Known, dice: Dice, count: int, tries: int) -> list[World]:
    """Return `count` worlds, chosen among `tries` times as many by what was said and done."""
    hidden = plan(known)

    def draw() -> World:
        world = [0] * SEATS
        world[known.me] = known.hand
        for place, card in zip(hidden.places, dealt(hidden, dice), strict=True):
            world[place] |= 1 << card
        return tuple(world)

    if not known.hidden:
        return [draw()] * count
    return likely(draw, lambda world: said(known, world) * done(known, world), dice, count, tries)
