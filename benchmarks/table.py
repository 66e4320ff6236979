"""At a table of five, over telnet: a bet, a chat line, the echo of a key, each to the last byte of the last caller.

All times are a client's view, taken by the same code (`eyes`) for ours and for all peers: from a byte sent until the
last socket has received its answer. All are measured in turn, several times. A bet is also compared with its minimum:
one bare SQLite commit on the same disk, as durable as the bank's.
"""

import itertools
import socket
import sqlite3
import string
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import servers
from benchmarks.eyes import PAUSE, Wire, quiet, until_last
from benchmarks.report import Figure, Measured, Row, at_most, figure, ratio
from tests.end_to_end.bbs import Bbs, Caller, socket_of
from yawc_poker.session.caller.notices import LINES, SECONDS

NAMES = ("Anna", "Bert", "Carl", "Dora", "Emil")
SCREEN = 30
"""Minimum bytes of a new screen; a redrawn clock takes fewer."""
HELLO = 0.7
"""Seconds of silence after which a telnet server's greeting is complete."""
INPUT = 40
"""Keys typed into the chat input before they are erased: its length is limited."""
REPETITIONS = 5
TIMED_BETS = 5
PATIENCE = 0.1
"""Seconds added to the pause that the chat limit requires."""


BET, TIMED, CHAT, KEY = "a bet", 'a bet, `unlock = "timed"`', "a chat line", "a key"
C, COMMIT, ECHO, ROOM = "C echo", "bare SQLite commit", "telnetlib3 echo", "telnetlib3 room"
ALL = (CHAT, C, KEY, ECHO, BET, ROOM, COMMIT)
"""What is measured, in this order."""


class Pace(NamedTuple):
    """The rate of keys, and how many are timed in a repetition."""

    suffix: str
    """Suffix of the names of these measurements."""
    pause: float
    """Seconds of silence before a key."""
    keys: int
    bets: int
    """Whole rounds of five; otherwise it would be another player's turn."""
    lines: int = LINES * len(NAMES)
    """Chat lines: at most five of each caller, then the chat limit requires a pause."""
    what: Sequence[str] = ALL


FAST = Pace("", PAUSE, 200, 50)
"""One after the other: the processor's caches are warm."""
TYPED = Pace(", as typed", 0.1, 20, 15)
"""Ten keys a second, as a fast person types: in between, the caches hold other data."""
SLOW = Pace(", one every 0.3 s", 0.3, 10, 10, 10, (CHAT, C, BET))
"""As people talk and play: a session, and the processor under it, have slept since the last one."""
FORMERLY = {BET: 0.0057, CHAT: 0.004}
"""Medians at that pace before sessions were made for it (CPython 3.11, two cores of an EPYC), in seconds. The bet's is
an estimate: as many times the chat line's as it was as typed (2.41 and 1.70 ms)."""

CONFIG = """
[bbs]
name = "Testville"
hold_seconds = 0
start_cubes = 1000000000
cubes_per_hour = 0
[telnet]
registrations_per_hour = 0
max_per_address = 200
[poker]
turn_seconds = 3600
master_seconds = 3600
pause_seconds = 0.1
max_bet = 1000000
[engine]
unlock = "{unlock}"
"""
WHY_SLOW = "Processes that have slept find neither their code nor their data in the processor's caches."
NOTE_SLOW = (
    "It was: before sessions were made smaller, on two cores of an EPYC with CPython 3.11; for a bet an estimate, as "
    "many times a chat line as it takes as typed."
)

_LETTERS = itertools.cycle(bytes([letter]) for letter in string.ascii_lowercase.encode())

Times = defaultdict[str, list[list[float]]]
"""Seconds of each repetition, by name and pace."""


