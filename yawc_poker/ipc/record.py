"""One slot of the directory: a session, as all processes see it.

Owns the encoding of a record. Who may claim, free or change one is the business of the layers above, under the
directory's lock; the session itself writes its own cursor, place and last input without a lock, for each is one word.

Invariants: the token is written last when a record is claimed and zeroed first when it is freed, so whoever sees the
same token before and after reading has read one session. A text's length is written after its bytes.

    0 token (0: free)   3 user        6 X-messages waiting   9 end reason        16 length of name   17.. 80 bytes
    1 pid               4 place       7 last input, ms       10 last wait, ms    27 length of peer   28.. 64 bytes
    2 start             5 cursor      8 login, epoch s       11 muted, epoch s   12 to 14 spare      15 token put out

Word 15 outlives the session: the token of the last session of this record that was killed for a lock it kept. So
whoever finds its seat, later, knows that it went by no doing of its own.
"""

import math
from collections.abc import Sequence
from typing import Final, Self

import msgspec

from yawc_poker.ipc.layout import CLOSING, MAGIC, POSTED, WORD_LIMIT, Block, Word
from yawc_poker.ipc.process import Identity

TOKEN: Final = 0
_PID: Final = 1
CURSOR: Final = 5
_END_REASON: Final = 9
_NAME, _NAME_BYTES = 16, 80
_PEER, _PEER_BYTES = 27, 64


class Place(msgspec.Struct, frozen=True):
    """Where a session is: a kind (0 to 65535, of the layers above) and perhaps a table and a seat, from 0."""

    kind: int = 0
    table: int | None = None
    seat: int | None = None

    def pack(self) -> int:
        """Give the place as one word."""
        table = 0 if self.table is None else self.table + 1
        seat = 0 if self.seat is None else self.seat + 1
        return self.kind << 32 | table << 16 | seat

    @classmethod
    def unpack(cls, word: int) -> Self:
        """Read a place from its word."""
        table, seat = word >> 16 & 0xFFFF, word & 0xFFFF
        return cls(word >> 32 & 0xFFFF, table - 1 if table else None, seat - 1 if seat else None)


class Snapshot(msgspec.Struct, frozen=True):
    """A session as it was at one moment."""

    index: int
    token: int
    identity: Identity
    user: int
    """Account, 0: not logged in yet."""
    place: Place
    cursor: int
    x_waiting: int
    last_input: float
    """Monotonic seconds."""
    login_time: int
    """Epoch seconds, 0: not logged in yet."""
    end_reason: int
    """Why this session shall end, 0: it need not."""
    last_wait: float
    """When the session last waited for a lock or was in the bank, monotonic seconds; infinite: now, 0: it never did."""
    name: str
    peer: str


