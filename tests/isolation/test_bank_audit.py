from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.books import Place
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.bank.bank import Bank


@pytest.fixture
def bank(place: Place) -> Iterator[Bank]:
    """Users 1 and 2; game 1 (table 7) is won, game 2 (table 7) and game 3 (table 8) are open."""
    bank = place.bank()
    bank.welcome(1, 100)
    bank.welcome(2, 100)
    bank.settle(bank.open_game(7, "poker", {1: 10, 2: 10})[0], {1: 1})
    bank.open_game(7, "poker", {1: 5, 2: 5})
    bank.open_game(8, "poker", {2: 3})
    assert bank.audit() == []
    yield bank
    bank.close()


ANNA = "(SELECT id FROM account WHERE kind = 'user' AND ref = 1)"
POT = "(SELECT id FROM account WHERE kind = 'pot' AND ref = 7)"
LATEST = "(SELECT max(id) FROM txn)"


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        (
            [f"UPDATE account SET balance = balance + 1 WHERE id = {ANNA}"],
            ["account user 1 holds 106, its entries say 105"],
        ),
        (
            [f"UPDATE entry SET amount = amount - 1 WHERE txn = 1 AND account = {ANNA}"],
            ["all entries together sum to -1, not 0", "transaction 1 (welcome:1) sums to -1, not 0"],
        ),
        (
            [f"UPDATE account SET balance = -5 WHERE id = {ANNA}"],
            ["account user 1 is below zero: -5", "account user 1 holds -5, its entries say 105"],
        ),
        (
            ["UPDATE game SET closed = 1, outcome = 'won' WHERE id = 2"],
            ["the pot of table 8 holds 10 with 0 open games", "game 2 is closed, but left 10 in the pot"],
        ),
        (
            [f"UPDATE account SET balance = balance + 4 WHERE id = {POT}"],
            ["the pot of table 8 holds 14, its open game 2 says 10"],
        ),
        (
            ["UPDATE txn SET game = 2 WHERE key = 'ante:3'"],
            ["3 CUBES moved at the pot of table 9 belong to no game there"],
        ),
        (
            ["UPDATE txn SET game = NULL WHERE key = 'ante:3'"],
            ["3 CUBES moved at the pot of table 9 belong to no game there"],
        ),
        (
            ["DROP INDEX game_open", "INSERT INTO game (table_no, kind, opened) VALUES (7, 'poker', 0)"],
            ["the pot of table 8 holds 10 with 2 open games", "the layout of game_open is not what this program made"],
        ),
        (
            [f"UPDATE account SET kind = 'user', ref = 9, balance = -8 WHERE id = {POT}"],
            ["account user 9 is below zero: -8"],
        ),
    ],
)
def test_damage_is_found_and_named(bank: Bank, place: Place, statements: list[str], wanted: list[str]) -> None:
    place.damage(*statements)
    found = bank.audit()
    assert set(wanted) <= set(found)


def test_a_row_without_the_one_that_it_points_to_is_found(tmp_path: Path) -> None:
    place = Place(tmp_path / "bank.sqlite")
    bank = place.bank()
    bank.welcome(1, 100)
    place.damage("DELETE FROM txn WHERE key = 'welcome:1'")
    assert "a row of entry points to a missing txn" in bank.audit()
    bank.close()


def test_a_transaction_that_moves_between_wrong_pots_is_found(bank: Bank, place: Place) -> None:
    other = "(SELECT id FROM account WHERE kind = 'pot' AND ref = 8)"
    place.damage(f"UPDATE entry SET account = {other} WHERE txn = {LATEST} - 1 AND account = {POT}")
    found = bank.audit()
    assert "10 CUBES moved at the pot of table 9 belong to no game there" in found
    assert "the pot of table 8 holds 10, its open game 2 says 0" not in found
    assert "account pot 7 holds 10, its entries say 0" in found


def test_a_missing_trigger_is_found(bank: Bank, place: Place) -> None:
    on = "" if place.engine == "sqlite" else " ON entry"
    assert place.try_out(f"DROP TRIGGER entry_delete{on}") is None
    assert bank.audit() == ["the layout of entry_delete is not what this program made"]


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("ALTER TABLE entry DISABLE TRIGGER entry_moves", "entry_moves"),
        (
            "CREATE OR REPLACE FUNCTION entry_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "entry_late",
        ),
        ("CREATE TABLE more (id bigint)", "more"),
        ("DROP INDEX txn_game", "txn_game"),
        ("ALTER TABLE account DROP CONSTRAINT account_check", "constraints"),
    ],
)
def test_a_database_that_was_changed_is_found(tmp_path: Path, database: str, statement: str, name: str) -> None:
    place = Place(tmp_path, database)
    bank = place.bank()
    assert bank.audit() == []
    assert place.try_out(statement) is None
    assert bank.audit() == [f"the layout of {name} is not what this program made"]
    bank.close()


def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    bank = bank_in_file(path)
    for user in range(1, 200):
        bank.welcome(user, 100)
    bank.close()
    whole = path.read_bytes()
    page = int.from_bytes(whole[16:18], "big")
    path.write_bytes(whole[: 2 * page] + bytes([0xAA]) * page + whole[3 * page :])
    assert any("damaged" in problem or "cannot be made" in problem for problem in bank.audit())
    bank.close()
