"""Sealed decks: the house commits to each position of a shuffled deck, the players to texts that decide the deal.

Owns the arithmetic, and the values that it is about; `engine.next_game` decides when a deck is sealed and who may
commit, `engine.opening` when texts are revealed and whose count. Pure. Everything is
SHA-256 of short texts, so that anybody can check it without this program (docs/fairness.md):

    salt      of position i   first 32 hex digits of SHA256("SECRET i")
    row       line i          SHA256("i CARD SALT"), in hex digits; positions count from 1
    seal                      SHA256 of the row, a line feed after each of its lines
    commitment of a player    SHA256("TEXT"), of 1 to 64 characters; the part before the last "/" is called their word
    key                       SHA256 of the lines "SEAL", "SEAT TEXT", "SEAT TEXT" ..., a line feed after each;
                              seats count from 1 and ascend
    order of the positions    Fisher-Yates, with numbers from SHA256("KEY n"), n = 0, 1, 2 ... (`permutation`)
    seed      of later decks  SHA256("SECRET KEY")

The seal is announced before anybody commits, and all commitments are fixed before any text is revealed. Invariants: the
row reveals nothing without the salts; the salt of one position reveals nothing of another's; seal and texts determine
the whole game.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import Final, Literal

import msgspec

from yawc_poker.engine.game import Chance, Dealing

SECRET_BITS = 256
SALT_DIGITS = 32
"""Hex digits of a salt: 128 bits."""
TOLD = 40
"""Hex digits of a seal that fit into a message line at the table: 160 bits."""
MOST_LETTERS = 16
"""Maximum characters of a word: five words fit into two lines."""
MOST_TEXT: Final = 64
"""Maximum characters of a text that is committed to."""
_RANDOM_BITS: Final = 128
"""Of the random part of a text that a session draws: nobody finds the text by trying words."""
_PART: Final = "/"
"""Stands between a word and its random part."""
DRAWN_LETTERS = 8
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Alphabet of drawn words: 32 characters that cannot be mistaken for one another."""
_HARMLESS = frozenset(map(chr, range(ord("!"), ord("~") + 1))) - set("'\\")
"""Characters allowed in a typed word: it is quoted in a shell command line."""
_NUMBERS = 16**4
"""Range of a number for the permutation: four hex digits."""


class PlayerWord(msgspec.Struct, frozen=True, array_like=True):
    """The text by which a player has a part in the deal; empty if they were not committed to any."""

    seat: int
    """From 0."""
    text: str


Custody = Literal["session", "device"]
"""Who holds the text until it is revealed: the player's session on this machine, or a device of their own."""
Why = Literal["withheld", "lost"]
"""Why a text was not revealed: its player has it and did not tell it, or it was a session's that could not."""


class Commitment(msgspec.Struct, frozen=True, array_like=True):
    """What the player in a seat has committed to for the next game."""

    seat: int
    hash: str
    """SHA-256 of the text, in hex digits."""
    custody: Custody


class Frozen(msgspec.Struct, frozen=True, array_like=True):
    """A player's part in a deal that begins; nothing of it but the text can still change."""

    seat: int
    user: int
    name: str
    session: int
    """The session that may reveal the text; also the one that has the seat by then."""
    hash: str = ""
    """Empty: they were not committed to anything, and their text is empty."""
    custody: Custody = "session"
    text: str = ""
    """Empty until it is revealed."""

    @property
    def owes(self) -> bool:
        """Whether the text is still to be revealed."""
        return bool(self.hash) and not self.text


class Missing(msgspec.Struct, frozen=True, array_like=True):
    """A player whose text was not revealed in time."""

    seat: int
    user: int
    name: str
    why: Why


class Deck(msgspec.Struct, frozen=True):
    """A shuffled deck to which the house is committed. Hidden from everybody, except for its seal."""

    secret: str
    """Hex digits from which all salts are computed."""
    order: str
    """The cards by position, starting with the first."""


class Discarded(msgspec.Struct, frozen=True):
    """A deal that came to nothing because texts were not revealed. Nobody plays it, so all of it may be shown."""

    deck: Deck
    frozen: tuple[Frozen, ...]
    missing: tuple[Missing, ...]


