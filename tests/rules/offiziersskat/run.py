"""Offiziersskat for tests: rounds with the cards and the trump that a test wants, and legal moves by chance."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.stacked import dealing
from yawc_poker.cards import Card, Suit, card, cards, written
from yawc_poker.engine.game import Dealing, IllegalMove
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import (
    CARDS,
    PLACES,
    Event,
    Options,
    Place,
    PlayCard,
    Player,
    Result,
    State,
)
from yawc_poker.games.offiziersskat.trumps import drawn_trump
from yawc_poker.tricks import Trick, eyes

RNG = Random(0)
CASH = {0: 100, 1: 100}
MATCH = Options()


@cache
def seed_of(trump: Suit | None, number: int = 1) -> str:
    """Return a seed by which this trump is drawn in a round."""
    return next(seed for at in count() if drawn_trump(seed := f"{at:04x}", number) == trump)


def begun(
    *opened: str, covered: tuple[str, str] = ("", ""), trump: Suit | None = None, options: Options = MATCH
) -> State:
    """A match whose first round has these open and covered cards, by seat; the rest is dealt in a fixed order."""
    named = [list(cards(text)) for text in (*covered, *(*opened, "", "")[:2])]
    rest = [one for one in CARDS if not any(one in part for part in named)]
    for part in named:
        part.extend(rest.pop() for _ in range(PLACES - len(part)))
    order = written(one for part in named for one in part)
    return rules.deal(CASH, 0, Dealing(order, seed_of(trump)), options).state


def dealt_by(seed: int, options: Options = MATCH) -> State:
    return rules.deal(CASH, 0, dealing(rules, Random(seed)), options).state


def with_places(state: State, *sides: str) -> State:
    """Replace the places by ones that need not be a deck: ``A+/7- 10*`` is an ace on a covered seven, and a ten."""
    first, second = (Player(tuple(map(_place, side.split()))) for side in sides)
    return replace(state, players=(first, second))


def _place(text: str) -> Place:
    opened, _, covered = text.partition("/")
    return Place(card(opened), card(covered) if covered else None)


def do(state: State, seat: int, *played: str) -> State:
    """Make a seat play these cards."""
    for text in played:
        state = rules.play(state, seat, PlayCard(card(text)), RNG).state
    return state


def laid(state: State, played: str) -> State:
    """Make those on turn play these cards."""
    for one in cards(played):
        assert state.current is not None
        state = rules.play(state, state.current, PlayCard(one), RNG).state
    return state


def events(state: State, seat: int, played: str) -> list[Event]:
    return list(rules.play(state, seat, PlayCard(card(played)), RNG).events)


def refused(state: State, seat: int, played: str) -> tuple[str, dict[str, int]]:
    """Return why a card is refused."""
    with pytest.raises(IllegalMove) as refusal:
        do(state, seat, played)
    return refusal.value.reason, refusal.value.values


def offered(state: State, seat: int) -> tuple[Card, ...]:
    """Return the cards that a seat may play."""
    return tuple(one for choice in rules.legal_moves(state, seat) for one in choice.cards)


def before_last_trick(state: State, gained: int, leader: int = 0) -> State:
    """Return a round in which seat 0 has so many eyes, and one trick without any eyes is left, led by `leader`.

    All other eyes are in tricks of seat 1. The last cards are two sevens of plain suits: the leader takes them.
    """
    first = _worth(gained, CARDS)
    assert first is not None, "no cards have these eyes together"
    second = [one for one in CARDS if eyes([one]) and one not in first]
    tricks = (Trick(0, tuple(first), 0), Trick(1, tuple(second), 1), *[Trick(0, (), 0)] * 13)
    state = with_places(state, "7-", "7#")
    return replace(state, current=leader, round=replace(state.round, tricks=tricks, leader=leader))


def _worth(wanted: int, left: Sequence[Card]) -> list[Card] | None:
    """Return cards that have so many eyes together; None if there are none."""
    if not wanted:
        return []
    for at, one in enumerate(left):
        if 0 < eyes([one]) <= wanted and (rest := _worth(wanted - eyes([one]), left[at + 1 :])) is not None:
            return [one, *rest]
    return None


def scored(state: State, gained: int, leader: int = 0) -> list[Event]:
    """Return the events of the last trick of a round in which seat 0 gets so many eyes."""
    ready, played = before_last_trick(state, gained, leader), ("7-", "7#")
    ready = do(ready, leader, played[leader])
    return events(ready, 1 - leader, played[1 - leader])


def after_round(state: State, gained: int, leader: int = 0) -> State:
    """Return the state after a round in which seat 0 gets so many eyes."""
    played = ("7-", "7#")
    return do(do(before_last_trick(state, gained, leader), leader, played[leader]), 1 - leader, played[1 - leader])


def at_points(state: State, first: int, second: int) -> State:
    """Return the state with these points from earlier rounds."""
    return replace(state, results=(Result(1, 0, None, (0, 120), (first, second)),))


# --- by chance --------------------------------------------------------------------------------------------------------


def step(state: State, rng: Random, *, leaving: float = 0.0) -> State:
    """Make a legal move by chance; now and then the clock makes it, or somebody leaves."""
    chance, seat = rng.random(), state.current
    assert seat is not None
    if chance < leaving:
        return rules.leave(state, rng.randrange(2)).state
    if chance < 0.1:
        return rules.timeout(state, rng).state
    return rules.play(state, seat, PlayCard(rng.choice(offered(state, seat))), rng).state


def played(state: State, rng: Random, *, leaving: float = 0.0) -> Iterator[State]:
    """Yield every state of a match that goes on by chance, the last one being over."""
    yield state
    while not rules.is_over(state):
        state = step(state, rng, leaving=leaving)
        yield state
