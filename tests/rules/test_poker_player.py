"""The house player of poker: legal, blind to what is hidden, the same everywhere, and sensible."""

import sys
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import hide_poker, pick_poker
from tests.hashing import printed
from tests.thoroughness import sampled
from yawc_poker.cards import cards, deck
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import LEVELS, Level, SealedChance, chance_of
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import category, sort_hand, strength
from yawc_poker.games.poker.model import (
    MOST_BETS,
    MOST_SWAPPED,
    Bet,
    Category,
    Fold,
    MayBet,
    Move,
    Options,
    PastBet,
    State,
    Swap,
    View,
)
from yawc_poker.games.poker.player import swaps, tables
from yawc_poker.games.poker.player.afterwards import HOUSE
from yawc_poker.games.poker.player.choose import SKILLS
from yawc_poker.games.poker.player.situation import FOLD, LEAST, SIZES, Spot, read
from yawc_poker.games.poker.player.strategy import BASE, HOPED, MADE, STRATEGY

seeds = st.integers(0, 2**32)
levels = st.sampled_from(LEVELS)
some = settings(max_examples=sampled(40))
few = settings(max_examples=sampled(12))
CASH = (10, 11, 30, 100, 250, 1000)


def chosen(state: State, level: Level, key: str = "a key") -> Move:
    """The choice of the seat on turn."""
    assert state.current is not None
    return HOUSE.choose(rules.view(state, state.current), level, SealedChance(key))


def dealt(seed: int, cash: tuple[int, ...], options: Options | None = None) -> State:
    rng = Random(seed)
    order = list(rules.DECK)
    rng.shuffle(order)
    seats = dict(enumerate(cash))
    return rules.deal(seats, rng.randrange(len(cash)), Dealing(" ".join(order)), options or Options()).state


def by_chance(state: State, rng: Random) -> Iterator[State]:
    """Yield each state of a game that people play by chance, who leave now and then."""
    while (seat := state.current) is not None:
        yield state
        if rng.random() < 0.02:
            state = rules.leave(state, seat).state
            continue
        choices = rules.legal_moves(state, seat)
        state = rules.play(state, seat, pick_poker(choices[0] if rng.random() < 0.9 else choices[-1], rng), rng).state


def by_house(state: State, seed: str, *levels: Level) -> Iterator[tuple[State, int, Move]]:
    """Yield each state of a game that house players play, with the seat on turn and its move."""
    action = 1
    while (seat := state.current) is not None:
        chance = chance_of(seed, seat, action)
        move = HOUSE.choose(rules.view(state, seat), levels[seat % len(levels)], chance)
        yield state, seat, move
        state, action = rules.play(state, seat, move, Random(0)).state, action + 1


def held(
    hand: str, *bets: PastBet, number: int = 3, low: int = 1, high: int = 200, seats: int = 2, **more: int
) -> View:
    """The view of seat 0, the master, with this hand: four seats at most, all of them active."""
    state = dealt(1, (1000,) * seats)
    view = rules.view(replace(state, master=0, current=0), 0)
    pot = 10 * seats + sum(bet.amount for bet in bets)
    view = replace(view, hand=sort_hand(cards(hand)), round=number, low=low, high=high, bets=bets, pot=pot)
    return replace(view, phase="swap" if number == 2 else "bet", **more)


def often(view: View, level: Level, times: int = 40) -> list[Move]:
    return [HOUSE.choose(view, level, SealedChance(str(number))) for number in range(times)]


NOTHING, PAIR, FULL, FOUR = "A+ J* 9- 7# 6+", "10+ 10* 9- 7# 6+", "A+ A* A- 7# 7+", "A+ A* A- A# 7+"


# --- legal, blind, the same -------------------------------------------------------------------------------------------


