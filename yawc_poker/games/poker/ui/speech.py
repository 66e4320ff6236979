"""Sentences about poker: log entries to lines of the message area (spec/poker.md 13). Pure.

Owns the sentences of poker's events and refusals. Never decides who reads them, with one exception of wording: a player
who was taken out reads `reason` instead of `sentence`.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from yawc_poker.cards import Rank
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.poker import model
from yawc_poker.games.poker.model import Event
from yawc_poker.games.poker.progress import SWAP_ROUND
from yawc_poker.table_ui import speech as common
from yawc_poker.table_ui.speech import COURT, cards_text
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words, mark

CATEGORIES = {
    model.Category.ROYAL_FLUSH: mark("Royal Flush"),
    model.Category.STRAIGHT_FLUSH: mark("Straight Flush"),
    model.Category.FOUR: mark("Four of a Kind"),
    model.Category.FULL_HOUSE: mark("Full House"),
    model.Category.FLUSH: mark("Flush"),
    model.Category.STRAIGHT: mark("Straight"),
    model.Category.THREE: mark("Three of a Kind"),
    model.Category.TWO_PAIRS: mark("Two Pair"),
    model.Category.PAIR: mark("One Pair"),
    model.Category.HIGH_CARD: mark("High Card"),
}

_ONE: Final = COURT | {
    Rank.TEN: mark("ten"),
    Rank.NINE: mark("nine"),
    Rank.EIGHT: mark("eight"),
    Rank.SEVEN: mark("seven"),
    Rank.SIX: mark("six"),
    Rank.FIVE: mark("five"),
}
_MANY: Final = {
    Rank.ACE: mark("aces"),
    Rank.KING: mark("kings"),
    Rank.QUEEN: mark("queens"),
    Rank.JACK: mark("jacks"),
    Rank.TEN: mark("tens"),
    Rank.NINE: mark("nines"),
    Rank.EIGHT: mark("eights"),
    Rank.SEVEN: mark("sevens"),
    Rank.SIX: mark("sixes"),
    Rank.FIVE: mark("fives"),
}
_HIGHEST: Final = frozenset({model.Category.STRAIGHT, model.Category.FLUSH, model.Category.STRAIGHT_FLUSH})
"""Named after their highest card."""
_ANY: Final = 1000
"""Room for every sentence."""


def category_name(category: model.Category, words: Words) -> str:
    """Return a category's name."""
    return words(CATEGORIES[category])


def hand_name(category: model.Category, ranks: Sequence[Rank], words: Words) -> str:
    """Return what a hand is called: ``One Pair (kings)``, ``Full House (sevens and queens)``, ``Flush (ace high)``."""
    after = named_after(category, ranks, words)
    return f"{category_name(category, words)} ({after})" if after else category_name(category, words)


def named_after(category: model.Category, ranks: Sequence[Rank], words: Words) -> str:
    """Return what a hand is named after: ``kings``, ``sevens and queens``, ``ace high``; empty: there is but one."""
    if not ranks:
        return ""
    if category == model.Category.HIGH_CARD:
        return words(_ONE[ranks[0]])
    if category in _HIGHEST:
        return words("{rank} high", rank=words(_ONE[ranks[0]]))
    first, *rest = (words(_MANY[rank]) for rank in ranks)
    return words("{first} and {second}", first=first, second=rest[0]) if rest else first


def sentence(entry: LogEntry[Event], words: Words) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour."""
    info = _info(entry.event, entry.name, words, common.ROOM)
    text = info or _system(entry.event, entry.name, words, common.ROOM)
    return common.line(entry, text, words, is_own=bool(info), loud=(model.Won,))


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as lines; none for what the screen shows in its own place: a hand, the round.

    Cards that somebody has changed are not told, not to themselves either: they see them.
    """
    match entry.event:
        case model.HandDealt() | model.NextRound():
            return ()
        case model.Swapped(seat=seat):
            return (sentence(replace(entry, event=model.Swapped(seat)), words),)
        case _:
            return (sentence(entry, words),)


def plain(event: Event | Notice, name: str, words: Words) -> str:
    """Return an event as one sentence, without a prefix; empty for a hand that is somebody else's."""
    return _info(event, name, words, _ANY) or _system(event, name, words, _ANY)


