"""One table in shared memory: a header every process reads without decoding, and the table's value, in two halves.

Owns the commit: write the half that is not live, then store the next commit number, whose parity selects the live half.
A process killed before that one store has changed nothing; after it, everything. Header and value are in the same half,
so they cannot disagree. Does not know the meaning of the value.

A half: master + 1, current + 1, pot, override, game, deadline in µs, invited, one session token per seat, length of the
value, checksum of the value, checksum of all these words (seeded with the commit number); then the value. The checksums
make lock-free reading safe in whatever order the stores become visible, and detect damaged memory.
"""

import struct
import time
from collections.abc import Sequence
from zlib import crc32

import msgspec

from yawc_poker.ipc.layout import (
    CELL_HEAD_BYTES,
    GAME_BYTES,
    GAME_IN_CELL,
    KEY_IN_CELL,
    WATCHED_IN_CELL,
    WORD_LIMIT,
    Block,
    Layout,
    Word,
)
from yawc_poker.ipc.semaphore import Mutex

_FIXED = 7
_CHECK = struct.Struct("=Q")
_TRIES = 200


class TornRead(Exception):
    """A table's live half cannot be read: another program has written over the segment."""


def table_name(games: Sequence[str], number: int) -> str:
    """Return what a table is called, as `poker 2`, by its number from 0 among all; `games` are what all of them play.

    Where its game is not known, it is called by its number from 1.
    """
    game = games[number] if number < len(games) else ""
    return f"{game} {games[: number + 1].count(game)}" if game else str(number + 1)


class Header(msgspec.Struct, frozen=True):
    """The part of a table that can be read without decoding it. Seats are numbered from 0; amounts are whole CUBES."""

    master: int | None = None
    """The seat that leads the table."""
    current: int | None = None
    """The seat whose clock runs."""
    pot: int = 0
    override: int = 0
    """Token of the session that closes the game and pays out; 0: none, and everybody may act."""
    game: int = 0
    deadline: float | None = None
    """Monotonic time in seconds, to the microsecond, when the clock of the current seat or of the table runs out, or
    the time for which a seat is held."""
    seats: tuple[int, ...] = ()
    """Session token per seat, 0: empty. Missing ones count as empty; `read` returns all of them."""
    invited: int = 0
    """The number of house players that the table waits for."""

    def words(self, seats: int) -> tuple[int, ...]:
        """Return the header as words; raise `ValueError` if it does not fit."""
        deadline = 0 if self.deadline is None else max(1, round(self.deadline * 1e6))
        master = 0 if self.master is None else self.master + 1
        current = 0 if self.current is None else self.current + 1
        empty = (0,) * (seats - len(self.seats))
        words = (master, current, self.pot, self.override, self.game, deadline, self.invited, *self.seats, *empty)
        if len(words) != _FIXED + seats or min(words) < 0 or max(words) > WORD_LIMIT:
            raise ValueError(f"header does not fit: {self}")
        return words


def header_from(words: list[int]) -> Header:
    """Return the header that these words encode."""
    master, current, pot, override, game, deadline, invited = words[:_FIXED]
    return Header(
        master - 1 if master else None,
        current - 1 if current else None,
        pot,
        override,
        game,
        deadline / 1e6 if deadline else None,
        tuple(words[_FIXED:]),
        invited,
    )