def measure(quick: bool) -> Measured:
    """Measure the rows at each pace; `quick`: little of each, as a test that it works."""
    times: Times = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ExitStack() as stack:
            ports = tuple(
                stack.enter_context(one()) for one in (servers.c_echo, servers.telnetlib3_echo, servers.telnetlib3_room)
            )
            callers = stack.enter_context(seated(folder / "acknowledged"))
            start(callers)
            for _ in range(1 if quick else REPETITIONS):
                for pace in (FAST, TYPED, SLOW):
                    few = pace._replace(keys=2, bets=len(NAMES), lines=len(NAMES)) if quick else pace
                    _repeat(times, few, callers, ports, folder, quick=quick)
        with seated(folder / "timed", "timed") as callers:
            start(callers)
            for _ in range(1 if quick else REPETITIONS):
                times[TIMED].append(bets(callers, 1 if quick else TIMED_BETS))
    figures = {name: figure(name, runs) for name, runs in times.items()}
    return Measured([*_rows(figures, FAST), *_rows(figures, TYPED), *_slow_rows(figures)])


def _repeat(
    times: Times, pace: Pace, callers: Sequence[Caller], ports: Sequence[int], folder: Path, *, quick: bool
) -> None:
    """Measure all that belongs to this pace once."""
    c, echo, room = ports
    due = time.monotonic() + SECONDS + PATIENCE
    ways: dict[str, Callable[[], list[float]]] = {
        CHAT: lambda: chat(callers, pace.lines, pace.pause),
        C: lambda: echo_server(c, pace.keys, pace.pause),
        KEY: lambda: echoes(socket_of(callers[0]), pace.keys, pace.pause),
        ECHO: lambda: echo_server(echo, pace.keys, pace.pause),
        BET: lambda: bets(callers, pace.bets, pace.pause),
        ROOM: lambda: in_room(room, pace.lines, pace.pause),
        COMMIT: lambda: commits(folder / "commits.sqlite", pace.bets, pace.pause),
    }
    for name in pace.what:
        times[name + pace.suffix].append(ways[name]())
    if not quick:
        time.sleep(max(0.0, due - time.monotonic()))  # the chat limit recovers: this is not a wait for an event


def _rows(figures: dict[str, Figure], pace: Pace) -> list[Row]:
    bet, chat_line, key, limit, room, echo, commit = (
        figures[name + pace.suffix] for name in (BET, CHAT, KEY, C, ROOM, ECHO, COMMIT)
    )
    times_c = 2.5 if pace is TYPED else 3
    return [
        Row(
            f"a bet, at the table{pace.suffix}",
            "key byte sent by one caller → last of five callers has received their new screen",
            bet,
            (limit, commit, *((figures[TIMED],) if pace is FAST else ())),
            (at_most("p50 at most 3 ms", bet.p50, 0.003, "s"), at_most("at most 25 times C", ratio(bet, limit), 25)),
            "It is a commit to the disk, and then five screens are drawn by as many processes on two cores.",
            "The commit is that of a single row, by an idle process, in the bank's journal mode and as synchronous.",
        ),
        Row(
            f"a chat line, at the table{pace.suffix}",
            "ENTER sent → last of five callers has it on their screen",
            chat_line,
            (limit, room),
            (
                at_most("p50 at most 0.8 ms", chat_line.p50, 0.0008, "s"),
                at_most("faster than telnetlib3's room: times as long", ratio(chat_line, room), 1),
            ),
            "Five processes draw five screens on two cores, where the room, one process, sends five callers its bytes.",
            f"The pace of chat is limited: {LINES} lines of each caller, then {SECONDS:.0f} s of rest.",
        ),
        Row(
            f"key echo in chat input{pace.suffix}",
            "key byte sent → echoed byte received",
            key,
            (limit, echo),
            (
                at_most(f"p50 at most {times_c:g} times C", ratio(key, limit), times_c),
                at_most("faster than telnetlib3: times as long", ratio(key, echo), 1),
            ),
            "Ours runs Python between two system calls; C copies a byte.",
        ),
    ]


