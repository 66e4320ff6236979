"""What a caller's key may mean beyond his own screen: wishes that the table may refuse."""

from typing import Generic, TypeVar

import msgspec

M = TypeVar("M")
A = TypeVar("A")


class Play(msgspec.Struct, Generic[M], frozen=True):
    """Make this move."""

    move: M


class Start(msgspec.Struct, Generic[A], frozen=True):
    """Start a game, with these options where the master may choose them."""

    options: A | None = None


class Leave(msgspec.Struct, frozen=True):
    """Leave the table."""


class Say(msgspec.Struct, frozen=True):
    """Say this to everybody at the table; never empty."""

    text: str
