"""A table's value where several hosts share it: in a row of the database, with a copy in the cell of each host.

Owns the transaction in which both change, on a host that is one of several (`[cluster] host`):

    lock the table (the caller does) - one transaction of the database, which shows that the host's lease stands - lock
    the row - take over a newer value - the rules, and the bank's transactions as parts of that one - the row's next
    value - COMMIT - the cell, under the row's version - unlock

Every commit of a table between the locks only changes what the row gets at the end. So ledger and table change in one
moment: there is no bet that the table never saw, and a game's override is set and cleared within a transaction, where
no other process meets it. A step that the rules refuse takes nothing back of what was due before it.

Crash safety: killed before the COMMIT, nothing has happened on any host. After it, the cell is behind its row: the next
transaction of this host, or its courier, takes the row over. A COMMIT without an answer is looked for in the row, by
the version that it was to have; where that cannot be seen, the row decides as soon as it can be read. A cell that is
damaged is taken from its row. A row with fewer commits than the cell is that of a database that was put back, or of a
replica that lagged: what this host's sessions know was lost, so the host is cut off, and begins anew by the rows.

Moments in a row are epoch seconds of the database's clock; in a cell they are those of this host's clock, as ever.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import DecodeError

from yawc_poker.casino.store.connection import Fenced, StoreError, Unavailable
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell, header_of
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable, moved, not_before
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.table_rows import TableRow, commits, next_version

if TYPE_CHECKING:  # it needs psycopg, which is loaded where a database is configured
    from yawc_poker.extras.cluster.server.postgres import JointStatements

log = logging.getLogger(__name__)


class _Opened:
    """What is known in a transaction that is open."""

    __slots__ = ("before", "is_from_row", "is_written", "table", "version")

    def __init__(self, version: int, table: AnyTable, *, is_from_row: bool) -> None:
        self.version = version
        self.before = self.table = table
        self.is_from_row = is_from_row
        """The cell was behind, or damaged."""
        self.is_written = False
        """The row is to get its next value."""

    @property
    def is_changed(self) -> bool:
        return self.table is not self.before


class SharedCell(TableCell):
    """One table's row and this host's copy of it, as one session sees them."""

    __slots__ = ("_clock", "_has_news", "_here", "_lease", "_opened", "_place")

    def __init__(self, context: TableContext, rules: TableRules, lease: float) -> None:
        """`lease` is the length of one in seconds."""
        super().__init__(context, rules)
        self._place = TableRow(context.stakes.store, context.number)
        self._here = ClusteredHost(context.segment.head)
        self._clock = context.clock
        self._lease = lease
        self._opened: _Opened | None = None
        self._has_news = False

    @property
    def is_atomic(self) -> bool:
        """Whether a transaction changes ledger and table in one moment, or nothing."""
        return True

    @property
    def has_news(self) -> bool:
        """Whether the last transaction, or look at the row, brought a value from it that was not in the cell."""
        return self._has_news

    @property
    def no_clock_before(self) -> float:
        """The moment, by this host's clock, before which no clock runs out.

        While the database could not be reached nobody could act, so for the length of a lease after that everybody may.
        """
        back = self._here.back_since
        return back + self._lease if back else 0.0

    # --- reading ------------------------------------------------------------------------------------------------------

    def look(self) -> AnyTable:
        """Return the table's value: in a transaction that one's, else the cell's. Raise one of `DAMAGED`."""
        return super().look() if self._opened is None else self._opened.table

    def take_over(self, row: tuple[int, bytes] | None = None) -> set[int] | None:
        """Take the row over if it is not what the cell has; return the sessions that sat or sit there, None: it is.

        `row` is its version and value, if the caller has read them. The table's lock is held, so only other hosts can
        change the row meanwhile. A row that has fewer commits is taken over only while the host is cut off. Raise
        `StoreError`.
        """
        self._has_news = False
        number = self._cell.number
        if row is None or row[0] < number:  # it was read before this host's last commit, or the database was put back
            row = self._place.read()
        version, value = row
        if version == number:
            return None
        self._refuse_older(version, number)
        before, table = self.header(), self._local(value)
        self._take(version, table)
        self._has_news = True
        sessions = {who.session for who in table.seats if who is not None}
        return sessions if before is None else sessions.union(before.seats) - {0}

    # --- a transaction ------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change row and cell as one at the end of the block; the table's lock is held.

        With `IllegalMove` what the block had committed before stays, with any other exception nothing. Raise
        `StoreError`, and then nothing was changed anywhere, unless it is `maybe_done`.
        """
        if self._here.is_cut_off:
            raise Fenced("this host has no lease, or settles what nobody plays before it begins anew")
        self._has_news = False
        refusal: IllegalMove | None = None
        opened: _Opened | None = None
        known = self._cell.number
        try:
            with self._place.joint(known) as joint:
                opened = self._opened = self._open(joint, known)
                try:
                    yield
                except IllegalMove as error:
                    refusal = error
                finally:
                    self._opened = None
                if opened.is_changed:
                    self._write(joint, opened)
        except StoreError as error:
            if opened is None or not self._was_done(opened, error):
                raise
        if opened.is_changed or opened.is_from_row:
            self._take(opened.version, opened.table)
            self._has_news = opened.is_from_row
        if refusal is not None:
            raise refusal

    def commit(self, table: AnyTable) -> AnyTable:
        """Make this what the row gets at the end of the transaction, and return it."""
        assert self._opened is not None, "a table that hosts share is committed in a transaction"
        self._opened.table = table
        return table

    def remake(self, table: AnyTable) -> AnyTable:
        """Do the same: a damaged cell is taken from its row, so no table is ever made anew."""
        return self.commit(table)

    def _open(self, joint: "JointStatements", known: int) -> _Opened:
        """Return the newest value, of the row or of the cell, if that has the row's version and can be read."""
        version, value = joint.found[0] if joint.found else self._place.made(joint)
        self._refuse_older(version, known)
        table = self._own_copy() if version == known else None
        is_from_row = table is None
        if table is None:
            table = self._local(self._place.read(joint)[1] if value is None else value)
        until = self.no_clock_before
        if self._clock() < until:
            table = not_before(table, until)
        return _Opened(version, table, is_from_row=is_from_row)

    def _refuse_older(self, version: int, known: int) -> None:
        """Raise `Fenced` for a row that has fewer commits than the cell, and have this host begin anew.

        While it does so, every row counts.
        """
        here = self._here
        if here.is_cut_off or commits(version) >= commits(known):
            return
        log.error("table %s: its row is older than what was played here", self._cell.name)
        here.fenced = here.epoch
        raise Fenced("the database is not what it was: this host begins anew")

    def _own_copy(self) -> AnyTable | None:
        try:
            return super().look()
        except DAMAGED:
            return None

    def _write(self, joint: "JointStatements", opened: _Opened) -> None:
        value = self._codec.encode(moved(opened.table, self._offset()))
        self._cell.refuse_unfit(header_of(opened.table, self._game), value)  # as many bytes as the cell will get
        opened.version = next_version(opened.version)
        self._place.write(joint, opened.version, value)
        opened.is_written = True

    def _was_done(self, opened: _Opened, error: StoreError) -> bool:
        """Return whether a transaction was done all the same; note in the error if it was not."""
        if not error.maybe_done or not opened.is_written:
            return False
        done = self._place.was_done(opened.version)
        error.maybe_done = error.is_whole = done is None
        return done is True

    # --- between row and cell -----------------------------------------------------------------------------------------

    def _take(self, version: int, table: AnyTable) -> None:
        self._cell.take(version, header_of(table, self._game), self._codec.encode(table))
        self._keep(version, table)

    def _local(self, value: bytes) -> AnyTable:
        """Return what a row's value says here. Raise `StoreError` if this program cannot read it."""
        if not value:
            return rules_of_table.empty(self._game)
        try:
            table = self._codec.decode(value)
        except DecodeError as error:
            raise StoreError(f"table {self._cell.name}: its row cannot be read: {error}") from error
        return moved(table, -self._offset())

    def _offset(self) -> float:
        """Return the seconds from this host's clock to the database's. Raise `Unavailable` if that is not known yet."""
        if offset := self._here.offset:
            return offset
        raise Unavailable("the clock of the database is not known yet")
