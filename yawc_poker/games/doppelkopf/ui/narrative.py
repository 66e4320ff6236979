"""The narrative of a match of Doppelkopf, with all cards of the rounds that were played to their end. Pure.

Owns the sentences about cards that were hidden during a round, and the score line by line; `speech` owns all other
sentences. The hands of a round that was broken off stay hidden from all but their players.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from yawc_poker.engine.game import Dealing, Step
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action, Dealt
from yawc_poker.games.doppelkopf import events, model, rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import Move, State
from yawc_poker.games.doppelkopf.scoring import totals, winners
from yawc_poker.games.doppelkopf.teams import played_by
from yawc_poker.games.doppelkopf.ui.speech import item_text, plain, result_name, signed
from yawc_poker.table_ui import narrative as common
from yawc_poker.table_ui.narrative import Names, Retold, Standing, StoryLine
from yawc_poker.table_ui.speech import trick_text
from yawc_poker.words import Words


def narrate(
    dealing: Dealing, actions: Sequence[Action], seats: Collection[int | None], words: Words
) -> Iterator[StoryLine]:
    """Return a match's story, with the cards of these seats where its last round was broken off.

    Raise what `engine.replay` raises.
    """
    last = common.last_state(rules, dealing, actions)
    players = _players(actions[0])

    def say(step: Step[State, Event], names: Names) -> Iterator[str]:
        for event in step.events:
            is_whole = step.state.round.number <= len(last.results)
            shown = range(model.SEATS) if is_whole else [seat for seat in seats if seat is not None]
            if not isinstance(event, events.Played) or event.by_clock or _is_left(step.state, last):
                yield from _told(event, step.state, shown, players, words)

    return common.narrate(rules, dealing, actions, say, lambda notice, name: plain(notice, name, words))


def consequences(dealing: Dealing, actions: Sequence[Action], words: Words) -> Iterator[tuple[int, str]]:
    """Return what the rules and the clock did, each with its action's number. Raise what `narrate` raises."""
    for action, step in replay(rules, dealing, actions):
        players = _players(actions[0])
        for event in step.events:
            if isinstance(event, events.TrickTaken):
                yield action.number, plain(event, _name(event, players), words)
            elif not isinstance(event, events.Spoke | events.Named | events.Played | events.Answered) or event.by_clock:
                for text in _told(event, step.state, range(model.SEATS) if action.number else (), players, words):
                    yield action.number, text


def opened(dealing: Dealing, actions: Sequence[Action], seat: int | None) -> tuple[str, ...]:
    """Return the cards of the first deal that this seat may see for good; None: those that everybody may.

    All cards are open once all rounds are played to their end: then the secret is, too, from which every deal follows.
    A match that was broken off in its first round opens what was played; in a later one, the secret would give away
    the hands, so everybody is left with their own cards. Raise what `narrate` raises.
    """
    first = next(step.state for _, step in replay(rules, dealing, actions))
    last = common.last_state(rules, dealing, actions)
    own = () if seat is None or seat >= model.SEATS else first.players[seat].hand
    if not any(player.hand for player in last.players):
        return tuple(map(str, model.CARDS))
    if last.results:
        return tuple(map(str, own))
    played = [card for place in range(model.SEATS) if place != seat for card in played_by(last.round, place)]
    return tuple(map(str, (*own, *played)))


def standings(dealing: Dealing, actions: Sequence[Action]) -> tuple[Standing, ...]:
    """Return the results of all players. Raise what `narrate` raises."""
    last = common.last_state(rules, dealing, actions)
    best, total = winners(last.results) if rules.is_over(last) else (), totals(last.results)
    return tuple(
        Standing(
            seat=place,
            rounds=tuple(result.points[place] for result in last.results),
            total=total[place],
            left=player.gone,
            lost=False,
            won=place in best,
        )
        for place, player in enumerate(last.players)
    )


def _players(deal: Action) -> Names:
    """Return the names of those who play, by place; others may sit in their seats later."""
    return {person.seat: person.name for person in msgspec.json.decode(deal.detail, type=Dealt).people}


def _is_left(state: State, last: State) -> bool:
    """Return whether the present trick is the one that was never completed."""
    moments = {(one.round.number, len(one.round.tricks), bool(one.round.trick)) for one in (state, last)}
    return len(moments) == 1 and bool(last.round.trick)


def _told(event: Event, state: State, shown: Iterable[int], players: Names, words: Words) -> Iterator[str]:
    """Yield the sentences of an event, with the hands of the seats that are shown."""
    if isinstance(event, events.TrickTaken):
        yield _trick(event, state, players, words)
        return
    if isinstance(event, events.HandDealt) and event.place not in shown:
        return
    yield plain(event, _name(event, players), words)
    if isinstance(event, events.RoundOver):
        yield from _score(event.result, players, words)


def _name(event: Event, players: Names) -> str:
    """Return the name of the player at a place; those who have left are still named."""
    if isinstance(event, events.RoundOver | events.MatchOver) or event.place is None:
        return ""
    return players.get(event.place, "")


def _trick(event: events.TrickTaken, state: State, players: Names, words: Words) -> str:
    """Return a trick in one sentence; the last one of a round is kept in the next."""
    tricks = state.round.tricks
    trick = tricks[event.number - 1] if event.number <= len(tricks) else state.round.former
    assert trick is not None, "a trick that was taken and is not there"
    return words(
        "Trick {n}: {cards}; {name} takes {eyes} eyes.",
        n=event.number,
        cards=trick_text(trick.cards, trick.leader, model.SEATS, lambda place: players.get(place, ""), words),
        name=players.get(event.place, ""),
        eyes=event.eyes,
    )


def _score(result: model.Result, players: Names, words: Words) -> Iterator[str]:
    """Yield what was played by whom, and what each line of the score is worth."""
    names = ", ".join(players.get(place, "") for place in result.re)
    yield words("Played: {game}; Re: {names}.", game=result_name(result, words), names=names)
    items = ", ".join(f"{item_text(item, words)} {signed(item.points)}" for item in result.items)
    if items:
        yield words("Score: {items}.", items=items)


def _described(move: Move) -> str:
    """Return a move as `yawcctl history` prints it."""
    match move:
        case model.Healthy():
            return "says healthy"
        case model.Reserve():
            return "says reservation"
        case model.PlaySolo(kind):
            return f"declares a solo: {kind}"
        case model.NoSolo():
            return "declares a wedding"
        case model.PlayCard(card):
            return f"plays {card}"
        case model.Call(level):
            return _CALLS[level]
        case model.GoOn(yes):
            return "wants to go on" if yes else "wants to stop"


_CALLS: Final = {
    "team": "announces the own team",
    "no90": "calls no 90",
    "no60": "calls no 60",
    "no30": "calls no 30",
    "black": "calls black",
}


RETOLD: Final = Retold[Move](narrate, _described, consequences, opened, standings, counted="points")