def _info(event: Event | Notice, name: str, words: Words, room: int) -> str:
    """Return what a player did, in `room` cells; empty if the system did it."""
    match event:
        case model.BetMade(amount=amount, see=False, chips=True):
            return words.count("{name} bets {n} chip.", "{name} bets {n} chips.", amount, name=name)
        case model.BetMade(amount=amount, chips=True):
            return words.count(
                "{name} bets {n} chip and wants to see the cards!",
                "{name} bets {n} chips and wants to see the cards!",
                amount,
                name=name,
            )
        case model.BetMade(amount=amount, see=False):
            return words.count("{name} bets {n} CUBE.", "{name} bets {n} CUBES.", amount, name=name)
        case model.BetMade(amount=amount):
            return words.count(
                "{name} bets {n} CUBE and wants to see the cards!",
                "{name} bets {n} CUBES and wants to see the cards!",
                amount,
                name=name,
            )
        case model.Passed():
            return words("{name} passes.", name=name)
        case model.Swapped(come=None):
            return words("{name} is done changing cards.", name=name)
        case model.Swapped(come=()):
            return words("{name} keeps all cards.", name=name)
        case model.Swapped(gone=gone, come=come):
            given, got = cards_text(gone or (), words), cards_text(come or (), words)
            return words("{name} gives {gone} for {come}.", name=name, gone=given, come=got)
        case model.Shown(auto=False):
            return _of_hand(event, name, words, room)
        case _:
            return common.person(event, name, words)


def _system(event: Event | Notice, name: str, words: Words, room: int) -> str:
    """Return what the system did, in `room` cells."""
    match event:
        case model.TakenOut(reason="time"):
            return words("{name} let the time pass and is out of the game.", name=name)
        case model.TakenOut(chips=True):
            return words("{name} has too few chips and is out of the hand.", name=name)
        case model.TakenOut():
            return words("{name} has too few CUBES and is out of the game.", name=name)
        case model.HandDealt(cards=None):
            return ""
        case model.HandDealt(cards=cards):
            return words("{name} is dealt {cards}.", name=name, cards=cards_text(cards or (), words))
        case model.NextRound(round=number):
            return round_name(number, words)
        case model.SwapMissed():
            return words("{name} let the time pass and keeps all cards.", name=name)
        case model.ShowdownBegins():
            return words("The showdown begins.")
        case model.Won(amount=amount, category=None, chips=True):
            return words("{name} wins {amount} chips as the only player left.", name=name, amount=amount)
        case model.Won(amount=amount, category=None):
            return words("{name} wins {amount} CUBES as the only player left.", name=name, amount=amount)
        case model.Shown() | model.Won():
            return _of_hand(event, name, words, room)
        case model.PotLost(amount=amount):
            return words("Nobody is active any more: {amount} CUBES go to the system.", amount=amount)
        case _:
            return common.system(event, name, words)


def _of_hand(event: model.Shown | model.Won, name: str, words: Words, room: int) -> str:
    """Return who shows a hand, or wins with it; without its ranks where that takes more than `room` cells."""
    if event.category is None:
        return ""
    names = (hand_name(event.category, event.ranks, words), category_name(event.category, words))
    long, short = (_with_hand(event, name, cards, words) for cards in names)
    return long if len(long) <= room else short


def _with_hand(event: model.Shown | model.Won, name: str, cards: str, words: Words) -> str:
    match event:
        case model.Won(amount=amount, chips=True):
            return words("{name} wins {amount} chips with {cards}!", name=name, amount=amount, cards=cards)
        case model.Won(amount=amount):
            return words("{name} wins {amount} CUBES with {cards}!", name=name, amount=amount, cards=cards)
        case model.Shown(auto=True):
            return words("{name} shows automatically: {cards}.", name=name, cards=cards)
        case model.Shown():
            return words("{name} shows: {cards}.", name=name, cards=cards)


def round_name(number: int, words: Words) -> str:
    """Return which round begins, in a sentence."""
    return words("Round 2: change cards.") if number == SWAP_ROUND else words("Round {n}.", n=number)


def reason(event: model.TakenOut, words: Words) -> str:
    """Return why players are out of the game, for themselves (6.2, 6.8)."""
    if event.reason == "time":
        return words("Your time is over: you are out of this game.")
    return words("You cannot pay the lowest bet: you are out of this game.")


def refusal(illegal: IllegalMove, words: Words) -> str:
    """Return why a command was refused."""
    match illegal.reason:
        case "bet_out_of_range":
            return out_of_range(illegal.values["low"], illegal.values["high"], words)
        case "too_many_cards":
            return too_many(words)
        case "not_enough":
            return words("You own only {cubes} CUBES.", cubes=illegal.values["cubes"])
        case "ante_gone":
            return words("Somebody cannot pay the ante any more; please try again.")
        case _:
            return common.refusal(illegal, model.SEATS, words)


def out_of_range(low: int, high: int, words: Words) -> str:
    """Return the limits of a bet, in CUBES."""
    if low == high:
        return words("You can only bet {n}: press ENTER.", n=low)
    return words("Please type a number from {low} to {high}.", low=low, high=high)


def too_many(words: Words) -> str:
    """Return how many cards may be exchanged."""
    return words("You may change three cards at most.")