@some
@given(seeds, levels, st.lists(st.sampled_from(CASH), min_size=2, max_size=5))
def test_every_move_is_legal_whatever_the_others_do(seed: int, level: Level, cash: list[int]) -> None:
    for state in by_chance(dealt(seed, tuple(cash)), Random(seed)):
        assert state.current is not None
        rules.play(state, state.current, chosen(state, level, str(seed)), Random(0))


@some
@given(seeds, st.lists(st.sampled_from(CASH), min_size=2, max_size=5), st.lists(levels, min_size=1, max_size=5))
def test_a_game_of_house_players_comes_to_its_end_and_to_a_winner(
    seed: int, cash: list[int], levels: list[Level]
) -> None:
    state = dealt(seed, tuple(cash))
    for count, (now, seat, move) in enumerate(by_house(state, str(seed), *levels)):
        state = rules.play(now, seat, move, Random(0)).state
        assert count < 500
    assert rules.is_over(state)


@few
@given(seeds, levels)
def test_cash_from_outside_that_falls_below_the_least_bet_leaves_a_pass(seed: int, level: Level) -> None:
    state = dealt(seed, (1000, 1000))
    assert state.current is not None
    poor = rules.fund(replace(state, low=50, previous_bet=50), {0: 20, 1: 20})
    assert chosen(poor, level) == Fold()


@some
@given(seeds, levels)
def test_what_is_hidden_does_not_matter(seed: int, level: Level) -> None:
    rng = Random(seed)
    for state in by_chance(dealt(seed, (1000, 500, 1000)), rng):
        others = {seat: cash + rng.randrange(50) * (seat != state.current) for seat, cash in enumerate(state.cash)}
        hidden = rules.fund(hide_poker(state, state.current, rng), others)
        assert chosen(hidden, level) == chosen(state, level)


@few
@given(seeds, levels)
def test_how_many_cards_others_changed_does_not_matter(seed: int, level: Level) -> None:
    state = dealt(seed, (1000, 1000))
    for _ in range(2):
        assert state.current is not None
        state = rules.play(state, state.current, Bet(5), Random(0)).state
    assert (state.phase, state.current) == ("swap", state.master)
    after = [rules.play(state, state.master, Swap(places), Random(0)).state for places in ((), (0, 1, 2))]
    assert chosen(after[0], level) == chosen(after[1], level)


def _moves_of_some_games() -> str:
    told = []
    for seed in range(6):
        state = dealt(seed, (1000,) * 4)
        told += [str(move) for _, _, move in by_house(state, str(seed), "hard", "normal", "easy", "hard")]
    return "\n".join(told)


def test_all_processes_choose_the_same() -> None:
    code = "from tests.rules.test_poker_player import _moves_of_some_games as moves; print(moves())"
    assert printed(code)


# --- budgets ----------------------------------------------------------------------------------------------------------


def _valued(state: State, level: Level) -> int:
    """Return how many hands are valued for a choice."""
    calls = [0]

    def count(frame: object, event: str, _: object) -> None:
        calls[0] += event == "call" and getattr(getattr(frame, "f_code", None), "co_name", "") == "strength"

    sys.setprofile(count)
    try:
        chosen(state, level)
    finally:
        sys.setprofile(None)
    return calls[0]


@pytest.mark.parametrize("level", LEVELS)
def test_no_choice_values_more_hands_than_its_budget(level: Level) -> None:
    """Of two cards that come, all 595 are tried; of three, as many as the budget has. Four changes are compared."""
    most = 0
    for seed in range(12):
        for state, _, _ in by_house(dealt(seed, (1000, 1000)), str(seed), "normal"):
            most = max(most, _valued(state, level))
    assert most <= (10 if level == "easy" else 5 * max(SKILLS[level].draws, 595) + 20)


# --- what the view adds -----------------------------------------------------------------------------------------------


def test_a_view_has_the_bets_of_all_and_the_cash_of_its_own_seat_alone() -> None:
    state = replace(dealt(3, (500, 700)), master=0, current=0)
    state = rules.play(state, 0, Bet(7), Random(0)).state
    bets = (PastBet(1, 0, 7, False),)
    assert [rules.view(state, seat).bets for seat in (0, 1, None)] == [bets] * 3
    assert [rules.view(state, seat).cash for seat in (0, 1, None)] == [483, 690, 0]