class Record(Block):
    """Slot `index` of the directory, live."""

    token = Word(TOKEN)
    user = Word(3)
    cursor = Word(CURSOR)
    """Number of the last command read."""
    x_waiting = Word(6)
    login_time = Word(8)
    put_out = Word(15)
    """Token of the last session here that was killed for a lock; it stays when the record is freed and claimed."""
    end_reason = Word(_END_REASON)

    def __init__(self, words: memoryview, memory: memoryview, base: int, index: int) -> None:
        super().__init__(words, base)
        self.memory = memory
        self.index = index

    def unchanged_words(self, token: int) -> dict[int, int]:
        """Give the words, by their places in the segment, whose values say that there is nothing new for this session.

        As long as they have these values: the record is its own, it need not end, it has read everything posted; the
        BBS is not closing, and nobody has begun to remove the segment.
        """
        return {0: MAGIC, CLOSING: 0, POSTED: self.cursor, self.base: token, self.base + _END_REASON: 0}

    @property
    def identity(self) -> Identity:
        """The session's process; (0, 0) where there never was one."""
        return Identity(self.words[self.base + 1], self.words[self.base + 2])

    @property
    def place(self) -> Place:
        """Where the session is; one word, so a reader never sees the table of one place and the seat of another."""
        return Place.unpack(self.words[self.base + 4])

    @place.setter
    def place(self, place: Place) -> None:
        self.words[self.base + 4] = place.pack()

    @property
    def last_input(self) -> float:
        """When the caller last pressed a key, monotonic seconds; stored in milliseconds."""
        return self.words[self.base + 7] / 1000

    @last_input.setter
    def last_input(self, when: float) -> None:
        self.words[self.base + 7] = int(when * 1000)

    @property
    def last_wait(self) -> float:
        """When the session last waited for a lock, or held the bank's and so may have waited for the disk.

        Monotonic seconds; infinite: it does now, 0: it never did.
        """
        return _moment(self.words[self.base + 10])

    @last_wait.setter
    def last_wait(self, when: float) -> None:
        self.words[self.base + 10] = WORD_LIMIT if math.isinf(when) else int(when * 1000)

    @property
    def muted_until(self) -> float:
        """Until when the user may not write to others, epoch seconds; infinite: for ever, 0: he may."""
        word = self.words[self.base + 11]
        return math.inf if word == WORD_LIMIT else float(word)

    @muted_until.setter
    def muted_until(self, until: float) -> None:
        self.words[self.base + 11] = WORD_LIMIT if math.isinf(until) else math.ceil(until)

    @property
    def name(self) -> str:
        """The account's name; 80 bytes of UTF-8 at most, what is longer is cut at a character."""
        return self._text(_NAME, _NAME_BYTES)

    @name.setter
    def name(self, text: str) -> None:
        self._set_text(_NAME, _NAME_BYTES, text)

    @property
    def peer(self) -> str:
        """Where the caller comes from; 64 bytes at most."""
        return self._text(_PEER, _PEER_BYTES)

    def claim(self, identity: Identity, token: int, peer: str) -> None:
        """Make this record a new session's; the caller holds the directory's lock and saw it free.

        The cursor starts at the last command posted: a new session hears nothing that was meant for the old one, and
        no sender waits for it on account of an old command. Raises `ValueError` for token 0 or a record in use.
        """
        if token == 0 or self.token != 0:
            raise ValueError("a record is claimed once, with a token that is not 0")
        for index in range(1, 15):
            self.words[self.base + index] = 0
        self.name = ""
        self._set_text(_PEER, _PEER_BYTES, peer)
        self.words[self.base + 1] = identity.pid
        self.words[self.base + 2] = identity.start
        self.cursor = self.words[POSTED]
        self.token = token

    def free(self) -> None:
        """Give the record back; the caller holds the directory's lock."""
        self.token = 0

    def snapshot(self) -> Snapshot | None:
        """Read the session without a lock; None if the record is free or changes hands this very moment."""
        words = self.words[self.base : self.base + 11].tolist()
        name, peer = self.name, self.peer
        token, pid, start, user, place, cursor, x_waiting, last_input, login_time, end_reason, last_wait = words
        if token == 0 or self.token != token:
            return None
        return Snapshot(
            self.index,
            token,
            Identity(pid, start),
            user,
            Place.unpack(place),
            cursor,
            x_waiting,
            last_input / 1000,
            login_time,
            end_reason,
            _moment(last_wait),
            name,
            peer,
        )

    def _text(self, index: int, limit: int) -> str:
        length = min(self.words[self.base + index], limit)
        start = (self.base + index + 1) * 8
        return bytes(self.memory[start : start + length]).decode("utf-8", "replace")

    def _set_text(self, index: int, limit: int, text: str) -> None:
        data = text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore").encode()
        start = (self.base + index + 1) * 8
        self.words[self.base + index] = 0
        self.memory[start : start + len(data)] = data
        self.words[self.base + index] = len(data)


def with_pid(records: Sequence[Record], pid: int) -> Record | None:
    """Return the record of the session that is this process; read at one go, as `tokens` is."""
    first = records[0]
    step = records[1].base - first.base if len(records) > 1 else 1
    pids = first.words[first.base + _PID : first.base + step * len(records) : step].tolist()
    found = (record for record, one in zip(records, pids, strict=True) if one == pid and record.token)
    return next(found, None)


def tokens(records: Sequence[Record]) -> list[int]:
    """Give the tokens of all these records, which lie in a row; 0: free.

    Read at one go, by no record's object: a forked process would make all of their memory its own.
    """
    first = records[0]
    step = records[1].base - first.base if len(records) > 1 else 1
    return first.words[first.base : first.base + step * len(records) : step].tolist()


def _moment(word: int) -> float:
    return math.inf if word == WORD_LIMIT else word / 1000
