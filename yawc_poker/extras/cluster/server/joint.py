"""Joint transactions: one transaction of a database, of which all others of its store are parts until it ends."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from yawc_poker.casino.store.connection import Connection, Row, Store


class Joint(Connection, Protocol):
    """An open transaction of which all others of its store are parts until it ends."""

    @property
    def found(self) -> Sequence[Row]:
        """The rows of the query that it began with."""


@runtime_checkable
class JointStore(Store, Protocol):
    """A store that knows joint transactions: a PostgreSQL database."""

    def joint(self, first: str) -> AbstractContextManager[Joint]:
        """Run a transaction that begins with this query, and of which all others are parts until it ends.

        A part happens as a whole or not at all. If a statement of one fails, nothing happens of the joint transaction,
        whoever catches the error: it ends with it. The query is in the database's own words, without parameters. Raise
        `StoreError`.
        """
