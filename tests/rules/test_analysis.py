"""Analysis of finished games: it depends on what the seat knew and on the seal, and is the same for everybody."""

from functools import cache
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import REGISTERED, Adapter
from tests.hashing import printed
from tests.thoroughness import sampled
from yawc_poker.catalogues import words
from yawc_poker.engine import sealing
from yawc_poker.engine.game import Dealing, EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.house import SealedChance, chance_of, program_name
from yawc_poker.engine.players import Dice, best, compared
from yawc_poker.engine.replay import positions
from yawc_poker.engine.transcript import Action, Dealt, Joined, Participant, detail
from yawc_poker.engine.values import AnyTable
from yawc_poker.extras.analysis.judging import (
    EFFORT,
    LEAST_EFFORT,
    MOST_EFFORT,
    Judged,
    decision,
    decisions,
    effort_of,
    judged,
)
from yawc_poker.extras.analysis.pages import FIRST, lines
from yawc_poker.games.poker import rules as poker
from yawc_poker.games.poker.model import Swap
from yawc_poker.games.poker.model import View as PokerView
from yawc_poker.games.poker.player.afterwards import drawn, made_state
from yawc_poker.registry.games import game_of
from yawc_poker.table_ui.definition import AnyDefinition, view_of
from yawc_poker.words import LANGUAGES, Language

SHORT = {"poker": "{}", "maumau": '{"rounds":1}', "doppelkopf": '{"rounds":1}', "offiziersskat": '{"target":1}'}
SEATS = {"poker": 4, "maumau": 3, "doppelkopf": 4, "offiziersskat": 2}
ANNA = 1
NAMES = dict(enumerate(("Anna", "Ada", "Bela", "Clara")))
kinds = pytest.mark.parametrize("kind", SHORT)


@cache
def played(kind: str, seed: int) -> tuple[AnyDefinition, Dealing, list[Action]]:
    """Return a game of a user, in the first seat, and of others, who all play easily."""
    game = game_of(kind).definition
    rules, program = game.rules, game.player
    assert program is not None
    deck = sealing.shuffle(rules.DECK, Random(seed))
    dealing = sealing.dealing(deck, ())
    seats = dict.fromkeys(range(SEATS[kind]), 300)
    people = tuple(Participant(seat, seat + ANNA, NAMES[seat], 300, program_name("easy", 1)) for seat in seats)
    dealt = Dealt(0, people, msgspec.Raw(SHORT[kind].encode()))
    actions = [Action(0, 0.0, "deal", 0, ANNA, detail(dealt))]
    state = rules.deal(seats, 0, dealing, rules.read_options(SHORT[kind])).state
    while (seat := rules.to_move(state)) is not None:
        number = len(actions)
        move = program.choose(view_of(game, state, seat), "easy", chance_of(dealing.seed, seat, number))
        actions.append(Action(number, 3.0 * number, "move", seat, seat + ANNA, detail(move)))
        state = rules.play(state, seat, move, Random(0)).state
    return game, dealing, actions


def analysed(kind: str, seed: int, most: int = 99) -> list[Judged]:
    """Return what is thought of the last decisions of a game, which take the shortest time."""
    game, dealing, actions = played(kind, seed)
    asked = decisions(game, dealing, actions, ANNA)[-most:]
    return [found for one in asked for found in judged(game, one, dealing.seed, LEAST_EFFORT)]


def encoded(kind: str, seed: int) -> str:
    return sha256(msgspec.json.encode(analysed(kind, seed, 9))).hexdigest()


def test_another_process_gets_the_same_bytes() -> None:
    code = "from tests.rules.test_analysis import SHORT, encoded; print(*[encoded(kind, 3) for kind in SHORT])"
    assert len(printed(code).split()) == len(SHORT)


@pytest.mark.parametrize("adapter", REGISTERED, ids=lambda adapter: str(adapter.game.KIND))
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=sampled(20), deadline=None)
def test_what_the_seat_did_not_see_has_no_part_in_it(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT], seed: int
) -> None:
    """All hidden cards dealt anew at each decision: the same judgement, the same cards shown."""
    game, dealing, actions = played(adapter.game.KIND, seed)
    rng = Random(seed)
    steps = pairwise(positions(adapter.game, dealing, actions))
    mine = [(one.table, then.action) for one, then in steps if then.action.user == ANNA]
    for table, action in rng.sample(mine, min(3, len(mine))):
        assert table.game is not None
        hidden = replace(table, game=adapter.hide(table.game, action.seat, rng))
        seen, other = (decision(game, cast(AnyTable, one), action, ()) for one in (table, hidden))
        assert seen == other
        assert judged(game, seen, dealing.seed, LEAST_EFFORT) == judged(game, other, dealing.seed, LEAST_EFFORT)


@kinds
def test_a_judgement_is_whole(kind: str) -> None:
    """The own move costs nothing where it is the program's; shares are of the worlds; each was a decision."""
    game, dealing, actions = played(kind, 1)
    asked = decisions(game, dealing, actions, ANNA)
    assert [one.number for one in asked] == [one.number for one in actions if one.user == ANNA and one.number]
    found = analysed(kind, 1)
    assert {one.number for one in found} <= {one.number for one in asked}
    for one in found:
        assert one.price >= 0 <= one.error
        assert one.better + one.worse <= one.worlds > 0
        assert max(one.mine_hope, one.choice_hope) <= one.worlds
        if one.mine == one.choice:
            assert (one.price, one.error, one.better, one.worse) == (0, 0, 0, 0)


