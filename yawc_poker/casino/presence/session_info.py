"""A session as others see it: who, where, since when, how long without a key.

Owns these values only; `directory` makes them of the segment's records.
"""

import time
from enum import IntEnum
from typing import Self

import msgspec

from yawc_poker.engine.house import is_house
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Place, Snapshot

GUESTS = 1 << 48
"""Users from this number on are guests: they are in no database, and have no CUBES."""


class PlaceKind(IntEnum):
    """Where a session may be; `HELD`: at a table, without a line, while its seat is kept."""

    LOGIN = 0
    PROMPT = 1
    TABLE = 2
    WATCHING = 4
    """Beside a table, without a seat."""
    HELD = 3


class SessionInfo(msgspec.Struct, frozen=True):
    """A session as others see it."""

    index: int
    token: int
    identity: Identity
    user: int
    name: str
    peer: str
    door: int
    """How it came in (`yawc_poker.doors.words`); a session of a newer program may have come by a door unknown here."""
    place: Place
    login_time: int
    """Epoch seconds; 0: not logged in yet."""
    idle: float
    """Seconds since the last key."""
    host: str = ""
    """The name of its host, if that is another one."""

    @property
    def is_guest(self) -> bool:
        """Whether the session has no account."""
        return self.user >= GUESTS

    @property
    def is_house(self) -> bool:
        """Whether the session is a house player's, without a caller."""
        return is_house(self.user)

    @property
    def at_table(self) -> bool:
        """Whether the session sits at a table."""
        return self.place.kind in {PlaceKind.TABLE, PlaceKind.HELD}

    @property
    def looks_on(self) -> bool:
        """Whether the session looks on at a table, where it has no seat."""
        return self.place.kind == PlaceKind.WATCHING

    @property
    def at_prompt(self) -> bool:
        """Whether the session is logged in and at no table, neither in a seat nor looking on."""
        return self.place.kind == PlaceKind.PROMPT

    @property
    def is_remote(self) -> bool:
        """Whether the session is on another host."""
        return self.identity.pid == 0

    @classmethod
    def of(cls, snapshot: Snapshot) -> Self:
        """Return what a record says at one moment."""
        return cls(
            index=snapshot.index,
            token=snapshot.token,
            identity=snapshot.identity,
            user=snapshot.user,
            name=snapshot.name,
            peer=snapshot.peer,
            door=snapshot.door,
            place=snapshot.place,
            login_time=snapshot.login_time,
            idle=max(0.0, time.monotonic() - snapshot.last_input),
            host=snapshot.host,
        )
