"""A transaction on a table, in the order that keeps money and table together:

    lock the table - load its value - the rules' opinion - the ledger - commit - unlock - wake the others

Owns that order, and the way an operation learns what everybody owns. It is given an operation's decision as a function;
what has to be done before and after one is `upkeep`'s. Never draws, knows no rule of any game.

Crash safety, step by step (if the process is killed, SEM_UNDO frees the lock, and the commit number names a whole
half):

- before the ledger: nothing has happened.
- between ledger and commit: the money is in the pot's account, the table does not know. A dead player who has bet is
  purged and the money stays in the pot, as the rules want; the account's balance is paid out. A game that the ledger
  knows and no table is refunded by the process that purges its dead master (`Stakes.refund_unknown`).
- between the commit of the decided game (with `override`) and its end: a process that finds the overriding session dead
  takes the override over and repeats the payout, which the ledger does once only.

Where ledger and table are changed by one transaction of a database (`TableCell.is_atomic`) these gaps do not exist, and
if the database fails, nothing of an operation has happened, nor of what was due before it.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Final

from msgspec.structs import replace

from yawc_poker.casino import counters
from yawc_poker.casino.bank.ledger import Outdated
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.stakes import known_cash
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.casino.tables.upkeep import Upkeep
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AWAY, AnyChange, AnyTable
from yawc_poker.ipc import signals
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.semaphore import LockTimeout

log = logging.getLogger(__name__)

Cubes = Mapping[int, int]
"""What each seat owns."""
Decide = Callable[[AnyTable, Cubes, float], AnyChange]
"""Decides an operation by the table's value, the CUBES of each seat and the time; raises `IllegalMove`."""


GALLERY: Final = "gallery"
"""The verb of a line that those who look on say among themselves."""
REVEAL: Final = "reveal"
"""The verb of a text that is revealed for a game that begins."""
_UNSEEN: Final = (GALLERY, REVEAL)
"""Verbs of operations of which those who sit may see nothing: then only those who look on are woken."""


class Cash(Enum):
    """Where an operation learns what everybody at the table owns."""

    NONE = "none"
    """Nowhere: the operation has nothing to do with money."""
    BANK = "bank"
    """From the bank; without it the operation fails."""
    BANK_OR_TABLE = "bank or table"
    """From the bank; as long as it cannot say, from the table."""
    CHECKED = "checked"
    """From the table, as long as the bank says the same."""


