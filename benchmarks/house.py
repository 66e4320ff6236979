"""What house players cost people: the echo of a key while ten hard ones think all the time, and how long one thinks.

A caller types into the chat line of a table of poker, in turns with nobody thinking and with ten. Ten only think, one
choice after the other (`thinkers`). Or they play: ten callers sit at a table of Offiziersskat each, against a hard
house player, and a process of their own (`opponents`) answers for them at once, or leaves the answer. Then moves,
screens and the disk take their share, too. How many think is counted after each key, by the slots that are taken
(`session.house.slots`).
"""

import fcntl
import os
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from benchmarks.eyes import quiet, until_last, without_waiting
from benchmarks.opponents import Opponents
from benchmarks.report import Figure, Measured, Row, at_least, at_most, count, figure, percentile
from benchmarks.table import INPUT, TYPED
from benchmarks.thinkers import thinkers
from benchmarks.thinks import CHOICES
from tests.end_to_end.bbs import Bbs, Caller, socket_of
from tests.waiting import wait_until
from yawc_poker.session.house.house_player import NICE
from yawc_poker.session.house.slots import FILE

TABLES: Final = 10
REPETITIONS: Final = 5
KEYS: Final = 200
"""Keys of a repetition, quietly and meanwhile: enough for a p99 that is not the longest of all."""
GAMES: Final = 6
"""Games of each kind whose choices are timed."""
CONFIG: Final = f"""
[bbs]
name = "Testville"
hold_seconds = 0
[telnet]
registrations_per_hour = 0
max_per_address = 200
[poker]
turn_seconds = 3600
master_seconds = 3600
[offiziersskat]
tables = {TABLES}
turn_seconds = 3600
master_seconds = 3600
pause_seconds = 0
[house]
players = {TABLES}
level = "hard"
pace = [0.0, 0.0]
"""
_FLOCK: Final = "hhqqi"
"""Linux's `struct flock`: type, whence, start, length, process."""


class Thinking:
    """Counts the house players that think."""

    def __init__(self, data: Path) -> None:
        self._descriptor = os.open(data / FILE, os.O_RDWR | os.O_CLOEXEC)
        self.counted: list[int] = []

    def count(self) -> int:
        """Return how many slots are taken."""
        return sum(map(self._is_taken, range(len(os.sched_getaffinity(0)))))

    def note(self) -> None:
        """Write down how many think."""
        self.counted.append(self.count())

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _is_taken(self, slot: int) -> bool:
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, slot, 1, 0)
        kind, *_ = struct.unpack(_FLOCK, fcntl.fcntl(self._descriptor, fcntl.F_GETLK, asked))
        return bool(kind != fcntl.F_UNLCK)


class Echoes(NamedTuple):
    """What was measured in some repetitions."""

    silent: list[list[float]]
    """Seconds of each key's echo while nobody thinks."""
    busy: list[list[float]]
    counted: list[int]
    """How many thought, after each key of the busy times."""


def measure(quick: bool) -> Measured:
    """Type quietly and while ten think, in turns; quietly and while ten play; then time single choices."""
    keys, repetitions = 10 if quick else KEYS, range(1 if quick else REPETITIONS)
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, Bbs(Path(name) / "data", CONFIG) as bbs:
        thought = _while_thinking(bbs, keys, repetitions)
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, _hall(Path(name)) as (bbs, typist, opponents):
        played, spent = _while_playing(bbs, typist, opponents, keys, repetitions)
    return Measured([*_echo_rows(thought, played, spent), *_think_rows(quick)])


def _while_thinking(bbs: Bbs, keys: int, repetitions: range) -> Echoes:
    found = Echoes([], [], [])
    typist = bbs.call().register("Anna").sit()
    for _ in repetitions:
        found.silent.append(typed(typist, keys))
        with thinkers(TABLES, bbs.data):
            thinking = Thinking(bbs.data)
            found.busy.append(typed(typist, keys, thinking.note))
            found.counted.extend(thinking.counted)
            thinking.close()
    return found


def _while_playing(
    bbs: Bbs, typist: Caller, opponents: Opponents, keys: int, repetitions: range
) -> tuple[Echoes, list[float]]:
    """Return also what the house players computed in each repetition, in percent of a core."""
    found, spent = Echoes([], [], []), []
    thinking = Thinking(bbs.data)
    for _ in repetitions:
        opponents.rest()
        wait_until(lambda: not thinking.count(), "the end of all thoughts")
        found.silent.append(typed(typist, keys))
        opponents.play()
        wait_until(lambda: thinking.count() > 0, "a thought")
        before, began = _processor_time(bbs), time.monotonic()
        found.busy.append(typed(typist, keys, thinking.note))
        spent.append(100 * (_processor_time(bbs) - before) / (time.monotonic() - began))
    found.counted.extend(thinking.counted)
    thinking.close()
    return found, spent


