"""The course of Doppelkopf: what a legal move leads to, up to the next question (spec/doppelkopf.md 4, 5, 9).

Every function takes a state in which the move is legal, adds to `log` what the table is told, and returns the state
with the next player asked. `advance` then plays on for those who are gone.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from yawc_poker.cards import Card, Suit
from yawc_poker.engine.sealing import permutation
from yawc_poker.games.doppelkopf import events, model
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import Round, State
from yawc_poker.games.doppelkopf.scoring import result, settlement, totals, winners
from yawc_poker.games.doppelkopf.teams import re_places
from yawc_poker.games.doppelkopf.trumps import QUEEN_OF_CLUBS, longest_solo, order_of
from yawc_poker.tricks import cheapest, colour, eyes, playable, played

Log = list[Event]

CLARIFYING: Final = 3
"""Tricks within which a wedding finds a partner (5.4)."""


def seat_of(state: State, place: int) -> int | None:
    """Return the seat of the player at a place; None where they have left."""
    return None if state.players[place].gone else place


def following(place: int) -> int:
    """Return the next place clockwise."""
    return (place + 1) % model.SEATS


def speaking_order(dealer: int) -> tuple[int, ...]:
    """Return all places in the order in which they speak: left of the dealer first."""
    return tuple((dealer + step) % model.SEATS for step in range(1, model.SEATS + 1))


# --- a round begins --------------------------------------------------------------------------------------------------


def later_deal(seed: str, number: int) -> tuple[Card, ...]:
    """Return the cards of a round after the first in the order in which they are dealt; the seed decides it."""
    return tuple(model.CARDS[position - 1] for position in permutation(f"{seed} {number}", len(model.CARDS)))


def begin_round(state: State, number: int, dealer: int, order: Sequence[Card], log: Log) -> State:
    """Deal twelve cards to each, left of the dealer first, and ask for reservations or for a forced solo (5.1, 9.7)."""
    speakers = speaking_order(dealer)
    hands = {place: tuple(order[model.HAND * at : model.HAND * (at + 1)]) for at, place in enumerate(speakers)}
    players = tuple(replace(player, hand=hands[place]) for place, player in enumerate(state.players))
    former = state.round.tricks[-1] if state.round.tricks else state.round.former
    forced = _forced_solo(state, number, speakers)
    now = Round(number, dealer, forced, leader=speakers[0], former=former)
    log.append(events.RoundBegins(seat_of(state, dealer), dealer, number, state.options.games))
    log.extend(events.HandDealt(seat_of(state, place), place, hands[place]) for place in range(model.SEATS))
    state = replace(state, players=players, round=now)
    if forced is None:
        return _ask(replace(state, phase="reservation"), speakers[0])
    log.append(events.SoloForced(seat_of(state, forced), forced))
    return _ask(replace(state, phase="naming"), forced)


def _forced_solo(state: State, number: int, speakers: Sequence[int]) -> int | None:
    """Return who must play a solo now, because as many games are left as compulsory solos are owed (9.7)."""
    owing = [place for place in speakers if state.players[place].owes_solo]
    return owing[0] if owing and state.options.games - number + 1 <= len(owing) else None


# --- reservations ----------------------------------------------------------------------------------------------------


def speak(state: State, place: int, reservation: bool, log: Log, *, by_clock: bool = False) -> State:
    """Note "Gezond" or "voorbehoud"; once all have spoken, those with a reservation name it (5.1, 5.2)."""
    log.append(events.Spoke(seat_of(state, place), place, reservation, by_clock))
    said = (*state.round.said, reservation)
    state = replace(state, round=replace(state.round, said=said))
    if len(said) < model.SEATS:
        return _ask(state, following(place))
    reserved = reserving(state.round)
    if not reserved:
        return _fixed(state, model.GameType("normal"), log)
    return _ask(replace(state, phase="naming"), reserved[0])


def reserving(now: Round) -> tuple[int, ...]:
    """Return the places that made a reservation, in the order of speaking."""
    return tuple(place for place, reserved in zip(speaking_order(now.dealer), now.said, strict=False) if reserved)


def name(state: State, place: int, kind: model.Kind, log: Log, *, by_clock: bool = False) -> State:
    """Note what a reservation was meant for; ask the next who could outbid it, or fix the game (5.2, 9.4, D3)."""
    log.append(events.Named(seat_of(state, place), place, kind, by_clock))
    named = (*state.round.named, model.Offer(place, kind))
    state = replace(state, round=replace(state.round, named=named))
    best = max(named, key=lambda offer: _priority(state, offer))
    reserved = reserving(state.round)
    later = reserved[reserved.index(place) + 1 :] if place in reserved else ()
    for rival in later:
        if _priority(state, model.Offer(rival, "aces")) > _priority(state, best):
            return _ask(state, rival)
    compulsory = best.kind != "wedding" and state.players[best.place].owes_solo
    return _fixed(state, model.GameType(best.kind, best.place, compulsory), log)


def _priority(state: State, offer: model.Offer) -> int:
    """Return the rank of an offer: compulsory solo, voluntary solo, wedding; of equal ones the first counts (9.4)."""
    if offer.kind == "wedding":
        return 0
    return 2 if state.players[offer.place].owes_solo else 1


def may_wed(state: State, place: int) -> bool:
    """Return whether a player can name a wedding: with both queens of clubs, and no solo forced on them (5.3)."""
    return state.round.forced is None and state.players[place].hand.count(QUEEN_OF_CLUBS) == 2


def _fixed(state: State, game: model.GameType, log: Log) -> State:
    """Begin to play: left of the dealer leads, or the soloist of a compulsory solo (4.1, 9.3)."""
    leader = following(state.round.dealer)
    players = state.players
    if game.compulsory and game.player is not None:
        leader = game.player
        players = _with(players, leader, replace(players[leader], owes_solo=False))
    seat = None if game.player is None else seat_of(state, game.player)
    log.append(events.GameFixed(seat, game.player, game.kind, game.compulsory, leader))
    now = replace(state.round, game=game, leader=leader)
    return _ask(replace(state, players=players, round=now, phase="play"), leader)


# --- calls and tricks ------------------------------------------------------------------------------------------------


def call(state: State, place: int, team: model.Team, level: model.Level, log: Log) -> State:
    """Note a call; nobody's turn changes."""
    log.append(events.Called(seat_of(state, place), place, team, level))
    made = model.Announcement(place, team, level, len(state.players[place].hand))
    return replace(state, round=replace(state.round, calls=(*state.round.calls, made)))


