"""What becomes of psycopg's operations when their wait for the server is given up."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.exchanges import Exchanges
from tests.postgres import ROLE, Server, databases_at
from tests.waiting import wait_until
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import BUSY_SECONDS, Store, StoreError
from yawc_poker.casino.store.layout import Layout

if TYPE_CHECKING:  # not everybody has psycopg
    from psycopg.abc import PQGen


def test_an_operation_that_is_given_up_ends_at_once_and_without_a_word(database: str) -> None:
    """psycopg speaks to the server once more on the way out; else its error is printed when garbage is collected."""
    import psycopg
    from psycopg.waiting import Wait

    from yawc_poker.extras.cluster.server.link import connect

    ended = []

    def operation() -> "PQGen[None]":
        try:
            yield Wait.R
        finally:
            ended.append(True)
            raise psycopg.OperationalError("flush request failed")

    with closing(connect(database)) as link:
        link.until = 0.0
        with pytest.raises(psycopg.OperationalError, match="no answer in time"):
            link.wait(operation())
        assert ended
    with pytest.raises(psycopg.OperationalError, match="connection is closed"):
        link.wait(operation())
    assert len(ended) == 2


def test_who_holds_no_lock_waits_longer_for_a_connection(postgres: Server, database: str, tmp_path: Path) -> None:
    """A server that is busy takes its time; a table, of which others wait for the lock, does not."""

    def look() -> int:
        with closing(databases_at(tmp_path, database).bank_to_look_at()) as bank:
            return bank.balance(1)

    with ThreadPoolExecutor() as threads, postgres.frozen():
        looked = threads.submit(look)
        time.sleep(BUSY_SECONDS + 1)  # the duration of the trial, not a synchronisation
        assert not looked.done()
    assert looked.result() == 0


def test_tables_that_take_long_to_be_made_leave_the_first_transaction_its_time(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A BBS starts on a server that is busy."""
    from yawc_poker.extras.cluster.server import postgres as program

    monkeypatch.setattr(program, "BUSY_SECONDS", 0.25)
    slow = Layout("slow", (), of_server="SELECT pg_sleep(0.5);")
    with closing(program.PostgresStore(empty_database, slow)) as store, store.writing() as rows:
        assert rows.execute("SELECT 1").fetchall() == [(1,)]


def test_who_falls_silent_in_the_middle_of_a_message_keeps_no_row(
    postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host has lost its power, or its network, and the server sees a connection that is well.

    What it has got of the message it must not have run: it waits for the rest, and by then no limit of a statement or
    between two of them is counted.
    """
    from yawc_poker.extras.cluster.server import postgres as program

    name = database.rpartition("/")[2].partition("?")[0]
    monkeypatch.setattr(program, "BUSY_SECONDS", 0.25)

    def fall_silent(line: Exchanges, store: Store) -> None:
        with store.writing() as books:
            for told in ("the first", "the second", "the last"):
                books.later("SELECT pg_advisory_xact_lock(7) WHERE ? <> ''", (told,))
            line.silent_before = b"the last"

    with Exchanges(postgres.folder) as line:
        with closing(program.PostgresStore(line.url(name, ROLE), BOOKS)) as store, pytest.raises(StoreError):
            fall_silent(line, store)
        held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7"
        wait_until(lambda: postgres.asks(name, held) == [(0,)], "the server to free what it held", 10)
