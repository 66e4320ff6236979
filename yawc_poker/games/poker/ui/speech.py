"""Sentences about poker: log entries to lines of the message area (spec/poker.md 13). Pure.

Owns the sentences of poker's events and refusals. Never decides who reads them, with one exception of wording: a player
who was taken out reads `reason` instead of `sentence`.
"""

from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Chat, DealtBy, LogEntry, Notice
from yawc_poker.games.poker.model import (
    SEATS,
    BetMade,
    Category,
    Event,
    Passed,
    PotLost,
    ShowdownBegins,
    Shown,
    SwapMissed,
    Swapped,
    TakenOut,
    Won,
)
from yawc_poker.table_ui import speech as common
from yawc_poker.table_ui.speech import INFO, SYSTEM
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words, mark

CATEGORIES = {
    Category.ROYAL_FLUSH: mark("Royal Flush"),
    Category.STRAIGHT_FLUSH: mark("Straight Flush"),
    Category.FOUR: mark("Four of a Kind"),
    Category.FULL_HOUSE: mark("Full House"),
    Category.FLUSH: mark("Flush"),
    Category.STRAIGHT: mark("Straight"),
    Category.THREE: mark("Three of a Kind"),
    Category.TWO_PAIRS: mark("Two Pair"),
    Category.PAIR: mark("One Pair"),
    Category.HIGH_CARD: mark("High Card"),
}


def category_name(category: Category, words: Words) -> str:
    """Return a category's name."""
    return words(CATEGORIES[category])


def sentence(entry: LogEntry[Event], words: Words) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour."""
    event, name = entry.event, entry.name
    if isinstance(event, Chat):
        return f"[{name}] {event.text}", Style.PLAIN
    info = _info(event, name, words)
    if info:
        return f"{INFO} {info}", Style.CYAN
    return f"{SYSTEM} {_system(event, name, words)}", Style.BOLD if isinstance(event, Won) else Style.YELLOW


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as one line or several: a game's seal is followed by the players' words."""
    line = sentence(entry, words)
    more = common.word_lines(entry.event.words, words) if isinstance(entry.event, DealtBy) else ()
    return (line, *((f"{SYSTEM} {text}", line[1]) for text in more))


def plain(event: Event | Notice, name: str, words: Words) -> str:
    """Return an event as one sentence, without a prefix."""
    return _info(event, name, words) or _system(event, name, words)


def _info(event: Event | Notice, name: str, words: Words) -> str:
    """Return what a player did; empty if the system did it."""
    match event:
        case BetMade(amount=amount, see=False):
            return words.count("{name} bets {n} CUBE.", "{name} bets {n} CUBES.", amount, name=name)
        case BetMade(amount=amount):
            return words.count(
                "{name} bets {n} CUBE and wants to see the cards!",
                "{name} bets {n} CUBES and wants to see the cards!",
                amount,
                name=name,
            )
        case Passed():
            return words("{name} passes.", name=name)
        case Swapped():
            return words("{name} is done changing cards.", name=name)
        case Shown(category=category, auto=False):
            return words("{name} shows: {cards}.", name=name, cards=category_name(category, words))
    return common.person(event, name, words)


def _system(event: Event | Notice, name: str, words: Words) -> str:
    """Return what the system did."""
    match event:
        case TakenOut(reason="time"):
            return words("{name} let the time pass and is out of the game.", name=name)
        case TakenOut():
            return words("{name} has too few CUBES and is out of the game.", name=name)
        case SwapMissed():
            return words("{name} let the time pass and keeps all cards.", name=name)
        case Shown(category=category):
            cards = category_name(category, words)
            return words("{name} shows automatically: {cards}.", name=name, cards=cards)
        case ShowdownBegins():
            return words("The showdown begins.")
        case Won(amount=amount, category=None):
            return words("{name} wins {amount} CUBES as the only player left.", name=name, amount=amount)
        case Won(amount=amount, category=category) if category is not None:
            cards = category_name(category, words)
            return words("{name} wins {amount} CUBES with {cards}!", name=name, amount=amount, cards=cards)
        case PotLost(amount=amount):
            return words("Nobody is active any more: {amount} CUBES go to the system.", amount=amount)
    return common.system(event, name, words)


def reason(event: TakenOut, words: Words) -> str:
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
    return common.refusal(illegal, SEATS, words) or words("That is not possible now.")


def out_of_range(low: int, high: int, words: Words) -> str:
    """Return the limits of a bet, in CUBES."""
    if low == high:
        return words("You can only bet {n}: press ENTER.", n=low)
    return words("Please type a number from {low} to {high}.", low=low, high=high)


def too_many(words: Words) -> str:
    """Return how many cards may be exchanged."""
    return words("You may change three cards at most.")