def _slow_rows(figures: dict[str, Figure]) -> list[Row]:
    limit = figures[C + SLOW.suffix]

    def row(name: str, what: str, measured: str) -> Row:
        ours, before = figures[name + SLOW.suffix], FORMERLY[name]
        mark = at_most(f"p50 at most half of the {before * 1e3:g} ms it was", ours.p50, before / 2, "s")
        return Row(f"{what}{SLOW.suffix}", measured, ours, (limit,), (mark,), WHY_SLOW, NOTE_SLOW)

    return [
        row(
            BET,
            "a bet, at the table",
            "key byte sent by one caller → last of five callers has received their new screen",
        ),
        row(CHAT, "a chat line, at the table", "ENTER sent → last of five callers has it on their screen"),
    ]


# --- ours -------------------------------------------------------------------------------------------------------------


@contextmanager
def seated(folder: Path, unlock: str = "acknowledged") -> Iterator[list[Caller]]:
    """Start a BBS and seat five callers at its table."""
    folder.mkdir()
    with Bbs(folder / "data", CONFIG.format(unlock=unlock)) as bbs:
        yield bbs.seat(*NAMES)


def start(callers: Sequence[Caller]) -> None:
    """Start a game and play it past the swap of cards: from then on, bets go round for ever."""
    sockets = [socket_of(caller) for caller in callers]
    callers[0].send("s")
    callers[0].see("[B]")
    bets(callers, len(callers))
    for mine in sockets:
        quiet(sockets)
        until_last(mine, b"d", sockets, least=SCREEN)  # keeps their cards


def bets(callers: Sequence[Caller], count: int, pause: float = PAUSE) -> list[float]:
    """Time bets, from the ENTER of the player on turn until all five have received their new screens."""
    sockets = [socket_of(caller) for caller in callers]
    times = []
    for number in range(count):
        mine = sockets[number % len(sockets)]
        quiet(sockets)
        until_last(mine, b"b", [mine])
        quiet(sockets, pause)
        times.append(until_last(mine, b"\r", sockets, least=SCREEN))
    return times


def chat(callers: Sequence[Caller], count: int, pause: float) -> list[float]:
    """Time chat lines, from ENTER until all five have the line on their screens."""
    sockets = [socket_of(caller) for caller in callers]
    times = []
    for number in range(count):
        mine, word = sockets[number % len(sockets)], _word()
        quiet(sockets)
        until_last(mine, b"." + word, [mine], wanted=word)
        quiet(sockets, pause)
        times.append(until_last(mine, b"\r", sockets, wanted=word))
    return times


def echoes(line: Wire, count: int, pause: float) -> list[float]:
    """Time keys typed into the chat input, until their echo."""
    quiet([line])
    until_last(line, b".", [line])
    times = []
    for number in range(count):
        if number and number % INPUT == 0:
            line.sendall(b"\x08" * INPUT)
        quiet([line], pause)
        times.append(until_last(line, b"k", [line]))
    line.sendall(b"\x08" * INPUT + b"\r")  # an empty line sends nothing
    return times


def _word() -> bytes:
    """Return a chat line that differs from all that are on a screen in every cell, so that it is drawn in one piece."""
    return next(_LETTERS) * 12


# --- beside it --------------------------------------------------------------------------------------------------------


def echo_server(port: int, count: int, pause: float) -> list[float]:
    """Time single bytes to an echo server and back."""
    with _connected(port) as caller:
        times = []
        for _ in range(count):
            quiet([caller], pause)
            times.append(until_last(caller, b"x", [caller]))
        return times


def in_room(port: int, count: int, pause: float) -> list[float]:
    """Time lines in a chat room of five."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(_connected(port)) for _ in NAMES]
        times = []
        for number in range(count):
            mine, word = sockets[number % len(sockets)], _word()
            mine.sendall(word)
            quiet(sockets, pause)
            times.append(until_last(mine, b"\r\n", sockets, wanted=word))
        return times


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port)) as caller:
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        quiet([caller], HELLO)
        yield caller


def commits(path: Path, count: int, pause: float) -> list[float]:
    """Time commits of one row each, as durable as the bank's (`casino.store.sqlite`)."""
    times = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = PERSIST")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS bet (amount INTEGER NOT NULL) STRICT")
        for number in range(count):
            time.sleep(pause)
            started = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO bet VALUES (?)", (number,))
            connection.execute("COMMIT")
            times.append(time.perf_counter() - started)
    return times
