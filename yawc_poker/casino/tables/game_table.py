"""A table in shared memory, with all that a session can do there. Every operation is one transaction.

Authority is decentral: every process holds the whole program, and `engine.table` decides what it may do from the
table's value, under the table's lock. This module owns the operations; it knows no rule of any game (it is given a
game's module) and never draws. The order of a transaction is `transaction`'s, the bank's part of it `stakes`'s, the
layout of a value in shared memory `table_cell`'s.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.gallery import Gallery
from yawc_poker.casino.tables.own_word import OwnWord
from yawc_poker.casino.tables.table_cell import DAMAGED, TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.casino.tables.transaction import REVEAL, Cash, Cubes, Transactions
from yawc_poker.casino.tables.unchanged import Unchanged
from yawc_poker.engine import absence, company, hints, kept, next_game, opening, reserving, sealing
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.events import Phrase
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import Level, is_house
from yawc_poker.engine.sealing import Custody
from yawc_poker.engine.values import AnyChange, AnyTable, Change, Reserved, Seat, seat_of
from yawc_poker.ipc.semaphore import TIMEOUT, LockTimeout

log = logging.getLogger(__name__)


class GameTable:
    """One table and its game, as one session uses it."""

    def __init__(self, context: TableContext, rules: TableRules, cell: TableCell) -> None:
        """`cell` is where the table's value is (`casino.instance.instance.game_table`)."""
        self.context, self.rules = context, rules
        self._value = cell
        self._transactions = Transactions(context, rules, self._value)
        self.word = OwnWord(context, rules, self._value)
        """This session's texts for the games to come."""
        self._is_late = False
        """The last text to reveal is not revealed yet, which is in the log."""

    @property
    def number(self) -> int:
        """The table's number in the segment."""
        return self.context.number

    @property
    def name(self) -> str:
        """What the table is called everywhere, as `poker 2`."""
        return self.context.cell.name

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def commit_number(self) -> int:
        """Number of the last commit, which shows without decoding whether anything changed."""
        return self.context.cell.number

    def unchanged(self, *, sits: bool) -> Unchanged:
        """Return a new look at whether anything changes, for a session that `sits` here, or looks on."""
        return Unchanged(self.context, self._value, self.word if sits else None)

    def gallery(self) -> Gallery:
        """Return the place beside this table, where people look on."""
        return Gallery(self.context, self._value, self._transactions)

    def look(self) -> AnyTable:
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
        """Return the person who waits here for one more, without a lock, or None if nobody does.

        Most tables show by their header that nobody does.
        """
        header = self._value.header()
        if header is not None and (header.current is not None or not any(header.seats)):
            return None
        return rules_of_table.waiting(self.look(), self.rules.game)

    # --- operations of the session that sits here ---------------------------------------------------------------------

    def sit(self, user: int, name: str, wanted: int | None = None, grace: float = 0.0, program: str = "") -> AnyTable:
        """Sit down after a purge, if possible on the seat that is `wanted`, and return the table's new value.

        A person takes over the seat that is held for them. `program` is a house player's. Raise `StoreError`,
        `LockTimeout` or `IllegalMove`: "table_full", "not_invited", or "house_yields" if the table is full but a house
        player goes: at once, or after the running game.
        """
        stakes, game, clocks = self.context.stakes, self.rules.game, self.rules.clocks
        person = Seat(self.context.session, user, name, stakes.balance(user), grace, program)
        self.maintain()

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            if seat_of(table, person.session) is not None:
                # The last leaving found the table busy, or a game about to begin: the seat was never given back.
                return Change(absence.line_back(table, person.session, now, clocks))
            if absence.held_for(table, user) is not None:
                return self._taken_over(table, user, now)
            table = stakes.written(table)
            try:
                table = rules_of_table.sit(table, game, person, now, clocks, wanted)
            except IllegalMove as refusal:
                return Change(_with_room(table, refusal))
            return Change(self.word.committed(table, now))

        table = self._transactions.carry_out("sit", decide, Cash.BANK_OR_TABLE)
        if seat_of(table, person.session) is None:
            raise IllegalMove("house_yields")
        self.tend()
        return table

    def leave(self, *, removed: bool = False) -> None:
        """Leave the table (spec/poker.md 2.6); do nothing if this session does not sit here, or the BBS closes.

        `removed`: not by one's own wish, which the others are told (spec/poker.md 9.2).
        """
        game, clocks, keeps = self.rules.game, self.rules.clocks, self.rules.keeps

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            return rules_of_table.leave(table, game, self.context.session, now, clocks, removed, cash, keeps=keeps)

        self.tend()
        with _unless_gone():
            self._transactions.leave(decide)

    def invite(self, level: Level) -> None:
        """Ask a house player to join; raise `IllegalMove`. The listener, which forks it, is not told of it here."""
        self._change("invite", lambda table, now: company.invite(table, self.context.session, level))

    def dismiss(self) -> None:
        """Withdraw the last invitation, or send the house player away who came last; raise `IllegalMove`."""
        self._change("dismiss", lambda table, now: company.dismiss(table, self.context.session))

    def house_says(self, phrase: Phrase) -> None:
        """Tell all what a house player says, if none has said anything lately; raise `IllegalMove`."""
        self._change("house says", lambda table, now: company.speak(table, self.context.session, phrase))

    def say(self, text: str) -> None:
        """Send a chat line to everybody at the table."""
        self._change("chat", lambda table, now: rules_of_table.chat(table, self.context.session, text))
        self.context.notifier.tally.count(counters.CHAT)

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
        token, clocks = self.context.session, self.rules.clocks
        self._change("word", lambda table, now: opening.commit(table, token, digest, custody, now, clocks, told=told))

    def reveal(self, text: str) -> None:
        """Reveal the text that this player is committed to; the last one deals. Raise `IllegalMove`, `StoreError`.

        If the bank cannot deal now, the text is revealed all the same, and a later look deals.
        """
        token, clocks = self.context.session, self.rules.clocks

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            return rules_of_table.reveal(table, self.rules.game, token, text, cash, now, clocks)

        def postpone(table: AnyTable, now: float) -> AnyTable:
            return opening.postponed(opening.revealed(table, token, text), now, clocks)

        try:
            self._transactions.carry_out(REVEAL, decide, Cash.BANK_OR_TABLE)
        except StoreError as error:
            log.error("table %s: a game that begins waits for the bank: %s", self.name, error)
            self._change(REVEAL, postpone)

    def tend(self) -> None:
        """Commit to a text, or reveal it, if this session is to do so now; what fails is done at a later look."""
        if not self.word.is_owed or self.context.segment.head.closing:
            return
        if self.word.draw():
            self._transactions.tell_all()
        text = self.word.to_reveal()
        if text is None:
            return
        try:
            self.reveal(text)
            self._is_late = False
        except (IllegalMove, LockTimeout, StoreError) as error:
            if not self._is_late:  # every look tries again
                log.info("table %s: a text is not revealed yet: %s", self.name, error)
            self._is_late = True

    # --- games --------------------------------------------------------------------------------------------------------

    def choose(self, change: Callable[[object], object]) -> None:
        """Choose the options of the games to come as the master, told to all; raise `IllegalMove`.

        `change` makes them of the present ones, and may raise `IllegalMove`, too.
        """
        game, options, clocks = self.rules.game, self.rules.options, self.rules.clocks
        self._change(
            "options",
            lambda table, now: next_game.choose(table, game, self.context.session, options, change, now, clocks),
        )

    def allow_hints(self, *, on: bool) -> None:
        """Allow hints in the games to come, or not, as the master, told to all; raise `IllegalMove`."""
        clocks = self.rules.clocks
        self._change(
            "options", lambda table, now: hints.allow(table, self.context.session, on=on, now=now, clocks=clocks)
        )

    def take_hint(self) -> None:
        """Note that this player takes hints in the running game, told to all once; raise `IllegalMove`."""
        self._change("hint", lambda table, now: hints.take(table, self.rules.game, self.context.session, now))

    def fund(self) -> None:
        """Take over what the bank says everybody owns, after CUBES came or went from outside the game."""

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            return Change(rules_of_table.fund(table, self.rules.game, self.context.session, cash))

        self._transactions.carry_out("fund", decide, Cash.BANK)

    def start(self, options: object = None) -> None:
        """Start a game as the master, by these options or the table's own; raise `IllegalMove` or `StoreError`.

        It is dealt once everybody's text is revealed; this session's own is at once.
        """
        self.begin(options)
        self.tend()

    def begin(self, options: object = None) -> None:
        """Freeze what the players are committed to, and no more; raise as `start`.

        House players who have too few CUBES for it borrow them before.
        """
        context, game, usual, clocks = self.context, self.rules.game, self.rules.options, self.rules.clocks

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            chosen = next_game.options_of(table, game, usual) if options is None else options
            return rules_of_table.start(table, game, context.session, cash, context.chance, now, chosen, clocks)

        self.word.draw()
        self._lend()
        self._transactions.carry_out("start", decide, Cash.BANK)

    def _lend(self) -> None:
        """Let house players who sit here borrow what the next game takes, if this session may start it."""
        value, ante = self.look(), self.rules.ante(self.look())
        house = [who.user for who in value.seats if who is not None and is_house(who.user)]
        seat = seat_of(value, self.context.session)
        if not ante or not house or seat is None:
            return
        with suppress(IllegalMove):  # which is told by the start itself
            rules_of_table.may_start(value, self.rules.game, seat, self.context.clock())
            self.context.stakes.lend(house, ante)

    def play(self, move: object, after: AnyTable | None = None) -> None:
        """Make a move; raise `IllegalMove` or `StoreError`, and then nothing has changed.

        `after` is the value that it was chosen by, if that must not have changed meanwhile ("changed").
        """
        context, game, clocks = self.context, self.rules.game, self.rules.clocks

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            return rules_of_table.play(table, game, context.session, move, cash, context.chance, now, clocks, after)

        try:
            self._transactions.carry_out("play", decide, Cash.CHECKED)
        except IllegalMove as refusal:
            if refusal.reason == "changed":
                self.fund()  # if it was the cash: the next choice is made by what the bank says
            raise
        context.notifier.tally.count(counters.MOVES)

    def _change(self, verb: str, change: Callable[[AnyTable, float], AnyTable]) -> AnyTable:
        """Carry out an operation that has nothing to do with money, and return the table's new value."""
        return self._transactions.carry_out(verb, lambda table, cash, now: Change(change(table, now)), Cash.NONE)

    # --- a table that is reserved (`engine.reserving`); by any session ------------------------------------------------

    def reserve(self, reserved: Reserved, options: str, going: Collection[int] = ()) -> None:
        """Reserve a table, for games by these options (JSON; empty: the usual ones). Raise "occupied".

        House players, and users who are `going`, lose the seats that they have here between games. By the same mark
        again it changes nothing. All three of these raise `StoreError` and `LockTimeout`, too.
        """
        game, clocks = self.rules.game, self.rules.clocks

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            for session in reserving.shown_out(table, going, reserved):
                table = rules_of_table.leave(table, game, session, now, clocks, removed=True, cash=cash).table
            return Change(reserving.reserve(table, reserved, options))

        self._transactions.carry_out("reserve", decide, Cash.BANK_OR_TABLE)

    def claim(self) -> None:
        """Let no game begin behind the one that runs, so that the table can be reserved then."""
        self._change("claim", lambda table, now: reserving.claim(table))

    def release(self, mark: str) -> None:
        """Take back the reservation by this mark, if there is one."""
        self._change("release", lambda table, now: reserving.release(table, mark))

    def fill(self, level: Level | None) -> None:
        """Let house players of this level play for those who have not come, or are away; None: do without them.

        Who is away loses the seat. The listener, which forks house players, is not told of it here.
        """
        game, clocks = self.rules.game, self.rules.clocks

        def decide(table: AnyTable, cash: Cubes, now: float) -> AnyChange:
            for session in reserving.absent(table) if level is not None else ():
                table = rules_of_table.leave(table, game, session, now, clocks, removed=True, cash=cash).table
            return Change(reserving.filled(table, level, game.FEWEST))

        self._transactions.carry_out("fill", decide, Cash.BANK_OR_TABLE)

    # --- people who lose their line and come back (`engine.absence`) ------------------------------------------

    def hold(self, seconds: float, session: int | None = None, *, told: bool = True) -> None:
        """Keep the seat of this session, or of another one, for so long: its line is gone, or another one is coming.

        Do nothing if it sits nowhere here, or the BBS closes. Raise `LockTimeout`, or `StoreError` if a bet that this
        session could not see booked cannot be taken back now; then the seat is not held.
        """
        whose, clocks = self.context.session if session is None else session, self.rules.clocks
        with _unless_gone():
            self._change("hold", lambda table, now: absence.hold(table, whose, now, now + seconds, clocks, told=told))

    def line_back(self) -> None:
        """Note that this session's line is back, told to all. As `hold` otherwise."""
        token, clocks = self.context.session, self.rules.clocks
        with _unless_gone():
            self._change("back", lambda table, now: absence.line_back(table, token, now, clocks))

    def wake(self) -> None:
        """Note that this session's caller is awake, told to all if they were away. As `hold` otherwise."""
        token, clocks = self.context.session, self.rules.clocks
        with _unless_gone():
            self._change("wake", lambda table, now: absence.wake(table, token, now, clocks))

    def take_over_seat(self, user: int) -> AnyTable:
        """Take over the seat that is held for a user, whatever became of the session that had it.

        The session in it is exchanged, and a bet goes back that the old one may have left between ledger and table.
        Return the table's new value. Raise `IllegalMove` "not_seated" if none is held any more, `StoreError`,
        `LockTimeout`.
        """
        return self._transactions.carry_out(
            "take over", lambda table, cash, now: self._taken_over(table, user, now), Cash.NONE
        )

    def _taken_over(self, table: AnyTable, user: int, now: float) -> AnyChange:
        """Decide that; the table's lock is held."""
        seat = absence.held_for(table, user)
        if seat is not None and not rules_of_table.is_closing(table, self.rules.game):
            table = self.context.stakes.take_back_unseen(table, seat)
        return Change(absence.take_over(table, user, self.context.session, now, self.rules.clocks))

    def is_held_for(self, user: int) -> bool:
        """Return whether a seat is held here for a user whose older session has ended; not at a damaged table.

        Without a lock. The value is decoded only where a session sits that is not in the directory.
        """
        try:
            return self._has_stranger(self.context.directory.has) and (
                absence.held_for(self._value.look(), user) is not None
            )
        except DAMAGED:
            return False

    def is_kept_for(self, user: int) -> bool:
        """Return whether a seat is kept for a user in the running game, with a house player as stand-in or waited for.

        Without a lock. The value is decoded only where one plays or is waited for; not at a damaged table.
        """
        header = self._value.header()
        if header is None or header.current is None:
            return False
        at, house = self.context.directory.at, [index_of(token) for token in header.seats if token]
        if not header.invited and not any((one := at(index)) is not None and one.is_house for index in house):
            return False
        try:
            return kept.kept_for(self._value.look(), user) is not None
        except DAMAGED:
            return False

    def free_held(self, user: int) -> bool:
        """Free the seat that is held here for a user whose session has died; return whether there was one.

        A session that lives is asked to end by others, and frees its seat itself. Not at a damaged table. Raise
        `LockTimeout`, `StoreError`.
        """
        try:
            is_held = self._has_stranger(self.context.directory.is_in) and self._has_dead_holder(
                self._value.look(), user
            )
        except DAMAGED:
            return False
        if is_held:

            def end_hold(table: AnyTable, now: float) -> AnyTable:
                return absence.end_hold(table, user, now) if self._has_dead_holder(table, user) else table

            with _unless_gone():
                self._change("end hold", end_hold)
            self.maintain()
        return is_held

    def _has_stranger(self, is_here: Callable[[int], bool]) -> bool:
        """Return whether the header has the token of a session that is not here; not at a damaged table."""
        header = self._value.header()
        return header is not None and any(token and not is_here(token) for token in header.seats)

    def _has_dead_holder(self, table: AnyTable, user: int) -> bool:
        """Return whether a seat is held for a user by a session that does not live any more."""
        seat = absence.held_for(table, user)
        who = None if seat is None else table.seats[seat]
        return who is not None and not self.context.directory.is_in(who.session)

    # --- what every process does for every table ----------------------------------------------------------------------

    def take_over(self, row: tuple[int, bytes] | None = None, timeout: float = 0.0) -> bool:
        """Take over what another host has committed at this table, and wake those of this host whom it concerns.

        Return whether there was anything; there never is where there is one host. `row` is version and value of the
        table's row, if the caller has read it. Raise `LockTimeout` if the lock is not to be had within `timeout`
        seconds, and `StoreError`.
        """
        return self._transactions.take_over(row, timeout)

    def check_locks(self) -> None:
        """Check whether a process keeps a lock that this table needs; cheap, as it is done at every tick."""
        self.context.segment.check_locks(self.context.cell.lock)

    def maintain(self, timeout: float = TIMEOUT, *, by_records: bool = False) -> None:
        """Purge dead sessions (spec/poker.md 9), serve clocks that ran out (10), finish abandoned closings.

        Cheap while there is nothing to do: a look at the header without a lock. A periodic duty does not wait for the
        lock (`timeout` 0): its holder does the same, and the next tick comes. `by_records`: dead is only a session
        whose record is free. Raise `LockTimeout`.
        """
        context = self.context
        lives = context.directory.has if by_records else context.directory.lives
        if context.segment.head.closing or not (context.stakes.is_unsure or self._is_due(lives)):
            return
        self._transactions.maintain(timeout)

    def _is_due(self, lives: Callable[[int], bool]) -> bool:
        header = self._value.header()
        if header is None:
            return True
        deadline, now = header.deadline, self.context.clock
        overdue = deadline is not None and now() >= max(deadline, self._value.no_clock_before)
        return overdue or header.override != 0 or any(token and not lives(token) for token in header.seats)


def _with_room(table: AnyTable, refusal: IllegalMove) -> AnyTable:
    """Return a full table with a house player who goes; raise the refusal, or "house_yields" if one goes anyway."""
    changed = company.make_room(table) if refusal.reason == "table_full" else None
    if changed is None:
        raise refusal
    if changed is table:
        raise IllegalMove("house_yields")
    return changed


@contextmanager
def _unless_gone() -> Iterator[None]:
    """Let an operation of somebody who does not sit here any more, or of a BBS that closes, do nothing."""
    try:
        yield
    except IllegalMove as refusal:
        if refusal.reason not in {"not_seated", "closing_down"}:
            raise
