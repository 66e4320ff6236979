"""Intents: what a caller's key may ask of the table. The table may refuse each of them."""

from typing import Generic

import msgspec

from yawc_poker.engine.game import MoveT, OptionsT
from yawc_poker.engine.house import Level


class MakeMove(msgspec.Struct, Generic[MoveT], frozen=True):
    """Make this move."""

    move: MoveT


class Start(msgspec.Struct, Generic[OptionsT], frozen=True):
    """Start a game, with these options if the master may choose any."""

    options: OptionsT | None = None


class Leave(msgspec.Struct, frozen=True):
    """Leave the table."""


class Say(msgspec.Struct, frozen=True):
    """Say this to everybody at the table; the text is never empty."""

    text: str


class Invite(msgspec.Struct, frozen=True):
    """Ask a house player to join."""

    level: Level | None = None
    """None: as well as the last one at this table."""


class AskExtra(msgspec.Struct, frozen=True):
    """Ask for what the key of an extra is for (`table_ui.added_keys`)."""

    key: str


class SendAway(msgspec.Struct, frozen=True):
    """Send the house player away who came last, or all of them."""

    everyone: bool = False
