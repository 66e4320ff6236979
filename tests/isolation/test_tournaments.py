"""Tournaments in the books: fees, draws, results from the ledger's games, prizes; done once, whoever does it again."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

import pytest

from tests.isolation.books import Place
from tests.isolation.test_rankings import ADA, ANNA, BODO, CARA, FIRST, START, Books
from tests.rules.chips_run import Hand
from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.wagers import StillPlaying
from yawc_poker.engine import transcript
from yawc_poker.extras.tournaments import chips, rows
from yawc_poker.extras.tournaments.matches import match_of
from yawc_poker.extras.tournaments.property import leave_all
from yawc_poker.extras.tournaments.rows import Bout, Plan, Refused, Tournament
from yawc_poker.extras.tournaments.standings import WIN
from yawc_poker.games.poker.model import Options, Stack

DORA = 4
ALL = (ANNA, BODO, CARA, DORA)
TABLES = range(10)


@pytest.fixture
def books(place: Place) -> Iterator[Books]:
    made = Books(place)
    made.bank.welcome(DORA, START)
    yield made
    made.close()


class Evening:
    """A tournament in such books."""

    def __init__(self, books: Books, kind: str = "offiziersskat", entry: int = 100, rounds: int = 2, every: int = 0):
        self.books, self.store = books, books.bank.store
        plan = Plan(kind, "", ANNA, FIRST + 60, every, rounds, match_of(kind).usual, entry, swiss=True)
        with self.store.writing() as connection:
            self.number = rows.call(connection, self.now, plan)

    @property
    def one(self) -> Tournament:
        with self.store.reading() as connection:
            return rows.find(connection, self.number)

    @property
    def now(self) -> float:
        return self.books.clock.now

    def enter(self, *users: int) -> None:
        for user in users:
            with self.store.writing() as connection:
                rows.enter(connection, self.now, self.number, user)

    def owned(self) -> list[int]:
        return [self.books.bank.balance(user) - START for user in ALL]

    def begin(self, *, filled: bool = True) -> None:
        self.books.clock.now = max(self.now, FIRST + 60)
        for _ in range(2):
            with self.store.writing() as connection:
                rows.begin(connection, self.now, self.number, filled=filled)

    def bouts(self) -> list[Bout]:
        one = self.one
        with self.store.reading() as connection:
            return rows.bouts(connection, one)

    def choose(self) -> None:
        one = self.one
        for bout in self.bouts():
            with self.store.writing() as connection:
                rows.choose_place(connection, self.now, one, bout.board, TABLES)

    def play(self, bout: Bout, points: Mapping[int, int], winner: int) -> None:
        """Play a game at the table of a match, and note what came of it, twice."""
        assert bout.place is not None
        self.books.clock.now += 1
        bank, kind = self.books.bank, self.one.kind
        game, _ = bank.open_game(bout.place, kind, dict.fromkeys(points, 0))
        bank.settle(game, {winner: 1}, points=points)
        self.note(bout)

    def deal(self, bout: Bout, users: Sequence[int], options: Options | None = None) -> int:
        """Play a hand for chips at the table of a match, by random moves; return its number."""
        assert bout.place is not None
        self.books.clock.now += 1
        one = self.one
        with self.store.reading() as connection:
            wanted = options or rows.hand_of(connection, one, bout)
        hand = Hand(dict(enumerate(users)), wanted, Random(self.one.round))
        game, _ = self.books.bank.open_game(bout.place, "poker", {}, hand.opened)
        table = hand.play().table
        shares = {due.user: due.share for due in table.due}
        self.books.bank.settle(game, shares, transcript.without(table.transcript, transcript.opened(hand.opened)))
        return game

    def note(self, bout: Bout) -> None:
        one = self.one
        for _ in range(2):
            with self.store.writing() as connection:
                points = rows.result(connection, one, bout)
                assert points is not None
                rows.end_bout(connection, self.now, one, bout, points, is_played=True)

    def go_on(self) -> None:
        """Draw the next round, or end it; others try the same."""
        one = self.one
        for _ in range(3):
            with self.store.writing() as connection:
                rows.go_on(connection, self.now, one, filled=True)


def test_a_whole_tournament_pays_its_fees_to_the_best(books: Books) -> None:
    evening = Evening(books)
    evening.enter(*ALL)
    assert evening.owned() == [-100] * 4
    with evening.store.reading() as connection:
        assert rows.fees(connection, evening.number) == 400
    evening.begin()
    assert (evening.one.state, evening.one.round) == ("running", 1)
    assert [bout.users for bout in evening.bouts()] == [(ANNA, BODO), (CARA, DORA)]
    evening.choose()
    assert [bout.place for bout in evening.bouts()] == [0, 1]
    for bout in evening.bouts():
        first, second = bout.users
        evening.play(bout, {first: 7, second: 3}, first)
    assert evening.bouts() == []
    evening.go_on()
    assert [bout.users for bout in evening.bouts()] == [(ANNA, CARA), (BODO, DORA)], "winners with winners"
    evening.choose()
    for bout in evening.bouts():
        first, second = bout.users
        evening.play(bout, {first: 2, second: 7}, second)
    assert books.bank.audit() == []
    evening.go_on()
    with evening.store.reading() as connection:
        order = rows.table_of(connection, evening.number)
        assert [(one.user, one.rank, one.points, one.opposition, one.won) for one in order] == [
            (CARA, 1, 2 * WIN, 2 * WIN, 2),
            (ANNA, 2, WIN, 2 * WIN, 1),
            (DORA, 2, WIN, 2 * WIN, 1),
            (BODO, 4, 0, 2 * WIN, 0),
        ]
        assert rows.paid(connection, evening.number) == {CARA: 267, ANNA: 67, DORA: 66}
        assert rows.fees(connection, evening.number) == 0
        assert rows.fame(connection, "offiziersskat", 9)[0] == (CARA, 1, 267)
    assert evening.owned() == [-33, -100, 167, -34]
    assert evening.one.state == "over"
    with pytest.raises(Refused), evening.store.writing() as connection:
        rows.call_off(connection, evening.now, evening.number)


def test_fees_go_back_to_whoever_withdraws_and_again(books: Books) -> None:
    evening = Evening(books)
    for _ in range(2):
        evening.enter(ANNA, ANNA)
        assert evening.owned()[0] == -100
        for _ in range(2):
            with evening.store.writing() as connection:
                rows.withdraw(connection, evening.now, evening.number, ANNA)
        assert evening.owned()[0] == 0
    evening.enter(ANNA, BODO)
    with evening.store.writing() as connection:
        rows.call_off(connection, evening.now, evening.number)
    assert evening.owned() == [0] * 4
    assert evening.one.state == "off"
    with pytest.raises(Refused):
        evening.enter(CARA)


def test_who_cannot_pay_does_not_enter(books: Books) -> None:
    evening = Evening(books, entry=START + 1)
    with pytest.raises(NotEnough):
        evening.enter(ANNA)
    with evening.store.reading() as connection:
        assert rows.entrants(connection, evening.number) == []


def test_who_may_owe_something_at_the_end_of_a_game_pays_no_fee_before(books: Books) -> None:
    """Nothing is staked at the deal of a match for CUBES, and nobody pays more than they own at its end."""
    evening, free = Evening(books, entry=START), Evening(books, entry=0)
    game, _ = books.bank.open_game(0, "doppelkopf", {ANNA: 0, BODO: 0})
    with pytest.raises(StillPlaying):
        evening.enter(ANNA)
    evening.enter(CARA)
    free.enter(ANNA)
    assert books.bank.settle(game, {BODO: 900}, debts={ANNA: 900}).paid == {BODO: 900}
    with pytest.raises(NotEnough):
        evening.enter(ANNA)
    evening.enter(BODO)


def test_who_has_paid_a_fee_is_not_broke(books: Books) -> None:
    evening = Evening(books, entry=START)
    evening.enter(ANNA)
    assert books.bank.allow(ANNA, 50, 20) == 0
    with evening.store.writing() as connection:
        rows.withdraw(connection, evening.now, evening.number, ANNA)
    assert evening.owned()[0] == 0


@pytest.mark.parametrize("begins", [False, True])
def test_whose_account_is_closed_leaves_with_the_fee_and_wins_nothing(books: Books, begins: bool) -> None:
    evening = Evening(books)
    evening.enter(*ALL)
    if begins:
        evening.begin()
        evening.choose()
        for bout in evening.bouts():
            first, second = bout.users
            evening.play(bout, {first: 7, second: 3}, first)
    for _ in range(2):
        leave_all(evening.store, evening.now, ANNA)
        assert evening.owned() == [0, -100, -100, -100]
    assert books.bank.audit() == []
    evening.begin()
    for _ in range(evening.one.rounds):
        one = evening.one
        for bout in evening.bouts():
            points = rows.by_attendance(bout.users, bout.users)
            with evening.store.writing() as connection:
                rows.end_bout(connection, evening.now, one, bout, points, is_played=False)
        evening.go_on()
    assert (evening.one.state, evening.owned()[0], sum(evening.owned())) == ("over", 0, 0)
    leave_all(evening.store, evening.now, BODO)
    assert books.bank.audit() == []


def test_a_game_that_was_taken_off_leaves_sound_books(books: Books) -> None:
    evening = Evening(books, "maumau", rounds=1)
    evening.enter(ANNA, BODO)
    evening.begin()
    evening.choose()
    (bout,) = evening.bouts()
    evening.play(bout, {ANNA: 1, BODO: 2}, ANNA)
    evening.go_on()
    with evening.store.writing() as connection:
        connection.execute("UPDATE tournament SET kind = 'whist'")
    assert books.bank.audit() == []
    assert match_of("whist").length


def test_with_too_few_it_does_not_take_place_and_is_called_again(books: Books) -> None:
    evening = Evening(books, every=7)
    evening.enter(ANNA)
    evening.begin()
    assert evening.one.state == "off"
    assert evening.owned() == [0] * 4
    with evening.store.reading() as connection:
        (following,) = rows.live(connection)
    assert (following.starts - evening.one.starts) / 86400 == pytest.approx(7, abs=0.05)
    assert (following.kind, following.entry, following.every, following.state) == ("offiziersskat", 100, 7, "open")


def test_one_that_begins_early_is_followed_at_the_usual_time(books: Books) -> None:
    evening = Evening(books, every=7)
    usual = evening.one.starts
    evening.enter(ANNA, BODO)
    for _ in range(2):
        with evening.store.writing() as connection:
            rows.hasten(connection, FIRST, evening.number)
    books.clock.now = FIRST
    with evening.store.writing() as connection:
        rows.begin(connection, FIRST, evening.number, filled=True)
    assert evening.one.state == "running"
    with evening.store.reading() as connection:
        _, following = sorted(rows.live(connection), key=lambda one: one.starts)
    assert following.starts == rows.next_start(usual, 7, usual)
    assert following.every == 7


def test_a_row_of_them_ends_when_the_next_one_is_called_off(books: Books) -> None:
    evening = Evening(books, every=7)
    evening.enter(ANNA, BODO)
    with evening.store.writing() as connection:
        rows.call_off(connection, evening.now, evening.number)
    assert evening.owned() == [0] * 4
    with evening.store.reading() as connection:
        assert rows.live(connection) == []


def test_one_that_runs_is_called_off_by_a_sysop_alone(books: Books) -> None:
    evening = Evening(books)
    evening.enter(ANNA, BODO)
    evening.begin()
    with pytest.raises(Refused), evening.store.writing() as connection:
        rows.call_off(connection, evening.now, evening.number)
    assert (evening.one.state, evening.owned()[:2]) == ("running", [-100, -100])
    with evening.store.writing() as connection:
        rows.call_off(connection, evening.now, evening.number, running=True)
    assert (evening.one.state, evening.owned()[:2]) == ("off", [0, 0])


def test_a_caller_calls_one_at_a_time(books: Books) -> None:
    evening = Evening(books)
    for user, has in ((ANNA, True), (BODO, False)):
        with evening.store.reading() as connection:
            assert rows.has_called(connection, user) == has
    evening.enter(ANNA, BODO)
    evening.begin()
    with evening.store.reading() as connection:
        assert not rows.has_called(connection, ANNA), "it runs already"


def test_missing_seats_are_the_houses_or_somebody_sits_out(books: Books) -> None:
    evening = Evening(books, entry=0)
    evening.enter(ANNA, BODO, CARA)
    evening.begin(filled=False)
    assert [bout.users for bout in evening.bouts()] == [(ANNA, BODO)]
    with evening.store.reading() as connection:
        assert next(one for one in rows.played(connection, evening.number) if not one.board).points == WIN // 2
    filled = Evening(books, entry=0)
    filled.enter(ANNA, BODO, CARA)
    filled.begin()
    assert [bout.users for bout in filled.bouts()] == [(ANNA, BODO), (CARA,)]
    filled.choose()
    alone = filled.bouts()[1]
    filled.play(alone, {CARA: 3, ADA: 7}, ADA)
    with filled.store.reading() as connection:
        assert [(one.user, one.points) for one in rows.played(connection, filled.number)] == [(CARA, 0)]


def test_only_games_of_its_players_count_and_none_from_before(books: Books) -> None:
    evening = Evening(books, "maumau", entry=0, rounds=1)
    evening.enter(ANNA, BODO, CARA)
    books.play(FIRST, "maumau", {ANNA: 0, BODO: 0}, {ANNA: 1}, {ANNA: 1, BODO: 2})
    evening.begin()
    evening.choose()
    (bout,) = evening.bouts()
    for users, kept in (((ANNA, DORA), False), ((ADA,), False), ((BODO, CARA), True)):
        game, _ = books.bank.open_game(0, "maumau", dict.fromkeys(users, 0))
        books.bank.settle(game, {users[0]: 1}, points={user: 10 * user for user in users})
        one = evening.one
        with evening.store.reading() as connection:
            assert (rows.result(connection, one, bout) is not None) == kept
    evening.note(bout)
    with evening.store.reading() as connection:
        found = {one.user: one.points for one in rows.played(connection, evening.number)}
    assert found == {ANNA: 0, BODO: WIN, CARA: 0}, "who did not play has nothing"


def test_poker_is_played_for_chips_until_one_has_them_all(books: Books) -> None:
    """House players stand in, a private hand and one that was broken off count nothing, somebody does not come."""
    evening = Evening(books, "poker", rounds=0)
    evening.enter(*ALL)
    evening.begin()
    hands = 0
    while evening.one.state == "running":
        evening.choose()
        (bout,) = evening.bouts()
        one = evening.one
        with evening.store.reading() as connection:
            stacks = rows.stacks(connection, one, bout.users)
        assert stacks.keys() == set(bout.users)
        assert sum(stacks.values()) == 4 * chips.START
        assert min(stacks.values()) > 0
        assert bout.place is not None
        refunded, _ = books.bank.open_game(bout.place, "poker", {}, None)
        books.bank.refund(refunded)
        if hands == 0:
            private, _ = books.bank.open_game(bout.place, "poker", {ANNA: 10, BODO: 10})
            books.bank.settle(private, {ANNA: 1})
            other = Options(20, 400, tuple(Stack(user, 1000) for user in bout.users))
            evening.deal(bout, bout.users, other)
        with evening.store.reading() as connection:
            assert rows.result(connection, one, bout) is None
        there = (*bout.users[1:], ADA) if hands % 3 == 1 else bout.users
        evening.deal(bout, there)
        evening.note(bout)
        assert books.bank.audit() == []
        evening.go_on()
        hands += 1
        assert hands < 100
    with evening.store.reading() as connection:
        order, paid = rows.table_of(connection, evening.number), rows.paid(connection, evening.number)
    assert [one.rank for one in order] == [1, 2, 3, 4]
    assert [one.points for one in order] == [4 * chips.START, 0, 0, 0]
    assert [one.out for one in order] == sorted((one.out for one in order), reverse=True)[-1:] + sorted(
        (one.out for one in order[1:]), reverse=True
    )
    assert paid == {order[0].user: 267, order[1].user: 133}
    assert sum(evening.owned()) == -0
    assert books.bank.audit() == []
    with evening.store.writing() as connection:
        query = (
            "UPDATE bout_player SET points = points + CASE user WHEN ? THEN 1 ELSE -1 END WHERE round = 1 AND user < 3"
        )
        connection.execute(query, (ANNA,))
    assert any("round 1, table 1: the points are not what its game says" in line for line in books.bank.audit())
    with evening.store.writing() as connection:
        connection.execute("UPDATE bout_player SET points = points - 1 WHERE round = 1 AND user = ?", (ANNA,))
    assert any(f"{4 * chips.START} chips have become {4 * chips.START - 1}" in line for line in books.bank.audit())
    with evening.store.writing() as connection:
        connection.execute("UPDATE bout_player SET points = points + 1 WHERE round = 1 AND user = ?", (BODO,))
    assert books.bank.audit() == []


def test_a_hand_that_cannot_be_played_costs_the_absent_their_antes_and_without_anybody_it_is_over(books: Books) -> None:
    evening = Evening(books, "poker", rounds=0)
    evening.enter(*ALL)
    evening.begin()
    for there in ((CARA,), ()):
        (bout,) = evening.bouts()
        one = evening.one
        with evening.store.writing() as connection:
            points = rows.unplayed(connection, one, bout, there)
            rows.end_bout(connection, evening.now, one, bout, points, is_played=False)
        evening.go_on()
    with evening.store.reading() as connection:
        order = rows.table_of(connection, evening.number)
    assert [(one.user, one.rank, one.points) for one in order] == [
        (CARA, 1, 1030),
        (ANNA, 2, 990),
        (BODO, 2, 990),
        (DORA, 2, 990),
    ]
    assert (evening.one.state, sum(evening.owned())) == ("over", 0)
    assert books.bank.audit() == []


def test_tables_are_merged_and_keep_their_place_until_the_next_hand(books: Books) -> None:
    evening = Evening(books, "poker", rounds=0, entry=0)
    users = range(1, 8)
    for user in users:
        books.bank.welcome(user, START)
    evening.enter(*users)
    evening.begin()
    first, second = evening.bouts()
    assert (len(first.users), len(second.users)) == (4, 3)
    evening.choose()
    first, second = evening.bouts()
    one = evening.one
    with evening.store.writing() as connection:
        after = dict.fromkeys(first.users, 0) | {first.users[0]: 4000}
        rows.end_bout(connection, evening.now, one, first, after, is_played=False)
    with evening.store.reading() as connection:
        assert rows.places_taken(connection) == {
            first.place: one.mark(first.board),
            second.place: one.mark(second.board),
        }
    with evening.store.writing() as connection:
        after = dict.fromkeys(second.users, 1000)
        rows.end_bout(connection, evening.now, one, second, after, is_played=False)
    evening.go_on()
    (last,) = evening.bouts()
    assert set(last.users) == {first.users[0], *second.users}
    with evening.store.reading() as connection:
        assert rows.places_taken(connection) == {}


def test_a_match_that_was_not_played_counts_by_who_came(books: Books) -> None:
    assert rows.by_attendance((1, 2, 3), (1, 2)) == {1: 90, 2: 90, 3: 0}
    assert rows.by_attendance((1, 2), ()) == {1: 0, 2: 0}
    assert rows.by_attendance((1, 2), (2,)) == {1: 0, 2: WIN}


def test_the_audit_finds_what_was_changed(books: Books) -> None:
    evening = Evening(books, rounds=1)
    evening.enter(*ALL)
    evening.begin()
    evening.choose()
    for bout in evening.bouts():
        first, second = bout.users
        evening.play(bout, {first: 7, second: 3}, first)
    evening.go_on()
    assert books.bank.audit() == []
    changes = {
        "UPDATE bout_player SET points = 60 WHERE user = 1": "round 1, table 1: the points are not what its game says",
        "UPDATE entrant SET prize = 1 WHERE user = 2": "the places of tournament 1 are not what its matches say",
        "UPDATE tournament SET entry = 99": "the prizes of tournament 1 are not what its places say",
        "UPDATE tournament SET state = 'running'": "the house holds 0 CUBES of tournament 1, not 400",
    }
    backs = (
        "UPDATE bout_player SET points = 120 WHERE user = 1",
        "UPDATE entrant SET prize = 0 WHERE user = 2",
        "UPDATE tournament SET entry = 100",
        "UPDATE tournament SET state = 'over'",
    )
    for (change, text), back in zip(changes.items(), backs, strict=True):
        with evening.store.writing() as connection:
            connection.execute(change)
        assert any(text in line for line in books.bank.audit()), change
        with evening.store.writing() as connection:
            connection.execute(back)
        assert books.bank.audit() == []
