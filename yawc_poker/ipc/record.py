"""One slot of the directory: a session, as all processes see it.

Owns the encoding of a record. The layers above decide who may claim, free or change one, under the directory's lock;
the session itself writes its cursor, place and last input without a lock, because each is one word, and its peer, which
is read until two readings agree.

Invariants: the token is written last when a record is claimed and zeroed first when it is freed. So a reader that sees
the same token before and after has read one session. A text's length is written after its bytes.

    0 token (0: free)   3 user        6 X-messages waiting   9 end reason        16 length of name   17.. 80 bytes
    1 pid               4 place       7 last input, ms       10 last wait, ms    27 length of peer   28.. 64 bytes
    2 start             5 cursor      8 login, epoch s       11 muted, epoch s   14 spare            15 token put out
    13 pid of a process that passes on what comes and goes by the session's line; 0: none
    12 door, a number of the layers above; 0: not known      36 length of host   37..40 bytes

A record whose pid is 0 is that of a session on another host (`process.REMOTE`): this host's courier makes, changes and
frees it. Nobody here signals such a session, judges by a pid whether it lives, or counts for it.

Word 15 outlives the session: it is the token of the last session of this record that was killed for a lock it kept. A
process that finds its seat later knows by it that the player is not to blame.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, Self

import msgspec

from yawc_poker.ipc.layout import CLOSING, MAGIC, POSTED, WORD_LIMIT, Block, Word
from yawc_poker.ipc.process import Identity

TOKEN: Final = 0
PID: Final = 1
USER: Final = 3
PLACE: Final = 4
CURSOR: Final = 5
WAITING: Final = 6
LAST_INPUT: Final = 7
"""When the caller last pressed a key, monotonic milliseconds."""
_END_REASON: Final = 9
_DOOR: Final = 12
CARRIER: Final = 13
_NAME, _NAME_BYTES = 16, 80
_PEER, _PEER_BYTES = 27, 64
PEER: Final = range(_PEER, _PEER + 1 + _PEER_BYTES // 8)
"""The words of where it calls from."""
_HOST, _HOST_BYTES = 36, 32


class Place(msgspec.Struct, frozen=True):
    """The place of a session: a kind (0 to 65535, of the layers above) and perhaps a table and a seat, from 0."""

    kind: int = 0
    table: int | None = None
    seat: int | None = None

    def pack(self) -> int:
        """Return the place as one word."""
        table = 0 if self.table is None else self.table + 1
        seat = 0 if self.seat is None else self.seat + 1
        return self.kind << 32 | table << 16 | seat

    @classmethod
    def unpack(cls, word: int) -> Self:
        """Return the place that a word encodes."""
        table, seat = word >> 16 & 0xFFFF, word & 0xFFFF
        return cls(word >> 32 & 0xFFFF, table - 1 if table else None, seat - 1 if seat else None)


class SessionState(msgspec.Struct, frozen=True):
    """A session at one moment."""

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
    """Why this session must end; 0: it need not."""
    last_wait: float
    """When the session last waited for a lock or was in the bank, monotonic seconds; infinite: now, 0: never."""
    name: str
    peer: str
    door: int = 0
    """How the session's caller came in, a number of the layers above."""
    host: str = ""
    """The name of its host, if that is another one than this."""


