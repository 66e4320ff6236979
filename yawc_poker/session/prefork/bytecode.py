"""Bytecode that changes whenever it runs, side by side, so that it copies few pages.

The interpreter specialises instructions for what they meet, and counts in the bytecode itself how often one ran that it
could not specialise. These counters change for ever, in every session; scattered over the heap, each copies a page of
4 kB.

Owns finding them and moving them. A function keeps its identity, only its code object is replaced by an equal one.
Called in the listener, before the first fork.
"""

import gc
import math
from array import array
from collections.abc import Mapping, Sequence, Set
from operator import itemgetter
from types import CodeType, FunctionType
from typing import Final

_STATE: Final = "_co_code_adaptive"
"""Where CPython shows a code object's bytecode as it is now. Each code object would keep what `co_code` shows."""


class Bytecode:
    """All bytecode there is, as it was at a moment."""

    def __init__(self) -> None:
        seen: dict[int, CodeType] = {}
        for function in _functions():
            _see(function.__code__, seen)
        self._codes = list(seen.values())
        self._states = array("q", map(_state, self._codes))

    def changed(self) -> set[int]:
        """Return the ids of the code objects that have changed since."""
        return {id(code) for code, state in zip(self._codes, self._states, strict=True) if _state(code) != state}


def _see(code: CodeType, seen: dict[int, CodeType]) -> None:
    """Add a code object and those inside it."""
    if id(code) not in seen:
        seen[id(code)] = code
        for inner in _inner(code):
            _see(inner, seen)


def move_together(groups: Sequence[Set[int]]) -> list[CodeType]:
    """Replace code objects, named by their ids, by copies side by side, group by group; return the copies.

    The heap should have no holes, which the copies would fill. They have to run again to be specialised.
    """
    places = {number: place for place, group in reversed(list(enumerate(groups))) for number in group}
    copies: dict[int, CodeType] = {}
    functions = _functions()
    originals = [function.__code__ for function in functions]  # as long as they live, nothing else has their ids
    moving = [(place, one) for one in functions if (place := _place(one.__code__, places)) < math.inf]
    for _, function in moving:
        _fill_in(function.__code__, places)
    for _, function in sorted(moving, key=itemgetter(0)):
        function.__code__ = _copied(function.__code__, places, copies)
    del originals
    return list(copies.values())


def _place(code: CodeType, places: Mapping[int, int]) -> float:
    """Return the first group that a code object, or one inside it, is in; infinite: they are in none."""
    return min(places.get(id(code), math.inf), *(_place(inner, places) for inner in _inner(code)), math.inf)


def _fill_in(code: CodeType, places: Mapping[int, int]) -> None:
    """Fill in the `co_code` of each code object that is to be copied: made with the copy, it would lie beside it."""
    if _place(code, places) < math.inf and code.co_code:
        for inner in _inner(code):
            _fill_in(inner, places)


def _copied(code: CodeType, places: Mapping[int, int], copies: dict[int, CodeType]) -> CodeType:
    """Return the copy of a code object, or itself where neither it nor one inside it is to be moved."""
    if id(code) in copies:
        return copies[id(code)]
    if _place(code, places) == math.inf:
        return code
    consts = [_copied(one, places, copies) if isinstance(one, CodeType) else one for one in code.co_consts]
    copies[id(code)] = copy = code.replace(co_consts=tuple(consts))
    return copy


def _functions() -> list[FunctionType]:
    return [one for one in gc.get_objects() if isinstance(one, FunctionType)]


def _inner(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _state(code: CodeType) -> int:
    return hash(getattr(code, _STATE))
