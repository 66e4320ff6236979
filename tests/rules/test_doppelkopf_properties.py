"""What holds in every state of Doppelkopf, over random play with calls out of turn, clocks and people leaving."""

from collections import Counter
from itertools import pairwise
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import any_doppelkopf_move, doppelkopf_cards, hide_doppelkopf
from tests.engine.stacked import dealing
from tests.rules.doppelkopf_run import dealt_by, played, present
from tests.thoroughness import sampled
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import Table
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import RULES
from yawc_poker.games.doppelkopf.model import (
    CARDS,
    MOST_CUBES,
    MOST_ROUNDS,
    Call,
    Choice,
    GameType,
    GoOn,
    Healthy,
    Item,
    MayAnswer,
    MayCall,
    MayName,
    MayPlay,
    MayReserve,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    Result,
    State,
)
from yawc_poker.games.doppelkopf.scoring import score
from yawc_poker.games.doppelkopf.teams import own_team, re_places, shown
from yawc_poker.tricks import eyes

CODEC: Codec[State, Event] = Codec(Table[State, Event])
HALF = 32_632
"""Bytes into which a table must fit."""

seeds = st.integers(0, 2**32)
options = st.builds(Options, rounds=st.integers(1, 3), tournament=st.just(False), cubes=st.sampled_from((0, 0, 5, 400)))
some = settings(max_examples=sampled(25))
few = settings(max_examples=sampled(5))


def check(state: State) -> None:
    """Assert what holds in every single state."""
    now = state.round
    assert Counter(doppelkopf_cards(state)) == Counter(CARDS)
    assert len(now.tricks) <= 12
    assert (state.current is None) == rules.is_over(state)
    assert state.current is None or not state.players[state.current].gone
    assert all(sum(result.points) == 0 for result in state.results)
    assert rules.to_move(state) is None or rules.legal_moves(state, state.current or 0)
    if now.game is not None:
        _check_teams(state)
    if state.phase == "play":
        held = [len(player.hand) for player in state.players]
        assert max(held) - min(held) <= 1
        assert all(12 - len(now.tricks) - count in {0, 1} for count in held)


def _check_teams(state: State) -> None:
    """What has been shown is true; nobody takes themselves for anything else."""
    re = re_places(state.round, state.players)
    assert re
    for place, team in enumerate(shown(state.round)):
        assert team in {None, "re" if place in re else "contra"}
        own = own_team(state.round, state.players, place)
        assert own == ("re" if place in re else "contra") or (own is None and state.round.game is not None)
        seen = rules.view(state, place).players
        assert all(one.team in {None, "re" if one.place in re else "contra"} for one in seen)


@some
@given(seeds, options)
def test_every_state_of_a_match(seed: int, chosen: Options) -> None:
    rng = Random(seed)
    for state in played(dealt_by(seed, chosen), rng, leaving=0.002):
        check(state)
    assert not rules.legal_moves(state, 0)
    assert state.results
    _check_results(state)


def _check_results(state: State) -> None:
    assert len(state.results) <= state.options.games
    for number, result in enumerate(state.results, 1):
        assert result.number == number
        assert 0 <= result.re_eyes <= 240
        assert sum(item.points for item in result.items) == result.value


@few
@given(seeds)
def test_every_state_of_a_tournament(seed: int) -> None:
    rng = Random(seed)
    solos: list[int | None] = []
    for state in played(dealt_by(seed, Options(tournament=True)), rng):
        check(state)
    assert len(state.results) == 24
    solos = [result.game.player for result in state.results if result.game.compulsory]
    assert sorted(solos, key=str) == [0, 1, 2, 3]
    assert not any(player.owes_solo for player in state.players)


@some
@given(seeds)
def test_a_round_has_twelve_tricks_and_240_eyes(seed: int) -> None:
    rng = Random(seed)
    *_, state = played(dealt_by(seed, Options(rounds=1)), rng, leaving=0.002)
    tricks = state.round.tricks
    assert len(tricks) == 12
    assert sum(eyes(trick.cards) for trick in tricks) == 240
    assert all(after.leader == trick.taker for trick, after in pairwise(tricks))
    won = sum(eyes(trick.cards) for trick in tricks if trick.taker in state.results[0].re)
    assert won == state.results[0].re_eyes


