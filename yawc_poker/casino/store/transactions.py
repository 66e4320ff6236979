"""Transactions on a PostgreSQL database, as contexts: single ones, and joint ones, of which others are parts.

Owns how a transaction begins, ends and fails; which connection it runs on is the store's (`postgres`). Invariants:

* One that cannot be rolled back ends with its connection.
* A part of a joint transaction happens as a whole or not at all: what it wrote before it was refused is undone, back to
  a savepoint that it found or set before it wrote first. A part that only reads, or is refused before it wrote, costs
  nothing of that.
* Where a statement fails, the joint transaction has failed: it ends by that error, whoever caught it meanwhile, and
  nothing of it has happened.
* What a part locks stays locked until the joint transaction ends. Where two of these wait for each other, the server
  ends one of them: that is a statement that failed.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final

import psycopg

from yawc_poker.casino.store.connection import BUSY_SECONDS, Engine, Row, Rows, Statement, StoreError
from yawc_poker.casino.store.dialect import translated
from yawc_poker.casino.store.link import Link

if TYPE_CHECKING:
    from yawc_poker.casino.store.postgres import PostgresStore

FOR_UPDATE: Final = " FOR UPDATE"
SET_MARK: Final = b"SAVEPOINT part"
_BACK_TO_MARK: Final = b"ROLLBACK TO SAVEPOINT part"


class Statements:
    """An open transaction, or a copy."""

    engine: Engine = "postgresql"

    def __init__(self, store: "PostgresStore", link: Link, for_update: str) -> None:
        self.for_update = for_update
        self._store = store
        self._link = link

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Rows:
        """Run a statement. Raise `StoreError`."""
        (found,) = self._sent((sql, parameters))
        return found

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        """Run a statement once for each row of parameters. Raise `StoreError`."""
        if rows := [(sql, row) for row in parameters]:
            self._sent(*rows)

    def together(self, *queries: Statement) -> list[list[Row]]:
        """Run statements by one message, one after the other, and return the rows of each. Raise `StoreError`."""
        return [one.fetchall() if one.description is not None else [] for one in self._sent(*queries)]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement with the next one, or at the end."""
        self._link.waiting.append((translated(sql).encode(), parameters))

    def _sent(self, *statements: tuple[str, Sequence[object] | Mapping[str, object]]) -> list[psycopg.Cursor[Row]]:
        try:
            return self._link.send(*((translated(sql).encode(), parameters) for sql, parameters in statements))
        except psycopg.Error as error:
            raise self._store.told(error) from error


class Snapshot(Statements):
    """The tables as they were at one moment, by a connection of their own."""

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


