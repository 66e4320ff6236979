"""The transcript of a game: the sealed deck, the actions, and the replay of the whole game from them."""

from random import Random, SystemRandom

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import Adapter
from tests.engine.stacked import dealing
from tests.engine.test_conformance import dealt, games, random_step
from tests.rules.table_run import DECK, TableRun
from tests.thoroughness import sampled
from yawc_poker.cards import Card, cards
from yawc_poker.engine import sealing, transcript
from yawc_poker.engine.events import DealtBy, Sealed, Started
from yawc_poker.engine.game import Dealing, EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.replay import Contradiction, replay
from yawc_poker.engine.sealing import Deck, PlayerWord
from yawc_poker.engine.table import leave, sit, void
from yawc_poker.engine.transcript import BATCH, HANDS, MOST, Action, Dealt, Held, Joined, Transcript
from yawc_poker.engine.values import Seat
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Bet, Fold, Options, Show, Swap

FIRST = "A+ K+ Q+ J+ 10+ 5- 5# 5* 5+ 6-"


SMALL, WORDS = Deck("0" * 64, "5-"), (PlayerWord(0, "a"),)


def house_of(names: str = "AB", hands: str = FIRST, cash: int = 100) -> TableRun:
    run = TableRun(first=hands)
    for name in names:
        run.sit(name, cash)
    run.start(names[0])
    return run


def book(run: TableRun) -> Transcript:
    assert run.table.transcript is not None
    return run.table.transcript


# --- the seal ---------------------------------------------------------------------------------------------------------


def test_a_game_is_dealt_from_the_sealed_deck_and_announced_with_its_words() -> None:
    run = TableRun(SystemRandom())
    run.sit("A")
    run.sit("B")
    (told,) = [event for event in run.events if isinstance(event, Sealed)]
    run.start("A")
    one = book(run)
    assert one.deck is not None
    begun = run.events.index(Started(0))
    assert run.events[begun + 1] == DealtBy(told.seal, one.words)
    assert one.seal == told.seal == sealing.seal(one.deck)
    dealt = sealing.dealing(one.deck, one.words).order
    assert run.hand("A") == tuple(sorted(cards(dealt)[:5]))
    assert run.hand("B") == tuple(sorted(cards(dealt)[5:10]))


def test_no_two_games_have_the_same_secret_seal_or_word() -> None:
    run = TableRun(SystemRandom())
    books = []
    for name in "AB":
        run.sit(name, 1000)
    for _ in range(20):
        run.start(str(run.master))
        books.append(book(run))
        run.do(str(run.current), Fold())
        run.do(str(run.current), Fold())
        run.wait(30)
    assert len({one.seal for one in books}) == len({one.deck and one.deck.secret for one in books}) == 20
    assert len({word.text for one in books for word in one.words}) == 40


def test_the_sealed_deck_leaves_the_table_with_the_game() -> None:
    run = house_of()
    assert void(run.table, "recovered", run.now, run.clocks).transcript is None
    run.leave("B")
    assert not run.running
    assert run.table.transcript is None


def test_a_game_without_chance_has_no_seal() -> None:
    assert transcript.begin(5, None, ()) == Transcript(5)


# --- actions ----------------------------------------------------------------------------------------------------------


def whole_game() -> TableRun:
    run = house_of("ABC")
    run.do("A", Bet(5))
    run.now += 2.5
    run.do("B", Bet(6))
    run.give("A", 40)
    run.wait(60)
    run.sit("D", 70)
    for name in "AB":
        run.do(name, Swap((1, 0)))
    run.do("A", Bet(7, see=True))
    run.leave("D", removed=True)
    run.do("B", Bet(8))
    run.do("A", Show())
    run.leave("C")
    run.do("B", Show())
    return run


def test_all_actions_are_recorded_in_order() -> None:
    actions = whole_game().actions
    assert [(action.number, action.kind, action.seat, action.user) for action in actions] == [
        (0, "deal", 0, 1),
        (1, "move", 0, 1),
        (2, "move", 1, 2),
        (3, "time", 2, 3),
        (4, "join", 3, 4),
        (5, "move", 0, 1),
        (6, "move", 1, 2),
        (7, "move", 0, 1),
        (8, "removed", 3, 4),
        (9, "move", 1, 2),
        (10, "move", 0, 1),
        (11, "leave", 2, 3),
        (12, "move", 1, 2),
    ]
    assert [action.at for action in actions[:5]] == [0, 0, 2.5, 62.5, 62.5]
    dealt = msgspec.json.decode(actions[0].detail, type=Dealt)
    assert [(one.seat, one.user, one.name, one.cash) for one in dealt.people] == [
        (seat, seat + 1, "ABC"[seat], 100) for seat in range(3)
    ]
    assert POKER.read_options(bytes(dealt.options).decode()) == Options()
    assert POKER.read_move(actions[7].detail) == Bet(7, see=True)
    assert POKER.read_move(actions[5].detail) == Swap((1, 0))
    assert msgspec.json.decode(actions[4].detail, type=Joined) == Joined("D", 70)