class Record(Block):
    """A live view of slot `index` of the directory."""

    token = Word(TOKEN)
    user = Word(USER)
    cursor = Word(CURSOR)
    """Number of the last command read."""
    x_waiting = Word(WAITING)
    login_time = Word(8)
    put_out = Word(15)
    """Token of the last session here that was killed for a lock; kept when the record is freed or claimed."""
    end_reason = Word(_END_REASON)
    carrier = Word(CARRIER)
    """Process that passes on what comes and goes by the session's line, as one that encrypts it does; 0: none."""

    def __init__(self, words: memoryview, memory: memoryview, base: int, index: int) -> None:
        super().__init__(words, base)
        self.memory = memory
        self.index = index

    def unchanged_words(self, token: int) -> dict[int, int]:
        """Return the words, by index in the segment, with the values they have while there is nothing new to handle.

        While they have these values, the record belongs to the session, it need not end, it has read all commands, the
        BBS is not closing, and the segment is not being removed.
        """
        return {0: MAGIC, CLOSING: 0, POSTED: self.cursor, self.base: token, self.base + _END_REASON: 0}

    @property
    def identity(self) -> Identity:
        """The session's process; (0, 0) if there never was one."""
        return Identity(self.words[self.base + 1], self.words[self.base + 2])

    @property
    def is_remote(self) -> bool:
        """Whether the session of this record, if there is one, is on another host."""
        return self.words[self.base + PID] == 0

    @property
    def door(self) -> int:
        """How the session's caller came in, a number of the layers above; 0: not known."""
        return self.words[self.base + _DOOR]

    @property
    def place(self) -> Place:
        """The place of the session: one word, so no reader sees the table of one place and the seat of another."""
        return Place.unpack(self.words[self.base + PLACE])

    @place.setter
    def place(self, place: Place) -> None:
        self.words[self.base + PLACE] = place.pack()

    @property
    def last_input(self) -> float:
        """When the caller last pressed a key, monotonic seconds; stored in milliseconds."""
        return self.words[self.base + LAST_INPUT] / 1000

    @last_input.setter
    def last_input(self, when: float) -> None:
        self.words[self.base + LAST_INPUT] = int(when * 1000)

    @property
    def last_wait(self) -> float:
        """When the session last waited for a lock, or held the bank's lock and so may have waited for the disk.

        Monotonic seconds; infinite: now, 0: never.
        """
        return _moment(self.words[self.base + 10])

    @last_wait.setter
    def last_wait(self, when: float) -> None:
        self.words[self.base + 10] = WORD_LIMIT if math.isinf(when) else int(when * 1000)

    @property
    def muted_until(self) -> float:
        """The end of the user's mute in epoch seconds; infinite: for ever, 0: not muted."""
        word = self.words[self.base + 11]
        return math.inf if word == WORD_LIMIT else float(word)

    @muted_until.setter
    def muted_until(self, until: float) -> None:
        self.words[self.base + 11] = WORD_LIMIT if math.isinf(until) else math.ceil(until)

    @property
    def name(self) -> str:
        """The account's name: 80 bytes of UTF-8 at most, cut at a character if longer."""
        return self._text(_NAME, _NAME_BYTES)

    @name.setter
    def name(self, text: str) -> None:
        self._set_text(_NAME, _NAME_BYTES, text)

    @property
    def peer(self) -> str:
        """The origin of the caller; 64 bytes at most. Its session may change it at any moment: never a mixture of two.

        Empty while it is being written.
        """
        before, text = "", self._text(_PEER, _PEER_BYTES)
        while text != before:
            before, text = text, self._text(_PEER, _PEER_BYTES)
        return text

    @peer.setter
    def peer(self, text: str) -> None:
        self._set_text(_PEER, _PEER_BYTES, text)

    @property
    def host(self) -> str:
        """The name of the session's host, as far as it is another one; 32 bytes at most."""
        return self._text(_HOST, _HOST_BYTES) if self.is_remote else ""

    @host.setter
    def host(self, name: str) -> None:
        self._set_text(_HOST, _HOST_BYTES, name)

    def claim(self, identity: Identity, token: int, peer: str, door: int = 0) -> None:
        """Make this free record a new session's; the caller holds the directory's lock.

        The cursor starts at the last command posted: a new session reads nothing that was meant for the old one, and no
        sender waits for it to read an old command. Raise `ValueError` for token 0 or a record in use.
        """
        if token == 0 or self.token != 0:
            raise ValueError("a record is claimed once, with a token that is not 0")
        for index in range(1, 15):
            self.words[self.base + index] = 0
        self.name = ""
        self.peer = peer
        self.words[self.base + 1] = identity.pid
        self.words[self.base + 2] = identity.start
        self.words[self.base + _DOOR] = door
        self.cursor = self.words[POSTED]
        self.token = token

    def log_in(self, user: int, name: str, at: int) -> None:
        """Make this somebody's session who has just logged in; the caller holds the directory's lock."""
        self.name = name
        self.login_time = at
        self.user = user  # last: a reader that sees the user sees the name

    def free(self) -> None:
        """Free the record; the caller holds the directory's lock."""
        self.token = 0

    def state(self) -> SessionState | None:
        """Return the session, without a lock; None if the record is free or changes hands at this moment."""
        words = self.words[self.base : self.base + 11].tolist()
        name, peer, door, host = self.name, self.peer, self.words[self.base + _DOOR], self.host
        token, pid, start, user, place, cursor, x_waiting, last_input, login_time, end_reason, last_wait = words
        if token == 0 or self.token != token:
            return None
        return SessionState(
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
            door,
            host,
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
    """Return the record of the session with this pid, read in one operation as in `tokens`; pid 0 is nobody's here."""
    if pid == 0:
        return None
    pids = column(records, PID)
    found = (record for record, one in zip(records, pids, strict=True) if one == pid and record.token)
    return next(found, None)


def first_free(records: Sequence[Record], among: Iterable[int]) -> Record | None:
    """Return the first free one among these, None if there is none; read without the others' objects as in `tokens`."""
    words, base, step = records[0].words, records[0].base + TOKEN, _step(records)
    index = next((index for index in among if not words[base + step * index]), None)
    return None if index is None else records[index]


def tokens(records: Sequence[Record]) -> list[int]:
    """Return the tokens of all these records, which are contiguous; 0: free.

    They are read in one operation without the records' objects, whose memory a forked process would copy.
    """
    return column(records, TOKEN)


def column(records: Sequence[Record], word: int) -> list[int]:
    """Return one word of each of these records, which are contiguous, read in one operation as in `tokens`."""
    first = records[0]
    step = _step(records)
    return first.words[first.base + word : first.base + step * len(records) : step].tolist()


def _step(records: Sequence[Record]) -> int:
    return records[1].base - records[0].base if len(records) > 1 else 1


def standing_at(records: Sequence[Record], place: Place) -> list[Record]:
    """Return the records of the sessions at exactly this place, read in one operation as in `tokens`."""
    wanted, places = place.pack(), column(records, PLACE)
    return [record for record, one in zip(records, places, strict=True) if one == wanted and record.token]


def _moment(word: int) -> float:
    return math.inf if word == WORD_LIMIT else word / 1000
