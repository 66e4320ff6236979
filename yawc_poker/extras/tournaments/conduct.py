"""How tournaments go on: begun when they are due, tables reserved for matches, results read, rounds drawn, prizes paid.

Owns the order of the steps, each of which is one transaction of the bank's books or of a table. Any session does them,
at any time (`duties`): what one of them left half done when it was killed, the next one finds as it is, and goes on.

* The books say which table a match has; then that table is reserved, unless others sit there: then it gets another.
* While a match waits for a table, one where entrants play among themselves is claimed: they play no other game behind
  the running one.
* A table is released before its match is noted as over, so no reservation is left behind. With chips it stays reserved
  until all tables have played the hand, and is reserved anew for the next one, or released.
* Who is drawn and does not come is called again and again, until the house plays for them. Where nobody comes, or all
  have left, the match is over then: nobody waits for that table.
"""

import logging
from collections.abc import Collection, Iterator

import msgspec

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import Level
from yawc_poker.engine.reserving import CLAIM, is_free, is_idle, is_quiet
from yawc_poker.engine.values import AnyTable, Reserved, here, persons
from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.letters import write
from yawc_poker.extras.tournaments.matches import is_known, match_of, options_of
from yawc_poker.extras.tournaments.rows import Bout, Tournament
from yawc_poker.extras.tournaments.settings import TournamentSettings
from yawc_poker.ipc.broadcast import Command, Kind
from yawc_poker.registry.games import game_of

log = logging.getLogger(__name__)

SOON = 2.0
"""Seconds until the next look while matches are played."""
LATER = 60.0
"""Seconds until the next look otherwise, at most."""
NEXT_HAND = 30.0
"""Seconds that somebody is waited for between two hands for chips, at most."""
_AFTERWARDS = 3600.0
"""How long after its end a tournament's tables are looked for that are still reserved."""


def go_on(instance: Instance) -> float:
    """Do what is due in all tournaments; return how many seconds later there may be more to do.

    Those of a game that this program does not know wait for one that does.
    Raise `StoreError`, `LockTimeout`, and `IllegalMove` while the BBS closes.
    """
    store = instance.bank.store
    now = store.clock()
    with store.reading() as books:
        live = [one for one in rows.live(books) if is_known(one.kind)]
        has_ended = bool(rows.past(books, 1, now - _AFTERWARDS))
    for one in live:
        found = one
        if one.state == "open" and now >= one.starts:
            with store.writing() as books:
                rows.begin(books, now, one.id, filled=_is_filled(instance, one))
                found = rows.find(books, one.id)
            log.info("tournament %d begins: %s", one.id, one.name)
            if found.state != "open":  # a sysop has set its start meanwhile, by a clock that is ahead
                write(instance, found, found.state)
        if found.state == "running":
            _Round(instance, found, now).go_on()
    if has_ended or any(one.state == "running" for one in live):
        _release_others(instance)
    if any(one.state == "running" or one.starts <= now for one in live):
        return SOON
    return min((max(one.starts - now, SOON) for one in live), default=LATER)


def _is_filled(instance: Instance, one: Tournament) -> bool:
    """Return whether house players take the seats that are missing."""
    return instance.config.house.players > 0 and game_of(one.kind).has_house


def _release_others(instance: Instance) -> None:
    """Release the tables that are reserved for matches which are over, or have another table, or claimed in vain."""
    with instance.bank.store.reading() as books:
        taken, wanting = rows.places_taken(books), rows.wanting(books)
    for table in instance.tables:
        reserved = table.look().reserved
        mark = CLAIM if instance.segment.cells[table.number].game in wanting else None
        if reserved is not None and taken.get(table.number, mark) != reserved.mark:
            table.release(reserved.mark)


