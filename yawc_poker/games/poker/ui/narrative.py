"""The narrative of a finished game of poker: its events, with the hidden cards of some seats. Pure.

Cards that were never shown are revealed to their player alone (spec/poker.md A33, 8.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.engine.events import Notice
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Event, Fold, Move, Options, Show, Shown, State, Swap, TakenOut
from yawc_poker.games.poker.ui.speech import plain
from yawc_poker.table_ui.narrative import PastRow, Retold, Say
from yawc_poker.table_ui.speech import cards_text
from yawc_poker.words import Words, mark


def _telling(_: object, seats: Collection[int | None], words: Words) -> Say[State, Event]:
    """Return what tells a game's story with the hidden cards of these seats."""

    def say(told: PastRow[State, Event]) -> Iterator[str]:
        event, name = told.row.event, told.row.name
        if not isinstance(event, Notice) and event.seat not in seats:
            event = rules.concealed(event)
        text = plain(event, name, words)
        if text:
            yield f"{text} ({cards_text(event.cards, words)})" if isinstance(event, Shown) else text

    return say


def _consequence(told: PastRow[State, Event], words: Words) -> Iterator[str]:
    """Yield who was taken out."""
    if isinstance(told.row.event, TakenOut):
        yield plain(told.row.event, told.row.name, words)


def _cards_open(states: Iterable[State], seat: int | None) -> frozenset[str]:
    """Return all cards that this seat saw in a game: its own and those that were shown; None: only those shown."""
    seen: set[Card] = set()
    for state in states:
        view = rules.view(state, seat)
        seen.update(view.hand or ())
        seen.update(card for one in view.opponents for card in one.cards or ())
    return frozenset(map(str, seen))


def _seats_open(states: Iterator[State], seat: int | None) -> list[frozenset[int]]:
    """Return whose hands are known behind each action to this seat in the end: those of known cards alone."""
    all_states = list(states)
    known, hands = _cards_open(all_states, seat), map(rules.hands, all_states)
    return [frozenset(at for at, hand in found.items() if known.issuperset(hand.split())) for found in hands]


def _described(move: Move) -> str:
    """Return a move as `yawcctl history` prints it."""
    match move:
        case Bet(amount, see):
            return f"bets {amount} and wants to see" if see else f"bets {amount}"
        case Fold():
            return "passes"
        case Swap(places):
            return f"changes {len(places)} {'card' if len(places) == 1 else 'cards'}"
        case Show():
            return "shows"


def _for_player(move: Move | None, words: Words) -> str:
    """Return a move in a word or two."""
    match move:
        case Bet(amount, see):
            return words("bet {n} and see", n=amount) if see else words("bet {n}", n=amount)
        case Fold() | None:
            return words("pass")
        case Swap(places):
            places_named = " ".join([str(place + 1) for place in places])
            return words("change cards {places}", places=places_named) if places else words("keep all cards")
        case Show():
            return words("show")


RETOLD: Final = Retold[State, Move, Event, Options](
    rules,
    _telling,
    _described,
    _consequence,
    _cards_open,
    _seats_open,
    told=_for_player,
    hope=mark("You win the pot"),
)
