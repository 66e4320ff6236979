"""The house player of Mau-Mau: legal at every level, the same everywhere, and not foolish."""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import hide_maumau, pick_maumau
from tests.engine.stacked import dealing
from tests.hashing import printed
from tests.rules.maumau_states import do, table
from tests.thoroughness import SOAK, sampled
from yawc_poker.cards import Card, Suit, card, cards
from yawc_poker.engine.house import LEVELS, Level, SealedChance, chance_of
from yawc_poker.engine.players import Dice, dealt
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Finish, MayPlay, Move, Options, PlayCard, State, Take, View, Wish
from yawc_poker.games.maumau.player import search, worlds
from yawc_poker.games.maumau.player.bits import ALL, BIT, CARD, JACKS, PLAIN, SEVENS, SUITS, fitting, mask, split, worth
from yawc_poker.games.maumau.player.choose import choose
from yawc_poker.games.maumau.player.knowledge import Story, is_wish_open
from yawc_poker.games.maumau.player.playout import Own, Position, play_out
from yawc_poker.games.maumau.player.thumb import AT, PHASES, Row, best_card, best_suit, rows
from yawc_poker.games.maumau.player.weights import MORE, OTHER, TWO
from yawc_poker.games.maumau.player.worlds import World, plan, position
from yawc_poker.games.maumau.progress import fits, points

levels = pytest.mark.parametrize("level", LEVELS)
seeds = st.integers(0, 2**32)
BUDGET = search.PLAYOUTS


@pytest.fixture(autouse=True, scope="module")
def small_budget() -> Iterator[None]:
    """Hard players think little here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "PLAYOUTS", BUDGET // 16)
        yield


def decisions(seed: int, players: int, rounds: int = 1, leaves: float = 0) -> Iterator[State]:
    """Yield the states of a random game in which there is more than one legal move; now and then somebody leaves."""
    rng = Random(seed)
    state = rules.deal(dict.fromkeys(range(players), 0), 0, dealing(rules, rng), Options(rounds)).state
    while (seat := rules.to_move(state)) is not None:
        choices = rules.legal_moves(state, seat)
        if len(choices) > 1 or not isinstance(pick_maumau(choices[0], rng), Take):
            yield state
        if rng.random() < leaves:
            state = rules.leave(state, seat).state
        else:
            state = rules.play(state, seat, pick_maumau(rng.choice(choices), rng), rng).state


def some(seed: int, players: int, leaves: float = 0) -> State:
    """Return one of the states of a random game."""
    return Random(seed).choice(list(decisions(seed, players, 2, leaves)))


def seen(state: State) -> View:
    seat = rules.to_move(state)
    assert seat is not None
    return rules.view(state, seat)


def chosen(state: State, level: Level, key: str = "a") -> Move:
    return choose(seen(state), level, chance_of(key, 0, 1))


# --- at every level ---------------------------------------------------------------------------------------------------


@given(seeds, st.integers(2, 5))
@settings(max_examples=sampled(12))
def test_a_choice_is_legal_and_follows_from_the_view(seed: int, players: int) -> None:
    """Hidden cards dealt anew, the pile mixed, another seed: the same view, and the same choice."""
    state = some(seed, players, leaves=0.01)
    seat = rules.to_move(state)
    assert seat is not None
    other = hide_maumau(state, seat, Random(seed))
    for level in LEVELS:
        move = chosen(state, level)
        rules.play(state, seat, move, Random())
        assert chosen(other, level) == move


@levels
def test_a_whole_game_is_played(level: Level) -> None:
    rng = Random(7)
    state = rules.deal(dict.fromkeys(range(3), 0), 0, dealing(rules, rng), Options(2 if SOAK else 1)).state
    while (seat := rules.to_move(state)) is not None:
        move = choose(rules.view(state, seat), level, chance_of(state.seed, seat, state.steps))
        state = rules.play(state, seat, move, rng).state
    assert rules.won(state)


CHOICES = """
from tests.rules.test_maumau_player import chosen, some
states = [some(seed, players) for seed in range(3) for players in (2, 4)]
print([chosen(state, level) for state in states for level in ("easy", "normal", "hard")])
"""


def test_every_process_chooses_the_same() -> None:
    assert printed(CHOICES)


def test_nothing_is_offered_to_those_who_are_not_on_turn() -> None:
    with pytest.raises(ValueError, match="nothing is offered"):
        choose(rules.view(table("9# 8#", "7# K+"), 1), "normal", SealedChance("a"))


@levels
@pytest.mark.parametrize(
    ("state", "move"),
    [
        (table("J# J+", "9* 8* 7*"), Finish()),
        (replace(table("8# 9#", "9* 8* 7*"), penalty=4), Take(4)),
        (table("8# Q#", "9* 8* 7*"), Take(1)),
        (table("9# 8*", "9* 8* 7*"), PlayCard(card("9#"))),
    ],
)
def test_what_there_is_no_choice_about(level: Level, state: State, move: Move) -> None:
    assert chosen(state, level) == move


# --- easy -------------------------------------------------------------------------------------------------------------


def test_an_easy_one_sheds_points_or_lays_any_card() -> None:
    state = table("9# 8+ K+ J-", "8# 7# Q# A#", top="9+")
    laid = [chosen(state, "easy", str(key)) for key in range(200)]
    times = {move: laid.count(move) for move in laid}
    assert len(times) == 4
    assert times[PlayCard(card("K+"))] > 80


def test_an_easy_one_wishes_for_its_longest_suit() -> None:
    assert chosen(replace(table("8# 9# K+", "9* 8*", top="J*"), must_wish=True), "easy") == Wish(Suit.HEARTS)


# --- normal and hard --------------------------------------------------------------------------------------------------

thinking = pytest.mark.parametrize("level", ["normal", "hard"])


@thinking
@pytest.mark.parametrize(
    ("state", "wanted"),
    [
        (table("J# 9# 8# 8+", "7# K+ Q+ 10* 8*", top="7+"), "8+"),  # the jack is kept
        (table("A# 9# K+", "10+ Q-", top="8#"), "A#"),  # first the ace, then the card that fits on it
        (table("7# 10# 10+", "K+", top="9#"), "7#"),  # who has one card left takes two
    ],
)
def test_an_obvious_card(level: Level, state: State, wanted: str) -> None:
    assert chosen(state, level) == PlayCard(card(wanted))


@thinking
def test_an_obvious_wish(level: Level) -> None:
    assert chosen(replace(table("8# 9# 10#", "9* 8* K*", top="J*"), must_wish=True), level) == Wish(Suit.HEARTS)


def test_a_hard_one_goes_where_the_other_could_not_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next player has just taken a card on hearts."""
    monkeypatch.setattr(search, "PLAYOUTS", BUDGET)
    state = table("9# 8# 8+ 9+ Q-", "Q+ 10+ K+", top="10#", stock="K* 7* 7- 8- 9-")
    state = do(state, 0, "9#")
    state = do(state, 1, Take(1))
    assert chosen(state, "hard") == PlayCard(card("8#"))


