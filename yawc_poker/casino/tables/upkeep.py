"""A table's upkeep, due before an operation and after it: removals, clocks that ran out, payouts.

Owns the steps of a table that no player asks for, and the way from any change to its commit: pay, commit, close.
Decides nothing itself (`engine.table` does, by the value), takes no lock and wakes nobody: `transaction` holds the
table's lock around every method here, and tells the others afterwards. What a process leaves unfinished when it is
killed, the next one finishes.
"""

import logging
from collections.abc import Mapping

from msgspec.structs import replace

from yawc_poker.casino import counters
from yawc_poker.casino.bank.ledger import GameClosed
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.casino.users.registrations import network_of
from yawc_poker.engine import kept, opening
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.against_house import AgainstHouse, Person, part_of
from yawc_poker.engine.effects import log as log_event
from yawc_poker.engine.events import PlaysForFun
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import is_house
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.values import AWAY, AnyChange, AnyTable, Change, Seat, seat_of

log = logging.getLogger(__name__)


class Upkeep:
    """The upkeep of one table by one session."""

    __slots__ = ("_context", "_rules", "_value")  # a session has one for every table it came by

    def __init__(self, context: TableContext, rules: TableRules, value: TableCell) -> None:
        self._context, self._rules, self._value = context, rules, value

    def remake(self, error: Exception) -> AnyTable:
        """Call off what goes on at a table whose value is damaged, and make the table anew, with nobody at it.

        Stakes go back first, by the ledger: if the process dies in between, the value is still damaged, and the next
        one does this again.
        """
        log.warning("table %s was damaged and is made anew: %s", self._context.cell.name, error)
        table = rules_of_table.empty(self._rules.game)
        self._context.stakes.refund_unknown(table)
        table = self._value.remake(table)
        self._context.notifier.tally.count(counters.CALLED_OFF)
        return table

    def maintain(self, table: AnyTable) -> AnyTable:
        """Finish what was left unfinished, remove the dead, serve a clock that ran out."""
        table = self.resume(table)
        try:
            table = self._abandon(self._break_off(self.clear_up(table)))
            for seat in range(len(table.seats)):  # who goes may take others along: the stand-ins of those who are gone
                who = table.seats[seat]
                if who is not None and self._is_gone(table, seat, who):
                    table = self._remove(table, seat, who)
            table = self._give_up(table)
        except StoreError as error:
            log.error("table %s: a stake or bet could not go back yet: %s", self._context.cell.name, error)
            return table
        return self.expire(table)

    def _abandon(self, table: AnyTable) -> AnyTable:
        """End a game all of whose players are gone at one moment; not if one of them is to get a stake back."""
        gone = [seat for seat, who in enumerate(table.seats) if who is not None and self._is_gone(table, seat, who)]
        if not gone or any(
            (who := table.seats[seat]) and self._context.directory.was_put_out(who.session) for seat in gone
        ):
            return table
        change = rules_of_table.abandon(table, self._rules.game, gone, self._context.clock(), self._rules.clocks)
        if change is None:
            return table
        self._context.stakes.refund_unknown(table)
        log.info("table %s: all players of game %d are gone", self._context.cell.name, table.number)
        return self.complete(table, change)

    def _is_gone(self, table: AnyTable, seat: int, who: Seat) -> bool:
        """Return whether a seat is to be freed. One that is held for a lost line waits for its moment, not for a death.

        So it does not matter whether the session that lost the line lives as long. Nobody goes who is about to be dealt
        in.
        """
        if who.session == AWAY or opening.is_frozen(table, seat):
            return False
        gone = self._context.clock() >= who.held if who.held else not self._context.directory.lives(who.session)
        # Looked at behind that: sessions end because the house closes only once it is known to.
        return gone and not self._context.segment.head.closing

    def _break_off(self, table: AnyTable) -> AnyTable:
        """Call off a game whose players have all gone, and not each by themselves but with a host of several.

        Their stakes go back, as where a BBS begins anew: removed one after the other, the last one would win. Raise
        `StoreError`.
        """
        game = table.game
        if game is None or rules_of_table.is_closing(table, self._rules.game):
            return table
        taken = [(seat, who) for seat, who in enumerate(table.seats) if who is not None and who.session != AWAY]
        players = [(seat, who) for seat, who in taken if self._rules.game.competes(game, seat)]
        is_lost = any(self._context.directory.went_with_host(who.session) for _, who in players)
        if not is_lost or not all(self._is_gone(table, seat, who) for seat, who in players):
            return table
        self._context.stakes.refund(table)
        table = self._commit(rules_of_table.void(table, "", self._context.clock(), self._rules.clocks))
        self._context.notifier.tally.count(counters.CALLED_OFF)
        return table

    def _remove(self, table: AnyTable, seat: int, who: Seat) -> AnyTable:
        """Free the seat of a dead session; one that was killed for a lock gets its stake back first.

        Raise `StoreError` if that fails, and then the seat is kept until it succeeds.
        """
        self._context.stakes.refund_unknown(table)
        plays = table.game is not None and self._rules.game.competes(table.game, seat)
        back = (
            self._context.stakes.give_back(table, seat)
            if plays and self._context.directory.was_put_out(who.session)
            else None
        )
        cash = self._context.stakes.cash_or_known(table)
        now = self._context.clock()
        change = rules_of_table.leave(
            table,
            self._rules.game,
            who.session,
            now,
            self._rules.clocks,
            removed=True,
            cash=cash,
            back=back,
            keeps=self._rules.keeps,
        )
        table = self.complete(table, change)
        log.info("table %s: %r is gone and was removed", self._context.cell.name, who.name)
        if back is not None:
            log.warning(
                "table %s: %r was put out for a lock; %d CUBES went back",
                self._context.cell.name,
                who.name,
                back.amount,
            )
        self._context.notifier.tally.count(counters.PURGED)
        return table

    def clear_up(self, table: AnyTable) -> AnyTable:
        """Take back a bet of this session that the bank did not confirm; raise `StoreError`."""
        if not self._context.stakes.is_unsure:
            return table
        cleared = self._context.stakes.clear_up(table)
        return table if cleared.pot == table.pot else self._value.commit(cleared)

    def reinstate(self, table: AnyTable) -> AnyTable:
        """Remove those who were killed for a lock before anything else, which might end the game they were in.

        Not from a seat that is held: its player may come back to it, and gets the stake back if they do not.
        """
        for seat in range(len(table.seats)):  # as above
            who = table.seats[seat]
            others = who is not None and who.session not in {AWAY, self._context.session} and not who.held
            others = others and not opening.is_frozen(table, seat)
            if who is not None and others and self._context.directory.is_put_out(who.session):
                table = self._remove(table, seat, who)
        return table

    def expire(self, table: AnyTable) -> AnyTable:
        """Do what the clock does to the player on turn, the master, or a game that begins, if it has run out."""
        now = self._context.clock()
        if table.deadline is None or now < table.deadline or rules_of_table.is_closing(table, self._rules.game):
            return table
        cash = self._context.stakes.cash_or_known(table)
        rules, chance = self._rules, self._context.chance
        change = rules_of_table.expire(table, rules.game, now, chance, cash, rules.clocks, rules.keeps)
        if change is None:
            return table
        begins = table.opening is not None
        try:
            table = self.complete(table, change)
        except (IllegalMove, StoreError) as error:
            if not begins:
                raise
            log.error("table %s: a game does not begin yet: %s", self._context.cell.name, error)
            return self._value.commit(opening.postponed(table, now, self._rules.clocks))
        if not begins:
            self._context.notifier.tally.count(counters.TIMEOUTS)
        return table

    def complete(self, before: AnyTable, change: AnyChange, known: Mapping[int, int] | None = None) -> AnyTable:
        """Move the money of a change, commit it, and close the game if that decided it. The lock is held.

        Raise `Outdated` if a player does not own what is `known` of their seat, and `IllegalMove`; then nothing has
        changed.
        """
        if before.game is None and change.table.game is not None:
            change = Change(self._agreed(before, change.table), change.payments)
        try:
            table = self._context.stakes.pay(before, change, known)
        except GameClosed as error:
            return self._call_off(before, error)
        if before.game is None and table.game is not None:
            self._context.notifier.tally.count(counters.STARTED)
        if before.override or not rules_of_table.is_closing(table, self._rules.game):
            return self._give_up(self._commit(table))
        return self._close(self._commit(rules_of_table.claim(table, self._context.session)))

    def _agreed(self, before: AnyTable, table: AnyTable) -> AnyTable:
        """Return a table whose game begins with those who play for CUBES with house players. Raise `StoreError`."""
        dealt = [who for who, user in zip(table.seats, table.players, strict=True) if user and who is not None]
        ante = self._rules.ante(before)
        house = tuple([part_of(who.user, who.program, ante) for who in dealt if is_house(who.user)])
        people = tuple([Person(who.user, self._network(who.session)) for who in dealt if not is_house(who.user)])
        if not ante or not house or not people:
            return table
        game = self._context.stakes.agree(AgainstHouse(people, house))
        table = replace(table, against_house=game)
        for one in game.people:
            if one.for_fun:
                seat = table.players.index(one.user)
                table = log_event(table, PlaysForFun(seat), seat)
        return table

    def _network(self, session: int) -> str:
        """Return the network that a session's caller calls from."""
        one = self._context.directory.at(index_of(session))
        return network_of("" if one is None or one.token != session else one.peer)

    def _give_up(self, table: AnyTable) -> AnyTable:
        """Tell the rules of those whose seats are not kept any longer, as at the end of a round."""
        if not table.kept:
            return table
        looked = kept.asleep_gone(table, self._rules.keeps, self._context.directory.lives)
        table = table if looked is table else self._commit(looked)
        change = kept.given_up(table, self._rules.game, self._rules.keeps, self._context.clock(), self._rules.clocks)
        return table if change is None else self.complete(table, change)

    def _commit(self, table: AnyTable) -> AnyTable:
        """Commit a value, with a deck sealed for the next game if there is none yet."""
        return self._value.commit(prepared(table, self._rules.game, self._context.chance))

    def _close(self, table: AnyTable) -> AnyTable:
        """Pay out and end a decided game whose override is this session's; if the bank fails, it stays closing."""
        try:
            settled = self._context.stakes.settle(table)
        except GameClosed as error:
            return self._call_off(table, error)
        if settled is None:
            return table
        cash, now = self._context.stakes.cash_or_known(table), self._context.clock()
        paid, back = settled.amount, settled.back
        table = self._commit(rules_of_table.finish(table, self._rules.game, now, self._rules.clocks, cash, paid, back))
        self._context.notifier.tally.count(counters.FINISHED)
        return table

    def _call_off(self, table: AnyTable, error: GameClosed) -> AnyTable:
        """Drop a game that the ledger has closed without the table, as a restored backup does: the ledger decides."""
        log.error("table %s: game %d is called off: %s", self._context.cell.name, table.number, error)
        self._context.stakes.keep_rest(table)
        table = self._commit(rules_of_table.void(table, "ledger", self._context.clock(), self._rules.clocks))
        self._context.notifier.tally.count(counters.CALLED_OFF)
        return table

    def resume(self, table: AnyTable) -> AnyTable:
        """Finish a closing that was left unfinished: this session's, or that of one that is gone or stopped.

        The lock is held, so no other process is closing the game right now: the session that has the override waits for
        the bank to work again.
        """
        if not rules_of_table.is_closing(table, self._rules.game):
            return table
        mine = self._context.session
        holder = table.override
        abandoned = seat_of(table, holder) is None or not self._context.directory.can_act(holder)
        if holder not in {0, mine} and not abandoned:
            return table
        if holder not in {0, mine}:
            log.info("table %s: took over the closing of game %d", self._context.cell.name, table.number)
        return self._close(self._commit(rules_of_table.claim(table, mine)))
