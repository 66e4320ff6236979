"""The narrative of a finished game of poker: its events, with the hidden cards of some seats. Pure.

Cards that were never shown are revealed to their player alone (spec/poker.md A33, 8.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Event, Fold, Move, Show, Shown, State, Swap, TakenOut
from yawc_poker.games.poker.ui.speech import plain
from yawc_poker.table_ui import narrative as common
from yawc_poker.table_ui.narrative import PastRow, Retold, StoryLine
from yawc_poker.table_ui.speech import cards_text
from yawc_poker.words import Words, mark


def narrate(
    dealing: Dealing, actions: Sequence[Action], seats: Collection[int | None], words: Words
) -> Iterator[StoryLine]:
    """Return a game's story with the hidden cards of these seats. Raise what `engine.replay` raises."""

    def say(told: PastRow[State, Event]) -> Iterator[str]:
        event, name = told.row.event, told.row.name
        if not isinstance(event, Notice) and event.seat not in seats:
            event = rules.concealed(event)
        text = plain(event, name, words)
        if text:
            yield f"{text} ({cards_text(event.cards, words)})" if isinstance(event, Shown) else text

    return common.narrate(common.rows(rules, dealing, actions), say)


def consequences(dealing: Dealing, actions: Sequence[Action], words: Words) -> Iterator[tuple[int, str]]:
    """Return who was taken out, each with the number of the action that caused it. Raise what `narrate` raises."""

    def say(told: PastRow[State, Event]) -> Iterator[str]:
        if isinstance(told.row.event, TakenOut):
            yield plain(told.row.event, told.row.name, words)

    return common.consequences(common.rows(rules, dealing, actions), say)


def opened(dealing: Dealing, actions: Sequence[Action], seat: int | None) -> frozenset[str]:
    """Return all cards that this seat saw in a game: its own and those that were shown; None: only those shown.

    Raise what `narrate` raises.
    """
    seen: set[Card] = set()
    for _, step in replay(rules, dealing, actions):
        view = rules.view(step.state, seat)
        seen.update(view.hand or ())
        seen.update(card for one in view.opponents for card in one.cards or ())
    return frozenset(map(str, seen))


def hands_open(dealing: Dealing, actions: Sequence[Action], seat: int | None) -> list[frozenset[int]]:
    """Return whose hands are known behind each action to this seat in the end: those of known cards alone.

    Raise what `narrate` raises.
    """
    known = opened(dealing, actions, seat)
    hands = (rules.hands(step.state) for _, step in replay(rules, dealing, actions))
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


RETOLD: Final = Retold[Move](
    narrate, _described, consequences, opened, hands_open, told=_for_player, hope=mark("You win the pot")
)
