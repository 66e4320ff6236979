"""The heaps in a process that is forked for every caller: what stays shared of them, what is given back.

Owns glibc's switches for that, and what Python's allocator is made to hold; with another C library, or another
allocator, less comes of it and nothing breaks. Called in the listener, before the first fork.
"""

import ctypes
import sys
from typing import Final

_M_MMAP_THRESHOLD: Final = -3
"""Of malloc.h; other C libraries have no mallopt."""
_LARGE: Final = 1 << 20
_SIZES: Final = (*(1 << power for power in range(16, 10, -1)), *range(1016, 8, -16))
"""Bytes, from what fills a large hole to the smallest block there is."""

_POOL: Final = 16 << 10
"""Bytes that Python cuts into blocks of one size."""
_STEP: Final = 16
_SMALL: Final = 512
"""Its sizes are multiples of one, up to the other; what is larger comes out of the heap."""
_MOST: Final = 256 << 10
"""Bytes of a size that are taken at most, lest an allocator of another kind be asked for ever."""
_kept: list[list[object]] = []
"""What fills the pools."""


class _Figures(ctypes.Structure):
    """What mallinfo2(3) tells."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    )
    fordblks: int
    """Free bytes."""
    keepcost: int
    """Those of them at the end of the heap, in one piece."""


def return_large_blocks() -> None:
    """Have glibc give blocks of a megabyte or more back to the system when they are freed.

    Checking a password takes 19 MB for 20 ms. Left to itself, glibc raises its threshold after the first such block and
    keeps the second for good: every session that saw a wrong password would stay 19 MB larger.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def fill_holes() -> int:
    """Take all that is free between blocks in use, for good; give how many bytes that was.

    A few hundred holes of some bytes lie scattered over the heap. A session's first small blocks would fill them, and
    each of them make a copy of a page that all sessions share: 1.3 MB a session for less than 0.2 MB of holes.
    """
    figures = _figures()
    if figures is None:
        return 0
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    libc.free.restype, libc.free.argtypes = None, (ctypes.c_void_p,)
    libc.sbrk.restype, libc.sbrk.argtypes = ctypes.c_void_p, (ctypes.c_ssize_t,)
    end = libc.sbrk(0) - figures.keepcost
    for size in _SIZES:
        # What lies behind the end comes out of no hole: there is none left for this size.
        while (block := libc.malloc(size) or end) < end:
            pass
        if block > end:
            libc.free(block)
    return figures.fordblks - figures.keepcost


def fill_pools() -> int:
    """The same for the small blocks that Python gives out itself; gives how many bytes were taken.

    Before that the cache of types is emptied. It counts a reference to the name of each of its 4,096 entries, and a
    session that put its own in their place would write to names all over the memory.
    """
    for name in ("_clear_internal_caches", "_clear_type_cache"):  # the newer one, which 3.13 has, clears more
        if hasattr(sys, name):
            getattr(sys, name)()
            break
    return sum(map(_fill, range(2 * _STEP, _SMALL + 1, _STEP)))


def _fill(size: int) -> int:
    """Take blocks of a size until they come in a row: then all holes are full, and it cuts up a new pool."""
    many = _POOL // size // 4
    taken, rows = 0, 0
    while rows < 3 and taken < _MOST:
        blocks: list[object] = [None] * many  # a list that grows takes blocks, too
        for at in range(many):
            blocks[at] = _block(size)
        # The first ones may lie where the numbers of the last look did.
        middle = many // 2
        rows = rows + 1 if id(blocks[-1]) - id(blocks[middle]) == (many - 1 - middle) * size else 0
        _kept.append(blocks)
        taken += many * size
    return taken


def _block(size: int) -> object:
    """Give an object that takes so many bytes, and no other."""
    spare = size - sys.getsizeof(b"")
    return bytes(spare) if spare > 0 else complex(size)


def _figures() -> _Figures | None:
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return None
    mallinfo2.restype = _Figures
    found: _Figures = mallinfo2()
    return found
