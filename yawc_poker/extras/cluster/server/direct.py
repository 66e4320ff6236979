"""A connection of its own to a PostgreSQL database, for the one process of a host that listens to the others.

Owns that connection: it must not lead through a pooler, since LISTEN belongs to it. Any failure closes it; the next
`open` makes another, which knows nothing of what was notified meanwhile. Statements are those of a store, with the
schema's tables by their bare names; outside of `writing` each is a transaction of its own.

While there is no connection, as when the server has as many as it takes, single statements go by another way if there
is one: that of the sessions, through a pooler.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Final

import psycopg

from yawc_poker.casino.store.connection import (
    BUSY_SECONDS,
    Rows,
    Store,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.store.dialect import translated
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.messages import CHANNEL
from yawc_poker.extras.cluster.server import link as links
from yawc_poker.extras.cluster.server.link import Answer, Link
from yawc_poker.extras.cluster.server.postgres import FOR_UPDATE, Statements

_NOTIFY: Final = "SELECT pg_notify(?, ?)"


class Direct(Statements):
    """A connection that listens; a `Connection` whose transactions are single statements, unless `writing` is used."""

    def __init__(self, url: str, otherwise: Store | None = None) -> None:
        """`otherwise` is the other way. Nothing is opened yet. Raise `StoreError` for an URL that cannot be read."""
        self._url = url
        self.for_update = FOR_UPDATE
        self._otherwise = otherwise
        self._connection: Link | None = None
        self._heard: deque[str] = deque()
        try:
            self._name = links.name_of(url)
        except psycopg.Error as error:
            raise StoreError(f"the database's URL cannot be read: {error}") from None

    def __str__(self) -> str:
        return self._name

    # --- its life -----------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether there is a connection; whether the other side is still there shows at the next use."""
        return self._connection is not None

    def open(self) -> bool:
        """Connect and listen, unless that is so; return whether it is a new connection. Raise `Unavailable`."""
        if self._connection is not None:
            return False
        milliseconds = int(BUSY_SECONDS * 1000)
        settings = (
            f"SET search_path = {CLUSTER.schema}; SET statement_timeout = {milliseconds};"
            f" SET lock_timeout = {milliseconds * 3 // 4};"
            f" SET idle_in_transaction_session_timeout = {milliseconds * 2}; LISTEN {CHANNEL}"
        )
        self._heard.clear()
        try:
            link = links.connect(self._url)
            try:
                link.until = monotonic() + BUSY_SECONDS
                link.execute(settings.encode())
            except BaseException:
                link.close()
                raise
        except psycopg.Error as error:
            raise links.failure_of(self._name, error) from error
        link.add_notify_handler(self._note)
        self._connection = link
        return True

    def end(self) -> None:
        """Close the connection, and that of the other way."""
        self.close()
        if self._otherwise is not None:
            self._otherwise.close()

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def fileno(self) -> int:
        """Return the descriptor, readable when something was notified; -1: there is no connection."""
        return -1 if self._connection is None else self._connection.fileno()

    @property
    def has_news(self) -> bool:
        """Whether something was notified that `received` has not returned yet, without a look at the connection."""
        return bool(self._heard)

    # --- notifications ------------------------------------------------------------------------------------------------

    def received(self) -> list[str]:
        """Return what others have notified since the last look, without waiting. Raise `Unavailable`."""
        link = self._connected()
        try:
            link.pgconn.consume_input()
            while (one := link.pgconn.notifies()) is not None:
                self._keep(one.be_pid, one.extra.decode("utf-8", "replace"))
        except psycopg.Error as error:
            self.close()
            raise links.failure_of(self._name, error) from error
        found = list(self._heard)
        self._heard.clear()
        return found

    def _note(self, one: psycopg.Notify) -> None:
        """Keep what came with the answer to a statement."""
        self._keep(one.pid, one.payload)

    def _keep(self, pid: int, payload: str) -> None:
        """Keep what was notified; what this connection has notified itself comes back to it, too, and is not news."""
        if self._connection is not None and pid != self._connection.pgconn.backend_pid:
            self._heard.append(payload)

    def notify(self, payloads: Sequence[str]) -> None:
        """Notify all who listen, in a transaction of its own for each. Raise `StoreError`."""
        for payload in payloads:
            self.execute(_NOTIFY, (CHANNEL, payload))

    # --- statements ---------------------------------------------------------------------------------------------------

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Rows:
        """Run a statement. Raise `StoreError`."""
        if self._connection is None and self._otherwise is not None:
            with self._otherwise.writing() as database:
                return database.execute(sql, parameters)
        return super().execute(sql, parameters)

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement at once. Raise `StoreError`."""
        self.execute(sql, parameters)

    def _sent(self, *statements: tuple[str, Sequence[object] | Mapping[str, object]]) -> list[Answer]:
        link = self._connected()
        if link.is_idle:
            link.until = monotonic() + BUSY_SECONDS
        try:
            return link.send(*((translated(sql).encode(), parameters) for sql, parameters in statements))
        except psycopg.Error as error:
            raise self._lost(error) from error

    @contextmanager
    def writing(self) -> Iterator["Direct"]:
        """Run a transaction: all of it happens, or, with any exception, nothing. Raise `StoreError`."""
        self._connected()
        self.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        try:
            yield self
            self.execute("COMMIT")
        except BaseException:
            if self._connection is not None and self._connection.is_answering:
                with suppress(StoreError):
                    self.execute("ROLLBACK")
            if self._connection is not None and not self._connection.is_idle:
                self.close()
            raise

    def _connected(self) -> Link:
        if self._connection is None:
            raise Unavailable(f"{self}: there is no connection")
        return self._connection

    def _lost(self, error: psycopg.Error) -> StoreError:
        """Return what is told of an error; a connection that is not ready for another statement is closed."""
        if self._connection is not None and not (self._connection.is_idle or self._connection.is_answering):
            self.close()
        return links.failure_of(self._name, error)
