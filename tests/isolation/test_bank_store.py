import mmap
import os
import secrets
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Self

import pytest
from msgspec.structs import replace

from tests.ipc.processes import forked
from tests.isolation.processes import exit_code, fork
from tests.isolation.stores import bank_in_file, in_file
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.store.connection import StoreError, Unavailable
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteStore, pragma
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.ipc.semaphore import LockGone, LockLevel, Mutex, make_semaphore

Say = Callable[[str], None]

FIRST = "CREATE TABLE a (x INTEGER) STRICT;\nINSERT INTO a VALUES (1);\n"
SECOND = """
CREATE TRIGGER watch AFTER INSERT ON a BEGIN
    SELECT 1; -- a semicolon inside
END;
INSERT INTO a VALUES (2);
"""
ONE = Layout("a", (), of_file=FIRST, mark=77)
TWO = replace(ONE, steps=(SECOND,))
BROKEN = replace(ONE, steps=("INSERT INTO a VALUES (2);\nINSERT INTO nowhere VALUES (3);\n",))


def open_store(path: Path, layout: Layout = ONE, *, look_only: bool = False) -> SqliteStore:
    return SqliteStore(path, nullcontext(), layout, look_only=look_only)


def rows(store: SqliteStore) -> list[int]:
    with store.reading() as connection:
        found = [int(x) for (x,) in connection.execute("SELECT x FROM a ORDER BY x")]
    store.close()
    return found


def refusal(store: SqliteStore) -> str:
    with pytest.raises(StoreError) as refused, store.reading():
        pass
    text = str(refused.value)
    assert text.startswith(f"{store.path}: ")
    assert "\n" not in text
    return text


class Hasty(Mutex):
    """A lock that nobody waits for long."""

    def __enter__(self) -> Self:
        self.acquire(0.02)
        return self


def test_a_lock_that_is_not_to_be_had_makes_the_file_unavailable(tmp_path: Path) -> None:
    key = secrets.randbelow(2**31 - 2) + 1
    make_semaphore(key, "bank")
    mutex = Hasty(key, "bank", memoryview(mmap.mmap(-1, 8)).cast("Q"), 0, level=LockLevel.BANK)
    store = SqliteStore(tmp_path / "x.sqlite", mutex, ONE)

    def hold(say: Say) -> None:
        mutex.acquire()
        say("holds it")
        signal.pause()

    try:
        with store.writing() as connection:
            connection.execute("INSERT INTO a VALUES (5)")
        with forked(hold) as holder:
            assert holder.hear() == "holds it"
            assert "lock bank not free in time" in refusal(store)
            with pytest.raises(Unavailable), store.writing():
                pass
        assert rows(store) == [1, 5]
    finally:
        mutex.remove()


def test_nothing_is_opened_before_the_first_use(tmp_path: Path) -> None:
    open_store(tmp_path / "x.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_looked_for_is_unavailable(tmp_path: Path) -> None:
    """Whatever `stat` says, such as EIO: it is the store that fails, no bug."""
    store = SqliteStore(tmp_path / ("x" * 300), nullcontext(), ONE, must_exist=True)
    with pytest.raises(StoreError, match="File name too long"), store.reading():
        pass


def test_a_file_at_rest_is_closed_and_the_next_use_opens_it(tmp_path: Path) -> None:
    store = in_file(tmp_path / "users.sqlite")
    assert not store.rest()
    anna = Accounts(store).enrol("Anna", "hash", "en")
    assert store.rest()
    assert not [one for one in Path("/proc/self/fd").iterdir() if str(tmp_path) in os.path.realpath(one)]
    assert not store.rest()
    assert Accounts(store).find("Anna") == anna
    store.close()


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.sqlite")
    with store.writing() as connection:
        connection.execute("INSERT INTO a VALUES (5)")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"x.sqlite": 0o600, "x.sqlite-journal": 0o600}
    store.close()


