"""Which card a sensible player lays who counts nothing: quick enough to play a round to its end thousands of times.

Owns the rules of thumb. A card is chosen by the hand, the trick, and the cards that are gone; teams are told as "a mate
has the trick" and "an opponent plays after me". Every function takes and returns numbers of cards (`decks`).
"""

from typing import Final

from yawc_poker.games.doppelkopf.model import SEATS
from yawc_poker.games.doppelkopf.player.decks import Deck, taking
from yawc_poker.games.doppelkopf.player.knowledge import Known

RICH: Final = 10
"""Eyes that make a trick worth a good trump, though others may play a better one."""
FAIR: Final = 7
"""Eyes that make a trick worth a trump."""
_WORTHWHILE: Final = 3
"""Eyes that make a trick of trumps worth a cheap one that is better."""
_LATE: Final = 36
"""Cards gone after which the best trumps are led."""
_LONG: Final = 7
"""Trumps with which somebody strong leads the best one."""
_MANY: Final = 9
"""Trumps with which they draw those of the others, also without the best one."""
_ACE: Final = 11
"""Eyes of an ace."""
_FRESH: Final = 6
"""Cards of a suit gone with which others are still likely to follow."""


def first(order: tuple[int, ...], cards: int) -> int:
    """Return a card of the first of these sets that has one. Raise `ValueError` if none has."""
    for held in order:
        if found := held & cards:
            return found.bit_length() - 1
    raise ValueError("no card to choose from")


def lead(deck: Deck, hand: int, gone: int, is_strong: bool) -> int:
    """Return the card that leads a trick; `is_strong`: by a soloist, or by one whose team draws trumps."""
    seen = gone | hand
    ace = _sure_suit(deck, hand, seen)
    if ace >= 0:
        return ace
    trumps = hand & deck.trumps
    if not trumps:
        return _plain_lead(deck, hand, seen)
    top = trumps.bit_length() - 1
    is_boss = not deck.above[top] & ~seen
    if is_boss and ((is_strong and trumps.bit_count() >= _LONG) or gone.bit_count() >= _LATE):
        return top
    if trumps == hand or (is_strong and trumps.bit_count() >= _MANY):
        return first(deck.ruff, trumps)
    return _plain_lead(deck, hand & ~deck.trumps, seen)


def _sure_suit(deck: Deck, hand: int, seen: int) -> int:
    """Return the best card of the suit of which others have most, if nobody has a better one; -1 if there is none."""
    found, most = -1, -1
    for suit in deck.suits:
        held = hand & suit
        if not held:
            continue
        top = held.bit_length() - 1
        left = (suit & ~seen).bit_count()
        if left > most and not suit & deck.above[top] & ~seen:
            found, most = top, left
    return found


def _plain_lead(deck: Deck, hand: int, seen: int) -> int:
    """Return a card of the shortest suit: the best if nobody has a better one, or else the cheapest."""
    best, fewest = 0, 99
    for suit in deck.suits:
        held = hand & suit
        if held and held.bit_count() < fewest:
            best, fewest = held, held.bit_count()
    top = best.bit_length() - 1
    if not deck.trumps & ~seen and not deck.colour[top] & deck.above[top] & ~seen:
        return top
    return first(deck.plain_throw, best)


def follow(deck: Deck, hand: int, led: int, best: int, mate: bool, danger: bool, eyes: int, gone: int) -> int:
    """Return the card that is played into a trick led by colour `led`, in which `best` is the best card so far.

    `mate`: it is a partner's. `danger`: an opponent plays later. `eyes` are those in the trick; `gone` are all cards on
    the table or taken.
    """
    held = hand & led
    if not held:
        return _free(deck, hand, led, best, mate, danger, eyes, gone)
    if led == deck.trumps:
        return _trump(deck, hand, held, best, mate, danger, eyes, gone)
    return _plain(deck, hand, held, best, mate, danger, gone)


def _plain(deck: Deck, hand: int, held: int, best: int, mate: bool, danger: bool, gone: int) -> int:
    if mate and (not danger or _holds(deck, hand, best, gone)):
        return first(deck.plain_give, held)
    better = held & deck.above[best]
    if better:
        top = better.bit_length() - 1
        if not danger or not deck.colour[top] & deck.above[top] & ~(gone | hand):
            return top
    return first(deck.plain_throw, held)


def _holds(deck: Deck, hand: int, best: int, gone: int) -> bool:
    """Return whether the best card of a trick is likely to take it."""
    if deck.colour[best] == deck.trumps:
        return (deck.above[best] & ~(gone | hand)).bit_count() <= 2
    suit = deck.colour[best]
    return not suit & deck.above[best] & ~(gone | hand) and (suit & gone).bit_count() <= 3