def lay(state: State, place: int, card: Card, log: Log, *, by_clock: bool = False) -> State:
    """Play a card; the fourth completes the trick, the last trick the round (4)."""
    log.append(events.Played(seat_of(state, place), place, card, by_clock))
    player = state.players[place]
    at = player.hand.index(card)
    players = _with(state.players, place, replace(player, hand=player.hand[:at] + player.hand[at + 1 :]))
    state = replace(state, players=players, round=replace(state.round, trick=(*state.round.trick, card)))
    return _taken(state, log) if len(state.round.trick) == model.SEATS else _ask(state, following(place))


def _taken(state: State, log: Log) -> State:
    now = state.round
    assert now.game is not None, "a trick without a game"
    trick = played(order_of(now.game.kind), now.leader, now.trick, model.SEATS)
    winner, tricks = trick.taker, (*now.tricks, trick)
    log.append(events.TrickTaken(seat_of(state, winner), winner, len(tricks), eyes(now.trick)))
    now = replace(now, leader=winner, trick=(), tricks=tricks)
    state = _clarified(replace(state, round=now), now.game, log)
    return _scored(state, log) if len(tricks) == model.HAND else _ask(state, winner)


def _clarified(state: State, game: model.GameType | None, log: Log) -> State:
    """Find the bride's partner, or have her play alone after the third trick (5.4, 5.5)."""
    number, winner = len(state.round.tricks), state.round.leader
    if game is None or not game.is_open:
        return state
    alone = winner == game.player
    if alone and number < CLARIFYING:
        return state
    log.append(events.Clarified(seat_of(state, winner), winner, alone))
    game = replace(game, clarified=number, partner=None if alone else winner)
    return replace(state, round=replace(state.round, game=game))


# --- a round ends ----------------------------------------------------------------------------------------------------


def _scored(state: State, log: Log) -> State:
    """Score a round; go on to the next one, ask whether to, or end the match (8, 9)."""
    now = state.round
    assert now.game is not None, "a score without a game"
    done = result(now, now.game, re_places(now, state.players))
    state = replace(state, results=(*state.results, done))
    _tell_score(state, done, log)
    if now.number == state.options.games:
        return end_match(state, "rounds", log)
    if any(player.gone for player in state.players):
        return end_match(state, "left", log)
    if state.options.tournament:
        return _next_round(state, log)
    return _ask(replace(state, phase="question"), 0)


def _tell_score(state: State, done: model.Result, log: Log) -> None:
    log.append(events.RoundOver(done))
    final = totals(state.results)
    for place in range(model.SEATS):
        log.append(events.Scored(seat_of(state, place), place, done.points[place], final[place]))