def test_money_from_outside_is_recorded_with_the_next_action() -> None:
    actions = whole_game().actions
    assert [action.cash for action in actions[:8]] == [None, None, None, {0: 125, 1: 84, 2: 90}, None, None, None, None]


def test_hands_are_recorded_when_they_change() -> None:
    run = house_of(hands=f"{FIRST} 6+ 7+ 8+")
    run.do("A", Bet(1))
    run.do("B", Bet(1))
    run.do("A", Swap((2, 3, 4)))
    assert book(run).held == (
        Held(0, 0, "10+ J+ Q+ K+ A+"),
        Held(0, 1, "5- 5# 5* 5+ 6-"),
        Held(3, 0, "6+ 7+ 8+ 10+ J+"),
    )


def test_nothing_is_recorded_of_a_game_that_is_over() -> None:
    run = house_of()
    over = leave(run.table, POKER, 2, run.now, run.clocks).table
    later = sit(over, POKER, Seat(9, 9, "Z", 50), run.now, run.clocks)
    assert over.transcript == later.transcript
    assert over.transcript is not None
    assert [action.kind for action in over.transcript.actions] == ["leave"]


def test_few_actions_wait_for_the_next_bet_and_many_go_together() -> None:
    run = house_of("AB", cash=1000)
    run.do("A", Bet(1))
    run.do("B", Bet(1))
    run.do("A", Swap())
    run.do("B", Swap())
    waiting = []
    for _ in range(BATCH):
        for name in "AB":
            run.do(name, Bet(1))
            waiting.append(len(book(run).actions))
    assert max(waiting) == BATCH
    assert len(run.actions) + waiting[-1] == 1 + 4 + len(waiting)


# --- the game again ---------------------------------------------------------------------------------------------------


@games
def test_any_game_can_be_replayed_from_its_dealing(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT],
) -> None:
    """Without the transcript: the same calls give the same states, whatever chance comes with a move."""
    game = adapter.game
    for seed in range(sampled(100)):
        rng = Random(seed)
        seats = {seat: rng.choice((15, 100, 2000)) for seat in range(game.SEATS)}
        dealt_from = dealing(game, rng)
        state = game.deal(seats, 0, dealt_from, adapter.options).state
        assert game.deal(seats, 0, dealt_from, adapter.options).state == state
        choice = Random(seed)
        while not game.is_over(state):
            kept = choice.getstate()
            state, before = random_step(adapter, state, choice).state, state
            choice.setstate(kept)
            assert random_step(adapter, before, choice).state == state


