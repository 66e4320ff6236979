"""`yawcctl ipc`: the shared memory and the locks of this instance; with `--remove`, they are removed.

Owns the listing and the decision that a segment is not in use any more. Looking changes nothing and takes no lock.
Removing takes the listener's lock on the data directory, so that no listener comes in between, and is refused while a
listener or a session lives. Of a segment whose layout this program cannot read, it cannot know that: `--force` is the
sysop's word for it. The money is safe either way: the next start gives back the stakes of games that nobody plays.
"""

import argparse
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from yawc_poker.casino.instance.instance import LOCK_FILE
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.control.client import Failed
from yawc_poker.control.protocol import REFUSED
from yawc_poker.ipc.segment import HalfCreated, NoSegment, Segment, SegmentError, segment_name
from yawc_poker.sysop.command import Command, moment, print_rows


class RemovalRefused(Exception):
    """The segment is not removed; `str()` is one line that says why."""


class Process(msgspec.Struct, frozen=True):
    """A process that a record names."""

    pid: int
    alive: bool


class Session(msgspec.Struct, frozen=True):
    """A record of the directory; `name` is empty before the login."""

    pid: int
    alive: bool
    name: str
    peer: str


class Lock(msgspec.Struct, frozen=True):
    """A semaphore; `holder` is None while it is free."""

    name: str
    key: int
    holder: int | None


class RingReport(msgspec.Struct, frozen=True):
    """Commands posted, posts that waited for a reader, commands overwritten unread, readers that were overrun."""

    posted: int
    waits: int
    expired: int
    overruns: int


class IpcReport(msgspec.Struct, frozen=True):
    """The output of `--json`. `problem` is why the segment cannot be read; then all below it is empty."""

    segment: str
    exists: bool
    in_use: bool = False
    """A listener or a session lives in it, as far as it can be read."""
    problem: str = ""
    layout: int | None = None
    size: int | None = None
    boot_id: str = ""
    created: int | None = None
    """Epoch seconds."""
    closing: bool = False
    listener: Process | None = None
    sessions: list[Session] = []
    locks: list[Lock] = []
    ring: RingReport | None = None


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--remove", action="store_true", help="remove a segment that nobody uses any more")
    command.add_argument("--force", action="store_true", help="with --remove: one that cannot be read, too")


def run(chosen: argparse.Namespace) -> int:
    """Print the report, or remove the segment; return 1 if something was left behind. Raise `Failed`."""
    name = segment_name(chosen.data)
    if not chosen.remove:
        report = look(name)
        print_rows(chosen, [report], lambda _: as_lines(report))
        return 1 if report.exists and not report.in_use else 0
    try:
        print(remove(chosen.data, force=chosen.force))
    except (RemovalRefused, SegmentError) as refusal:
        raise Failed(REFUSED, str(refusal)) from None
    return 0


# --- looking ----------------------------------------------------------------------------------------------------------


def look(name: str) -> IpcReport:
    """Read a segment as it is now. Never raises for its state."""
    try:
        return _report(Snapshot.at(name))
    except NoSegment:
        return IpcReport(name, exists=False)
    except SegmentError as error:
        return IpcReport(name, exists=True, problem=str(error))


def _report(seen: Snapshot) -> IpcReport:
    return IpcReport(
        seen.name,
        exists=True,
        in_use=seen.is_served or seen.living_here > 0,
        layout=seen.layout,
        size=seen.size,
        boot_id=seen.boot_id.hex(),
        created=seen.created,
        closing=seen.closing,
        listener=None if seen.listener is None else Process(seen.listener.pid, seen.is_served),
        sessions=[Session(one.identity.pid, one.token in seen.living, one.name, one.peer) for one in seen.near],
        locks=[Lock(lock.name, lock.key, lock.holder) for lock in seen.locks],
        ring=RingReport(seen.posted, seen.waits, seen.expired, seen.overruns),
    )


def as_lines(report: IpcReport) -> Iterator[str]:
    """Yield the report as lines for people."""
    if not report.exists:
        yield f"There is no segment {report.segment}: no BBS runs on this data directory."
    elif report.problem:
        yield report.problem
    else:
        yield from (f"{name:22}{value}" for name, value in _rows(report))


def _rows(report: IpcReport) -> Iterator[tuple[str, str]]:
    living = sum(1 for one in report.sessions if one.alive)
    yield "segment", report.segment + ("" if report.in_use else ", left behind: remove it with --remove")
    yield "layout", f"{report.layout}, {report.size} bytes"
    yield "boot id", report.boot_id
    yield "created", "" if report.created is None else moment(report.created)
    yield "listener", "none" if report.listener is None else _process(report.listener)
    yield "sessions", f"{living} living, {len(report.sessions) - living} dead"
    for one in report.sessions:
        yield "", f"{_process(one)}, {one.name or '(login)'}, from {one.peer}"
    if report.closing:
        yield "closing", "the BBS is going down"
    for lock in report.locks:
        yield f"lock {lock.name}", f"{lock.key:#010x}, " + ("free" if lock.holder is None else f"held by {lock.holder}")
    if report.ring is not None:
        for name, number in msgspec.structs.asdict(report.ring).items():
            yield f"ring {name}", str(number)


def _process(one: Process | Session) -> str:
    return f"process {one.pid} ({'living' if one.alive else 'dead'})"


# --- removing ---------------------------------------------------------------------------------------------------------


def remove(data: Path, *, force: bool) -> str:
    """Remove the segment of a data directory with its semaphores, and print so.

    Raise `RemovalRefused` while it is, or may be, in use, and `SegmentError` for one of another kind.
    """
    name = segment_name(data)
    if not look(name).exists:
        return f"There is no segment {name}; nothing to remove."
    with no_listener(data):
        try:
            seen = Snapshot.at(name)
        except HalfCreated:
            pass  # only its creator was ever in there, and is gone: it would have the lock
        except SegmentError as error:
            if not force:
                raise RemovalRefused(f"{error}; if you know that no session of it lives: --remove --force") from None
        else:
            _refuse_living(seen)
        Segment.destroy(name)
    return f"Removed segment {name} and its semaphores."


def _refuse_living(seen: Snapshot) -> None:
    if seen.is_served and seen.listener is not None:
        raise RemovalRefused(f"segment {seen.name} is in use by listener {seen.listener.pid}: stop that first")
    if seen.living_here:
        raise RemovalRefused(
            f"segment {seen.name} is in use by {seen.living_here} sessions: end them, or start a listener again"
        )


@contextmanager
def no_listener(data: Path) -> Iterator[None]:
    """Keep listeners of all versions out during the block."""
    try:
        file = (data / LOCK_FILE).open("ab")
    except OSError as error:
        raise RemovalRefused(f"data directory {data}: {error.strerror}") from None
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RemovalRefused(f"data directory {data} is in use by a listener: stop that first") from None
        yield


COMMAND: Final = Command(
    "ipc",
    run,
    "show shared memory and locks; remove what was left behind",
    ("ipc", "ipc --json", "ipc --remove"),
    _arguments,
)
