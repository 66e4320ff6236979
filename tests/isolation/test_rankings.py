"""Rankings from histories made by hand: what counts, in which month, and that what is kept is what was played."""

import signal
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clock import Clock
from tests.isolation.books import Place, postgres_books
from tests.isolation.former import former_file
from tests.isolation.lobby import Lobby
from tests.isolation.sessions import Hall
from tests.isolation.stores import bank_in_file
from tests.postgres import Server
from tests.thoroughness import sampled
from yawc_poker.casino.local_host import LocalHost
from yawc_poker.casino.rankings.course import course
from yawc_poker.casino.rankings.days import ALL_GAMES, NONE, Tally, keep_past_days, of_game, of_user
from yawc_poker.casino.rankings.periods import DAY, Month, day_of, month_of
from yawc_poker.casino.rankings.rankings import hall_of_fame, months, standings
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.users.accounts import write_guest_closed
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.sealing import Deck, Discarded, Missing
from yawc_poker.engine.table import split
from yawc_poker.engine.transcript import begin
from yawc_poker.session.menus.rankings import rankings

ANNA, BODO, CARA = 1, 2, 3
ADA = HOUSE_USERS[0]
GUEST = 1 << 48
START = 100_000
OCTOBER, NOVEMBER = Month(2026, 10), Month(2026, 11)
FIRST = float(OCTOBER.days.start * DAY)
"""The first second of October 2026."""


class Books:
    """A bank whose clock a test moves."""

    def __init__(self, place: Place, now: float = FIRST) -> None:
        self.place = place
        self.clock = Clock(now)
        self.bank = place.bank(self.clock)
        for user in (ANNA, BODO, CARA):
            self.bank.welcome(user, START)
        self.bank.fill_purse(ADA, START)

    def play(
        self,
        closed: float,
        kind: str,
        stakes: Mapping[int, int],
        shares: Mapping[int, int] | None,
        points: Mapping[int, int] | None = None,
    ) -> int:
        """Play a game that ends at a moment; with empty shares the house wins it, without any it is broken off."""
        self.clock.now = closed
        game, _ = self.bank.open_game(0, kind, stakes)
        if shares is not None:
            self.bank.settle(game, shares, points=points)
        else:
            self.bank.refund(game)
        return game

    def close(self) -> None:
        assert self.bank.audit() == []
        self.bank.close()


@pytest.fixture
def books(place: Place) -> Iterator[Books]:
    made = Books(place)
    yield made
    made.close()


def untallied(books: Books) -> list[int]:
    with books.bank.store.reading() as connection:
        return [day for (day,) in connection.execute("SELECT day FROM untallied ORDER BY day")]


# --- what counts ------------------------------------------------------------------------------------------------------


def test_a_month_has_what_its_games_brought_whoever_they_were_won_from(books: Books) -> None:
    day = DAY
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    books.play(FIRST + day, "poker", {ANNA: 10, BODO: 10, ADA: 10}, {ANNA: 1})
    books.play(FIRST + day, "poker", {ANNA: 10, BODO: 10}, {BODO: 1})
    books.play(FIRST + day, "poker", {ANNA: 10, BODO: 10}, None)
    books.play(FIRST + 2 * day, "maumau", {ANNA: 0, BODO: 0, GUEST: 0}, {GUEST: 1}, {ANNA: 3, GUEST: 9})
    books.play(NOVEMBER.days.start * DAY, "poker", {BODO: 5, CARA: 5}, {CARA: 1})
    books.bank.earn(ANNA, "online", 3600, 10)
    now = books.clock.now
    store = books.bank.store
    assert standings(store, "poker", OCTOBER, now) == {
        ANNA: Tally(3, 2, 20, None, 2, 0, 2),
        BODO: Tally(3, 1, -10, None, 0, 1, 1),
    }
    assert standings(store, "maumau", OCTOBER, now) == {ANNA: Tally(1, 0, 0, 3), BODO: Tally(1, 0, 0, None)}
    assert standings(store, ALL_GAMES, OCTOBER, now)[ANNA] == Tally(4, 2, 20, None, 2, 0, 2)
    assert standings(store, "poker", NOVEMBER, now) == {
        BODO: Tally(1, 0, -5),
        CARA: of_game(won=True, cubes=5, points=None),
    }
    assert standings(store, "poker", None, now)[BODO] == Tally(4, 1, -15, None, 0, 0, 1)
    assert of_user(store, CARA) == dict.fromkeys((ALL_GAMES, "poker"), of_game(won=True, cubes=5, points=None))
    assert months(store, now) == [OCTOBER, NOVEMBER]


