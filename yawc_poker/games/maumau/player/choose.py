"""The house player's choice: a view in, a legal move out, at each of three levels. Pure.

`easy` lays a card that costs much, or any. `normal` plays by rules of thumb and counts the cards that it has seen.
`hard` plays the best candidates out in worlds that agree with all it has seen (`search`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from yawc_poker.cards import Card, Suit
from yawc_poker.engine.house import HousePlayer, Level, SealedChance, Weighed
from yawc_poker.games.maumau.model import Finish, MayFinish, MayPlay, MayTake, MayWish, Move, PlayCard, Take, View, Wish
from yawc_poker.games.maumau.player import knowledge, playout
from yawc_poker.games.maumau.player.bits import ALL, BIT, CARD, JACKS, PLAIN, SUITS, distinct, mask, worth
from yawc_poker.games.maumau.player.search import PLAYOUTS, Play, Trials, best
from yawc_poker.games.maumau.player.thumb import AT, best_card, best_suit
from yawc_poker.games.maumau.player.worlds import following, table_of

POINT: Final = 60
"""What a point is worth: as many as can be divided among up to five others."""


def choose(view: View, level: Level, chance: SealedChance) -> Move:
    """Return a legal move. Raise `ValueError` if the view offers none."""
    for choice in reversed(view.choices):
        match choice:
            case MayFinish():
                return Finish()
            case MayTake(count):
                return Take(count)
            case MayWish():
                return Wish(_suit(view, level, chance))
            case MayPlay(cards):
                return PlayCard(_card(view, cards, level, chance))
    raise ValueError("nothing is offered")


def _card(view: View, cards: Sequence[Card], level: Level, chance: SealedChance) -> Card:
    candidates = distinct(mask(cards))
    if len(candidates) == 1:
        return cards[0]
    if level == "easy":
        return _easy_card(cards, chance)
    hand = mask(view.hand or ())
    row = table_of(view)[AT[following(view)][hand.bit_count() - 1]]
    thumb = best_card(row, mask(cards), hand, _unseen(view, chance))
    if level == "normal":
        return CARD[thumb]
    candidates.sort(key=lambda card: (card != thumb, card))
    moves: dict[Play, Card] = {partial(playout.laid, card=card): CARD[card] for card in candidates}
    return moves[best(view, list(moves), chance)]


def _suit(view: View, level: Level, chance: SealedChance) -> Suit:
    hand = mask(view.hand or ())
    if level == "easy":
        return max(Suit, key=lambda suit: (hand & SUITS[suit] & PLAIN).bit_count())
    row = table_of(view)[AT[following(view)][hand.bit_count()]]
    thumb = best_suit(row, hand, _unseen(view, chance))
    if level == "normal":
        return Suit(thumb)
    suits = sorted(Suit, key=lambda suit: (suit != thumb, suit))
    moves: dict[Play, Suit] = {partial(playout.wished, suit=suit): suit for suit in suits}
    return moves[best(view, list(moves), chance)]


# --- what the levels use ----------------------------------------------------------------------------------------------


def _easy_card(cards: Sequence[Card], chance: SealedChance) -> Card:
    """Return the card that costs most, a jack only if there is nothing else; or, every other time, any card."""
    if chance.below(2):
        return cards[chance.below(len(cards))]
    return max(cards, key=lambda card: (not BIT[card] & JACKS, worth(BIT[card])))


def _unseen(view: View, chance: SealedChance) -> int:
    """Return the cards that another player or the stock may hold."""
    story = knowledge.Story(view, chance.below)
    return ALL & ~(story.own | story.pile | story.top)


# --- afterwards -------------------------------------------------------------------------------------------------------


def weigh(view: View, mine: Move, chance: SealedChance, effort: int) -> Weighed[Move] | None:
    """Return what each card, or each wish, brings, and whether the player has no card left then.

    The choice goes by who wins the game, the worths are by how much the others hold more at the end of the round.
    """
    plays = dict[Play, Move]()
    match mine:
        case PlayCard(card):
            may = next((choice.cards for choice in view.choices if isinstance(choice, MayPlay)), ())
            found = [BIT[card], *(one for one in distinct(mask(may)) if not _alike(one, BIT[card]))]
            plays = {partial(playout.laid, card=one): PlayCard(CARD[one]) for one in found}
        case Wish(suit):
            suits = [suit, *(one for one in Suit if one != suit)]
            plays = {partial(playout.wished, suit=one): Wish(one) for one in suits}
        case Take() | Finish():
            pass
    if len(plays) < 2:
        return None
    trials = Trials(view, list(plays), chance, PLAYOUTS * effort // 100)
    ends = [list(trials.ends(position, range(len(plays)))) for position in trials.affordable()]
    by_move = list(zip(*ends, strict=True))
    values = [sum([value for value, _ in found]) for found in by_move]
    ahead = tuple([tuple([_ahead(hands) for _, hands in found]) for found in by_move])
    outs = tuple([tuple([not hands[0] for _, hands in found]) for found in by_move])
    return Weighed(tuple(plays.values()), max(range(len(values)), key=lambda at: values[at]), ahead, POINT, outs)


def _alike(card: int, other: int) -> bool:
    """Return whether two cards do the same."""
    return card == other or not (card | other) & ~JACKS


def _ahead(hands: Sequence[int]) -> int:
    """Return how many points the others hold more, on the average of them."""
    others = [worth(hand) for hand in hands[1:]]
    return POINT * sum(others) // len(others) - POINT * worth(hands[0])


HOUSE: Final = HousePlayer[View, Move](version=8, choose=choose, weigh=weigh)
