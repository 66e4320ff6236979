"""What sessions that look on at a table do there, and what those who sit do about them. Every change is a transaction.

Owns coming and going beside a table, and the operations of talking; who may do which decides `engine.changes.onlookers`
by the table's value. An on-looker holds nothing of the table: no seat, no clock, no CUBES.
"""

from collections.abc import Callable
from typing import Generic

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.transaction import GALLERY, Cash, Transactions
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.table import AWAY, Change, Table


class Gallery(Generic[StateT, MoveT, EventT, OptionsT]):
    """The place beside one table, as one session uses it."""

    def __init__(
        self,
        onlookers: Onlookers,
        value: TableCell[StateT, MoveT, EventT, OptionsT],
        transactions: Transactions[StateT, MoveT, EventT, OptionsT],
        notifier: Notifier,
    ) -> None:
        self._onlookers = onlookers
        self._value = value
        self._transactions = transactions
        self._notifier = notifier

    @property
    def state(self) -> int:
        """0: nobody looks on. Else a number that is another one after each coming and going; one word to read."""
        return self._onlookers.state

    def names(self) -> tuple[str, ...]:
        """Return the names of those who look on."""
        return self._onlookers.names()

    def unchanged_words(self, commit: int) -> dict[int, int]:
        """Return the words, by place in the segment, by whose values an on-looker sees that there is nothing new.

        `commit` is the newest one that they have seen.
        """
        return self._notifier.own.unchanged_words() | self._value.unchanged_words(commit)

    # --- coming and going ---------------------------------------------------------------------------------------------

    def come(self) -> None:
        """Look on from now on: every commit after this wakes this session. Those who sit here are told."""
        self._onlookers.come(self._notifier.own)
        self._tell()

    def go(self) -> None:
        """Look on no more, and stand at the prompt; those who sit here are told."""
        self._onlookers.go(self._notifier.own)
        self._tell()

    def _tell(self) -> None:
        """Wake all who show the names of those who look on; a table that cannot be read now shows them a tick later."""
        header = self._value.header()
        seated = () if header is None else header.seats
        there = [index_of(session) for session in seated if session != AWAY]
        beside = self._onlookers.indexes()
        self._notifier.rouse([*there, *beside])
        self._notifier.woken += len(there) + len(beside)

    # --- talking ------------------------------------------------------------------------------------------------------

    def let_speak(self, *, on: bool) -> None:
        """Let on-lookers speak to the table, or not, as its master.

        Raise `IllegalMove`, `LockTimeout`, `StoreError`.
        """
        self._change("watchers", lambda table: rules_of_table.let_speak(table, self._notifier.token, on=on))

    def speak(self, name: str, text: str) -> None:
        """Send a line to everybody at the table and beside it; raise `IllegalMove` "gallery_closed" and as above."""
        self._change("chat", lambda table: rules_of_table.speak(table, self._notifier.token, name, text))
        self._said()

    def murmur(self, name: str, text: str) -> None:
        """Send a line to those who look on, and to nobody else; raise `LockTimeout`, `StoreError`."""
        self._change(GALLERY, lambda table: rules_of_table.murmur(table, self._notifier.token, name, text))
        self._said()

    def _said(self) -> None:
        """Count a line; an on-looker pays for the others whom it wakes, of whom there may be hundreds."""
        self._notifier.tally.count(counters.CHAT)
        self._notifier.woken += len(self._onlookers.indexes())

    def _change(self, verb: str, change: Callable[[Table[StateT, EventT]], Table[StateT, EventT]]) -> None:
        self._transactions.carry_out(verb, lambda table, cash, now: Change(change(table)), Cash.NONE)
