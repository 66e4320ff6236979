"""Transactions of the bank as parts of a joint one: each as a whole or not at all, and all of them together."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.isolation.two_hosts import open_books
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable, GameClosed, NotEnough
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.extras.cluster.server.opening import of_server

if TYPE_CHECKING:  # not everybody has psycopg
    from yawc_poker.extras.cluster.server.postgres import PostgresStore

FIRST = "SELECT 1, 'one' UNION SELECT 2, 'two' ORDER BY 1"


@pytest.fixture
def bank(database: str) -> Iterator[Bank]:
    bank = Bank(open_books(database))
    for user in (1, 2, 3):
        bank.welcome(user, 100)
    yield bank
    assert bank.audit() == []
    bank.close()


@pytest.fixture
def other(database: str) -> Iterator[Bank]:
    """The bank as another process sees it."""
    bank = Bank(open_books(database))
    yield bank
    bank.close()


def joint_store(bank: Bank) -> "PostgresStore":
    return of_server(bank.store)


def test_all_parts_become_true_at_one_moment(bank: Bank, other: Bank) -> None:
    with joint_store(bank).joint(FIRST) as joint:
        assert joint.found == [(1, "one"), (2, "two")]
        game, _ = bank.open_game(0, "poker", {1: 10, 2: 10})
        assert bank.bet(game, 1, 1, 5) == (25, 85)
        assert bank.balances([1, 2, 3]) == {1: 85, 2: 90, 3: 100}
        assert other.balances([1, 2]) == {1: 100, 2: 100}
        assert bank.settle(game, {2: 1}).amount == 25
        joint.execute("UPDATE online SET credit = 0")
        assert other.open_games() == []
    assert other.balances([1, 2]) == {1: 85, 2: 115}
    assert bank.bet(bank.open_game(0, "poker", {})[0], 1, 1, 5) == (5, 80), "no joint one any more"


def test_a_part_that_is_refused_after_it_wrote_undoes_itself_alone(bank: Bank, other: Bank) -> None:
    with joint_store(bank).joint(FIRST):
        game, _ = bank.open_game(0, "poker", {1: 10})
        for _ in range(2):
            with pytest.raises(NotEnough):
                bank.open_game(0, "poker", {1: 10, 2: 500})  # it has refunded the other game by then
        assert [one.number for one in bank.open_games()] == [game]
        bank.bet(game, 1, 1, 5)
        with pytest.raises(GameClosed):
            bank.bet(game + 7, 1, 1, 5)
        bank.bet(game, 2, 3, 5)
    assert [(one.number, one.pot) for one in other.open_games()] == [(game, 20)]


def test_the_first_part_is_undone_as_any(bank: Bank, other: Bank) -> None:
    game, _ = bank.open_game(0, "poker", {1: 10})
    with joint_store(bank).joint(FIRST):
        with pytest.raises(NotEnough):
            bank.open_game(0, "poker", {1: 10, 2: 500})
        bank.bet(game, 1, 1, 5)
    assert [(one.number, one.pot) for one in other.open_games()] == [(game, 15)]


def test_with_an_error_nothing_has_happened(bank: Bank, other: Bank) -> None:
    def fail() -> None:
        with joint_store(bank).joint(FIRST):
            bank.open_game(0, "poker", {1: 10})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (other.open_games(), other.balance(1)) == ([], 100)
    assert bank.balance(1) == 100


def test_a_statement_that_fails_fails_all_of_it_whoever_catches_that(bank: Bank, other: Bank) -> None:
    def fail() -> None:
        with joint_store(bank).joint(FIRST):
            bank.open_game(0, "poker", {1: 10})
            with pytest.raises(BankUnavailable), bank.store.writing() as books:
                books.execute("UPDATE no_such_table SET a = 1")
            with pytest.raises(BankUnavailable, match="no_such_table"):
                bank.balance(1)

    with pytest.raises(BankUnavailable, match="no_such_table"):
        fail()
    assert (other.open_games(), other.balance(1)) == ([], 100)
    assert bank.balance(1) == 100


def test_what_only_looked_is_not_committed(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that was locked, and no more, costs the server no disk."""
    from yawc_poker.extras.cluster.server.postgres import Transaction

    committed: list[Transaction] = []
    commit = Transaction._commit

    def noted(self: Transaction) -> None:
        committed.append(self)
        commit(self)

    monkeypatch.setattr(Transaction, "_commit", noted)
    with joint_store(bank).joint("SELECT id FROM account ORDER BY id FOR UPDATE") as joint:
        assert len(joint.found) >= 3
        assert bank.balance(1) == 100
        with suppress(NotEnough), bank.store.writing() as books:
            assert books.for_update
            raise NotEnough(1, 0, 1)
        with bank.store.reading() as books:
            assert not books.for_update
    assert committed == []
    with joint_store(bank).joint(FIRST):
        bank.welcome(9, 5)
    assert len(committed) == 1


def test_there_is_one_at_a_time_and_a_file_has_none(bank: Bank) -> None:
    store = joint_store(bank)
    with pytest.raises(StoreError, match="open already"), store.joint(FIRST), store.writing(), store.writing():
        pass
    with pytest.raises(StoreError, match="open already"), store.joint(FIRST), store.joint(FIRST):
        pass
    assert bank.balance(1) == 100
    assert not hasattr(SqliteStore, "joint")
