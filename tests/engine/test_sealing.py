"""Sealed decks: what anybody can check, and that a dealer who does not know a word in advance cannot choose hands."""

import subprocess
from collections import Counter
from collections.abc import Callable, MutableSequence
from hashlib import sha256
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.test_shuffle import tail
from yawc_poker.cards import Rank, cards, deck
from yawc_poker.engine import sealing
from yawc_poker.engine.game import Dealing, ItemT
from yawc_poker.engine.sealing import Deck, PlayerWord
from yawc_poker.games.poker.hands import strength

CARDS = tuple(map(str, deck(Rank)))
SECRET = "5e" * 32
WORDS = (PlayerWord(0, "hello"), PlayerWord(2, ""), PlayerWord(3, "k3j4h5g6"))


def shelled(command: str) -> str:
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()[0]


# --- texts that anybody can check -------------------------------------------------------------------------------------


def test_every_line_of_the_row_is_what_sha256sum_says() -> None:
    sealed = Deck(SECRET, " ".join(CARDS))
    row = sealing.row(sealed)
    salt = shelled(f"printf %s '{SECRET} 7' | sha256sum")[:32]
    assert row[6] == shelled(f"printf %s '7 {CARDS[6]} {salt}' | sha256sum")
    assert sealing.openings(sealed)[6] == f"7 {CARDS[6]} {salt}"
    lines = " ".join(row)
    assert sealing.seal(sealed) == shelled(f"printf '%s\\n' {lines} | sha256sum")


def test_the_key_is_that_of_seal_seats_and_words() -> None:
    told = sealing.seal(Deck(SECRET, "A+ K+"))
    assert sealing.key(told, WORDS) == shelled(f"printf '%s\\n' {told} '1 hello' '3 ' '4 k3j4h5g6' | sha256sum")
    assert sealing.key(told, WORDS) == sealing.key(told, WORDS[::-1])


def test_later_decks_follow_from_secret_and_words() -> None:
    key = sealing.key("0" * 64, WORDS)
    assert sealing.seed(SECRET, key) == shelled(f"printf %s '{SECRET} {key}' | sha256sum")


@given(st.lists(st.tuples(st.integers(0, 4), st.text("ab1 ", max_size=3)), max_size=5, unique_by=lambda one: one[0]))
def test_other_words_or_seats_are_other_lines(given: list[tuple[int, str]]) -> None:
    words = tuple(PlayerWord(*one) for one in given if " " not in one[1])
    lines = sealing.key_lines("0" * 64, words)
    seats = {int(seat) - 1: text for seat, _, text in (line.partition(" ") for line in lines[1:])}
    assert seats == {word.seat: word.text for word in words}


def test_a_position_s_salt_reveals_nothing_of_another_s() -> None:
    salts = [sealing.salt(SECRET, position) for position in range(1, 41)]
    assert len(set(salts)) == 40
    assert {len(salt) for salt in salts} == {sealing.SALT_DIGITS}


@pytest.mark.parametrize(
    ("text", "fits"),
    [("a", True), ("Hello,World!", True), ("x" * 16, True), ("x" * 17, False), ("", False), ("two words", False)]
    + [(text, False) for text in ("don't", "back\\slash", "ümlaut", "tab\t", "nul\0", "♥")],
)
def test_valid_words(text: str, fits: bool) -> None:
    assert sealing.is_word(text) == fits


def test_drawn_words_are_words_and_differ() -> None:
    drawn = {sealing.drawn_word(Random(seed)) for seed in range(1000)}
    assert len(drawn) == 1000
    assert all(sealing.is_word(word) and len(word) == sealing.DRAWN_LETTERS for word in drawn)


def test_a_deck_is_shuffled_by_the_chance_given() -> None:
    one, other = (sealing.shuffle(CARDS, Random(seed)) for seed in (1, 2))
    assert sorted(one.order.split()) == sorted(CARDS)
    assert one.order != other.order
    assert one.secret != other.secret
    assert len(one.secret) == 64


def test_games_sealed_the_former_way_are_read_as_before() -> None:
    assert sealing.former_seal("A+ K+", "07") == sha256(b"A+ K+ 07").hexdigest()
    assert sealing.former_dealing("A+ K+") == Dealing("A+ K+")
    assert sealing.former_dealing(f"A+ K+ {SECRET}") == Dealing("A+ K+", SECRET)


# --- the permutation --------------------------------------------------------------------------------------------------


@given(st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(0, 60))
def test_every_position_is_dealt_once(key: str, size: int) -> None:
    assert sorted(sealing.permutation(key, size)) == list(range(1, size + 1))


def test_the_worked_example_of_the_documents() -> None:
    """Fixed for ever: another order would make all games of the past look forged."""
    assert sealing.permutation("0" * 64, 8) == (7, 3, 8, 1, 4, 2, 5, 6)