@given(seeds, st.integers(2, 5))
@settings(max_examples=sampled(8))
def test_no_choice_takes_more_than_its_budget(seed: int, players: int) -> None:
    played = 0

    def counted(position: Position, tables: Sequence[Sequence[Row]], number: int, own: Own) -> list[int]:
        nonlocal played
        played += 1
        return play_out(position, tables, number, own)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "PLAYOUTS", BUDGET)
        patch.setattr(search, "play_out", counted)
        chosen(some(seed, players), "hard")
    assert played < BUDGET // 2 + 32 <= 5_000


def test_own_choices_to_come_are_learned() -> None:
    """The thumb's card is tried first, then each other one, then mostly the one that gains."""
    ahead, laid = search.Ahead(), [0, 0, 0]
    eight, nine, jack = (BIT[card(text)] for text in ("8#", "9#", "J#"))
    jacks = jack | BIT[card("J+")]
    for times in range(200):
        ahead.begin(0)
        found = ahead.choose(eight | nine | jacks, eight | nine | jacks, nine)
        assert times > 2 or found == (nine, eight, jack)[times]
        laid[(nine, eight, jack).index(found)] += 1
        ahead.learn(search.WON if found == eight else -search.WON)
    assert laid[1] > 180
    ahead.begin(1)
    assert ahead.choose(eight | nine | jacks, eight | nine | jacks, nine) == nine, "another candidate, another choice"


def test_few_own_choices_are_searched_for_and_none_among_jacks_alone() -> None:
    ahead, jacks = search.Ahead(), mask(cards("J# J+"))
    found = []
    for _ in range(2):
        ahead.begin(0)
        assert ahead.choose(jacks, jacks, jacks & -jacks) == jacks & -jacks
        found.append([ahead.choose(jacks | BIT[card("8#")], 0, suit) for suit in (0, 1, 2, 3, 0, 1)])
        ahead.learn(0)
    assert found[0] == [0, 1, 2, 3, 0, 1]
    assert found[1][0] != 0
    assert found[1][4:] == [0, 1]