class Begun(msgspec.Struct, frozen=True):
    """How a game began: what its players were committed to, and the deals that came to nothing before it."""

    frozen: tuple[Frozen, ...] = ()
    discarded: tuple[Discarded, ...] = ()


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
    """Return "POSITION CARD SALT" of each position, by which that line of the row can be checked."""
    cards = enumerate(deck.order.split(), 1)
    return tuple([f"{position} {card} {salt(deck.secret, position)}" for position, card in cards])


def row(deck: Deck) -> tuple[str, ...]:
    """Return the commitment to each position."""
    return tuple([_hash(text) for text in openings(deck)])


def seal(deck: Deck) -> str:
    """Return the seal: one commitment to the whole row."""
    return _hash("".join([f"{line}\n" for line in row(deck)]))


# --- the words --------------------------------------------------------------------------------------------------------


def commitment(text: str) -> str:
    """Return what commits a player to a text."""
    return _hash(text)


def is_commitment(text: str) -> bool:
    """Return whether this can be a commitment: 64 hex digits in lower case."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def drawn_text(rng: Chance, word: str = "") -> str:
    """Return a text with this word, or a random one, and a random part."""
    return f"{word or drawn_word(rng)}{_PART}{rng.getrandbits(_RANDOM_BITS):0{_RANDOM_BITS // 4}x}"


def is_text(text: str) -> bool:
    """Return whether a text may be revealed: 1 to 64 visible ASCII characters, no single quote or backslash."""
    return 1 <= len(text) <= MOST_TEXT and _HARMLESS.issuperset(text)


def word_in(text: str) -> str:
    """Return the word of a text: what stands before its random part."""
    word, _, random = text.rpartition(_PART)
    return word or random


def drawn_word(rng: Chance) -> str:
    """Return a random word."""
    bits = rng.getrandbits(5 * DRAWN_LETTERS)
    return "".join([_LETTERS[bits >> 5 * place & 31] for place in range(DRAWN_LETTERS)])


def is_word(text: str) -> bool:
    """Return whether a text is allowed as a word: 1 to 16 visible ASCII characters, no single quote or backslash."""
    return 1 <= len(text) <= MOST_LETTERS and _HARMLESS.issuperset(text)


# --- by the words -----------------------------------------------------------------------------------------------------


def key_lines(told: str, words: Iterable[PlayerWord]) -> tuple[str, ...]:
    """Return the lines that are hashed for the key: the seal, then each player's seat and text."""
    return (told, *[f"{word.seat + 1} {word.text}" for word in sorted(words, key=lambda word: word.seat)])


def key(told: str, words: Iterable[PlayerWord]) -> str:
    """Return the key that decides the order of the positions, from the announced seal and the texts."""
    return _hash("".join([f"{line}\n" for line in key_lines(told, words)]))


def permutation(key: str, size: int) -> tuple[int, ...]:
    """Return the positions, counted from 1, in the order in which they are dealt; every order is equally likely.

    Fisher-Yates from the last place down: each place is swapped with a place up to it, chosen by the next acceptable
    number. A number is acceptable if it is below the greatest multiple of the number of places to choose from.
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
    """Return the dealing of a game: the cards in the order that the words decide, and the seed of later decks."""
    cards, chosen = deck.order.split(), key(seal(deck), words)
    order = " ".join([cards[position - 1] for position in permutation(chosen, len(cards))])
    return Dealing(order, seed(deck.secret, chosen))


def seed(secret: str, key: str) -> str:
    """Return the seed of all later shuffles; neither the house, which knows the secret, nor a player can choose it."""
    return _hash(f"{secret} {key}")


# --- games from before there were words -------------------------------------------------------------------------------


def former_seal(sealed: str, salt: str) -> str:
    """Return the seal of a game without words: one salt for the order of the whole deck."""
    return _hash(f"{sealed} {salt}")


def former_dealing(sealed: str) -> Dealing:
    """Return the dealing of such a game: its cards in order, followed by the seed of later decks, if there was one."""
    cards, _, last = sealed.rpartition(" ")
    return Dealing(cards, last) if len(last) == SECRET_BITS // 4 else Dealing(sealed)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
