"""The operations on one table about people who lose their line and come back: a seat is held, taken over, given up.

Owns what each of them asks of `engine.changes.absence`, as transactions; `GameTable.absence` has one. A seat is taken
over by one operation under the table's lock: the session in it is exchanged, and a bet goes back that the old session
may have left between ledger and table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.transaction import Cash, Transactions
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.table import Change, Clocks, Table


class Absence(Generic[StateT, MoveT, EventT, OptionsT]):
    """What one session does about absence at one table."""

    __slots__ = ("_clocks", "_directory", "_game", "_session", "_stakes", "_transactions", "_value")

    def __init__(
        self,
        game: Game[StateT, MoveT, EventT, OptionsT],
        value: TableCell[StateT, MoveT, EventT, OptionsT],
        transactions: Transactions[StateT, MoveT, EventT, OptionsT],
        stakes: Stakes,
        directory: Directory,
        clocks: Clocks,
        session: int,
    ) -> None:
        """`session` is this session's token."""
        self._game = game
        self._value = value
        self._transactions = transactions
        self._stakes = stakes
        self._directory = directory
        self._clocks = clocks
        self._session = session

    def is_held_for(self, user: int) -> bool:
        """Return whether a seat is held for a user whose older session has ended; without a lock.

        The value is decoded only where a session sits that is not in the directory. Raise one of `DAMAGED`.
        """
        header = self._value.header()
        if header is None or all(not token or self._directory.has(token) for token in header.seats):
            return False
        return rules_of_table.held_for(self._value.look(), user) is not None

    def hold(self, seconds: float, session: int | None = None, *, told: bool = True) -> None:
        """Keep the seat of this session, or of another one, for so long: its line is gone, or another one is coming.

        Do nothing if it sits nowhere here, or the BBS closes. Raise `LockTimeout`, or `StoreError` if a bet that this
        session could not see booked cannot be taken back now; then the seat is not held.
        """
        whose = self._session if session is None else session
        self._change(
            "hold",
            lambda table, now: rules_of_table.hold(table, whose, now, now + seconds, self._clocks, told=told),
        )

    def end_hold(self, user: int) -> bool:
        """End the time for which a seat is held for a user whose session has died; return whether one was held.

        The seat is due to be freed then. A session that lives is asked to end by others, and frees its seat itself.
        Raise `LockTimeout`, `StoreError`, one of `DAMAGED`.
        """
        header = self._value.header()
        if header is None or all(not token or self._directory.is_in(token) for token in header.seats):
            return False
        if not self._has_dead_holder(self._value.look(), user):
            return False

        def change(table: Table[StateT, EventT], now: float) -> Table[StateT, EventT]:
            return rules_of_table.end_hold(table, user, now) if self._has_dead_holder(table, user) else table

        self._change("end hold", change)
        return True

    def _has_dead_holder(self, table: Table[StateT, EventT], user: int) -> bool:
        """Return whether a seat is held for a user by a session that does not live any more."""
        seat = rules_of_table.held_for(table, user)
        who = None if seat is None else table.seats[seat]
        return who is not None and not self._directory.is_in(who.session)

    def line_back(self) -> None:
        """Note that this session's line is back, told to all. As `hold` otherwise."""
        self._change("back", lambda table, now: rules_of_table.line_back(table, self._session, now, self._clocks))

    def wake(self) -> None:
        """Note that this session's caller is awake, told to all if they were away. As `hold` otherwise."""
        self._change("wake", lambda table, now: rules_of_table.wake(table, self._session, now, self._clocks))

    def take_over(self, user: int) -> Table[StateT, EventT]:
        """Take over the seat that is held for a user, whatever became of the session that had it.

        Return the table's new value. Raise `IllegalMove` "not_seated" if none is held any more, `StoreError`,
        `LockTimeout`.
        """

        return self._transactions.carry_out(
            "take over", lambda table, cash, now: self.taken_over(table, user, now), Cash.NONE
        )

    def taken_over(self, table: Table[StateT, EventT], user: int, now: float) -> Change[StateT, EventT]:
        """Decide that; the table's lock is held."""
        seat = rules_of_table.held_for(table, user)
        if seat is not None and not rules_of_table.is_closing(table, self._game):
            table = self._stakes.take_back_unseen(table, seat)
        return Change(rules_of_table.take_over(table, user, self._session, now, self._clocks))

    def _change(self, verb: str, change: Callable[[Table[StateT, EventT], float], Table[StateT, EventT]]) -> None:
        try:
            self._transactions.carry_out(verb, lambda table, cash, now: Change(change(table, now)), Cash.NONE)
        except IllegalMove as refusal:
            if refusal.reason not in {"not_seated", "closing_down"}:
                raise
