"""Keys of extras at a table, beside those that all games have. Pure.

What such a key does is `session.table.errand`'s.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from yawc_poker.announcing import announced


class AddedKey(NamedTuple):
    """A key of an extra (the place `table_keys`). No game and no prompt uses it."""

    key: str
    text: str
    """The key in brackets and what it does, marked for the catalogues."""


@cache
def added_keys() -> Mapping[str, AddedKey]:
    """Return the keys of extras."""
    return {one.key: one for one in announced("table_keys", AddedKey)}