def test_the_connection_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.sqlite")
    with store.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("persist",)
        assert pragma(connection, "synchronous") == 2
        assert pragma(connection, "foreign_keys") == 1
        assert pragma(connection, "busy_timeout") == 2000
        assert pragma(connection, "cache_size") == -64
    store.close()


def test_an_older_file_is_brought_up_to_date_once(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    assert rows(open_store(path, ONE)) == [1]
    assert rows(open_store(path, TWO)) == [1, 2]
    assert rows(open_store(path, TWO)) == [1, 2]


def test_a_failed_step_leaves_the_older_version(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    rows(open_store(path, ONE))
    assert "nowhere" in refusal(open_store(path, BROKEN))
    assert rows(open_store(path, ONE)) == [1]


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    rows(open_store(path, TWO))
    assert "layout 2" in refusal(open_store(path, ONE))


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    assert "directory does not exist" in refusal(open_store(tmp_path / "none" / "x.sqlite"))


def test_a_directory_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").mkdir()
    refusal(open_store(tmp_path / "x.sqlite"))
    refusal(open_store(tmp_path / "x.sqlite", look_only=True))


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refusal(open_store(tmp_path / "file" / "x.sqlite"))


def test_garbage_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"this is no database\n" * 100)
    assert "not a database" in refusal(open_store(path))
    assert path.read_bytes() == b"this is no database\n" * 100


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    assert "something else" in refusal(open_store(path))


def test_the_banks_and_the_users_files_cannot_be_swapped(tmp_path: Path) -> None:
    bank = bank_in_file(tmp_path / "x.sqlite")
    bank.balance(1)
    bank.close()
    with pytest.raises(StoreError, match="something else"):
        Accounts(in_file(tmp_path / "x.sqlite")).find("Anna")


def test_looking_makes_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    assert "no such file" in refusal(open_store(path, look_only=True))
    assert not path.exists()
    path.touch()
    assert "older layout" in refusal(open_store(path, look_only=True))
    assert path.read_bytes() == b""
    path.unlink()
    assert rows(open_store(path)) == [1]
    store = open_store(path, look_only=True)
    with pytest.raises(Unavailable), store.writing() as connection:
        connection.execute("INSERT INTO a VALUES (9)")
    assert rows(store) == [1]


def test_a_transaction_that_raises_leaves_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.sqlite")

    def fail() -> None:
        with store.writing() as connection:
            connection.execute("INSERT INTO a VALUES (9)")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert rows(store) == [1]


def test_a_commit_that_fails_leaves_nothing_and_gives_the_lock_back(tmp_path: Path) -> None:
    lock = Lock()
    store = SqliteStore(tmp_path / "x.sqlite", lock, ONE)
    with store.writing() as connection:
        connection.execute("CREATE TABLE b (n INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE c (n REFERENCES b DEFERRABLE INITIALLY DEFERRED)")

    def fail() -> None:
        with store.writing() as connection:
            connection.execute("INSERT INTO a VALUES (9)")
            connection.execute("INSERT INTO c VALUES (7)")

    with pytest.raises(StoreError, match="FOREIGN KEY constraint failed") as refused:
        fail()
    assert isinstance(refused.value.__cause__, sqlite3.IntegrityError)
    assert not lock.locked()
    assert rows(store) == [1]


def test_a_begin_that_fails_gives_the_lock_back_and_nothing_of_another_transaction_stays(tmp_path: Path) -> None:
    lock = Lock()
    store = SqliteStore(tmp_path / "x.sqlite", lock, ONE)

    def fail() -> None:
        with store.writing() as connection:
            connection.execute("INSERT INTO a VALUES (9)")
            lock.release()
            with pytest.raises(Unavailable, match="within a transaction"), store.writing():
                pass
            assert lock.acquire(timeout=5)  # nobody kept it
            connection.execute("INSERT INTO a VALUES (10)")

    with pytest.raises(StoreError, match="closed database"):
        fail()
    assert not lock.locked()
    assert rows(store) == [1]


class Stubborn(sqlite3.Connection):
    """A connection that cannot roll back."""

    def execute(self, sql: str, /, *_: object) -> sqlite3.Cursor:
        if sql == "ROLLBACK":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql)


