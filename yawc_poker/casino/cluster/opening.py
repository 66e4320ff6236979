"""The tables that several hosts share are opened here: by a session's way, or by a connection that listens."""

from typing import TYPE_CHECKING

from yawc_poker.casino.cluster.layout import CLUSTER
from yawc_poker.casino.store.connection import Store
from yawc_poker.casino.store.opening import load

if TYPE_CHECKING:  # it needs psycopg, which a BBS on files does without
    from yawc_poker.casino.cluster.direct import Direct


def open_shared(database: str, *, look_only: bool = False, must_exist: bool = False, any_layout: bool = False) -> Store:
    """Return the store of these tables, in the database of this URL; the arguments are those of `open_store`.

    With `any_layout` nothing is made, and another version's tables are looked at as they are. Raise `StoreError` if
    psycopg is not installed, or for a bad URL.
    """
    look_only = look_only or any_layout
    return load()(database, CLUSTER, look_only=look_only, must_exist=must_exist, any_layout=any_layout)


def open_direct(database: str, otherwise: str = "") -> "Direct":
    """Return a connection that listens, to the database of this URL. Nothing is opened yet. Raise `StoreError`.

    `otherwise` is the URL of the same one by which statements go while there is no such connection; empty: they fail.
    """
    load()
    from yawc_poker.casino.cluster.direct import Direct

    return Direct(database, open_shared(otherwise, must_exist=True) if otherwise else None)
