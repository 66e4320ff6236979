"""What is written down of a game: the deck it is dealt from, its deeds; and the whole game again from all that."""

from random import Random, SystemRandom

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import Adapter
from tests.engine.stacked import dealing
from tests.engine.test_conformance import dealt, games, random_step
from tests.rules.house import DECK, House
from yawc_poker.cards import Card, cards
from yawc_poker.engine import sealing, transcript
from yawc_poker.engine.game import A, Dealing, E, M, S
from yawc_poker.engine.replay import Contradiction, replay
from yawc_poker.engine.sealing import Deck, Word
from yawc_poker.engine.table import DealtBy, Sealed, Seat, Started, leave, sit, void
from yawc_poker.engine.transcript import BATCH, HANDS, MOST, Chronicle, Dealt, Deed, Held, Joined
from yawc_poker.games import POKER
from yawc_poker.games.poker.model import Bet, Fold, Options, Show, Swap

FIRST = "A+ K+ Q+ J+ 10+ 5- 5# 5* 5+ 6-"


SMALL, WORDS = Deck("0" * 64, "5-"), (Word(0, "a"),)


def house_of(names: str = "AB", hands: str = FIRST, cash: int = 100) -> House:
    house = House(first=hands)
    for name in names:
        house.sit(name, cash)
    house.start(names[0])
    return house


def book(house: House) -> Chronicle:
    assert house.table.chronicle is not None
    return house.table.chronicle


# --- the seal ---------------------------------------------------------------------------------------------------------


def test_what_a_game_is_dealt_from_was_sealed_before_and_is_told_with_its_words() -> None:
    house = House(SystemRandom())
    house.sit("A")
    house.sit("B")
    (told,) = [event for event in house.events if isinstance(event, Sealed)]
    house.start("A")
    one = book(house)
    assert one.deck is not None
    assert house.events[-2:] == [Started(0), DealtBy(told.seal, one.words)]
    assert one.seal == told.seal == sealing.seal(one.deck)
    dealt = sealing.dealing(one.deck, one.words).order
    assert house.hand("A") == tuple(sorted(cards(dealt)[:5]))
    assert house.hand("B") == tuple(sorted(cards(dealt)[5:10]))


def test_no_two_games_have_the_same_secret_seal_or_word() -> None:
    house = House(SystemRandom())
    books = []
    for name in "AB":
        house.sit(name, 1000)
    for _ in range(20):
        house.start(str(house.master))
        books.append(book(house))
        house.do(str(house.current), Fold())
        house.do(str(house.current), Fold())
        house.wait(30)
    assert len({one.seal for one in books}) == len({one.deck and one.deck.secret for one in books}) == 20
    assert len({word.text for one in books for word in one.words}) == 40


def test_what_is_sealed_is_gone_from_the_table_with_the_game() -> None:
    house = house_of()
    assert void(house.table, "recovered", house.now, house.clocks).chronicle is None
    house.leave("B")
    assert not house.running
    assert house.table.chronicle is None


def test_a_game_without_chance_has_no_seal() -> None:
    assert transcript.begin(5, None, ()) == Chronicle(5)


# --- deeds ------------------------------------------------------------------------------------------------------------


def whole_game() -> House:
    house = house_of("ABC")
    house.do("A", Bet(5))
    house.now += 2.5
    house.do("B", Bet(6))
    house.give("A", 40)
    house.wait(60)
    house.sit("D", 70)
    for name in "AB":
        house.do(name, Swap((1, 0)))
    house.do("A", Bet(7, see=True))
    house.leave("D", removed=True)
    house.do("B", Bet(8))
    house.do("A", Show())
    house.leave("C")
    house.do("B", Show())
    return house


