"""Accounts, ledger and history, moved from two files into a PostgreSQL database and back."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.postgres import databases_at
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE, Databases
from yawc_poker.casino.meeting.meeting import Meeting
from yawc_poker.casino.store.connection import Connection
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.bans import Ban, write_ban
from yawc_poker.extras.cluster.move import Moved, NotMoved, Sides, into_database, into_files

Copy = Callable[[Sides, Sides], Moved]


TOURNAMENT = """
INSERT INTO tournament (kind, name, host, starts, every, rounds, length, entry, swiss, state, round)
VALUES ('poker', '', 0, 5.0, 0, 0, 1, 50, 0, 'open', 0) RETURNING id
"""
REPORT = "INSERT INTO report (user, at, place, text) VALUES (1, 5.0, 'poker 1', 'x') RETURNING id"


def moved(copy: Copy, source: Databases, target: Databases) -> Moved:
    with ExitStack() as stack:

        def opened(databases: Databases, *, look_only: bool) -> Sides:
            return Sides(
                stack.enter_context(closing(databases.books(look_only=look_only))),
                stack.enter_context(closing(databases.users(look_only=look_only))),
            )

        return copy(opened(source, look_only=True), opened(target, look_only=False))


def bank_of(databases: Databases) -> Bank:
    return Bank(databases.books())


def accounts_of(databases: Databases) -> Accounts:
    return Accounts(databases.users())


@pytest.fixture
def files(tmp_path: Path) -> Databases:
    """Two users with a game, a bet, and rows whose numbers are not to be given again."""
    files = Databases(tmp_path)
    with closing(accounts_of(files)) as accounts, closing(bank_of(files)) as bank:
        anna, bert = (accounts.register(name, "secret-1", "en").id for name in ("Anna", "Bert"))
        for user in (anna, bert):
            bank.welcome(user, 1000)
        game, _ = bank.open_game(3, "poker", {anna: 10, bert: 10})
        bank.bet(game, 1, anna, 25)
        bank.settle(game, {bert: 1})
        bank.open_game(3, "poker", {anna: 10, bert: 10})
        meeting = Meeting(accounts.store)
        meeting.letters.send(anna, bert, "Until tomorrow, and the “day” after")
        meeting.wall.write(anna, "Hello")
        with accounts.store.writing() as users:
            write_ban(users, Ban("name", "carl", float("inf"), "why", "Anna", 5.0))
            users.execute("DELETE FROM letter")
            users.execute("INSERT INTO friend VALUES (?, ?, 5.0)", (anna, bert))
            users.execute("INSERT INTO report (user, at, place, text) VALUES (?, 5.0, 'poker 1', 'Look')", (anna,))
            users.execute("DELETE FROM report")
        with bank.store.writing() as books:
            books.execute(TOURNAMENT)
    return files


def tables(databases: Databases) -> set[str]:
    """Return all tables of the files, by schema."""
    found = set[str]()
    for schema, file in (("bank", BANK_FILE), ("users", USERS_FILE)):
        with closing(sqlite3.connect(databases.data / file)) as store:
            query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            found |= {f"{schema}.{name}" for (name,) in store.execute(query)}
    return found


def test_every_row_goes_there_and_comes_back(files: Databases, database: str, tmp_path: Path) -> None:
    there = databases_at(tmp_path / "there", database)
    report = moved(into_database, files, there)
    assert (report.figures.users, report.figures.games, report.figures.open_games) == (2, 2, 1)
    assert set(report.rows) == tables(files)
    assert (report.rows["users.user"], report.rows["users.ban"], report.rows["users.letter"]) == (2, 1, 0)
    assert (report.rows["users.friend"], report.rows["bank.tournament"]) == (1, 1)
    with closing(bank_of(there)) as bank, closing(accounts_of(there)) as accounts:
        assert bank.audit() == []
        assert accounts.check(1, "secret-1")
        with accounts.store.writing() as users:
            query = "INSERT INTO letter (from_id, to_id, text, sent) VALUES (1, 2, 'x', 5.0) RETURNING id"
            assert users.execute(query).fetchone()[0] == 2, "the number of a letter that is gone"
            assert users.execute(REPORT).fetchone()[0] == 2
        with bank.store.writing() as books:
            assert books.execute(TOURNAMENT).fetchone()[0] == 2
        assert accounts.register("Carl", "secret-1", "en").id == 3
        assert bank.welcome(3, 50)
        assert bank.settle_leftovers()[0].shares == {1: 10, 2: 10}
        assert bank.open_game(3, "poker", {1: 10, 2: 10})[0] == 3
    back = Databases(tmp_path / "back")
    back.data.mkdir()
    again = moved(into_files, there, back)
    assert again.figures.users == 3
    assert set(again.rows) == tables(back)
    with closing(bank_of(back)) as bank, closing(accounts_of(back)) as accounts:
        assert bank.audit() == []
        assert bank.balance(2) == 1025
        with accounts.store.writing() as users:
            query = "INSERT INTO letter (from_id, to_id, text, sent) VALUES (1, 2, 'x', 5.0) RETURNING id"
            assert users.execute(query).fetchone()[0] == 3
            assert users.execute(REPORT).fetchone()[0] == 3
            assert users.execute("SELECT whom FROM friend").fetchall() == [(2,)]
        with bank.store.writing() as books:
            assert books.execute(TOURNAMENT).fetchone()[0] == 3
        assert bank.open_game(4, "poker", {1: 10, 2: 10})[0] == 4


def test_a_database_in_which_somebody_is_gets_nothing(files: Databases, database: str, tmp_path: Path) -> None:
    there = databases_at(tmp_path, database)
    with closing(accounts_of(there)) as accounts:
        accounts.register("Dora", "secret-1", "en")
    with pytest.raises(NotMoved, match="in use: it has accounts"):
        moved(into_database, files, there)
    with closing(accounts_of(there)) as accounts, closing(bank_of(there)) as bank:
        assert accounts.find("Anna") is None
        assert bank.figures().users == 0


@pytest.mark.parametrize("way", ["there", "back"])
def test_books_that_are_not_sound_stay_where_they_are(
    files: Databases, database: str, tmp_path: Path, way: str
) -> None:
    there, back = databases_at(tmp_path, database), Databases(tmp_path / "back")
    back.data.mkdir()
    if way == "back":
        moved(into_database, files, there)
        with closing(bank_of(there)) as bank, bank.store.writing() as books:
            books.execute("UPDATE account SET balance = balance + 1 WHERE kind = 'user' AND ref = 1")
    else:
        with closing(sqlite3.connect(tmp_path / BANK_FILE, isolation_level=None)) as books:
            books.execute("UPDATE account SET balance = balance + 1 WHERE kind = 'user' AND ref = 1")
    with pytest.raises(NotMoved, match="the ledger is not sound, nothing is moved: account user 1 holds"):
        moved(into_files, there, back) if way == "back" else moved(into_database, files, there)
    with closing(accounts_of(there if way == "there" else back)) as accounts:
        assert accounts.find("Anna") is None
    assert (tmp_path / USERS_FILE).exists()


def test_a_ledger_that_takes_long_to_audit_is_moved(
    files: Databases, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends a transaction that does nothing for twice as long as one may take."""
    patience = 1.0
    monkeypatch.setattr("yawc_poker.extras.cluster.server.postgres.BUSY_SECONDS", patience)

    def audited(books: Connection) -> list[str]:
        time.sleep(2.5 * patience)
        return []

    monkeypatch.setattr("yawc_poker.extras.cluster.move.problems", audited)
    assert moved(into_database, files, databases_at(tmp_path, database)).figures.users == 2
