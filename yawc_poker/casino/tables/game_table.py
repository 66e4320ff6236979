"""Tables in shared memory: every operation on a table is one transaction here.

    lock the table - load its value - the rules' opinion - the ledger - commit - unlock - ring the others

Authority is decentral: every process holds the whole program, and what it may do is decided by `engine.table` from the
table's value, under the table's lock. This module owns that order and the closing of a game with its override ID; it
knows no rule of any game (it is given a game's module) and never draws. What goes to the bank, a game's history along
with the money, is `stakes`'s; how a value lies in shared memory is `table_cell`'s.

Crash safety, step by step (whoever is killed, SEM_UNDO frees the lock and the commit number names a whole half):

- before the ledger: nothing has happened.
- between ledger and commit: the money is in the pot's account, the table does not know. A dead better is purged and his
  money stays in the pot, as the rules want; what is paid out is what the account holds. An opened game that no table
  knows is refunded by whoever purges its dead master (`Stakes.refund_unknown`).
- between the commit of the decided game (with `override`) and its end: whoever finds the overriding session dead takes
  the override over and repeats the payout, which the ledger does once only.
"""

import time
from collections.abc import Callable, Mapping
from random import SystemRandom
from typing import Final, Generic

from yawc_poker.casino import counters
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.tables.own_word import OwnWord
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.casino.tables.transaction import Cash, Transactions
from yawc_poker.casino.tables.unchanged import Unchanged
from yawc_poker.casino.tables.upkeep import Upkeep
from yawc_poker.engine import next_deck
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.table import Change, Clocks, Seat, Table
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT

_CHANCE: Final[Chance] = SystemRandom()
"""The system's randomness, which has no state to share; the object has 2.5 kB, and a session hands on every table."""