class Vanishing:
    """A lock whose semaphore is gone when it shall be given back."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        raise LockGone


@pytest.mark.parametrize(("lock", "error"), [(nullcontext(), KeyError), (Vanishing(), LockGone)])
def test_a_connection_that_cannot_roll_back_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: AbstractContextManager[object], error: type[Exception]
) -> None:
    path = tmp_path / "x.sqlite"
    store = open_store(path)
    assert rows(store) == [1]
    monkeypatch.setattr(store, "_connect", lambda: sqlite3.connect(path, isolation_level=None, factory=Stubborn))
    store.opened()
    store.lock = lock

    def fail() -> None:
        with store.writing() as connection:
            connection.execute("INSERT INTO a VALUES (9)")
            raise KeyError

    with pytest.raises(error):
        fail()
    monkeypatch.undo()
    store.lock = nullcontext()
    assert rows(store) == [1]


def test_what_goes_wrong_is_told_by_the_class_that_was_asked_for_and_refusals_by_their_own(tmp_path: Path) -> None:
    class Failure(StoreError):
        pass

    class Refusal(StoreError):
        pass

    store = SqliteStore(tmp_path / "x.sqlite", nullcontext(), ONE, failure=Failure)
    for refusal in (Refusal("no"), Failure("no"), KeyError("no")):
        with pytest.raises(type(refusal)) as refused, store.writing():
            raise refusal
        assert refused.value is refusal
        assert refused.value.__cause__ is None
    for failure in (sqlite3.OperationalError("no"), sqlite3.DatabaseError("no"), StoreError("no"), Unavailable("no")):
        with pytest.raises(Failure, match=r"no$") as told, store.writing():
            raise failure
        assert told.value.__cause__ is failure
    store.close()
    with pytest.raises(Failure, match="the directory does not exist"):
        SqliteStore(tmp_path / "none" / "x.sqlite", nullcontext(), ONE, failure=Failure).reading().__enter__()


def test_the_lock_is_held_around_the_whole_transaction(tmp_path: Path) -> None:
    events: list[str] = []

    class Telling:
        def __enter__(self) -> None:
            events.append("locked")

        def __exit__(self, *_: object) -> None:
            other = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
            events.append(f"unlocked with {other.execute('SELECT count(*) FROM a').fetchone()[0]}")
            other.close()

    store = SqliteStore(tmp_path / "x.sqlite", Telling(), ONE)
    with store.writing() as connection:
        assert events == ["locked", "unlocked with 1", "locked"], "opened under the lock, then locked again"
        connection.execute("INSERT INTO a VALUES (9)")
    assert events[3:] == ["unlocked with 2"]
    with store.reading():
        assert events[4:] == ["locked"]
    store.close()


def test_a_file_locked_by_another_program_is_unavailable_and_then_works(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    bank = bank_in_file(path)
    bank.welcome(1, 100)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BankUnavailable, match="locked"):
        bank.open_game(1, "poker", {1: 10})
    other.execute("ROLLBACK")
    other.close()
    assert bank.open_games() == []
    assert bank.open_game(1, "poker", {1: 10})[1] == {1: 90}
    bank.close()


def test_a_reader_waits_while_a_writer_commits(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    rows(open_store(path))
    gate, open_gate = os.pipe()
    reader, teller = os.pipe()

    def look() -> None:
        assert os.read(gate, 1) == b"!"
        os.write(teller, b"!")
        assert rows(open_store(path)) == [1, 2]

    child = fork(look)  # before the writer begins: SQLite's notes of a process's locks would be inherited
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("INSERT INTO a VALUES (2)")
    os.write(open_gate, b"!")
    assert os.read(reader, 1) == b"!"
    writer.execute("COMMIT")
    assert exit_code(child) == 0
    writer.close()
    for pipe in (gate, open_gate, reader, teller):
        os.close(pipe)
