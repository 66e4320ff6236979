"""The narrative of a match of Doppelkopf, with all cards of the rounds that were played to their end. Pure.

Owns the sentences about cards that were hidden during a round, and the score line by line; `speech` owns all other
sentences. The hands of a round that was broken off stay hidden from all but their players.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from yawc_poker.games.doppelkopf import events, model, rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import Move, Options, State
from yawc_poker.games.doppelkopf.scoring import totals, winners
from yawc_poker.games.doppelkopf.teams import played_by
from yawc_poker.games.doppelkopf.ui.speech import call_name, item_text, kind_name, plain, result_name, signed
from yawc_poker.table_ui.narrative import PastRow, Retold, Say, Standing, trick_told
from yawc_poker.table_ui.speech import card_text
from yawc_poker.words import Words, mark


def _telling(told: Sequence[PastRow[State, Event]], seats: Collection[int | None], words: Words) -> Say[State, Event]:
    """Return what tells a match's story, with the cards of these seats where its last round was broken off."""
    rounds = sum(isinstance(one.row.event, events.RoundOver) for one in told)
    trick: list[str] = []
    whole = max((at for at, one in enumerate(told) if isinstance(one.row.event, events.TrickTaken)), default=-1)
    left = {one.row.number for one in told[whole + 1 :]}

    def say(one: PastRow[State, Event]) -> Iterator[str]:
        event, name = one.row.event, one.row.name
        match event:
            case events.HandDealt(place=place) if one.state.round.number > rounds and place not in seats:
                pass
            case events.Played():
                trick.append(f"{name} {card_text(event.card, words)}")
                if event.by_clock or one.row.number in left:
                    yield plain(event, name, words)
            case events.TrickTaken():
                yield trick_told(event.number, trick, name, event.eyes, words)
                trick.clear()
            case _:
                yield from _sentences(one, words)

    return say


def _consequence(told: PastRow[State, Event], words: Words) -> Iterator[str]:
    """Yield what the rules and the clock did."""
    match told.row.event:
        case events.Spoke() | events.Named() | events.Played() | events.Answered() as move if not move.by_clock:
            pass
        case events.HandDealt() if told.action.number == 0:
            pass  # CARDS has them
        case _:
            yield from _sentences(told, words)


def _cards_open(states: Iterator[State], seat: int | None) -> tuple[str, ...]:
    """Return the cards of the first deal that this seat may see for good; None: those that everybody may.

    All cards are open once all rounds are played to their end: then the secret is, too, from which every deal follows.
    A match that was broken off in its first round opens what was played; in a later one, the secret would give away
    the hands, so everybody is left with their own cards.
    """
    first, *later = states
    last = later[-1] if later else first
    own = () if seat is None or seat >= model.SEATS else first.players[seat].hand
    if not any(player.hand for player in last.players):
        return tuple(map(str, model.CARDS))
    if last.results:
        return tuple(map(str, own))
    played = [card for place in range(model.SEATS) if place != seat for card in played_by(last.round, place)]
    return tuple(map(str, (*own, *played)))


def _results(states: Iterator[State]) -> tuple[Standing, ...]:
    """Return the results of all players."""
    *_, last = states
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


def _seats_open(states: Iterator[State], _: object) -> list[range]:
    """Return whose hands are open behind each action: everybody's, in a round that was played to its end."""
    played = list(states)
    whole = len(played[-1].results)
    return [range(model.SEATS if state.round.number <= whole else 0) for state in played]


def _sentences(told: PastRow[State, Event], words: Words) -> Iterator[str]:
    """Yield a row, and the score of a round line by line."""
    yield plain(told.row.event, told.row.name, words)
    if isinstance(told.row.event, events.RoundOver):
        yield from _score(told.row.event.result, told.names, words)


def _score(result: model.Result, names: Sequence[str], words: Words) -> Iterator[str]:
    """Yield what was played by whom, and what each line of the score is worth."""
    players = ", ".join(names[place] for place in result.re)
    yield words("Played: {game}; Re: {names}.", game=result_name(result, words), names=players)
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


def _for_player(move: Move | None, words: Words) -> str:
    """Return a move in a word or two."""
    match move:
        case model.PlayCard(card):
            return card_text(card, words)
        case model.Call("team"):
            return words("announce your team")
        case model.Call(level):
            return call_name("re", level, words)
        case model.Healthy():
            return words("healthy")
        case model.Reserve() | model.NoSolo():
            return words("a reservation")
        case model.PlaySolo(kind):
            return kind_name(kind, words)
        case model.GoOn(yes):
            return words("go on") if yes else words("stop")
        case None:
            return words("say nothing")


RETOLD: Final = Retold[State, Move, Event, Options](
    rules,
    _telling,
    _described,
    _consequence,
    _cards_open,
    _seats_open,
    _results,
    "points",
    (events.TrickTaken,),
    told=_for_player,
    hope=mark("Your side wins the round"),
)
