"""The pages that a call makes its own, copied ahead in a process that waits for one.

The first write to a shared page interrupts a process for the kernel to copy it. On the way to the first prompt that
happens some two hundred times, for half of the time that a caller waits. Which pages these are a rehearsed call tells:
all processes that the listener forks have the same objects at the same addresses.

Owns finding and copying them. Where the kernel cannot copy pages ahead (before Linux 5.14), they are copied later.
"""

import ctypes
from array import array
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

PAGE: Final = 4096
_EXCLUSIVE: Final = 1 << 56
_PRESENT: Final = 1 << 63
"""Bits of a page in /proc/PID/pagemap."""
_WORD: Final = 8
_POPULATE_WRITE: Final = 23
"""`MADV_POPULATE_WRITE` of madvise(2)."""
_madvise = getattr(ctypes.CDLL(None), "madvise", None)
if _madvise is not None:
    _madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


def own_pages(pid: int) -> set[int]:
    """Return the numbers of the pages that a process shares with no other, of what it may write to for itself."""
    found: set[int] = set()
    folder = f"/proc/{pid}"
    with suppress(OSError), open(f"{folder}/maps") as maps, open(f"{folder}/pagemap", "rb", buffering=0) as pagemap:
        for line in maps.readlines():
            addresses, rights, *_ = line.split()
            if rights != "rw-p":
                continue
            first, last = (int(one, 16) // PAGE for one in addresses.split("-"))
            pagemap.seek(first * _WORD)
            flags = array("Q", pagemap.read((last - first) * _WORD))
            wanted = _EXCLUSIVE | _PRESENT
            found.update(first + at for at, one in enumerate(flags) if one & wanted == wanted)
    return found


def rows(pages: Iterable[int]) -> list[range]:
    """Return pages that follow each other as rows."""
    found: list[range] = []
    for page in sorted(pages):
        if found and found[-1].stop == page:
            found[-1] = range(found[-1].start, page + 1)
        else:
            found.append(range(page, page + 1))
    return found


def copy_ahead(pages: Iterable[range]) -> None:
    """Make rows of pages this process's own, as far as they are mapped."""
    if _madvise is not None:
        for row in pages:
            _madvise(row.start * PAGE, len(row) * PAGE, _POPULATE_WRITE)
