"""At a table of five, by telnet: a bet, a chat line, a key's echo, each to the last byte of the last caller.

What is timed is a client's view, by the same code (`eyes`) around ours and around every peer: from a byte sent to the
last socket having received its answer. All are measured in turn, again and again. Beside a bet stands also what it
cannot do without: one bare commit of SQLite on the same disk, as durable as the bank's.
"""

import socket
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from benchmarks import servers
from benchmarks.eyes import PAUSE, quiet, until_last
from benchmarks.report import Figure, Measured, Row, at_most, figure, ratio
from tests.end_to_end.bbs import Bbs, Caller
from yawc_poker.session.pace import LINES, SECONDS

NAMES = ("Anna", "Bert", "Carl", "Dora", "Emil")
SCREEN = 30
"""Bytes of a new screen at least; a clock's second is fewer."""
HELLO = 0.7
"""Seconds of silence after which a telnet server has said what it says first."""
INPUT = 40
"""Keys typed into the chat input before they are erased: it has bounds."""
REPETITIONS = 5
KEYS, SLOW_KEYS, BETS, TIMED_BETS = 200, 10, 50, 5
"""How many are timed in a repetition; bets go round: whole rounds of five, or it is another one's turn."""
TYPIST = 0.1
"""Seconds between the keys of somebody who types fast. The others are sent once all has been quiet for 2 ms."""
PATIENCE = 0.1
"""Seconds more than the pace of chat asks for."""

CONFIG = """
[bbs]
name = "Testville"
start_cubes = 1000000000
cubes_per_hour = 0
[telnet]
max_per_address = 200
[poker]
turn_seconds = 3600
master_seconds = 3600
pause_seconds = 0.1
max_bet = 1000000
[engine]
unlock = "{unlock}"
"""

BET, TIMED, CHAT, KEY = "a bet", 'a bet, `unlock = "timed"`', "a chat line", "a key"
SLOW = "a key, as typed"
C, COMMIT, ECHO, ROOM = "C echo", "bare SQLite commit", "telnetlib3 echo", "telnetlib3 room"
SLOW_C, SLOW_ECHO = "C echo, as typed", "telnetlib3 echo, as typed"

Times = dict[str, list[list[float]]]


