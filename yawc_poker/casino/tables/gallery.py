"""What sessions that look on at a table do there, and what those who sit do about them. Every change is a transaction.

Owns coming and going beside a table, and the operations of talking; who may do which decides `engine.onlookers`
by the table's value. An on-looker holds nothing of the table: no seat, no clock, no CUBES.
"""

from collections.abc import Callable

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext
from yawc_poker.casino.tables.transaction import GALLERY, Cash, Transactions
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.values import AWAY, AnyTable, Change


class Gallery:
    """The place beside one table, as one session uses it."""

    def __init__(self, context: TableContext, value: TableCell, transactions: Transactions) -> None:
        self._context, self._value, self._transactions = context, value, transactions
        self._onlookers = Onlookers(context.segment, context.number)

    @property
    def state(self) -> int:
        """0: nobody looks on. Else a number that is another one after each coming and going; one word to read."""
        return self._onlookers.state

    def names(self) -> tuple[str, ...]:
        """Return the names of those who look on."""
        return self._onlookers.names()

    # --- coming and going ---------------------------------------------------------------------------------------------

    def come(self) -> None:
        """Look on from now on: every commit after this wakes this session. Those who sit here are told."""
        self._onlookers.come(self._context.notifier.own)
        self._tell()

    def go(self) -> None:
        """Look on no more, and stand at the prompt; those who sit here are told."""
        self._onlookers.go(self._context.notifier.own)
        self._tell()

    def _tell(self) -> None:
        """Wake all who show the names of those who look on; a table that cannot be read now shows them a tick later."""
        header = self._value.header()
        seated = () if header is None else header.seats
        there = [index_of(session) for session in seated if session != AWAY]
        beside = self._onlookers.indexes()
        self._context.notifier.rouse([*there, *beside])
        self._context.notifier.woken += len(there) + len(beside)

    # --- talking ------------------------------------------------------------------------------------------------------

    def let_speak(self, *, on: bool) -> None:
        """Let on-lookers speak to the table, or not, as its master.

        Raise `IllegalMove`, `LockTimeout`, `StoreError`.
        """
        self._change("watchers", lambda table: rules_of_table.let_speak(table, self._context.session, on=on))

    def speak(self, name: str, text: str) -> None:
        """Send a line to everybody at the table and beside it; raise `IllegalMove` "gallery_closed" and as above."""
        self._change("chat", lambda table: rules_of_table.speak(table, self._context.session, name, text))
        self._said()

    def murmur(self, name: str, text: str) -> None:
        """Send a line to those who look on, and to nobody else; raise `LockTimeout`, `StoreError`."""
        self._change(GALLERY, lambda table: rules_of_table.murmur(table, self._context.session, name, text))
        self._said()

    def _said(self) -> None:
        """Count a line; an on-looker pays for the others whom it wakes, of whom there may be hundreds."""
        self._context.notifier.tally.count(counters.CHAT)
        self._context.notifier.woken += len(self._onlookers.indexes())

    def _change(self, verb: str, change: Callable[[AnyTable], AnyTable]) -> None:
        self._transactions.carry_out(verb, lambda table, cash, now: Change(change(table)), Cash.NONE)
