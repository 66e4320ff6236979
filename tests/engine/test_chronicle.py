"""What is written down of a game: the seal before it, deeds while it runs, and the whole game again from them."""

from hashlib import sha256
from random import Random, SystemRandom

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import Adapter
from tests.engine.test_conformance import dealt, games, random_step
from tests.rules.house import DECK, House, Rigged
from yawc_poker.cards import Card, cards
from yawc_poker.engine import chronicle
from yawc_poker.engine.chronicle import BATCH, HANDS, MOST, SALT_BITS, Chronicle, Dealt, Deed, Held, Joined
from yawc_poker.engine.game import A, E, M, S
from yawc_poker.engine.replay import Contradiction, replay
from yawc_poker.engine.table import Sealed, Seat, Started, leave, sit, void
from yawc_poker.games import POKER
from yawc_poker.games.poker.model import Bet, Fold, Options, Show, Swap

FIRST = "A+ K+ Q+ J+ 10+ 5- 5# 5* 5+ 6-"


def house_of(names: str = "AB", hands: str = FIRST, cash: int = 100) -> House:
    house = House(Rigged(hands))
    for name in names:
        house.sit(name, cash)
    house.start(names[0])
    return house


def book(house: House) -> Chronicle:
    assert house.table.chronicle is not None
    return house.table.chronicle


# --- the seal ---------------------------------------------------------------------------------------------------------


def test_the_seal_is_told_before_anybody_can_act_and_is_that_of_the_order_dealt() -> None:
    house = house_of()
    assert house.events[2:] == [Started(0), Sealed(book(house).seal)]
    assert book(house).sealed.startswith(f"{FIRST} ")
    assert sorted(cards(book(house).sealed)) == sorted(DECK)
    assert book(house).seal == sha256(f"{book(house).sealed} {book(house).salt}".encode()).hexdigest()
    assert house.hand("A") == cards("10+ J+ Q+ K+ A+")


def test_no_two_games_have_the_same_salt_and_seal() -> None:
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
    assert len({one.seal for one in books}) == len({one.salt for one in books}) == 20
    assert {len(one.salt) for one in books} == {SALT_BITS // 4}


def test_a_small_salt_is_written_in_full() -> None:
    assert chronicle.begin(0, "5-", 7).salt == "0" * 31 + "7"


def test_what_is_sealed_is_gone_from_the_table_with_the_game() -> None:
    house = house_of()
    assert void(house.table, "recovered", house.now, house.clocks).chronicle is None
    house.leave("B")
    assert not house.running
    assert house.table.chronicle is None


def test_a_game_without_chance_has_no_seal() -> None:
    assert chronicle.begin(5, "", 7) == Chronicle(5)


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
def test_any_game_can_be_played_again_from_its_sealed_text(adapter: Adapter[S, M, E, A]) -> None:
    """Without deeds: the same calls with the chance of the sealed text give the same states."""
    game = adapter.game
    for seed in range(100):
        rng = Random(seed)
        seats = {seat: rng.choice((15, 100, 2000)) for seat in range(game.SEATS)}
        step = game.deal(seats, 0, rng, adapter.options)
        assert step.sealed
        again = game.deal(seats, 0, game.unsealed(step.sealed), adapter.options)
        assert again == step
        choice = Random(seed)
        state = step.state
        while not game.is_over(state):
            kept = choice.getstate()
            state, before = random_step(adapter, state, choice).state, state
            choice.setstate(kept)
            assert random_step(adapter, before, choice).state == state


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
@pytest.mark.parametrize("text", ["", "nonsense", "1234", "A+ A+"])
def test_what_is_no_sealed_text_is_refused(adapter: Adapter[S, M, E, A], text: str) -> None:
    with pytest.raises(ValueError, match="order"):
        adapter.game.unsealed(text)


@games
@pytest.mark.parametrize("text", ["", "{}", "[]", '{"type":"Nothing"}'])
def test_what_is_no_move_is_refused(adapter: Adapter[S, M, E, A], text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        adapter.game.read_move(text)


@given(st.permutations(sorted(DECK)), st.integers(2, 5))
def test_poker_deals_any_order_as_it_was_sealed(order: list[Card], people: int) -> None:
    text = " ".join(map(str, order))
    step = POKER.deal(dict.fromkeys(range(people), 100), 0, POKER.unsealed(text), Options())
    assert step.sealed == text
    dealt_out = {seat: cards(hand) for seat, hand in POKER.hands(step.state).items()}
    assert dealt_out == {seat: tuple(sorted(order[5 * seat : 5 * seat + 5])) for seat in range(people)}


@given(st.text(max_size=80))
def test_whatever_is_no_order_is_refused_with_a_word(text: str) -> None:
    with pytest.raises(ValueError, match="order"):
        POKER.unsealed(text)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.dictionaries(st.integers(0, 4), st.text(max_size=20))), max_size=90))
def test_what_waits_is_bounded_whatever_happens(steps: list[tuple[float, dict[int, str]]]) -> None:
    one = chronicle.begin(0, "5-", 1)
    for number, (now, hands) in enumerate(steps):
        one = chronicle.note(one, Deed(number, 0, "move", 0, 1), hands, now)
    assert [deed.number for deed in one.deeds] == list(range(min(len(steps), MOST)))
    assert len(one.held) <= HANDS
    assert chronicle.without(one, one) == replace(one, deeds=())


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_only_deeds_that_are_kept_are_forgotten(before: int, kept: int, fresh: int) -> None:
    """Whoever keeps some, forgets them, and is told again that they were kept, has lost nothing of what came after."""
    deeds = [Deed(number, 0, "move", 0, 1) for number in range(before + kept + fresh)]
    written = replace(chronicle.begin(0, "5-", 1), deeds=tuple(deeds[: before + kept]))
    for since in (0, before, before + kept):
        one = replace(written, deeds=tuple(deeds[since:]))
        assert chronicle.without(one, written) == replace(written, deeds=tuple(deeds[before + kept :]))


def test_poker_refuses_an_order_that_is_no_whole_deck() -> None:
    order = book(house_of()).sealed.split()
    for wrong in (order[:-1], [*order, order[0]], [*order[:-1], order[0]]):
        with pytest.raises(ValueError, match="40 cards"):
            POKER.unsealed(" ".join(wrong))


def played() -> tuple[str, list[Deed]]:
    house = house_of()
    sealed = book(house).sealed
    house.do("A", Bet(5))
    house.leave("B")
    return sealed, house.deeds


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
    sealed, deeds = played()
    assert callable(change)
    with pytest.raises(Contradiction, match=found):
        list(replay(POKER, sealed, change(deeds)))


def test_another_order_gives_another_game() -> None:
    house = house_of()
    moved = " ".join(reversed(book(house).sealed.split()))
    assert POKER.hands(next(replay(POKER, moved, house.deeds))[1].state) != POKER.hands(house.game)
