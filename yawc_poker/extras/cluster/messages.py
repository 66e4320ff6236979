"""What couriers tell each other, each in the payload of one notification (PostgreSQL's NOTIFY). Pure.

Owns the text of it, which is JSON: the kind, the number of the host that tells, and what belongs to the kind. A host of
another version may tell what is not known here; that is passed over. A notification that is lost costs a tick: what it
tells of is in the database, and is looked at then. Only a notice, which is about its moment, is lost with it.

Two commands carry in their payload what stands in the record of a session where it is at home: why it has to end, and
until when its user may not write. Sessions do not read it there.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Self, TypeAlias

import msgspec

CHANNEL: Final = "yawc"
"""What all couriers listen to."""
NOBODY: Final = -1
"""The number of a host that has none yet."""
LIMIT: Final = 7900
"""Bytes of a payload at most; PostgreSQL takes less than 8000."""
_TABLES: Final = 200
"""Tables in one payload: a number of 5 digits and a version of 19 each, and what is between them."""


class TablesChanged(msgspec.Struct, frozen=True, tag="tables"):
    """Tables were committed: the version of each, by its number."""

    host: int
    versions: dict[int, int]
    hosts: tuple[int, ...] | None = None
    """Where somebody sits at these tables or looks on; None: nobody knows. The others see them at their next tick."""

    def concerns(self, host: int) -> bool:
        """Return whether a host is to look at once."""
        return self.hosts is None or host in self.hosts


class SessionsChanged(msgspec.Struct, frozen=True, tag="sessions"):
    """Sessions came, went, or are elsewhere now: their rows have it."""

    host: int


class Posted(msgspec.Struct, frozen=True, tag="command", omit_defaults=True):
    """A command of a session to sessions of other hosts."""

    host: int
    kind: int
    sender: int
    """The sender's token."""
    record: int | None = None
    """The sender's record."""
    table: int | None = None
    payload: bytes = b""
    to: tuple[int, ...] | None = None
    """The tokens that it is addressed to; None: everybody."""


class Acted(msgspec.Struct, frozen=True, tag="action"):
    """A sysop acted; this is the number of the action, of which callers are told, and bans may have changed."""

    host: int
    number: int


class LookAgain(msgspec.Struct, frozen=True, tag="look"):
    """Commands to other hosts were lost: their sessions look at everything that commands may have told of."""

    host: int


class Knocked(msgspec.Struct, frozen=True, tag="knock"):
    """A host that starts waits for a sign of all that hold leases: they renew them at once."""

    host: int


Message: TypeAlias = TablesChanged | SessionsChanged | Posted | Acted | LookAgain | Knocked

_decoder: Final = msgspec.json.Decoder(Message)


def encoded(message: Message) -> str:
    """Return a message as a payload. Raise `ValueError` if it is too long, which no command is."""
    data = msgspec.json.encode(message)
    if len(data) > LIMIT:
        raise ValueError(f"a message of {len(data)} bytes does not fit into a notification")
    return data.decode()


def decoded(payload: str) -> Message | None:
    """Return the message of a payload; None: it is of another version, or of another program."""
    try:
        message: Message = _decoder.decode(payload)
    except msgspec.DecodeError:
        return None
    return message


def tables_changed(
    host: int, versions: Mapping[int, int], audience: Callable[[int], frozenset[int] | None] = lambda table: None
) -> Iterator[str]:
    """Return the payloads that tell of all these tables; `audience` returns the hosts that a table concerns."""
    groups: dict[frozenset[int] | None, list[tuple[int, int]]] = {}
    for table, version in sorted(versions.items()):
        groups.setdefault(audience(table), []).append((table, version))
    for hosts, found in groups.items():
        others = None if hosts is None else tuple(sorted(hosts - {host}))
        for first in range(0, len(found), _TABLES) if others != () else ():
            yield encoded(TablesChanged(host, dict(found[first : first + _TABLES]), others))


# --- what two commands carry ------------------------------------------------------------------------------------------


class EndSession(msgspec.Struct, frozen=True):
    """What `Kind.END` carries to another host."""

    token: int
    """Of the session that has to end: its record here may be another's by now, or nobody's yet."""
    reason: int
    """The word for its record (`EndReason`)."""
    kill: bool = False
    """It was asked and did not end; its process is killed."""

    def encoded(self) -> bytes:
        """Return the payload of the command."""
        return f"{'kill' if self.kill else 'end'} {self.token} {self.reason}".encode()

    @classmethod
    def decoded(cls, payload: bytes) -> Self | None:
        """Return what a payload says; None: it says nothing of an end on another host."""
        what, *numbers = payload.decode("utf-8", "replace").split(" ")
        if what not in {"end", "kill"} or len(numbers) != 2 or not all(_is_number(one) for one in numbers):
            return None
        return cls(int(numbers[0]), int(numbers[1]), what == "kill")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 20


def muting(until: float) -> bytes:
    """Return what `Kind.SYSOP` carries: until when a user may not write, in epoch seconds; infinite: for ever."""
    return f"mute {until!r}".encode()


def read_muting(payload: bytes) -> float | None:
    """Return until when a user may not write; None: the payload says nothing of it."""
    what, _, number = payload.decode("utf-8", "replace").partition(" ")
    if what != "mute":
        return None
    try:
        until = float(number)
    except ValueError:
        return None
    return None if math.isnan(until) or until < 0 else until
