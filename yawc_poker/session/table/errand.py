"""What the keys of extras do at a table: work that is done apart, and told while its turn lasts (place `errands`).

Owns the one piece of work under way of a caller in a seat. It is done in a child process at low priority, and the
session goes on meanwhile: nothing waits for it. An answer that comes when the turn has gone is dropped; asked for
again before anything has happened, it is told again.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import msgspec

from yawc_poker.announcing import announced
from yawc_poker.casino.instance.instance import LONG_ERRANDS_FILE
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.values import AnyTable
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.offload import NICE_LONG, Errand, ErrandFailed
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.scene import Turn
from yawc_poker.words import Words

log = logging.getLogger(__name__)

Work = Callable[[], Sequence[str]]
"""Returns sentences for the caller; it runs in a child process that has no database, segment or line."""


class TableErrand(NamedTuple):
    """What a key of an extra is for."""

    key: str
    """As in `table_ui.added_keys.AddedKey`."""
    is_offered: Callable[[AnyDefinition, AnyTable, int], bool]
    """Whether it means something at a table's value, for a person in a seat."""
    begin: Callable[[Caller, GameTable, AnyDefinition, AnyTable, int], Work | str]
    """Return the work that is asked for, or why there is none.

    Raise `IllegalMove`, `StoreError` or `LockTimeout`.
    """
    waits: str
    """That it is being done, a sentence marked for the catalogues."""


def errand_of(key: str) -> TableErrand | None:
    """Return what a key is for; None: it is no extra's."""
    return next((one for one in announced("errands", TableErrand) if one.key == key), None)


def offered_keys(game: AnyDefinition, value: AnyTable, seat: int | None) -> str:
    """Return the keys that mean something now for a person in a seat."""
    if seat is None or value.game is None:
        return ""
    return "".join([one.key for one in announced("errands", TableErrand) if one.is_offered(game, value, seat)])


def cannot(words: Words) -> str:
    """Return that there is no process for it."""
    return words("That cannot be done now. Try it again.")


class Errands:
    """The work of one stay."""

    def __init__(self, caller: Caller, table: GameTable) -> None:
        self._caller, self._table = caller, table
        self._asked: tuple[Turn, str, object] | None = None
        """For which turn, by which key, and at which state of the game."""
        self._told: Sequence[str] | None = None
        """What came of it; None: it is under way, or nothing was asked."""
        self._work: Errand | None = None
        self._open = ExitStack()

    def told(self, turn: Turn | None, key: str, state: object) -> Sequence[str] | None:
        """Return what came of this at the same state; empty: it is under way. None: it is to be begun."""
        if turn is None or self._asked != (turn, key, state):
            return None
        return self._told or ()

    def begin(self, turn: Turn, key: str, state: object, work: Work) -> bool:
        """Begin; return whether it could be."""
        self.drop()
        try:
            queue = self._caller.instance.data / LONG_ERRANDS_FILE
            errand = Errand(lambda: msgspec.json.encode(work()), queue, NICE_LONG)
        except OSError as error:
            self._failed(error.strerror or "")
            return False
        self._open.callback(errand.close)
        self._open.enter_context(self._caller.loop.watching(errand.fileno()))
        self._asked, self._work = (turn, key, state), errand
        return True

    def take(self) -> Sequence[str]:
        """Return what has come of it, once; empty: nothing yet."""
        if self._work is None:
            return ()
        try:
            answer = self._work.take()
        except ErrandFailed as error:
            self._failed(str(error))
            self.drop()
            return (cannot(self._caller.words),)
        if answer is None:
            return ()
        told = msgspec.json.decode(answer, type=list[str])
        self._end()
        self._told = told
        return told

    def follow(self, turn: Turn | None) -> None:
        """Drop the work of another turn."""
        if self._asked is not None and self._asked[0] != turn:
            self.drop()

    def drop(self) -> None:
        """End what is under way, and forget what came of it."""
        self._end()
        self._asked = self._told = None

    def _failed(self, why: str) -> None:
        log.warning("table %s: no process for what %r asks: %s", self._table.name, self._caller.user.name, why)

    def _end(self) -> None:
        self._work = None
        self._open.close()
