"""A table's value in its cell: read without a lock, decoded once a commit, and committed with its header.

Owns the way between a value that the rules understand and the bytes in shared memory, and this session's cache of the
last commit. Never decides, takes no lock: the table's is held by the process that commits (`transaction`). Invariants:

- Header and value of a commit agree: the header is made from the value here, and nowhere else.
- The cached value is the cell's under that commit's number, so a look costs one word while nothing changed. Only the
  table where this session sits is cached: by-standers look seldom, and a value is large.

Where several hosts share a table, an extra has another class for it, which is a copy of what they share.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Final

from msgspec import DecodeError

from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.absence import due_at
from yawc_poker.engine.game import EventT, Rules, StateT
from yawc_poker.engine.kept import wanted
from yawc_poker.engine.values import AnyTable, Table, seat_of
from yawc_poker.ipc.cell import Header, TornRead

DAMAGED: Final = (TornRead, DecodeError)
"""The errors of a value that cannot be read because the memory was overwritten."""


_ALONE: Final[AbstractContextManager[None]] = nullcontext()


def header_of(table: Table[StateT, EventT], game: Rules[StateT, EventT]) -> Header:
    """Return the part of a table's value that every process reads without decoding it."""
    return Header(
        master=table.master,
        current=None if table.game is None else game.to_move(table.game),
        pot=table.pot,
        override=table.override,
        game=table.number,
        deadline=due_at(table),
        seats=tuple([0 if who is None else who.session for who in table.seats]),
        invited=len(wanted(table)),
    )


class TableCell:
    """One table's cell, as one session sees it."""

    __slots__ = ("_cell", "_codec", "_game", "_newest", "_session")  # a session has one for every table it came by

    def __init__(self, context: TableContext, rules: TableRules) -> None:
        self._cell, self._session = context.cell, context.session
        self._game, self._codec = rules.game, rules.codec
        self._newest: tuple[int, AnyTable] | None = None
        """The last commit that was seen or made, with its number, if this session sits at the table."""

    def look(self) -> AnyTable:
        """Return the table's value, read without a lock; while this session sits there, each commit is decoded once.

        Raise one of `DAMAGED` if it cannot be read.
        """
        if self._newest is not None and self._newest[0] == self._cell.number:
            return self._newest[1]
        number, _, value = self._cell.read()
        table = self._codec.decode(value) if value else rules_of_table.empty(self._game)
        self._keep(number, table)
        return table

    def header(self) -> Header | None:
        """Return the header, read without a lock; None where it is damaged, and then the value is read anew as well."""
        try:
            return self._cell.header()
        except TornRead:
            self.forget()
            return None

    def unchanged_words(self, commit: int) -> dict[int, int]:
        """Return the word, by its place in the segment, whose value says that this is the newest commit."""
        return {self._cell.base: commit}

    def forget(self) -> None:
        """Read anew at the next look, whatever the commit number: the memory may be damaged."""
        self._newest = None

    def transaction(self) -> AbstractContextManager[None]:
        """Return the context of an operation; the table's lock is held. Here each commit counts by itself."""
        return _ALONE

    @property
    def is_atomic(self) -> bool:
        """Whether a transaction changes ledger and table in one moment, or nothing: then none of its steps shows."""
        return False

    @property
    def has_news(self) -> bool:
        """Whether the last transaction brought a value that another host has committed; there is none."""
        return False

    @property
    def no_clock_before(self) -> float:
        """The monotonic second before which no clock of the table runs out; 0.0: each does in its time."""
        return 0.0

    def take_over(self, row: tuple[int, bytes] | None = None) -> set[int] | None:
        """Take over what another host has committed: there is none."""
        return None

    def commit(self, table: AnyTable) -> AnyTable:
        """Make this the table's value, for everybody, and return it. The table's lock is held."""
        self._keep(self._cell.commit(header_of(table, self._game), self._codec.encode(table)), table)
        return table

    def remake(self, table: AnyTable) -> AnyTable:
        """Do the same to a damaged cell. The table's lock is held."""
        self._keep(self._cell.remake(header_of(table, self._game), self._codec.encode(table)), table)
        return table

    def _keep(self, number: int, table: AnyTable) -> None:
        sits = seat_of(table, self._session) is not None
        self._newest = (number, table) if sits else None
