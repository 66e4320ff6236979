import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.isolation.books import Place
from tests.isolation.sessions import told
from tests.isolation.stores import bank_in_file, with_clock
from yawc_poker.casino.bank import history, ledger
from yawc_poker.casino.bank.bank import Bank, GameCount
from yawc_poker.casino.bank.history import Asked
from yawc_poker.casino.bank.ledger import BankError, GameClosed, NotEnough, OpenGame, Outdated, Settlement
from yawc_poker.casino.bank.wagers import Refunded
from yawc_poker.casino.store.sqlite import SqliteConnection

ANNA, BODO, CARL = 1, 2, 3
TABLE = 7


@pytest.fixture
def bank(place: Place) -> Iterator[Bank]:
    bank = Bank(with_clock(place.open(), lambda: 1000.0))
    for user in (ANNA, BODO, CARL):
        bank.welcome(user, 100)
    yield bank
    assert bank.audit() == []
    bank.close()


def test_starting_cubes_come_once_whatever_the_amount_is_later(bank: Bank) -> None:
    assert bank.welcome(4, 50)
    assert not bank.welcome(4, 50)
    assert not bank.welcome(4, 70)
    assert bank.balances([4, ANNA, 99]) == {4: 50, ANNA: 100, 99: 0}


def test_a_house_that_gives_nothing_has_welcomed_all_the_same(bank: Bank) -> None:
    assert bank.welcome(4, 0)
    assert not bank.welcome(4, 1000)
    assert bank.balance(4) == 0


def test_stakes_and_bets_fill_the_pot_and_the_winner_gets_it_all(bank: Bank) -> None:
    game, balances = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    assert balances == {ANNA: 90, BODO: 90}
    assert bank.bet(game, 1, ANNA, 5) == (25, 85)
    assert bank.bet(game, 2, BODO, 7) == (32, 83)
    assert bank.open_games() == [OpenGame(game, TABLE, 32)]
    assert bank.settle(game, {ANNA: 1}) == Settlement(32, {ANNA: 32})
    assert bank.open_games() == []
    assert bank.pot(game) == 0
    assert bank.balances([ANNA, BODO]) == {ANNA: 117, BODO: 83}


