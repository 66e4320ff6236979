"""Databases of every former version are brought up to date with everything that is in them."""

from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.isolation.former import former_file, make_former_schema
from tests.isolation.stores import OpenUsers, bank_in_file, in_file
from yawc_poker.casino.meeting.mail import Messages
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.comparison import differences
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts, BadName, NameAlike, User
from yawc_poker.casino.users.sysop_log import SysopLog
from yawc_poker.extras.cluster.layout import CLUSTER


@pytest.fixture
def old_users(tmp_path: Path) -> Path:
    path = tmp_path / "users.sqlite"
    with former_file(path, USERS, 1) as users:
        users.execute("INSERT INTO user VALUES (1, 'Anna', 'anna', 'hash', 'de', 'cp437', 10.0, 20.0, '192.0.2.7')")
        users.execute("INSERT INTO user VALUES (2, 'Bodo', 'bodo', 'hash', 'en', NULL, 11.0, NULL, NULL)")
        users.execute("INSERT INTO user VALUES (3, 'Carl', 'carl', 'hash', 'en', NULL, 11.0, 12.0, '/dev/pts/3')")
        users.execute("INSERT INTO message VALUES (1, 1, 'Anna', 2, 'hi', 15.0, NULL)")
    return path


def test_users_of_the_first_version_keep_what_they_have(old_users: Path) -> None:
    accounts = Accounts(in_file(old_users))
    assert accounts.by_id(1) == User(1, "Anna", "de", "cp437", 10.0, 20.0, "192.0.2.7", False, 0.0, None)
    assert accounts.find("BODO") == User(2, "Bodo", "en", None, 11.0, None, None)
    assert [message.text for message in Messages(accounts.store).unread(2)] == ["hi"]
    assert SysopLog(accounts.store).latest() == []
    with accounts.store.reading() as users:
        assert users.execute("SELECT * FROM familiar").fetchall() == [(1, "192.0.2.7", 20.0, 0)]
    assert accounts.register("Dora", "secret-1", "en").id == 4
    accounts.close()


def test_older_accounts_that_look_alike_all_go_on_and_a_new_one_looks_like_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "users.sqlite"
    with former_file(path, USERS, 1) as users:
        for number, name in enumerate(("OTTO", "ОТТО", "0TT0", "SYS0P", "Anna"), 1):
            row = (number, name, name.casefold())
            users.execute("INSERT INTO user VALUES (?, ?, ?, 'hash', 'de', NULL, 10.0, NULL, NULL)", row)
    accounts = Accounts(in_file(path))
    found = [accounts.find(name) for name in ("otto", "отто", "0tt0", "sys0p")]
    assert [user and user.id for user in found] == [1, 2, 3, 4]
    accounts.renew_look_keys()
    assert caplog.messages == [
        "names of older accounts that look like others' (they stay): 2",
        "names of older accounts that are reserved by now (they stay): 1",
    ]
    for name in ("Оtто", "otto.", "0ttO"):
        with pytest.raises((NameAlike, BadName)):
            accounts.enrol(name, "hash", "en")
    assert accounts.alike("0TTO") == "OTTO"
    assert accounts.enrol("Bodo", "hash", "en").id == 6
    accounts.close()


def test_a_database_has_the_columns_that_the_file_has(tmp_path: Path, open_postgres_users: OpenUsers) -> None:
    with closing(in_file(tmp_path / "users.sqlite")) as file, file.reading() as users:
        tables = users.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        in_the_file = {
            (table, column, bool(needed or key))
            for (table,) in tables.fetchall()
            for _, column, _, needed, _, key in users.execute(f"PRAGMA table_info({table})")
        }
    query = "SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'users'"
    with closing(open_postgres_users()) as store, store.reading() as users:
        there = {(table, column, nullable == "NO") for table, column, nullable in users.execute(query)}
    assert {row for row in there if row[0] not in ("layout", "numbering")} == in_the_file