class GameTable(Generic[StateT, MoveT, EventT, OptionsT]):
    """One table, its game, and one session's hands on it."""

    def __init__(
        self,
        number: int,
        game: Game[StateT, MoveT, EventT, OptionsT],
        codec: Codec[StateT, EventT],
        options: OptionsT,
        clocks: Clocks,
        segment: Segment,
        bank: Bank,
        directory: Directory,
        notifier: Notifier,
        chance: Chance | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.number = number
        self.game = game
        self.options = options
        """Games are played by these unless the master names others."""
        self._clocks = clocks
        self._segment = segment
        self._cell = segment.cells[number]
        self._lock = self._cell.lock
        self._value = TableCell(self._cell, game, codec, notifier.token)
        self._stakes = Stakes(bank, number, game.KIND)
        self._directory = directory
        self._notifier = notifier
        self._tally = notifier.tally
        self._chance = chance or _CHANCE
        self._clock = clock
        self.word = OwnWord(self._lock, self._value, notifier.token, self._chance)
        """This session's word for the next game."""
        upkeep = Upkeep(number, game, self._value, self._stakes, directory, notifier, clocks, self._chance, clock)
        self._transactions = Transactions(
            number, segment, self._lock, self._value, self._stakes, upkeep, directory, notifier, clock
        )

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def commit_number(self) -> int:
        """Number of the last commit; it tells without decoding whether anything changed."""
        return self._cell.number

    def unchanged(self) -> Unchanged[StateT, MoveT, EventT, OptionsT]:
        """Return a new look at whether anything changes, for a session that sits here."""
        return Unchanged(self._segment.words, self._value, self.word, self._stakes, self._directory, self._notifier)

    def look(self) -> Table[StateT, EventT]:
        """Read the table's value, without a lock; while one sits there, each commit is decoded once.

        A damaged table is made anew, under its lock; only then this raises `LockTimeout`.
        """
        try:
            return self._value.look()
        except DAMAGED:
            return self._transactions.remade()

    def sitting(self) -> tuple[Seat | None, ...]:
        """Give who sits where, without a lock."""
        return self.look().seats

    # --- operations of the session that sits here ---------------------------------------------------------------------

    def sit(self, user: int, name: str, wanted: int | None = None, grace: float = 0.0) -> Table[StateT, EventT]:
        """Sit down after a purge, if possible on the seat that is `wanted`.

        Raises `IllegalMove` ("table_full") or `StoreError`.
        """
        person = Seat(self._notifier.token, user, name, self._stakes.balance(user), grace)
        self.look_after()

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            if rules_of_table.seat_of(table, person.session) is not None:
                return Change(table)  # his last leaving found no lock: he has never been away
            table = self._stakes.written(table)
            table = rules_of_table.sit(table, self.game, person, now, self._clocks, wanted)
            return Change(next_deck.draw_word(table, person.session, self._chance))

        table = self._transactions.act("sit", act, Cash.BANK_OR_TABLE)
        self.word.draw()
        return table

    def leave(self, *, removed: bool = False) -> None:
        """Leave the table (2.6); nothing to do for who does not sit here or while the BBS closes.

        `removed`: not by one's own wish, and so it is told (9.2).
        """

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return rules_of_table.leave(
                table, self.game, self._notifier.token, now, self._clocks, removed=removed, cash=cash
            )

        try:
            self._transactions.leave(act)
        except IllegalMove as refusal:
            if refusal.reason not in {"not_seated", "closing_down"}:
                raise

    def say(self, text: str) -> None:
        """Send a chat line to everybody at the table."""

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return Change(rules_of_table.chat(table, self._notifier.token, text))

        self._transactions.act("chat", act, Cash.NONE)
        self._tally.count(counters.CHAT)

    def give_word(self, text: str) -> None:
        """Give one's own word for the next game, told to all; raises `IllegalMove`."""

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return Change(next_deck.give_word(table, self._notifier.token, text))

        self._transactions.act("word", act, Cash.NONE)

    def fund(self) -> None:
        """Take over what the bank says everybody owns, after CUBES came or went from outside the game."""

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return Change(rules_of_table.fund(table, self.game, self._notifier.token, cash))

        self._transactions.act("fund", act, Cash.BANK)

    def start(self, options: OptionsT | None = None) -> None:
        """Start a game as the master, by these options or the table's own; raises `IllegalMove` or `StoreError`."""
        chosen = self.options if options is None else options

        def act(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            token = self._notifier.token
            return rules_of_table.start(table, self.game, token, cash, self._chance, now, chosen, self._clocks)

        self.word.draw()
        self._transactions.act("start", act, Cash.BANK)
        self._tally.count(counters.STARTED)

    def play(self, move: MoveT) -> None:
        """Make a move; raises `IllegalMove` or `StoreError`, and then nothing has changed."""
        token, chance, clocks = self._notifier.token, self._chance, self._clocks
        self._transactions.act(
            "play",
            lambda table, cash, now: rules_of_table.play(table, self.game, token, move, cash, chance, now, clocks),
            Cash.CHECKED,
        )
        self._tally.count(counters.MOVES)

    # --- what every process does for every table ----------------------------------------------------------------------

    def watch_over(self) -> None:
        """Look whether somebody stands still with a lock that this table needs; at every tick, so it must be cheap."""
        self._segment.watch_over(self._lock)

    def look_after(self, timeout: float = TIMEOUT, *, by_records: bool = False) -> None:
        """Purge the dead (9), serve clocks that ran out (10), finish closings whose session is gone.

        Cheap while all is well: a look at the header without a lock. Whoever does it as a periodic duty waits for
        nobody (`timeout` 0): the lock is held by somebody who does the same, and the next tick comes. Raises
        `LockTimeout`.
        """
        lives = self._directory.has if by_records else self._directory.lives
        if self._segment.head.closing or not (self._stakes.is_unsure or self._needs_care(lives)):
            return
        self._transactions.care(timeout)

    def _needs_care(self, lives: Callable[[int], bool]) -> bool:
        header = self._value.header()
        if header is None:
            return True
        overdue = header.deadline is not None and self._clock() >= header.deadline
        return overdue or header.override != 0 or any(token and not lives(token) for token in header.seats)
