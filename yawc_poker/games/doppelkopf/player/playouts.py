"""A world played to its end by `policy`, and what the end is worth.

Owns the loop that everything else calls thousands of times. Players of a playout know their own cards, what was laid,
and of the teams what everybody has been shown: a partner is one who is known to be (`MATES`). A set of places is an
integer with a bit for each.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from yawc_poker.games.doppelkopf.model import HAND, SEATS, Team
from yawc_poker.games.doppelkopf.player.decks import Deck, taking
from yawc_poker.games.doppelkopf.player.knowledge import PLACES, Known
from yawc_poker.games.doppelkopf.player.policy import follow, lead, lead_of_bride, woo
from yawc_poker.games.doppelkopf.progress import CLARIFYING
from yawc_poker.games.doppelkopf.scoring import ALL as ALL_EYES
from yawc_poker.games.doppelkopf.scoring import MANY, score

FINE: Final = 200
"""What a point is worth; an eye is worth 1, to decide where the points are the same."""
EVERYBODY: Final = (1 << SEATS) - 1
NOBODY: Final = (0,) * SEATS
"""Whom each place knows to be a partner while a wedding is not clear."""


def _mates(re: int, shown: int) -> tuple[int, ...]:
    """Return whom each place knows to be a partner, with these places of Re, and these whose team has been shown."""
    found = []
    for place in PLACES:
        own = re if re >> place & 1 else EVERYBODY ^ re
        partners = own & ~(1 << place)
        is_clear = not partners & ~shown or not (EVERYBODY ^ own) & ~shown
        found.append(partners if is_clear else 0)
    return tuple(found)


MATES: Final = tuple([tuple([_mates(re, shown) for shown in range(16)]) for re in range(16)])
"""By the places of Re, then by the places whose team has been shown: whom each place knows to be a partner."""
AFTER: Final = tuple(
    [
        tuple([sum([1 << (place + later) % SEATS for later in range(1, SEATS - at)]) for place in PLACES])
        for at in PLACES
    ]
)
"""By the number of cards in a trick, then by the place that plays the next one: who plays after it."""


class End(NamedTuple):
    """How a round ended in a world."""

    re_eyes: int
    special: int
    """Special points of Re less those of Contra."""
    re: int
    """Who was in the Re team."""


class Start(NamedTuple):
    """A position of a world: what a playout begins with."""

    world: tuple[int, ...]
    re: int
    re_eyes: int
    special: int


def start_of(known: Known, world: Sequence[int]) -> Start:
    """Return the position that a place is in if the others hold what a world gives them."""
    re = re_of(known, world)
    eyes = sum([trick.eyes for trick in known.tricks if re >> trick.taker & 1])
    special = sum([special_of(known.deck, one.leader, one.cards, one.taker, one.eyes, re) for one in known.tricks])
    return Start(tuple(world), re, eyes, special)


def re_of(known: Known, world: Sequence[int]) -> int:
    """Return who is in the Re team in a world; of an open wedding, the bride."""
    game, queens = known.game, known.deck.queens
    if game.player is not None:
        return sum([1 << place for place in (game.player, game.partner) if place is not None])
    return sum([1 << place for place in PLACES if (world[place] | known.laid[place]) & queens])


def special_of(deck: Deck, leader: int, cards: Sequence[int], taker: int, eyes: int, re: int) -> int:
    """Return the special points of a trick, but for Charlie: above 0 for Re, below for Contra."""
    own = re >> taker & 1
    found = int(eyes >= MANY)
    for at, number in enumerate(cards):
        if deck.foxes >> number & 1 and re >> (leader + at) % SEATS & 1 != own:
            found += 1
    return found if own else -found


def play_out(known: Known, start: Start, card: int | None = None) -> End:
    """Return how a round ends in which the place on turn plays `card`, and all play by the policy from then on.

    None: by the policy from now on.
    """
    deck, hands, leader, trick = known.deck, list(start.world), known.leader, list(known.trick)
    re, re_eyes, special = start.re, start.re_eyes, start.special
    gone, shown, bride = known.gone, known.shown, known.bride
    if card is not None:
        hands[known.me] ^= 1 << card
        gone |= 1 << card
        trick.append(card)
        shown |= (deck.queens >> card & 1) << known.me
    mates = MATES[re][shown] if bride < 0 else NOBODY
    eyes_of, colours, above, trumps, foxes = deck.eyes, deck.colour, deck.above, deck.trumps, deck.foxes
    queens = deck.queens if known.game.player is None else 0  # in other games they show nothing new
    for number in range(len(known.tricks), HAND):
        if not trick:
            hand = hands[leader]
            card = lead_of_bride(deck, hand, gone) if leader == bride else lead(deck, hand, gone, re >> leader & 1 != 0)
            bit = 1 << card
            hands[leader] ^= bit
            gone |= bit
            trick = [card]
            if queens & bit:
                shown |= 1 << leader
                mates = MATES[re][shown]
        at = taking(deck, trick) if len(trick) > 1 else 0
        led, best, winner = colours[trick[0]], trick[at], (leader + at) & 3
        eyes, cards = sum([eyes_of[card] for card in trick]), sum([1 << card for card in trick])
        for at in range(len(trick), SEATS):
            place = (leader + at) & 3
            known_mates = mates[place]
            danger = AFTER[at][place] & ~known_mates != 0
            if bride < 0:
                card = follow(deck, hands[place], led, best, known_mates >> winner & 1 != 0, danger, eyes, gone)
            else:
                card = woo(deck, hands[place], led, best, place == bride, danger, eyes, gone)
            bit = 1 << card
            hands[place] ^= bit
            gone |= bit
            cards |= bit
            eyes += eyes_of[card]
            trick.append(card)
            if queens & bit:
                shown |= 1 << place
                mates = MATES[re][shown]
            if above[best] & bit and bit & (led | trumps):
                best, winner = card, place
        if bride >= 0 and (winner != bride or number == CLARIFYING - 1):
            re = 1 << bride | 1 << winner
            bride, mates = -1, MATES[re][shown]
        if re >> winner & 1:
            re_eyes += eyes
        if eyes >= MANY or cards & foxes:
            special += special_of(deck, leader, trick, winner, eyes, re)
        leader = winner
        if number == HAND - 1 and deck.charlies >> best & 1:
            special += 1 if re >> winner & 1 else -1
        trick = []
    return End(re_eyes, special, re)


# --- what an end is worth ---------------------------------------------------------------------------------------------


def worth(end: End, me: int, levels: Mapping[Team, int]) -> int:
    """Return what an end is worth to a place, in points and eyes."""
    alone = end.re.bit_count() == 1
    total = re_worths(levels, alone=alone)[end.re_eyes] + (0 if alone else FINE * end.special)
    own = end.re >> me & 1
    return (total if own else -total) * (3 if alone and own else 1)


def re_worths(levels: Mapping[Team, int], *, alone: bool) -> tuple[int, ...]:
    """Return what Re gets for its eyes, without special points, if each team has called so many levels."""
    return _worths(levels["re"], levels["contra"], alone)


@cache
def _worths(re: int, contra: int, alone: bool) -> tuple[int, ...]:
    levels: dict[Team, int] = {"re": re, "contra": contra}
    scores = [score(eyes, levels, (), alone=alone) for eyes in range(ALL_EYES + 1)]
    points = [-one.value if one.winner == "contra" else one.value for one in scores]
    return tuple([FINE * value + eyes - ALL_EYES // 2 for eyes, value in enumerate(points)])
