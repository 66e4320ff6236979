"""The binary layout of the shared segment. Moves no data itself.

All numbers are unsigned 64-bit words in native byte order, at offsets that are multiples of 8. They are stored one by
one through `memoryview.cast("Q")`, which is a single store of the processor. `struct.pack_into` is never used on a live
word: it writes zeroes first, so that a reader could see half a number, or a SIGKILL leave one.

    head        4096 bytes    see `Head`; word 0, the magic, is written last of all at creation
    directory   512 * sessions    one `Record` per session (record.py)
    ring        slot_bytes * slots    one slot per command (broadcast.py)
    tables      cell_bytes * tables   one `Cell` per table (cell.py): a head of 8 words, two halves
    metrics     metrics_bytes   counts: of ended sessions, a block per session, the listener's (metrics.py)

The words marked * keep their place and meaning in every future version of the layout, so that a segment of an unknown
version can be cleaned up.

    0 magic*        5 slots          10 boot id (2nd half)   15 listener's pid     20 last number posted
    1 version*      6 payload        11 key of directory*    16 listener's start   21 posts that waited
    2 size*         7 half           12 key of bank*         17 closing            22 unread commands overwritten
    3 sessions      8 seats          13 key of broadcast*    18 unlock: 1 timed    23 readers that were overrun
    4 tables*       9 boot id        14 created, epoch s     19 unlock_ms          24 tables at*   25 cell_bytes*
    26 listening since, epoch s (0: not known)      27 last logged that the bank is slow, ms
    28 to 30: how often the locks of directory, bank and broadcast have been taken
    64 to 127: the layers above (`user_words`)
    In a cell: word 0 the commit number, word 1 the key of the table's lock*, words 2 to 4 the kind of the table's
    game, as up to 24 ASCII characters, word 5 how often the table's lock has been taken, word 6 whether others than
    those who sit there wait for its commits (a number of the layers above, 0: nobody does).
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from yawc_poker.ipc.process import Identity

MAGIC: Final = int.from_bytes(b"YAWCseg1", "little")
LAYOUT_VERSION: Final = 8
HEAD_BYTES: Final = 4096
RECORD_BYTES: Final = 512
SLOT_HEAD_BYTES: Final = 104
CELL_HEAD_BYTES: Final = 64
KEY_WORDS: Final = (11, 12, 13)
TAKEN_WORDS: Final = (28, 29, 30)
KEY_IN_CELL: Final = 1
GAME_IN_CELL: Final = 2
GAME_BYTES: Final = 24
TAKEN_IN_CELL: Final = 5
WATCHED_IN_CELL: Final = 6
CLOSING: Final = 17
TIMED: Final = 18
POSTED: Final = 20
USER_WORDS_AT: Final = 64
USER_WORDS: Final = 64
"""Words of the head for the layers above."""
_USERS: dict[int, str] = {}
"""Who uses which of them."""
METRIC_WORDS: Final = 256
"""Words of a block of counts; the layers above define the meaning of each."""
METRIC_HALF_WORDS: Final = METRIC_WORDS + 16
METRIC_HEAD_BYTES: Final = 6144
"""The commit number and both halves of the total of ended sessions, rounded up to whole blocks."""
_PAGE: Final = 4096
WORD_LIMIT: Final = 2**64 - 1


def user_words(owner: str, numbers: Iterable[int]) -> tuple[int, ...]:
    """Take some of the head's words for one owner, a module. Raise `ValueError` for one that another has."""
    taken = tuple(numbers)
    for number in taken:
        if not 0 <= number < USER_WORDS or _USERS.setdefault(number, owner) != owner:
            raise ValueError(f"{owner}: word {number} of the head is {_USERS.get(number, 'not there')}")
    return taken


