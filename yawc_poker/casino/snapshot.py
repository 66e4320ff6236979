"""One look at a running BBS: a `Snapshot` of its shared memory, taken once, and what is told of it as rows.

Whatever shows the state of a BBS renders such a value: `yawcctl status`, `who`, `top` and `ipc`, as text and as JSON,
and the metrics. Reads only: takes no lock, opens no database and changes nothing, so it works when something is stuck.
Tables and seats are numbered from 1 in the rows. What a table shows of its game is filled in by `registry/entry.py`.
"""

from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Literal, Self

import msgspec

from yawc_poker import __version__, doors
from yawc_poker.casino.counters import CountReading, read_metrics
from yawc_poker.casino.local_host import LocalHost, local_host
from yawc_poker.casino.presence import entrances
from yawc_poker.casino.presence.directory import Directory, PlaceKind, SessionInfo
from yawc_poker.config import Config
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Cell, Header, TornRead
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment

CONTROL_PEER: Final = "control"
"""The peer in a control process's directory record: it is no caller."""

Where = Literal["login", "prompt", "table", "watching"]
_WHERE: dict[int, Where] = {
    PlaceKind.PROMPT: "prompt",
    PlaceKind.TABLE: "table",
    PlaceKind.HELD: "table",
    PlaceKind.WATCHING: "watching",
}


# --- the snapshot -----------------------------------------------------------------------------------------------------


class LockState(msgspec.Struct, frozen=True):
    """A lock."""

    name: str
    key: int
    level: int
    """Its place in the order of locks."""
    holder: int | None
    """The pid of its holder, or None if it is free."""
    seconds: int
    """For how long it has been held."""


class Snapshot(msgspec.Struct, frozen=True):
    """A BBS at one moment."""

    name: str
    """Of the segment."""
    layout: int
    """The number of the segment's layout."""
    size: int
    """Of the segment, in bytes."""
    slots: int
    """Of the ring; 1 where it is timed."""
    boot_id: bytes
    created: int
    """Epoch seconds."""
    listener: Identity | None
    """Alive or not, or None if there was none."""
    is_served: bool
    """The listener lives."""
    listening_since: int
    closing: bool
    timed: bool
    posted: int
    """Number of the last command."""
    waits: int
    expired: int
    overruns: int
    room: int
    """The number of this host's records."""
    sessions: list[SessionInfo]
    """All that are in the directory: of all hosts, control processes and the courier among them."""
    living: frozenset[int]
    """The tokens of those that live."""
    courier: range
    """The record of this host's courier; empty: there is none."""
    here: LocalHost
    tables: list[Header | None]
    """None: it cannot be read; a session will reset it."""
    names: list[str]
    """What the tables are called."""
    locks: list[LockState]
    counts: CountReading

    @classmethod
    def of(cls, segment: Segment) -> Self:
        """Read a segment."""
        head, here = segment.head, local_host(segment.head)
        directory = Directory(segment, segment.directory_lock)
        sessions = directory.everybody()
        listener = head.listener
        names = [cell.name for cell in segment.cells]
        called = {cell.lock.key: name for cell, name in zip(segment.cells, names, strict=True)}
        return cls(
            name=segment.name,
            layout=head.version,
            size=head.size,
            slots=1 if head.timed else segment.layout.slots,
            boot_id=head.boot_id,
            created=head.created,
            listener=listener,
            is_served=listener is not None and process.is_alive(listener),
            listening_since=head.listening_since,
            closing=head.closing != 0,
            timed=bool(head.timed),
            posted=head.posted,
            waits=head.waits,
            expired=head.expired,
            overruns=head.overruns,
            room=here.span or len(segment.records),
            sessions=sessions,
            living=frozenset(one.token for one in sessions if _lives(here, one)),
            courier=entrances.couriers(segment),
            here=here,
            tables=[_header(cell) for cell in segment.cells],
            names=names,
            locks=[
                LockState(
                    called.get(lock.key, lock.name),
                    lock.key,
                    lock.level,
                    None if seconds is None else lock.holder,
                    seconds or 0,
                )
                for lock in segment.locks
                for seconds in [lock.held_for]
            ],
            counts=read_metrics(segment),
        )

    @classmethod
    def at(cls, name: str) -> Self:
        """Read the segment of this name. Raise `SegmentError`."""
        with closing(Segment.attach(name)) as segment:
            return cls.of(segment)

    @property
    def callers(self) -> list[SessionInfo]:
        """The sessions of callers and house players, on all hosts."""
        return [one for one in self.sessions if one.peer != CONTROL_PEER and one.index not in self.courier]

    @property
    def near(self) -> list[SessionInfo]:
        """The sessions of this host, control processes and the courier among them."""
        return [one for one in self.sessions if not one.is_remote]

    @property
    def living_here(self) -> int:
        """The number of this host's sessions that live."""
        return sum(one.token in self.living for one in self.near)

    @property
    def held(self) -> list[LockState]:
        """The locks that are held."""
        return [lock for lock in self.locks if lock.holder is not None]


