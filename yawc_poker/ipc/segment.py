"""The POSIX segment of a BBS instance: create, attach, check, destroy.

Owns the segment's life and provides its parts: `head`, `records`, `cells`, `counts` and the locks. The layout is
documented in layout.py. Never unlinks a segment that may be in use, and has no resource tracker that would: only
`destroy` unlinks. The caller of `create` or `destroy` makes sure that it is the only one (the listener holds a file
lock).

Invariants: a semaphore's key is in the head before the semaphore is created, so `destroy` finds all semaphores even if
the creator died. The magic is written last and removed first, so nobody attaches to an incomplete segment, and a
process that dies creating or removing one leaves a `HalfCreated`.
"""

import errno
import hashlib
import mmap
import os
import secrets
import stat
import time
from pathlib import Path
from typing import Final, Self

import sysv_ipc

from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.layout import (
    HEAD_BYTES,
    KEY_IN_CELL,
    KEY_WORDS,
    LAYOUT_VERSION,
    MAGIC,
    RECORD_BYTES,
    TAKEN_IN_CELL,
    TAKEN_WORDS,
    Head,
    Layout,
)
from yawc_poker.ipc.metrics import Counts
from yawc_poker.ipc.process import is_alive
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.semaphore import KeyTaken, LockGone, LockLevel, LockWatch, Mutex, make_semaphore

_KEY_MAX = 2**31 - 1
"""The greatest key_t: the kernel uses 32 bits of a key, whatever `sysv_ipc.KEY_MAX` says; 0 is not a key."""
_LOCKS = (("directory", LockLevel.DIRECTORY), ("bank", LockLevel.BANK), ("broadcast", LockLevel.BROADCAST))


NAME_FILE = "segment.name"
"""File in the data directory with a random part of the segment's name; optional."""


MEMORY: Final = Path("/dev/shm")
"""The folder in which Linux has POSIX segments as files."""
_FLAGS: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
"""How `shm_open` opens one."""


class SegmentError(Exception):
    """A segment cannot be used; `str()` names the segment and the reason."""


class NoSegment(SegmentError):
    """There is no segment with this name."""


class SegmentExists(SegmentError):
    """A segment with this name exists already."""


class HalfCreated(SegmentError):
    """A segment whose creation or removal is not finished; the process that began it may have died.

    So is one whose semaphores somebody has removed, as logind does (`RemoveIPC=`), once no session of it lives.
    """


class BadSegment(SegmentError):
    """A segment with another owner, mode or size, of another program, or one that lives without its semaphores."""


class ForeignSegment(BadSegment):
    """A segment of another user; `owner` is their uid."""

    def __init__(self, name: str, owner: int) -> None:
        super().__init__(
            f"segment {name} belongs to user {owner}, and this is user {os.geteuid()}:"
            f" if no BBS of theirs runs here, remove {MEMORY}{name}"
        )
        self.owner = owner


class WrongLayout(SegmentError):
    """A segment of another version of this program; `found` and `expected` are the layouts' versions."""

    def __init__(self, name: str, found: int, expected: int) -> None:
        super().__init__(
            f"segment {name} has layout {found}, this program works with {expected}:"
            " end all sessions of the other version, then remove it with `yawcctl ipc --remove --force`"
        )
        self.found = found
        self.expected = expected


def segment_name(data: Path) -> str:
    """Return the segment's name for a data directory; it does not depend on the path by which that is reached.

    Any user could compute the name and take it. Then a random part, stored in the directory, makes it another one.
    """
    try:
        salt = (data / NAME_FILE).read_bytes()
    except OSError:
        salt = b""
    digest = hashlib.sha256(os.fsencode(data.resolve()) + salt).hexdigest()
    return f"/yawc-{digest[:16]}"