class Transactions:
    """One session's transactions on one table."""

    __slots__ = ("_context", "_onlookers", "_upkeep", "_value", "_was_remade")

    def __init__(self, context: TableContext, rules: TableRules, value: TableCell) -> None:
        self._context, self._value, self._upkeep = context, value, Upkeep(context, rules, value)
        self._onlookers = Onlookers(context.segment, context.number)
        self._was_remade = False

    # --- operations ---------------------------------------------------------------------------------------------------

    def carry_out(self, verb: str, decide: Decide, cash: Cash) -> AnyTable:
        """Carry out an operation and return the table's new value; raise `IllegalMove`, `StoreError`, `LockTimeout`.

        The others are woken with `verb`.
        """
        return self._run(verb, lambda table: self._decided(table, decide, cash))

    def leave(self, decide: Decide) -> None:
        """Carry out a player's leaving, which frees a seat: stakes of a game that the table does not know go back."""

        def step(table: AnyTable) -> AnyTable:
            self._context.stakes.refund_unknown(table)
            return self._decided(table, decide, Cash.BANK_OR_TABLE)

        self._run("leave", step)

    def maintain(self, timeout: float) -> None:
        """Do what is due at the table; raise `LockTimeout`."""
        self._context.cell.lock.acquire(timeout)
        started = time.monotonic_ns()
        with self._remade_is_told():
            try:
                with self._value.transaction():
                    table = self._load()
                    after = self._upkeep.maintain(table)
            except StoreError as error:
                if not self._value.is_atomic:
                    raise
                log.error("table %s: what is due waits for the database: %s", self._context.cell.name, error)
                return
            finally:
                self._context.cell.lock.release()
                self._observe(started)
        if after is not table:
            self._announce(after, "purge")
        elif self._value.has_news:
            self._tell_here(after, "row")

    def remade(self) -> AnyTable:
        """Return the value of a table that was found damaged: made anew, unless somebody has done so meanwhile.

        Raise `LockTimeout`.
        """
        try:
            with self._remade_is_told(), self._context.cell.lock, self._value.transaction():
                return self._load()
        except StoreError as error:  # of a row that cannot be read now: as good as locked
            raise LockTimeout(self._context.cell.lock.name, 0) from error

    def tell_all(self) -> None:
        """Wake everybody for a commit that was made without a transaction of this class."""
        self._announce(self._value.look(), "word")

    def take_over(self, row: tuple[int, bytes] | None, timeout: float) -> bool:
        """Take over what another host has committed, and wake this host's sessions that sit there or look on.

        Return whether there was anything. `row` is version and value of the table's row, if the caller has read it.
        Raise `LockTimeout`, `StoreError`.
        """
        self._context.cell.lock.acquire(timeout)
        try:
            sessions = self._value.take_over(row)
        finally:
            self._context.cell.lock.release()
        if sessions is None:
            return False
        self._wake(sessions, "row")
        return True

    # --- the order ----------------------------------------------------------------------------------------------------

    def _run(self, verb: str, step: Callable[[AnyTable], AnyTable]) -> AnyTable:
        """Carry out a step under the table's lock, after what was due before it; wake the others once it is free.

        `step` takes the table's value and returns the one that it committed. If it is refused, what was due is done all
        the same.
        """
        if self._context.segment.head.closing:
            raise IllegalMove("closing_down")
        before = table = None
        try:
            with self._remade_is_told(), self._context.cell.lock:
                started = time.monotonic_ns()
                try:
                    with self._value.transaction():
                        before = self._load()
                        table = self._upkeep.resume(before)
                        table = self._upkeep.expire(self._upkeep.reinstate(self._upkeep.clear_up(table)))
                        table = step(table)
                except StoreError:
                    if self._value.is_atomic:
                        before = None  # nothing was committed, nor what was due before
                    raise
                finally:
                    self._observe(started)
        finally:
            if table is not None and before is not None:
                has_news = self._value.has_news
                if table is not before:
                    is_seen = has_news or verb not in _UNSEEN or _shows(before, table)
                    self._announce(table, verb, is_seen=is_seen)
                elif has_news:
                    self._tell_here(table, "row")
        return table

    def _decided(self, table: AnyTable, decide: Decide, cash: Cash) -> AnyTable:
        """Decide an operation by what everybody owns, then pay and commit it."""
        match cash:
            case Cash.NONE:
                owned = {}
            case Cash.BANK:
                owned = self._context.stakes.cash(table)
            case Cash.BANK_OR_TABLE:
                owned = self._context.stakes.cash_or_known(table)
            case Cash.CHECKED:
                return self._decided_checked(table, decide)
        return self._upkeep.complete(table, decide(table, owned, self._context.clock()))

    def _decided_checked(self, table: AnyTable, decide: Decide) -> AnyTable:
        """Decide an operation by what the table knows everybody owns, as long as the bank says the same.

        It has one of three outcomes:

        - A single bet is checked by the ledger, in the transaction that takes it.
        - Anything else that is allowed is checked by asking the bank, and carried out if nothing differs.
        - What differs, or was refused by what the table knows, is decided anew by what the bank says. That decision is
          not checked: what comes or goes afterwards concerns the next one, and the ledger takes only what is there.
        """
        known = known_cash(table)
        change = self._allowed(table, decide, known)
        if change is not None and _is_bet(table, change):
            try:
                return self._upkeep.complete(table, change, known)
            except (IllegalMove, Outdated):
                change = None
        cash = self._context.stakes.cash(table)
        if change is None or cash != known:
            change = decide(table, cash, self._context.clock())
        return self._upkeep.complete(table, change)

    def _allowed(self, table: AnyTable, decide: Decide, cash: Mapping[int, int]) -> AnyChange | None:
        """Return what an operation would change, or None if it is refused."""
        try:
            return decide(table, cash, self._context.clock())
        except IllegalMove:
            return None

    def _load(self) -> AnyTable:
        """Return the table's value; a damaged table is made anew. The lock is held."""
        try:
            return self._value.look()
        except DAMAGED as error:
            self._was_remade = True
            return self._upkeep.remake(error)

    # --- telling the others -------------------------------------------------------------------------------------------

    def _announce(self, table: AnyTable, verb: str, *, is_seen: bool = True) -> None:
        """Wake everybody who sits here, if they see anything of it, then those who look on; the lock is free.

        Those on other hosts are woken by their couriers; this host's courier tells them.
        """
        self._tell_here(table, verb, is_seen=is_seen)
        courier = self._context.directory.here.courier
        if courier is not None:
            with suppress(OSError):  # no descriptor is left: it looks at its next tick
                signals.wake(courier)

    def _tell_here(self, table: AnyTable, verb: str, *, is_seen: bool = True) -> None:
        """Do that for those on this host."""
        self._wake([who.session for who in table.seats if who is not None] if is_seen else (), verb)

    def _wake(self, sessions: Iterable[int], verb: str) -> None:
        """Wake those of these sessions that are on this host, then those who look on."""
        here = self._context.directory.here
        indexes = [index_of(one) for one in sessions if one != AWAY and not here.is_remote(one)]
        if indexes:
            self._context.notifier.tell(Kind.TABLE, indexes, table=self._context.number, payload=verb.encode())
        if self._onlookers.state:
            self._rouse_onlookers()

    def _rouse_onlookers(self) -> None:
        """Wake those who look on; if nobody does any more, note it, for one may have died unnoticed."""
        indexes = self._onlookers.indexes()
        if indexes:
            self._context.notifier.rouse(indexes)
        else:
            self._onlookers.changed()

    @contextmanager
    def _remade_is_told(self) -> Iterator[None]:
        """Wake those who stand at the table if it is made anew meanwhile: they have no seat any more."""
        self._was_remade = False
        try:
            yield
        finally:
            if self._was_remade:
                there = [
                    one
                    for one in self._context.directory.people()
                    if one.at_table and one.place.table == self._context.number
                ]
                self._context.notifier.tell(
                    Kind.TABLE, [one.index for one in there], table=self._context.number, payload=b"anew"
                )
                self._context.notifier.rouse(self._onlookers.indexes())

    def _observe(self, started: int) -> None:
        self._context.notifier.tally.observe(counters.TRANSACTION, counters.since(started))


def _shows(before: AnyTable, table: AnyTable) -> bool:
    """Return whether those who sit see anything of a change: what was due before it may have been done with it.

    Of a text that is revealed nobody sees anything before the last one, by which it is dealt.
    """
    return replace(table, gallery=before.gallery, opening=before.opening) != before


def _is_bet(table: AnyTable, change: AnyChange) -> bool:
    """Return whether a change moves CUBES of one seat in a running game, and of no other."""
    return table.game is not None and len(change.payments) == 1
