"""Every counter and histogram of the BBS, by name, with its meaning. The one place to add one.

Owns the meaning of the words in a block of counts (`ipc.metrics`), and reading them by name. A process counts by
`tally.count(MOVES)` or `tally.observe(TRANSACTION, nanoseconds)`.

The order of the lines below is the layout: a line gets the next free word. New ones go to the end, and one that is
dropped, moved or given another meaning takes another `ipc.layout.LAYOUT_VERSION`: a session of an older program may
count into the same segment. A process killed between an event and its count leaves that one out.
"""

import time
from typing import Final, Literal

import msgspec

from yawc_poker.doors import kinds
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.layout import METRIC_WORDS
from yawc_poker.ipc.metrics import HISTOGRAM_WORDS
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockLevel

MetricKind = Literal["counter", "gauge", "histogram"]


class Metric(msgspec.Struct, frozen=True):
    """A line of the table; `word` is its first one. Lines of one name differ in their label."""

    word: int
    kind: MetricKind
    name: str
    help: str
    label: str = ""
    value: str = ""

    @property
    def title(self) -> str:
        """Name and label, as the text format writes them."""
        return f'{self.name}{{{self.label}="{self.value}"}}' if self.label else self.name

    @property
    def words(self) -> int:
        """Return how many words it takes in a block."""
        return HISTOGRAM_WORDS if self.kind == "histogram" else 1


_table: list[Metric] = []
_FREE: Final = ""
"""The name of words that nobody counts in."""

_ACCEPTED: Final = ("yawc_connections_accepted_total", "Connections the listener gave a process of their own.")
_OTHER: Final = 4
_MOST_DOORS: Final = 16


def _counter(name: str, text: str, label: str = "", value: str = "") -> int:
    return _enter("counter", name, text, label, value)


def _histogram(name: str, text: str, label: str = "", value: str = "") -> int:
    return _enter("histogram", name, text, label, value)


def _enter(kind: MetricKind, name: str, text: str, label: str, value: str) -> int:
    word = _table[-1].word + _table[-1].words if _table else 0
    _table.append(Metric(word, kind, name, text, label, value))
    return word


def _accepted(first: int, last: int) -> dict[str, int]:
    """Take a word for each door with these counters, and leave one free for each that is not there."""
    by_counter = {kind.counter: kind.name for kind in kinds().values()} | {_OTHER: "other"}
    found = {}
    for counter in range(first, last + 1):
        if counter in by_counter:
            found[by_counter[counter]] = _counter(*_ACCEPTED, "door", by_counter[counter])
        else:
            _counter(_FREE, "")
    return found


SESSIONS: Final = _counter("yawc_sessions_started_total", "Callers who took a place in the directory.")
REGISTRATIONS: Final = _counter("yawc_registrations_total", "Accounts made.")
LOGINS: Final = _counter("yawc_logins_total", "Callers who came to the main prompt.")
LOGINS_FAILED: Final = _counter("yawc_logins_failed_total", "Wrong passwords.")

OVERRUNS: Final = _counter("yawc_deliveries_overrun_total", "Looks that found commands overwritten unread.")

STARTED: Final = _counter("yawc_games_started_total", "Games dealt.")
FINISHED: Final = _counter("yawc_games_finished_total", "Games paid out.")
CALLED_OFF: Final = _counter("yawc_games_called_off_total", "Games ended without a winner, stakes given back.")
MOVES: Final = _counter("yawc_moves_total", "Moves made by players.")
TIMEOUTS: Final = _counter("yawc_clocks_expired_total", "Clocks that ran out: a player's, or the master's.")
PURGED: Final = _counter("yawc_seats_purged_total", "Seats taken from sessions that died.")
CHAT: Final = _counter("yawc_chat_lines_total", "Lines said at the tables.")
XMESSAGES: Final = _counter("yawc_xmessages_total", "X-messages sent.")

ACCEPTED: Final = _accepted(0, _OTHER)
"""By the name of the door."""
_REFUSED = ("yawc_connections_refused_total", "Connections the listener refused.")
REFUSED: Final = {
    reason: _counter(*_REFUSED, "reason", reason) for reason in ("full", "address", "banned", "no_process", "other")
}
DIED: Final = _counter("yawc_sessions_died_total", "Sessions whose record others gave back, because they were dead.")
UPGRADES: Final = _counter("yawc_upgrades_total", "Times a running listener replaced its own program.")

TRANSACTION: Final = _histogram("yawc_transaction_seconds", "How long an operation kept a table's lock.")
BELL_TO_SCREEN: Final = _histogram(
    "yawc_bell_to_screen_seconds", "From a command about a table, or the first of several, to a screen that shows it."
)
KEY_TO_SCREEN: Final = _histogram(
    "yawc_key_to_screen_seconds", "From a key, or the first of several, to a screen that shows what it led to."
)
_LOCK_WAIT = ("yawc_lock_wait_seconds", "Waits for locks that were not free.")
LOCK_WAIT: Final = {int(level): _histogram(*_LOCK_WAIT, "lock", level.name.lower()) for level in LockLevel}

_COMMANDS = ("yawc_commands_posted_total", "Commands posted into the broadcast area.")
COMMANDS: Final = {int(kind): _counter(*_COMMANDS, "kind", kind.name.lower()) for kind in Kind}

ACCEPTED.update(_accepted(_OTHER + 1, _MOST_DOORS - 1))
if ACCEPTED.keys() != kinds().keys() | {"other"}:
    raise ValueError(f"a door's counter must be less than {_MOST_DOORS}: {ACCEPTED.keys() ^ kinds().keys()}")

METRICS: Final = tuple(one for one in _table if one.name != _FREE)
"""Every line of the table, in the order of their words."""
assert _table[-1].word + _table[-1].words <= METRIC_WORDS


class Histogram(msgspec.Struct, frozen=True):
    """Durations by size. `buckets` are not cumulated: one per bound of `ipc.metrics.BOUNDS`, one for all beyond."""

    buckets: tuple[int, ...]
    seconds: float
    """The sum of all."""

    @property
    def count(self) -> int:
        """Return the number of all."""
        return sum(self.buckets)


class CountReading(msgspec.Struct, frozen=True):
    """All counts of one moment."""

    words: tuple[int, ...]

    def counter(self, word: int) -> int:
        """Return a counter, by its constant above."""
        return self.words[word]

    def histogram(self, word: int) -> Histogram:
        """Return a histogram, by its constant above."""
        nanoseconds, *buckets = self.words[word : word + HISTOGRAM_WORDS]
        return Histogram(tuple(buckets), nanoseconds / 1e9)


def read_metrics(segment: Segment) -> CountReading:
    """Sum up the counts of all sessions, living and departed, and of the listener; without a lock.

    No sum falls from one reading to the next while the segment lives, unless its memory is damaged.
    """
    return CountReading(segment.counts.total())


def since(started: int) -> int:
    """Return the nanoseconds since `time.monotonic_ns()` was `started`."""
    return time.monotonic_ns() - started