def test_everything_is_written_down_in_order() -> None:
    deeds = whole_game().deeds
    assert [(deed.number, deed.kind, deed.seat, deed.user) for deed in deeds] == [
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
    assert [deed.at for deed in deeds[:5]] == [0, 0, 2.5, 62.5, 62.5]
    dealt = msgspec.json.decode(deeds[0].detail, type=Dealt)
    assert [(one.seat, one.user, one.name, one.cash) for one in dealt.people] == [
        (seat, seat + 1, "ABC"[seat], 100) for seat in range(3)
    ]
    assert POKER.read_options(bytes(dealt.options).decode()) == Options()
    assert POKER.read_move(deeds[7].detail) == Bet(7, see=True)
    assert POKER.read_move(deeds[5].detail) == Swap((1, 0))
    assert msgspec.json.decode(deeds[4].detail, type=Joined) == Joined("D", 70)


def test_money_from_outside_is_written_down_where_it_matters() -> None:
    deeds = whole_game().deeds
    assert [deed.cash for deed in deeds[:8]] == [None, None, None, {0: 125, 1: 84, 2: 90}, None, None, None, None]


def test_hands_are_written_down_when_they_change() -> None:
    house = house_of(hands=f"{FIRST} 6+ 7+ 8+")
    house.do("A", Bet(1))
    house.do("B", Bet(1))
    house.do("A", Swap((2, 3, 4)))
    assert book(house).held == (
        Held(0, 0, "10+ J+ Q+ K+ A+"),
        Held(0, 1, "5- 5# 5* 5+ 6-"),
        Held(3, 0, "6+ 7+ 8+ 10+ J+"),
    )


def test_nothing_is_written_of_a_game_that_is_over() -> None:
    house = house_of()
    over = leave(house.table, POKER, 2, house.now, house.clocks).table
    later = sit(over, POKER, Seat(9, 9, "Z", 50), house.now, house.clocks)
    assert over.chronicle == later.chronicle
    assert over.chronicle is not None
    assert [deed.kind for deed in over.chronicle.deeds] == ["leave"]


def test_few_deeds_wait_for_company_and_many_go_together() -> None:
    house = house_of("AB", cash=1000)
    house.do("A", Bet(1))
    house.do("B", Bet(1))
    house.do("A", Swap())
    house.do("B", Swap())
    waiting = []
    for _ in range(BATCH):
        for name in "AB":
            house.do(name, Bet(1))
            waiting.append(len(book(house).deeds))
    assert max(waiting) == BATCH
    assert len(house.deeds) + waiting[-1] == 1 + 4 + len(waiting)


# --- the game again ---------------------------------------------------------------------------------------------------


@games
def test_any_game_can_be_played_again_from_what_it_was_dealt_from(adapter: Adapter[S, M, E, A]) -> None:
    """Without deeds: the same calls give the same states, whatever chance comes with a move."""
    game = adapter.game
    for seed in range(100):
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
def test_who_plays_is_said_before_the_deal(adapter: Adapter[S, M, E, A]) -> None:
    game = adapter.game
    for seed in range(100):
        rng = Random(seed)
        seats = {seat: rng.choice((0, 9, 10, 100)) for seat in rng.sample(range(game.SEATS), 3)}
        state = game.deal(seats, min(seats), dealing(game, rng), adapter.options).state
        playing = game.players(seats, adapter.options)
        assert list(playing) == sorted(playing)
        assert set(game.hands(state)) <= set(playing) <= set(seats)


@games
def test_hands_are_told_for_who_holds_cards_only(adapter: Adapter[S, M, E, A]) -> None:
    for seed in range(50):
        _, state = dealt(adapter, Random(seed))
        assert all(0 <= seat < adapter.game.SEATS and text for seat, text in adapter.game.hands(state).items())


@games
def test_of_hands_that_have_not_changed_nothing_is_said(adapter: Adapter[S, M, E, A]) -> None:
    for seed in range(50):
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
def test_what_is_no_order_is_refused(adapter: Adapter[S, M, E, A], order: str) -> None:
    with pytest.raises(ValueError, match="order"):
        list(replay(adapter.game, Dealing(order), []))


@games
@pytest.mark.parametrize("text", ["", "{}", "[]", '{"type":"Nothing"}'])
def test_what_is_no_move_is_refused(adapter: Adapter[S, M, E, A], text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        adapter.game.read_move(text)


@given(st.permutations(sorted(DECK)), st.integers(2, 5))
def test_poker_deals_any_order_as_it_is(order: list[Card], people: int) -> None:
    step = POKER.deal(dict.fromkeys(range(people), 100), 0, Dealing(" ".join(map(str, order))), Options())
    dealt_out = {seat: cards(hand) for seat, hand in POKER.hands(step.state).items()}
    assert dealt_out == {seat: tuple(sorted(order[5 * seat : 5 * seat + 5])) for seat in range(people)}


@given(st.lists(st.tuples(st.floats(0, 1e6), st.dictionaries(st.integers(0, 4), st.text(max_size=20))), max_size=90))
def test_what_waits_is_bounded_whatever_happens(steps: list[tuple[float, dict[int, str]]]) -> None:
    one = transcript.begin(0, SMALL, WORDS)
    for number, (now, hands) in enumerate(steps):
        one = transcript.note(one, Deed(number, 0, "move", 0, 1), hands, now)
    assert [deed.number for deed in one.deeds] == list(range(min(len(steps), MOST)))
    assert len(one.held) <= HANDS
    assert transcript.without(one, one) == replace(one, deeds=())


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_only_deeds_that_are_kept_are_forgotten(before: int, kept: int, fresh: int) -> None:
    """Whoever keeps some, forgets them, and is told again that they were kept, has lost nothing of what came after."""
    deeds = [Deed(number, 0, "move", 0, 1) for number in range(before + kept + fresh)]
    written = replace(transcript.begin(0, SMALL, WORDS), deeds=tuple(deeds[: before + kept]))
    for since in (0, before, before + kept):
        one = replace(written, deeds=tuple(deeds[since:]))
        assert transcript.without(one, written) == replace(written, deeds=tuple(deeds[before + kept :]))


def test_poker_refuses_an_order_that_is_no_whole_deck() -> None:
    order = list(map(str, DECK))
    for wrong in (order[:-1], [*order, order[0]], [*order[:-1], order[0]]):
        with pytest.raises(ValueError, match="40 cards"):
            list(replay(POKER, Dealing(" ".join(wrong)), []))


def dealt_from(house: House) -> Dealing:
    one = book(house)
    assert one.deck is not None
    return sealing.dealing(one.deck, one.words)


def played() -> tuple[Dealing, list[Deed]]:
    house = house_of()
    dealing = dealt_from(house)
    house.do("A", Bet(5))
    house.leave("B")
    return dealing, house.deeds


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda deeds: [deeds[0], replace(deeds[1], detail='{"type":"Bet","amount":500}'), deeds[2]], "out_of_range"),
        (lambda deeds: [deeds[0], replace(deeds[1], seat=1), deeds[2]], "not_your_turn"),
        (lambda deeds: [deeds[0], replace(deeds[1], detail="x"), deeds[2]], "malformed"),
        (lambda deeds: [deeds[0], replace(deeds[1], kind="time", seat=1), deeds[2]], "out of place"),
        (lambda deeds: [deeds[0], replace(deeds[1], kind="deal"), deeds[2]], "out of place"),
        (lambda deeds: [deeds[0], deeds[2]], "missing"),
        (lambda deeds: deeds[1:], "missing"),
        (lambda deeds: [replace(deeds[0], kind="move")], "no deal"),
        (lambda deeds: [*deeds, replace(deeds[2], number=3, seat=0)], "over"),
        (lambda deeds: [replace(deeds[0], detail="{}"), *deeds[1:]], "missing required field"),
    ],
)
def test_deeds_that_cannot_be_are_found(change: object, found: str) -> None:
    dealing, deeds = played()
    assert callable(change)
    with pytest.raises(Contradiction, match=found):
        list(replay(POKER, dealing, change(deeds)))


def test_another_order_gives_another_game() -> None:
    house = house_of()
    moved = Dealing(" ".join(reversed(dealt_from(house).order.split())))
    assert POKER.hands(next(replay(POKER, moved, house.deeds))[1].state) != POKER.hands(house.game)