def _lives(here: LocalHost, one: SessionInfo) -> bool:
    return here.may_live(one.token) if one.is_remote else process.is_alive(one.identity)


def _header(cell: Cell) -> Header | None:
    with suppress(TornRead):
        return cell.header()
    return None


# --- rows -------------------------------------------------------------------------------------------------------------


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
    table_name: str = ""
    """What the table is called at which they are, as `poker 2`."""
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
    """Its pid, or None if there is none, or it is dead."""
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
    table_name: str = ""
    """What it is called everywhere, as `poker 2`; `table` is its number among all."""


def visitors(seen: Snapshot, config: Config) -> list[Visitor]:
    """Return all callers by name, house players among them; those who are logging in come last."""
    found = sorted(seen.callers, key=lambda one: (not one.user, one.name.casefold(), one.index))
    return [_visitor(seen, config, one) for one in found]


def _visitor(seen: Snapshot, config: Config, person: SessionInfo) -> Visitor:
    place = person.place if person.at_table or person.looks_on else Place()
    table, seat = _numbers(place)
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
        alive=person.token in seen.living,
        door=doors.words().get(person.door, ""),
        line=person.place.kind != PlaceKind.HELD,
        table_name="" if place.table is None else seen.names[place.table],
        host=(person.host or seen.here.name(config)) if seen.here.is_clustered else msgspec.UNSET,
    )


def _numbers(place: Place) -> tuple[int | None, int | None]:
    return (None if place.table is None else place.table + 1, None if place.seat is None else place.seat + 1)


def overview(seen: Snapshot, config: Config, *, measures: bool = True) -> Overview:
    """Return the BBS in one row. Without `measures` the sessions' memory is 0: it takes a while to look it up.

    Of several hosts that are one casino, it is this one, with the tables of all.
    """
    people = [one for one in seen.callers if not one.is_remote]
    names = {one.identity.pid: one.name for one in people}
    listener = seen.listener.pid if seen.listener is not None and seen.is_served else None
    tables = [header for header in seen.tables if header is not None]
    return Overview(
        bbs=config.bbs.name,
        version=__version__,
        up_since=seen.created,
        listener=listener,
        listening_since=seen.listening_since or None,
        closing=seen.closing,
        callers=sum(1 for one in people if one.user and not one.is_house),
        arriving=sum(1 for one in people if not one.user),
        house=sum(1 for one in people if one.is_house),
        most_callers=config.telnet.max_sessions,
        tables=len(seen.tables),
        occupied=sum(1 for header in tables if any(header.seats)),
        games=sum(1 for header in tables if header.current is not None),
        unlock="timed" if seen.timed else "acknowledged",
        ring=_ring(seen, people),
        locks=len(seen.locks),
        holders=[
            Holder(lock.name, lock.holder, names.get(lock.holder, "")) for lock in seen.locks if lock.holder is not None
        ],
        memory=_memory(seen, people, listener) if measures else Memory(seen.size, 0, 0, None),
    )


def _ring(seen: Snapshot, people: list[SessionInfo]) -> RingState:
    last = min((one for one in people if one.user), key=lambda one: one.cursor, default=None)
    behind = 0 if last is None else max(0, seen.posted - last.cursor)
    return RingState(
        head=seen.posted,
        slots=seen.slots,
        waits=seen.waits,
        expired=seen.expired,
        overruns=seen.overruns,
        slowest=last.name if last is not None and behind else "",
        behind=behind,
    )


def _memory(seen: Snapshot, people: list[SessionInfo], listener: int | None) -> Memory:
    measured = [found for one in people if (found := pss(one.identity.pid)) is not None]
    return Memory(
        segment=seen.size,
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
