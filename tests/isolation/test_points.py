"""Points in the books: written with the payout, once, and added up in a profile."""

from pathlib import Path

import pytest

from tests.engine.adapters import DOPPELKOPF_ADAPTER, MAUMAU_ADAPTER, Adapter
from tests.isolation.books import Place
from tests.isolation.former import former_file
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import Hall
from tests.isolation.stores import bank_in_file
from tests.isolation.test_history import play_anything
from yawc_poker.casino.bank.bank import Bank, GameCount
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.registry.games import game_of

ANNA, BODO, CARA = 1, 2, 3


@pytest.mark.parametrize("adapter", [MAUMAU_ADAPTER, DOPPELKOPF_ADAPTER], ids=["maumau", "doppelkopf"])
def test_points_are_those_of_the_match(tmp_path: Path, adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    def play() -> None:
        play_anything(hall, adapter, Bank)
        bank = bank_in_file(hall.data / BANK_FILE)
        played = bank.game(1)
        assert played is not None
        standings = game_of(adapter.game.KIND).results(played).standings
        assert any(one.total for one in standings)
        for user, one in enumerate(standings, 1):
            assert bank.records(user) == [GameCount(adapter.game.KIND, 1, int(one.won), one.total)]
        assert bank.audit() == []
        bank.close()

    with Hall(tmp_path / "data") as hall:
        assert exit_code(fork(play)) == 0


def test_points_are_added_up_and_written_once(place: Place) -> None:
    bank = place.bank()
    for points in ({ANNA: 3, BODO: -3}, {ANNA: -1, BODO: 1}):
        game, _ = bank.open_game(0, "doppelkopf", {ANNA: 0, BODO: 0})
        for _ in range(2):
            bank.settle(game, {ANNA: 1}, points=points)
    unpaid, _ = bank.open_game(0, "poker", {})
    bank.settle(unpaid, {})
    assert place.rows("SELECT user, game, points FROM points ORDER BY user, game") == [
        (ANNA, 1, 3),
        (ANNA, 2, -1),
        (BODO, 1, -3),
        (BODO, 2, 1),
    ]
    bank.close()


def test_winners_are_those_who_have_won_whoever_gets_cubes(place: Place) -> None:
    bank = place.bank()
    game, _ = bank.open_game(0, "doppelkopf", {ANNA: 0, BODO: 0})
    for _ in range(2):
        bank.settle(game, {ANNA: 3, BODO: 1}, winners=[ANNA])
    assert [bank.records(user)[0].won for user in (ANNA, BODO)] == [1, 0]
    bank.close()


def test_books_from_before_points_were_kept_go_on(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 6) as books:
        books.execute("INSERT INTO game (table_no, kind, opened, closed, outcome) VALUES (0, 'maumau', 1, 2, 'lost')")
        books.execute("INSERT INTO player VALUES (1, 1)")
    bank = bank_in_file(path)
    assert bank.records(ANNA) == [GameCount("maumau", 1, 0, None)]
    bank.close()
