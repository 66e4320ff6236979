"""What somebody at a table asks of house players: to join, and to go.

Owns the level that is asked for, and waking the listener, which forks a process for each invitation. The invitations
themselves are the table's. A listener that is away, or has no process left, leaves them waiting: each tick of somebody
who sits there wakes it again.
"""

from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.company import can_dismiss
from yawc_poker.engine.house import Level, read_program
from yawc_poker.engine.values import AnyTable
from yawc_poker.words import Words

FORK_WAKES: Final = 10
"""What the process of a house player costs, counted in sessions woken: those who ask for many pay for them."""


class HouseHost:
    """What one session asks for at its table."""

    def __init__(self, instance: Instance, table: GameTable, *, has_program: bool) -> None:
        """`has_program`: the game has one for house players."""
        self.offers = has_program and instance.config.house.players > 0
        """Whether house players may come to this table."""
        self._instance = instance
        self._table = table
        self._level: Level | None = None
        self.waits = False
        """The table waits for a house player, by its value that was seen last."""
        self._starts = False
        """The game starts by itself once no seat is free."""

    def invite(self, level: Level | None = None) -> None:
        """Ask one to join; None means as well as the last one at this table. Raise what `GameTable.invite` raises."""
        self._level = level or self._level or self._usual()
        self._table.invite(self._level)
        self._instance.notifier.woken += FORK_WAKES
        self._instance.tell_listener()

    def company(self, level: Level) -> None:
        """Ask for as many as a good game takes: for somebody who came to an empty table to play with the house.

        A game for two begins by itself once the other is there.
        """
        rules = self._table.rules.game
        for _ in range(companions(rules.SEATS, rules.FEWEST)):
            self.invite(level)
        self._starts = rules.SEATS == 2

    def send_away(self, *, everyone: bool = False) -> None:
        """Send the one away who came last, or all of them. Raise what `GameTable.dismiss` raises."""
        self._table.dismiss()
        while everyone and can_dismiss(self._table.look()):
            self._table.dismiss()

    def remind(self) -> None:
        """Wake the listener if the table still waits for a house player: one who was invited, or a stand-in."""
        if self.waits and self.offers:
            self._instance.tell_listener()

    def may_start(self, value: AnyTable, seat: int | None) -> bool:
        """Return, once, whether the game that `company` was for can be started by the one in this seat."""
        if not self._starts or None in value.seats:
            return False
        self._starts = False
        return value.game is None and value.master == seat

    def keys(self, value: AnyTable) -> str:
        """Return the keys, of `+-`, by which house players can come or go between games."""
        if not self.offers or value.game is not None or value.reserved is not None:
            return ""
        comes = value.seats.count(None) > len(value.invited)
        return ("+" if comes else "") + ("-" if can_dismiss(value) else "")

    def busy(self, words: Words) -> str:
        """Return that no house player is free at the moment; empty: one comes."""
        here = sum(1 for one in self._instance.directory.people() if one.is_house and not one.is_remote)
        if here < self._instance.config.house.players:
            return ""
        return words("All house players are playing; one comes as soon as it can.")

    def leaving(self, words: Words) -> str:
        """Return who goes once the running game is over; empty: nobody."""
        value = self._table.look()
        names = [who.name for who in value.seats if who is not None and who.goes]
        if not names or value.game is None:
            return ""
        return words("After this game these go: {names}.", names=", ".join(names))

    def _usual(self) -> Level:
        """Return the level of the house player who came last, else that of the configuration."""
        value = self._table.look()
        seated = sorted((who.came, who.program) for who in value.seats if who is not None and who.program)
        found = read_program(seated[-1][1]) if seated else None
        return self._instance.config.house.level if found is None else found[0]


def companions(seats: int, fewest: int) -> int:
    """Return how many house players a caller alone is offered at a game of these seats."""
    return min(seats - 1, max(fewest - 1, 2))
