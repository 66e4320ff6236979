"""The progress of Mau-Mau: the consequences of a legal move, up to the next one (spec/maumau.md 2, 5 to 7).

Each function takes a state in which the move is legal, adds its events to `log`, and returns the state in which the
next player has been asked for a move. It first records the move in `State.course`, so that a client of the protocol
can be told every step, however late it looks.
"""

from collections.abc import Iterable
from hashlib import sha256

from msgspec.structs import replace

from yawc_poker.cards import Card, Rank, Suit, deck
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import Event, State
from yawc_poker.games.maumau.standing import losers, winners

Log = list[Event]

_POINTS = {Rank.JACK: 20, Rank.QUEEN: 10, Rank.KING: 10, Rank.ACE: 11}


def points(hand: Iterable[Card]) -> int:
    """Return the points that cards cost the player who still holds them (7.2)."""
    return sum(_POINTS.get(card.rank, int(card.rank)) for card in hand)


def fits(state: State, card: Card) -> bool:
    """Return whether a card may be laid onto the pile, open sevens aside (3)."""
    if card.rank == Rank.JACK:
        return True
    if state.suit is not None:
        return card.suit == state.suit
    top = state.pile[-1]
    return card.suit == top.suit or card.rank == top.rank


def only_jacks(hand: Iterable[Card]) -> bool:
    """Return whether a hand holds nothing but jacks."""
    return all(card.rank == Rank.JACK for card in hand)


# --- chance ----------------------------------------------------------------------------------------------------------


def shuffled(state: State, cards: Iterable[Card]) -> tuple[tuple[Card, ...], State]:
    """Shuffle cards by the game's seed: the n-th shuffle of a game is always the same.

    A Fisher-Yates shuffle with numbers from SHA-256 of seed, shuffle and step. 256 bits modulo at most 32 leave a bias
    below 2**-250.
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        digest = sha256(f"{state.seed} {state.shuffles} {last}".encode()).digest()
        other = int.from_bytes(digest, "big") % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order), replace(state, shuffles=state.shuffles + 1)


# --- a round ---------------------------------------------------------------------------------------------------------


def begin_round(state: State, stock: tuple[Card, ...], log: Log) -> State:
    """Deal the next round from a shuffled stock: six cards to each, seven to the first player, one turned up (2)."""
    places = [place for place, player in enumerate(state.players) if player.seat is not None]
    number = state.round + 1
    first = _from(places, (number - 1) % len(state.players))
    order = places[places.index(first) :] + places[: places.index(first)]
    left = list(stock)
    hands: dict[int, tuple[Card, ...]] = dict.fromkeys(order, ())
    for place in (*order * model.HAND, first):
        hands[place] = (*hands[place], left.pop())
    pile = (left.pop(),)
    players = tuple(replace(player, hand=hands.get(place, ())) for place, player in enumerate(state.players))
    state = replace(state, round=number, players=players, stock=tuple(left), pile=pile)
    state = replace(
        state, penalty=0, suit=None, open_wish=False, must_wish=False, drawn=None, fresh_stock=True, current=None
    )
    seat = players[first].seat
    assert seat is not None, "somebody who has left begins a round"
    log.append(model.RoundBegins(seat, number, state.options.rounds, pile[-1]))
    for player in players:
        if player.seat is not None:
            log.append(model.HandDealt(player.seat, len(player.hand), player.hand))
    state = _noted(state, model.CourseStep("round", count=number))
    given = tuple(player.hand for player in players)
    return ask(_noted(state, model.CourseStep("deal", counts=tuple(map(len, given)), hands=given)), first)


def _end_round(state: State, winner: int, log: Log) -> State:
    """Count the remaining cards; begin the next round, or end the game after the last one (7)."""
    seat = state.players[winner].seat
    assert seat is not None, "a round was won by somebody who has left"
    log.append(model.RoundOver(seat, state.round))
    state = _counted(state, log)
    if state.round < state.options.rounds:
        stock, state = shuffled(state, deck(model.RANKS))
        return begin_round(state, stock, log)
    return _decided(state, log)


def _decided(state: State, log: Log) -> State:
    """End the game and name its losers and winners; those who left were named when they did."""
    log.extend(model.Lost(one.seat, one.total) for one in losers(state.players) if one.seat is not None)
    log.extend(model.Won(one.seat, one.total) for one in winners(state.players) if one.seat is not None)
    return _over(state)


def _counted(state: State, log: Log, *, unplayed: bool = False) -> State:
    """Add everybody's points and record the totals; players who left were counted when they did (M16)."""
    players = tuple(
        replace(player, points=(*player.points, 0 if unplayed else points(player.hand)))
        if len(player.points) < state.round
        else player
        for player in state.players
    )
    log.extend(model.Scored(one.seat, one.points[-1], one.total) for one in players if one.seat is not None)
    return _noted(
        replace(state, players=players), model.CourseStep("result", counts=tuple(one.total for one in players))
    )


def _over(state: State) -> State:
    return replace(
        state, phase="over", current=None, penalty=0, suit=None, open_wish=False, must_wish=False, drawn=None
    )


# --- the moves -------------------------------------------------------------------------------------------------------


def lay(state: State, seat: int, card: Card, log: Log) -> State:
    """Lay a card and apply its effect; the last card of a hand has none (5)."""
    place = _current(state)
    player = state.players[place]
    hand = tuple(one for one in player.hand if one != card)
    log.append(model.Played(seat, card, left=len(hand)))
    state = _with(state, place, replace(player, hand=hand))
    state = _noted(replace(state, pile=(*state.pile, card), drawn=None), model.CourseStep("play", place, card=card))
    if not hand:
        return _end_round(state, place, log)
    if card.rank == Rank.JACK:
        if not state.open_wish:
            return ask(replace(state, suit=None, must_wish=True), place)
        return _pass_on(replace(state, open_wish=False), place, log)
    state = replace(state, suit=None, open_wish=False)
    if card.rank == Rank.SEVEN:
        state = replace(state, penalty=state.penalty + 2)
    return _pass_on(state, place, log, skip=card.rank == Rank.ACE)


