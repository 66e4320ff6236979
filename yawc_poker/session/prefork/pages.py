"""The pages that a call makes its own or looks at, mapped ahead in a process that waits for one.

The first write to a shared page interrupts a process for the kernel to copy it, and so does the first look at a page of
a library, which a fork does not map. On the way to the first prompt that happens some three hundred times, for half of
the time that a caller waits. Which pages these are a rehearsed call tells: all processes that the listener forks have
the same objects at the same addresses.

Owns finding and mapping them. Where the kernel cannot map pages ahead (before Linux 5.14), they are mapped later.
"""

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Final, NamedTuple

PAGE: Final = 4096
_EXCLUSIVE: Final = 1 << 56
_PRESENT: Final = 1 << 63
"""Bits of a page in /proc/PID/pagemap."""
_WORD: Final = 8
_POPULATE_READ: Final = 22
_POPULATE_WRITE: Final = 23
"""`MADV_POPULATE_READ` and `MADV_POPULATE_WRITE` of madvise(2)."""
_LIBRARY: Final = _PRESENT, _POPULATE_READ
_LOOKED_AT: Final = {"rw-p": (_EXCLUSIVE | _PRESENT, _POPULATE_WRITE), "r-xp": _LIBRARY, "r--p": _LIBRARY}
"""By the rights of a mapping: the bits of the pages that are wanted, and how another process maps them."""
_madvise = getattr(ctypes.CDLL(None), "madvise", None)
if _madvise is not None:
    _madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class Row(NamedTuple):
    """Pages that follow each other, by their numbers, and the advice by which they are mapped."""

    pages: range
    advice: int


def touched_pages(pid: int) -> list[Row]:
    """Return the pages that a process shares with no other, and those that it has of libraries."""
    found: list[Row] = []
    folder = f"/proc/{pid}"
    with suppress(OSError), open(f"{folder}/maps") as maps, open(f"{folder}/pagemap", "rb", buffering=0) as pagemap:
        for line in maps.readlines():
            addresses, rights, *_ = line.split()
            if rights in _LOOKED_AT:
                wanted, advice = _LOOKED_AT[rights]
                first, last = (int(one, 16) // PAGE for one in addresses.split("-"))
                pagemap.seek(first * _WORD)
                flags = array("Q", pagemap.read((last - first) * _WORD))
                found += [Row(pages, advice) for pages in _rows(first, flags, wanted)]
    return found


def _rows(first: int, flags: Sequence[int], wanted: int) -> Iterator[range]:
    """Yield the pages from `first` on whose flags are all that is wanted, those that follow each other together."""
    at = first
    for is_wanted, row in groupby(flags, lambda one: one & wanted == wanted):
        start, at = at, at + sum(1 for _ in row)
        if is_wanted:
            yield range(start, at)


def map_ahead(wanted: Iterable[Row]) -> None:
    """Map rows of pages in this process as a call will need them, as far as there are such."""
    if _madvise is not None:
        for row in wanted:
            _madvise(row.pages.start * PAGE, len(row.pages) * PAGE, row.advice)