class Transaction:
    """One transaction."""

    __slots__ = ("_begin", "_for_update", "_link", "_store", "found")

    _link: Link
    found: list[list[Row]]
    """The rows of each query that it began with; empty where it began with none."""

    def __init__(self, store: "PostgresStore", begin: bytes, for_update: str) -> None:
        self._store = store
        self._begin = begin
        self._for_update = for_update

    def __enter__(self) -> Statements:
        self._open()
        return Statements(self._store, self._link, self._for_update)

    def _open(self) -> None:
        self._store.lock.__enter__()
        try:
            self._link, self.found = self._store.begun(self._begin)
        except BaseException as error:
            self._store.lock.__exit__(None, None, None)
            self._tell(error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._commit()
                return
            self._roll_back()
        finally:
            self._store.lock.__exit__(None, None, None)
        self._tell(error)

    def _commit(self) -> None:
        self._link.until = max(self._link.until, monotonic() + BUSY_SECONDS)
        try:
            (ended,) = (one.statusmessage for one in self._link.send((b"COMMIT", None)))
        except BaseException as failed:
            if self._link.is_answering:  # a statement that went with it was refused
                self._roll_back()
                self._tell(failed)
                raise
            self._store.close()
            told = self._store.told(failed)
            if not isinstance(told, StoreError):
                raise
            told.maybe_done = True
            raise told from failed
        if ended != "COMMIT":  # a statement had failed, and nobody let that end the block
            self._tell(StoreError(f"{self._store}: the transaction had failed before its end"))

    def _roll_back(self) -> None:
        self._link.waiting.clear()
        if self._link.is_answering:
            self._link.until = max(self._link.until, monotonic() + BUSY_SECONDS / 2)
            with suppress(psycopg.Error):
                self._link.execute(b"ROLLBACK")
        if not self._link.is_idle:
            self._store.close()

    def _tell(self, error: BaseException) -> None:
        """Raise the error that this one is mapped to, if that is another one."""
        if (told := self._store.told(error)) is not error:
            raise told from error


# --- joint ones -------------------------------------------------------------------------------------------------------


class JointStatements(Statements):
    """An open joint transaction, or the part that is open in it."""

    def __init__(self, joint: "JointTransaction", store: "PostgresStore", link: Link, for_update: str) -> None:
        super().__init__(store, link, for_update)
        self._joint = joint

    @property
    def found(self) -> list[Row]:
        """The rows of the query that the joint transaction began with."""
        return self._joint.found[-1]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement with the next one, or at the end. Raise `StoreError` if the joint transaction has failed."""
        self._joint.prepare(is_read=False)
        super().later(sql, parameters)

    def _sent(self, *statements: tuple[str, Sequence[object] | Mapping[str, object]]) -> list[psycopg.Cursor[Row]]:
        """If a statement fails, the joint transaction has failed."""
        self._joint.prepare(is_read=all(sql.lstrip()[:6].upper() == "SELECT" for sql, _ in statements))
        try:
            return super()._sent(*statements)
        except StoreError as error:
            self._joint.failure = error
            raise


class JointTransaction(Transaction):
    """A transaction of which the store's other transactions are parts until it ends. It begins with a query.

    One that has written nothing is rolled back at its end: that spares the server the disk.
    """

    __slots__ = ("_has_written", "_part_has_written", "_part_is_open", "failure")

    def __init__(self, store: "PostgresStore", begin: bytes) -> None:
        super().__init__(store, begin + b"; " + SET_MARK, FOR_UPDATE)
        self.failure: StoreError | None = None
        """What a statement failed by."""
        self._has_written = False
        self._part_is_open = False
        self._part_has_written = False

    def __enter__(self) -> JointStatements:
        self._open()
        self._store.joined = self
        return self._statements(FOR_UPDATE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.joined = None
        super().__exit__(kind, error or self.failure, trace)
        if error is None and self.failure is not None:
            raise self.failure

    def _commit(self) -> None:
        if self._has_written:
            super()._commit()
        else:
            self._roll_back()

    def _statements(self, for_update: str) -> JointStatements:
        return JointStatements(self, self._store, self._link, for_update)

    def prepare(self, *, is_read: bool) -> None:
        """Make ready for a statement. Raise the error by which an earlier one has failed.

        Before the first one that writes in a part there is a savepoint: the newest one, if nothing was written since.
        """
        if self.failure is not None:
            raise self.failure
        if is_read:
            return
        if self._part_is_open and not self._part_has_written:
            self._part_has_written = True
            if self._has_written:
                self._link.waiting.append((SET_MARK, None))
        self._has_written = True

    def begin_part(self, for_update: str) -> JointStatements:
        """Begin a part. Raise `StoreError` if one is open: transactions are never nested."""
        if self._part_is_open:
            raise StoreError(f"{self._store}: a transaction is open already")
        if self.failure is not None:
            raise self.failure
        self._part_is_open, self._part_has_written = True, False
        return self._statements(for_update)

    def end_part(self, error: BaseException | None) -> None:
        """End a part; with an error it has not happened. Raise the error that this one is mapped to, if another one."""
        self._part_is_open = False
        if error is None:
            return
        if self._part_has_written and self.failure is None:
            self._link.waiting.append((_BACK_TO_MARK, None))
        self._tell(error)


class Part:
    """One of a store's transactions, as a part of the joint one that is open.

    One that only reads sees what is committed by the time of each of its statements, and what was written before it in
    the joint transaction.
    """

    __slots__ = ("_for_update", "_joint")

    def __init__(self, joint: JointTransaction, for_update: str) -> None:
        self._joint = joint
        self._for_update = for_update

    def __enter__(self) -> Statements:
        return self._joint.begin_part(self._for_update)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._joint.end_part(error)
