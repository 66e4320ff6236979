"""The narrative of a finished game of Mau-Mau: its events, with all their cards. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Event, Move, Options, State
from yawc_poker.games.maumau.standing import losers, winners
from yawc_poker.games.maumau.ui.speech import plain
from yawc_poker.table_ui.narrative import PastRow, Retold, Say, Standing
from yawc_poker.table_ui.speech import card_text, cards_text, suit_name
from yawc_poker.words import Words, mark


def _telling(_: object, __: object, words: Words) -> Say[State, Event]:
    """Return what tells a game's story with all its cards."""

    def say(told: PastRow[State, Event]) -> Iterator[str]:
        event, text = told.row.event, plain(told.row.event, told.row.name, words)
        took = isinstance(event, model.Took) and event.cards
        yield f"{text} ({cards_text(took, words)})" if took else text

    return say


def _results(states: Iterator[State]) -> tuple[Standing, ...]:
    """Return the results of all players."""
    *_, last = states
    players, over = last.players, rules.is_over(last)
    lost, won = (losers(players), winners(players)) if over else ((), ())
    return tuple(
        Standing(seat, one.points, one.total, one.forfeited, one in lost, one in won)
        for seat, one in zip(last.seats, players, strict=True)
    )


def _consequence(told: PastRow[State, Event], words: Words) -> Iterator[str]:
    """Yield rounds, points, losers and winners."""
    if isinstance(told.row.event, _VERDICTS):
        yield plain(told.row.event, told.row.name, words)


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


def _for_player(move: Move | None, words: Words) -> str:
    """Return a move in a word or two."""
    match move:
        case model.PlayCard(card):
            return card_text(card, words)
        case model.Wish(suit):
            return suit_name(suit, words)
        case model.Take() | None:
            return words("take")
        case model.Finish():
            return words("finish")


RETOLD: Final = Retold[State, Move, Event, Options](
    rules,
    _telling,
    _described,
    _consequence,
    results=_results,
    counted="points",
    told=_for_player,
    hope=mark("You are the first without cards"),
)
