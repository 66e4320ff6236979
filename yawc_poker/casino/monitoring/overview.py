"""What there is to be seen of a running BBS: sessions, tables, ring, locks, memory.

Only looks: takes no lock, opens no database, changes nothing, so that a sysop sees most when something is stuck. The
structs are what `yawcctl --json` prints; numbers of tables and seats are people's, from 1. What a table shows of its
game is filled in where the games are known (`registry/entry.py`).
"""

from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import msgspec

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Header, TornRead
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment

VERSION: Final = version("yawc-poker")
"""Of the code that runs, not of what lies on the disk by now: read when the listener starts, and inherited."""
CONTROL_PEER: Final = "control"
"""Where a control process says in the directory that it comes from: it is no caller."""

Where = Literal["login", "prompt", "table"]
_WHERE: dict[int, Where] = {PlaceKind.PROMPT: "prompt", PlaceKind.TABLE: "table"}


class Visitor(msgspec.Struct, frozen=True):
    """A caller. `name` is empty and `user` 0 before the login."""

    name: str
    user: int
    where: Where
    table: int | None
    seat: int | None
    idle: float
    """Seconds since the last key."""
    since: int | None
    """Epoch seconds of the login."""
    address: str
    """Or the terminal of one who came by a tty."""
    pid: int
    alive: bool


class Holder(msgspec.Struct, frozen=True):
    """Who holds a lock at this moment: a pid, and the caller's name where it is a session's."""

    lock: str
    pid: int
    name: str


class RingState(msgspec.Struct, frozen=True):
    """How the commands between sessions fare; counted since the segment was made."""

    head: int
    """Number of the last command posted."""
    slots: int
    waits: int
    """Posts that waited for a reader."""
    expired: int
    """Commands overwritten unread."""
    overruns: int
    """Readers that were overrun."""
    slowest: str
    """The caller who is furthest behind; empty: nobody is."""
    behind: int
    """Commands he has not read."""


class Memory(msgspec.Struct, frozen=True):
    """Bytes. A process's PSS is its own pages and its share of those it has in common with others."""

    segment: int
    sessions: int
    """PSS of all sessions together."""
    measured: int
    """Sessions that this is the sum of: those whose /proc can be read."""
    listener: int | None
    """PSS of the listener."""


class Overview(msgspec.Struct, frozen=True):
    """The BBS in one row."""

    bbs: str
    version: str
    """Of the listener that answers."""
    up_since: int
    """Epoch seconds: when the segment was made."""
    listener: int | None
    """Its pid; None: there is none, or it is dead."""
    listening_since: int | None
    """Epoch seconds: when it was started, or replaced by an upgrade."""
    closing: bool
    callers: int
    """Those logged in."""
    arriving: int
    """Those who are logging in."""
    most_callers: int
    tables: int
    occupied: int
    """Tables where somebody sits."""
    games: int
    """Tables where a game runs."""
    unlock: Literal["acknowledged", "timed"]
    ring: RingState
    locks: int
    holders: list[Holder]
    """Of the locks that are held."""
    memory: Memory


class SeatView(msgspec.Struct, frozen=True):
    """Somebody at a table; `cards` are those open to everybody, `hidden` is how many others he holds."""

    seat: int
    name: str
    master: bool
    on_turn: bool
    plays: bool
    """He competes in the running game."""
    cards: list[str] | None
    """None while they are hidden or there are none."""
    hidden: int = 0


class TableView(msgspec.Struct, frozen=True):
    """A table as a by-stander may see it. `phase` is one of the game's words, empty between games."""

    table: int
    game: str
    seats: list[SeatView]
    number: int
    """The ledger's number of the running game, or of the last one; 0 before the first."""
    running: bool
    phase: str
    round: int
    pot: int
    seconds: float | None
    """Left to whoever is on turn, or to the master to start; below zero: nobody has served the clock yet."""
    closing: bool
    """The game is over and not paid out yet."""
    commit: int
    messages: list[str]
    """The newest messages of the table, oldest first."""