def _trump(deck: Deck, hand: int, held: int, best: int, mate: bool, danger: bool, eyes: int, gone: int) -> int:
    if mate and (not danger or _holds(deck, hand, best, gone)):
        return first(deck.give, held)
    better = held & deck.above[best]
    if not better or (mate and eyes < RICH):
        return first(deck.throw, held)
    if not danger:
        return first(deck.give, better)
    if eyes >= RICH:
        return better.bit_length() - 1
    return first(deck.ruff, better) if eyes >= _WORTHWHILE else first(deck.throw, held)


def _free(deck: Deck, hand: int, led: int, best: int, mate: bool, danger: bool, eyes: int, gone: int) -> int:
    """Return a card of a hand that cannot follow."""
    trumps = hand & deck.trumps
    plain = hand ^ trumps
    better = trumps & deck.above[best]
    if mate and (not danger or _holds(deck, hand, best, gone)):
        if not danger and better & deck.fat:
            return first(deck.give, better & deck.fat)
        return first(deck.plain_give, plain) if plain else first(deck.give, trumps)
    if better and (eyes >= FAIR or (not danger and better & deck.fat) or not plain):
        is_fresh = (led & gone).bit_count() <= _FRESH and led != deck.trumps
        return first(deck.give if not danger or is_fresh else deck.ruff, better)
    return _discard(deck, plain) if plain else first(deck.throw, trumps)


def _discard(deck: Deck, plain: int) -> int:
    """Return the cheapest card of a suit: of one that is short and has no ace, if it has few eyes."""
    cards, lengths = [], []
    for suit in deck.suits:
        if held := plain & suit:
            cards.append(first(deck.plain_throw, held))
            is_kept = deck.eyes[held.bit_length() - 1] == _ACE
            lengths.append(deck.eyes[cards[-1]] + 4 * (held.bit_count() + is_kept))
    return cards[lengths.index(min(lengths))]


# --- while a wedding is not clear -------------------------------------------------------------------------------------


def lead_of_bride(deck: Deck, hand: int, gone: int) -> int:
    """Return the card by which the bride lets somebody else take the trick: her cheapest plain one, if she has any."""
    plain = hand & ~deck.trumps
    return first(deck.plain_throw, plain) if plain else lead(deck, hand, gone, True)


def woo(deck: Deck, hand: int, led: int, best: int, is_bride: bool, danger: bool, eyes: int, gone: int) -> int:
    """Return the card that is played into a trick, which the bride leaves to others, and which they want to take."""
    held = hand & led
    better = held & deck.above[best]
    if is_bride and held ^ better:
        return first(deck.throw if led == deck.trumps else deck.plain_throw, held ^ better)
    if better and not is_bride:
        top = better.bit_length() - 1
        if not danger:
            return (better & -better).bit_length() - 1
        if not led & deck.above[top] & ~(gone | hand):
            return top
    return follow(deck, hand, led, best, False, danger, eyes, gone)


# --- at the table, where not all teams are known ----------------------------------------------------------------------


def thumb(known: Known) -> int:
    """Return the number of the card that the policy plays; who is not known to be a partner is an opponent."""
    deck, own = known.deck, known.teams[known.me]
    if not known.trick:
        return lead(deck, known.hand, known.gone, own == "re")
    best, winner = standing(known)
    mates = [own is not None and team == own for team in known.teams]
    later = range(len(known.trick) + 1, SEATS)
    danger = any(not mates[(known.leader + at) % SEATS] for at in later)
    eyes = sum(deck.eyes[card] for card in known.trick)
    led = deck.colour[known.trick[0]]
    return follow(deck, known.hand, led, best, mates[winner], danger, eyes, known.gone)


def sensible(known: Known, cards: list[int]) -> list[int]:
    """Return the cards that nobody would laugh at; all of them, if there is none.

    A fox is not thrown under the better card of a known opponent. Neither a fox nor a ten is led while somebody else
    may have a better card.
    """
    deck, unseen = known.deck, known.hidden
    if known.trick:
        best, winner = standing(known)
        own, other = known.teams[known.me], known.teams[winner]
        is_theirs = own is not None and other is not None and own != other
        poor = deck.foxes & ~deck.above[best] if is_theirs else 0
    else:
        weak = deck.foxes | deck.tens
        poor = sum([1 << card for card in cards if weak >> card & 1 and _is_beaten(deck, card, unseen)])
    return [card for card in cards if not poor >> card & 1] or cards


def _is_beaten(deck: Deck, card: int, unseen: int) -> bool:
    """Return whether somebody else may have a better card of the same colour."""
    return bool(deck.colour[card] & deck.above[card] & unseen)


def standing(known: Known) -> tuple[int, int]:
    """Return the best card of the present trick, and whose it is."""
    at = taking(known.deck, known.trick)
    return known.trick[at], (known.leader + at) % SEATS
