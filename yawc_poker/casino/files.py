"""Small files in the data directory, written whole; and what makes that directory fit to hold them.

Owns how a file is put in place, and the refusal of a directory that others may write to: they could replace anything in
it, the databases too. Nothing is written under a name that somebody else may have made.
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
    """Raise `UnsafeFolder` where others may write to a directory that is there."""
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
    """Give the segment of this directory another name, which nobody can know beforehand. Raises `OSError`."""
    write_whole(folder / NAME_FILE, secrets.token_hex(16).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in the place of another; who reads finds the old one or the new one. Raises `OSError`.

    It is made under a name that nobody can know beforehand, and never through a link that is there already.
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


def sweep(path: Path) -> None:
    """Remove what processes have left that died while they wrote this file; while nobody else writes it."""
    for left in path.parent.glob(f"{path.name}*{_NEW}"):
        with suppress(OSError):
            left.unlink()