# --- knowledge and worlds ---------------------------------------------------------------------------------------------


def story(state: State, seat: int, believes: bool = False) -> Story:
    """Return what a seat knows; without beliefs if it does not believe."""
    chance = SealedChance("story")
    return Story(rules.view(state, seat), chance.below if believes else lambda limit: limit - 1)


def test_a_reading_that_contradicts_itself_leaves_a_place_for_each_card() -> None:
    """Else each deal of it would be tried in vain, many times."""
    known = story(table("9# 8#", "Q+ 10+ K+", top="10#", stock="K* 7*"), 0)
    one, two = mask(cards("Q+")), mask(cards("K+"))
    for slots, may in (
        ([one, two, one | two], [one, two, ALL]),
        ([one | two, one, ALL], [one | two, one, ALL & ~(known.own | known.top)]),
        ([mask(cards("9#"))] * 3, [ALL] * 3),
    ):
        known.tightest = [(1, slot, 0) for slot in slots]
        assert list(plan(known).may) == may


@given(seeds, st.integers(2, 5))
@settings(max_examples=sampled(60))
def test_a_world_has_every_card_once_and_agrees_with_the_view(seed: int, players: int) -> None:
    state = some(seed, players, leaves=0.01)
    view = seen(state)
    order = [player.place for player in view.players if player.seat is not None]
    at = order.index(view.place or 0)
    places = order[at:] + order[:at]
    known = story(state, view.seat or 0, believes=True)
    here = position(view, places, World(known, [1 << one for one in dealt(plan(known), Dice(seed))]))
    everything = [*here.hands, *here.stock, here.pile, here.top]
    assert sum(everything) == ALL
    assert [hand.bit_count() for hand in here.hands] == [view.players[place].cards for place in places]
    assert here.hands[0] == mask(view.hand or ())
    assert len(here.stock) == view.stock
    assert here.open_wish == state.open_wish == is_wish_open(view)
    assert here.fit & here.hands[0] == mask(one for one in view.hand or () if fits(state, one))


@given(seeds, st.integers(2, 5))
@settings(max_examples=sampled(60))
def test_the_pile_is_known_as_long_as_the_round_is(seed: int, players: int) -> None:
    state = some(seed, players)
    known = story(state, rules.to_move(state) or 0)
    if any(step.kind == "round" for step in state.course):
        assert known.pile == mask(state.pile[:-1])
    assert known.top == BIT[state.pile[-1]]


def test_those_who_take_a_card_hold_none_that_fits_and_no_jack() -> None:
    state = do(table("9# 8# 8+ 9+", "Q+ 10+ K+", top="10#", stock="K* 7* 7-"), 0, "9#")
    known = story(do(state, 1, Take(1)), 0)
    none = fitting(BIT[card("9#")], None)
    assert [slot & none for slot in known.slots[1]] == [0, 0, 0, 0]


def test_those_who_take_two_hold_no_seven_but_may_have_got_one() -> None:
    state = do(table("7# 8# 8+", "Q+ 10+ K+", top="10#", stock="K* 7* 8- 9-"), 0, "7#")
    known = story(do(state, 1, Take(2)), 0)
    assert [bool(slot & SEVENS) for slot in known.slots[1]] == [False, False, False, True, True]


def test_a_card_that_fits_after_it_was_taken_is_the_one_that_is_laid() -> None:
    state = do(table("9# 8# 8+", "Q+ 10+ K+", top="10#", stock="K# 7- 7-"), 0, "9#")
    known = story(do(state, 1, Take(1), "K#"), 0)
    assert len(known.slots[1]) == 3
    assert all(not slot & JACKS for slot in known.slots[1])


def test_most_who_wish_are_believed() -> None:
    state = do(table("9# 8# 8+", "J+ 10* K*", top="10#", stock="K# 7- 7-"), 0, "9#")
    state = do(state, 1, "J+", Wish(Suit.SPADES))
    believing = Story(seen(state), lambda limit: 0)
    assert sum(slot & ~(SUITS[Suit.SPADES] & PLAIN) == 0 for slot in believing.slots[1]) == 1
    assert not any(slot & ~SUITS[Suit.SPADES] == 0 for slot in story(state, 0).slots[1])


