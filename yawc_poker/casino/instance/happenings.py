"""What happens in extras, for those who follow the events of a BBS (the place `happenings`).

It is written down as a transaction of the ledger that moves nothing, together with what it did: so it has its place
among all that was played and paid, and is told once. Its key is `house:WORD:...`, with the word of its kind.
"""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.bank import ledger
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import Connection

HappeningKind = Literal["tournament"]
"""The kinds that there are, of all extras."""
_START: Final = "house"


class Happening(NamedTuple):
    """What an event tells of it."""

    number: int
    act: str
    """What was done, in a word."""
    game: str = ""
    """The game's short name."""
    name: str = ""
    round: int | None = None
    pot: int = 0
    """In CUBES."""
    winners: tuple[str, ...] = ()


class Happenings(NamedTuple):
    """What an extra tells of its own (the place `happenings`)."""

    kind: HappeningKind
    tell: Callable[[Instance, str], Happening]
    """Return what one means, by its key behind the kind's word. Raise `StoreError`."""


def note(books: Connection, now: float, kind: HappeningKind, what: str) -> None:
    """Write down that something happens, once: in the transaction that does it."""
    ledger.post(books, now, f"{_START}:{kind}:{what}", None, {})


def condition() -> str:
    """Return the condition, in SQL, of the transactions that can be told."""
    kinds = [one.kind for one in announced("happenings", Happenings)]
    return " OR ".join(["1 = 0", *(f"(key > '{_START}:{kind}:' AND key < '{_START}:{kind};')" for kind in kinds)])


def told(instance: Instance, key: str) -> tuple[HappeningKind, Happening]:
    """Return of which kind a transaction's key is, and what it means. Raise `StoreError`."""
    _, word, what = key.split(":", 2)
    found = next(one for one in announced("happenings", Happenings) if one.kind == word)
    return found.kind, found.tell(instance, what)
