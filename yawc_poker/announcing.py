"""Extras: what is not needed to telnet in and play at a table. Each is one folder here or in `telnetd/extras`.

Nothing imports an extra: it announces itself. A place that extras can add to (doors, menu lines, commands of a table,
requests of `yawcctl`, periodic duties, settings, layouts of the store) asks `announced` for what they bring. An extra
whose folder is deleted brings nothing; what is left knows nothing of it.
"""

import importlib
import importlib.util
import pkgutil
from functools import cache
from typing import TypeVar

ROOTS = ("yawc_poker.extras", "telnetd.extras")
"""Packages whose folders are extras. The second is known by its name only: yawc_poker does not import telnetd."""

Announced = TypeVar("Announced")


def _folders(roots: tuple[str, ...]) -> list[str]:
    """Return the full names of the extras that are there, in the order of their names."""
    names: list[str] = []
    for root in roots:
        spec = importlib.util.find_spec(root)
        if spec is not None:
            found = pkgutil.iter_modules(spec.submodule_search_locations)
            names += [f"{root}.{module.name}" for module in found if module.ispkg]
    return sorted(names)


def announced(place: str, kind: type[Announced]) -> tuple[Announced, ...]:
    """Return what all extras bring to a place, in the order of the extras' names.

    An extra brings something by a module with the place's name that has a tuple `ANNOUNCED`. To be called at the start,
    not at import: an extra imports the place. Later calls cost nothing; what sessions ask for is asked for once before
    the first fork, so that they share it.

    Raise TypeError if something brought is not of this kind.
    """
    found: list[Announced] = []
    for name, thing in _brought(ROOTS, place):
        if not isinstance(thing, kind):
            raise TypeError(f"{name} announces {thing!r}, which is no {kind.__name__}")
        found.append(thing)
    return tuple(found)


@cache
def _brought(roots: tuple[str, ...], place: str) -> tuple[tuple[str, object], ...]:
    """Return what the extras below these packages bring, each with the name of its module."""
    names = [f"{extra}.{place}" for extra in _folders(roots)]
    there = [name for name in names if importlib.util.find_spec(name) is not None]
    return tuple([(name, thing) for name in there for thing in importlib.import_module(name).ANNOUNCED])
