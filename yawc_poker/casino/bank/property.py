"""What users own besides CUBES, which extras keep in the bank's books."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.store.connection import Connection, Store


class Property(NamedTuple):
    """One kind of property."""

    worth: Callable[[Connection, int], int]
    """Return the CUBES that all of a user's would bring now."""
    sell: Callable[[Store, float, int], None]
    """Sell all of a user's, whose account was closed at a moment (epoch seconds); nothing is sold twice."""


@cache
def kinds_of_property() -> tuple[Property, ...]:
    """Return what extras bring; to be called once before the first fork."""
    return announced("property", Property)
