"""What a database server takes is loaded here, where one is configured and nowhere else: by the listener before it
forks, or by whoever opens a store first.
"""

from typing import TYPE_CHECKING

from yawc_poker.casino.store.connection import Store, StoreError
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.server.access import Access

if TYPE_CHECKING:  # they need psycopg, which a BBS on files does without
    from yawc_poker.extras.cluster.server.direct import Direct
    from yawc_poker.extras.cluster.server.postgres import PostgresStore


def load() -> "type[PostgresStore]":
    """Load what a database takes; return the class of its stores. Raise `StoreError` if psycopg is not installed."""
    try:
        from yawc_poker.extras.cluster.server.postgres import PostgresStore
    except ImportError as error:
        raise StoreError(f"a PostgreSQL database needs psycopg (yawc-poker[cluster]): {error}") from None
    return PostgresStore


def of_server(store: Store) -> "PostgresStore":
    """Return a store as a server's. Raise `StoreError` if it is a file."""
    if not isinstance(store, load()):
        raise StoreError("several hosts need a PostgreSQL database")
    return store


def open_direct(database: str, otherwise: str = "") -> "Direct":
    """Return a connection that listens, to the database of this URL. Nothing is opened yet. Raise `StoreError`.

    `otherwise` is the URL of the same one by which statements go while there is no such connection; empty: they fail.
    """
    store = load()(otherwise, CLUSTER, Access.USE) if otherwise else None
    from yawc_poker.extras.cluster.server.direct import Direct

    return Direct(database, store)
