"""What a table has to have done before anybody acts, and after: removals, clocks that ran out, payouts.

Owns the steps of a table that no player asks for, and the way from any change to its commit: pay, commit, close.
Decides nothing itself (`engine.table` does, by the value), takes no lock and rings nobody: `tables` holds the table's
lock around every method here, and tells the others after. Whoever is killed in between leaves what the next one
finishes.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Generic

from yawc_poker.casino import counters
from yawc_poker.casino.bank.ledger import GameClosed
from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.store import StoreError
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.game import Chance, EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.next_deck import prepared
from yawc_poker.engine.table import Change, Clocks, Seat, Table

log = logging.getLogger(__name__)


class Upkeep(Generic[StateT, MoveT, EventT, OptionsT]):
    """One table's upkeep by one session."""

    __slots__ = (
        "_chance",
        "_clock",
        "_clocks",
        "_directory",
        "_game",
        "_notifier",
        "_number",
        "_stakes",
        "_tally",
        "_value",
    )

    def __init__(
        self,
        number: int,
        game: Game[StateT, MoveT, EventT, OptionsT],
        value: TableCell[StateT, MoveT, EventT, OptionsT],
        stakes: Stakes,
        directory: Directory,
        notifier: Notifier,
        clocks: Clocks,
        chance: Chance,
        clock: Callable[[], float],
    ) -> None:
        self._number = number
        self._game = game
        self._value = value
        self._stakes = stakes
        self._directory = directory
        self._notifier = notifier
        self._tally = notifier.tally
        self._clocks = clocks
        self._chance = chance
        self._clock = clock

    def remake(self, error: Exception) -> Table[StateT, EventT]:
        """Call off what goes on at a table whose value is damaged, and make the table anew, with nobody at it.

        Stakes go back first, by the ledger: should we die in between, the value is still damaged, and leads the next
        one here again.
        """
        log.warning("table %d was damaged and is made anew: %s", self._number + 1, error)
        table = rules_of_table.empty(self._game)
        self._stakes.refund_unknown(table)
        table = self._value.remake(table)
        self._tally.count(counters.CALLED_OFF)
        return table

    def care(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Finish what was left unfinished, remove the dead, serve a clock that ran out."""
        table = self.resume(table)
        try:
            table = self.clear_up(table)
            for seat, who in enumerate(table.seats):
                if who is not None and not self._directory.lives(who.session):
                    table = self._remove(table, seat, who)
        except StoreError as error:
            log.error("table %d: a stake or bet could not go back yet: %s", self._number + 1, error)
            return table
        return self.expire(table)

    def _remove(self, table: Table[StateT, EventT], seat: int, who: Seat) -> Table[StateT, EventT]:
        """Free the seat of a dead session. One that was killed for a lock gets its stake back; raises `StoreError`.

        Only then: a stake is given back before its seat is freed, or the seat waits.
        """
        self._stakes.refund_unknown(table)
        plays = table.game is not None and self._game.competes(table.game, seat)
        back = self._stakes.give_back(table, seat) if plays and self._directory.was_put_out(who.session) else None
        cash = self._stakes.cash_or_known(table)
        now = self._clock()
        change = rules_of_table.leave(
            table, self._game, who.session, now, self._clocks, removed=True, cash=cash, back=back
        )
        table = self.complete(table, change)
        log.info("table %d: %r is gone and was removed", self._number + 1, who.name)
        if back is not None:
            log.warning(
                "table %d: %r was put out for a lock; %d CUBES went back", self._number + 1, who.name, back.amount
            )
        self._tally.count(counters.PURGED)
        return table

    def clear_up(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Have a bet go back of which this session could not see whether it was booked; raises `StoreError`."""
        if not self._stakes.is_unsure:
            return table
        cleared = self._stakes.clear_up(table)
        return table if cleared.pot == table.pot else self._value.commit(cleared)

    def reinstate(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Remove those who were killed for a lock before anything else happens: it might end the game they were in."""
        for seat, who in enumerate(table.seats):
            if who is not None and who.session != self._notifier.token and self._directory.is_put_out(who.session):
                table = self._remove(table, seat, who)
        return table

    def expire(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Do what a clock does that has run out."""
        now = self._clock()
        if table.deadline is None or now < table.deadline or rules_of_table.is_closing(table, self._game):
            return table
        cash = self._stakes.cash_or_known(table)
        change = rules_of_table.expire(table, self._game, now, self._chance, cash, self._clocks)
        if change is None:
            return table
        table = self.complete(table, change)
        self._tally.count(counters.TIMEOUTS)
        return table

    def complete(
        self, before: Table[StateT, EventT], change: Change[StateT, EventT], known: Mapping[int, int] | None = None
    ) -> Table[StateT, EventT]:
        """Move the money of a change, commit it, and close the game if that decided it. The lock is held.

        Raises `Outdated`, if somebody does not own what is `known` of his seat, and `IllegalMove`; then nothing has
        changed.
        """
        try:
            table = self._stakes.pay(before, change, known)
        except GameClosed as error:
            return self._call_off(before, error)
        if before.override or not rules_of_table.is_closing(table, self._game):
            return self._commit(table)
        return self._close(self._commit(rules_of_table.claim(table, self._notifier.token)))

    def _commit(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Commit a value, with a deck sealed for the next game where there is none."""
        return self._value.commit(prepared(table, self._game, self._chance))

    def _close(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Pay out and end a decided game whose override is this session's; stay closing if the bank cannot."""
        try:
            paid = self._stakes.settle(table)
        except GameClosed as error:
            return self._call_off(table, error)
        if paid is None:
            return table
        cash = self._stakes.cash_or_known(table)
        table = self._commit(rules_of_table.finish(table, self._game, self._clock(), self._clocks, cash, paid))
        self._tally.count(counters.FINISHED)
        return table

    def _call_off(self, table: Table[StateT, EventT], error: GameClosed) -> Table[StateT, EventT]:
        """Drop a game that the ledger has closed behind the table's back, as a restored backup does; it decides."""
        log.error("table %d: game %d is called off: %s", self._number + 1, table.number, error)
        self._stakes.keep_rest(table)
        table = self._commit(rules_of_table.void(table, "ledger", self._clock(), self._clocks))
        self._tally.count(counters.CALLED_OFF)
        return table

    def resume(self, table: Table[StateT, EventT]) -> Table[StateT, EventT]:
        """Finish a closing that was left unfinished: one's own, or that of a session that is no longer here or stopped.

        The lock is ours, so nobody is at it: its session waits for the bank, if it can.
        """
        if not rules_of_table.is_closing(table, self._game):
            return table
        mine = self._notifier.token
        holder = table.override
        abandoned = rules_of_table.seat_of(table, holder) is None or not self._directory.acts(holder)
        if holder not in {0, mine} and not abandoned:
            return table
        if holder not in {0, mine}:
            log.info("table %d: took over the closing of game %d", self._number + 1, table.number)
        return self._close(self._commit(rules_of_table.claim(table, mine)))
