"""Small files in the data directory, written whole; and the check that this directory is fit to hold them.

Owns how a file is put in place, and the refusal of a directory that others may write to: they could replace anything in
it, the databases too. Nothing is written under a name that another user may have made.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from yawc_poker.ipc.segment import NAME_FILE, ForeignSegment

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_NEW = ".new"


class UnsafeFolder(Exception):
    """The data directory cannot be trusted; `str()` is one line that says why and what to do."""


def refuse_unsafe(folder: Path) -> None:
    """Raise `UnsafeFolder` if the directory exists and others may write to it."""
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & _OTHERS:
            raise UnsafeFolder(f"data directory {folder}: others may write to it (mode {mode:o}): chmod go-w {folder}")


def is_squatted(foreign: ForeignSegment, folder: Path) -> bool:
    """Return whether a stranger made a segment under the name of ours: neither root nor whose directory this is.

    Of those two it may be a BBS on this very directory, run by the wrong user, in which people play.
    """
    return foreign.owner not in (0, os.geteuid(), folder.stat().st_uid)


def change_segment_name(folder: Path) -> None:
    """Set another name for the segment of this directory, one that nobody can predict. Raise `OSError`."""
    write_whole(folder / NAME_FILE, secrets.token_hex(16).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file by another; a reader finds the old one or the new one. Raise `OSError`.

    The new one is made under a name that nobody can predict, and never through an existing link.
    """
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}{_NEW}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def write_as_owner(path: Path, content: bytes) -> None:
    """Replace a file by another, which belongs to whoever owns the directory. Raise `OSError`."""
    write_whole(path, content)
    owner = path.parent.stat()
    with suppress(PermissionError):  # only root may change a file's owner, and only root has to
        os.chown(path, owner.st_uid, owner.st_gid)


def sweep(path: Path) -> None:
    """Remove the remains of processes that died while they wrote this file; while no other process writes it."""
    for left in path.parent.glob(f"{path.name}*{_NEW}"):
        with suppress(OSError):
            left.unlink()
