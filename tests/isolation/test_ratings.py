"""Ratings in the books: what is rated, once, in which order; what the audit says of rows that were changed."""

from collections.abc import Iterator

import msgspec
import pytest

from tests.isolation.books import Place
from tests.isolation.test_rankings import ADA, ANNA, BODO, CARA, FIRST, GUEST, Books
from yawc_poker.engine.against_house import AgainstHouse, HousePart, Person
from yawc_poker.engine.hints import HINT
from yawc_poker.engine.house import program_name
from yawc_poker.engine.transcript import Action, Dealt, Participant, Transcript
from yawc_poker.extras.ratings.reckoning import LEAST_GAMES, NEW, Result, corrected
from yawc_poker.extras.ratings.rows import PIECE, course, ladder, of_user, rate, results


@pytest.fixture
def books(place: Place) -> Iterator[Books]:
    made = Books(place)
    yield made
    made.close()


def rate_all(books: Books) -> None:
    while rate(books.bank.store):
        pass


def test_games_are_rated_once_in_the_order_in_which_they_ended(books: Books) -> None:
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, None)
    rate_all(books)
    books.play(FIRST + 1, "poker", {ANNA: 10, BODO: 10}, {BODO: 1})
    for _ in range(2):
        rate_all(books)
    once = corrected([Result(ANNA, 0), Result(BODO, 1)], {})
    twice = corrected([Result(ANNA, 1), Result(BODO, 0)], once)
    store = books.bank.store
    assert of_user(store, ANNA) == {"poker": twice[ANNA]}
    assert course(store, "poker", BODO, 9) == [once[BODO], twice[BODO]]
    assert course(store, "poker", BODO, 1) == [twice[BODO]]
    assert of_user(store, CARA) == {}


def test_points_decide_where_there_are_any_and_guests_are_not_counted(books: Books) -> None:
    points = {ANNA: 30, BODO: 5, CARA: 12, GUEST: 50}
    books.play(FIRST, "maumau", dict.fromkeys(points, 0), {BODO: 1}, points)
    rate_all(books)
    expected = corrected([Result(BODO, 0), Result(CARA, 1), Result(ANNA, 2)], {})
    assert {user: of_user(books.bank.store, user)["maumau"].games for user in (ANNA, BODO, CARA)} == {
        ANNA: 1,
        BODO: 1,
        CARA: 1,
    }
    assert of_user(books.bank.store, CARA)["maumau"].mu == pytest.approx(expected[CARA].mu)
    assert of_user(books.bank.store, GUEST) == {}


def test_at_poker_house_players_are_ranked_by_what_they_gained_as_people_are(books: Books) -> None:
    """What goes back after a game, since it was for fun, changes nothing."""
    people = tuple(
        Participant(seat, user, "", 100, program)
        for seat, (user, program) in enumerate({ANNA: "", BODO: "", ADA: program_name("hard", 1)}.items())
    )
    dealt = msgspec.json.encode(Dealt(0, people, msgspec.Raw(b"{}"))).decode()
    book = Transcript(0.0, actions=(Action(0, 0, "deal", 0, ANNA, dealt),))
    against = AgainstHouse((Person(ANNA, "a", for_fun=True), Person(BODO, "b")), (HousePart(ADA, None),))
    game, _ = books.bank.open_game(0, "poker", {ANNA: 10, BODO: 10, ADA: 30}, book)
    assert books.bank.settle(game, {ANNA: 1}, book, against=against).back == {ANNA: -30, ADA: 30}
    with books.bank.store.reading() as connection:
        assert results(connection, game) == [Result(ANNA, 0), Result(BODO, 1), Result(ADA, 2, "hard")]


def test_the_ladder_begins_after_some_games_and_many_are_rated_in_pieces(books: Books) -> None:
    for number in range(PIECE + 1):
        books.play(FIRST + number, "poker", {ANNA: 1, BODO: 1}, {ANNA: 1})
        if number == LEAST_GAMES - 2:
            rate_all(books)
            assert ladder(books.bank.store, "poker") == []
    books.play(FIRST + 99, "poker", {ANNA: 1, CARA: 1}, {CARA: 1})
    assert rate(books.bank.store) is False
    assert [place.user for place in ladder(books.bank.store, "poker")] == [ANNA, BODO]
    assert ladder(books.bank.store, "maumau") == []
    assert of_user(books.bank.store, CARA)["poker"].games == NEW.games + 1


def test_the_audit_reckons_anew(books: Books) -> None:
    for number in range(3):
        books.play(FIRST + number, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    rate_all(books)
    assert books.bank.audit() == []
    change = "UPDATE rating SET mu = mu {} 1 WHERE user = ? AND number = 2"
    with books.bank.store.writing() as connection:
        connection.execute(change.format("+"), (BODO,))
    assert books.bank.audit() == ["the ratings of game 2 are not what its result says"]
    with books.bank.store.writing() as connection:
        connection.execute(change.format("-"), (BODO,))


@pytest.mark.parametrize(
    ("takers", "winners", "counts"),
    [
        ((BODO,), (BODO,), False),
        ((BODO,), (ANNA, BODO), False),
        ((BODO,), (ANNA,), True),
        ((BODO, CARA), (ANNA,), True),
        ((BODO, CARA), (CARA,), False),
    ],
)
def test_a_game_counts_for_nobody_if_who_took_hints_won_it_and_the_audit_says_the_same(
    books: Books, takers: tuple[int, ...], winners: tuple[int, ...], counts: bool
) -> None:
    """Whoever is losing cannot save their rating by a hint."""
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    people = tuple(Participant(seat, user, "", 100) for seat, user in enumerate((ANNA, BODO, CARA)))
    dealt = msgspec.json.encode(Dealt(0, people, msgspec.Raw(b"{}"))).decode()
    hints = [Action(number, 2.5, HINT, user - ANNA, user) for number, user in enumerate(takers, 1)]
    book = Transcript(0.0, actions=(Action(0, 0, "deal", 0, ANNA, dealt), *hints))
    game, _ = books.bank.open_game(0, "poker", {ANNA: 10, BODO: 10, CARA: 10}, book)
    books.bank.settle(game, dict.fromkeys(winners, 1), book)
    rate_all(books)
    ended = [Result(user, 0 if user in winners else 1) for user in (ANNA, BODO, CARA)]
    with books.bank.store.reading() as connection:
        assert results(connection, game) == (ended if counts else [])
    assert of_user(books.bank.store, BODO)["poker"].games == 1 + counts
    assert books.bank.audit() == []
