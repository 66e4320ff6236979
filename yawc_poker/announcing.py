"""Extras: what is not needed to telnet in and play at a table. Each is one folder here or in `telnetd/extras`.

Nothing imports an extra: it announces itself. A place that extras can add to (doors, menu lines, commands of a table,
requests of `yawcctl`, periodic duties, settings, layouts of the store) asks `announced` for what they bring. An extra
whose folder is deleted brings nothing; what is left knows nothing of it.
"""

import importlib
import importlib.util
import pkgutil
from typing import TypeVar

ROOTS = ("yawc_poker.extras", "telnetd.extras")
"""Packages whose folders are extras. The second is known by its name only: yawc_poker does not import telnetd."""

Announced = TypeVar("Announced")


def _folders() -> list[str]:
    """Return the full names of the extras that are there, in the order of their names."""
    names: list[str] = []
    for root in ROOTS:
        spec = importlib.util.find_spec(root)
        if spec is not None:
            found = pkgutil.iter_modules(spec.submodule_search_locations)
            names += [f"{root}.{module.name}" for module in found if module.ispkg]
    return sorted(names)


def announced(place: str, kind: type[Announced]) -> tuple[Announced, ...]:
    """Return what all extras bring to a place, in the order of the extras' names.

    An extra brings something by a module with the place's name that has a tuple `ANNOUNCED`. To be called at the start,
    not at import: an extra imports the place.

    Raise TypeError if something brought is not of this kind.
    """
    brought: list[Announced] = []
    for extra in _folders():
        name = f"{extra}.{place}"
        if importlib.util.find_spec(name) is None:
            continue
        for thing in importlib.import_module(name).ANNOUNCED:
            if not isinstance(thing, kind):
                raise TypeError(f"{name} announces {thing!r}, which is no {kind.__name__}")
            brought.append(thing)
    return tuple(brought)
