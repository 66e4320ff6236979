"""House players' chance: the same numbers for everybody who knows the text, none more likely than another."""

from collections import Counter
from hashlib import sha256
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hashing import printed
from yawc_poker.casino.presence.directory import GUESTS
from yawc_poker.engine.house import (
    HOUSE_USERS,
    LEVELS,
    Level,
    SealedChance,
    chance_of,
    is_house,
    program_name,
    read_program,
)


def test_the_bits_are_those_of_the_hashes_in_their_order() -> None:
    hashes = "".join(sha256(f"key {number}".encode()).hexdigest() for number in range(3))
    chance = SealedChance("key")
    assert f"{chance.getrandbits(256):064x}" == hashes[:64]
    assert f"{chance.getrandbits(4):x}" == hashes[64]
    assert f"{chance.getrandbits(300):075x}" == hashes[65:140]
    assert chance.getrandbits(0) == 0
    assert f"{chance.getrandbits(16):04x}" == hashes[140:144]


@given(key=st.text(), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_the_bits_do_not_depend_on_how_many_are_taken_at_once(key: str, cuts: list[int]) -> None:
    parts, whole = SealedChance(key), SealedChance(key).getrandbits(sum(cuts))
    taken = 0
    for cut in cuts:
        taken = taken << cut | parts.getrandbits(cut)
    assert taken == whole


@given(key=st.text(), limit=st.integers(1, 1 << 70))
def test_a_number_below_a_limit_is_below_it(key: str, limit: int) -> None:
    assert 0 <= SealedChance(key).below(limit) < limit


def test_what_cannot_be_drawn_is_refused() -> None:
    for limit in (0, -1):
        with pytest.raises(ValueError, match="no number"):
            SealedChance("key").below(limit)
    with pytest.raises(ValueError, match="bits"):
        SealedChance("key").getrandbits(-1)


def test_all_numbers_and_all_orders_are_equally_likely() -> None:
    """Chi-square at five and at 23 degrees of freedom; the key is fixed, so the test never fails by chance."""
    chance = SealedChance("likely")
    numbers = Counter(chance.below(6) for _ in range(6000))
    assert sum((numbers[number] - 1000) ** 2 / 1000 for number in range(6)) < 20.5
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(4800):
        cards = [0, 1, 2, 3]
        chance.shuffle(cards)
        orders[tuple(cards)] += 1
    assert sum((orders[order] - 200) ** 2 / 200 for order in permutations(range(4))) < 49.7


@given(key=st.text(), cards=st.lists(st.integers()))
def test_a_shuffle_keeps_all_cards(key: str, cards: list[int]) -> None:
    shuffled = list(cards)
    SealedChance(key).shuffle(shuffled)
    assert Counter(shuffled) == Counter(cards)


def test_each_choice_has_a_chance_of_its_own() -> None:
    texts = [(seed, seat, action) for seed in ("a", "b") for seat in range(5) for action in range(30)]
    assert len({chance_of(*text).getrandbits(64) for text in texts}) == len(texts)
    assert chance_of("a", 1, 2).getrandbits(64) == chance_of("a", 1, 2).getrandbits(64)
    assert chance_of("a", 1, 23).getrandbits(64) != chance_of("a", 12, 3).getrandbits(64)


def test_another_process_draws_the_same() -> None:
    program = (
        "from yawc_poker.engine.house import chance_of\n"
        "chance, cards = chance_of('seed', 3, 17), list(range(40))\n"
        "chance.shuffle(cards)\n"
        "print(cards, chance.below(1000), chance.getrandbits(99))\n"
    )
    assert printed(program)


def test_a_house_player_is_neither_an_account_nor_a_guest() -> None:
    assert is_house(HOUSE_USERS.start)
    assert not any(map(is_house, (0, 1, 10**9, GUESTS, GUESTS + 500, HOUSE_USERS.stop)))
    assert HOUSE_USERS.stop <= GUESTS


@pytest.mark.parametrize("level", LEVELS)
def test_the_name_of_a_program_is_read_again(level: Level) -> None:
    assert read_program(program_name(level, 12)) == (level, 12)


@pytest.mark.parametrize("text", ["", "normal", "normal ", "normal x", "brutal 1", "normal -1", " 1"])
def test_what_names_no_program_is_not_read(text: str) -> None:
    assert read_program(text) is None
