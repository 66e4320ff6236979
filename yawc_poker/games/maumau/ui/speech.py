"""Sentences about Mau-Mau: log entries to lines of the message area. Pure."""

from typing import Final

from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Event
from yawc_poker.games.maumau.ui.choices import terms
from yawc_poker.table_ui import speech as common
from yawc_poker.table_ui.speech import card_text, cards_text, suit_name
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words

_LOUD: Final = (model.RoundOver, model.Lost, model.Forfeited, model.Won, model.GaveUp)


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as lines: a choice is followed by the options; none for a hand, which is seen."""
    if isinstance(entry.event, model.HandDealt):
        return ()
    return common.with_terms(sentence(entry, words), entry.event, lambda text: terms(rules.read_options(text), words))


def sentence(entry: LogEntry[Event], words: Words) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour."""
    event, name = entry.event, entry.name
    is_own = not _is_by_clock(event) and bool(_info(event, name, words))
    return common.line(entry, plain(event, name, words), words, is_own=is_own, loud=_LOUD)


def plain(event: Event | Notice, name: str, words: Words) -> str:
    """Return an event as one sentence, without a prefix."""
    info = "" if _is_by_clock(event) else _info(event, name, words)
    return info or _system(event, name, words)


def _is_by_clock(event: Event | Notice) -> bool:
    return isinstance(event, model.Played | model.Took | model.Wished) and event.by_clock


def _info(event: Event | Notice, name: str, words: Words) -> str:
    """Return what a player did; empty if the system did it."""
    match event:
        case model.Played(card=card):
            return words("{name} lays {card}.", name=name, card=card_text(card, words))
        case model.Took(count=0):
            return words("{name} finds the stock empty.", name=name)
        case model.Took(count=count, penalty=True):
            return words("{name} takes {n} cards for the sevens.", name=name, n=count)
        case model.Took():
            return words("{name} takes a card.", name=name)
        case model.Wished(suit=suit):
            return words("{name} wishes for {suit}.", name=name, suit=suit_name(suit, words))
        case model.Finished():
            return words("{name} lays all the jacks at once!", name=name)
        case _:
            return common.person(event, name, words)


def _system(event: Event | Notice, name: str, words: Words) -> str:
    """Return what the system did."""
    match event:
        case model.Played(by_clock=True) | model.Took(by_clock=True) | model.Wished(by_clock=True):
            return words("The time is over: {what}", what=_info(event, name, words))
        case model.RoundBegins(round=number, rounds=rounds, up=card):
            return words(
                "Round {n} of {rounds}: {name} begins, {card} lies open.",
                n=number,
                rounds=rounds,
                name=name,
                card=card_text(card, words),
            )
        case model.HandDealt(cards=None, count=count):
            return words.count("{name} is dealt {n} card.", "{name} is dealt {n} cards.", count, name=name)
        case model.HandDealt(cards=cards):
            return words("{name} is dealt {cards}.", name=name, cards=cards_text(cards or (), words))
        case model.Skipped():
            return words("{name} misses a turn.", name=name)
        case model.Reshuffled(top=card):
            return words(
                "The pile is shuffled and becomes the new stock; {card} stays on top.", card=card_text(card, words)
            )
        case model.RoundOver(round=number):
            return words("{name} has no card left and wins round {n}.", name=name, n=number)
        case model.Scored(points=points, total=total):
            return words("{name}: {points} points, {total} in all.", name=name, points=points, total=total)
        case model.Lost(points=points):
            return words("{name} has the most points, {points}, and loses.", name=name, points=points)
        case model.Forfeited():
            return words("{name} has left the running game and loses it.", name=name)
        case model.Won(points=points):
            return words("{name} wins the game with {points} points.", name=name, points=points)
        case model.GaveUp():
            return words("{name} is the only one left and wins the game.", name=name)
        case _:
            return common.system(event, name, words)


def refusal(illegal: IllegalMove, words: Words) -> str:
    """Return why a command was refused."""
    match illegal.reason:
        case "does_not_fit":
            return words("That card does not fit.")
        case "drawn_card":
            return words("Only the card you have just taken may be laid.")
        case "play_seven":
            return words("You hold a seven: it must be laid.")
        case "take_first":
            return words("Take {n} cards first.", n=illegal.values["count"])
        case "must_play":
            return words("You hold a card that fits: it must be laid.")
        case "must_wish":
            return words("Wish for a suit first.")
        case "other_cards":
            return words("You still hold cards other than jacks.")
        case _:
            return common.refusal(illegal, model.SEATS, words)


def open_card(game: model.View, words: Words) -> str:
    """Return what must be followed: the top card, with a wish or the cards to take."""
    top = card_text(game.top, words)
    if game.penalty:
        return words("{card}   take {n}!", card=top, n=game.penalty)
    return top if game.suit is None else words("{card}   wish: {suit}", card=top, suit=suit_name(game.suit, words))


def bad_rounds(most: int, words: Words) -> str:
    """Return how many rounds a game may have."""
    return words("Please type a number from {low} to {high}.", low=1, high=most)