class Cell(Block):
    """A live view of table `index`, with its `lock`."""

    number = Word(0)
    """Commits so far; it changes with every change of the table."""
    key = Word(KEY_IN_CELL)
    watched = Word(WATCHED_IN_CELL)
    """0: nobody but those who sit there waits for commits. Else a number of the layers above, which they change."""

    def __init__(self, words: memoryview, memory: memoryview, layout: Layout, index: int, lock: Mutex) -> None:
        self.at = layout.tables_at + index * layout.cell_bytes
        super().__init__(words, self.at // 8)
        self.memory = memory
        self.index = index
        self.lock = lock
        self.seats = layout.seats
        self._half = layout.half
        self._step = layout.cell_bytes
        self._header = struct.Struct(f"={_FIXED + layout.seats + 2}Q")
        self._value_at = self._header.size + _CHECK.size

    @property
    def game(self) -> str:
        """Kind of the table's game, at most 24 ASCII characters; written once, when the segment is created."""
        return self._game_at(self.index)

    @game.setter
    def game(self, kind: str) -> None:
        start = self.at + 8 * GAME_IN_CELL
        self.memory[start : start + GAME_BYTES] = kind.encode("ascii").ljust(GAME_BYTES, b"\0")

    def _game_at(self, index: int) -> str:
        start = self.at + (index - self.index) * self._step + 8 * GAME_IN_CELL
        return bytes(self.memory[start : start + GAME_BYTES]).rstrip(b"\0").decode("ascii", "replace")

    @property
    def name(self) -> str:
        """What the table is called everywhere: its game, and which of that game's tables it is."""
        return table_name([self._game_at(index) for index in range(self.index + 1)], self.index)

    @property
    def capacity(self) -> int:
        """Maximum size of a value in bytes."""
        return self._half - self._value_at

    def commit(self, header: Header, value: bytes) -> int:
        """Make header and value the table's state and return the new commit number; the caller holds the table's lock.

        Raise `ValueError`, with nothing changed, if the value or the header does not fit.
        """
        return self._commit(self.number + 1, header, value)

    def remake(self, header: Header, value: bytes) -> int:
        """Commit to damaged memory, perhaps with a damaged number; raise `ValueError` as `commit` does.

        The new number has not been used before: there were fewer commits than nanoseconds since the machine's boot.
        """
        return self._commit(time.monotonic_ns(), header, value)

    def take(self, number: int, header: Header, value: bytes) -> None:
        """Commit what was committed elsewhere, under the number that it has there; the caller holds the table's lock.

        Raise `ValueError`, with nothing changed, if it does not fit. The number may be any. Where its parity is that of
        the live half, what is there is first committed again, into the other half, under the number after its own: so
        readers have a whole value at every moment. Whoever is killed there leaves a number that is not the one
        elsewhere, so the next one takes it.
        """
        self.refuse_unfit(header, value)
        live = self.number
        if live and live & 1 == number & 1:
            again = self._read(live, with_value=True)
            if again is not None:  # else it is damaged, and nobody reads it
                self._commit(live + 1, *again)
        self._commit(number, header, value)

    def refuse_unfit(self, header: Header, value: bytes) -> None:
        """Raise `ValueError` if the value or the header does not fit."""
        header.words(self.seats)
        if len(value) > self.capacity:
            raise ValueError(f"value of {len(value)} bytes, a table holds {self.capacity}")

    def _commit(self, number: int, header: Header, value: bytes) -> int:
        if len(value) > self.capacity:
            raise ValueError(f"value of {len(value)} bytes, a table holds {self.capacity}")
        head = self._header.pack(*header.words(self.seats), len(value), crc32(value))
        data = head + _CHECK.pack(crc32(head, number & 0xFFFFFFFF)) + value
        start = self._start(number)
        self.memory[start : start + len(data)] = data
        self.number = number
        return number

    def read(self) -> tuple[int, Header, bytes]:
        """Return number, header and value of one commit, without a lock; raise `TornRead`.

        A table without a commit reads as number 0, an empty header and b"".
        """
        for attempt in range(_TRIES):
            number = self.number
            found = self._read(number, with_value=True)
            if found is not None:
                return number, *found
            self._back_off(attempt)
        raise TornRead(f"table {self.name}: commit {self.number} cannot be read")

    def header(self) -> Header:
        """Return the header only, without a lock; raise `TornRead`."""
        for attempt in range(_TRIES):
            found = self._read(self.number, with_value=False)
            if found is not None:
                return found[0]
            self._back_off(attempt)
        raise TornRead(f"table {self.name}: header of commit {self.number} cannot be read")

    def _start(self, number: int) -> int:
        return self.at + CELL_HEAD_BYTES + (number & 1) * self._half

    def _read(self, number: int, *, with_value: bool) -> tuple[Header, bytes] | None:
        """Copy and check one commit; return None if it has been overwritten meanwhile.

        One commit during the copy is harmless: it filled the other half. The next one writes into this half, perhaps
        before its number is visible, so the checksums decide. They are seeded with the number to reject older commits.
        """
        if number == 0:
            return Header(seats=(0,) * self.seats), b""
        start = self._start(number)
        head = bytes(self.memory[start : start + self._value_at])
        *words, length, value_check = self._header.unpack_from(head)
        if _CHECK.unpack_from(head, self._header.size)[0] != crc32(head[: self._header.size], number & 0xFFFFFFFF):
            return None
        value = bytes(self.memory[start + self._value_at : start + self._value_at + length]) if with_value else b""
        if with_value and crc32(value) != value_check:
            return None
        return header_from(words), value

    @staticmethod
    def _back_off(attempt: int) -> None:
        """Retry at once a few times, then let the writer finish; all tries together take about 0.2 s."""
        if attempt >= 10:
            time.sleep(0.001)
