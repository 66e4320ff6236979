"""The narrative of a match of Offiziersskat, with all its cards. Pure.

Owns the sentences about the cards of a deal, tricks, and the cards that are turned up; `speech` owns all other
sentences. Nobody has cards that only they know, so everything is told to everybody once the match is over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from yawc_poker.engine.game import Dealing, Step
from yawc_poker.engine.transcript import Action
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import SEATS, Event, HandDealt, Move, Played, RoundBegins, State, TrickTaken
from yawc_poker.games.offiziersskat.scoring import totals
from yawc_poker.games.offiziersskat.ui.speech import plain
from yawc_poker.table_ui import narrative as common
from yawc_poker.table_ui.narrative import Names, Retold, Standing, StoryLine
from yawc_poker.table_ui.speech import card_text, cards_text, trick_text
from yawc_poker.words import Words


def narrate(
    dealing: Dealing, actions: Sequence[Action], _: Collection[int | None], words: Words
) -> Iterator[StoryLine]:
    """Return a match's story with all its cards. Raise what `engine.replay` raises."""
    last = common.last_state(rules, dealing, actions)

    def say(step: Step[State, Event], names: Names) -> Iterator[str]:
        for event in step.events:
            if not isinstance(event, Played) or event.by_clock or _is_left(step.state, last):
                yield from _told(event, step.state, names, words)

    return common.narrate(rules, dealing, actions, say, lambda notice, name: plain(notice, name, words))


def standings(dealing: Dealing, actions: Sequence[Action]) -> tuple[Standing, ...]:
    """Return the results of both players. Raise what `narrate` raises."""
    last = common.last_state(rules, dealing, actions)
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


def consequences(dealing: Dealing, actions: Sequence[Action], words: Words) -> Iterator[tuple[int, str]]:
    """Return what the rules and the clock did, each with its action's number. Raise what `narrate` raises."""

    def say(event: Event, name: str) -> str:
        if isinstance(event, HandDealt) or (isinstance(event, Played) and not event.by_clock):
            return ""
        return plain(event, name, words)

    return common.consequences(rules, dealing, actions, say)


def _is_left(state: State, last: State) -> bool:
    """Return whether the present trick is the one that was never completed."""
    moments = {(one.round.number, len(one.round.tricks)) for one in (state, last)}
    return len(moments) == 1 and bool(state.round.trick) and bool(last.round.trick)


def _told(event: Event, state: State, names: Names, words: Words) -> Iterator[str]:
    """Yield the sentences of an event."""
    if isinstance(event, TrickTaken):
        yield from _trick(event, state, names, words)
        return
    if isinstance(event, HandDealt):
        return  # told with what lies below
    yield plain(event, "" if event.seat is None else names.get(event.seat, ""), words)
    if isinstance(event, RoundBegins):
        yield from _dealt(state, names, words)


def _dealt(state: State, names: Names, words: Words) -> Iterator[str]:
    """Yield the cards of both sides of a fresh round, place by place."""
    for seat, player in enumerate(state.players):
        yield words(
            "{name} has {open}; below them lie {covered}.",
            name=names.get(seat, ""),
            open=cards_text((place.open for place in player.places if place.open is not None), words),
            covered=cards_text((place.covered for place in player.places if place.covered is not None), words),
        )


def _trick(event: TrickTaken, state: State, names: Names, words: Words) -> Iterator[str]:
    """Yield a trick, which is the former round's if it was the last one, and the cards that it has turned up."""
    tricks = state.round.tricks
    trick = tricks[event.number - 1] if event.number <= len(tricks) else state.round.former
    assert trick is not None, "a trick that was taken and is not there"
    yield words(
        "Trick {n}: {cards}; {name} takes {eyes} eyes.",
        n=event.number,
        cards=trick_text(trick.cards, trick.leader, SEATS, lambda place: names.get(place, ""), words),
        name=names.get(event.seat, ""),
        eyes=event.eyes,
    )
    turned = [
        f"{names.get(seat, '')} {card_text(card, words)}" for seat, card in enumerate(event.turned) if card is not None
    ]
    if turned:
        yield words("Turned up: {cards}.", cards=", ".join(turned))


def _described(move: Move) -> str:
    """Return a move as `yawcctl history` prints it."""
    return f"plays {move.card}"


RETOLD: Final = Retold[Move](narrate, _described, consequences, standings=standings, counted="points")