def take(state: State, seat: int, log: Log) -> State:
    """Take the cards that the sevens demand and stay on turn, or take one; if that fits, it must be laid (4, 6)."""
    place = _current(state)
    demanded, penalty = state.penalty or 1, state.penalty > 0
    took, state = _drawn(state, demanded, log)
    player = state.players[place]
    state = _with(state, place, replace(player, hand=(*player.hand, *took)))
    log.append(model.Took(seat, len(took), penalty, cards=took))
    state = _noted(replace(state, penalty=0), model.CourseStep("take", place, count=len(took), cards=took))
    if penalty:
        return ask(state, place)
    if took and fits(state, took[0]):
        return ask(replace(state, drawn=took[0]), place)
    return _pass_on(state, place, log)


def finish(state: State, seat: int, log: Log) -> State:
    """Lay the whole hand, all jacks, which ends the round (4)."""
    place = _current(state)
    hand = state.players[place].hand
    log.append(model.Finished(seat, len(hand), hand))
    state = _with(state, place, replace(state.players[place], hand=()))
    state = _noted(replace(state, pile=(*state.pile, *hand)), model.CourseStep("finish", place))
    return _end_round(state, place, log)


def wish(state: State, seat: int, suit: Suit, log: Log) -> State:
    """Name the suit that must be laid next."""
    place = _current(state)
    log.append(model.Wished(seat, suit))
    state = _noted(
        replace(state, suit=suit, open_wish=True, must_wish=False), model.CourseStep("wish", place, suit=suit)
    )
    return _pass_on(state, place, log)


def go(state: State, place: int, log: Log, *, unplayed: bool) -> State:
    """Remove a player who left and so lost the game (M16).

    Their cards go under the stock, their points count, and the others play on. An open penalty or wish passes to the
    next player. The last player left wins. Where the round is `unplayed`, its cards cost neither of them anything.
    """
    player = state.players[place]
    assert player.seat is not None, "a player leaves twice"
    lost = 0 if unplayed else points(player.hand)
    log.append(model.Forfeited(player.seat, lost))
    counted = replace(player, seat=None, hand=(), points=(*player.points, lost), forfeited=True)
    state = _with(replace(state, stock=(*player.hand, *state.stock)), place, counted)
    state = _noted(state, model.CourseStep("leave", place))
    left = [one for one in state.players if one.seat is not None]
    if len(left) < 2:
        state = _counted(state, log, unplayed=unplayed)
        log.extend(model.GaveUp(one.seat) for one in left if one.seat is not None)
        return _over(state)
    if state.current != place:
        return state
    return _pass_on(replace(state, must_wish=False, drawn=None), place, log)


# --- whose move it is ------------------------------------------------------------------------------------------------


def ask(state: State, place: int) -> State:
    """Ask a place for its next move; with a new stock, announce the top card (6.5)."""
    asked = model.CourseStep(
        "ask",
        place,
        count=state.penalty,
        card=state.pile[-1] if state.fresh_stock else None,
        suit=state.suit,
        counts=tuple(len(player.hand) for player in state.players),
    )
    return _noted(replace(state, current=place, turn=state.turn + 1, fresh_stock=False), asked)


def _pass_on(state: State, place: int, log: Log, *, skip: bool = False) -> State:
    """End a place's turn: restock if there is no stock, then ask the next place (6.2), or with `skip` the one after."""
    if not state.stock:
        state = _restocked(state, log)
    following = next_place(state, place)
    if skip:
        seat = state.players[following].seat
        assert seat is not None, "the next player has left"
        log.append(model.Skipped(seat))
        following = next_place(state, following)
    return ask(state, following)


def next_place(state: State, place: int) -> int:
    """Return the next place whose player is still there."""
    places = [at for at, player in enumerate(state.players) if player.seat is not None]
    return _from(places, place + 1)


def _from(places: list[int], least: int) -> int:
    return next((place for place in places if place >= least), places[0])


# --- the stock -------------------------------------------------------------------------------------------------------


def _drawn(state: State, count: int, log: Log) -> tuple[tuple[Card, ...], State]:
    """Take cards from the stock one by one, restocking as often as needed and possible (6.3, 6.4)."""
    took: list[Card] = []
    while len(took) < count:
        if not state.stock:
            state = _restocked(state, log)
        if not state.stock:
            break
        took.append(state.stock[-1])
        state = replace(state, stock=state.stock[:-1])
    return tuple(took), state


def _restocked(state: State, log: Log) -> State:
    """Shuffle the pile, except its top card, into a new stock; a pile of one card stays."""
    if len(state.pile) < 2:
        return state
    stock, state = shuffled(state, state.pile[:-1])
    log.append(model.Reshuffled(state.pile[-1]))
    return replace(state, stock=stock, pile=state.pile[-1:], fresh_stock=True)


# --- helpers ---------------------------------------------------------------------------------------------------------


def _current(state: State) -> int:
    assert state.current is not None, "a move in a game that is over"
    return state.current


def _with(state: State, place: int, player: model.Player) -> State:
    return replace(state, players=(*state.players[:place], player, *state.players[place + 1 :]))


def _noted(state: State, step: model.CourseStep) -> State:
    return replace(state, course=(*state.course, step)[-model.STEPS :], steps=state.steps + 1)
