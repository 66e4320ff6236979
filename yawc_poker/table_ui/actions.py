"""What a caller's key may mean beyond his own screen: wishes that the table may refuse."""

from typing import Generic, TypeVar

import msgspec

MoveT = TypeVar("MoveT")
OptionsT = TypeVar("OptionsT")


class MakeMove(msgspec.Struct, Generic[MoveT], frozen=True):
    """Make this move."""

    move: MoveT


class Start(msgspec.Struct, Generic[OptionsT], frozen=True):
    """Start a game, with these options where the master may choose them."""

    options: OptionsT | None = None


class Leave(msgspec.Struct, frozen=True):
    """Leave the table."""


class Say(msgspec.Struct, frozen=True):
    """Say this to everybody at the table; never empty."""

    text: str
