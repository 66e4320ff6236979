import gc
import os
import random
import resource
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.isolation.books import Place
from tests.isolation.processes import FileLock, exit_code, fork
from tests.isolation.stores import bank_in_file
from tests.thoroughness import SOAK
from yawc_poker.casino.bank.ledger import BankUnavailable, NotEnough
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.sqlite import SqliteStore

WRITERS = 6
ROUNDS = 20 if SOAK else 8


class Writer:
    """A child that works for ever and tells the number of each finished step through a pipe."""

    def __init__(self, work: Callable[[int], None], start: int) -> None:
        self.reader, teller = os.pipe()

        def run() -> None:
            os.close(self.reader)
            step = start
            while True:
                work(step)
                os.write(teller, struct.pack("q", step))
                step += 1

        self.pid = fork(run)
        os.close(teller)
        self.told = start - 1
        self.killed = False

    def wait(self, steps: int) -> None:
        for _ in range(steps):
            data = os.read(self.reader, 8)
            assert data, "the writer ended by itself"
            (self.told,) = struct.unpack("q", data)

    def kill(self) -> None:
        """Kill it wherever it is, and take in what it still told."""
        if self.killed:
            return
        self.killed = True
        os.kill(self.pid, signal.SIGKILL)
        assert exit_code(self.pid) == -signal.SIGKILL, "the writer ended by itself"
        while data := os.read(self.reader, 8):
            (self.told,) = struct.unpack("q", data)
        os.close(self.reader)


@pytest.fixture
def started() -> Iterator[list[Writer]]:
    """Writers that must not outlive the test."""
    writers: list[Writer] = []
    yield writers
    for writer in writers:
        writer.kill()


def test_writers_killed_at_any_instant_lose_no_cube_and_no_promise(place: Place, started: list[Writer]) -> None:
    rng = random.Random(os.urandom(8))
    bank = place.bank()
    games = {}
    for user in range(1, WRITERS + 1):
        bank.welcome(user, 100000)
        games[user], _ = bank.open_game(user, "poker", {user: 1})
    bets = dict.fromkeys(games, 0)

    def bet(user: int) -> Callable[[int], None]:
        def work(action: int) -> None:
            bank.bet(games[user], action, user, 1)

        return work

    def start(user: int, action: int) -> Writer:
        started.append(Writer(bet(user), action))
        return started[-1]

    writers = {user: start(user, 1) for user in games}
    for _ in range(ROUNDS):
        victim = rng.randrange(1, WRITERS + 1)
        writers[victim].wait(rng.randrange(1, 12))
        writers[victim].kill()
        promised = writers[victim].told
        pot = bank.pot(games[victim])
        assert pot - 1 in (promised, promised + 1), "what was told is kept, and at most one bet nobody was told of"
        bank.bet(games[victim], promised + 1, victim, 1)
        assert bank.pot(games[victim]) - 1 == promised + 1, "a repeated bet counts once"
        writers[victim] = start(victim, promised + 2)
    for user, writer in writers.items():
        writer.kill()
        bets[user] = bank.pot(games[user]) - 1
        assert bets[user] in (writer.told, writer.told + 1)
    assert bank.audit() == []
    for user, game in games.items():
        assert bank.refund(game) == {user: bets[user] + 1}
        assert bank.balance(user) == 100000
    assert bank.audit() == []
    bank.close()