@games
def test_the_players_are_known_before_the_deal(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    for seed in range(sampled(100)):
        rng = Random(seed)
        taken = rng.sample(range(game.SEATS), min(game.SEATS, max(3, game.FEWEST)))
        seats = {seat: rng.choice((0, 9, 10, 100)) for seat in taken}
        state = game.deal(seats, min(seats), dealing(game, rng), adapter.options).state
        playing = game.players(seats, adapter.options)
        assert list(playing) == sorted(playing)
        assert set(game.hands(state)) <= set(playing) <= set(seats)


@games
def test_only_seats_with_cards_have_hands(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    for seed in range(sampled(50)):
        _, state = dealt(adapter, Random(seed))
        assert all(0 <= seat < adapter.game.SEATS and text for seat, text in adapter.game.hands(state).items())


@games
def test_unchanged_hands_are_left_out(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    for seed in range(sampled(50)):
        choice = Random(seed)
        _, state = dealt(adapter, choice)
        while not adapter.game.is_over(state):
            state, before = random_step(adapter, state, choice).state, state
            had, has = adapter.game.hands(before), adapter.game.hands(state)
            changed = {seat: text for seat, text in has.items() if had.get(seat) != text}
            assert adapter.game.hands(state, before) == changed
            assert adapter.game.hands(state, state) == {}


@games
@pytest.mark.parametrize("order", ["", "nonsense", "1234", "A+ A+"])
def test_an_invalid_order_is_refused(adapter: Adapter[StateT, MoveT, EventT, OptionsT], order: str) -> None:
    with pytest.raises(ValueError, match="order"):
        list(replay(adapter.game, Dealing(order), []))


@games
@pytest.mark.parametrize("text", ["", "{}", "[]", '{"type":"Nothing"}'])
def test_an_invalid_move_is_refused(adapter: Adapter[StateT, MoveT, EventT, OptionsT], text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        adapter.game.read_move(text)


@given(st.permutations(sorted(DECK)), st.integers(2, 5))
def test_poker_deals_any_order_as_it_is(order: list[Card], people: int) -> None:
    step = POKER.deal(dict.fromkeys(range(people), 100), 0, Dealing(" ".join(map(str, order))), Options())
    dealt_out = {seat: cards(hand) for seat, hand in POKER.hands(step.state).items()}
    assert dealt_out == {seat: tuple(sorted(order[5 * seat : 5 * seat + 5])) for seat in range(people)}


@given(st.lists(st.tuples(st.floats(0, 1e6), st.dictionaries(st.integers(0, 4), st.text(max_size=20))), max_size=90))
def test_the_number_of_waiting_actions_is_bounded(steps: list[tuple[float, dict[int, str]]]) -> None:
    one = transcript.begin(0, SMALL, WORDS)
    for number, (now, hands) in enumerate(steps):
        one = transcript.note(one, Action(number, 0, "move", 0, 1), hands, now)
    assert [action.number for action in one.actions] == list(range(min(len(steps), MOST)))
    assert len(one.held) <= HANDS
    assert transcript.without(one, one) == replace(one, actions=())


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_only_actions_that_are_kept_are_dropped(before: int, kept: int, fresh: int) -> None:
    """Dropping the kept actions twice loses none of the later ones."""
    actions = [Action(number, 0, "move", 0, 1) for number in range(before + kept + fresh)]
    written = replace(transcript.begin(0, SMALL, WORDS), actions=tuple(actions[: before + kept]))
    for since in (0, before, before + kept):
        one = replace(written, actions=tuple(actions[since:]))
        assert transcript.without(one, written) == replace(written, actions=tuple(actions[before + kept :]))


def test_poker_refuses_an_order_that_is_no_whole_deck() -> None:
    order = list(map(str, DECK))
    for wrong in (order[:-1], [*order, order[0]], [*order[:-1], order[0]]):
        with pytest.raises(ValueError, match="40 cards"):
            list(replay(POKER, Dealing(" ".join(wrong)), []))


def dealt_from(run: TableRun) -> Dealing:
    one = book(run)
    assert one.deck is not None
    return sealing.dealing(one.deck, one.words)


def played() -> tuple[Dealing, list[Action]]:
    run = house_of()
    dealing = dealt_from(run)
    run.do("A", Bet(5))
    run.leave("B")
    return dealing, run.actions


def with_master(deal: Action, seat: int) -> str:
    return transcript.detail(replace(msgspec.json.decode(deal.detail, type=Dealt), master=seat))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            lambda actions: [actions[0], replace(actions[1], detail='{"type":"Bet","amount":500}'), actions[2]],
            "out_of_range",
        ),
        (lambda actions: [actions[0], replace(actions[1], seat=1), actions[2]], "not_your_turn"),
        (lambda actions: [actions[0], replace(actions[1], detail="x"), actions[2]], "malformed"),
        (lambda actions: [actions[0], replace(actions[1], kind="time", seat=1), actions[2]], "out of place"),
        (lambda actions: [actions[0], replace(actions[1], kind="deal"), actions[2]], "out of place"),
        (lambda actions: [actions[0], actions[2]], "missing"),
        (lambda actions: actions[1:], "missing"),
        (lambda actions: [replace(actions[0], kind="move")], "no deal"),
        (lambda actions: [*actions, replace(actions[2], number=3, seat=0)], "over"),
        (lambda actions: [replace(actions[0], detail="{}"), *actions[1:]], "missing required field"),
        (lambda actions: [*actions[:2], replace(actions[2], seat=9)], "no seat"),
        (lambda actions: [*actions[:2], replace(actions[2], seat=-1)], "no seat"),
        (lambda actions: [*actions[:2], replace(actions[2], kind="away", seat=9)], "no seat"),
        (lambda actions: [replace(actions[0], detail=with_master(actions[0], 9)), *actions[1:]], "no seat"),
    ],
)
def test_impossible_actions_are_found(change: object, found: str) -> None:
    dealing, actions = played()
    assert callable(change)
    with pytest.raises(Contradiction, match=found):
        list(replay(POKER, dealing, change(actions)))


def test_another_order_gives_another_game() -> None:
    run = house_of()
    moved = Dealing(" ".join(reversed(dealt_from(run).order.split())))
    assert POKER.hands(next(replay(POKER, moved, run.actions))[1].state) != POKER.hands(run.game)
