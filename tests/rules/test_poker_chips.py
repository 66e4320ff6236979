"""A hand of poker for chips: no CUBES move, no chip comes or goes, and short stacks go out."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.chips_run import Hand
from tests.thoroughness import sampled
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.replay import replay
from yawc_poker.engine.sealing import dealing
from yawc_poker.engine.values import Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, Fold, Options, Stack, State, Won

CODEC: Codec[State, Event] = Codec(Table[State, Event])
CHIPS = st.one_of(st.integers(1, 5), st.sampled_from((9, 10, 11, 500, 1000)), st.integers(1, 3000))


def hand(rng: Random, ante: int = 10, **chips: int) -> Hand:
    """Begin a hand among users `u1`, `u2` and so on, who sit in this order."""
    stacks = {int(name[1:]): amount for name, amount in chips.items()}
    options = Options(ante, 20 * ante, tuple(Stack(user, amount) for user, amount in stacks.items()))
    return Hand(dict(enumerate(stacks)), options, rng)


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[int, int], Options]:
    """Draw who sits where, house players among them, and whose chips they play for, some of whom are not there."""
    entrants = draw(st.lists(st.integers(1, 99), min_size=2, max_size=5, unique=True))
    stacks = tuple(Stack(user, draw(CHIPS)) for user in entrants)
    present = draw(st.lists(st.sampled_from(entrants), min_size=1, max_size=len(entrants), unique=True))
    house = [HOUSE_USERS[at] for at in range(draw(st.integers(0, 5 - len(present))))]
    if len(present) + len(house) < 2 or sum(stack.user in present for stack in stacks) + len(house) < 2:
        present = entrants
        house = []
    seats = draw(st.permutations(range(5)))
    users = dict(sorted(zip(seats, (*present, *house), strict=False)))
    ante = draw(st.sampled_from((1, 10, 80, 5120, 10**6)))
    return users, Options(ante, 20 * ante, stacks)


@given(tables(), st.integers(0, 10**6))
@settings(max_examples=sampled(1500), deadline=None)
def test_no_chip_comes_or_goes_and_no_cubes_move(drawn: tuple[dict[int, int], Options], seed: int) -> None:
    users, options = drawn
    played = Hand(users, options, Random(seed))
    assert CODEC.decode(CODEC.encode(played.table)) == played.table
    before = {stack.user: stack.chips for stack in options.chips}
    state = played.play().state
    after = rules.after(state)
    assert after.keys() == before.keys()
    assert sum(after.values()) == sum(before.values())
    assert min(after.values()) >= 0
    assert after != before, "each hand brings somebody nearer to the end"
    assert state.winner is not None
    book = played.table.transcript
    assert book is not None
    assert book.deck is not None
    *_, (_, last) = replay(rules, dealing(book.deck, book.words), book.actions)
    assert last.state == state


def test_who_has_no_more_than_the_ante_puts_it_in_and_is_out() -> None:
    played = hand(Random(1), u1=500, u2=10, u3=4, u4=800)
    assert [player is not None for player in played.state.players] == [True, False, False, True, False]
    assert played.state.cash == (490, 0, 0, 790, 0)
    assert played.state.pot == 34
    after = rules.after(played.play().state)
    assert after[2] == after[3] == 0
    assert sum(after.values()) == 1314


def test_the_ante_leaves_two_players_something_to_bet() -> None:
    played = hand(Random(1), ante=5120, u1=900, u2=300, u3=1800)
    assert played.state.pot == 300 + 2 * 899
    assert played.state.cash[:3] == (1, 0, 901)


def test_with_one_chip_left_among_two_it_is_over_at_once() -> None:
    played = hand(Random(1), ante=80, u1=900, u2=1)
    assert played.is_over
    assert rules.after(played.state) == {1: 901, 2: 0}


def test_whoever_is_left_alone_wins_at_once_though_others_sit_there() -> None:
    played = hand(Random(3), u1=500, u2=500, u3=500)
    for _ in range(2):
        seat = rules.to_move(played.state)
        assert seat is not None
        step = rules.play(played.state, seat, Fold(), played.rng)
        played.table = msgspec.structs.replace(played.table, game=step.state)
    assert step.events[-1] == Won(2, 30, chips=True)
    assert rules.after(played.state) == {1: 490, 2: 490, 3: 520}


def test_house_players_play_with_the_chips_of_those_who_are_not_there_and_others_pay_the_ante() -> None:
    options = Options(10, 200, (Stack(1, 100), Stack(2, 200), Stack(3, 300), Stack(4, 400)))
    found = rules.seated(options, {0: 3, 2: HOUSE_USERS[0], 4: 4})
    assert found.chips == (Stack(3, 300), Stack(2, 200), Stack(1, 100), Stack(0, 0), Stack(4, 400))
    assert rules.players({0: 0, 2: 0, 4: 0}, found) == (0, 2, 4)
    played = Hand({0: 3, 2: HOUSE_USERS[0], 4: 4}, options, Random(5))
    assert played.state.pot == 40
    after = rules.after(played.play().state)
    assert (sum(after.values()), after[2]) == (1000, 190)


@pytest.mark.parametrize("text", ["{}", '{"ante":10,"max_bet":200}'])
def test_options_without_stacks_are_for_cubes_and_look_as_they_always_did(text: str) -> None:
    options = rules.read_options(text)
    assert options == Options()
    assert not options.chips
    assert msgspec.json.encode(options) == b'{"ante":10,"max_bet":200}'
    assert rules.seated(options, {0: 1}) is options