def test_whole_games_killed_at_any_instant_are_settled_by_a_start(place: Place, started: list[Writer]) -> None:
    rng = random.Random(os.urandom(8))
    bank = place.bank()
    users = range(1, WRITERS + 1)
    for user in users:
        bank.welcome(user, 1000)

    def play(table: int) -> Callable[[int], None]:
        def game(step: int) -> None:
            a, b = table, table % WRITERS + 1
            number, balances = bank.open_game(table, "poker", {a: 1, b: 1})
            for action in range(3):
                bank.bet(number, action, a, 1)
            bank.settle(number, {} if step % 10 == 0 else {b: 1} if balances[a] > balances[b] else {a: 1})

        return game

    started += [Writer(play(table), 1) for table in users]
    for writer in started:
        writer.wait(rng.randrange(2, 6))
    rng.shuffle(started)
    for writer in started:
        writer.kill()
    assert bank.audit() == []
    pots = {game.number: game.pot for game in bank.open_games()}
    assert {left.number: sum(left.shares.values()) for left in bank.settle_leftovers()} == pots
    assert bank.audit() == []
    figures = bank.figures()
    assert (figures.open_games, figures.pots, figures.cash + figures.house) == (0, 0, WRITERS * 1000)
    bank.close()


def test_two_processes_paying_out_the_same_game_pay_once(place: Place) -> None:
    bank = place.bank()
    bank.welcome(1, 100)
    bank.welcome(2, 100)
    for _ in range(10):
        game, _ = bank.open_game(1, "poker", {1: 1, 2: 1})
        gate, open_gate = os.pipe()

        def pay(game: int = game, gate: int = gate, open_gate: int = open_gate) -> None:
            os.close(open_gate)
            os.read(gate, 1)
            assert bank.settle(game, {1: 1}).amount == 2

        children = [fork(pay) for _ in range(3)]
        os.close(open_gate)
        os.close(gate)
        assert [exit_code(child) for child in children] == [0, 0, 0]
    assert bank.balances([1, 2]) == {1: 110, 2: 90}
    assert bank.audit() == []
    bank.close()


def test_the_last_cubes_are_spent_once(place: Place) -> None:
    bank = place.bank()
    bank.welcome(1, 30)
    games = [bank.open_game(table, "poker", {})[0] for table in range(4)]

    def spend(game: int) -> Callable[[], None]:
        def work() -> None:
            for action in range(20):
                with suppress(NotEnough):
                    bank.bet(game, action, 1, 1)

        return work

    assert [exit_code(child) for child in [fork(spend(game)) for game in games]] == [0] * 4
    assert bank.balance(1) == 0
    assert sum(bank.pot(game) for game in games) == 30
    assert bank.audit() == []
    bank.close()


def test_new_books_are_made_by_one_of_many(place: Place) -> None:
    def work() -> None:
        assert place.bank().welcome(os.getpid(), 1)

    assert [exit_code(child) for child in [fork(work) for _ in range(6)]] == [0] * 6
    bank = place.bank()
    assert bank.figures().cash == 6
    assert bank.audit() == []
    bank.close()


def test_a_child_opens_its_own_connection_and_leaves_its_parents_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "bank.sqlite", FileLock(tmp_path / "lock"), BOOKS)
    with store.reading() as books:
        parents = books

    def add(user: int) -> None:
        with store.writing() as books:
            assert (books is parents) == (user == 1)
            books.execute("INSERT INTO account (kind, ref) VALUES ('user', ?)", (user,))

    def work() -> None:
        add(2)
        store.close()
        gc.collect()
        assert parents.execute("SELECT 1").fetchone() == (1,), "the parent's connection was closed"

    assert exit_code(fork(work)) == 0
    add(1)
    with store.reading() as books:
        assert books.execute("SELECT count(*) FROM account WHERE kind = 'user'").fetchone() == (2,)
    store.close()


def test_a_full_disk_changes_nothing_and_passes(tmp_path: Path) -> None:
    def work() -> None:
        bank = bank_in_file(tmp_path / "bank.sqlite", FileLock(tmp_path / "lock"))
        bank.welcome(1, 100)
        game, _ = bank.open_game(1, "poker", {1: 10})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
        with pytest.raises(BankUnavailable) as refused:
            bank.bet(game, 1, 1, 5)
        assert str(tmp_path / "bank.sqlite") in str(refused.value)
        assert bank.balance(1) == 90
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert bank.bet(game, 1, 1, 5) == (15, 85)
        assert bank.audit() == []

    assert exit_code(fork(work)) == 0
