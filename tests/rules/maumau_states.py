"""States of Mau-Mau within a round, and moves in them, for the tests of its rules."""

from random import Random

import pytest

from yawc_poker.cards import card, cards
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import (
    Move,
    Options,
    PlayCard,
    Player,
    State,
)

RNG = Random(0)
Event = object


def table(*hands: str, top: str = "9+", stock: str = "8+ 8- 9-", rounds: int = 1) -> State:
    """Return a state within a round, with place 0 on turn. `stock` begins with its next card."""
    players = tuple(Player(seat, cards(hand)) for seat, hand in enumerate(hands))
    return State(
        options=Options(rounds=rounds),
        seed="0",
        players=players,
        watchers=(),
        master=0,
        seats=tuple(range(len(players))),
        round=1,
        current=0,
        stock=tuple(reversed(cards(stock))),
        pile=(card(top),),
        fresh_stock=False,
    )


def do(state: State, seat: int, *moves: Move | str) -> State:
    for move in moves:
        state = rules.play(state, seat, PlayCard(card(move)) if isinstance(move, str) else move, RNG).state
    return state


def events(state: State, seat: int, move: Move) -> list[Event]:
    return list(rules.play(state, seat, move, RNG).events)


def refused(state: State, seat: int, move: Move | str) -> str:
    with pytest.raises(IllegalMove) as refusal:
        do(state, seat, move)
    return refusal.value.reason


def hand(state: State, place: int) -> str:
    return " ".join(str(one) for one in state.players[place].hand)