def _next_round(state: State, log: Log) -> State:
    """Deal the next round; after a compulsory solo that was not forced, the same player deals again (9.6, D16)."""
    done = state.round
    is_same = done.game is not None and done.game.compulsory and done.forced is None
    dealer = done.dealer if is_same else following(done.dealer)
    number = done.number + 1
    return begin_round(state, number, dealer, later_deal(state.seed, number), log)


def answer(state: State, place: int, yes: bool, log: Log, *, by_clock: bool = False) -> State:
    """Note whether a player wants another round: the first "no" ends the match (9.1).

    All are asked at once. The clock runs for the first who has not answered, and when it ends, it answers for all.
    """
    log.append(events.Answered(seat_of(state, place), place, yes, by_clock))
    if not yes:
        return end_match(state, "stopped", log)
    agreed = tuple(sorted((*state.round.agreed, place)))
    state = replace(state, round=replace(state.round, agreed=agreed))
    missing = unanswered(state.round)
    if not missing:
        return _next_round(state, log)
    return state if state.current == missing[0] else _ask(state, missing[0])


def unanswered(now: Round) -> tuple[int, ...]:
    """Return the places that have not said whether to go on."""
    return tuple(place for place in range(model.SEATS) if place not in now.agreed)


def end_match(state: State, reason: events.WhyOver, log: Log) -> State:
    """End the match with the points so far, name who has the most, and what each wins or pays."""
    log.append(events.MatchOver(reason, len(state.results)))
    final = totals(state.results)
    log.extend(events.Won(seat_of(state, place), place, final[place]) for place in winners(state.results))
    log.extend(events.Settled(seat_of(state, place), place, cubes) for place, cubes in settlement(state).items())
    return replace(state, phase="over", current=None)


# --- by itself -------------------------------------------------------------------------------------------------------


def leave(state: State, place: int, log: Log, *, unplayed: bool) -> State:
    """Note that a player has left; between two rounds that ends the match, and so it does in one that is `unplayed`.

    Nobody holds the cards of that round any more, so all cards of the match can be opened.
    """
    log.append(events.Abandoned(place, place))
    state = without(state, place)
    if unplayed:
        state = replace(state, players=tuple(replace(player, hand=()) for player in state.players))
    return end_match(state, "left", log) if unplayed or state.phase == "question" else state


def without(state: State, place: int) -> State:
    """Return the state with a place whose player is gone."""
    return replace(state, players=_with(state.players, place, replace(state.players[place], gone=True)))


def advance(state: State, log: Log) -> State:
    """Play on for those who are gone, until it is somebody's turn who is there, or the match is over."""
    while state.current is not None and state.players[state.current].gone:
        state = by_clock(state, log)
    return state


def by_clock(state: State, log: Log) -> State:
    """Make the move of a player who does nothing.

    "Gezond"; a wedding, or else the solo with the most trumps; the cheapest legal card; "yes" for all who have not
    answered.
    """
    place = state.current
    assert place is not None, "the clock runs in a match that is over"
    match state.phase:
        case "reservation":
            return speak(state, place, False, log, by_clock=True)
        case "naming":
            kind: model.Kind = "wedding" if may_wed(state, place) else longest_solo(state.players[place].hand)
            return name(state, place, kind, log, by_clock=True)
        case "play":
            return lay(state, place, cheapest_card(state, place), log, by_clock=True)
        case _:
            for other in unanswered(state.round):
                state = answer(state, other, True, log, by_clock=True)
            return state


def cheapest_card(state: State, place: int) -> Card:
    """Return the card that the clock plays."""
    return cheapest(order_of(_kind(state)), playable_cards(state, place))


def playable_cards(state: State, place: int) -> tuple[Card, ...]:
    """Return the cards that a place may play into the present trick."""
    trick = state.round.trick
    return playable(order_of(_kind(state)), state.players[place].hand, trick[0] if trick else None)


def suit_led(state: State) -> Suit | None:
    """Return the suit that the present trick was led with; None for trumps."""
    return colour(order_of(_kind(state)), state.round.trick[0])


def _kind(state: State) -> model.Kind:
    return "normal" if state.round.game is None else state.round.game.kind


# --- small things ----------------------------------------------------------------------------------------------------


def _ask(state: State, place: int) -> State:
    return replace(state, current=place, turn=state.turn + 1)


def _with(players: tuple[model.Player, ...], place: int, player: model.Player) -> tuple[model.Player, ...]:
    return (*players[:place], player, *players[place + 1 :])
