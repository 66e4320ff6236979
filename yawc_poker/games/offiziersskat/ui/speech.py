"""Sentences about Offiziersskat: log entries to lines of the message area. Pure.

A card that is played is seen on the screen, so it is told only where the clock has played it.
"""

from typing import Final

from yawc_poker.cards import Rank, Suit
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.offiziersskat import model, rules
from yawc_poker.games.offiziersskat.model import Event
from yawc_poker.games.offiziersskat.ui.choices import terms
from yawc_poker.table_ui import speech as common
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words

_LOUD: Final = (model.RoundOver, model.Won, model.Drawn, model.Forfeited)


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as lines for those at the table; none for cards that are seen: dealt, or played by players."""
    match entry.event:
        case model.HandDealt() | model.Covered() | model.Played(by_clock=False):
            return ()
        case _:
            return witnessed(entry, words)


def witnessed(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as lines for a by-stander, who does not see the trick: one, and below it what was chosen."""
    return common.with_terms(sentence(entry, words), entry.event, lambda text: terms(rules.read_options(text), words))


def sentence(entry: LogEntry[Event], words: Words) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour."""
    event, name = entry.event, entry.name
    is_own = (isinstance(event, model.Played) and not event.by_clock) or bool(common.person(event, name, words))
    return common.line(entry, plain(event, name, words), words, is_own=is_own, loud=_LOUD)


def plain(event: Event | Notice, name: str, words: Words) -> str:
    """Return an event as one sentence, without a prefix."""
    match event:
        case model.Played(card=card, by_clock=by_clock):
            played = words("{name} plays {card}.", name=name, card=common.card_text(card, words))
            return words("The time is over: {what}", what=played) if by_clock else played
        case model.HandDealt(cards=cards):
            return words("{name} has {cards} open.", name=name, cards=common.cards_text(cards, words))
        case model.Covered():
            return words("Below each open card lies a covered one.")
        case model.RoundBegins(round=number, trump=None):
            return words("Round {n} is a Grand; {name} leads.", n=number, name=name)
        case model.RoundBegins(round=number, trump=suit):
            return words("Round {n}: trump is {suit}; {name} leads.", n=number, suit=trump_name(suit, words), name=name)
        case model.TrickTaken(number=number, eyes=eyes):
            return words("{name} takes trick {n} with {eyes} eyes.", name=name, n=number, eyes=eyes)
        case _:
            return _result(event, name, words) or common.person(event, name, words) or common.system(event, name, words)


def _result(event: Event | Notice, name: str, words: Words) -> str:
    """Return how a round or a match has ended; empty for other events."""
    match event:
        case model.RoundOver(seat=None, round=number):
            return words("Round {n} is a draw: both have {eyes} eyes.", n=number, eyes=model.ALL_EYES // model.SEATS)
        case model.RoundOver(round=number):
            return words("{name} wins round {n}.", name=name, n=number)
        case model.Scored(eyes=eyes, points=points, total=total):
            return words.count(
                "{name}: {eyes} eyes, {n} point, {total} in all.",
                "{name}: {eyes} eyes, {n} points, {total} in all.",
                points,
                name=name,
                eyes=eyes,
                total=total,
            )
        case model.Won(forfeited=True):
            return words("{name} wins the match, as the other player has left.", name=name)
        case model.Won(points=points):
            return words.count(
                "{name} wins the match with {n} point.", "{name} wins the match with {n} points.", points, name=name
            )
        case model.Drawn(points=points):
            return words.count(
                "The match is a draw: both have {n} point.", "The match is a draw: both have {n} points.", points
            )
        case model.Forfeited():
            return words("{name} has left the running match and loses it.", name=name)
        case _:
            return ""


def trump_name(trump: Suit | None, words: Words) -> str:
    """Return the trump suit with its sign, or Grand."""
    return words("Grand") if trump is None else common.suit_name(trump, words)


def trump_sign(trump: Suit | None, words: Words) -> str:
    """Return the sign of the trump suit; for Grand it is the letter of the jacks."""
    return common.rank_text(Rank.JACK, words) if trump is None else common.suit_sign(trump, words)


def refusal(illegal: IllegalMove, words: Words) -> str:
    """Return why a command was refused."""
    return common.trick_refusal(illegal, words) or common.refusal(illegal, model.SEATS, words)