def test_the_hall_of_fame_has_the_months_that_are_over(books: Books) -> None:
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10, CARA: 10}, {BODO: 1})
    december = NOVEMBER.next.days.start * DAY
    books.play(december, "poker", {CARA: 10, BODO: 10}, {CARA: 1})
    (one,) = hall_of_fame(books.bank.store, "poker", december, 12, {ANNA, BODO, CARA})
    assert one.month == OCTOBER
    assert {order: [place.user for place in places] for order, places in one.best.items()} == {
        "cubes": [BODO],
        "won": [ANNA, BODO],
        "run": [ANNA, BODO],
    }
    (one,) = hall_of_fame(books.bank.store, "poker", december, 12, {ANNA})
    assert {order: [place.user for place in places] for order, places in one.best.items()} == {
        "won": [ANNA],
        "run": [ANNA],
    }
    assert hall_of_fame(books.bank.store, "maumau", december, 12, {ANNA, BODO, CARA}) == []
    assert hall_of_fame(books.bank.store, "poker", FIRST, 12, {ANNA, BODO, CARA}) == []


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    with Hall(tmp_path / "data") as hall:
        found = Lobby(hall)
        yield found
        found.close()
    signal.signal(signal.SIGUSR1, before)


def test_guests_push_nobody_off_a_table_nor_out_of_the_hall_of_fame(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those who are here nor those who are gone, however many they are and however much they won."""
    bank, accounts = lobby.mine.bank, lobby.mine.accounts
    guests = [accounts.enrol_guest("en").id for _ in range(41)]
    clock = Clock(FIRST)
    monkeypatch.setattr(bank.store, "clock", clock)
    for winner, games in [(ANNA, 1), *((guest, 2) for guest in guests)]:
        for _ in range(games):
            game, _ = bank.open_game(0, "poker", {winner: 0})
            bank.settle(game, {winner: 1})
    with accounts.store.writing() as users:
        for guest in guests[1:]:
            write_guest_closed(users, guest, FIRST)
    monkeypatch.setattr(LocalHost, "now", Clock(FIRST + DAY))
    won = lobby.seen(("xterm", "utf-8"), rankings, "wq").rows
    assert [row.split()[:2] for row in won if row.lstrip().startswith("1.")] == [["1.", "Anna"]]
    assert not any(row.lstrip().startswith("Guest") or "2." in row for row in won)
    monkeypatch.setattr(LocalHost, "now", Clock(NOVEMBER.days.start * DAY + DAY))
    fame = "\n".join(lobby.seen(("xterm", "utf-8"), rankings, "hqq").rows)
    assert "2026-10" in fame
    assert "Games won:              Anna (1)" in fame


# --- days that are kept -----------------------------------------------------------------------------------------------


def test_a_day_that_is_over_is_kept_and_counted_anew_when_a_clock_goes_back(books: Books) -> None:
    today = OCTOBER.days.start
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    assert untallied(books) == [today]
    keep_past_days(books.bank.store, today)
    assert untallied(books) == [today]
    keep_past_days(books.bank.store, today + 1)
    assert untallied(books) == []
    books.play(FIRST + 5, "maumau", {ANNA: 10, CARA: 10}, {CARA: 1})
    assert untallied(books) == [today]
    for _ in range(2):
        whole = standings(books.bank.store, ALL_GAMES, OCTOBER, FIRST + 5 * DAY)
        assert whole == {
            ANNA: Tally(2, 1, 0, None, 1, 0, 1),
            BODO: Tally(1, 0, -10),
            CARA: Tally(1, 1, 10, None, 1, 1, 1),
        }
        assert untallied(books) == []


def test_a_day_with_more_games_than_are_counted_at_once(books: Books) -> None:
    for number in range(150):
        books.play(FIRST + number // 40, "poker", {ANNA: 1, BODO: 1}, {ANNA: 1} if number % 75 else {BODO: 1})
    for _ in range(2):
        whole = standings(books.bank.store, "poker", OCTOBER, FIRST + DAY)
        assert whole[ANNA] == Tally(150, 148, 146, None, 0, 74, 74)
        assert untallied(books) == []


def test_the_audit_finds_a_kept_day_that_is_not_what_was_played(place: Place) -> None:
    books = Books(place)
    books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    keep_past_days(books.bank.store, OCTOBER.days.start + 1)
    assert books.bank.audit() == []
    books.place.damage(f"UPDATE tally SET cubes = 11 WHERE user = {ANNA}")
    assert books.bank.audit() == ["the rankings of 2026-10-01 are not what its games say"]
    books.place.damage("DELETE FROM tally")
    assert books.bank.audit() == ["the rankings of 2026-10-01 are not what its games say"]
    books.place.damage(f"INSERT INTO untallied VALUES ({OCTOBER.days.start})")
    assert books.bank.audit() == []
    assert standings(books.bank.store, "poker", OCTOBER, FIRST)[ANNA].cubes == 10
    books.bank.close()


def test_books_of_before_have_their_days_counted(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 8) as connection:
        connection.execute(
            "INSERT INTO game (table_no, kind, opened, closed, outcome) VALUES (0, 'maumau', ?, ?, 'won')",
            (FIRST - 100, FIRST),
        )
        connection.execute("INSERT INTO player VALUES (?, 1)", (ANNA,))
        connection.execute("INSERT INTO winner VALUES (1, ?)", (ANNA,))
    bank = bank_in_file(path)
    assert standings(bank.store, "maumau", OCTOBER, FIRST + DAY) == {ANNA: of_game(won=True, cubes=0, points=None)}
    assert bank.audit() == []
    bank.close()


# --- a user's own tallies ---------------------------------------------------------------------------------------------


def test_ones_own_tally_of_today_does_not_read_what_others_played(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        books.play(FIRST, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    books.play(FIRST, "poker", {BODO: 10, CARA: 10}, {CARA: 1})
    monkeypatch.setattr("yawc_poker.casino.rankings.days.PIECE", 2)
    store = books.bank.store
    waits, reading = count(1), store.reading
    monkeypatch.setattr(store, "reading", lambda: reading() if next(waits) else None)
    assert of_user(store, CARA)["poker"] == of_game(won=True, cubes=10, points=None)
    assert next(waits) == 3
    assert of_user(store, ANNA)["poker"].cubes == 50


def test_ones_own_tally_of_today_has_what_was_paid_for_a_withheld_text(books: Books) -> None:
    deck = Deck("5e", "cards")
    gone = Discarded(deck, (), (Missing(2, CARA, "Cara", "withheld"),))
    game, _ = books.bank.open_game(0, "poker", {ANNA: 10, BODO: 10}, begin(0.0, deck, (), (), (gone,), (CARA,), 7))
    books.bank.settle(game, {ANNA: 1})
    assert of_user(books.bank.store, CARA)["poker"] == Tally(cubes=-7)
    keep_past_days(books.bank.store, day_of(books.clock.now) + 1)
    assert of_user(books.bank.store, CARA)["poker"] == Tally(cubes=-7)


# --- properties -------------------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """A game, as it is made up."""

    closed: float
    kind: str
    stakes: dict[int, int]
    shares: dict[int, int] | None
    points: dict[int, int]

    def gained(self, user: int) -> int:
        if self.shares is None:
            return 0
        return split(sum(self.stakes.values()), self.shares).get(user, 0) - self.stakes[user]


people = st.sampled_from([ANNA, BODO, CARA, ADA])


@st.composite
def games(draw: st.DrawFn) -> Played:
    users = draw(st.lists(people, min_size=2, max_size=4, unique=True))
    stakes = {user: draw(st.integers(0, 20)) for user in users}
    winners = draw(st.lists(st.sampled_from(users), max_size=2, unique=True))
    points = {user: draw(st.integers(-5, 5)) for user in users} if draw(st.booleans()) else {}
    closed = FIRST + draw(st.integers(0, 70)) * DAY / 2 + draw(st.integers(0, 2))
    shares = draw(st.none() | st.just(dict.fromkeys(winners, 1)))
    return Played(closed, draw(st.sampled_from(["poker", "maumau"])), stakes, shares, points)


def expected(played: list[Played], kind: str, month: Month | None) -> dict[int, Tally]:
    """Count without days, without pieces and without the ledger."""
    found: dict[int, Tally] = defaultdict(Tally)
    for game in sorted(played, key=lambda game: game.closed):  # stable: by number where the times are equal
        if game.shares is None or kind not in (ALL_GAMES, game.kind):
            continue
        if month is None or month_of(day_of(game.closed)) == month:
            for user in game.stakes.keys() - {ADA}:
                points = game.points.get(user) if kind else None
                one = of_game(won=user in game.shares, cubes=game.gained(user), points=points)
                found[user] = found.get(user, NONE).then(one)
    return dict(found)


@settings(max_examples=sampled(40))
@given(st.lists(games(), max_size=12), st.lists(st.integers(0, 40), max_size=12))
def test_rankings_are_what_was_played_whenever_days_are_kept(played: list[Played], keeps: list[int]) -> None:
    with TemporaryDirectory(prefix="rankings-") as folder:
        are_what_was_played(Books(Place(Path(folder) / "bank.sqlite")), played, keeps)


@settings(max_examples=sampled(5))
@given(st.lists(games(), min_size=4, max_size=12), st.lists(st.integers(0, 40), max_size=12))
def test_so_they_are_in_a_database(postgres: Server, played: list[Played], keeps: list[int]) -> None:
    with TemporaryDirectory(prefix="rankings-") as folder, postgres_books(postgres) as url:
        are_what_was_played(Books(Place(Path(folder), url)), played, keeps)


def are_what_was_played(books: Books, played: list[Played], keeps: list[int]) -> None:
    for number, game in enumerate(played):
        books.play(game.closed, game.kind, game.stakes, game.shares, game.points)
        if number < len(keeps):
            keep_past_days(books.bank.store, OCTOBER.days.start + keeps[number])
    now = FIRST + 36 * DAY
    for kind in (ALL_GAMES, "poker", "maumau"):
        for month in (OCTOBER, NOVEMBER, None):
            found = standings(books.bank.store, kind, month, now)
            assert found == expected(played, kind, month)
            if kind == ALL_GAMES and month is not None:
                assert sum(tally.cubes for tally in found.values()) == won_by_people(books.place, month)
    for user in (ANNA, BODO, CARA):
        told = {kind: whole[user] for kind in ("poker", "maumau") if user in (whole := expected(played, kind, None))}
        assert {kind: tally for kind, tally in of_user(books.bank.store, user).items() if kind} == told
    books.close()


def won_by_people(place: Place, month: Month) -> int:
    """Return what the ledger moved to all users together in games that ended in a month."""
    query = f"""
        SELECT amount FROM entry JOIN txn ON txn.id = entry.txn JOIN account ON account.id = account
        JOIN game ON game.id = txn.game WHERE account.kind = 'user'
        AND closed >= {month.days.start * DAY} AND closed < {month.days.stop * DAY}
    """
    return sum(int(str(amount)) for (amount,) in place.rows(query))


# --- the course of one's CUBES ----------------------------------------------------------------------------------------


def test_a_course_is_what_was_owned_at_the_end_of_each_step(books: Books) -> None:
    for number, (winner, loser) in enumerate([(ANNA, BODO), (ANNA, BODO), (BODO, ANNA), (ANNA, CARA)], 1):
        books.play(FIRST + number * DAY - 60, "poker", {winner: 10, loser: 10}, {winner: 1})
    since, owned = course(books.bank.store, ANNA, FIRST + 5 * DAY, 5)
    assert since == FIRST
    assert [cubes - START for cubes in owned] == [10, 20, 10, 20, 20]
    assert owned[-1] == books.bank.balance(ANNA)
    assert course(books.bank.store, 99, FIRST, 5) == (FIRST, [])


def test_a_course_goes_back_sixty_days_at_most(books: Books) -> None:
    books.play(FIRST + DAY, "poker", {ANNA: 10, BODO: 10}, {ANNA: 1})
    since, owned = course(books.bank.store, ANNA, FIRST + 100 * DAY, 10)
    assert since == FIRST + 40 * DAY
    assert owned == [START + 10] * 10


def test_a_course_waits_for_the_bank_once_a_page_whatever_its_steps(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 9):
        books.play(FIRST + number * DAY, "poker", {ANNA: 10, BODO: 10}, {(ANNA, BODO)[number % 3 > 1]: 1})
    store = books.bank.store
    waits, reading = count(1), store.reading
    monkeypatch.setattr(store, "reading", lambda: reading() if next(waits) else None)
    whole = course(store, ANNA, FIRST + 10 * DAY, 60)
    assert next(waits) == 3
    monkeypatch.setattr("yawc_poker.casino.rankings.course.PAGE", 3)
    assert course(store, ANNA, FIRST + 10 * DAY, 60) == whole
    assert next(waits) > 7


@settings(max_examples=sampled(20))
@given(st.lists(games(), max_size=8), st.integers(1, 30))
def test_a_course_ends_with_the_balance_and_never_leaves_the_ledger(played: list[Played], steps: int) -> None:
    with TemporaryDirectory(prefix="rankings-") as folder:
        books = Books(Place(Path(folder) / "bank.sqlite"))
        balances = {START}
        for game in sorted(played, key=lambda game: game.closed):
            books.play(game.closed, game.kind, game.stakes, game.shares, game.points)
            balances.add(books.bank.balance(ANNA))
        _, owned = course(books.bank.store, ANNA, FIRST + 36 * DAY, steps)
        assert len(owned) == steps
        assert owned[-1] == books.bank.balance(ANNA)
        assert set(owned) <= balances
        books.close()