def test_a_pot_without_a_winner_goes_to_the_house(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    assert bank.settle(game, {}) == Settlement(10, {})
    assert bank.settle(game, {}) == Settlement(10, {})
    assert bank.figures().house == 10


def test_an_empty_pot_just_closes(bank: Bank) -> None:
    game, balances = bank.open_game(TABLE, "poker", {})
    assert balances == {}
    assert bank.settle(game, {ANNA: 1}) == Settlement(0, {ANNA: 0})
    assert bank.settle(game, {ANNA: 1}) == Settlement(0, {ANNA: 0})


def test_a_repeated_payout_pays_once_though_the_pot_is_filled_again(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.settle(game, {BODO: 1})
    bank.open_game(TABLE, "poker", {ANNA: 30})
    assert bank.settle(game, {BODO: 1}) == Settlement(20, {BODO: 20})
    assert bank.balances([ANNA, BODO]) == {ANNA: 60, BODO: 110}


@pytest.mark.parametrize("shares", [{ANNA: 1}, {ANNA: 1, BODO: 1}, {}])
def test_a_payout_cannot_be_repeated_for_somebody_else(bank: Bank, shares: dict[int, int]) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.settle(game, {BODO: 1})
    with pytest.raises(GameClosed):
        bank.settle(game, shares)
    assert bank.balances([ANNA, BODO]) == {ANNA: 90, BODO: 110}


def test_a_repeated_bet_moves_nothing(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    assert bank.bet(game, 1, ANNA, 5) == bank.bet(game, 1, ANNA, 5) == (15, 85)
    assert bank.pot(game) == 15


def test_another_amount_for_the_same_action_moves_what_differs(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    assert bank.bet(game, 1, ANNA, 5) == (15, 85)
    assert bank.bet(game, 1, ANNA, 6) == bank.bet(game, 1, ANNA, 6) == (16, 84)
    assert bank.take_back(game, 1, ANNA) == bank.take_back(game, 1, ANNA) == 10
    assert bank.bet(game, 1, ANNA, 5) == bank.bet(game, 1, ANNA, 5) == (15, 85)
    with pytest.raises(NotEnough):
        bank.bet(game, 1, ANNA, 91)
    assert bank.take_back(game, 2, ANNA) == bank.pot(game) == 15
    assert bank.audit() == []


def test_a_bet_that_was_allowed_by_a_wrong_belief_moves_nothing(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    for wrong in ({ANNA: 91, BODO: 100}, {ANNA: 90, BODO: 99}, {ANNA: 90, BODO: 100, 99: 1}):
        with pytest.raises(Outdated):
            bank.bet(game, 1, ANNA, 5, believed=wrong)
    assert bank.pot(game) == 10
    assert bank.bet(game, 1, ANNA, 5, believed={ANNA: 90, BODO: 100, 99: 0}) == (15, 85)
    with pytest.raises(Outdated):
        bank.bet(game, 1, ANNA, 5, believed={ANNA: 90, BODO: 100})
    assert bank.bet(game, 1, ANNA, 5, believed={ANNA: 85, BODO: 100}) == (15, 85)


def test_two_users_may_bet_in_the_same_action(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {})
    bank.bet(game, 1, ANNA, 5)
    assert bank.bet(game, 1, BODO, 6) == (11, 94)


def test_nobody_pays_more_than_he_has(bank: Bank) -> None:
    with pytest.raises(NotEnough) as refused:
        bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 101})
    assert (refused.value.user, refused.value.balance, refused.value.amount) == (BODO, 100, 101)
    assert bank.open_games() == []
    assert bank.balances([ANNA, BODO]) == {ANNA: 100, BODO: 100}
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 100})
    with pytest.raises(NotEnough):
        bank.bet(game, 1, ANNA, 1)
    assert bank.pot(game) == 100


def test_a_stake_below_zero_is_refused(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    with pytest.raises(ValueError, match="below zero"):
        bank.bet(game, 1, BODO, -5)
    with pytest.raises(ValueError, match="below zero"):
        bank.open_game(8, "poker", {BODO: -5})
    assert [open_game.table_no for open_game in bank.open_games()] == [TABLE]


def test_a_closed_game_takes_no_bet_not_even_a_repeated_one(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    bank.bet(game, 1, ANNA, 5)
    bank.settle(game, {ANNA: 1})
    for action in (1, 2):
        with pytest.raises(GameClosed) as refused:
            bank.bet(game, action, ANNA, 5)
        assert refused.value.outcome == "won"
    assert bank.balance(ANNA) == 100


def test_a_game_that_never_was_is_closed(bank: Bank) -> None:
    for call in (
        lambda: bank.bet(99, 1, ANNA, 5),
        lambda: bank.settle(99, {ANNA: 1}),
        lambda: bank.refund(99),
        lambda: bank.pot(99),
    ):
        with pytest.raises(GameClosed) as refused:
            call()
        assert refused.value.outcome is None


def test_a_refund_gives_each_what_he_put_in(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.bet(game, 1, ANNA, 25)
    assert bank.refund(game) == {ANNA: 35, BODO: 10}
    assert bank.refund(game) == {ANNA: 35, BODO: 10}
    assert bank.balances([ANNA, BODO]) == {ANNA: 100, BODO: 100}
    assert told(bank, ANNA) == []
    with pytest.raises(GameClosed) as refused:
        bank.settle(game, {ANNA: 1})
    assert refused.value.outcome == "refunded"


def test_a_won_game_is_not_refunded(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.settle(game, {BODO: 1})
    with pytest.raises(GameClosed):
        bank.refund(game)


def test_a_new_game_refunds_the_one_its_table_never_knew(bank: Bank) -> None:
    lost, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    elsewhere, _ = bank.open_game(8, "poker", {CARL: 10})
    game, balances = bank.open_game(TABLE, "poker", {ANNA: 95, CARL: 90})
    assert balances == {ANNA: 5, CARL: 0}
    assert [open_game.number for open_game in bank.open_games()] == [game, elsewhere]
    assert told(bank, BODO) == [(lost, 10)]


def test_a_refused_opening_leaves_the_old_game_alone(bank: Bank) -> None:
    old, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    with pytest.raises(NotEnough):
        bank.open_game(TABLE, "poker", {ANNA: 101})
    assert bank.open_games() == [OpenGame(old, TABLE, 10)]


def test_leftovers_go_back_and_their_players_are_told_once(bank: Bank) -> None:
    left, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 20})
    playing, _ = bank.open_game(8, "poker", {CARL: 10})
    assert bank.settle_leftovers(8, playing) == bank.settle_leftovers(TABLE, left) == []
    assert bank.settle_leftovers(TABLE, left + 50) == [Refunded(left, TABLE, {ANNA: 10, BODO: 20})]
    assert bank.settle_leftovers(TABLE) == []
    assert bank.settle_leftovers() == [Refunded(playing, 8, {CARL: 10})]
    assert told(bank, BODO) == [(left, 20)]
    assert told(bank, BODO) == []
    assert told(bank, ANNA) == [(left, 10)]


def test_time_online_is_paid_in_whole_cubes_and_fractions_are_kept(bank: Bank) -> None:
    paid = [bank.earn(ANNA, f"minute {n}", 60, 10) for n in range(13)]
    assert paid == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert bank.earn(ANNA, "hour", 3600, 10) == 10
    assert bank.balance(ANNA) == 112
    assert bank.figures().minted == 312


def test_the_same_time_is_paid_once(bank: Bank) -> None:
    assert bank.earn(ANNA, "a", 3600, 2.5) == 2
    assert bank.earn(ANNA, "a", 3600, 2.5) == 2
    assert bank.earn(ANNA, "b", 360, 2.5) == 0
    assert bank.earn(ANNA, "b", 360, 2.5) == 0
    assert bank.earn(ANNA, "a", 3600, 2.5) == 2
    assert bank.earn(ANNA, "c", 360, 2.5) == 1
    assert bank.balance(ANNA) == 103


def test_unpaid_time_is_not_paid_when_the_rate_rises(bank: Bank) -> None:
    assert bank.earn(ANNA, "a", 360000, 0) == 0
    assert bank.earn(ANNA, "b", 1, 1000) == 0


def test_records_count_all_games_by_kind_but_no_refunded_ones(bank: Bank) -> None:
    won, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.bet(won, 1, ANNA, 5)
    bank.settle(won, {ANNA: 1})
    lost, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    bank.settle(lost, {})
    refunded, _ = bank.open_game(TABLE, "poker", {ANNA: 10, BODO: 10})
    bank.refund(refunded)
    maumau, _ = bank.open_game(TABLE, "maumau", {ANNA: 0, BODO: 0})
    bank.settle(maumau, {BODO: 1})
    assert [bank.records(user) for user in (ANNA, BODO, CARL, 99)] == [
        [GameCount("maumau", 1, 0), GameCount("poker", 2, 1)],
        [GameCount("maumau", 1, 1), GameCount("poker", 1, 0)],
        [],
        [],
    ]


def test_figures_account_for_every_cube(bank: Bank) -> None:
    opened, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    bank.settle(opened, {})
    bank.open_game(TABLE, "poker", {BODO: 15})
    figures = bank.figures()
    assert (figures.cash, figures.pots, figures.house, figures.minted) == (275, 15, 10, 300)
    assert (figures.users, figures.games, figures.open_games, figures.transactions) == (3, 2, 1, 6)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE txn SET at = 0",
        "DELETE FROM txn",
        "UPDATE entry SET amount = 2 * amount",
        "DELETE FROM entry",
        "INSERT INTO entry VALUES (1, 3, 1)",
        "UPDATE game SET outcome = 'refunded' WHERE closed IS NOT NULL",
        "UPDATE game SET table_no = 99 WHERE closed IS NULL",
        "DELETE FROM game",
        "INSERT INTO txn (key, kind, game, at) VALUES ('late', 'bet', 1, 0)",
        "INSERT INTO game (table_no, kind, opened) VALUES (7, 'poker', 0)",
        "UPDATE account SET balance = -1 WHERE kind = 'user'",
    ],
)
def test_history_is_closed_even_to_other_programs(bank: Bank, place: Place, statement: str) -> None:
    closed, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    bank.settle(closed, {ANNA: 1})
    bank.open_game(TABLE, "poker", {ANNA: 10})
    refused = place.try_out(statement)
    assert refused is not None
    assert "IntegrityError" in {kind.__name__ for kind in refused.__mro__}


def test_cubes_are_whole_even_to_other_programs(tmp_path: Path) -> None:
    place = Place(tmp_path / "bank.sqlite")
    with closing(place.bank()) as bank:
        bank.welcome(ANNA, 100)
    assert place.try_out("UPDATE account SET balance = 1.5 WHERE kind = 'user'") is sqlite3.IntegrityError


def test_every_refusal_is_a_bank_error_in_one_line(bank: Bank) -> None:
    game, _ = bank.open_game(TABLE, "poker", {ANNA: 10})
    bank.bet(game, 1, ANNA, 1)
    for call in (lambda: bank.bet(98, 1, ANNA, 2), lambda: bank.bet(game, 2, ANNA, 2000), lambda: bank.refund(99)):
        with pytest.raises(BankError) as refused:
            call()
        assert str(refused.value)
        assert "\n" not in str(refused.value)


def steps_of(path: Path, look: Callable[[SqliteConnection], object]) -> int:
    """Count the steps, in hundreds, that SQLite takes for a look."""
    steps = [0]

    def count() -> None:
        steps[0] += 1

    connection = sqlite3.connect(path, isolation_level=None, factory=SqliteConnection)
    try:
        connection.set_progress_handler(count, 100)
        look(connection)
    finally:
        connection.close()
    return steps[0]


LOOKS: dict[str, Callable[[SqliteConnection], object]] = {
    "the newest games": lambda books: history.games(books, Asked(limit=5)),
    "the newest games of a user": lambda books: history.games(books, Asked(limit=5, user=ANNA)),
    "the newest games of a table": lambda books: history.games(books, Asked(limit=5, table=TABLE)),
    "one game": lambda books: history.game(books, 17),
    "the open games": lambda books: ledger.open_games(books),
    "what a refund brought": lambda books: ledger.received(books, "payout:17"),
}


def test_years_of_games_make_no_look_at_the_books_longer(tmp_path: Path) -> None:
    bank = bank_in_file(tmp_path / "bank.sqlite")
    for user in (ANNA, BODO, CARL):
        bank.welcome(user, 1000)

    def play(count: int) -> None:
        for _ in range(count):
            game, _ = bank.open_game(TABLE, "poker", {ANNA: 1, BODO: 1, CARL: 1})
            bank.bet(game, 1, BODO, 1)
            bank.settle(game, {ANNA: 1})
            bank.earn(BODO, f"{game}", 7200, 1)
            bank.earn(CARL, f"{game}", 3600, 1)

    path = tmp_path / "bank.sqlite"
    play(30)
    few = {name: steps_of(path, look) for name, look in LOOKS.items()}
    play(300)
    for name, look in LOOKS.items():
        assert steps_of(path, look) <= few[name] + few[name] // 4 + 2, name
    bank.close()
