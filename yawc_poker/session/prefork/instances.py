"""Instances made before the fork, so that those of a session change nothing that all sessions share.

CPython stores the attributes of most instances without a dictionary: the names are in a table of their class. Each new
instance lowers the number of names that may still be added to that table, down to one. So a session's first instance
of nearly every class copied a page: fifty of them until the first prompt. Where that number has come down to one before
the fork, instances write nothing into the table.

Owns finding the table of a class. Does nothing where the interpreter does not behave as is known of it.
"""

import ctypes
import gc
from typing import Final

_HEAP_TYPE: Final = 1 << 9
"""`Py_TPFLAGS_HEAPTYPE` of Include/object.h."""
_WORD: Final = 8
_USABLE: Final = 16
"""Where a table has the number of names that may still be added: `dk_usable` of Include/internal/pycore_dict.h."""
_ENTRIES: Final = 24
"""Where it has the number of names: `dk_nentries`."""
_MOST: Final = 64
"""More instances than any table makes room for names."""


def settle_instances() -> int:
    """Make instances of each class that had some, until they change its table no more; return how many classes.

    Only where `immortal.obstacle` is empty: the layout is that of these versions. Nothing of a class runs.
    """
    place = _place()
    if not place:
        return 0
    classes = [one for one in gc.get_objects() if isinstance(one, type) and one.__flags__ & _HEAP_TYPE]
    return sum([_settle(one, place) for one in classes])


def _settle(cls: type, place: int) -> bool:
    table = _word(id(cls) + place)
    if not table or not _word(table + _ENTRIES) or hasattr(cls, "__del__"):
        return False
    for _ in range(_MOST):
        before = _word(table + _USABLE)
        if before <= 1:
            return True
        try:
            object.__new__(cls)
        except TypeError:  # abstract, or made by a base that is built in
            return False
        if _word(table + _USABLE) == before:
            return False
    return False


def _place() -> int:
    """Return where in a class the address of its table is, in bytes; 0: it was not found.

    It is behind the class's full name. A class made for that shows whether it behaves as it should.
    """

    class Probe:
        def __init__(self) -> None:
            self.one = self.two = self.three = 0

    Probe()
    name = id(Probe.__qualname__)
    words = [at for at in range(0, object.__sizeof__(Probe) - _WORD, _WORD) if _word(id(Probe) + at) == name]
    place = words[-1] + _WORD if words else 0
    table = _word(id(Probe) + place) if place else 0
    if not table or _word(table + _ENTRIES) != len(vars(Probe())):
        return 0
    before = _word(table + _USABLE)
    Probe()
    return place if _word(table + _USABLE) == before - 1 and _settle(Probe, place) else 0


def _word(address: int) -> int:
    return ctypes.c_ssize_t.from_address(address).value
