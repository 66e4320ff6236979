"""A connection of its own to a PostgreSQL database, for the one process of a host that listens to the others.

Owns that connection: it must not lead through a pooler, since LISTEN belongs to it. Any failure closes it; the next
`open` makes another, which knows nothing of what was notified meanwhile. Statements are those of a store, with the
schema's tables by their bare names; outside of `writing` each is a transaction of its own.

While there is no connection, as when the server has as many as it takes, single statements go by another way if there
is one: that of the sessions, through a pooler.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Final

import psycopg

from yawc_poker.casino.cluster.layout import CLUSTER
from yawc_poker.casino.cluster.messages import CHANNEL
from yawc_poker.casino.store import link as links
from yawc_poker.casino.store.connection import (
    BUSY_SECONDS,
    Engine,
    Row,
    Rows,
    Statement,
    Store,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.store.dialect import translated
from yawc_poker.casino.store.link import Link

_NOTIFY: Final = "SELECT pg_notify(?, ?)"


class Direct:
    """A connection that listens; a `Connection` whose transactions are single statements, unless `writing` is used."""

    engine: Engine = "postgresql"
    for_update = " FOR UPDATE"

    def __init__(self, url: str, otherwise: Store | None = None) -> None:
        """`otherwise` is the other way. Nothing is opened yet. Raise `StoreError` for an URL that cannot be read."""
        self._url = url
        self._otherwise = otherwise
        self._link: Link | None = None
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
        return self._link is not None

    def open(self) -> bool:
        """Connect and listen, unless that is so; return whether it is a new connection. Raise `Unavailable`."""
        if self._link is not None:
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
            raise self._told(error) from error
        link.add_notify_handler(self._note)
        self._link = link
        return True

    def end(self) -> None:
        """Close the connection, and that of the other way."""
        self.close()
        if self._otherwise is not None:
            self._otherwise.close()

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._link is not None:
            with suppress(psycopg.Error):
                self._link.close()
            self._link = None

    def fileno(self) -> int:
        """Return the descriptor, readable when something was notified; -1: there is no connection."""
        return -1 if self._link is None else self._link.fileno()

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
            raise self._told(error) from error
        found = list(self._heard)
        self._heard.clear()
        return found

    def _note(self, one: psycopg.Notify) -> None:
        """Keep what came with the answer to a statement."""
        self._keep(one.pid, one.payload)

    def _keep(self, pid: int, payload: str) -> None:
        """Keep what was notified; what this connection has notified itself comes back to it, too, and is not news."""
        if self._link is not None and pid != self._link.pgconn.backend_pid:
            self._heard.append(payload)

    def notify(self, payloads: Sequence[str]) -> None:
        """Notify all who listen, in a transaction of its own for each. Raise `StoreError`."""
        for payload in payloads:
            self.execute(_NOTIFY, (CHANNEL, payload))

    # --- statements ---------------------------------------------------------------------------------------------------

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Rows:
        """Run a statement. Raise `StoreError`."""
        if self._link is None and self._otherwise is not None:
            with self._otherwise.writing() as database:
                return database.execute(sql, parameters)
        link = self._connected()
        if link.is_idle:
            link.until = monotonic() + BUSY_SECONDS
        try:
            return link.execute(translated(sql).encode(), parameters)
        except psycopg.Error as error:
            raise self._lost(error) from error

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        """Run a statement once for each row of parameters. Raise `StoreError`."""
        link = self._connected()
        if link.is_idle:
            link.until = monotonic() + BUSY_SECONDS
        try:
            link.cursor().executemany(translated(sql).encode(), parameters)
        except psycopg.Error as error:
            raise self._lost(error) from error

    def together(self, *queries: Statement) -> list[list[Row]]:
        """Run statements one after the other, and return the rows of each. Raise `StoreError`."""
        return [self.execute(sql, parameters).fetchall() for sql, parameters in queries]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement at once. Raise `StoreError`."""
        self.execute(sql, parameters)

    @contextmanager
    def writing(self) -> Iterator["Direct"]:
        """Run a transaction: all of it happens, or, with any exception, nothing. Raise `StoreError`."""
        self._connected()
        self.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        try:
            yield self
            self.execute("COMMIT")
        except BaseException:
            if self._link is not None and self._link.is_answering:
                with suppress(StoreError):
                    self.execute("ROLLBACK")
            if self._link is not None and not self._link.is_idle:
                self.close()
            raise

    def _connected(self) -> Link:
        if self._link is None:
            raise Unavailable(f"{self}: there is no connection")
        return self._link

    def _lost(self, error: psycopg.Error) -> StoreError:
        """Return what is told of an error; a connection that is not ready for another statement is closed."""
        if self._link is not None and not (self._link.is_idle or self._link.is_answering):
            self.close()
        return self._told(error)

    def _told(self, error: psycopg.Error) -> StoreError:
        later = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError))
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return (Unavailable if later else StoreError)(f"{self}: {lines[0]}")
