"""A running BBS at a glance: sessions, tables, ring, locks, memory.

Reads only: takes no lock, opens no database and changes nothing, so it works when something is stuck. `yawcctl --json`
prints the structs; tables and seats are numbered from 1. `registry/entry.py` fills in what a table shows of its game.
"""

from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import msgspec

from yawc_poker import doors
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence import places
from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Header, TornRead
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment

VERSION: Final = version("yawc-poker")
"""Of the code that runs, not of the files on disk: read when the listener starts, and inherited."""
CONTROL_PEER: Final = "control"
"""The peer in a control process's directory record: it is no caller."""

Where = Literal["login", "prompt", "table", "watching"]
_WHERE: dict[int, Where] = {
    PlaceKind.PROMPT: "prompt",
    PlaceKind.TABLE: "table",
    PlaceKind.HELD: "table",
    PlaceKind.WATCHING: "watching",
}


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
    """Or the terminal of a caller on a tty."""
    pid: int
    """0: on another host."""
    alive: bool
    door: str = ""
    """How they came in: telnet, tls, wire, console, ssh, web; empty for a house player, and where it is not known."""
    line: bool = True
    """False: their line is gone, and their seat is kept for them."""
    host: str | msgspec.UnsetType = msgspec.UNSET
    """The name of the host that they are on; left out where there is but one."""

    @property
    def is_remote(self) -> bool:
        """Whether they are on another host than the one that answers; then no process is known."""
        return self.pid == 0


class Holder(msgspec.Struct, frozen=True):
    """The holder of a lock: its pid, and the caller's name if it is a session."""

    lock: str
    pid: int
    name: str


class RingState(msgspec.Struct, frozen=True):
    """The ring of commands between sessions; counted since the segment was made."""

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
    """The caller who is furthest behind; empty: nobody."""
    behind: int
    """Commands that this caller has not read."""


class Memory(msgspec.Struct, frozen=True):
    """In bytes. A process's PSS counts its own pages and its share of the pages shared with others."""

    segment: int
    sessions: int
    """PSS of all sessions together."""
    measured: int
    """The number of sessions in this sum: those whose /proc can be read."""
    listener: int | None
    """PSS of the listener."""


class Overview(msgspec.Struct, frozen=True):
    """The BBS in one row."""

    bbs: str
    version: str
    """Of the listener that answers."""
    up_since: int
    """Epoch seconds of the segment's creation."""
    listener: int | None
    """Its pid; None: there is none, or it is dead."""
    listening_since: int | None
    """Epoch seconds of its start, or of its last upgrade."""
    closing: bool
    callers: int
    """Those logged in; house players are none."""
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
    """Holders of the locks that are taken."""
    memory: Memory
    house: int = 0
    """House players, sessions without a caller."""


class SeatView(msgspec.Struct, frozen=True):
    """A person at a table; `cards` are open to everybody, `hidden` is the number of their other cards."""

    seat: int
    name: str
    master: bool
    on_turn: bool
    plays: bool
    """Whether they compete in the running game."""
    cards: list[str] | None
    """None: all are hidden, or there are none."""
    hidden: int = 0
    house: bool = False
    """A house player."""
    away: bool = False
    """Sits out: their clocks ran out, and they have pressed no key since."""
    line: bool = True
    """False: their line is gone, and the seat is kept for them."""


class TableView(msgspec.Struct, frozen=True):
    """A table as a by-stander may see it. `phase` is a word of the game's, empty between games."""

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
    """Left to the player on turn, or to the master to start; below zero: nobody has served the clock yet."""
    closing: bool
    """The game is over and not paid out yet."""
    commit: int
    messages: list[str]
    """The newest messages of the table, oldest first."""
    watching: list[str] = []
    """The names of those who look on, without a seat."""


def visitors(instance: Instance) -> list[Visitor]:
    """Return all callers by name, house players among them; those who are logging in come last."""
    callers = _callers(instance)
    found = sorted(callers, key=lambda one: (not one.user, one.name.casefold(), one.index))
    return [_visitor(instance, one) for one in found]


def _callers(instance: Instance) -> list[SessionInfo]:
    """Return the sessions of callers and house players, on all hosts."""
    couriers = places.couriers(instance.segment)
    found = instance.directory.everybody()
    return [one for one in found if one.peer != CONTROL_PEER and one.index not in couriers]


def _visitor(instance: Instance, person: SessionInfo) -> Visitor:
    table, seat = _numbers(person.place) if person.at_table or person.looks_on else (None, None)
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
        alive=instance.directory.lives(person.token) if person.is_remote else process.is_alive(person.identity),
        door=doors.words().get(person.door, ""),
        line=person.place.kind != PlaceKind.HELD,
        host=(person.host or instance.config.cluster.host) if instance.here.is_clustered else msgspec.UNSET,
    )


def _numbers(place: Place) -> tuple[int | None, int | None]:
    return (
        None if place.table is None else place.table + 1,
        None if place.seat is None else place.seat + 1,
    )


def overview(instance: Instance, *, measures: bool = True) -> Overview:
    """Return the BBS in one row. Without `measures` the sessions' memory is 0: it takes a while to look it up.

    Of several hosts that are one casino, it is this one, with the tables of all.
    """
    segment, head = instance.segment, instance.segment.head
    people = [one for one in _callers(instance) if not one.is_remote]
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
        callers=sum(1 for one in people if one.user and not one.is_house),
        arriving=sum(1 for one in people if not one.user),
        house=sum(1 for one in people if one.is_house),
        most_callers=instance.config.telnet.max_sessions,
        tables=len(segment.cells),
        occupied=sum(1 for header in headers if any(header.seats)),
        games=sum(1 for header in headers if header.current is not None),
        unlock="timed" if head.timed else "acknowledged",
        ring=_ring(segment, people),
        locks=len(segment.locks),
        holders=_holders(segment, people),
        memory=_memory(segment, people, listener.pid if listener is not None and serving else None)
        if measures
        else Memory(segment.layout.size, 0, 0, None),
    )


def _headers(segment: Segment) -> list[Header]:
    """Return the tables' headers; a damaged table counts as empty until a session resets it."""
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
    held = [(lock.name, lock.holder) for lock in segment.locks if lock.held_for is not None]
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
    """Return the PSS of a process in bytes; None if there is no such process, or its /proc cannot be read."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    found = next((line.split() for line in text.splitlines() if line.startswith("Pss:")), None)
    return None if found is None else int(found[1]) * 1024