@some
@given(seeds, options)
def test_an_illegal_move_raises_and_changes_nothing(seed: int, chosen: Options) -> None:
    """What is done is what was offered; all else is refused with a reason, and nothing has changed."""
    rng = Random(seed)
    for state in played(dealt_by(seed, chosen), rng):
        before = msgspec.msgpack.encode(state)
        for seat in range(-1, 5):
            move = any_doppelkopf_move(rng)
            offered = _offered(state, seat, move)
            assert (_refusal(state, seat, move) is None) == offered, (seat, move)
        assert msgspec.msgpack.encode(state) == before


def _refusal(state: State, seat: int, move: Move) -> str | None:
    """Return the reason for which a move is refused; None where it is made."""
    try:
        rules.play(state, seat, move, Random(0))
    except IllegalMove as refusal:
        return refusal.reason or "without a reason"
    return None


def _offered(state: State, seat: int, move: Move) -> bool:
    """Return whether `legal_moves` offers this very move."""
    return any(_includes(choice, move) for choice in rules.legal_moves(state, seat))


def _includes(choice: Choice, move: Move) -> bool:
    match choice, move:
        case MayPlay(allowed), PlayCard(card):
            return card in allowed
        case MayCall(level), Call(wanted):
            return level == wanted
        case MayName(wedding), NoSolo():
            return wedding
        case (MayName(), PlaySolo()) | (MayReserve(), Healthy() | Reserve()) | (MayAnswer(), GoOn()):
            return True
    return False


@some
@given(seeds, options)
def test_views_do_not_depend_on_hidden_cards(seed: int, chosen: Options) -> None:
    rng = Random(seed)
    for state in played(dealt_by(seed, chosen), rng, leaving=0.002):
        for seat in (*present(state), None):
            other = hide_doppelkopf(state, seat, rng)
            assert rules.view(other, seat) == rules.view(state, seat)


@some
@given(seeds)
def test_a_turn_has_its_own_number_and_calls_do_not_touch_the_clock(seed: int) -> None:
    rng = Random(seed)
    before: State | None = None
    for state in played(dealt_by(seed, Options(rounds=2)), rng):
        if before is not None and state.phase == before.phase == "play":
            moved = state.round.calls == before.round.calls and state != before
            assert (state.turn != before.turn) == moved
        before = state


@few
@given(seeds)
def test_the_same_chance_gives_the_same_match(seed: int) -> None:
    one, other = (list(played(dealt_by(seed, Options(rounds=2)), Random(seed))) for _ in range(2))
    assert one == other


@some
@given(seeds, st.integers(1, 500))
def test_cubes_are_settled_and_nobody_pays_more_than_they_have(seed: int, cubes: int) -> None:
    rng = Random(seed)
    state = rules.deal(
        {seat: rng.choice((0, 3, 100, 5000)) for seat in range(4)},
        0,
        dealing(RULES, rng),
        Options(rounds=2, cubes=cubes),
    ).state
    while not rules.is_over(state):
        assert not rules.debts(state)
        chance = rng.random()
        step = rules.leave(state, rng.choice(present(state))) if chance < 0.01 else rules.timeout(state, rng)
        assert step.payments == ()
        state = step.state
    totals = [sum(result.points[seat] for result in state.results) for seat in range(4)]
    debts, payouts = rules.debts(state), rules.payouts(state)
    assert debts == {seat: owed for seat in range(4) if (owed := min(-cubes * totals[seat], state.at_start[seat])) > 0}
    gained = {seat: cubes * total for seat, total in enumerate(totals) if total > 0}
    assert payouts == gained or not any(totals)
    assert sum(debts.values()) <= sum(gained.values())
    if all(cash >= -cubes * total for cash, total in zip(state.at_start, totals, strict=True)):
        assert sum(debts.values()) == sum(gained.values())


def test_the_longest_match_fits_into_a_table() -> None:
    """As many rounds as there may be, in each of which both teams call everything, and the losers catch six foxes."""
    foxes = (Item("doppelkopf", 1, "contra"),) * 6
    made = score(0, {"re": 5, "contra": 5}, foxes, alone=False)
    result = Result(
        32, 3, GameType("wedding", 1, clarified=3, partner=2), (1, 2), 0, "contra", made.items, 99, (-99,) * 4
    )
    *_, over = played(dealt_by(4, Options(rounds=1)), Random(4))
    long = replace(over, options=Options(MOST_ROUNDS, cubes=MOST_CUBES), results=(result,) * MOST_ROUNDS)
    table: Table[State, Event] = Table(seats=(None,) * 4, game=long)
    data = CODEC.encode(table)
    assert CODEC.decode(data) == table
    assert len(made.items) > 20
    assert len(data) < HALF * 2 / 3, "a transcript and a log must find room beside it"