def test_the_oldest_bets_of_a_long_game_are_forgotten() -> None:
    state = dealt(3, (500, 700))
    for _ in range(MOST_BETS + 9):
        assert state.current is not None
        moved = Swap() if state.phase == "swap" else Bet(state.low)
        state = rules.play(state, state.current, moved, Random(0)).state
    assert len(state.bets) == MOST_BETS
    assert state.bets[-1].round == state.round or state.bets[-1].round == state.round - 1
    assert isinstance(chosen(state, "hard"), Bet | Fold)


# --- figures ----------------------------------------------------------------------------------------------------------


def test_the_classes_hold_as_many_hands_as_they_say() -> None:
    rng, times = Random(1), 6000
    after = [0] * len(MADE)
    for _ in range(times):
        drawn = rng.sample(swaps.DECK, 8)
        hand = sort_hand(tuple(drawn[:5]))
        places = swaps.thumb(hand)
        kept = [card for place, card in enumerate(hand) if place not in places]
        after[tables.after(strength((*kept, *drawn[5 : 5 + len(places)])))] += 1
    for many, share in zip(after, MADE, strict=True):
        assert many / times == pytest.approx(share, abs=5 * (share / times) ** 0.5)


def test_a_better_hand_is_of_a_higher_class_unless_it_hopes() -> None:
    hands = ["A+ J* 9- 7# 6+", "10+ 10* 9- 7# 6+", "A+ A* 9- 7# 6+", "A+ A* K- K# 7+", "K+ K* K- A# 7+", FULL]
    held = [sort_hand(cards(hand)) for hand in hands]
    for classes in ([tables.before(hand) for hand in held], [tables.after(strength(hand)) for hand in held]):
        assert classes == sorted(set(classes))
    assert tables.before(sort_hand(cards("K+ J+ 9+ 6+ 5-"))) == tables.FLUSH_HOPE
    assert tables.before(sort_hand(cards("10+ 9* 8+ 7+ A-"))) == tables.STRAIGHT_HOPE
    assert 0.99 < tables.rank(strength(cards("A+ K+ Q+ J+ 10+"))) <= 1


def test_the_strategy_has_chances_for_every_class_in_every_spot() -> None:
    for key, row in STRATEGY.items():
        classes = len(HOPED) if key[1] == "0" else len(MADE)
        assert set(row) <= {FOLD, *SIZES, *SIZES.upper()}
        assert {len(chances) for chances in row.values()} == {classes}
        columns = zip(*row.values(), strict=True)
        assert {sum([int(digit, BASE) for digit in column]) for column in columns} == {BASE - 1}


