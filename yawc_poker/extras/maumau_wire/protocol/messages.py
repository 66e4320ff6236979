"""The messages of Mau-Mau's protocol as values (spec/maumau_protocol.md 3). Pure.

Owns the vocabulary only: the messages and the meaning of their numbers. Never their bytes (`codec`), and never their
order or effect (`server`, `client`).

The rules' model has some classes of the same names. A module that uses both refers to these qualified:
`messages.Finished`.
"""

import msgspec

from yawc_poker.cards import Card, Suit
from yawc_poker.games.maumau.model import Move

# --- from a client (3) ------------------------------------------------------------------------------------------------


class Id(msgspec.Struct, frozen=True):
    """42: the client's name."""

    name: str


class Yeet(msgspec.Struct, frozen=True):
    """47: leave."""


FromClient = Id | Move | Yeet
"""A move is one of the rules': 43 lays a card, 44 takes cards, 45 lays all jacks, 46 names a suit."""

# --- from the server (3) ----------------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True):
    """The handshake's answer, without an opcode: the player's id, from 1."""

    id: int


class Deal(msgspec.Struct, frozen=True):
    """69: cards for this client, at least one."""

    cards: tuple[Card, ...]


class Draw(msgspec.Struct, frozen=True):
    """6A: in a turn block, how many cards to take; as a mirror, how many were taken."""

    count: int


class WishIs(msgspec.Struct, frozen=True):
    """6B: in a turn block, the suit to be followed, or none; as a mirror, the suit that was named."""

    suit: Suit | None


class Stack(msgspec.Struct, frozen=True):
    """6C: the top card, sent when the stock is new."""

    card: Card


class Cards(msgspec.Struct, frozen=True):
    """6D: how many cards each hand holds, by id."""

    counts: tuple[int, ...]


class OnTurn(msgspec.Struct, frozen=True):
    """6E: the id of the player asked for a move."""

    id: int


class Time(msgspec.Struct, frozen=True):
    """6F: milliseconds for the move; 0: no limit."""

    milliseconds: int


class Played(msgspec.Struct, frozen=True):
    """70: a card was laid."""

    card: Card


class Finished(msgspec.Struct, frozen=True):
    """71: all jacks were laid."""


class Round(msgspec.Struct, frozen=True):
    """72: the number of the round that begins, and how many rounds there are."""

    number: int
    total: int


class Result(msgspec.Struct, frozen=True):
    """73: all totals, by id; only their low eight bits are sent (P7)."""

    totals: tuple[int, ...]


class Yeeted(msgspec.Struct, frozen=True):
    """74: a player is out."""

    id: int


FromServer = Answer | Deal | Draw | WishIs | Stack | Cards | OnTurn | Time | Played | Finished | Round | Result | Yeeted


def new_total(old: int, byte: int) -> int:
    """Return the total that a result's byte stands for, given the total before (P7)."""
    return old + (byte - old) % 256