class Segment:
    """An attached segment. Its parts are live views, which must not be used after `close`."""

    counts: Counts

    def __init__(self, name: str, descriptor: int, size: int) -> None:
        """Map an open segment; use `create` or `attach` instead of this."""
        self.name = name
        self._descriptor = descriptor
        self._map = mmap.mmap(descriptor, size)
        self.memory = memoryview(self._map)
        self.words = self.memory.cast("Q")
        self.head = Head(self.words)
        self.layout = Layout()
        self.watch = LockWatch()
        """The policy of this process for its waits on all locks of the segment."""
        self.records: tuple[Record, ...] = ()
        self.cells: tuple[Cell, ...] = ()

    @classmethod
    def create(cls, name: str, layout: Layout, *, timed: bool = False, unlock_ms: int = 350) -> Self:
        """Create the segment and its semaphores; raise `SegmentExists`, or `SegmentError` if the system has no room.

        A failure leaves nothing behind.
        """
        try:
            descriptor = os.open(f"{MEMORY}{name}", _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise SegmentExists(f"segment {name} exists already") from None
        except FileNotFoundError:
            raise SegmentError(f"cannot make segment {name}: there is no {MEMORY} for shared memory") from None
        except OSError as error:
            raise SegmentError(f"cannot make segment {name} in {MEMORY}: {error.strerror}") from None
        try:
            # Reserved now, because a full /dev/shm would kill a session with SIGBUS later.
            os.posix_fallocate(descriptor, 0, layout.size)
            segment = cls(name, descriptor, layout.size)
            segment._initialize(layout, timed, unlock_ms)
        except BaseException as error:
            cls.destroy(name)
            os.close(descriptor)
            if isinstance(error, OSError):
                raise SegmentError(f"cannot make segment {name} of {layout.size} bytes: {error.strerror}") from None
            raise
        return segment

    @classmethod
    def attach(cls, name: str) -> Self:
        """Map an existing segment; raise `NoSegment`, `HalfCreated`, `WrongLayout` or `BadSegment`."""
        descriptor, size = _open(name)
        if size < HEAD_BYTES:
            os.close(descriptor)
            raise HalfCreated(f"segment {name} has no head")
        segment = cls(name, descriptor, size)
        try:
            segment._check(size)
            segment._open_parts()
        except BaseException:
            segment.close()
            raise
        return segment

    @staticmethod
    def destroy(name: str) -> None:
        """Remove the semaphores named in the head, then the segment; also half-created ones and other versions'.

        Raise `NoSegment`, or `BadSegment` if it is not ours. Processes still attached keep a segment without a name and
        get `LockGone` from every lock: end them first.
        """
        descriptor, size = _open(name)
        try:
            for key in _invalidate(name, descriptor, size) if size >= HEAD_BYTES else ():
                _remove_semaphore(key)
        finally:
            os.close(descriptor)
        try:
            os.unlink(f"{MEMORY}{name}")
        except FileNotFoundError:
            pass

    @property
    def is_orphaned(self) -> bool:
        """Whether the segment has lost its name, perhaps to a newer one; its sessions are then cut off from the BBS."""
        return os.fstat(self._descriptor).st_nlink == 0

    @property
    def locks(self) -> tuple[Mutex, ...]:
        """All locks: directory, bank, broadcast, then one per table."""
        return (self.directory_lock, self.bank_lock, self.broadcast_lock, *(cell.lock for cell in self.cells))

    def check_locks(self, *others: Mutex) -> None:
        """Check the locks that all sessions use in passing, and these `others`."""
        for lock in (self.directory_lock, self.bank_lock, self.broadcast_lock, *others):
            lock.check()

    def close(self) -> None:
        """Unmap the segment, which continues to exist."""
        self.head.user.release()
        self.words.release()
        self.memory.release()
        self._map.close()
        os.close(self._descriptor)

    def _initialize(self, layout: Layout, timed: bool, unlock_ms: int) -> None:
        """Fill a new, zeroed segment; the magic is written last."""
        self.head.initialize(layout, secrets.token_bytes(16))
        self.head.created = int(time.time())
        self.head.timed = int(timed)
        self.head.unlock_ms = unlock_ms
        for word, (name, _) in zip(KEY_WORDS, _LOCKS, strict=True):
            _make_lock(self.words, word, name)
        for table in range(layout.tables):
            word = (layout.tables_at + table * layout.cell_bytes) // 8 + KEY_IN_CELL
            _make_lock(self.words, word, f"table {table + 1}")
        self._open_parts()
        self.head.magic = MAGIC

    def _check(self, size: int) -> None:
        """Raise an error if this version of the program cannot have created the segment."""
        head = self.head
        if head.magic == 0:
            raise HalfCreated(f"segment {self.name} is only half there")
        if head.magic != MAGIC:
            raise BadSegment(f"segment {self.name} belongs to another program")
        if head.version != LAYOUT_VERSION:
            raise WrongLayout(self.name, head.version, LAYOUT_VERSION)
        if head.size != size or head.layout.size != size:
            raise BadSegment(f"segment {self.name} has {size} bytes, its head says {head.size}")

    def _open_parts(self) -> None:
        self.layout = layout = self.head.layout
        first, step = layout.directory_at // 8, RECORD_BYTES // 8
        self.records = tuple(
            Record(self.words, self.memory, first + step * index, index) for index in range(layout.sessions)
        )
        try:
            self.directory_lock, self.bank_lock, self.broadcast_lock = (
                Mutex(self.words[at], name, self.words, taken, level=level, watch=self.watch)
                for at, taken, (name, level) in zip(KEY_WORDS, TAKEN_WORDS, _LOCKS, strict=True)
            )
            self.cells = tuple(self._cell(index) for index in range(layout.tables))
        except LockGone as error:
            lost = f"segment {self.name} has lost its semaphores: {error}"
            living = [str(one.identity.pid) for one in self.records if one.token and is_alive(one.identity)]
            if living:
                raise BadSegment(f"{lost}; processes {', '.join(living)} are still in it") from None
            raise HalfCreated(lost) from None
        self.counts = Counts(self.words, self.memory, layout, self.records)

    def _cell(self, index: int) -> Cell:
        at = (self.layout.tables_at + index * self.layout.cell_bytes) // 8
        key, name = self.words[at + KEY_IN_CELL], f"table {index + 1}"
        lock = Mutex(key, name, self.words, at + TAKEN_IN_CELL, level=LockLevel.TABLE, watch=self.watch)
        return Cell(self.words, self.memory, self.layout, index, lock)


def _open(name: str) -> tuple[int, int]:
    """Open a segment and return (descriptor, size); raise an error unless only we can have created it."""
    try:
        descriptor = os.open(f"{MEMORY}{name}", _FLAGS)
    except FileNotFoundError:
        raise NoSegment(f"there is no segment {name}") from None
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EISDIR, errno.ELOOP):
            raise
        raise _not_ours(name) from None  # another user's, a directory, or a symbolic link
    facts = os.fstat(descriptor)
    mode = stat.S_IMODE(facts.st_mode)
    if facts.st_uid == os.geteuid() and mode == 0o600:
        return descriptor, facts.st_size
    os.close(descriptor)
    if facts.st_uid != os.geteuid():
        raise ForeignSegment(name, facts.st_uid)
    raise BadSegment(f"segment {name} has mode {mode:o}, not 600: remove {MEMORY}{name} if no BBS uses it")