@some
@given(st.integers(1, 4), st.integers(0, 2), st.booleans(), st.integers(1, 1000), st.integers(1, 200))
def test_what_is_never_seen_has_a_row_like_what_is(rivals: int, stage: int, seen: bool, pot: int, low: int) -> None:
    spot = Spot(rivals, stage, rivals // 2, seen, low, low // 2, pot, 200, 1000)
    for action in (FOLD, *SIZES, *SIZES.upper()):
        move = spot.move(action)
        assert isinstance(move, Fold) if action == FOLD else isinstance(move, Bet) and low <= move.amount <= 200
    assert len(spot.key) == len(next(iter(STRATEGY)))
    assert spot.move(LEAST) == Bet(low, see=stage > 0)


def test_who_has_acted_need_not_answer() -> None:
    now = read(held(PAIR, PastBet(3, 1, 1, True), seats=3, master=1))
    assert (now.rivals, now.to_come, now.seen) == (2, 0, True)
    first = read(held(PAIR, seats=3))
    assert (first.rivals, first.to_come, first.seen) == (2, 2, False)


def test_nobody_bets_what_they_could_not_pay_again() -> None:
    for level in LEVELS:
        for low in (1, 20):
            moves = often(held(FULL, number=1, low=low, high=60, cash=60), level)
            assert max(move.amount for move in moves if isinstance(move, Bet)) <= 30
    assert set(often(held(FULL, number=1, low=40, high=60, cash=60), "hard")) == {Fold()}


# --- obvious cases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_the_only_one_left_bets_the_least_and_never_passes(level: Level) -> None:
    state = dealt(2, (1000, 1000))
    assert state.current is not None
    left = rules.play(state, state.current, Fold(), Random(0)).state
    assert chosen(left, level) == Bet(1)


@pytest.mark.parametrize("level", LEVELS)
def test_four_aces_are_never_laid_down(level: Level) -> None:
    big = PastBet(3, 1, 200, True)
    assert Fold() not in often(held(FOUR, big, low=200, master=1), level)
    assert Fold() not in often(held(FOUR, number=1), level)


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_nothing_is_laid_down_before_the_highest_bet(level: Level) -> None:
    view = held("A+ J* 9- 7# 6+", PastBet(1, 1, 10, False), PastBet(3, 1, 200, True), low=200, master=1)
    assert often(view, level).count(Fold()) >= 36


def test_easy_pays_too_often() -> None:
    view = held(NOTHING, PastBet(3, 1, 200, True), low=200, master=1)
    assert 5 < often(view, "easy").count(Fold()) < 35


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_full_house_bets_more_than_nothing(level: Level) -> None:
    good, poor = ([move.amount for move in often(held(hand), level) if isinstance(move, Bet)] for hand in (FULL, PAIR))
    assert sum(good) / len(good) > 2 * sum(poor) / len(poor)


def test_hard_bluffs_now_and_then_where_it_is_cheap() -> None:
    cheap, dear = held(NOTHING), held(NOTHING, PastBet(1, 1, 20, False), low=20)
    bluffs = [move for move in often(cheap, "hard", 80) if isinstance(move, Bet) and move.amount >= cheap.pot]
    assert 8 <= len(bluffs) <= 50
    assert not [move for move in often(dear, "hard") if isinstance(move, Bet) and move.amount > 20]


@pytest.mark.parametrize("level", LEVELS)
def test_hands_that_are_made_are_kept(level: Level) -> None:
    assert set(often(held(FULL, number=2), level)) == {Swap()}
    assert set(often(held("A+ A* A- 8# 7+", number=2), level)) == {Swap((0, 1))}
    assert set(often(held("A+ A* K- K# 7+", number=2), level)) == {Swap((0,))}


def test_four_of_a_flush_get_one_more_card_where_a_pair_would_not_do() -> None:
    hand = "K+ J+ 9+ 6+ 5-"
    assert set(often(held(hand, number=2, seats=5), "hard", 5)) == {Swap((0,))}
    assert set(often(held(hand, number=2, seats=2), "hard", 5)) == {Swap((0, 1, 2))}


@some
@given(st.permutations(deck(sorted({card.rank for card in swaps.DECK}))))
def test_a_change_is_one_of_its_rivals_and_keeps_the_rules(order: list[object]) -> None:
    hand = sort_hand(tuple(card for card in order[:5] if isinstance(card, type(swaps.DECK[0]))))
    for places in swaps.rivals(hand):
        assert len(set(places)) == len(places) <= MOST_SWAPPED
        assert set(places) <= set(range(5))
    assert swaps.thumb(hand) == () or category(hand) < Category.STRAIGHT


def test_a_bet_is_within_the_limits_that_the_rules_offer() -> None:
    state = dealt(4, (1000, 1000, 12))
    for now, seat, move in by_house(state, "4", "hard", "normal", "easy"):
        offered = rules.legal_moves(now, seat)[0]
        if isinstance(move, Bet) and isinstance(offered, MayBet):
            assert offered.low <= move.amount <= offered.high
