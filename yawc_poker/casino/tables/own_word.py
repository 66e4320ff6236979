"""The texts that a session draws for the games at its table, and keeps until they are revealed (`engine.opening`).

Owns what nobody else may know: the texts are in this process only, the table's value has their hashes. Owns when one is
drawn: by the session itself, after the seal was announced, so in a commit of its own; a player who sits down where a
deck is sealed already has it drawn in the same commit. A session that is stopped before that plays with an empty text.
Nobody is woken for it. A player who holds a text on a device of their own is given the time to commit to it first.
"""

import time
from typing import Final

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.engine import sealing
from yawc_poker.engine.opening import commit, owed, owes_commitment
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.semaphore import LockTimeout

DEVICE_SECONDS: Final = 4.0
"""Time that a page has to commit to a text of its own, before the session does."""
_PATIENCE: Final = 0.5
"""Seconds to wait for the table's lock with a text that can be committed to later as well."""
_AGAIN_SECONDS: Final = 5.0
"""Until the next try where the table is in a database that cannot be reached."""
_KEPT: Final = 4
"""Texts that are kept: one that was given may not have been committed to."""


class OwnWord:
    """One session's texts at one table."""

    # a session has one for every table it came by
    __slots__ = ("_context", "_deck", "_not_before", "_owes", "_rules", "_texts", "_value", "by_hand", "has_device")

    def __init__(self, context: TableContext, rules: TableRules, value: TableCell) -> None:
        self._context, self._rules, self._value = context, rules, value
        self._not_before = 0.0
        self._owes: tuple[AnyTable | None, bool] = (None, False)
        """A value of the table, and whether this session is to do something by it."""
        self._texts: tuple[str, ...] = ()
        self._deck = ""
        """The secret of the deck for which a device was last given time."""
        self.has_device = False
        """The player has a device that commits by itself, such as a page."""
        self.by_hand = False
        """The player has committed to a text that they hold, and is waited for where all commit anew."""

    @property
    def is_owed(self) -> bool:
        """Whether this session sits here and is to commit to a text, or to reveal one; not at a damaged table."""
        try:
            table = self._value.look()
        except DAMAGED:
            return False
        if table is not self._owes[0]:
            session = self._context.session
            self._owes = table, owes_commitment(table, session) or owed(table, session) is not None
        return self._owes[1]

    def new(self, word: str = "") -> str:
        """Return a new text with this word, or a random one, which is kept until it is revealed."""
        text = sealing.drawn_text(self._context.chance, word)
        self._texts = (*self._texts, text)[-_KEPT:]
        return text

    def to_reveal(self) -> str | None:
        """Return the text that is to be revealed now, or None if there is none, or this session does not know it."""
        try:
            mine = owed(self._value.look(), self._context.session)
        except DAMAGED:
            return None
        if mine is None:
            return None
        return next((text for text in self._texts if sealing.commitment(text) == mine.hash), None)

    def committed(self, table: AnyTable, now: float) -> AnyTable:
        """Return the table with this session committed to a new text, if it owes that and no device is waited for."""
        if not self._may_draw(table):
            return table
        digest = sealing.commitment(self.new())
        self.by_hand = False
        return commit(table, self._context.session, digest, "session", now, self._rules.clocks)

    def draw(self) -> bool:
        """Commit to a new text if that is owed; if the lock is busy, or the database is gone, a later look does it.

        Return whether that has fixed the commitments of a game that begins, which the others are to be told of.
        """
        if not self.is_owed or time.monotonic() < self._not_before or not self._may_draw(self._value.look()):
            return False
        try:
            self._context.cell.lock.acquire(_PATIENCE)
        except LockTimeout:
            return False
        try:
            with self._value.transaction():
                before = self._value.look()
                table = self.committed(before, self._context.clock())
                if table is not before:
                    self._value.commit(table)
                return table.opening is not before.opening
        except StoreError:
            self._not_before = time.monotonic() + _AGAIN_SECONDS
            return False
        finally:
            self._context.cell.lock.release()

    def _may_draw(self, table: AnyTable) -> bool:
        if not owes_commitment(table, self._context.session, by_hand=self.by_hand):
            return False
        if self.has_device and table.next_deck is not None and table.next_deck.deck.secret != self._deck:
            self._deck = table.next_deck.deck.secret
            self._not_before = time.monotonic() + DEVICE_SECONDS
        return not self.has_device or time.monotonic() >= self._not_before