def test_moves_of_a_stand_in_are_not_the_holder_s() -> None:
    game, dealing, actions = played("maumau", 1)
    before = decisions(game, dealing, actions, ANNA)
    third = before[2].number
    comes = Action(third, 1.0, "stand_in", 0, 99, detail(Joined("Olga**", 0, program_name("normal", 1))))
    later = [
        Action(one.number + 1, one.at, one.kind, one.seat, 99 if one.seat == 0 else one.user, one.detail)
        for one in actions[third:]
    ]
    assert decisions(game, dealing, [*actions[:third], comes, *later], ANNA) == before[:2]


def test_the_effort_is_shared_out_by_decisions_and_never_by_a_clock() -> None:
    assert [effort_of(count) for count in (0, 1, EFFORT // MOST_EFFORT)] == [MOST_EFFORT] * 3
    assert effort_of(10**6) == LEAST_EFFORT
    assert effort_of(100) * 100 <= EFFORT


@pytest.mark.parametrize("language", LANGUAGES)
@kinds
def test_the_most_expensive_decisions_come_first(kind: str, language: Language) -> None:
    speak = words(language)
    game, dealing, actions = played(kind, 2)
    asked = decisions(game, dealing, actions, ANNA)
    price = {one.number: 5.0 - place for place, one in enumerate(reversed(asked[:5]))}
    move = {one.number: detail(one.mine) for one in asked}
    found = [Judged(n, move[n], move[n], cost, 0.25, True, 50, 25, 10, 5, 15) for n, cost in price.items()]
    told = list(lines(game, asked, found, speak))
    places = [line for line in told if line[:2] in {f"{place}." for place in range(1, FIRST + 1)}]
    wanted = sorted(price.values(), reverse=True)[:FIRST]
    figures = [f"{one:.2f}" if language == "en" else f"{one:.2f}".replace(".", ",") for one in wanted]
    assert [figure in line for figure, line in zip(figures, places, strict=True)] == [True] * len(places)
    assert any("50" in line and "20" in line for line in told)
    assert any("10" in line and "30" in line and speak(game.retold.hope) in line for line in told)


def test_a_price_that_is_not_clear_is_no_cost_and_the_move_as_good() -> None:
    game, dealing, actions = played("poker", 2)
    one, other = decisions(game, dealing, actions, ANNA)[:2]
    price = {one.number: 3.0, other.number: 0.04}
    move = [detail(each.mine) for each in (one, other)]
    found = [Judged(n, move[0], move[1], cost, 0.03, cost > 1, 50, 25, 10, 5, 15) for n, cost in price.items()]
    told = "\n".join(lines(game, [one, other], found, words("en")))
    assert "Of 2 decisions 1 cost nothing. The others cost 3.00 CUBES (give or take 0.03) together." in told
    assert "0.04" not in told
    assert told.count(", as good as ") == 1


def test_without_a_decision_the_page_says_so() -> None:
    game = game_of("poker").definition
    assert len(list(lines(game, [], [], words("en")))) == 1


# --- what the programs are asked --------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=2, max_size=6))
def test_what_is_compared_without_dropping_has_the_best_first(table: list[list[int]]) -> None:
    """Each world has what four rivals are worth."""
    found = compared(4, table, lambda world, which: [(world[at],) for at in which])
    assert found == tuple(zip(*table, strict=True))
    means = [sum(one) for one in found]
    assert means[best(range(4), table, lambda world, which: [(world[at],) for at in which])] == max(means)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=sampled(30), deadline=None)
def test_at_poker_the_made_states_look_as_the_seat_saw_it(seed: int) -> None:
    game, dealing, actions = played("poker", seed)
    for one in decisions(game, dealing, actions, ANNA):
        assert isinstance(one.scene.game, PokerView)
        view = one.scene.game
        if view.phase in {"bet", "swap"}:
            state = made_state(view, drawn(view, Dice(seed)))
            assert poker.view(state, one.seat) == view
            assert len(poker.hands(state)) == 1 + sum(other.active for other in view.opponents)
            held = [card for player in state.players if player is not None for card in player.hand]
            assert len({*held, *state.stock}) == len(held) + len(state.stock)


def test_at_poker_cards_that_are_named_in_another_order_are_the_same_change() -> None:
    """What the strategy of "hard" changes costs nothing, however it was typed."""
    game, dealing, actions = played("poker", 3)
    assert game.player is not None
    assert game.player.weigh is not None
    view = next(one.scene.game for one in decisions(game, dealing, actions, ANNA) if isinstance(one.mine, Swap))
    chance = SealedChance("a")
    hard = game.player.choose(view, "hard", chance)
    assert isinstance(hard, Swap)
    for mine in (hard, Swap(hard.places[::-1])):
        weighed = game.player.weigh(view, mine, SealedChance("a"), LEAST_EFFORT)
        assert weighed is not None
        assert (weighed.moves[0], weighed.choice) == (mine, 0)
