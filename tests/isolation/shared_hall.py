"""One host of several, with the sessions of a test: its tables are rows in PostgreSQL, and its cells copies of them.

There is no courier: `catch_up` does by one of the sessions what a courier does for tables at each of its ticks.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.isolation.sessions import CONFIG, POKER, Hall, Hands, Session
from yawc_poker.casino.bank.audit import Figures
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.values import Table
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.extras.cluster.table_rows import TableRow
from yawc_poker.games.poker.game import RULES as POKER_RULES
from yawc_poker.games.poker.model import Event, State
from yawc_poker.registry.games import POKER_TABLES

HOSTS = 2


class SharedHall(Hall):
    """Such a host. What it says of the table is what the row says, as every host will see it.

    The row is locked for that: so a transaction is waited for whose process was killed, until the server has ended it.
    """

    def __init__(self, data: Path, url: str, hands: type[Hands]) -> None:
        """`url` is that of a database with the layouts of bank and users."""
        super().__init__(data, CONFIG.having(ClusterSettings(database=url, host="north", hosts=HOSTS)), hands)

    def __enter__(self) -> Self:
        super().__enter__()
        self._store = self.foundation.databases.books()
        self._place = TableRow(self._store, POKER)
        self._looker = self.foundation.databases.bank_to_look_at()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with closing(self._store), closing(self._looker):
            super().__exit__(kind, error, trace)

    @contextmanager
    def bank_to_look_at(self) -> Iterator[Bank]:
        """Yield it: the same one each time, since a connection takes longer than most looks."""
        yield self._looker

    @property
    def row(self) -> tuple[int, bytes]:
        """Version and value of the table's row."""
        with self._place.joint(known=-1) as joint:
            ((version, value),) = joint.found
        return int(version), bytes(value)

    @property
    def table(self) -> Table[State, Event]:
        """The table; moments are those of the database's clock."""
        _, value = self.row
        return POKER_TABLES.codec.decode(value) if value else rules_of_table.empty(POKER_RULES)

    def money(self) -> Figures:
        """Return the books in numbers, with what is under way."""
        assert self.row, "waited for"
        return super().money()

    def lag(self) -> int:
        """Return 0: ledger and table change as one, and nobody ever sees an override set.

        Nor does it matter to those who look that the cell may be behind: they find a whole value.
        """
        table, pots = self.table, self.money().pots
        assert (table.pot, table.override) == (pots, 0)
        assert self.header.override == super().table.override == 0
        return 0

    def catch_up(self, people: Sequence[Session]) -> None:
        """Bring the row into the cell, where a dead session may have left it behind, and have all look after it."""
        assert people[0]("take rows over") == "ok"
        for person in people:
            assert person("look after all") == "ok"
        assert self.commits == self.row[0]
