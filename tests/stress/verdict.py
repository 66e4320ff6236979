"""The verdict: a search for problems after the BBS was stopped; and all figures, as lines."""

import re
import time
from collections import Counter
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

import msgspec

from tests.disk import CC, WHY_NOT
from tests.end_to_end.wire import totals_of
from tests.stress.figures import Figures, counted, quantiles
from yawc_poker.casino.bank.audit import Figures as Books
from yawc_poker.casino.bank.history import Asked
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.engine.house import is_house
from yawc_poker.engine.replay import Contradiction
from yawc_poker.games.doppelkopf.game import RULES as DOPPELKOPF
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.registry.games import game_of

REPEATING = 20.0
"""Seconds for which the choices of house players are repeated at the end."""
_BUG = re.compile(r"Traceback|ended by a bug|\(BUG\)|Fatal Python error|LockOrderError")
_KILLED = re.compile(r"(?:session|process) (\d+)\b.* kept a lock too long and was killed")
_LEVEL = re.compile(r"^\S+ \S+ (\w+) \[\d+\] ")


class Ring(msgspec.Struct, frozen=True):
    """The counters of the segment's head, and the commits of all tables."""

    posted: int
    waits: int
    expired: int
    overruns: int
    commits: int


class Remains(msgspec.Struct, frozen=True):
    """What is left once the listener was told to end."""

    exit_code: int | None
    processes: list[str]
    objects: list[str]
    lost: list[str]
    """Processes of sessions in whose place another segment was made."""


def books_of(databases: Databases) -> tuple[Books | None, list[str]]:
    """Read the ledger and audit it, with nobody there."""
    bank = databases.bank_to_look_at()
    try:
        return bank.inspect()
    finally:
        bank.close()


def proofs_of(databases: Databases) -> tuple[Counter[str], list[str], int]:
    """Check every game of the history against its seal, the rules and the ledger; count verdicts, name what is false.

    What house players chose is repeated, for `REPEATING` seconds; the last figure counts the games for which it was.
    A game that was won or lost must be proven; one that was broken off without a witness may have lost its proof.
    The points of a match of Doppelkopf must add up to 0.
    """
    bank = databases.bank_to_look_at()
    verdicts, found, repeated = Counter[str](), list[str](), 0
    until = time.monotonic() + REPEATING
    try:
        for summary in bank.games(Asked(limit=10**6)):
            played = bank.game(summary.number)
            assert played is not None
            has_house = any(is_house(player.user) for player in summary.players)
            repeats = has_house and time.monotonic() < until
            report = game_of(summary.kind).verify(played) if repeats else game_of(summary.kind).checked(played)
            repeated += repeats
            verdicts[report.verdict] += 1
            if report.verdict == "false" or (report.verdict == "unproven" and summary.outcome != "refunded"):
                wrong = "; ".join(check.text for check in report.checks if not check.ok)
                found.append(f"game {summary.number} ({summary.outcome}): {wrong}")
            points = sum(one.total for one in game_of(summary.kind).results(played).standings)
            if summary.kind == DOPPELKOPF.KIND and points:
                found.append(f"game {summary.number} ({summary.outcome}): its points add up to {points}")
    finally:
        bank.close()
    return verdicts, found, repeated


def matches_paid(databases: Databases) -> int:
    """Return how many matches of Doppelkopf have moved CUBES."""
    bank = databases.bank_to_look_at()
    try:
        return sum(1 for one in bank.games(Asked(limit=10**6)) if one.kind == DOPPELKOPF.KIND and one.pot)
    finally:
        bank.close()


def untold(databases: Databases, told: set[tuple[int, ...]]) -> list[str]:
    """Return totals reported to clients of the wire that belong to no game of Mau-Mau.

    A game whose actions contradict each other has none; `proofs_of` names it.
    """
    bank = databases.bank_to_look_at()
    games = set[tuple[int, ...]]()
    try:
        for one in bank.games(Asked(limit=10**6)):
            if one.kind == MAUMAU.KIND:
                with suppress(Contradiction):
                    games.add(totals_of(bank.game(one.number)))
    finally:
        bank.close()
    return [f"totals {totals} were told, but no game has them" for totals in sorted(told - games)]


