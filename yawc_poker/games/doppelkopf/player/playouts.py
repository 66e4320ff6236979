"""A world played to its end by `policy`, and what the end is worth.

Owns the loop that everything else calls thousands of times. In a world all teams are known, so the players of a playout
know them.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from yawc_poker.games.doppelkopf.model import HAND, SEATS, Team
from yawc_poker.games.doppelkopf.player.decks import Deck
from yawc_poker.games.doppelkopf.player.knowledge import PLACES, Known
from yawc_poker.games.doppelkopf.player.policy import follow, lead
from yawc_poker.games.doppelkopf.player.worlds import World
from yawc_poker.games.doppelkopf.scoring import ALL as ALL_EYES
from yawc_poker.games.doppelkopf.scoring import MANY, score

_FINE = 200
"""Eyes that are as good as a point where the points are the same."""


class End(NamedTuple):
    """How a round ended in a world."""

    re_eyes: int
    special: int
    """Special points of Re less those of Contra."""
    re: tuple[bool, ...]
    """Who was in the Re team."""


class Start(NamedTuple):
    """A position of a world: what a playout begins with."""

    world: tuple[int, ...]
    re: tuple[bool, ...]
    re_eyes: int
    special: int


def start_of(known: Known, world: World) -> Start:
    """Return the position that a place is in if the others hold what a world gives them."""
    re = re_of(known, world)
    eyes = sum([trick.eyes for trick in known.tricks if re[trick.taker]])
    return Start(tuple(world), re, eyes, _special(known, re))


def re_of(known: Known, world: Sequence[int]) -> tuple[bool, ...]:
    """Return who is in the Re team in a world; of an open wedding, the bride."""
    game, queens = known.game, known.deck.queens
    if game.player is not None:
        return tuple([place in (game.player, game.partner) for place in PLACES])
    return tuple([bool((world[place] | known.laid[place]) & queens) for place in PLACES])


def _special(known: Known, re: Sequence[bool]) -> int:
    """Return the special points of the tricks so far; a Charlie comes in the last one only."""
    return sum([special_of(known.deck, one.leader, one.cards, one.taker, one.eyes, re) for one in known.tricks])


def special_of(deck: Deck, leader: int, cards: Sequence[int], taker: int, eyes: int, re: Sequence[bool]) -> int:
    """Return the special points of a trick, but for Charlie: above 0 for Re, below for Contra."""
    own = re[taker]
    found = int(eyes >= MANY)
    for at, number in enumerate(cards):
        if deck.foxes >> number & 1 and re[(leader + at) % SEATS] != own:
            found += 1
    return found if own else -found


def play_out(known: Known, start: Start, card: int) -> End:
    """Return how a round ends in which the place on turn plays `card`, and all play by the policy from then on."""
    deck, hands, leader, trick = known.deck, list(start.world), known.leader, [*known.trick, card]
    hands[known.me] ^= 1 << card
    return _ended(deck, hands, leader, trick, start, known.gone | 1 << card, len(known.tricks), known.bride)


def play_on(known: Known, start: Start) -> End:
    """Return how a round ends in which all play by the policy from now on."""
    return _ended(
        known.deck,
        list(start.world),
        known.leader,
        list(known.trick),
        start,
        known.gone,
        len(known.tricks),
        known.bride,
    )


def _ended(
    deck: Deck, hands: list[int], leader: int, trick: list[int], start: Start, gone: int, done: int, bride: int
) -> End:
    re, re_eyes, special = start.re, start.re_eyes, start.special
    eyes_of, colours, above = deck.eyes, deck.colour, deck.above
    foxes = deck.foxes
    for number in range(done, HAND):
        if not trick:
            card = lead(deck, hands[leader], gone, re[leader])
            hands[leader] ^= 1 << card
            gone |= 1 << card
            trick = [card]
        led = colours[trick[0]]
        best, winner, eyes, cards = trick[0], leader, 0, 0
        for at, card in enumerate(trick):
            eyes += eyes_of[card]
            cards |= 1 << card
            if above[best] >> card & 1 and (colours[card] == led or card_is_trump(deck, card)):
                best, winner = card, (leader + at) & 3
        for at in range(len(trick), SEATS):
            place = (leader + at) & 3
            own = re[place]
            danger = at < 3 and (re[(place + 1) & 3] != own or (at < 2 and re[(place + 2) & 3] != own))
            card = follow(deck, hands[place], led, best, re[winner] == own, danger, eyes, gone)
            bit = 1 << card
            hands[place] ^= bit
            gone |= bit
            cards |= bit
            eyes += eyes_of[card]
            trick.append(card)
            if above[best] & bit and (bit & led or bit & deck.trumps):
                best, winner = card, place
        if bride >= 0 and number < 3 and winner != bride:
            re = tuple([place in (bride, winner) for place in PLACES])
            bride = -1
        if re[winner]:
            re_eyes += eyes
        if eyes >= MANY or cards & foxes:
            special += special_of(deck, leader, trick, winner, eyes, re)
        leader = winner
        if number == HAND - 1 and deck.charlies >> best & 1:
            special += 1 if re[winner] else -1
        trick = []
    return End(re_eyes, special, re)


def card_is_trump(deck: Deck, card: int) -> bool:
    """Return whether a card is a trump."""
    return bool(deck.trumps >> card & 1)


# --- what an end is worth ---------------------------------------------------------------------------------------------


def worth(end: End, me: int, levels: Mapping[Team, int]) -> float:
    """Return what an end is worth to a place, in points; eyes decide between equal ones."""
    alone = sum(end.re) == 1
    total = re_worths(levels, alone=alone)[end.re_eyes] + (0 if alone else end.special)
    own = end.re[me]
    return (total if own else -total) * (3 if alone and own else 1)


def re_worths(levels: Mapping[Team, int], *, alone: bool) -> tuple[float, ...]:
    """Return what Re gets for its eyes, without special points, if each team has called so many levels."""
    return _worths(levels["re"], levels["contra"], alone)


@cache
def _worths(re: int, contra: int, alone: bool) -> tuple[float, ...]:
    levels: dict[Team, int] = {"re": re, "contra": contra}
    scores = [score(eyes, levels, (), alone=alone) for eyes in range(ALL_EYES + 1)]
    points = [-one.value if one.winner == "contra" else one.value for one in scores]
    return tuple([value + (eyes - ALL_EYES // 2) / _FINE for eyes, value in enumerate(points)])
