"""The narrative of a match of Offiziersskat, with all its cards. Pure.

Owns the sentences about the cards of a deal, tricks, and the cards that are turned up; `speech` owns all other
sentences. Nobody has cards that only they know, so everything is told to everybody once the match is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import (
    SEATS,
    Covered,
    Event,
    HandDealt,
    Move,
    Options,
    Played,
    State,
    TrickTaken,
)
from yawc_poker.games.offiziersskat.scoring import totals
from yawc_poker.games.offiziersskat.ui.speech import plain
from yawc_poker.table_ui.narrative import PastRow, Retold, Say, Standing, trick_told
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.words import Words, mark


def _telling(told: Sequence[PastRow[State, Event]], _: object, words: Words) -> Say[State, Event]:
    """Return what tells a match's story with all its cards."""
    trick: list[str] = []
    opened: dict[int, str] = {}
    whole = max((at for at, one in enumerate(told) if isinstance(one.row.event, TrickTaken)), default=-1)
    left = {one.row.number for one in told[whole + 1 :]}

    def say(one: PastRow[State, Event]) -> Iterator[str]:
        event, name = one.row.event, one.row.name
        match event:
            case Played():
                trick.append(f"{name} {card_text(event.card, words)}")
                if event.by_clock or one.row.number in left:
                    yield plain(event, name, words)
            case TrickTaken():
                yield trick_told(event.number, trick, name, event.eyes, words)
                trick.clear()
                yield from _turned(event, one.names, words)
            case HandDealt():
                opened[event.seat] = cards_text(event.cards, words)  # told with what lies below
            case Covered(cards=cards) if cards is not None:
                for seat, below in enumerate(cards):
                    yield words(
                        "{name} has {open}; below them lie {covered}.",
                        name=one.names[seat],
                        open=opened[seat],
                        covered=cards_text(below, words),
                    )
            case _:
                yield plain(event, name, words)

    return say


def _results(states: Iterator[State]) -> tuple[Standing, ...]:
    """Return the results of both players."""
    *_, last = states
    best, total = rules.won(last), totals(last.results)
    return tuple(
        Standing(
            seat=seat,
            rounds=tuple(result.points[seat] for result in last.results),
            total=total[seat],
            left=seat == last.forfeiter,
            lost=bool(best) and seat not in best,
            won=seat in best,
        )
        for seat in range(SEATS)
    )


def _consequence(told: PastRow[State, Event], words: Words) -> Iterator[str]:
    """Yield what the rules and the clock did."""
    event = told.row.event
    if not isinstance(event, HandDealt | Covered) and (not isinstance(event, Played) or event.by_clock):
        yield plain(event, told.row.name, words)


def _turned(event: TrickTaken, names: Sequence[str], words: Words) -> Iterator[str]:
    """Yield the cards that a trick has turned up."""
    turned = [f"{names[seat]} {card_text(card, words)}" for seat, card in enumerate(event.turned) if card is not None]
    if turned:
        yield words("Turned up: {cards}.", cards=", ".join(turned))


def _described(move: Move) -> str:
    """Return a move as `yawcctl history` prints it."""
    return f"plays {move.card}"


def _for_player(move: Move | None, words: Words) -> str:
    """Return a card that is played."""
    return "" if move is None else card_text(move.card, words)


RETOLD: Final = Retold[State, Move, Event, Options](
    rules,
    _telling,
    _described,
    _consequence,
    results=_results,
    counted="points",
    tricks=(TrickTaken,),
    told=_for_player,
    hope=mark("You win the round"),
)
