"""The narrative of a finished game of Mau-Mau, with all its cards. Pure.

Owns the sentences about cards that were hidden from others during the game: those dealt and those taken. `speech` owns
all other sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.engine.game import Dealing, Step
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Event, Move, State
from yawc_poker.games.maumau.standing import losers, winners
from yawc_poker.games.maumau.ui.speech import plain
from yawc_poker.table_ui import narrative as common
from yawc_poker.table_ui.narrative import Names, Retold, Standing, StoryLine
from yawc_poker.table_ui.speech import card_label
from yawc_poker.words import Words


def narrate(
    dealing: Dealing, actions: Sequence[Action], _: Collection[int | None], words: Words
) -> Iterator[StoryLine]:
    """Return a game's story with all its cards. Raise what `engine.replay` raises."""

    def say(before: State | None, step: Step[State, Event], is_deal: bool, names: Names) -> Iterator[str]:
        for event in step.events:
            name = "" if event.seat is None else names.get(event.seat, "")
            yield _sentence(event, name, before, step.state, words)
            if isinstance(event, model.RoundBegins):
                for seat, cards in rules.hands(step.state).items():
                    yield words("{name} is dealt {cards}.", name=names.get(seat, ""), cards=cards)

    return common.narrate(rules, dealing, actions, say, lambda notice, name: plain(notice, name, words))


def standings(dealing: Dealing, actions: Sequence[Action]) -> tuple[Standing, ...]:
    """Return the results of all players. Raise what `narrate` raises."""
    *_, (_, last) = replay(rules, dealing, actions)
    players, over = last.state.players, rules.is_over(last.state)
    lost, won = (losers(players), winners(players)) if over else ((), ())
    return tuple(
        Standing(seat, one.points, one.total, one.forfeited, one in lost, one in won)
        for seat, one in zip(last.state.seats, players, strict=True)
    )


def consequences(dealing: Dealing, actions: Sequence[Action], words: Words) -> Iterator[tuple[int, str]]:
    """Return rounds, points, losers and winners, each with its action's number. Raise what `narrate` raises."""
    return common.consequences(
        rules, dealing, actions, lambda event, name: plain(event, name, words) if isinstance(event, _VERDICTS) else ""
    )


def _described(move: Move) -> str:
    """Return a move as `yawcctl history` prints it."""
    match move:
        case model.PlayCard(card):
            return f"lays {card}"
        case model.Take(number):
            return f"takes {number} {'card' if number == 1 else 'cards'}"
        case model.Wish(suit):
            return f"wishes for {suit.name.lower()}"
        case model.Finish():
            return "lays all jacks"


_VERDICTS = (model.RoundBegins, model.RoundOver, model.Scored, model.Lost, model.Forfeited, model.Won, model.GaveUp)


def _sentence(event: Event, name: str, before: State | None, after: State, words: Words) -> str:
    match event:
        case model.Took(seat=seat, count=count) if count:
            had = _hand(before, seat)
            come = [card_label(card, words) for card in _hand(after, seat) if card not in had]
            return f"{plain(event, name, words)} ({' '.join(come)})"
        case _:
            return plain(event, name, words)


def _hand(state: State | None, seat: int) -> tuple[Card, ...]:
    place = None if state is None else rules.place_of(state, seat)
    return () if state is None or place is None else state.players[place].hand


RETOLD: Final = Retold[Move](narrate, _described, consequences, standings=standings, counted="points")
