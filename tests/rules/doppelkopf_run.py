"""Doppelkopf for tests: rounds with the hands that a test wants, and legal moves by chance."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.adapters import pick_doppelkopf
from tests.engine.stacked import dealing
from yawc_poker.cards import card, cards, written
from yawc_poker.engine.game import Dealing, IllegalMove
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import (
    CARDS,
    SOLOS,
    Call,
    Healthy,
    Level,
    MayCall,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    Solo,
    State,
)

RNG = Random(0)
MATCH = Options()
TOURNAMENT = Options(tournament=True)
WORDS: dict[str, Level] = {"re": "team", "contra": "team", "90": "no90", "60": "no60", "30": "no30", "0": "black"}


def begun(*hands: str, options: Options = MATCH, seed: str = "5eed") -> State:
    """A match whose first round deals these cards to seats 0 to 3; those not named are dealt in a fixed order.

    Seat 0 deals, so seat 1 speaks and leads first.
    """
    dealt = [list(cards(hand)) for hand in (*hands, "", "", "", "")[:4]]
    rest = list(CARDS)
    for one in (one for hand in dealt for one in hand):
        rest.remove(one)
    for hand in dealt:
        while len(hand) < 12:
            hand.append(rest.pop())
    order = written(one for hand in (*dealt[1:], dealt[0]) for one in hand)
    return rules.deal(dict.fromkeys(range(4), 1000), 0, Dealing(order, seed), options).state


def dealt_by(seed: int, options: Options = MATCH) -> State:
    return rules.deal(dict.fromkeys(range(4), 1000), 0, dealing(rules, Random(seed)), options).state


def said(state: State, *words: str) -> State:
    """Make those on turn say these: "-" healthy, "!" reservation, a solo's name, "wedding"."""
    for word in words:
        assert state.current is not None
        state = do(state, state.current, _spoken(word))
    return state


def _spoken(word: str) -> Move:
    if word in {"-", "!"}:
        return Healthy() if word == "-" else Reserve()
    kinds: dict[str, Solo] = {kind: kind for kind in SOLOS}
    return NoSolo() if word == "wedding" else PlaySolo(kinds[word])


def healthy(state: State) -> State:
    return said(state, "-", "-", "-", "-")


def do(state: State, seat: int, *moves: Move | str) -> State:
    """Make moves of a seat; a text is a card."""
    for move in moves:
        state = rules.play(state, seat, PlayCard(card(move)) if isinstance(move, str) else move, RNG).state
    return state


def call(state: State, seat: int, *words: str) -> State:
    return do(state, seat, *(Call(WORDS[word]) for word in words))


def laid(state: State, played: str) -> State:
    """Make those on turn play these cards."""
    for one in cards(played):
        assert state.current is not None
        state = do(state, state.current, PlayCard(one))
    return state


def cheap(state: State, tricks: int = 12) -> State:
    """Make the clock play until so many tricks of the round have been taken, or the round is over."""
    number = state.round.number
    while state.phase == "play" and state.round.number == number and len(state.round.tricks) < tricks:
        state = rules.timeout(state, RNG).state
    return state


def events(state: State, seat: int, move: Move) -> list[Event]:
    return list(rules.play(state, seat, move, RNG).events)


def refused(state: State, seat: int, move: Move | str) -> str:
    """Return the reason for which a move is refused."""
    with pytest.raises(IllegalMove) as refusal:
        do(state, seat, move)
    return refusal.value.reason


def values(state: State, seat: int, move: Move) -> dict[str, int]:
    with pytest.raises(IllegalMove) as refusal:
        do(state, seat, move)
    return refusal.value.values


def with_hands(state: State, *hands: str) -> State:
    """Replace the hands; the cards need not be a deck any more."""
    players = tuple(replace(player, hand=cards(hand)) for player, hand in zip(state.players, hands, strict=True))
    return replace(state, players=players)


# --- by chance --------------------------------------------------------------------------------------------------------


def step(state: State, rng: Random, *, leaving: float = 0.0) -> State:
    """Make a legal move of somebody by chance; now and then the clock's, or somebody leaves."""
    chance = rng.random()
    if chance < leaving:
        return rules.leave(state, rng.choice(present(state))).state
    if chance < 0.1:
        return rules.timeout(state, rng).state
    mover = rules.to_move(state)
    assert mover is not None
    seat = rng.choice(present(state)) if chance < 0.3 else mover
    choices = rules.legal_moves(state, seat)
    if not choices:
        return state
    weights = [1.0 if isinstance(choice, MayCall) else 4.0 for choice in choices]
    return rules.play(state, seat, pick_doppelkopf(rng.choices(choices, weights)[0], rng), rng).state


def present(state: State) -> list[int]:
    return [seat for seat, player in enumerate(state.players) if not player.gone]


def played(state: State, rng: Random, *, leaving: float = 0.0) -> Iterator[State]:
    """Yield every state of a match that goes on by chance, the last one being over."""
    yield state
    while not rules.is_over(state):
        state = step(state, rng, leaving=leaving)
        yield state
