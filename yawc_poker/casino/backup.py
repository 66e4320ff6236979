"""Backups: both files of a BBS as they were at one moment, in one tar file.

Owns the contents of such a file and how it is taken and put back. A BBS in a PostgreSQL database has no such backups.
One is taken under the bank's lock, which guards both files, and inside a reading transaction on each, so that a program
that knows nothing of this lock is kept out, too. SQLite's own backup copies the files, so a transaction that a killed
process left half-way is rolled back first. The copies go to a folder in the data directory; checking and packing them
needs no lock.
"""

import io
import os
import sqlite3
import tarfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copyfileobj, rmtree
from tempfile import mkdtemp
from typing import IO, Final
from urllib.parse import quote

import msgspec

from yawc_poker.casino.bank.audit import Figures, figures, problems
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import LOOKER_SECONDS, Lock, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteConnection, pragma
from yawc_poker.casino.store.users import USERS
from yawc_poker.digits import decimal
from yawc_poker.ipc import process

MANIFEST: Final = "manifest.json"
DATABASES: Final[dict[str, Layout]] = {BANK_FILE: BOOKS, USERS_FILE: USERS}
_FOLDER: Final = ".backup-"


class Manifest(msgspec.Struct, frozen=True):
    """The description that a backup contains."""

    taken: float
    """Epoch seconds: the moment that both databases are of."""
    layouts: dict[str, int]
    """Version of each file's layout."""
    figures: Figures | None
    """Of the ledger; None where its layout is not this program's, or it is too damaged."""
    problems: list[str]
    """Problems with the ledger; a backup is taken all the same."""


class BadBackup(Exception):
    """A file is no backup, or none that this program can put back; `str()` is one line."""


# --- taking -----------------------------------------------------------------------------------------------------------


def take(data: Path, lock: Lock, out: IO[bytes], *, patience: float = LOOKER_SECONDS) -> Manifest:
    """Write a backup of a data directory to `out`, which is only written to, front to back.

    `patience` is how long a program that has locked a file is waited for, in seconds. Raise `StoreError`, and `OSError`
    if there is no room.
    """
    with _explained(), folder_in(data) as folder:
        with lock:
            taken = time.time()
            _copy(data, folder, patience)
        manifest = _examined(folder, taken)
        _pack(data, folder, manifest, out)
    return manifest


def _copy(data: Path, folder: Path, patience: float) -> None:
    """Copy both files as they are at one moment: neither can be written between the first look at it and the last."""
    with ExitStack() as stack:
        sources = {name: stack.enter_context(_held(data / name, patience)) for name in DATABASES}
        for name, source in sources.items():
            with closing(sqlite3.connect(folder / name, isolation_level=None)) as copy:
                copy.execute("PRAGMA journal_mode = OFF")
                copy.execute("PRAGMA synchronous = OFF")  # a copy that is lost is made again
                source.backup(copy)


@contextmanager
def _held(path: Path, patience: float) -> Iterator[sqlite3.Connection]:
    """Open a database and keep writers out of it."""
    if not path.exists():
        raise StoreError(f"{path}: there is no such file")
    address = (
        f"file:{quote(str(path))}?mode=rw"  # rw: a transaction that a killed process left half-way is to be rolled back
    )
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=patience)) as source:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield source


def _examined(folder: Path, taken: float) -> Manifest:
    layouts = {}
    for name, layout in DATABASES.items():
        with closing(sqlite3.connect(folder / name)) as copy:
            layouts[name] = _version(copy, name, layout)
    if layouts[BANK_FILE] != BOOKS.version("sqlite"):
        return Manifest(taken, layouts, None, [])
    with closing(sqlite3.connect(folder / BANK_FILE, factory=SqliteConnection)) as books:
        found = problems(books)
        try:
            return Manifest(taken, layouts, figures(books), found)
        except sqlite3.DatabaseError:
            return Manifest(taken, layouts, None, found)


def _version(database: sqlite3.Connection, name: str, layout: Layout) -> int:
    if pragma(database, "application_id") != layout.mark:
        raise StoreError(f"{name}: is a database of something else")
    return pragma(database, "user_version")


def _pack(data: Path, folder: Path, manifest: Manifest, out: IO[bytes]) -> None:
    """Pack the copies, with the owner of the originals; the manifest comes first."""
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        text = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
        tar.addfile(_member(MANIFEST, len(text), data / BANK_FILE, manifest.taken), io.BytesIO(text))
        for name in DATABASES:
            with (folder / name).open("rb") as copy:
                tar.addfile(_member(name, (folder / name).stat().st_size, data / name, manifest.taken), copy)
    out.flush()


def _member(name: str, size: int, original: Path, taken: float) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    facts = original.stat()
    member.size, member.mode, member.mtime = size, 0o600, int(taken)
    member.uid, member.gid = facts.st_uid, facts.st_gid
    return member


# --- putting back -----------------------------------------------------------------------------------------------------


def unpack(packed: IO[bytes], folder: Path) -> Manifest:
    """Unpack a backup, and nothing else that may be in the file, into an empty folder. Raise `BadBackup`, `OSError`."""
    try:
        with tarfile.open(fileobj=packed, mode="r|") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.name in (MANIFEST, *DATABASES) else None
                if content is not None:
                    with content, (folder / member.name).open("xb") as out:
                        copyfileobj(content, out)
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        for name, layout in DATABASES.items():
            _check(folder / name, layout)
    except (tarfile.TarError, EOFError, FileExistsError, FileNotFoundError, msgspec.DecodeError) as error:
        raise BadBackup(f"that is no whole backup: {error}") from None
    return manifest


def _check(path: Path, layout: Layout) -> None:
    """Refuse a file that is damaged, or from a newer version of this program."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)) as database:
            version = _version(database, path.name, layout)
            (damage,) = database.execute("PRAGMA integrity_check").fetchone()
    except (sqlite3.Error, StoreError) as error:
        raise BadBackup(f"that is no whole backup: {path.name}: {error}") from None
    if damage != "ok":
        raise BadBackup(f"that is no whole backup: {path.name}: {damage}")
    if version > (known := layout.version("sqlite")):
        raise BadBackup(f"{path.name} has layout {version}, this program knows only up to {known}")


@contextmanager
def folder_in(data: Path) -> Iterator[Path]:
    """Yield an empty folder on the same disk, removed afterwards, with those that killed processes left."""
    for left in data.glob(f"{_FOLDER}*"):
        pid = left.name.removeprefix(_FOLDER).partition("-")[0]
        if (number := decimal(pid)) is not None and process.find(number) is None:
            rmtree(left, ignore_errors=True)
    folder = Path(mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-", dir=data))
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"no backup: {error}") from error
