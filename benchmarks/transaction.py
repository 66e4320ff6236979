"""A bet as the table's transaction, beside the bare SQLite transaction that moves the same money.

Five sessions sit at one table in this process, so the figures contain no message between processes: from the call until
the table's lock is free again, with the rules applied, the ledger on disk and the value committed. All have looked at
the table before, as sessions do at a signal, so a bet need not decode its value. The bare transaction executes the
statements of the ledger's transaction on a database of the same layout and durability, without locks, rules, table or
bank. It is made over five connections in turn, as sessions have one each, and over a single one, whose cache has its
own writes. One of each follows every bet, so all find disk and caches in the same state.
"""

import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from benchmarks.report import Measured, Row, at_most, figure, ratio
from tests.isolation.stores import bank_in_file
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.store.sqlite import JOURNAL_BYTES
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.games.poker.model import Bet, Show, Swap
from yawc_poker.ipc.broadcast import Kind, Ring
from yawc_poker.registry.games import POKER_TABLES

OURS, BARE, SINGLE = "ours", "bare SQLite transaction", "bare, over a single connection"
REPETITIONS = 5
GAMES = 20
PEOPLE = range(1, 6)
RICH = 10**9
TABLE = 0
CONFIG = Config(
    games=(PokerSettings(pause_seconds=0, turn_seconds=86400, master_seconds=86400),),
    telnet=TelnetSettings(max_sessions=len(PEOPLE)),
)


class Mute(Notifier):
    """A session that wakes nobody: that comes after the transaction, and is measured with the bet at the table."""

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        """Wake nobody."""


@contextmanager
def five_seats(data: Path) -> Iterator[list[GameTable]]:
    """Found a BBS without a listener and sit down at its table five times."""
    foundation = Foundation.found(data, CONFIG)
    houses = [foundation.instance(CONFIG) for _ in PEOPLE]
    try:
        tables = [_sit(instance, user) for user, instance in zip(PEOPLE, houses, strict=True)]
        yield tables
    finally:
        for instance in houses:
            instance.leave()
        foundation.demolish()
        foundation.segment.close()


def _sit(instance: Instance, user: int) -> GameTable:
    instance.enter("bench")
    instance.notifier = Mute(instance.directory, Ring(instance.segment), instance.own, instance.tally)
    instance.bank.welcome(user, RICH)
    table = POKER_TABLES.at(instance, TABLE)
    table.sit(user, f"Caller {user}")
    return table


def game(people: Sequence[GameTable]) -> Iterator[float]:
    """Play a game to the showdown, the master first; return the time of each bet."""
    people[0].start()
    for person in people:
        person.tend()
    for person in people:
        yield _bet(people, person, Bet(5))
    for person in people:
        person.play(Swap((0,)))
    for number, person in enumerate(people):
        yield _bet(people, person, Bet(5, see=number == 0))
    for person in people:
        person.play(Show())


def _bet(people: Sequence[GameTable], person: GameTable, bet: Bet) -> float:
    """Make a bet after everybody has looked at the table, as a session does at each signal."""
    for one in people:
        one.look()
    started = time.perf_counter()
    person.play(bet)
    return time.perf_counter() - started


class Bare:
    """A database like the bank's with one open game, and nothing but SQLite around it."""

    def __init__(self, path: Path, connections: int) -> None:
        with closing(bank_in_file(path)) as bank:
            for user in PEOPLE:
                bank.welcome(user, RICH)
            self.game, _ = bank.open_game(TABLE, "poker", dict.fromkeys(PEOPLE, 10))
        self._connections = [_connected(path) for _ in range(connections)]
        self._action = 0

    def close(self) -> None:
        """Close the connections."""
        for books in self._connections:
            books.close()

    def bet(self) -> float:
        """Move the next player's bet into the pot; return how long that took."""
        self._action += 1
        user = PEOPLE[self._action % len(PEOPLE)]
        books = self._connections[self._action % len(self._connections)]
        started = time.perf_counter()
        books.execute("BEGIN IMMEDIATE")
        self._ledger(books, f"bet:{self.game}:{self._action}:{user}", user, 5)
        books.execute("COMMIT")
        return time.perf_counter() - started

    def _ledger(self, books: sqlite3.Connection, key: str, user: int, amount: int) -> None:
        """Execute the statements of `Bank.bet`: is the game open, all balances, the entry unless it was made before."""
        *_, pot = books.execute(_GAME, (self.game,)).fetchone()
        purses = {owner: purse for owner, purse, _ in books.execute(_PURSES, tuple(PEOPLE))}
        number = books.execute(_POST, (key, "bet", self.game, time.time())).lastrowid
        legs = [(number, purses[user], -amount), (number, pot, amount)]
        books.executemany("INSERT INTO entry VALUES (?, ?, ?)", legs)


def _connected(path: Path) -> sqlite3.Connection:
    books = sqlite3.connect(path, isolation_level=None)
    journal = ("journal_mode = PERSIST", f"journal_size_limit = {JOURNAL_BYTES}")
    for setting in ("foreign_keys = ON", *journal, "synchronous = FULL"):
        books.execute(f"PRAGMA {setting}")
    return books


_GAME = """
    SELECT outcome, table_no, ifnull(balance, 0), ifnull(account.id, 0)
    FROM game LEFT JOIN account ON account.kind = 'pot' AND ref = table_no WHERE game.id = ?
"""
_PURSES = "SELECT ref, id, balance FROM account WHERE kind = 'user' AND ref IN (?, ?, ?, ?, ?)"
_POST = "INSERT INTO txn (key, kind, game, at) VALUES (?, ?, ?, ?)"


def measure(quick: bool) -> Measured:
    """Play games, each bet followed by bare ones on the same disk."""
    times: dict[str, list[list[float]]] = {name: [] for name in (OURS, BARE, SINGLE)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="yawc-bench-")))
        people = stack.enter_context(five_seats(folder / "data"))
        limits = {
            name: stack.enter_context(closing(Bare(folder / f"bare-{connections}.sqlite", connections)))
            for name, connections in ((BARE, len(PEOPLE)), (SINGLE, 1))
        }
        for _ in range(REPETITIONS):
            bets: dict[str, list[float]] = {name: [] for name in times}
            for _ in range(GAMES // 5 if quick else GAMES):
                for seconds in game(people):
                    bets[OURS].append(seconds)
                    for name, limit in limits.items():
                        bets[name].append(limit.bet())
                people = people[1:] + people[:1]  # the next player becomes master
            for name, run in bets.items():
                times[name].append(run)
    ours, bare, single = (figure(name, runs) for name, runs in times.items())
    return Measured(
        [
            Row(
                "table transaction, a bet",
                "lock, rules, ledger on disk, commit, unlock, in one process",
                ours,
                (bare, single),
                (at_most("p50 at most 1.5 times the bare transaction", ratio(ours, bare), 1.5),),
                "Around it stand two locks, the rules and the value's commit.",
                note="The bare one executes the same statements with the same durability: a rollback journal, synced. "
                "Five connections disturb each other's caches, as sessions' do. One of each follows every bet.",
            )
        ]
    )
