"""Sealed decks: the house commits to each position of a shuffled deck, the players' words decide who is dealt which.

Owns the arithmetic alone; when a deck is sealed, and whose words count, is `engine.next_deck`'s. Pure. Everything is
SHA-256 of short texts, so that anybody can check it without this program (docs/fairness.md):

    salt      of position i   first 32 hex digits of SHA256("SECRET i")
    row       line i          SHA256("i CARD SALT"), in hex digits; positions count from 1
    seal                      SHA256 of the row, a line feed behind each of its lines
    key                       SHA256 of the lines "SEAL", "SEAT WORD", "SEAT WORD" ..., a line feed behind each;
                              seats count from 1 and ascend
    order of the positions    Fisher and Yates, with numbers from SHA256("KEY n"), n = 0, 1, 2 ... (`permutation`)
    seed      of later decks  SHA256("SECRET KEY")

The seal is told before any word is given. Invariants: of the row nothing can be read but by the salts; the salt of one
position tells nothing of another's; seal and words fix the whole game.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count

import msgspec

from yawc_poker.engine.game import Chance, Dealing

SECRET_BITS = 256
SALT_DIGITS = 32
"""Hex digits of a salt: 128 bits."""
TOLD = 40
"""Hex digits of a seal that fit into a line of the messages at the table: 160 bits."""
MOST_LETTERS = 16
"""Characters of a word: five words are told in two lines."""
DRAWN_LETTERS = 8
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""What drawn words are made of: 32 characters that nobody takes for another one."""
_HARMLESS = frozenset(map(chr, range(ord("!"), ord("~") + 1))) - set("'\\")
"""What a typed word may be made of: it stands between quotes in a line for the shell."""
_NUMBERS = 16**4
"""A number for the permutation is four hex digits."""


class PlayerWord(msgspec.Struct, frozen=True, array_like=True):
    """A player's word; empty: none was given."""

    seat: int
    """From 0."""
    text: str


class Deck(msgspec.Struct, frozen=True):
    """A shuffled deck to which the house is committed. Hidden from everybody, but for its seal."""

    secret: str
    """Hex digits that all salts are made of."""
    order: str
    """The cards by position, the first one first."""


# --- before the words -------------------------------------------------------------------------------------------------


def shuffle(cards: Iterable[str], rng: Chance) -> Deck:
    """Return a freshly shuffled deck with a secret of its own."""
    order = list(cards)
    rng.shuffle(order)
    return Deck(f"{rng.getrandbits(SECRET_BITS):0{SECRET_BITS // 4}x}", " ".join(order))


def salt(secret: str, position: int) -> str:
    """Return the salt of a position, counted from 1."""
    return _hash(f"{secret} {position}")[:SALT_DIGITS]


def openings(deck: Deck) -> tuple[str, ...]:
    """Return "POSITION CARD SALT" of each position: who knows it can check that line of the row."""
    cards = enumerate(deck.order.split(), 1)
    return tuple([f"{position} {card} {salt(deck.secret, position)}" for position, card in cards])


def row(deck: Deck) -> tuple[str, ...]:
    """Return the commitment to each position."""
    return tuple([_hash(text) for text in openings(deck)])


def seal(deck: Deck) -> str:
    """Return the seal: one commitment to the whole row."""
    return _hash("".join([f"{line}\n" for line in row(deck)]))


# --- the words --------------------------------------------------------------------------------------------------------


def drawn_word(rng: Chance) -> str:
    """Return a word drawn by chance."""
    bits = rng.getrandbits(5 * DRAWN_LETTERS)
    return "".join([_LETTERS[bits >> 5 * place & 31] for place in range(DRAWN_LETTERS)])


def is_word(text: str) -> bool:
    """Return whether a text may be given as a word: a few visible ASCII characters, no quote and no backslash."""
    return 1 <= len(text) <= MOST_LETTERS and _HARMLESS.issuperset(text)


# --- by the words -----------------------------------------------------------------------------------------------------


def key_lines(told: str, words: Iterable[PlayerWord]) -> tuple[str, ...]:
    """Return the lines that the key is made of: the seal, then each player's seat and word."""
    return (told, *[f"{word.seat + 1} {word.text}" for word in sorted(words, key=lambda word: word.seat)])


def key(told: str, words: Iterable[PlayerWord]) -> str:
    """Return the key that decides the order of the positions, from the seal that was told and the words."""
    return _hash("".join([f"{line}\n" for line in key_lines(told, words)]))


def permutation(key: str, size: int) -> tuple[int, ...]:
    """Return the positions, counted from 1, in the order in which they are dealt; every order is equally likely.

    Fisher and Yates from the last place down: place and a place up to it, drawn by the next number that serves,
    change their positions. A number serves if it is below the greatest multiple of the places it is to choose from.
    """
    numbers, places = _numbers(key), list(range(1, size + 1))
    for last in range(size - 1, 0, -1):
        choices = last + 1
        other = next(number for number in numbers if number < _NUMBERS - _NUMBERS % choices) % choices
        places[last], places[other] = places[other], places[last]
    return tuple(places)


def _numbers(key: str) -> Iterator[int]:
    return (int(_hash(f"{key} {number}")[:4], 16) for number in count())


def dealing(deck: Deck, words: Sequence[PlayerWord]) -> Dealing:
    """Return what a game is dealt from: the cards in the order that the words decide, and the seed of later decks."""
    cards, chosen = deck.order.split(), key(seal(deck), words)
    order = " ".join([cards[position - 1] for position in permutation(chosen, len(cards))])
    return Dealing(order, seed(deck.secret, chosen))


def seed(secret: str, key: str) -> str:
    """Return the seed of all later shuffles: neither who knows the secret nor who gives a word can choose it."""
    return _hash(f"{secret} {key}")


# --- as it was done before --------------------------------------------------------------------------------------------


def former_seal(sealed: str, salt: str) -> str:
    """Return the seal of a game from before there were words: one salt for the order of the whole deck."""
    return _hash(f"{sealed} {salt}")


def former_dealing(sealed: str) -> Dealing:
    """Return what such a game was dealt from: its cards as they came, and behind them what later decks came from."""
    cards, _, last = sealed.rpartition(" ")
    return Dealing(cards, last) if len(last) == SECRET_BITS // 4 else Dealing(sealed)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