def test_books_of_the_first_version_are_sound_and_take_what_sysops_do(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 1) as books:
        books.execute("INSERT INTO account (id, kind, ref) VALUES (3, 'user', 1)")
        books.execute("INSERT INTO txn (id, key, kind, at) VALUES (1, 'welcome:1', 'welcome', 5.0)")
        books.execute("INSERT INTO entry VALUES (1, 2, -100), (1, 3, 100)")
    bank = bank_in_file(path)
    assert bank.audit() == []
    assert bank.grant(7, 1, 50) == (50, 150)
    assert bank.take(8, 1, 30) == (30, 120)
    assert bank.audit() == []
    bank.close()
    again = bank_in_file(path, look_only=True)
    assert again.audit() == []
    assert again.balance(1) == 120
    again.close()


def words_of(path: Path, layout: Layout) -> tuple[list[str], list[list[tuple[object, ...]]]]:
    """Return what differs from a new file, and the columns of all tables, in their order."""
    with closing(SqliteStore(path, nullcontext(), layout)) as store, store.reading() as file:
        queries = [f"PRAGMA table_info({table.name})" for table in layout.tables]
        return differences(file, layout), [file.execute(query).fetchall() for query in queries]


@pytest.mark.parametrize("layout", [BOOKS, USERS], ids=lambda layout: layout.schema)
def test_a_file_of_any_version_becomes_what_a_new_one_is(tmp_path: Path, layout: Layout) -> None:
    new = words_of(tmp_path / "new", layout)
    for version in range(1, layout.version("sqlite") + 1):
        with former_file(tmp_path / f"{version}", layout, version):
            pass
        assert words_of(tmp_path / f"{version}", layout) == new


def test_numbers_of_former_rows_are_not_given_again(tmp_path: Path) -> None:
    path = tmp_path / "users.sqlite"
    with former_file(path, USERS, 9) as users:
        columns = "id, name, name_key, password_hash, language, created"
        for number in (41, 42):
            users.execute(f"INSERT INTO user ({columns}) VALUES (?, 'A', ?, '', 'de', 1.0)", (number, str(number)))
        users.execute("DELETE FROM user WHERE id = 42")
    with closing(Accounts(in_file(path))) as accounts:
        assert accounts.enrol("Carl", "hash", "en").id == 43


def test_what_is_damaged_in_a_former_file_stays_and_is_found(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 8) as books:
        books.execute("PRAGMA ignore_check_constraints = ON")
        books.execute("INSERT INTO account (kind, ref, balance) VALUES ('user', 1, -5)")
        books.execute("INSERT INTO notice (account, game, amount) VALUES (3, 77, 1)")
    with closing(bank_in_file(path)) as bank:
        assert bank.audit() == [
            "account user 1 holds -5, its entries say 0",
            "account user 1 is below zero: -5",
            "a row of notice points to a missing game",
            "the file is damaged: CHECK constraint failed in account",
        ]


@pytest.mark.parametrize("layout", [BOOKS, USERS, CLUSTER], ids=lambda layout: layout.schema)
def test_a_schema_of_any_version_becomes_what_a_new_one_is(empty_database: str, layout: Layout) -> None:
    import psycopg  # not everybody has it

    from yawc_poker.extras.cluster.server.postgres import PostgresStore

    columns = f"""
        SELECT table_name, column_name, is_nullable, is_identity, coalesce(column_default, '')
        FROM information_schema.columns WHERE table_schema = '{layout.schema}' AND table_name <> 'layout'
    """
    found: list[set[object]] = []
    for version in range(layout.version("postgresql") + 1):
        if version:
            make_former_schema(empty_database, layout, version)
        with closing(PostgresStore(empty_database, layout)) as store, store.writing() as database:
            there = [one for one in differences(database, layout) if one != "user_look"]  # it was a constraint once
            assert there == []
            found.append(set(database.execute(columns).fetchall()))
            reached = database.execute(f"SELECT version FROM {layout.schema}.layout").fetchone()
            assert reached == (layout.version("postgresql"),)
        with closing(psycopg.connect(empty_database, autocommit=True)) as link:
            link.execute(f"DROP SCHEMA {layout.schema} CASCADE".encode())
    assert all(one == found[0] for one in found)
