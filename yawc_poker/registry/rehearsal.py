"""Others at a table, for the rehearsal before the first fork: further sessions of the listener's own process.

Owns their seats and their moves, which need no sense. `bbs.rehearsal` tells what that is good for.
"""

from contextlib import suppress
from typing import Protocol

import msgspec

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.accounts import User
from yawc_poker.engine.game import IllegalMove
from yawc_poker.table_ui.definition import Rehearsal


class Companion(Protocol):
    """Somebody else at the table, whatever game it plays."""

    def act(self) -> bool:
        """Start a game or make a move, if it is this one's turn; return whether they did."""

    def say(self, text: str) -> None:
        """Send a chat line."""

    def leave(self) -> None:
        """Leave the table."""


class TableCompanion:
    """A companion at a table of one game."""

    def __init__(
        self,
        instance: Instance,
        user: User,
        table: GameTable,
        rehearsal: Rehearsal[msgspec.Struct, object],
    ) -> None:
        """Sit down. Raise what `GameTable.sit` raises."""
        self._notifier = instance.notifier
        self._table = table
        self._choose = rehearsal.move
        table.sit(user.id, user.name)

    def act(self) -> bool:
        """Start a game or make a move, if it is this one's turn; return whether they did."""
        self._notifier.read()
        self._table.tend()
        value = self._table.look()
        try:
            if value.game is None:
                self._table.start()
                return True
            seat = self._table.rules.game.to_move(value.game)
            who = None if seat is None else value.seats[seat]
            if seat is None or who is None or who.session != self._notifier.token:
                return False
            self._table.play(self._choose(value.game, seat))
        except IllegalMove:
            return False
        return True

    def say(self, text: str) -> None:
        """Send a chat line."""
        self._table.say(text)

    def leave(self) -> None:
        """Leave the table."""
        with suppress(IllegalMove):
            self._table.leave()
