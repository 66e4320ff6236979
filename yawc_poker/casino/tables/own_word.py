"""The word that a session draws for the next game at its table (`engine.next_game`).

Owns when it is drawn: by the session itself, after the seal was announced, so in a commit of its own; a player who sits
down where a deck is sealed already has it drawn in the same commit. A session that is stopped before that plays with an
empty word. Nobody is woken for it: the words are announced when a game begins.
"""

import time
from typing import Final, Generic

from yawc_poker.casino.database.connection import StoreError
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.engine.game import Chance, EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.next_game import draw_word, owes_word
from yawc_poker.ipc.semaphore import LockTimeout, Mutex

_PATIENCE: Final = 0.5
"""Seconds to wait for the table's lock with a word that can be given later as well."""
_AGAIN_SECONDS: Final = 5.0
"""Until the next try where the table is in a database that cannot be reached."""


class OwnWord(Generic[StateT, MoveT, EventT, OptionsT]):
    """One session's word at one table."""

    # a session has one for every table it came by
    __slots__ = ("_chance", "_lock", "_not_before", "_session", "_value")

    def __init__(
        self, lock: Mutex, value: TableCell[StateT, MoveT, EventT, OptionsT], session: int, chance: Chance
    ) -> None:
        """`session` is this session's token."""
        self._lock = lock
        self._value = value
        self._session = session
        self._chance = chance
        self._not_before = 0.0

    @property
    def is_owed(self) -> bool:
        """Whether this session sits here and has not given a word for the next game; not at a damaged table."""
        try:
            return owes_word(self._value.look(), self._session)
        except DAMAGED:
            return False

    def draw(self) -> None:
        """Draw the word if it is owed; if the lock is busy, or the database is gone, a later look does it."""
        if not self.is_owed or time.monotonic() < self._not_before:
            return
        try:
            self._lock.acquire(_PATIENCE)
        except LockTimeout:
            return
        try:
            with self._value.transaction():
                if self.is_owed:
                    self._value.commit(draw_word(self._value.look(), self._session, self._chance))
        except StoreError:
            self._not_before = time.monotonic() + _AGAIN_SECONDS
        finally:
            self._lock.release()