class Layout(msgspec.Struct, frozen=True):
    """Numbers and sizes of the segment's parts. Raises `ValueError` if they are impossible."""

    sessions: int = 500
    tables: int = 8
    slots: int = 256
    """Commands in the ring."""
    payload: int = 256
    """Maximum payload of a command in bytes."""
    half: int = 40960
    """Bytes of one half of a table: its header and its value."""
    seats: int = 8
    """Seats in a table's header."""

    def __post_init__(self) -> None:
        if not (0 < self.sessions < 65535 and 0 < self.tables < 65535 and min(self.slots, self.seats) > 0):
            raise ValueError(f"cannot be laid out: {self}")
        if self.payload % 8 or self.half % 8 or self.payload < 0 or self.half < 72 + 8 * self.seats:
            raise ValueError(f"not whole words: {self}")

    @property
    def directory_at(self) -> int:
        """Byte offset of the first record."""
        return HEAD_BYTES

    @property
    def ring_at(self) -> int:
        """Byte offset of the first slot."""
        return self.directory_at + RECORD_BYTES * self.sessions

    @property
    def slot_bytes(self) -> int:
        """Bytes of one slot."""
        return SLOT_HEAD_BYTES + self.payload

    @property
    def tables_at(self) -> int:
        """Byte offset of the first cell, on a cache line of its own."""
        return -(-(self.ring_at + self.slot_bytes * self.slots) // 64) * 64

    @property
    def cell_bytes(self) -> int:
        """Bytes of one cell."""
        return CELL_HEAD_BYTES + 2 * self.half

    @property
    def metrics_at(self) -> int:
        """Byte offset of the counts, on a page boundary, so that a session's block is within one page."""
        return -(-(self.tables_at + self.cell_bytes * self.tables) // _PAGE) * _PAGE

    @property
    def metrics_bytes(self) -> int:
        """Bytes of the counts: of ended sessions, a block per session, the listener's, its stand-in's."""
        return METRIC_HEAD_BYTES + METRIC_WORDS * 8 * (self.sessions + 2)

    @property
    def size(self) -> int:
        """Bytes of the whole segment."""
        return self.metrics_at + self.metrics_bytes


class Block:
    """A part of the segment that begins at a word; its `Word`s count from there."""

    def __init__(self, words: memoryview, base: int) -> None:
        self.words = words
        self.base = base


class Word:
    """One 64-bit word of a block as an attribute; a read or a write is a single load or store."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __get__(self, block: Block, owner: type[Block]) -> int:
        return block.words[block.base + self.index]

    def __set__(self, block: Block, value: int) -> None:
        block.words[block.base + self.index] = value


class Head(Block):
    """The head's words. Written at creation, except for the listener, `closing`, the counters and the free words."""

    magic = Word(0)
    version = Word(1)
    size = Word(2)
    created = Word(14)
    closing = Word(CLOSING)
    """Not 0: the BBS is closing; the reason is a number of the layers above."""
    timed = Word(TIMED)
    """1: a game command locks the single slot for `unlock_ms`, read or not; 0: until it is read, at most that long."""
    unlock_ms = Word(19)
    posted = Word(POSTED)
    waits = Word(21)
    expired = Word(22)
    overruns = Word(23)
    listening_since = Word(26)
    """When the current listener took over, in epoch seconds; 0 if an older program did not record it."""
    slow_told = Word(27)
    """When it was last logged that a session is long in the bank, monotonic milliseconds."""

    def __init__(self, words: memoryview) -> None:
        super().__init__(words, 0)
        self.user = words[USER_WORDS_AT : USER_WORDS_AT + USER_WORDS]
        """64 words at the disposal of the layers above."""

    @property
    def boot_id(self) -> bytes:
        """16 random bytes that identify this creation of the segment."""
        return self.words[9].to_bytes(8, "little") + self.words[10].to_bytes(8, "little")

    @property
    def listener(self) -> Identity | None:
        """The listener of this segment, alive or not; None if there was none."""
        pid = self.words[15]
        return Identity(pid, self.words[16]) if pid else None

    @listener.setter
    def listener(self, identity: Identity | None) -> None:
        self.words[15] = 0
        self.words[16] = identity.start if identity else 0
        self.words[15] = identity.pid if identity else 0

    @property
    def layout(self) -> Layout:
        """The numbers and sizes with which this segment was created; raises `ValueError` if they are impossible."""
        return Layout(*self.words[3:9].tolist())

    def initialize(self, layout: Layout, boot_id: bytes) -> None:
        """Write all words that are fixed at creation, except for the keys and the magic."""
        self.version = LAYOUT_VERSION
        self.size = layout.size
        counts = (layout.sessions, layout.tables, layout.slots, layout.payload, layout.half, layout.seats)
        for index, count in enumerate(counts, 3):
            self.words[index] = count
        self.words[9] = int.from_bytes(boot_id[:8], "little")
        self.words[10] = int.from_bytes(boot_id[8:], "little")
        self.words[24] = layout.tables_at
        self.words[25] = layout.cell_bytes