@pytest.mark.parametrize("order", ["A B C D", "D C B A", "B A D C"])
def test_whatever_order_was_fixed_beforehand_random_words_deal_every_order_equally_often(order: str) -> None:
    """Chi-square over all 24 orders of four cards; fails a fair permutation once in a million times."""
    sealed, rng, rounds = Deck(SECRET, order), Random(7), 4800
    counts = Counter(
        sealing.dealing(sealed, [PlayerWord(0, "fixed"), PlayerWord(1, sealing.drawn_word(rng))]).order
        for _ in range(rounds)
    )
    expected = rounds / 24
    assert set(counts) == {" ".join(one) for one in permutations(order.split())}
    assert tail(sum((found - expected) ** 2 / expected for found in counts.values()), 23) > 1e-6


def test_every_card_comes_to_every_place_equally_often() -> None:
    rounds, rng = 2000, Random(8)
    counts = Counter(
        (place, position)
        for _ in range(rounds)
        for place, position in enumerate(sealing.permutation(f"{rng.getrandbits(256):064x}", 40))
    )
    expected = rounds / 40
    found = sum((counts[place, position + 1] - expected) ** 2 for place in range(40) for position in range(40))
    assert tail(found / expected * 39 / 40, 39**2) > 1e-6


def test_numbers_that_would_favour_a_place_are_left_out() -> None:
    """Of 65536 numbers 16 are too many for 40 places: some key in a thousand meets one in its first draw."""
    keys = [f"{number:064x}" for number in range(20_000)]
    first = {key: int(sha256(f"{key} 0".encode()).hexdigest()[:4], 16) for key in keys}
    unfit = [key for key, number in first.items() if number >= 65536 - 65536 % 40]
    assert unfit
    for key in unfit:
        second = int(sha256(f"{key} 1".encode()).hexdigest()[:4], 16)
        assert sealing.permutation(key, 40)[39] == second % 40 + 1


# --- a dishonest dealer -----------------------------------------------------------------------------------------------

TRIES, GAMES = 400, 64
Assumption = Callable[[Deck], str]
"""The hands that a dealer expects from a deck when sealing it."""


class DishonestDealer(Random):
    """A dealer's source of chance that chooses the best of many decks for seat 1, by the dealer's expectation."""

    def __init__(self, seed: int, tries: int, supposed: Assumption) -> None:
        super().__init__(seed)
        self._tries, self._supposed = tries, supposed
        self._own = Random(seed)

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        decks = [self._own.sample(list(x), len(x)) for _ in range(self._tries)]
        x[:] = max(decks, key=lambda one: lead(self._supposed(Deck(SECRET, " ".join(map(str, one))))))

    def getrandbits(self, k: int, /) -> int:
        """Return the secret, which the dealer also chooses, before looking for a deck."""
        return int(SECRET, 16)


def lead(order: str) -> int:
    return hands(order)[0]


def hands(order: str) -> list[int]:
    dealt = cards(" ".join(order.split()[:10]))
    return [strength(tuple(sorted(dealt[at : at + 5]))) for at in (0, 5)]


def as_sealed(deck: Deck) -> str:
    return deck.order


def without_words(deck: Deck) -> str:
    return sealing.dealing(deck, [PlayerWord(0, ""), PlayerWord(1, "")]).order


def decks(dealer: DishonestDealer) -> list[Deck]:
    return [sealing.shuffle(CARDS, dealer) for _ in range(GAMES)]


def won(decks: list[Deck], dealt: Callable[[Deck], str]) -> int:
    """Play to showdowns; return how many of them seat 1 wins."""
    return sum(int(one > other) for one, other in (hands(dealt(deck)) for deck in decks))


@pytest.mark.parametrize(("supposed", "tries"), [(as_sealed, TRIES), (without_words, 40)])
def test_a_dealer_gains_nothing_by_a_choice_before_the_words(supposed: Assumption, tries: int) -> None:
    words = Random(3)

    def fairly(deck: Deck) -> str:
        return sealing.dealing(deck, [PlayerWord(seat, sealing.drawn_word(words)) for seat in (0, 1)]).order

    chosen = decks(DishonestDealer(4, tries, supposed))
    assert won(chosen, supposed) > 0.85 * GAMES, "the choice would be good if the assumption were right"
    assert abs(won(chosen, fairly) - GAMES / 2) < 2 * GAMES**0.5, "four standard deviations"


@pytest.mark.parametrize("known", [0, 1])
def test_one_word_unknown_to_the_dealer_is_enough(known: int) -> None:
    """It may even be the favoured seat's: the dealer may know, or give, the others' words."""
    words = Random(5)

    def with_one(deck: Deck) -> str:
        return sealing.dealing(
            deck, [PlayerWord(known, "known"), PlayerWord(1 - known, sealing.drawn_word(words))]
        ).order

    assert abs(won(decks(DishonestDealer(6, TRIES, as_sealed)), with_one) - GAMES / 2) < 2 * GAMES**0.5


def test_the_former_method_let_the_dealer_choose() -> None:
    def formerly(deck: Deck) -> str:
        return sealing.former_dealing(deck.order).order

    assert won(decks(DishonestDealer(4, TRIES, as_sealed)), formerly) > 0.9 * GAMES
