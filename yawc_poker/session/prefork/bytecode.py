"""Bytecode that changes whenever it runs, side by side, so that it copies few pages.

The interpreter specialises instructions for what they meet, and counts in the bytecode itself how often one ran that it
could not specialise. These counters change for ever, in every session; scattered over the heap, each copies a page of
4 kB.

Owns finding them and moving them. A function keeps its identity, only its code object is replaced by an equal one.
Called in the listener, before the first fork.
"""

import gc
import math
from collections.abc import Mapping, Sequence, Set
from operator import itemgetter
from types import CodeType, FunctionType
from typing import Final, NamedTuple

_STATE: Final = "_co_code_adaptive"
"""Where CPython shows a code object's bytecode as it is now."""


class _Seen(NamedTuple):
    code: CodeType
    state: int


class Bytecode:
    """All bytecode there is, as it was at a moment."""

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}
        for function in _functions():
            self._see(function.__code__)

    def _see(self, code: CodeType) -> None:
        if id(code) not in self._seen:
            self._seen[id(code)] = _Seen(code, _state(code))
            for inner in _inner(code):
                self._see(inner)

    def changed(self) -> set[int]:
        """Return the ids of the code objects that have changed since."""
        return {number for number, seen in self._seen.items() if _state(seen.code) != seen.state}


def move_together(groups: Sequence[Set[int]]) -> list[CodeType]:
    """Replace code objects, named by their ids, by copies side by side, group by group; return the copies.

    The heap should have no holes, which the copies would fill. They have to run again to be specialised.
    """
    places = {number: place for place, group in reversed(list(enumerate(groups))) for number in group}
    copies: dict[int, CodeType] = {}
    functions = _functions()
    originals = [function.__code__ for function in functions]  # as long as they live, nothing else has their ids
    moving = [(place, one) for one in functions if (place := _place(one.__code__, places)) < math.inf]
    for _, function in sorted(moving, key=itemgetter(0)):
        function.__code__ = _copied(function.__code__, places, copies)
    del originals
    return list(copies.values())


def _place(code: CodeType, places: Mapping[int, int]) -> float:
    """Return the first group that a code object, or one inside it, is in; infinite: they are in none."""
    return min(places.get(id(code), math.inf), *(_place(inner, places) for inner in _inner(code)), math.inf)


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
    return hash(getattr(code, _STATE, code.co_code))
