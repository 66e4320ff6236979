"""`yawcctl backup` and `restore`: both databases of one moment into one file, and back.

While the BBS runs it takes the backup itself, under its own lock, into a file that this program opens: the sysop's
rights decide where it may be written, not those of the BBS. If no listener answers, this program takes it. A backup
appears under its name when it is whole and on the disk, and never replaces another file.
"""

import argparse
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import count as numbers
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Final

from yawc_poker.casino import backup
from yawc_poker.casino.backup import DATABASES, BadBackup, Manifest
from yawc_poker.casino.instance.databases import BACKUP_INSTEAD, marked
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.control import protocol
from yawc_poker.control.client import CannotAsk, Failed, asked, read
from yawc_poker.control.protocol import FAILED
from yawc_poker.ipc.segment import NoSegment, SegmentError, segment_name
from yawc_poker.sysop.command import Command, count, moment, print_rows
from yawc_poker.sysop.ipc import RemovalRefused, no_listener

BACKUP_SECONDS = 600.0
"""How long a backup may take, whatever `--timeout` says: copying is quick, auditing years of games is not."""


# --- backup -----------------------------------------------------------------------------------------------------------


def _backup_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", type=Path, help="a new tar file; an existing one is not overwritten")


def run_backup(chosen: argparse.Namespace) -> int:
    """Take a backup; return 1 if the ledger in it is not sound. Raise `CannotAsk`, `Failed`, `StoreError`."""
    marked(chosen.data).refuse_server(BACKUP_INSTEAD)
    if chosen.file == Path("-"):
        raise Failed(FAILED, "a backup is written into a file, not to standard output; name one")
    try:
        with _new_file(chosen.file) as file:
            manifest = _take(chosen.data, file)
        size = chosen.file.stat().st_size
    except OSError as error:
        raise Failed(FAILED, f"{chosen.file}: {error.strerror or error}") from None
    headline = f"{chosen.file}: {size} bytes, as of {moment(manifest.taken)}"
    print_rows(chosen, [manifest], lambda _: [headline, *_contents(manifest)])
    return 1 if manifest.problems else 0


def _take(data: Path, file: IO[bytes]) -> Manifest:
    """Make the BBS take it; if no listener answers, take it here: SQLite keeps writers out meanwhile."""
    try:
        with asked(data, protocol.Backup(), BACKUP_SECONDS, descriptor=file.fileno()) as answers:
            (answer,) = answers
            return read(answer, Manifest)
    except CannotAsk:
        return backup.take(data, nullcontext(), file)


def _contents(manifest: Manifest) -> Iterator[str]:
    if manifest.figures is not None:
        users, games = count(manifest.figures.users, "user"), count(manifest.figures.games, "game")
        yield f"The ledger has {users}, {games}, {manifest.figures.minted} CUBES."
    else:
        yield "The ledger is of another version and was not audited."
    yield from manifest.problems


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file for its owner alone that gets its name when all is written. Raise `OSError` if that is taken."""
    if path.exists() or path.is_symlink():
        raise FileExistsError(0, "exists already")
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    fresh = Path(name)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _name(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    _fsync(path.parent)


def _name(fresh: Path, path: Path) -> None:
    """Name a file; unlike a rename, a link never replaces another file. Not every file system has links."""
    try:
        os.link(fresh, path)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EOPNOTSUPP} or path.exists():
            raise
        fresh.rename(path)


def _fsync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- restore ----------------------------------------------------------------------------------------------------------


def _restore_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", type=Path, help="what `yawcctl backup` made")
    command.add_argument(
        "--replace", action="store_true", help="move databases that are there aside, named by the time"
    )


def run_restore(chosen: argparse.Namespace) -> int:
    """Put a backup back. Raise `StoreError`, `Failed`."""
    marked(chosen.data).refuse_server("put them back by pg_restore")
    try:
        chosen.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with no_listener(chosen.data), chosen.file.open("rb") as packed, backup.folder_in(chosen.data) as folder:
            refuse_living(chosen.data)
            manifest = backup.unpack(packed, folder)
            aside = put_back(chosen.data, folder, replace=chosen.replace)
    except (BadBackup, RemovalRefused, SegmentError) as error:
        raise Failed(FAILED, str(error)) from None
    except OSError as error:
        raise Failed(FAILED, f"{error.filename or chosen.file}: {error.strerror}") from None
    headline = f"Accounts and ledger are as of {moment(manifest.taken)}."
    return print_rows(chosen, [manifest], lambda _: [headline, *(f"Moved aside: {one}" for one in aside)])


def refuse_living(data: Path) -> None:
    """Raise `RemovalRefused` while sessions live that a killed listener has left."""
    with suppress(NoSegment):
        living = Snapshot.at(segment_name(data)).living_here
        if living:
            raise RemovalRefused(f"{count(living, 'session')} live on {data}: end them first")


def put_back(data: Path, folder: Path, *, replace: bool) -> list[Path]:
    """Put the files in their places; return those that were moved aside, with the journals that belong to them."""
    there = files_of(data)
    if there and not replace:
        raise RemovalRefused(f"{there[0]} is there: --replace moves it aside")
    aside, owner = set_aside(data), data.stat()
    for name in DATABASES:
        with (folder / name).open("rb+") as file:
            os.fchmod(file.fileno(), 0o600)
            with suppress(PermissionError):  # only root may change a file's owner, and only root has to
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            os.fsync(file.fileno())
        (folder / name).rename(data / name)
    _fsync(data)
    return aside


def files_of(data: Path) -> list[Path]:
    """Return the databases that are there, with the journals that belong to them."""
    files = [data / f"{name}{more}" for name in DATABASES for more in ("", "-journal")]
    return [path for path in files if path.exists()]


def set_aside(data: Path) -> list[Path]:
    """Move the databases that are there aside, and return their new names."""
    stamp = _stamp(data)
    return [_aside(path, stamp) for path in files_of(data)]


def _stamp(data: Path) -> str:
    """Return the time as part of a name that no file has yet: two restores may be made in one second."""
    now = time.strftime("%Y%m%d-%H%M%S")
    stamps = (now if number == 1 else f"{now}-{number}" for number in numbers(1))
    return next(stamp for stamp in stamps if not any((data / f"{name}.{stamp}").exists() for name in DATABASES))


def _aside(path: Path, stamp: str) -> Path:
    """Move a file aside; a journal is named after its database, where SQLite looks for it."""
    name = path.name.removesuffix("-journal")
    moved = path.with_name(f"{name}.{stamp}{path.name.removeprefix(name)}")
    return path.rename(moved)


COMMANDS: Final = (
    Command(
        "backup",
        run_backup,
        "copy accounts and ledger, as they are at one moment, into a file; the BBS may run",
        ("backup /var/backups/yawc-$(date +%F).tar",),
        _backup_arguments,
    ),
    Command(
        "restore",
        run_restore,
        "put a backup back, while the BBS is stopped",
        ("restore /var/backups/yawc-2026-11-22.tar --replace",),
        _restore_arguments,
    ),
)
