"""A table in shared memory, with all that a session can do there. Every operation is one transaction.

Authority is decentral: every process holds the whole program, and `engine.table` decides what it may do from the
table's value, under the table's lock. This module owns the operations; it knows no rule of any game (it is given a
game's module) and never draws. The order of a transaction is `transaction`'s, the bank's part of it `stakes`'s, the
layout of a value in shared memory `table_cell`'s.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from random import SystemRandom
from typing import Final, Generic

from yawc_poker.casino import counters
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.cluster.here import Here
from yawc_poker.casino.cluster.places import Place
from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.absence import Absence
from yawc_poker.casino.tables.gallery import Gallery
from yawc_poker.casino.tables.own_word import OwnWord
from yawc_poker.casino.tables.shared_cell import LEASE_SECONDS, SharedCell
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.casino.tables.transaction import Cash, Transactions
from yawc_poker.casino.tables.unchanged import Unchanged
from yawc_poker.casino.tables.upkeep import Upkeep
from yawc_poker.engine import next_game, sealing
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.house import Level
from yawc_poker.engine.sealing import Custody
from yawc_poker.engine.table import Change, Clocks, Keeps, Seat, Table
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT, LockTimeout

log = logging.getLogger(__name__)

_CHANCE: Final[Chance] = SystemRandom()
"""The system's randomness, which has no state to share. One for all tables of a session: the object has 2.5 kB."""


