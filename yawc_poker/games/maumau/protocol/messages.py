"""Mau-Mau's protocol (spec/maumau_protocol.md 3): what either side may say, as values. Pure.

Owns the vocabulary only: the messages, and what a number in one stands for. Never their bytes (`codec`), never their
order nor what they lead to: that is `wire`'s, and a client's.
"""

import msgspec

from yawc_poker.cards import Card, Suit

# --- what a client says (3) -------------------------------------------------------------------------------------------


class Id(msgspec.Struct, frozen=True):
    """42: who the client is."""

    name: str


class Play(msgspec.Struct, frozen=True):
    """43: lay a card."""

    card: Card


class Take(msgspec.Struct, frozen=True):
    """44: take so many."""

    count: int


class Finish(msgspec.Struct, frozen=True):
    """45: lay all jacks."""


class Wish(msgspec.Struct, frozen=True):
    """46: name a suit."""

    suit: Suit


class Yeet(msgspec.Struct, frozen=True):
    """47: leave."""


FromClient = Id | Play | Take | Finish | Wish | Yeet

# --- what the server says (3) -----------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True):
    """The handshake's answer, without an opcode: the player's id, from 1."""

    id: int


class Deal(msgspec.Struct, frozen=True):
    """69: cards for this client, at least one."""

    cards: tuple[Card, ...]


class Draw(msgspec.Struct, frozen=True):
    """6A: in a turn block, cards to take; as a mirror, cards that were taken."""

    count: int


class WishIs(msgspec.Struct, frozen=True):
    """6B: in a turn block, the suit that must be followed, or none; as a mirror, the suit that was named."""

    suit: Suit | None


class Stack(msgspec.Struct, frozen=True):
    """6C: the top card, when the stock is new."""

    card: Card


class Cards(msgspec.Struct, frozen=True):
    """6D: the numbers of cards in all hands, by id."""

    counts: tuple[int, ...]


class OnTurn(msgspec.Struct, frozen=True):
    """6E: the id of whoever is asked for an action."""

    id: int


class Time(msgspec.Struct, frozen=True):
    """6F: milliseconds for the action; 0: no limit."""

    milliseconds: int


class Played(msgspec.Struct, frozen=True):
    """70: a card was laid."""

    card: Card


class Finished(msgspec.Struct, frozen=True):
    """71: all jacks were laid."""


class Round(msgspec.Struct, frozen=True):
    """72: the round that begins, and how many there are."""

    number: int
    total: int


class Result(msgspec.Struct, frozen=True):
    """73: all totals, by id; only their low eight bits travel (P7)."""

    totals: tuple[int, ...]


class Yeeted(msgspec.Struct, frozen=True):
    """74: a player is out."""

    id: int


FromServer = Answer | Deal | Draw | WishIs | Stack | Cards | OnTurn | Time | Played | Finished | Round | Result | Yeeted


def new_total(old: int, byte: int) -> int:
    """Give the total that a result's byte means to whoever knows the one before (P7)."""
    return old + (byte - old) % 256