def measure(quick: bool) -> Measured:
    """Measure the three rows; `quick`: little of each, to see that it works."""
    times: Times = {name: [] for name in (BET, TIMED, CHAT, KEY, SLOW, C, COMMIT, ECHO, ROOM, SLOW_C, SLOW_ECHO)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ExitStack() as stack:
            c, echo, room = (
                stack.enter_context(one()) for one in (servers.c_echo, servers.telnetlib3_echo, servers.telnetlib3_room)
            )
            callers = stack.enter_context(seated(folder / "acknowledged"))
            start(callers)
            for _ in range(1 if quick else REPETITIONS):
                _repeat(times, callers, (c, echo, room), folder, quick=quick)
        with seated(folder / "timed", "timed") as callers:
            start(callers)
            for _ in range(1 if quick else REPETITIONS):
                times[TIMED].append(bets(callers, 1 if quick else TIMED_BETS))
    return Measured(_rows({name: figure(name, runs) for name, runs in times.items()}))


def _repeat(times: Times, callers: Sequence[Caller], ports: Sequence[int], folder: Path, *, quick: bool) -> None:
    """Measure everything once, chat at the beginning and in the middle: five lines each, then five seconds of rest."""
    c, echo, room = ports
    keys, slow, stakes, lines = (20, 2, 5, 5) if quick else (KEYS, SLOW_KEYS, BETS, LINES * len(callers))
    due = time.monotonic() + SECONDS + PATIENCE
    spoken = chat(callers, lines)
    times[C].append(echo_server(c, keys))
    times[KEY].append(echoes(callers[0], keys))
    times[ECHO].append(echo_server(echo, keys))
    times[SLOW_C].append(echo_server(c, slow, TYPIST))
    _rest(due, quick=quick)
    due = time.monotonic() + SECONDS + PATIENCE
    times[CHAT].append(spoken + chat(callers, lines))
    times[ROOM].append(in_room(room, 2 * lines))
    times[BET].append(bets(callers, stakes))
    times[COMMIT].append(commits(folder / "commits.sqlite", stakes))
    times[SLOW].append(echoes(callers[0], slow, TYPIST))
    times[SLOW_ECHO].append(echo_server(echo, slow, TYPIST))
    _rest(due, quick=quick)


def _rest(due: float, *, quick: bool) -> None:
    """Let the pace of chat forget: this is no waiting for something to happen."""
    if not quick:
        time.sleep(max(0.0, due - time.monotonic()))


def _rows(figures: dict[str, Figure]) -> list[Row]:
    bet, chat_line, key, limit = figures[BET], figures[CHAT], figures[KEY], figures[C]
    return [
        Row(
            "a bet, at the table",
            "key byte sent by one caller → last of five callers has received his new screen",
            bet,
            (limit, figures[COMMIT], figures[TIMED]),
            (at_most("p50 at most 3 ms", bet.p50, 0.003, "s"), at_most("at most 25 times C", ratio(bet, limit), 25)),
            "Twenty-five echoes are hardly longer than the bare commit alone, and then five screens are drawn.",
            "The commit is that of a single row, by an idle process, in the bank's journal mode and as synchronous.",
        ),
        Row(
            "a chat line, at the table",
            "ENTER sent → last of five callers has it on his screen",
            chat_line,
            (limit, figures[ROOM]),
            (
                at_most("p50 at most 0.8 ms", chat_line.p50, 0.0008, "s"),
                at_most("faster than telnetlib3's room", ratio(chat_line, figures[ROOM]), 1),
            ),
            "Five processes draw five screens on two cores, where the room sends five callers the same bytes.",
            f"The pace of chat is limited: {LINES} lines of each caller, then {SECONDS:.0f} s of rest.",
        ),
        Row(
            "key echo in chat input",
            "key byte sent → echoed byte received",
            key,
            (limit, figures[ECHO]),
            (
                at_most("p50 at most 3 times C", ratio(key, limit), 3),
                at_most("faster than telnetlib3", ratio(key, figures[ECHO]), 1),
            ),
            "A key is decoded, put into the input and drawn as part of a screen; the others copy a byte.",
        ),
        Row(
            "key echo, ten keys a second",
            "key byte sent → echoed byte received",
            figures[SLOW],
            (figures[SLOW_C], figures[SLOW_ECHO]),
            note="As fast as a person types: in between, processor and caches have turned to other things.",
        ),
    ]


# --- ours -------------------------------------------------------------------------------------------------------------


@contextmanager
def seated(folder: Path, unlock: str = "acknowledged") -> Iterator[list[Caller]]:
    """Open a BBS and have five sit down at its table."""
    folder.mkdir()
    with Bbs(folder / "data", CONFIG.format(unlock=unlock)) as bbs:
        yield bbs.seat(*NAMES)


def start(callers: Sequence[Caller]) -> None:
    """Start a game and play it past the swap of cards: from then on, bets go round for ever."""
    sockets = [caller.socket for caller in callers]
    callers[0].send("s")
    callers[0].see("[B]")
    bets(callers, len(callers))
    for mine in sockets:
        quiet(sockets)
        until_last(mine, b"d", sockets, least=SCREEN)  # keeps his cards


def bets(callers: Sequence[Caller], count: int) -> list[float]:
    """Time bets: ENTER sent by the one on turn, until all five have received their new screens."""
    sockets = [caller.socket for caller in callers]
    times = []
    for number in range(count):
        mine = sockets[number % len(sockets)]
        quiet(sockets)
        until_last(mine, b"b", [mine])
        quiet(sockets)
        times.append(until_last(mine, b"\r", sockets, least=SCREEN))
    return times


def chat(callers: Sequence[Caller], count: int) -> list[float]:
    """Time chat lines: ENTER sent, until all five have the line on their screens."""
    sockets = [caller.socket for caller in callers]
    times = []
    for number in range(count):
        mine, word = sockets[number % len(sockets)], _word(number)
        quiet(sockets)
        until_last(mine, b"." + word, [mine], wanted=word)
        quiet(sockets)
        times.append(until_last(mine, b"\r", sockets, wanted=word))
    return times


def echoes(caller: Caller, count: int, pause: float = PAUSE) -> list[float]:
    """Time keys typed into the chat input, until their echo."""
    quiet([caller.socket])
    until_last(caller.socket, b".", [caller.socket])
    times = []
    for number in range(count):
        if number and number % INPUT == 0:
            caller.send(b"\x08" * INPUT)
        quiet([caller.socket], pause)
        times.append(until_last(caller.socket, b"k", [caller.socket]))
    caller.send(b"\x08" * INPUT + b"\r")  # an empty line: nothing is said
    return times


def _word(number: int) -> bytes:
    """Give a chat line that differs from the ones before in every cell, so that it is drawn in one piece."""
    return bytes([ord("a") + number % 26]) * 12


# --- beside it --------------------------------------------------------------------------------------------------------


def echo_server(port: int, count: int, pause: float = PAUSE) -> list[float]:
    """Time single bytes to an echo server and back."""
    with _connected(port) as caller:
        times = []
        for _ in range(count):
            quiet([caller], pause)
            times.append(until_last(caller, b"x", [caller]))
        return times


def in_room(port: int, count: int) -> list[float]:
    """Time lines in a room of five."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(_connected(port)) for _ in NAMES]
        times = []
        for number in range(count):
            mine, word = sockets[number % len(sockets)], _word(number)
            mine.sendall(word)
            quiet(sockets)
            times.append(until_last(mine, b"\r\n", sockets, wanted=word))
        return times


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port)) as caller:
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        quiet([caller], HELLO)
        yield caller


def commits(path: Path, count: int) -> list[float]:
    """Time commits of one row each, as durable as the bank's (`casino.store`)."""
    times = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = PERSIST")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS bet (amount INTEGER NOT NULL) STRICT")
        for number in range(count):
            started = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO bet VALUES (?)", (number,))
            connection.execute("COMMIT")
            times.append(time.perf_counter() - started)
    return times