@contextmanager
def _hall(folder: Path) -> Iterator[tuple[Bbs, Caller, Opponents]]:
    """Start a BBS and seat everybody."""
    with Bbs(folder / "data", CONFIG) as bbs:
        callers = [bbs.call().register(f"Caller {number + 1}") for number in range(TABLES)]
        for number, caller in enumerate(callers):
            caller.send("S5")
            caller.see("(ENTER: back)")
            caller.send(f"{number + 1}\r")
            caller.see("play with the house (H)?")
            caller.send("h\r")
            caller.see("match to 21")
        typist = bbs.call().register("Anna").sit()
        opponents = Opponents(bbs.data, callers)
        try:
            yield bbs, typist, opponents
        finally:
            opponents.stop()


def typed(caller: Caller, keys: int, after: Callable[[], None] = lambda: None) -> list[float]:
    """Time keys typed into the chat input at the pace of people, until their echo; call `after` each."""
    mine = socket_of(caller)
    quiet([mine])
    until_last(mine, b".", [mine])
    times = []
    with without_waiting():
        for number in range(keys):
            if number and number % INPUT == 0:
                caller.send(b"\x08" * INPUT)
            quiet([mine], TYPED.pause)
            times.append(until_last(mine, b"k", [mine]))
            after()
    caller.send(b"\x08" * INPUT + b"\r")  # an empty line sends nothing
    return times


def _processor_time(bbs: Bbs) -> float:
    """Return the seconds that the house players have computed."""
    sessions = psutil.Process(bbs.process.pid).children(recursive=True)
    return sum(sum(one.cpu_times()[:2]) for one in sessions if one.nice() == NICE)


# --- the rows ---------------------------------------------------------------------------------------------------------


def _echo_rows(thought: Echoes, played: Echoes, spent: Sequence[float]) -> list[Row]:
    share = 100 * sum(one > 0 for one in thought.counted) / len(thought.counted)
    quietly, meanwhile = figure("quietly", thought.silent), figure("ours", thought.busy)
    repeated = f"{len(thought.busy)} repetitions of {len(thought.busy[0])} keys each, in turns."
    return [
        Row(
            f"key echo{TYPED.suffix}, while {TABLES} hard house players think",
            "key byte sent → echoed byte received",
            meanwhile,
            (quietly,),
            (at_most("p99 at most 1.5 times the quiet one", _times(quietly, meanwhile), 1.5),),
            "House players run at nice 10, but a core that computes has other data in its caches, and other programs "
            "on the machine may come first.",
            "They choose one move after the other, without tables. The typist's client gets a processor as soon as "
            "it wants one, where that is allowed: a caller's terminal is another computer, which nobody computes on. "
            f"{repeated}",
        ),
        Row(
            "house players that think",
            "after each of those keys: somebody thinks",
            Figure("ours", share, unit="%"),
            (Figure("thinking at once, on average", sum(thought.counted) / len(thought.counted), unit="slots"),),
            (at_least("at least 95 % of the time", share, 95, "%"),),
            "",
            "At most one house player thinks per core at a time. The others wait for a slot.",
        ),
        Row(
            f"key echo{TYPED.suffix}, while {TABLES} callers play with them",
            "key byte sent → echoed byte received",
            figure("ours", played.busy),
            (figure("quietly", played.silent), count("the house players' processor time", spent, "% of a core")),
            note="The callers answer at once, faster than any person, so there are moves, screens and commits all the "
            "time. Quietly, all sit where they sit, and nobody is answered.",
        ),
    ]


def _times(quietly: Figure, meanwhile: Figure) -> float | None:
    """Return how many times the quiet p99 the other one is."""
    return None if not quietly.p99 or meanwhile.p99 is None else meanwhile.p99 / quietly.p99


def _think_rows(quick: bool) -> list[Row]:
    numbers = range(2 if quick else GAMES)
    return [_think_row(game, [list(choices(number)) for number in numbers]) for game, choices in CHOICES.items()]


def _think_row(game: str, games: Sequence[Sequence[float]]) -> Row:
    times = sorted(took for one in games for took in one)
    return Row(
        f"a choice of a hard house player, {game}",
        "its processor time",
        Figure("ours", percentile(times, 0.5), percentile(times, 0.99)),
        (),
        (at_most("the longest at most 1 s", times[-1], 1.0, "s"),),
        "Its budget of samples and positions is too large for this machine.",
        f"{len(times)} choices, all of {len(games)} games, half of them at random.",
    )
