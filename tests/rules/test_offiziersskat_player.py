"""The house player of Offiziersskat: always legal, blind to covered cards, exact in endings, within its budget."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.stacked import dealing
from tests.hashing import printed
from tests.thoroughness import sampled
from yawc_poker.cards import Card, Suit, card, cards
from yawc_poker.engine.house import LEVELS, Level, SealedChance
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import (
    ALL_EYES,
    CARDS,
    PLACES,
    Options,
    Place,
    PlayCard,
    Player,
    Round,
    State,
    View,
)
from yawc_poker.games.offiziersskat.player.choose import BUDGETS, HOUSE, POINT, Budget, Thought, gain, think, worth_of
from yawc_poker.games.offiziersskat.player.position import Position, order, position, worlds
from yawc_poker.games.offiziersskat.player.search import BOUND, searcher, world
from yawc_poker.games.offiziersskat.player.weights import GRAND, SUIT
from yawc_poker.games.offiziersskat.player.worth import judge_of
from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.tricks import Trick, beats, eyes, playable


def states(seed: int) -> Iterator[State]:
    """Return the states of a random round in which somebody is on turn."""
    rng = Random(seed)
    state = rules.deal({0: 0, 1: 0}, 0, dealing(rules, rng), Options(target=1)).state
    while not state.results:
        yield state
        state = rules.play(state, on_turn(state), PlayCard(rng.choice(legal(state))), rng).state


def on_turn(state: State) -> int:
    assert state.current is not None
    return state.current


def legal(state: State) -> tuple[Card, ...]:
    return rules.legal_moves(state, on_turn(state))[0].cards


def seen(state: State) -> View:
    return rules.view(state, on_turn(state))


def known_in(state: State) -> Position:
    return position(seen(state), order(state.round.trump))


def chosen(state: State, level: Level, seed: int = 0) -> Card:
    return HOUSE.choose(seen(state), level, SealedChance(f"test {seed}")).card


# --- always ----------------------------------------------------------------------------------------------------------


@settings(max_examples=sampled(12))
@given(st.integers(0, 10**6))
def test_a_choice_is_always_legal(seed: int) -> None:
    for state in states(seed):
        for level in LEVELS[:2]:
            assert chosen(state, level, seed) in legal(state)


def test_a_hard_choice_is_legal_from_the_first_trick_on() -> None:
    for state in list(states(5))[2::6]:
        assert chosen(state, "hard") in legal(state)


@settings(max_examples=sampled(10))
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_covered_cards_do_not_matter(seed: int, rng: Random) -> None:
    """The cards that are covered on either side change places; the choice stays."""
    state = rng.choice(list(states(seed)))
    other = covered_anew(state, rng)
    assert seen(other) == seen(state)
    for level in LEVELS:
        assert chosen(other, level) == chosen(state, level)


def covered_anew(state: State, rng: Random) -> State:
    hidden = [place.covered for player in state.players for place in player.places if place.covered is not None]
    rng.shuffle(hidden)

    def anew(player: Player) -> Player:
        return replace(
            player, places=tuple(replace(one, covered=one.covered and hidden.pop()) for one in player.places)
        )

    first, second = state.players
    return replace(state, players=(anew(first), anew(second)))


def test_who_is_not_on_turn_is_refused() -> None:
    state = next(states(1))
    with pytest.raises(ValueError, match="not on turn"):
        HOUSE.choose(rules.view(state, 1 - on_turn(state)), "normal", SealedChance(""))


# --- obvious cards ---------------------------------------------------------------------------------------------------


def ending(mine: str, other: str, led: str = "", trump: Suit | None = Suit.DIAMONDS) -> State:
    """Return the end of a round in which seat 0 is on turn; all cards are open, and tricks were taken in turn."""
    places = tuple(tuple(Place(one) for one in cards(hand)) for hand in (mine, other))
    sides = tuple(Player((*side, *[Place()] * (PLACES - len(side)))) for side in places)
    gone = [one for one in CARDS if one not in cards(f"{mine} {other} {led}")]
    tricks = tuple(Trick(0, (gone[at], gone[at + 1]), at // 2 % 2) for at in range(0, len(gone), 2))
    now = Round(1, 0, trump, int(bool(led)), cards(led), tricks)
    return State(Options(target=1), "", (sides[0], sides[1]), (), 0, now, current=0)


@pytest.mark.parametrize(
    ("state", "best"),
    [
        (ending("A# 7#", "8*", "10#"), "A#"),  # takes the ten
        (ending("A# 7#", "8#", "J-"), "7#"),  # keeps the ace from the jack, for the eight
        (ending("A# 7*", "8* 10*"), "A#"),  # takes a trick for sure
        (ending("K* 7-", "9#", "A*"), "K*"),  # must follow
        (ending("K+ 7-", "9#", "A*"), "7-"),  # trumps the ace
    ],
)
@pytest.mark.parametrize("level", LEVELS)
def test_an_obvious_card(state: State, best: str, level: Level) -> None:
    """A careless player overlooks it now and then."""
    found = [chosen(state, level, seed) for seed in range(24)]
    assert found.count(card(best)) >= (12 if level == "easy" else 24)


def test_only_easy_players_are_careless() -> None:
    state = ending("A# 7#", "8*", "10#")
    assert {chosen(state, "easy", seed) for seed in range(24)} == {card("A#"), card("7#")}


# --- the budget ------------------------------------------------------------------------------------------------------


def thought(state: State, budget: Budget, seed: int = 0) -> Thought:
    cards = order(state.round.trump)
    known = position(seen(state), cards)
    slots = [known.slots.index(number) for number, one in cards.items() if one in legal(state)]
    judge = judge_of(GRAND if state.round.trump is None else SUIT)
    return think(known, slots, budget, judge, SealedChance(f"test {seed}"))


def test_no_more_worlds_are_played_than_the_budget_has() -> None:
    for state in list(states(3))[:20:4]:
        assert thought(state, Budget(samples=3, tricks=1, ending=0, positions=10**6)).samples == 3


def test_no_world_is_begun_once_enough_positions_were_met() -> None:
    state = list(states(3))[8]
    full = thought(state, Budget(samples=4, tricks=3, ending=0, positions=10**6))
    assert full.samples == 4
    assert full.positions > 4 * 20
    short = thought(state, Budget(samples=4, tricks=3, ending=0, positions=full.positions // 2))
    assert short.samples < 4
    assert short.positions < full.positions


def test_a_short_ending_is_played_in_every_world() -> None:
    state = next(endings(6, 4))
    assert thought(state, BUDGETS["hard"]).samples == 24
    assert thought(state, BUDGETS["normal"]).samples == 1


@pytest.mark.parametrize("level", BUDGETS)
def test_the_budget_of_a_level_is_kept_from_the_first_trick_on(level: Level) -> None:
    budget = BUDGETS[level]
    for state in list(states(8))[:12:5]:
        found = thought(state, budget)
        assert found.samples <= budget.samples
        assert found.positions <= budget.positions


def test_each_covered_card_lies_in_each_slot_equally_often() -> None:
    known = known_in(next(states(6)))
    found = list(worlds(known, 2 * len(known.covered), SealedChance("test")))
    for slot in known.covered:
        assert sorted(one[slot] for one in found) == sorted(2 * known.unseen)
    assert len(set(found)) == len(found)


# --- the worth of a round --------------------------------------------------------------------------------------------


def test_a_narrow_win_is_worth_less_while_many_cards_are_covered() -> None:
    worth, last = worth_of(known_in(next(states(6)))), known_in(next(endings(4, 0)))
    assert worth == sorted(worth)
    assert worth[ALL_EYES] == 0 < worth[ALL_EYES + 1] < POINT
    assert -POINT < worth[ALL_EYES - 1] < 0
    assert worth_of(last) == [gain(last.ahead + value) for value in range(-ALL_EYES, ALL_EYES + 1)]


# --- the judgement ---------------------------------------------------------------------------------------------------


def judged(state: State) -> tuple[int, int]:
    """Return what a position is judged to be worth, in one possible world, and what it is worth."""
    known = known_in(state)
    here = world(next(worlds(known, 1, SealedChance("test"))), known.eyes)
    judge = judge_of(GRAND if state.round.trump is None else SUIT)
    exact = searcher(here, judge, 0).value(here.cards, 0, here.rest, here.pattern, -BOUND, BOUND)
    return judge(here.pattern, 0), exact


def test_the_judgement_is_not_far_from_the_truth() -> None:
    """A position of six tricks is worth 20 eyes on average, one way or the other; the judgement misses by far fewer."""
    pairs = [judged(state) for seed in range(120) for state in list(states(seed))[20:21]]
    missed = sum(abs(judgement - exact) for judgement, exact in pairs)
    assert missed < 0.6 * sum(abs(exact) for _, exact in pairs)


def test_both_sides_are_judged_alike() -> None:
    """The same cards on the other side, which leads, are worth the same to it."""
    known = known_in(next(states(4)))
    numbers = next(worlds(known, 1, SealedChance("test")))
    here, there = world(numbers, known.eyes), world((*numbers[16:], *numbers[:16]), known.eyes)
    judge = judge_of(SUIT)
    assert judge(here.pattern, 0) == judge(there.pattern, 1)
    assert judge(here.pattern, 1) == judge(there.pattern, 0)


# --- every process ---------------------------------------------------------------------------------------------------

CHOICES = """
from tests.rules.test_offiziersskat_player import chosen, states
print([str(chosen(state, level)) for state in list(states(11))[7::8] for level in ("easy", "normal", "hard")])
"""


def test_every_process_chooses_the_same() -> None:
    assert len(printed(CHOICES).split()) == 12


# --- endings ---------------------------------------------------------------------------------------------------------

Side = tuple[Place, ...]


def exact(state: State) -> Mapping[Card, Sequence[int]]:
    """Return the eyes to come minus the other seat's, for each legal card by each reply to it.

    All lines are tried, all cards known.
    """
    seat, now = on_turn(state), state.round
    ranking = order_of(now.trump)

    @cache
    def led(sides: tuple[Side, Side], leader: int) -> int:
        return max((min(after(sides, leader, one)) for one in opened(sides[leader])), default=0)

    def after(sides: tuple[Side, Side], leader: int, one: Card) -> list[int]:
        return [trick(sides, leader, one, reply) for reply in playable(ranking, opened(sides[1 - leader]), one)]

    def trick(sides: tuple[Side, Side], leader: int, one: Card, reply: Card) -> int:
        first, second = without(sides[0], {one, reply}), without(sides[1], {one, reply})
        taken = beats(ranking, reply, one)
        value = led((first, second), 1 - leader if taken else leader)
        return -eyes([one, reply]) - value if taken else eyes([one, reply]) + value

    places = state.players[0].places, state.players[1].places
    if now.trick:
        return {one: [-trick(places, now.leader, now.trick[0], one)] for one in legal(state)}
    return {one: after(places, seat, one) for one in legal(state)}


def opened(side: Side) -> tuple[Card, ...]:
    return tuple(place.open for place in side if place.open is not None)


def without(side: Side, gone: set[Card]) -> Side:
    """Return the places after a trick: what lay below a card that is gone, or below the one led, is turned up."""
    return tuple(Place(place.covered) if place.open is None or place.open in gone else place for place in side)


def endings(most: int, *covered: int) -> Iterator[State]:
    """Return a position of each round that has one with that many tricks left, or fewer, and cards covered."""
    for seed in range(100):
        for state in states(seed):
            left = 16 - len(state.round.tricks)
            if left <= most and len(seen(state).unseen) in covered and len(legal(state)) > 1:
                yield state
                break


@pytest.mark.parametrize("tricks", [3, 4, 5, 6])
def test_the_best_card_in_an_ending_whose_cards_are_known(tricks: int) -> None:
    for state in islice(endings(tricks, 0, 1), 12):
        values = {one: min(by_reply) for one, by_reply in exact(state).items()}
        assert values[chosen(state, "hard")] == max(values.values())


def test_the_best_card_on_average_over_all_that_may_be_covered() -> None:
    for state in islice(endings(6, 2, 3, 4), 5):
        assert_best_on_average(state)


def assert_best_on_average(state: State) -> None:
    """The other side answers as is best for it on average, too."""
    gains, found = worth_of(known_in(state)), Counter[tuple[Card, int]]()
    for possible in every_world(state):
        for one, by_reply in exact(possible).items():
            for reply, value in enumerate(by_reply):
                found[one, reply] += gains[value + ALL_EYES]
    sums = {one: min(value for (other, _), value in found.items() if other == one) for one in legal(state)}
    assert sums[chosen(state, "hard")] == max(sums.values())


def every_world(state: State) -> Iterator[State]:
    hidden = [place.covered for player in state.players for place in player.places if place.covered is not None]
    for arranged in permutations(hidden):
        rest = list(arranged)
        players = [
            replace(player, places=tuple(replace(one, covered=one.covered and rest.pop()) for one in player.places))
            for player in state.players
        ]
        yield replace(state, players=(players[0], players[1]))