def _not_ours(name: str) -> SegmentError:
    """Return the error that explains why the file with this name cannot be opened."""
    try:
        owner = os.lstat(f"{MEMORY}{name}").st_uid
    except OSError as error:
        return BadSegment(f"segment {name} cannot be opened: {error.strerror}")
    if owner != os.geteuid():
        return ForeignSegment(name, owner)
    return BadSegment(f"segment {name} cannot be opened: remove {MEMORY}{name}")


def _invalidate(name: str, descriptor: int, size: int) -> list[int]:
    """Clear the magic and return the semaphore keys in the head, from the words that are the same in all versions."""
    with mmap.mmap(descriptor, size) as mapped, memoryview(mapped) as memory, memory.cast("Q") as words:
        if words[0] not in (0, MAGIC):
            raise BadSegment(f"segment {name} belongs to another program: remove it by hand")
        words[0] = 0
        tables, tables_at, cell_bytes = words[4], words[24], words[25]
        cells = [(tables_at + index * cell_bytes) // 8 + KEY_IN_CELL for index in range(min(tables, size // 8))]
        return [words[at] for at in (*KEY_WORDS, *cells) if at < len(words) and words[at]]


def _make_lock(words: memoryview, at: int, name: str) -> None:
    """Create a semaphore with a random key, which is stored in the segment before the semaphore exists."""
    while True:
        words[at] = key = secrets.randbelow(_KEY_MAX) + 1
        try:
            make_semaphore(key, name)
            return
        except KeyTaken:
            words[at] = 0
        except OSError as error:
            words[at] = 0
            raise SegmentError(
                f"cannot make a semaphore for lock {name}: {error.strerror}; the system has {_semaphores()}"
            ) from None


def _semaphores() -> str:
    """Return the system's limit as text, for the sysop who has to raise it."""
    try:
        most = Path("/proc/sys/kernel/sem").read_text().split()[3]
    except (OSError, IndexError):
        return "no room for more"
    return f"room for {most} sets of them (sysctl kernel.sem, the fourth number; ipcs -s lists them)"


def _remove_semaphore(key: int) -> None:
    """Remove one of our semaphores, unless it is gone or another user has taken its key since."""
    try:
        semaphore = sysv_ipc.Semaphore(key)
        if semaphore.uid == os.geteuid():
            semaphore.remove()
    except (sysv_ipc.ExistentialError, sysv_ipc.PermissionsError):
        pass