class GameTable(Generic[StateT, MoveT, EventT, OptionsT]):
    """One table and its game, as one session uses it."""

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
        keeps: Keeps[StateT] | None = None,
        lease: float = LEASE_SECONDS,
    ) -> None:
        """`keeps` says which seats are kept for those who are gone, with a house player as stand-in; None: none are.

        `lease` is the length of a host's lease in seconds, where there are several hosts.
        """
        self.number = number
        self.game = game
        self.options = options
        """The usual options: games are played by these unless the master chooses others."""
        self._clocks = clocks
        self._segment = segment
        self._cell = segment.cells[number]
        self._lock = self._cell.lock
        here = Here(segment.head)
        self._value: TableCell[StateT, MoveT, EventT, OptionsT] = TableCell(self._cell, game, codec, notifier.token)
        if here.is_clustered:
            place = Place(bank.store, number)
            self._value = SharedCell(self._cell, game, codec, notifier.token, place, here, clock, lease)
        self._stakes = Stakes(bank, number, game.KIND)
        self._directory = directory
        self._notifier = notifier
        self._tally = notifier.tally
        self._chance = chance or _CHANCE
        self._clock = clock
        self.word = OwnWord(self._lock, self._value, notifier.token, self._chance, clocks, clock)
        """This session's texts for the games to come."""
        self._keeps = keeps
        upkeep = Upkeep(
            number, game, self._value, self._stakes, directory, notifier, clocks, self._chance, clock, keeps
        )
        self._transactions = Transactions(
            number,
            segment,
            self._lock,
            self._value,
            self._stakes,
            upkeep,
            directory,
            notifier,
            clock,
            here if here.is_clustered else None,
        )
        self.absence = Absence(game, self._value, self._transactions, self._stakes, directory, clocks, notifier.token)
        """What becomes of a seat whose person is not there."""

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def commit_number(self) -> int:
        """Number of the last commit, which shows without decoding whether anything changed."""
        return self._cell.number

    def unchanged(self) -> Unchanged[StateT, MoveT, EventT, OptionsT]:
        """Return a new look at whether anything changes, for a session that sits here."""
        return Unchanged(self._segment.words, self._value, self.word, self._stakes, self._directory, self._notifier)

    def gallery(self) -> Gallery[StateT, MoveT, EventT, OptionsT]:
        """Return the place beside this table, where people look on."""
        return Gallery(Onlookers(self._segment, self.number), self._value, self._transactions, self._notifier)

    def look(self) -> Table[StateT, EventT]:
        """Return the table's value, read without a lock; while this session sits there, each commit is decoded once.

        A damaged table is made anew, under its lock; only then this raises `LockTimeout`.
        """
        try:
            return self._value.look()
        except DAMAGED:
            return self._transactions.remade()

    def sitting(self) -> tuple[Seat | None, ...]:
        """Return who sits where, without a lock."""
        return self.look().seats

    def waiting(self) -> Seat | None:
        """Return the person who waits here for one more, without a lock; None: nobody does.

        Most tables show by their header that nobody does.
        """
        header = self._value.header()
        if header is not None and (header.current is not None or not any(header.seats)):
            return None
        return rules_of_table.waiting(self.look(), self.game)

    # --- operations of the session that sits here ---------------------------------------------------------------------

    def sit(
        self, user: int, name: str, wanted: int | None = None, grace: float = 0.0, program: str = ""
    ) -> Table[StateT, EventT]:
        """Sit down after a purge, if possible on the seat that is `wanted`, and return the table's new value.

        A person takes over the seat that is held for them. `program` is a house player's. Raise `StoreError`,
        `LockTimeout` or `IllegalMove`: "table_full", "not_invited", or "house_yields" if the table is full but a house
        player goes: at once, or after the running game.
        """
        person = Seat(self._notifier.token, user, name, self._stakes.balance(user), grace, program)
        self.look_after()

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            if rules_of_table.seat_of(table, person.session) is not None:
                # The last leaving found the table busy, or a game about to begin: the seat was never given back.
                return Change(rules_of_table.line_back(table, person.session, now, self._clocks))
            if rules_of_table.held_for(table, user) is not None:
                return self.absence.taken_over(table, user, now)
            table = self._stakes.written(table)
            try:
                table = rules_of_table.sit(table, self.game, person, now, self._clocks, wanted)
            except IllegalMove as refusal:
                return Change(self._with_room(table, refusal))
            return Change(self.word.committed(table, now))

        table = self._transactions.carry_out("sit", decide, Cash.BANK_OR_TABLE)
        if rules_of_table.seat_of(table, person.session) is None:
            raise IllegalMove("house_yields")
        self.tend()
        return table

    def _with_room(self, table: Table[StateT, EventT], refusal: IllegalMove) -> Table[StateT, EventT]:
        """Return a full table with a house player who goes; raise the refusal, or "house_yields" if one goes anyway."""
        changed = rules_of_table.make_room(table) if refusal.reason == "table_full" else None
        if changed is None:
            raise refusal
        if changed is table:
            raise IllegalMove("house_yields")
        return changed

    def leave(self, *, removed: bool = False) -> None:
        """Leave the table (spec/poker.md 2.6); do nothing if this session does not sit here, or the BBS closes.

        `removed`: not by one's own wish, which the others are told (spec/poker.md 9.2).
        """

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return rules_of_table.leave(
                table, self.game, self._notifier.token, now, self._clocks, removed, cash, keeps=self._keeps
            )

        self.tend()
        try:
            self._transactions.leave(decide)
        except IllegalMove as refusal:
            if refusal.reason not in {"not_seated", "closing_down"}:
                raise

    def invite(self, level: Level) -> None:
        """Ask a house player to join; raise `IllegalMove`. The listener, which forks it, is not told of it here."""
        self._change("invite", lambda table: rules_of_table.invite(table, self._notifier.token, level))

    def dismiss(self) -> None:
        """Withdraw the last invitation, or send the house player away who came last; raise `IllegalMove`."""
        self._change("dismiss", lambda table: rules_of_table.dismiss(table, self._notifier.token))

    def broke(self) -> None:
        """Withdraw all invitations, because there are no CUBES for house players, and tell all."""
        self._change("broke", rules_of_table.broke)

    def say(self, text: str) -> None:
        """Send a chat line to everybody at the table."""
        self._change("chat", lambda table: rules_of_table.chat(table, self._notifier.token, text))
        self._tally.count(counters.CHAT)

    # --- by which texts a game is dealt -------------------------------------------------------------------------------

    def give_word(self, word: str) -> None:
        """Commit to a text with this word for the next game, told to all; raise `IllegalMove`.

        The session keeps the text, and reveals it by itself.
        """
        if not sealing.is_word(word):
            raise IllegalMove("bad_word", most=sealing.MOST_LETTERS)
        self._commit(sealing.commitment(self.word.new(word)), "session", told=True)
        self.word.by_hand = False

    def commit(self, digest: str, *, told: bool) -> None:
        """Commit to a text that a device of the player's holds; raise `IllegalMove`.

        `told`: the player has done so by hand, and reveals it so, too.
        """
        self._commit(digest, "device", told=told)
        self.word.by_hand = told

    def _commit(self, digest: str, custody: Custody, *, told: bool) -> None:
        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            token = self._notifier.token
            return Change(rules_of_table.commit(table, token, digest, custody, now, self._clocks, told=told))

        self._transactions.carry_out("word", decide, Cash.NONE)

    def reveal(self, text: str) -> None:
        """Reveal the text that this player is committed to; the last one deals. Raise `IllegalMove`, `StoreError`.

        If the bank cannot deal now, the text is revealed all the same, and a later look deals.
        """
        token, clocks = self._notifier.token, self._clocks

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return rules_of_table.reveal(table, self.game, token, text, cash, now, clocks)

        def postpone(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return Change(rules_of_table.postponed(rules_of_table.revealed(table, token, text), now, clocks))

        try:
            self._transactions.carry_out("reveal", decide, Cash.BANK_OR_TABLE)
        except StoreError as error:
            log.error("table %d: a game that begins waits for the bank: %s", self.number + 1, error)
            self._transactions.carry_out("reveal", postpone, Cash.NONE)

    def tend(self) -> None:
        """Commit to a text, or reveal it, if this session is to do so now; what fails is done at a later look."""
        if self._segment.head.closing:
            return
        if self.word.draw():
            self._transactions.tell_all()
        text = self.word.to_reveal()
        if text is None:
            return
        try:
            self.reveal(text)
        except (IllegalMove, LockTimeout, StoreError) as error:
            log.info("table %d: a text is not revealed yet: %s", self.number + 1, error)

    # --- games --------------------------------------------------------------------------------------------------------

    def choose(self, change: Callable[[OptionsT], OptionsT]) -> None:
        """Choose the options of the games to come as the master, told to all; raise `IllegalMove`.

        `change` makes them of the present ones, and may raise `IllegalMove`, too.
        """

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            token = self._notifier.token
            return Change(next_game.choose(table, self.game, token, self.options, change, now, self._clocks))

        self._transactions.carry_out("options", decide, Cash.NONE)

    def fund(self) -> None:
        """Take over what the bank says everybody owns, after CUBES came or went from outside the game."""

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return Change(rules_of_table.fund(table, self.game, self._notifier.token, cash))

        self._transactions.carry_out("fund", decide, Cash.BANK)

    def start(self, options: OptionsT | None = None) -> None:
        """Start a game as the master, by these options or the table's own; raise `IllegalMove` or `StoreError`.

        It is dealt once everybody's text is revealed; this session's own is at once.
        """
        self.begin(options)
        self.tend()

    def begin(self, options: OptionsT | None = None) -> None:
        """Freeze what the players are committed to, and no more; raise as `start`."""

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            token = self._notifier.token
            chosen = next_game.options_of(table, self.game, self.options) if options is None else options
            return rules_of_table.start(table, self.game, token, cash, self._chance, now, chosen, self._clocks)

        self.word.draw()
        self._transactions.carry_out("start", decide, Cash.BANK)

    def play(self, move: MoveT, after: Table[StateT, EventT] | None = None) -> None:
        """Make a move; raise `IllegalMove` or `StoreError`, and then nothing has changed.

        `after` is the value that it was chosen by, if that must not have changed meanwhile ("changed").
        """
        token, chance, clocks = self._notifier.token, self._chance, self._clocks

        def decide(table: Table[StateT, EventT], cash: Mapping[int, int], now: float) -> Change[StateT, EventT]:
            return rules_of_table.play(table, self.game, token, move, cash, chance, now, clocks, after)

        try:
            self._transactions.carry_out("play", decide, Cash.CHECKED)
        except IllegalMove as refusal:
            if refusal.reason == "changed":
                self.fund()  # if it was the cash: the next choice is made by what the bank says
            raise
        self._tally.count(counters.MOVES)

    def _change(self, verb: str, change: Callable[[Table[StateT, EventT]], Table[StateT, EventT]]) -> None:
        """Carry out an operation that has nothing to do with money."""
        self._transactions.carry_out(verb, lambda table, cash, now: Change(change(table)), Cash.NONE)

    # --- what every process does for every table ----------------------------------------------------------------------

    def hold(self, session: int, seconds: float) -> None:
        """Keep the seat of another session of this session's user for so long (`Absence.hold`), untold."""
        self.absence.hold(seconds, session, told=False)

    def is_held_for(self, user: int) -> bool:
        """Return whether a seat is held here for a user whose older session has ended; not at a damaged table."""
        try:
            return self.absence.is_held_for(user)
        except DAMAGED:
            return False

    def free_held(self, user: int) -> bool:
        """Free the seat that is held here for a user whose session has died; return whether there was one.

        Not at a damaged table. Raise `LockTimeout`, `StoreError`.
        """
        try:
            if not self.absence.end_hold(user):
                return False
        except DAMAGED:
            return False
        self.look_after()
        return True

    def take_over(self, row: tuple[int, bytes] | None = None, timeout: float = 0.0) -> bool:
        """Take over what another host has committed at this table, and wake those of this host whom it concerns.

        Return whether there was anything; there never is where there is one host. `row` is version and value of the
        table's row, if the caller has read it. Raise `LockTimeout` if the lock is not to be had within `timeout`
        seconds, and `StoreError`.
        """
        return self._transactions.take_over(row, timeout)

    def watch_over(self) -> None:
        """Check whether a process keeps a lock that this table needs; cheap, as it is done at every tick."""
        self._segment.watch_over(self._lock)

    def look_after(self, timeout: float = TIMEOUT, *, by_records: bool = False) -> None:
        """Purge dead sessions (spec/poker.md 9), serve clocks that ran out (10), finish abandoned closings.

        Cheap while there is nothing to do: a look at the header without a lock. A periodic duty does not wait for the
        lock (`timeout` 0): its holder does the same, and the next tick comes. `by_records`: dead is only a session
        whose record is free. Raise `LockTimeout`.
        """
        lives = self._directory.has if by_records else self._directory.lives
        if self._segment.head.closing or not (self._stakes.is_unsure or self._needs_care(lives)):
            return
        self._transactions.care(timeout)

    def _needs_care(self, lives: Callable[[int], bool]) -> bool:
        header = self._value.header()
        if header is None:
            return True
        overdue = header.deadline is not None and self._clock() >= max(header.deadline, self._value.no_clock_before)
        return overdue or header.override != 0 or any(token and not lives(token) for token in header.seats)
