"""What holds in every state of Offiziersskat, over random play with clocks and people leaving."""

from collections import Counter
from itertools import pairwise
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import hide_offiziersskat, offiziersskat_cards
from tests.rules.offiziersskat.run import RNG, dealt_by, offered, played
from tests.thoroughness import sampled
from yawc_poker.cards import Card
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import ALL_EYES, CARDS, Event, Options, PlayCard, Result, State
from yawc_poker.games.offiziersskat.progress import open_cards
from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.tricks import beats, colour, eyes

CODEC: Codec[State, Event] = Codec(Table[State, Event])
HALF = 32_632
"""Bytes into which a table must fit."""
SHORT = Options(target=4)

seeds = st.integers(0, 2**32)
some = settings(max_examples=sampled(20))
few = settings(max_examples=sampled(5))


def check(state: State) -> None:
    """Assert what holds in every single state."""
    now = state.round
    assert Counter(offiziersskat_cards(state)) == Counter(CARDS)
    assert (state.current is None) == rules.is_over(state)
    assert len(now.trick) < 2
    gained = [one.eyes for one in rules.view(state, None).players]
    held = [card for player in state.players for card in open_cards(player)]
    hidden = [one.covered for player in state.players for one in player.places if one.covered is not None]
    assert sum(gained) + eyes((*now.trick, *held, *hidden)) == ALL_EYES
    for seat, player in enumerate(state.players):
        bare = [place for place in player.places if place.open is None and place.covered is not None]
        assert len(bare) <= (seat == now.leader and len(now.trick)), "only the leader's place, and until the trick ends"


@some
@given(seeds)
def test_every_state_of_a_match(seed: int) -> None:
    for state in played(dealt_by(seed, SHORT), Random(seed), leaving=0.003):
        check(state)
    assert state.forfeiter is not None or max(rules.points(state).values()) >= SHORT.target
    for number, result in enumerate(state.results, 1):
        assert (result.number, result.opener) == (number, (number - 1) % 2)
        assert sum(result.eyes) == ALL_EYES
        assert result.points == (1, 1) or sorted(result.points)[0] == 0 < max(result.points) <= 4


@some
@given(seeds)
def test_the_taker_leads_and_a_trick_is_taken_by_the_better_card(seed: int) -> None:
    *_, state = played(dealt_by(seed, Options(target=1)), Random(seed))
    tricks, order = state.round.tricks, order_of(state.round.trump)
    assert len(tricks) == 16
    assert tricks[0].leader == state.round.opener
    assert all(after.leader == trick.taker for trick, after in pairwise(tricks))
    for trick in tricks:
        led, answer = trick.cards
        assert (trick.taker != trick.leader) == beats(order, answer, led)


@some
@given(seeds)
def test_what_is_offered_is_what_may_be_played(seed: int) -> None:
    for state in played(dealt_by(seed, Options(target=1)), Random(seed)):
        before = msgspec.msgpack.encode(state)
        for seat in (0, 1):
            legal = {card for card in CARDS if _is_legal(state, seat, card)}
            assert legal == set(offered(state, seat))
            assert bool(legal) == (seat == state.current)
        assert msgspec.msgpack.encode(state) == before
        _check_following(state)


def _is_legal(state: State, seat: int, card: Card) -> bool:
    try:
        rules.play(state, seat, PlayCard(card), RNG)
    except IllegalMove:
        return False
    return True


def _check_following(state: State) -> None:
    """All cards of the colour led are offered, or there is none and every open card is."""
    if state.current is None:
        return
    order, hand = order_of(state.round.trump), open_cards(state.players[state.current])
    led = state.round.trick
    following = tuple(card for card in hand if led and colour(order, card) == colour(order, led[0]))
    assert offered(state, state.current) == (following or hand)


@some
@given(seeds)
def test_views_do_not_depend_on_covered_cards(seed: int) -> None:
    rng = Random(seed)
    for state in played(dealt_by(seed, SHORT), rng, leaving=0.003):
        for seat in (0, 1, None):
            assert rules.view(hide_offiziersskat(state, seat, rng), seat) == rules.view(state, seat)
        views = [replace(rules.view(state, seat), seat=None, is_player=False, choices=()) for seat in (0, 1, None)]
        assert views[0] == views[1] == views[2], "both know the same"


@some
@given(seeds)
def test_what_nobody_sees_is_what_is_covered(seed: int) -> None:
    for state in played(dealt_by(seed, SHORT), Random(seed)):
        covered = {one.covered for player in state.players for one in player.places if one.covered is not None}
        view = rules.view(state, 0)
        assert set(view.unseen) == covered
        assert sum(player.covered for player in view.players) == len(covered)


@few
@given(seeds)
def test_the_same_dealing_and_moves_give_the_same_match(seed: int) -> None:
    one, other = (list(played(dealt_by(seed, SHORT), Random(seed))) for _ in range(2))
    assert one == other


def test_the_longest_match_fits_into_a_table() -> None:
    """With more rounds than a match can have: each one gives two points or more."""
    *_, over = played(dealt_by(4, Options(target=1)), Random(4))
    results = tuple(Result(number, number % 2, None, (120, 0), (4, 0)) for number in range(1, 42))
    table: Table[State, Event] = Table(seats=(None,) * 2, game=replace(over, results=results), last=over)
    data = CODEC.encode(table)
    assert CODEC.decode(data) == table
    assert len(data) < HALF / 4, "a transcript and a log must find room beside it"