def bugs_in(log: Path) -> list[str]:
    """Return the lines of the log about bugs of the program."""
    return [line for line in log.read_text(errors="replace").splitlines() if _BUG.search(line)]


def killed_in(log: Path, stopped: Container[int]) -> tuple[int, list[str]]:
    """Return how many sessions were killed for a lock, and the lines of the log about those that were never stopped."""
    lines = log.read_text(errors="replace").splitlines()
    killed = [(line, int(found[1])) for line in lines if (found := _KILLED.search(line))]
    return len(killed), [line for line, pid in killed if pid not in stopped]


def levels_in(log: Path) -> dict[str, int]:
    """Count the lines of the log by level."""
    levels: dict[str, int] = {}
    for line in log.read_text(errors="replace").splitlines():
        found = _LEVEL.match(line)
        if found:
            levels[found[1]] = levels.get(found[1], 0) + 1
    return levels


def objects_left(segment: str, keys: list[int]) -> list[str]:
    """Return what the kernel still has: the segment, and semaphores that were its locks."""
    left = [f"segment {segment}"] if (Path("/dev/shm") / segment.lstrip("/")).exists() else []
    alive = {int(line.split()[0]) for line in Path("/proc/sysvipc/sem").read_text().splitlines()[1:]}
    # The kernel shows keys as signed numbers of 32 bits.
    return left + [f"semaphore {key:#010x}" for key in keys if key in alive or key - 2**32 in alive]


def problems(figures: Figures, books: Books | None, audit: list[str], remains: Remains, bugs: list[str]) -> list[str]:
    """Return all problems, one line each."""
    found = figures.problems()
    found += [f"ledger: {line}" for line in audit]
    found += [f"left over: {line}" for line in (*remains.processes, *remains.objects)]
    found += [f"log: {line}" for line in bugs]
    if books is None or books.minted != books.cash + books.house + books.exchange or books.pots or books.open_games:
        found.append(f"ledger: CUBES in are not CUBES out, or a game is open: {books}")
    if remains.exit_code != 0:
        found.append(f"listener: it ended with {remains.exit_code} after SIGTERM")
    found += [f"listener: the segment was replaced while {one} was in it" for one in remains.lost]
    if not figures.games:
        found.append("nothing was shown: no game was finished")
    return found


def report(figures: Figures, books: Books | None, audit: list[str], ring: Ring, remains: Remains) -> list[str]:
    """Return the figures, a line each."""
    table_moves = {name: n for name, n in figures.did.items() if name.startswith("at the table: ")}
    others = {name: n for name, n in figures.did.items() if name not in table_moves}
    compared = others.pop("screens compared", 0)
    moves = ", ".join(f"{name.removeprefix('at the table: ')} {n}" for name, n in sorted(table_moves.items()))
    rows = {
        "games played": str(books.games if books else 0) + f" (seen to end: {figures.games})",
        "faults": f"{sum(figures.faults.values())}: {counted(figures.faults)}"
        + (f" ({WHY_NOT})" if CC is None else ""),
        "holders stopped": counted(figures.held),
        "and put out": quantiles(figures.put_out),
        "callers": ", ".join(f"{name} {n}" for name, n in sorted(others.items())),
        "at the tables": moves,
        "machine too busy": f"for {figures.busy:.0f} s, in which nobody had to be in time",
        "commits": str(ring.commits),
        "commands": f"posted {ring.posted}, waited for a reader {ring.waits}",
        "deliveries": f"overwritten unread {ring.expired}, readers overrun and healed {ring.overruns}",
        "bet to all screens": quantiles(figures.screens),
        "call to name prompt": quantiles(figures.calls),
        "bets not shown": str(len(figures.silent)),
        "screens wrong": f"{len(figures.wrong)} of {compared} compared",
        "callers unanswered": str(len(figures.unanswered)),
        "tables stuck": str(len(figures.stuck)),
        "ledger audit": "clean" if not audit else f"{len(audit)} problems",
        "CUBES": "none" if books is None else _told(books),
        "left over": f"processes {len(remains.processes)}, IPC objects {len(remains.objects)}",
    }
    return [f"{name:20}{value}" for name, value in rows.items()]


def _told(books: Books) -> str:
    return f"in {books.minted} = users {books.cash} + house {books.house} + exchange {books.exchange}"
