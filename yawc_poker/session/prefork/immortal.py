"""Immortal objects: what was made before the first fork is never counted again, so its pages stay shared.

CPython writes a reference count into an object whenever it is used; in a forked session each first use copies a page.
Since 3.12 an object whose count has one special value is left alone (PEP 683). `make_immortal` gives that value to
everything that can be reached: in a process that only forks, nothing of it is ever to be freed.

Owns the value and the walk. From 3.14 on the interpreter has a function for it; for 3.12 and 3.13, which do not, the
value is known here. Does nothing on any other interpreter, or where counts do not behave.
"""

import ctypes
import gc
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from types import CodeType
from typing import Final

_function = getattr(ctypes.pythonapi, "_Py_SetImmortal", None)
if _function is not None:
    _function.restype, _function.argtypes = None, (ctypes.py_object,)
_KNOWN: Final = {(3, 12), (3, 13)}
"""Versions of CPython without the function that lay out a count as it is done here."""
_IMMORTAL: Final = 0xFFFFFFFF
"""`_Py_IMMORTAL_REFCNT` of Include/object.h on 64-bit machines, in these versions."""
_NAME: Final = "_varname_from_oparg"
"""Where CPython has the name of a code object's variable, by number."""
_BATCH: Final = 1000
_TRIES: Final = 100


class _Probe:
    """An object of no use, to see how its count behaves."""


def obstacle() -> str:
    """Return why objects cannot be made immortal in this process; empty: they can."""
    if sys.implementation.name != "cpython" or (_function is None and sys.version_info[:2] not in _KNOWN):
        version = ".".join(map(str, sys.version_info[:2]))
        return f"the objects of {sys.implementation.name} {version} are not known"
    if struct.calcsize("P") != 8 or sysconfig.get_config_var("Py_GIL_DISABLED") or hasattr(sys, "gettotalrefcount"):
        return "this build of the interpreter counts references in another way"
    return "" if _keeps_still(_Probe()) else "a count of this interpreter did not keep still"


def make_immortal(roots: Sequence[object] | None = None) -> int:
    """Make these objects and all that they hold immortal, for good; return how many objects that were.

    Without `roots` it is everything: call it so once, in the process that forks, when `obstacle` is empty and nothing
    more is to be loaded.
    """
    if roots is None:
        roots = gc.get_objects()
    seen = {id(roots)}
    made = 0
    for batch in _reachable(roots, seen):
        for one in batch:
            _set_immortal(one)
        made += len(batch)
    return made


def _reachable(roots: Iterable[object], seen: set[int]) -> Iterator[list[object]]:
    """Yield all objects that can be reached, each once; `seen` are the ids of those that are left out."""
    found = _new(roots, seen)
    while found:
        yield found
        wanted: list[object] = []
        for at in range(0, len(found), _BATCH):
            wanted += gc.get_referents(*found[at : at + _BATCH])
        for one in found:
            if isinstance(one, CodeType):
                wanted += _parts(one)
            elif isinstance(one, type):  # the collector does not follow types that are built in
                wanted.append(vars(one))
        found = _new(wanted, seen)


def _new(objects: Iterable[object], seen: set[int]) -> list[object]:
    fresh = []
    for one in objects:
        if id(one) not in seen:
            seen.add(id(one))
            fresh.append(one)
    return fresh


def _parts(code: CodeType) -> tuple[object, ...]:
    """Return what a code object holds: the collector does not follow it."""
    return (
        code.co_consts,
        code.co_names,
        *_variables(code),
        code.co_filename,
        code.co_name,
        code.co_qualname,
        code.co_linetable,
        code.co_exceptiontable,
    )


def _variables(code: CodeType) -> Iterator[object]:
    """Yield the names of its variables. `co_varnames` and its like would keep a tuple of them in each code object."""
    name_of: Callable[[int], object] = getattr(code, _NAME)
    with suppress(IndexError):
        for number in count():
            yield name_of(number)


def _count(one: object) -> int:
    return ctypes.c_ssize_t.from_address(id(one)).value


def _set_immortal(one: object) -> None:
    if _function is not None:
        _function(one)
    else:
        ctypes.c_ssize_t.from_address(id(one)).value = _IMMORTAL


def _keeps_still(probe: object) -> bool:
    """Return whether the count of an object is where it is expected, and stays as it is once it is immortal."""
    before = _count(probe)
    held = [probe] * _TRIES
    if _count(probe) != before + _TRIES:
        return False
    held.clear()
    _set_immortal(probe)
    immortal = sys.getrefcount(probe)
    held = [probe] * _TRIES
    return sys.getrefcount(probe) == immortal and len(held) == _TRIES