def test_few_worlds_are_drawn_in_which_somebody_would_have_laid_another_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other laid an eight of hearts when they could; those who hold a heart that costs more lay that."""
    state = do(table("9# 9* 8+ Q*", "8# 10* K*", top="10#", stock="K+ 7- 7*"), 0, "9#")
    state = do(state, 1, "8#")
    known, table_ = story(state, 0), worlds.others_of(seen(state))

    def likely(odd: float) -> int:
        monkeypatch.setattr(worlds, "ODD", odd)
        drawn = islice(worlds.worlds(seen(state), [0, 1], SealedChance("a")), 240)
        hands = [list(split(one.hands[1])) for one in drawn]
        monkeypatch.setattr(worlds, "ODD", 0.5)
        known.tightest = [(1, ALL, 0)] * len(hands[0])
        return sum(worlds.weight(World(known, hand), table_) == 1 for hand in hands)

    assert likely(0.01) > 220 > 180 > likely(1)


# --- the playouts' rules are the rules --------------------------------------------------------------------------------


def position_of(state: State) -> Position:
    """Return a state in which nobody has left, seen from place 0."""
    assert state.current is not None
    top = BIT[state.pile[-1]]
    return Position(
        hands=tuple(mask(player.hand) for player in state.players),
        stock=tuple(BIT[one] for one in state.stock),
        pile=mask(state.pile[:-1]),
        top=top,
        fit=fitting(top, state.suit),
        turn=state.current,
        penalty=state.penalty,
        open_wish=state.open_wish,
        must_wish=state.must_wish,
    )


def by_thumb(state: State) -> Move:
    """Return the move that a playout makes in a state, found by the rules."""
    view, table = seen(state), rows(TWO)
    hand = mask(view.hand or ())
    unseen = ALL ^ hand ^ mask(state.pile)
    following = len(state.players[((state.current or 0) + 1) % len(state.players)].hand)
    if view.must_wish:
        return Wish(Suit(best_suit(table[AT[following][hand.bit_count()]], hand, unseen)))
    legal = mask(one for one in view.hand or () if _is_legal(state, one))
    if legal and not (view.penalty == 0 and not hand & PLAIN):
        return PlayCard(CARD[best_card(table[AT[following][hand.bit_count() - 1]], legal, hand, unseen)])
    return Finish() if not hand & PLAIN and not view.penalty else Take(view.penalty or 1)


def _is_legal(state: State, one: Card) -> bool:
    seat = rules.to_move(state)
    assert seat is not None
    return any(one in choice.cards for choice in rules.legal_moves(state, seat) if isinstance(choice, MayPlay))


@given(seeds, st.integers(2, 4))
@settings(max_examples=sampled(100))
def test_a_playout_ends_as_the_rules_have_it(seed: int, players: int) -> None:
    """As long as nothing is shuffled again, which playouts do by numbers of their own."""
    state = Random(seed).choice(list(decisions(seed, players)))
    if state.drawn is not None:
        return
    ended = play_out(position_of(state), [rows(TWO)] * players, 1, lambda hand, legal, thumb: thumb)
    while not rules.is_over(state):
        before = state
        state = rules.play(state, rules.to_move(state) or 0, by_thumb(state), Random()).state
        if state.shuffles > before.shuffles:
            return
    assert [worth(hand) for hand in ended] == [player.total for player in state.players]


def test_the_tables_of_bits_are_those_of_the_rules() -> None:
    for top in BIT:
        state = replace(table("9#", "9*"), pile=(top,))
        assert mask(one for one in BIT if fits(state, one)) == fitting(BIT[top], None)
        for suit in Suit:
            wished = replace(state, suit=suit)
            assert mask(one for one in BIT if fits(wished, one)) == fitting(BIT[top], suit)
    assert worth(ALL) == points(BIT)
    assert worth(mask(cards("J# A+ 7*"))) == 38


def values_of(view: View, hands: Sequence[str]) -> list[int]:
    """Return what these last cards are worth against others who keep 8 and 10 points."""
    value = search.Value(view, [0, 1, 2])
    return [value([mask(cards(hand)), BIT[card("8+")], BIT[card("K#")]]) for hand in hands]


def test_in_the_last_round_of_several_only_the_first_place_counts() -> None:
    view = seen(table("9# 8#", "7# K+", "7* K*"))
    assert values_of(view, ["", "8#", "9+", "A+"]) == [search.WON, search.WON // 2, 0, 0]


def test_in_a_round_before_each_point_counts() -> None:
    view = seen(table("9# 8#", "7# K+", "7* K*"))
    values = values_of(replace(view, rounds=view.round + 1), ["", "8#", "9+", "A+"])
    assert values == sorted(set(values), reverse=True)


def test_there_are_weights_for_every_phase() -> None:
    assert {phase for row in AT for phase in row} == set(range(PHASES))
    assert len(TWO) == len(OTHER) == len(MORE) == PHASES