class _Round:
    """The round of a tournament that is played, as one session looks at it."""

    def __init__(self, instance: Instance, one: Tournament, now: float) -> None:
        self._instance, self._one, self._now = instance, one, now
        self._store = instance.bank.store
        self._settings = instance.config.of(TournamentSettings)
        self._entrants: Collection[int] = ()

    def go_on(self) -> None:
        """Do what is due at all its tables, and end it if they are done."""
        with self._store.reading() as books:
            self._entrants = rows.entrants(books, self._one.id)
        while self._step():  # the next round, too: its tables are reserved before those of this one are released
            pass

    def _step(self) -> bool:
        """Do what is due in the round; return whether another one has begun."""
        for bout in self._bouts():
            if bout.place is None:
                self._find_table(bout)
        bouts = self._bouts()
        for bout in bouts:
            if bout.place is not None and not self._is_done(bout):
                self._attend(bout)
        self._claim(sum(bout.place is None for bout in bouts))
        if self._bouts():
            return False
        with self._store.reading() as books:
            is_last = rows.is_last_round(books, self._one)
        if is_last:  # before the prizes: whoever is killed in between, another writes again
            write(self._instance, self._one, "over")
        former = self._one
        with self._store.writing() as books:
            rows.go_on(books, self._now, former, filled=_is_filled(self._instance, former))
            self._one = rows.find(books, former.id)
        return self._one.state == "running" and self._one.round > former.round

    def _bouts(self) -> list[Bout]:
        with self._store.reading() as books:
            return rows.bouts(books, self._one)

    # --- a table ------------------------------------------------------------------------------------------------------

    def _find_table(self, bout: Bout) -> None:
        if self._now - bout.began > self._settings.match_seconds:
            self._end(bout, self._unplayed(bout, ()), is_played=False)
            return
        free = self._free_tables(bout)
        if free:
            with self._store.writing() as books:
                rows.choose_place(books, self._now, self._one, bout.board, free)

    def _free_tables(self, bout: Bout) -> list[int]:
        """Return the tables where nobody sits, or none but entrants, who make room; where most of a match sit, first.

        So with chips nobody has to move who plays on with the same people.
        """
        free = [(table.number, value) for table, value in self._own_tables() if is_free(value) and is_idle(value)]
        theirs = {
            number: sum(who is not None and who.user in bout.users for who in value.seats) for number, value in free
        }
        return sorted(theirs, key=lambda number: (-theirs[number], number))

    def _claim(self, most: int) -> None:
        """Claim tables where entrants play among themselves, until so many are claimed."""
        busy = [(table, value) for table, value in self._own_tables() if is_free(value) and not is_idle(value)]
        others = [table for table, value in busy if value.reserved is None]
        for table in others[: max(0, most - (len(busy) - len(others)))]:
            table.claim()

    def _own_tables(self) -> Iterator[tuple[GameTable, AnyTable]]:
        """Yield the tables of the game where nobody sits but entrants and the house, with their values."""
        for table in self._instance.tables:
            if self._instance.segment.cells[table.number].game == self._one.kind:
                value = table.look()
                people = [who.user for who in value.seats if who is not None and not who.program]
                if all(user in self._entrants for user in people):
                    yield table, value

    def _table(self, bout: Bout) -> GameTable | None:
        """Return the table of a match; None: there is none any more by this configuration."""
        cells, place = self._instance.segment.cells, bout.place
        if place is None or place >= len(self._instance.tables) or cells[place].game != self._one.kind:
            return None
        return self._instance.tables[place]

    def _is_done(self, bout: Bout) -> bool:
        """Note what came of a match if it is over, or has taken too long; return whether it was so."""
        with self._store.reading() as books:
            points = rows.result(books, self._one, bout)
        if points is not None:
            self._end(bout, points, is_played=True)
            return True
        table, waited = self._table(bout), self._now - bout.began
        value = None if table is None else table.look()
        there = [] if value is None else [who.user for who in value.seats if who is not None and who.user in bout.users]
        is_reserved = value is not None and value.reserved is not None
        is_left = is_reserved and value is not None and is_idle(value) and not self._can_begin(value)
        if waited <= (self._patience(is_left=is_left) if is_left else self._settings.match_seconds):
            return False
        self._end(bout, self._unplayed(bout, there), is_played=False)
        return True

    def _can_begin(self, value: AnyTable) -> bool:
        """Return whether a match can begin by who is there, with house players for the others if they play here."""
        fewest = 1 if _is_filled(self._instance, self._one) else game_of(self._one.kind).fewest
        return bool(persons(value)) and len(here(value)) >= fewest

    def _patience(self, *, is_left: bool = False) -> float:
        """Return how long those are waited for who are not at their table.

        With chips, behind the first hand, not longer than a pause: they come for the next one. A table that all have
        left delays no other one.
        """
        if not match_of(self._one.kind).chips or self._one.round == 1:
            return self._settings.wait_seconds
        with self._store.reading() as books:
            is_played = rows.is_played(books, self._one)
        return min(self._settings.wait_seconds, NEXT_HAND) if is_played or not is_left else self._settings.wait_seconds

    def _unplayed(self, bout: Bout, there: Collection[int]) -> dict[int, int]:
        with self._store.reading() as books:
            return rows.unplayed(books, self._one, bout, there)

    def _end(self, bout: Bout, points: dict[int, int], *, is_played: bool) -> None:
        table = self._table(bout)
        if table is not None and not match_of(self._one.kind).chips:
            table.release(self._one.mark(bout.board))
        with self._store.writing() as books:
            rows.end_bout(books, self._now, self._one, bout, points, is_played=is_played)

    # --- its players --------------------------------------------------------------------------------------------------

    def _attend(self, bout: Bout) -> None:
        """Keep a table reserved for a match, call those who are not there, and let the house play for them in time."""
        table = self._table(bout)
        value = None if table is None else table.look()
        mark = self._one.mark(bout.board)
        is_new = value is None or value.reserved is None or value.reserved.mark != mark
        if is_new:
            value = self._reserve(table, bout)
        if table is None or value is None or value.reserved is None:
            return
        if is_quiet(value) and len(here(value)) < value.reserved.needed:
            self._call(table, value, bout)
            if not is_new and self._now - bout.began > self._patience() and persons(value):
                self._fill(table, value)

    def _reserve(self, table: GameTable | None, bout: Bout) -> AnyTable | None:
        """Reserve a table for a match, and return its value; None: the match has no table any more."""
        one = self._one
        with self._store.reading() as books:
            hand = rows.hand_of(books, one, bout) if match_of(one.kind).chips else None
        options = options_of(one.kind, one.length) if hand is None else msgspec.json.encode(hand).decode()
        fewest = game_of(one.kind).fewest
        needed = max(len(bout.users), fewest)
        try:
            if table is None:
                raise IllegalMove("occupied")
            reserved = Reserved(one.mark(bout.board), bout.users, needed, left=1)
            table.reserve(reserved, options, self._entrants)
        except IllegalMove as refusal:
            if refusal.reason != "occupied":
                raise
            with self._store.writing() as books:
                rows.leave_place(books, one, bout)
            return None
        with self._store.writing() as books:
            rows.wait_anew(books, self._now, one, bout)
        return table.look()

    def _call(self, table: GameTable, value: AnyTable, bout: Bout) -> None:
        """Ask those who are online, and not at the table, to come there."""
        sitting = {who.user for who in value.seats if who is not None}
        missing = {user for user in bout.users if user not in sitting}
        people = [person for person in self._instance.directory.people() if person.user in missing]
        payload = f"summons 0 {self._one.name or self._instance.config.bbs.name}".encode()
        notifier = self._instance.notifier
        if own := [person.index for person in people if not person.is_remote]:
            # Nobody's, so that it also reaches the session that has this duty, which hears nothing of its own.
            notifier.pass_on(Command(Kind.NOTICE, table.number, payload=payload), own)
        if remote := [person.index for person in people if person.is_remote]:
            notifier.tell(Kind.NOTICE, remote, table.number, payload)

    def _fill(self, table: GameTable, value: AnyTable) -> None:
        level: Level | None = self._instance.config.house.level if _is_filled(self._instance, self._one) else None
        if level is not None and value.reserved is not None:
            if len(value.invited) + len(here(value)) < value.reserved.needed:
                table.fill(level)
            self._instance.tell_listener()
        elif level is None:
            table.fill(None)
