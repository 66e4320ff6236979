"""The course of Offiziersskat: the consequences of a legal move, up to the next one (spec/offiziersskat.md 2, 4 to 6).

Every function takes a state in which the move is legal, adds its events to `log`, and returns the state in which the
next player has been asked for a card, or in which the match is over.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from yawc_poker.cards import Card
from yawc_poker.engine.sealing import permutation
from yawc_poker.games.offiziersskat import model
from yawc_poker.games.offiziersskat.model import Event, Round, State
from yawc_poker.games.offiziersskat.scoring import other, result, totals, winner
from yawc_poker.games.offiziersskat.trumps import drawn_trump, order_of
from yawc_poker.tricks import eyes, playable, played

Log = list[Event]

# --- a round begins --------------------------------------------------------------------------------------------------


def later_deal(seed: str, number: int) -> tuple[Card, ...]:
    """Return the cards of a round after the first in the order in which they are dealt; the seed determines it."""
    return tuple(model.CARDS[position - 1] for position in permutation(f"{seed} {number}", len(model.CARDS)))


def begin_round(state: State, number: int, opener: int, order: Sequence[Card], log: Log) -> State:
    """Deal a round, draw its trump and ask its opener.

    Eight covered cards are dealt to seat 0 and eight to seat 1, then eight open ones to each on top of them.
    """
    first, second = state.players
    players = (replace(first, places=_dealt(order, 0)), replace(second, places=_dealt(order, 1)))
    former = state.round.tricks[-1] if state.round.tricks else None
    now = Round(number, opener, drawn_trump(state.seed, number), leader=opener, former=former)
    log.append(model.RoundBegins(opener, number, now.trump))
    log.extend(model.HandDealt(seat, open_cards(player)) for seat, player in enumerate(players))
    log.append(model.Covered((tuple(order[: model.PLACES]), tuple(order[model.PLACES : 2 * model.PLACES]))))
    return _ask(replace(state, players=players, round=now), opener)


def _dealt(order: Sequence[Card], seat: int) -> tuple[model.Place, ...]:
    covered, opened = order[model.PLACES * seat :], order[model.PLACES * (model.SEATS + seat) :]
    return tuple(model.Place(opened[at], covered[at]) for at in range(model.PLACES))


# --- tricks ----------------------------------------------------------------------------------------------------------


def open_cards(player: model.Player) -> tuple[Card, ...]:
    """Return a player's open cards, in the order of their places."""
    return tuple(place.open for place in player.places if place.open is not None)


def playable_cards(state: State, seat: int) -> tuple[Card, ...]:
    """Return the open cards that a seat may play into the present trick; covered ones never oblige it (4.2 to 4.4)."""
    now = state.round
    return playable(order_of(now.trump), open_cards(state.players[seat]), now.trick[0] if now.trick else None)


def lay(state: State, seat: int, card: Card, log: Log, *, by_clock: bool = False) -> State:
    """Play an open card; the second one completes the trick, the last trick the round."""
    log.append(model.Played(seat, card, by_clock))
    player = state.players[seat]
    places = tuple(replace(place, open=None) if place.open == card else place for place in player.places)
    now = replace(state.round, trick=(*state.round.trick, card))
    state = replace(_with(state, seat, replace(player, places=places)), round=now)
    return _taken(state, log) if len(now.trick) == model.SEATS else _ask(state, other(seat))


def _taken(state: State, log: Log) -> State:
    """Complete the trick, turn up the cards under the two that were played, and go on (4.5, 4.6, O3)."""
    now = state.round
    trick = played(order_of(now.trump), now.leader, now.trick, model.SEATS)
    seat, tricks = trick.taker, (*now.tricks, trick)
    first, second = map(_turned_card, state.players)
    log.append(model.TrickTaken(seat, len(tricks), eyes(now.trick), (first, second)))
    players = _turned_up(state.players[0]), _turned_up(state.players[1])
    state = replace(state, players=players, round=replace(now, leader=seat, trick=(), tricks=tricks))
    return _scored(state, log) if len(tricks) == model.TRICKS else _ask(state, seat)


def _turned_card(player: model.Player) -> Card | None:
    return next((place.covered for place in player.places if place.open is None and place.covered is not None), None)


def _turned_up(player: model.Player) -> model.Player:
    places = tuple(model.Place(place.covered) if place.open is None else place for place in player.places)
    return replace(player, places=places)


# --- a round ends ----------------------------------------------------------------------------------------------------


def _scored(state: State, log: Log) -> State:
    """Score the round; begin the next one, or end the match once a player has enough points (5, 6).

    The two open in turn, whoever won (4.1, O5).
    """
    done = result(state.round)
    state = replace(state, results=(*state.results, done))
    _tell_score(state, done, log)
    if max(totals(state.results)) >= state.options.target:
        return _over(state, log)
    number = done.number + 1
    return begin_round(state, number, other(done.opener), later_deal(state.seed, number), log)


def _tell_score(state: State, done: model.Result, log: Log) -> None:
    final = totals(state.results)
    log.append(model.RoundOver(done.winner, done.number))
    log.extend(model.Scored(seat, done.eyes[seat], done.points[seat], final[seat]) for seat in range(model.SEATS))


def _over(state: State, log: Log) -> State:
    """End the match and name its winner, if there is one."""
    seat, final = winner(state), totals(state.results)
    if seat is None:
        log.append(model.Drawn(final[0]))
    else:
        log.append(model.Won(seat, final[seat], state.forfeiter is not None))
    return replace(state, phase="over", current=None)


def forfeit(state: State, seat: int, log: Log) -> State:
    """End the match because a player leaves it; the other one wins, whatever the points are."""
    log.append(model.Forfeited(seat))
    return _over(replace(without(state, seat), forfeiter=seat), log)


# --- small things ----------------------------------------------------------------------------------------------------


def without(state: State, seat: int) -> State:
    """Return the state with a player who is gone."""
    return _with(state, seat, replace(state.players[seat], gone=True))


def _with(state: State, seat: int, player: model.Player) -> State:
    first, second = state.players
    return replace(state, players=(player, second) if seat == 0 else (first, player))


def _ask(state: State, seat: int) -> State:
    return replace(state, current=seat, turn=state.turn + 1)
