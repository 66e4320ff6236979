"""A simple bot to measure by: a view of the game in, one of its legal moves out. Pure.

Owns the weights by which cards are compared. The bot sees what any player sees: its own hand, the open card, and how
many cards the others hold.
"""

from collections import Counter
from collections.abc import Sequence

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.game import Chance, ItemT
from yawc_poker.games.maumau.model import Finish, MayFinish, MayPlay, MayTake, MayWish, Move, PlayCard, Take, View, Wish
from yawc_poker.games.maumau.progress import points

SHORT = 1
"""A player with at most this many cards may soon have none."""
_FOLLOWS = 6
"""Added for each card in the hand that could be laid on this one."""
_HINDERS = 20
"""Added for a seven or an ace if the next player is short of cards."""
_AGAIN = 10
"""Added for an ace between two players if a card can follow it: it brings another turn."""
_KEEP = 45
"""Subtracted for a jack, which fits later as well, as long as nobody is short of cards."""


def choose(view: View, rng: Chance) -> Move:
    """Return the best move that the view offers; chance decides among equals. Raise `ValueError` if there is none."""
    hand = view.hand or ()
    for choice in reversed(view.choices):
        match choice:
            case MayFinish():
                return Finish()
            case MayTake(count):
                return Take(count)
            case MayWish():
                return Wish(_best(tuple(Suit), [_wished(hand, suit) for suit in Suit], rng))
            case MayPlay(cards):
                return PlayCard(_best(cards, [_worth(view, hand, card) for card in cards], rng))
    raise ValueError("nothing is offered")


def _best(items: Sequence[ItemT], worths: Sequence[int], rng: Chance) -> ItemT:
    best = [item for item, worth in zip(items, worths, strict=True) if worth == max(worths)]
    return best[rng.getrandbits(16) % len(best)]


def _wished(hand: Sequence[Card], suit: Suit) -> int:
    """Return the worth of a suit: first how many of its cards the hand holds, then their points."""
    held = [card for card in hand if card.suit == suit and card.rank != Rank.JACK]
    return len(held) * 100 + points(held)


def _worth(view: View, hand: Sequence[Card], card: Card) -> int:
    """Return the worth of laying a card: the points it sheds, the cards that could follow it, and its effect."""
    rest = [other for other in hand if other != card]
    following = sum(1 for other in rest if other.suit == card.suit or other.rank == card.rank)
    least, others = _shortest(view)
    worth = points([card]) + _FOLLOWS * following
    match card.rank:
        case Rank.JACK:
            suits = Counter(other.suit for other in rest if other.rank != Rank.JACK)
            return points([card]) + _FOLLOWS * max(suits.values(), default=0) - (_KEEP if least > SHORT else 0)
        case Rank.ACE if others == 1:
            return worth + (_AGAIN if following else 0) + (_HINDERS if least <= SHORT else 0)
        case Rank.SEVEN | Rank.ACE if _next(view) <= SHORT:
            return worth + _HINDERS
    return worth


def _others(view: View) -> list[int]:
    """Return how many cards each other player holds, the next player first."""
    players = [player for player in view.players if player.seat is not None]
    mine = next((at for at, player in enumerate(players) if player.place == view.place), 0)
    return [player.cards for player in players[mine + 1 :] + players[:mine]]


def _next(view: View) -> int:
    return next(iter(_others(view)), 0)


def _shortest(view: View) -> tuple[int, int]:
    """Return the fewest cards that another player holds, and the number of other players."""
    others = _others(view)
    return min(others, default=0), len(others)