def visitors(instance: Instance) -> list[Visitor]:
    """Give all callers, by name, those who are logging in last."""
    callers = [one for one in instance.directory.everybody() if one.peer != CONTROL_PEER]
    return [_visitor(one) for one in sorted(callers, key=lambda one: (not one.user, one.name.casefold(), one.index))]


def _visitor(person: SessionInfo) -> Visitor:
    table, seat = _numbers(person.place) if person.at_table else (None, None)
    return Visitor(
        name=person.name,
        user=person.user,
        where=_WHERE.get(person.place.kind, "login") if person.user else "login",
        table=table,
        seat=seat,
        idle=round(person.idle, 1),
        since=person.login_time or None,
        address=person.peer,
        pid=person.identity.pid,
        alive=process.is_alive(person.identity),
    )


def _numbers(place: Place) -> tuple[int | None, int | None]:
    return (
        None if place.table is None else place.table + 1,
        None if place.seat is None else place.seat + 1,
    )


def overview(instance: Instance) -> Overview:
    """Look at everything at once."""
    segment, head = instance.segment, instance.segment.head
    people = [one for one in instance.directory.everybody() if one.peer != CONTROL_PEER]
    headers = _headers(segment)
    listener = head.listener
    serving = listener is not None and process.is_alive(listener)
    return Overview(
        bbs=instance.config.bbs.name,
        version=VERSION,
        up_since=head.created,
        listener=listener.pid if listener is not None and serving else None,
        listening_since=head.listening_since or None,
        closing=instance.closing,
        callers=sum(1 for one in people if one.user),
        arriving=sum(1 for one in people if not one.user),
        most_callers=instance.config.telnet.max_sessions,
        tables=len(segment.cells),
        occupied=sum(1 for header in headers if any(header.seats)),
        games=sum(1 for header in headers if header.current is not None),
        unlock="timed" if head.timed else "acknowledged",
        ring=_ring(segment, people),
        locks=len(segment.locks),
        holders=_holders(segment, people),
        memory=_memory(segment, people, listener.pid if listener is not None and serving else None),
    )


def _headers(segment: Segment) -> list[Header]:
    """Read the tables' headers; a damaged table counts as empty until a session makes it anew."""
    headers = []
    for cell in segment.cells:
        with suppress(TornRead):
            headers.append(cell.header())
    return headers


def _ring(segment: Segment, people: list[SessionInfo]) -> RingState:
    head = segment.head
    behind = {one.index: head.posted - segment.records[one.index].cursor for one in people if one.user}
    slowest = max(behind, key=lambda index: behind[index], default=None)
    lag = 0 if slowest is None else max(0, behind[slowest])
    return RingState(
        head=head.posted,
        slots=1 if head.timed else segment.layout.slots,
        waits=head.waits,
        expired=head.expired,
        overruns=head.overruns,
        slowest=next((one.name for one in people if lag and one.index == slowest), ""),
        behind=lag,
    )


def _holders(segment: Segment, people: list[SessionInfo]) -> list[Holder]:
    names = {one.identity.pid: one.name for one in people}
    held = [(lock.name, lock.holder) for lock in segment.locks if lock.is_held]
    return [Holder(name, pid, names.get(pid, "")) for name, pid in held]


def _memory(segment: Segment, people: list[SessionInfo], listener: int | None) -> Memory:
    measured = [found for one in people if (found := pss(one.identity.pid)) is not None]
    return Memory(
        segment=segment.layout.size,
        sessions=sum(measured),
        measured=len(measured),
        listener=None if listener is None else pss(listener),
    )


def pss(pid: int) -> int | None:
    """Give the PSS of a process in bytes; None where there is none, or it may not be looked at."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    found = next((line.split() for line in text.splitlines() if line.startswith("Pss:")), None)
    return None if found is None else int(found[1]) * 1024
