"""The heaps of a process that is forked for every caller: keeping their pages shared, and returning large blocks.

Owns glibc's switches for that, and the blocks that fill the holes of Python's allocator. With another C library or
allocator the effect is smaller and nothing breaks. Called in the listener, before the first fork.
"""

import ctypes
import sys
from typing import Final

_M_MMAP_THRESHOLD: Final = -3
"""Of malloc.h; other C libraries have no mallopt."""
_LARGE: Final = 1 << 20
_SIZES: Final = (*(1 << power for power in range(16, 10, -1)), *range(1016, 8, -16))
"""In bytes, from a block for a large hole down to the smallest block."""

_POOL: Final = 16 << 10
"""Bytes that Python cuts into blocks of one size."""
_STEP: Final = 16
_SMALL: Final = 512
"""Its sizes are multiples of the step up to this; larger blocks come from the heap."""
_MOST: Final = 256 << 10
"""Most bytes taken of one size, so that the loop ends with any other allocator, too."""
_kept: list[list[object]] = []
"""The blocks that fill the pools."""
_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Looked up once: each look-up leaves a string in CPython's cache of methods."""


class _Figures(ctypes.Structure):
    """The result of mallinfo2(3)."""

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
    """The free bytes at the end of the heap, in one piece."""


def return_large_blocks() -> None:
    """Make glibc return blocks of a megabyte or more to the system when they are freed.

    Checking a password takes 19 MB for 20 ms. Left to itself, glibc raises its threshold after the first such block and
    keeps the second for good: every session that saw a wrong password would stay 19 MB larger.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def return_free_pages() -> None:
    """Return all pages to the system that hold nothing but free memory, wherever they lie in the heap.

    glibc does it by itself at the heap's end only.
    """
    if _malloc_trim is not None:
        _malloc_trim(0)


def fill_holes() -> int:
    """Allocate all free memory between blocks in use, for good; return its bytes.

    A few hundred small holes lie scattered over the heap. A session's first small blocks would fill them, and each
    would copy a page that all sessions share: 1.3 MB a session for less than 0.2 MB of holes.
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
        # A block behind the end is in no hole: none is left for this size.
        while (block := libc.malloc(size) or end) < end:
            pass
        if block > end:
            libc.free(block)
    return figures.fordblks - figures.keepcost


def fill_pools() -> int:
    """Do the same for the small blocks of Python's own allocator; return the bytes taken.

    The type cache is cleared before. It holds a reference to the name of each of its 4,096 entries, so a session that
    replaced entries would write to names all over the memory.
    """
    for name in ("_clear_internal_caches", "_clear_type_cache"):  # the newer one, which 3.13 has, clears more
        if hasattr(sys, name):
            getattr(sys, name)()
            break
    return sum(map(_fill, range(2 * _STEP, _SMALL + 1, _STEP)))


def _fill(size: int) -> int:
    """Take blocks of a size until they are adjacent: then all holes are full, and they come from a new pool."""
    many = _POOL // size // 4
    taken, rows = 0, 0
    while rows < 3 and taken < _MOST:
        blocks: list[object] = [None] * many  # a growing list would take blocks, too
        for at in range(many):
            blocks[at] = _block(size)
        # The first ones may reuse the memory of the last round's integers.
        middle = many // 2
        rows = rows + 1 if id(blocks[-1]) - id(blocks[middle]) == (many - 1 - middle) * size else 0
        _kept.append(blocks)
        taken += many * size
    return taken


def _block(size: int) -> object:
    """Return an object of exactly this size in bytes."""
    spare = size - sys.getsizeof(b"")
    return bytes(spare) if spare > 0 else complex(size)


def _figures() -> _Figures | None:
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return None
    mallinfo2.restype = _Figures
    found: _Figures = mallinfo2()
    return found
