"""Doppelkopf's cards as texts: in each language the court cards have letters of their own. Pure."""

from collections.abc import Iterable

from yawc_poker.cards import SIGNS, Card, Rank
from yawc_poker.words import Words

_LETTERED = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK)


def card_text(card: Card, words: Words) -> str:
    """Return rank and sign in the caller's language: ``Q+``, ``10#``."""
    return f"{_rank(card.rank, words)}{SIGNS[card.suit]}"


def cards_text(cards: Iterable[Card], words: Words) -> str:
    """Return several cards, separated by blanks."""
    return " ".join(card_text(card, words) for card in cards)


def _rank(rank: Rank, words: Words) -> str:
    if rank not in _LETTERED:
        return str(int(rank))
    return words("A K Q J").split()[_LETTERED.index(rank)]
