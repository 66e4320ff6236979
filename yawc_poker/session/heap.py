"""The C library's heap in a process that is forked for every caller: what stays shared of it, what is given back.

Owns glibc's switches for that; elsewhere nothing happens. Called in the listener, before the first fork.
"""

import ctypes
from typing import Final

_M_MMAP_THRESHOLD: Final = -3
"""Of malloc.h; other C libraries have no mallopt."""
_LARGE: Final = 1 << 20
_SIZES: Final = (*(1 << power for power in range(16, 10, -1)), *range(1016, 8, -16))
"""Bytes, from what fills a large hole to the smallest block there is."""


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


def _figures() -> _Figures | None:
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return None
    mallinfo2.restype = _Figures
    found: _Figures = mallinfo2()
    return found
