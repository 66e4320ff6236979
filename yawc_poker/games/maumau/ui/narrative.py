"""The narrative of a finished game of Mau-Mau: its events, with all their cards. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from yawc_poker.engine.game import Dealing, Step
from yawc_poker.engine.transcript import Action
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Event, Move, State
from yawc_poker.games.maumau.standing import losers, winners
from yawc_poker.games.maumau.ui.speech import plain
from yawc_poker.table_ui import narrative as common
from yawc_poker.table_ui.narrative import Names, Retold, Standing, StoryLine
from yawc_poker.table_ui.speech import cards_label
from yawc_poker.words import Words


def narrate(
    dealing: Dealing, actions: Sequence[Action], _: Collection[int | None], words: Words
) -> Iterator[StoryLine]:
    """Return a game's story with all its cards. Raise what `engine.replay` raises."""

    def say(step: Step[State, Event], names: Names) -> Iterator[str]:
        for event in step.events:
            yield _sentence(event, "" if event.seat is None else names.get(event.seat, ""), words)

    return common.narrate(rules, dealing, actions, say, lambda notice, name: plain(notice, name, words))


def standings(dealing: Dealing, actions: Sequence[Action]) -> tuple[Standing, ...]:
    """Return the results of all players. Raise what `narrate` raises."""
    last = common.last_state(rules, dealing, actions)
    players, over = last.players, rules.is_over(last)
    lost, won = (losers(players), winners(players)) if over else ((), ())
    return tuple(
        Standing(seat, one.points, one.total, one.forfeited, one in lost, one in won)
        for seat, one in zip(last.seats, players, strict=True)
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


def _sentence(event: Event, name: str, words: Words) -> str:
    text = plain(event, name, words)
    return f"{text} ({cards_label(event.cards, words)})" if isinstance(event, model.Took) and event.cards else text


RETOLD: Final = Retold[Move](narrate, _described, consequences, standings=standings, counted="points")
