"""The house player of Doppelkopf: legal, blind to what is hidden, the same everywhere, and sensible."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.adapters import hide_doppelkopf
from tests.hashing import printed
from tests.rules.doppelkopf_run import begun, call, dealt_by, do, healthy, laid, played, step
from tests.rules.doppelkopf_run import said as said_by
from tests.thoroughness import SOAK, few, sampled
from yawc_poker.cards import Card, Rank, card
from yawc_poker.engine.house import LEVELS, Level, SealedChance, chance_of
from yawc_poker.engine.players import Dice
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.model import (
    Call,
    Healthy,
    MayName,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    State,
)
from yawc_poker.games.doppelkopf.player.bids import usual
from yawc_poker.games.doppelkopf.player.choose import BUDGETS, HOUSE
from yawc_poker.games.doppelkopf.player.decks import deck_of, numbers
from yawc_poker.games.doppelkopf.player.endings import Ending
from yawc_poker.games.doppelkopf.player.evidence import World, done, likely_worlds, said, worth_of
from yawc_poker.games.doppelkopf.player.knowledge import Known, read
from yawc_poker.games.doppelkopf.player.playouts import AFTER, FINE, MATES, play_out, re_of, start_of, worth
from yawc_poker.games.doppelkopf.player.policy import follow, lead, lead_of_bride, standing, woo
from yawc_poker.games.doppelkopf.player.search import candidates

seeds = st.integers(0, 2**32)
some = settings(max_examples=sampled(8))
fewest = settings(max_examples=sampled(4))
FIRST_MOVES = 16
MOMENTS = (0, 6, 9, 2, 4, 8, 10, 11)
"""Tricks that are over where a choice is counted: each function that costs is called at one of the first."""


def chosen(state: State, level: Level, key: str = "a key") -> Move:
    """The choice of the seat on turn."""
    assert state.current is not None
    return HOUSE.choose(rules.view(state, state.current), level, SealedChance(key))


def by_house(state: State, seed: str, *levels: Level) -> Iterator[tuple[State, int, Move]]:
    """Yield each state of a match that house players play, with the seat on turn and its move."""
    action = 1
    while (seat := state.current) is not None:
        move = HOUSE.choose(rules.view(state, seat), levels[seat % len(levels)], chance_of(seed, seat, action))
        yield state, seat, move
        state, action = do(state, seat, move), action + 1


# --- in another's place -----------------------------------------------------------------------------------------------


@fewest
@given(seeds)
def test_a_stand_in_calls_nothing_and_plays_alone_only_where_it_must(seed: int) -> None:
    """Its person may come back, and would be bound by it."""
    for state in played(dealt_by(seed, Options(rounds=1, tournament=seed % 4 == 0)), Random(seed)):
        if state.current is None:
            continue
        view = rules.view(state, state.current)
        move = HOUSE.chooser(stands_in=True)(view, "normal", SealedChance(str(seed)))
        assert not isinstance(move, Call)
        if isinstance(move, Reserve):
            assert usual(view) == "wedding"
        if isinstance(move, PlaySolo):
            assert not any(isinstance(choice, MayName) and choice.wedding for choice in view.choices)
        do(state, state.current, move)


# --- legal, blind, the same -------------------------------------------------------------------------------------------


@some
@given(seeds)
def test_every_move_is_legal_whatever_the_others_do(seed: int) -> None:
    """Calls by chance, clocks and people who leave bring about what house players alone would not."""
    rng = Random(seed)
    for state in played(dealt_by(seed, Options(rounds=1, tournament=seed % 8 == 0)), rng, leaving=0.001):
        if state.current is not None and rng.random() < 0.1:
            level = rng.choices(LEVELS, (6, 3, 1))[0]
            do(state, state.current, chosen(state, level, str(seed)))


@fewest
@given(seeds)
def test_a_match_of_house_players_comes_to_its_end(seed: int) -> None:
    moves = list(by_house(dealt_by(seed, Options(rounds=2)), str(seed), "easy", "normal"))
    assert sum(isinstance(move, PlayCard) for _, _, move in moves) == 2 * 48


@fewest
@given(seeds)
def test_what_is_hidden_does_not_matter(seed: int) -> None:
    rng = Random(seed)
    for state, seat, move in by_house(dealt_by(seed, Options(rounds=1)), str(seed), "normal", "easy"):
        if rng.random() < 0.2:
            level: Level = "normal" if seat % 2 == 0 else "easy"
            assert chosen(hide_doppelkopf(state, seat, rng), level) == chosen(state, level)
            assert isinstance(move, Move)


@fewest
@given(seeds, st.integers(1, 11))
def test_what_is_hidden_does_not_matter_to_hard(seed: int, tricks: int) -> None:
    rng = Random(seed)
    state = next(state for state in played(dealt_by(seed, Options(rounds=1)), rng) if len(state.round.tricks) == tricks)
    assert state.current is not None
    assert chosen(hide_doppelkopf(state, state.current, rng), "hard") == chosen(state, "hard")


def _moves_of_a_round() -> str:
    """The moves of a round, or the first ones."""
    moves = by_house(dealt_by(5, Options(rounds=1)), "5", "hard", "normal", "easy", "easy")
    return "\n".join(str(move) for _, _, move in islice(moves, None if SOAK else FIRST_MOVES))


def test_all_processes_choose_the_same() -> None:
    code = "from tests.rules.test_doppelkopf_player import _moves_of_a_round as moves; print(moves())"
    assert len(printed(code).splitlines()) >= FIRST_MOVES


# --- budgets ----------------------------------------------------------------------------------------------------------


def _counted(state: State, level: Level) -> dict[str, int]:
    """Return how often the functions that cost are called for a choice."""
    calls: dict[str, int] = {}

    def count(frame: object, event: str, _: object) -> None:
        name = getattr(getattr(frame, "f_code", None), "co_name", "")
        if event == "call" and name in {"dealt", "done", "play_out", "_best"}:
            calls[name] = calls.get(name, 0) + 1

    sys.setprofile(count)
    try:
        chosen(state, level)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_no_choice_costs_more_than_its_budget(level: Level) -> None:
    budget = BUDGETS[level]
    most_bids = 4 * budget.bids + 4 * 7 * 12
    most_worlds = max(most_bids, budget.worlds * budget.tries)
    for state, _, _ in by_house(dealt_by(8, Options(rounds=1)), "8", "normal"):
        if state.round.trick or len(state.round.tricks) not in few(MOMENTS, 3):
            continue
        counted = _counted(state, level)
        assert counted.get("dealt", 0) <= most_worlds
        assert counted.get("play_out", 0) <= max(most_bids, budget.worlds * (12 * budget.searches + 1))
        assert counted.get("_best", 0) <= 200_000


def test_easy_counts_nothing() -> None:
    for state, _, _ in by_house(dealt_by(8, Options(rounds=1)), "8", "easy"):
        assert not _counted(state, "easy")


# --- what is plain ----------------------------------------------------------------------------------------------------

SOLO = "A+ A+ 10+ 10+ A* A* 10* A# A# A- A- 10-"
STRONG = "10# 10# Q+ Q* Q* Q# Q- J+ J* J# A+ A*"
WEDDING = "Q+ Q+ Q- J- 9- 9+ K+ 9* K* 9# K# J#"


@pytest.mark.parametrize("level", LEVELS)
def test_both_queens_of_clubs_are_a_wedding(level: Level) -> None:
    state = begun("", WEDDING)
    assert chosen(state, level) == Reserve()
    assert chosen(said_by(state, "!", "-", "-", "-"), level) == NoSolo()


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_twelve_sure_tricks_are_played_alone(level: Level) -> None:
    state = begun("", SOLO)
    assert chosen(state, level) == Reserve()
    assert chosen(said_by(state, "!", "-", "-", "-"), level) == PlaySolo("aces")
    assert chosen(begun("", "9+ 9+ 9* 9* 9# 9# 9- 9- K+ K* K# K-"), level) == Healthy()


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_strong_hand_is_announced_and_a_weak_one_is_not(level: Level) -> None:
    assert chosen(healthy(begun("", STRONG)), level) == Call("team")
    assert isinstance(chosen(healthy(begun("", "9+ 9+ 9* 9* 9# 9# 9- 9- K+ K* K# K-")), level), PlayCard)


def test_easy_calls_nothing() -> None:
    assert isinstance(chosen(healthy(begun("", STRONG)), "easy"), PlayCard)


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_the_last_to_play_saves_the_fox_in_a_rich_trick(level: Level) -> None:
    hand = "A- J- 9- 9- K* 9* 9* K# 9# 9# K- J#"
    state = laid(healthy(begun(hand, "A+ 10* Q+", "10+ A*", "10+ A# Q+")), "A+ 10+ 10+")
    assert chosen(state, level) == PlayCard(card("A-"))


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_partner_who_is_known_gets_the_eyes(level: Level) -> None:
    """Seat 3 has announced Re, and its ten of hearts has the trick."""
    hands = ("Q+ A- 9- J# K* 9* 9* K# 9# 9# 9+ K+", "J-", "9-", "Q+ 10#")
    state = laid(call(healthy(begun(*hands)), 3, "re"), "J- 9- 10#")
    assert chosen(state, level) == PlayCard(card("A-"))


# --- the quick model plays by the rules -------------------------------------------------------------------------------


def true_world(state: State, known: Known) -> World:
    """Return the numbers of the cards that the players really hold."""
    free, world = numbers(known.hidden), list[int]()
    for place, player in enumerate(state.players):
        hand = known.hand if place == known.me else 0
        for one in player.hand if place != known.me else ():
            number = next(number for number in free if known.deck.cards[number] == one)
            free.remove(number)
            hand |= 1 << number
        world.append(hand)
    return tuple(world)


def by_policy(state: State) -> State:
    """Play a round to its end by the policy, through the rules, each knowing the partners that all have been shown."""
    while state.phase == "play" and state.current is not None:
        known = read(rules.view(state, state.current))
        re, deck = re_of(known, true_world(state, known)), known.deck
        mates = MATES[re][known.shown][known.me] if known.bride < 0 else 0
        if known.trick:
            best, winner = standing(known)
            danger = AFTER[len(known.trick)][known.me] & ~mates != 0
            eyes, led = sum(deck.eyes[one] for one in known.trick), deck.colour[known.trick[0]]
            if known.bride < 0:
                number = follow(deck, known.hand, led, best, mates >> winner & 1 != 0, danger, eyes, known.gone)
            else:
                number = woo(deck, known.hand, led, best, known.me == known.bride, danger, eyes, known.gone)
        elif known.me == known.bride:
            number = lead_of_bride(deck, known.hand, known.gone)
        else:
            number = lead(deck, known.hand, known.gone, re >> known.me & 1 != 0)
        state = do(state, state.current, PlayCard(deck.cards[number]))
    return state


def middle(seed: int, tricks: int) -> State:
    """Return a state of a match by chance in which so many tricks of a round have been taken, and a card is due."""
    rng, state = Random(seed), dealt_by(seed, Options(rounds=1))
    while not (state.phase == "play" and len(state.round.tricks) == tricks):
        state = step(state, rng)
    return state


@some
@given(seeds, st.integers(0, 11))
def test_a_playout_is_the_round_that_the_rules_play(seed: int, tricks: int) -> None:
    state = middle(seed, tricks)
    assert state.current is not None
    known = read(rules.view(state, state.current))
    end = play_out(known, start_of(known, true_world(state, known)))
    result = by_policy(state).results[-1]
    assert end.re_eyes == result.re_eyes
    assert tuple(place for place in range(4) if end.re >> place & 1) == result.re
    was_open = known.bride >= 0
    if not was_open and result.game.clarified == 0:
        gained = worth(end, known.me, known.levels()) / FINE
        assert abs(gained - result.points[known.me]) <= 3 * 0.6 + 1e-9


@fewest
@given(seeds)
def test_the_true_world_agrees_with_what_is_known(seed: int) -> None:
    """Each sampled world has all cards, and no card where it cannot be."""
    state = middle(seed, seed % 12)
    assert state.current is not None
    known = read(rules.view(state, state.current))
    for world in likely_worlds(known, Dice(seed), 20, 2):
        assert [hand.bit_count() for hand in world] == list(known.held)
        assert sum(world) == known.hand | known.hidden
        assert said(known, world) * done(known, world) > 0


def exact(state: State, me: int) -> float:
    """Return the points of a place if all see all cards and play as well as can be; eyes decide as in `worth`."""
    if state.current is None:
        return scored(state, me)
    known = read(rules.view(state, state.current))
    re = re_of(known, true_world(state, known))
    values = [exact(do(state, state.current, PlayCard(known.deck.cards[one])), me) for one in candidates(known)]
    return max(values) if re >> state.current & 1 == re >> me & 1 else min(values)


def scored(state: State, me: int) -> float:
    result = state.results[-1]
    share = (1 if me in result.re else -1) * (3 if result.re == (me,) else 1)
    return result.points[me] + share * (result.re_eyes - 120) / 200


@some
@given(seeds)
@example(77)  # a trick of forty eyes in a solo
def test_an_ending_is_searched_to_its_end(seed: int) -> None:
    state = middle(seed, 10)
    assert state.current is not None
    known = read(rules.view(state, state.current))
    start = start_of(known, true_world(state, known))
    ending = Ending(known, start, known.levels())
    found = {one: ending.worth(known, start, one) for one in candidates(known)}
    for number, value in found.items():
        after = do(state, state.current, PlayCard(known.deck.cards[number]))
        assert abs(value / FINE - exact(after, known.me)) < 1e-9


def test_the_bride_leaves_a_trick_to_those_who_want_it() -> None:
    """While a wedding is not clear; who plays last takes the trick, and so does who has the best card."""
    deck = deck_of("normal")

    def numbered(*names: str) -> int:
        return sum({1 << deck.number[card(name)] for name in names})

    hand, led = numbered("A+", "9+", "Q+", "9-"), deck.colour[deck.number[card("9+")]]
    ten = deck.number[card("10+")]
    assert deck.cards[lead_of_bride(deck, hand, 0)] == card("9+")
    assert deck.cards[woo(deck, hand, led, ten, True, True, 10, 1 << ten)] == card("9+")
    assert deck.cards[woo(deck, hand, led, ten, False, True, 10, 1 << ten)] == card("A+")
    trumps = numbered("J-", "Q#", "Q*"), deck.trumps, deck.number[card("J+")]
    assert deck.cards[woo(deck, *trumps, True, False, 2, 0)] == card("J-")
    assert deck.cards[woo(deck, *trumps, False, False, 2, 0)] == card("Q#")


# --- evidence ---------------------------------------------------------------------------------------------------------


def seen_worlds(state: State, seat: int, count: int = 60) -> tuple[Known, list[World]]:
    known = read(rules.view(state, seat))
    return known, likely_worlds(known, Dice(7), count, 4)


def held(known: Known, worlds: list[World], place: int, wanted: Callable[[Card], bool]) -> float:
    """Return how many such cards a place holds in a world, on average."""
    cards = sum(1 << number for number, one in enumerate(known.deck.cards) if wanted(one))
    return sum((world[place] & cards).bit_count() for world in worlds) / len(worlds)


def is_ace(one: Card) -> bool:
    return one.rank == Rank.ACE


def test_who_names_an_aces_solo_holds_aces() -> None:
    state = said_by(begun("", "A+ A+ 10+ 10+ A* A* 10* A# 10# A- Q- 9-"), "!", "-", "-", "-", "aces")
    known, worlds = seen_worlds(state, 3)
    assert held(known, worlds, 1, is_ace) > 4 > 2 > held(known, worlds, 0, is_ace)


def test_who_names_a_queens_solo_holds_queens() -> None:
    state = said_by(begun("", "Q+ Q+ Q* Q# Q- A+ A+ A* 10*"), "!", "-", "-", "-", "queens")
    known, worlds = seen_worlds(state, 3)
    assert held(known, worlds, 1, lambda one: one.rank == Rank.QUEEN) > 3.5


def test_who_says_re_holds_a_queen_of_clubs_and_good_trumps() -> None:
    state = healthy(begun("", "Q+ 10# 10# Q* Q# Q- J+ J* A+", "Q+"))
    before = seen_worlds(state, 3)
    known, worlds = seen_worlds(call(state, 1, "re"), 3)
    queens = known.deck.queens
    assert all(world[1] & queens for world in worlds)

    def strength(worlds: list[World], place: int) -> float:
        return sum(worth_of(known.deck, "normal", world[place]) for world in worlds) / len(worlds)

    assert strength(worlds, 1) > strength(before[1], 1) + 1.5
    assert strength(worlds, 1) > strength(worlds, 2) + 1.5


def test_who_was_healthy_holds_hardly_ever_both_queens_of_clubs() -> None:
    known, worlds = seen_worlds(healthy(begun("9+ 9*")), 0, 200)
    assert sum(known.deck.queens in (world[place] & known.deck.queens for place in range(4)) for world in worlds) <= 12


def test_who_was_healthy_has_no_hand_for_a_solo() -> None:
    """Five aces are out; nobody who has four of them is healthy."""
    state = healthy(begun("9+ 9+ 9* 9* 9# 9# 9- 9- K+ K* K# K-"))
    known, worlds = seen_worlds(state, 0, 200)
    best = [max(worth_of(known.deck, "aces", world[place]) for place in (1, 2, 3)) for world in worlds]
    assert sum(one >= 26 for one in best) <= 10


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_nobody_calls_against_a_good_solo(level: Level) -> None:
    hands = ("K+ K* K# K- Q+ Q* J+ J* 9# 9- 10# A-", "A+ A+ 10+ 10+ A* A* 10* A# 10# A- Q- 9-")
    state = said_by(begun(*hands), "!", "-", "-", "-", "aces")
    while not state.round.tricks:
        assert state.current is not None
        move = chosen(state, level)
        assert isinstance(move, PlayCard) or state.current == 1
        state = do(state, state.current, move)


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_solo_that_three_aces_and_trumps_will_beat_is_called_against(level: Level) -> None:
    """Everything that the soloist of queens may hold is here."""
    hands = ("Q+ Q+ Q* Q* Q# A+ A+ A* A* A# A# 10+", "Q- Q- A- A- 10- 10- K- K- J- J- 9- 9-")
    state = said_by(begun(*hands), "!", "-", "-", "-", "queens")
    while state.current != 0:
        state = rules.timeout(state, Random(0)).state
    assert chosen(state, level) == Call("team")


# --- habits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["normal", "hard"])
@pytest.mark.parametrize("key", ["a", "b", "c"])
def test_a_fox_is_not_thrown_under_the_card_of_a_known_opponent(level: Level, key: str) -> None:
    """Seat 1 has announced Re and leads the ten of hearts; seat 2 of Contra has a fox and the worst of trumps."""
    hands = ("", "Q+ 10#", "A- J- 9+ 9+ K+ 9* 9* K* 9# 9# K# K#", "Q+")
    state = laid(call(healthy(begun(*hands)), 1, "re"), "10#")
    assert chosen(state, level, key) == PlayCard(card("J-"))


def test_a_plain_ten_is_not_led_under_a_missing_ace() -> None:
    state = healthy(begun("", "10+ 10* K+ K* 9# 9# 10- J- J# Q- Q# Q*"))
    moves = {chosen(state, "hard", str(key)) for key in range(6)}
    assert not moves & {PlayCard(card("10+")), PlayCard(card("10*"))}


def test_a_cheap_trump_takes_a_trick_of_some_eyes() -> None:
    state = laid(healthy(begun("", "K-", "9- J- Q# 9+ 9+ K+ 9* 9* K* 9# 9# K#")), "K-")
    assert chosen(state, "normal") == PlayCard(card("J-"))


def test_a_short_suit_is_thrown_away_before_a_long_one_with_an_ace() -> None:
    state = laid(healthy(begun("", "9+", "K# 9* 9* 10* 10* A* J- J# 9- 9- K- J-")), "9+")
    assert chosen(state, "normal") == PlayCard(card("K#"))
