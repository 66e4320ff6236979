"""The bank in a PostgreSQL database, where many transactions are open at a time, and where the server may go away."""

import gc
import os
import random
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.clock import Clock
from tests.isolation.books import Place
from tests.isolation.processes import exit_code, fork
from tests.isolation.stores import with_clock
from tests.postgres import Server
from tests.thoroughness import SOAK
from yawc_poker.casino.bank import ledger
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankError, BankUnavailable, NotEnough
from yawc_poker.casino.rankings.days import keep_past_days
from yawc_poker.casino.rankings.periods import DAY as SECONDS_OF_DAY
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.engine.against_house import AgainstHouse, HousePart, Person
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.extras.cluster.server.access import Access

HOUR: Final = 3600
NOON: Final = HOUR * 500_004.0
PROCESSES: Final = 6
PEOPLE: Final = range(1, 9)
START: Final = 1000


@pytest.fixture
def place(tmp_path: Path, database: str) -> Place:
    return Place(tmp_path / "none", database)


def at_once(place: Place, *works: Callable[[Bank], None]) -> None:
    """Do all of this at one moment, each in a process with a connection of its own."""
    gate, open_gate = os.pipe()

    def begin(work: Callable[[Bank], None]) -> None:
        os.close(open_gate)
        bank = Bank(with_clock(place.open(), Clock(NOON)))
        bank.balance(1)  # connected
        os.read(gate, 1)
        work(bank)

    children = [fork(partial(begin, work)) for work in works]
    os.close(gate)
    os.close(open_gate)
    assert [exit_code(child) for child in children] == [0] * len(works)


def sound(bank: Bank) -> None:
    figures = bank.figures()
    assert bank.audit() == []
    assert figures.minted == figures.cash + figures.pots + figures.house + figures.exchange


def patiently(work: Callable[[], object]) -> None:
    """Repeat what the database could not do now, as a session does at its next tick."""
    for _ in range(20):
        try:
            work()
        except BankUnavailable:
            continue
        return
    raise AssertionError("never to be had")


# --- all of it at once ------------------------------------------------------------------------------------------------


Also = Callable[[Bank, Clock, random.Random, str], None]
"""Moves CUBES in one more way, by a clock and by chance; the text names it among all."""


def nothing(bank: Bank, clock: Clock, rng: random.Random, name: str) -> None:
    """Move nothing (`Also`)."""


def anything(bank: Bank, seed: int, also: Also = nothing) -> None:
    """Do by chance all that moves CUBES; nobody may wait for somebody who waits for them."""
    rng, late = random.Random(seed), list[str]()
    clock = Clock(NOON)
    for number in range(12 if SOAK else 5):
        clock.now = NOON + rng.randrange(0, 40) * HOUR
        try:
            play(bank, rng, seed)
            also(bank, clock, rng, f"{seed}-{number}")
            give(bank, rng, seed * 1000 + number)
        except BankUnavailable as error:
            late.append(str(error))
        if number % 6 == 0:
            assert bank.audit() == []
    assert not [text for text in late if "deadlock" in text]


def play(bank: Bank, rng: random.Random, table: int) -> None:
    """Play a game; where it is left open, the next one's start gives the stakes back."""
    one, other = rng.sample(PEOPLE, 2)
    with suppress(NotEnough):
        game, balances = bank.open_game(table, "poker", {one: 2, other: 1})
        assert min(balances.values()) >= 0
        for action in range(3):
            bank.bet(game, action, rng.choice([one, other]), rng.randrange(1, 20))
        ending = rng.randrange(5)
        if ending == 0:
            bank.settle(game, {})
        elif ending == 1:
            bank.refund(game)
        elif ending > 2:
            debts = {user: rng.randrange(30) for user in rng.sample(PEOPLE, 2)}
            bank.settle(game, {other: 2, one: 1}, None, debts)


def play_house(bank: Bank, rng: random.Random, table: int, people: tuple[int, int], player: int) -> None:
    """Play a game of two people from one network with a house player, who win of each other no more than some share."""
    house = (HousePart(player, rng.choice([None, 3])),)
    against = bank.agree(AgainstHouse(tuple(Person(user, "192.0.2.0/24") for user in people), house), lambda share: 20)
    with suppress(NotEnough):
        game, _ = bank.open_game(table, "poker", dict.fromkeys([*people, player], 1))
        bank.bet(game, 1, rng.choice([*people, player]), rng.randrange(1, 20))
        shares = {rng.choice([*people, player]): 1}
        bank.settle(game, shares, debts={player: rng.randrange(9)}, against=against, limits=lambda share: 20)


def give(bank: Bank, rng: random.Random, action: int) -> None:
    one, other = rng.sample(PEOPLE, 2)
    bank.allow(other, 50, START)
    bank.earn(one, f"{action}", 600, rng.randrange(20))
    player = HOUSE_USERS[action % 3]
    bank.fill_purse(player, rng.randrange(200))
    play_house(bank, rng, 1000 + action, (one, other), player)
    bank.grant(action, other, 5)
    bank.take(action, one, None if action % 12 == 10 else 0)
    keep_past_days(bank.store, int(NOON // SECONDS_OF_DAY) + rng.randrange(4))


def test_whatever_happens_at_once_the_books_are_sound(place: Place) -> None:
    with closing(place.bank(Clock(NOON))) as bank:
        for user in PEOPLE:
            bank.welcome(user, START)
        at_once(place, *(partial(anything, seed=seed) for seed in range(1, PROCESSES + 1)))
        patiently(bank.settle_leftovers)
        sound(bank)
        assert bank.figures().open_games == 0


def test_what_comes_once_comes_once_to_whom_ever_asks_first(place: Place) -> None:
    """All keys that are used once, each used by all processes at the same moment."""
    day = int(NOON // SECONDS_OF_DAY)
    ada, bob = HOUSE_USERS[0], HOUSE_USERS[1]
    with closing(place.bank(Clock(NOON))) as bank:
        game, _ = bank.open_game(0, "poker", {})

        def work(bank: Bank) -> None:
            for user in PEOPLE:
                bank.welcome(user, 500)
                assert bank.earn(user, "an hour", 3600, 7) == 7
                bank.grant(user, user, 10)
            for user in PEOPLE:
                bank.bet(game, user, user, 10)
                bank.allow(user, 40, 1000)
            for player in (ada, bob):
                bank.fill_purse(player, 100)

        def end(bank: Bank) -> None:
            bank.settle(game, {1: 1})
            keep_past_days(bank.store, day + 1)

        at_once(place, *[work] * PROCESSES)
        at_once(place, *[end] * PROCESSES)  # afterwards: nobody bets in a game that is closed
        sound(bank)
        assert bank.figures().cash == len(PEOPLE) * (500 + 7 + 10 + 40)
        assert bank.balances([ada, bob]) == {ada: 100, bob: 100}
        assert place.rows("SELECT count(*) FROM txn WHERE kind = 'payout'") == [(1,)]


def test_a_table_has_one_game_whoever_opens_it(place: Place) -> None:
    def work(bank: Bank) -> None:
        for _ in range(20):
            with suppress(BankUnavailable):
                bank.open_game(3, "poker", {1: 1})

    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        at_once(place, *[work] * PROCESSES)
        assert len(bank.open_games()) == 1
        assert bank.balance(1) == 99
        sound(bank)


def test_a_day_that_is_kept_while_games_close_has_all_of_them(place: Place) -> None:
    """A clock that goes back closes games in days that are over, while others keep these days."""
    day = int(NOON // SECONDS_OF_DAY)

    def close_games(bank: Bank) -> None:
        table = os.getpid()
        for _ in range(40):
            bank.settle(bank.open_game(table, "poker", {1: 0, 2: 0})[0], {1: 1})

    def keep(bank: Bank) -> None:
        for _ in range(60):
            keep_past_days(bank.store, day + 1)

    with closing(place.bank(Clock(NOON))) as bank:
        bank.welcome(1, 10)
        bank.welcome(2, 10)
        at_once(place, close_games, keep, close_games, keep)
        keep_past_days(bank.store, day + 1)
        assert bank.audit() == []
        query = f"SELECT games, won FROM tally WHERE kind = 'poker' AND user = 1 AND day = {day}"
        assert place.rows(query) == [(80, 80)]


# --- connections ------------------------------------------------------------------------------------------------------


def test_a_child_opens_its_own_connection_and_leaves_its_parents_alone(place: Place) -> None:
    store = place.open()
    with store.reading() as books:
        parents = books.execute("SELECT pg_backend_pid()").fetchone()

    def work() -> None:
        with store.reading() as books:
            assert books.execute("SELECT pg_backend_pid()").fetchone() != parents
        store.close()
        gc.collect()

    assert exit_code(fork(work)) == 0
    with store.reading() as books:
        assert books.execute("SELECT pg_backend_pid()").fetchone() == parents
    store.close()


def test_a_reading_transaction_sees_one_moment_and_writes_nothing(place: Place) -> None:
    with closing(place.bank()) as bank, closing(place.bank()) as other:
        bank.welcome(1, 100)
        with bank.store.reading() as books:
            assert books.execute("SELECT count(*) FROM txn").fetchone() == (1,)
            other.welcome(2, 100)
            assert books.execute("SELECT count(*) FROM txn").fetchone() == (1,)
        with pytest.raises(BankUnavailable, match="read-only"), bank.store.reading() as books:
            books.execute("UPDATE account SET balance = 0")
        with closing(bank.store.copy()) as copy:
            other.welcome(3, 100)
            assert copy.execute("SELECT count(*) FROM txn").fetchone() == (2,)
        sound(bank)


def test_nothing_is_left_in_a_connection(place: Place) -> None:
    """As a pooler wants it that gives a connection to others between two transactions."""
    from yawc_poker.extras.cluster.server.postgres import PostgresStore

    with closing(place.bank()) as bank:
        for user in range(1, 12):
            bank.welcome(user, 100)
        store = bank.store
        assert isinstance(store, PostgresStore)
        with store.reading() as books:
            assert books.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
            assert books.execute("SHOW search_path").fetchone() == ("bank",)
        link = store._link
        assert link is not None
        assert link.execute("SHOW search_path").fetchone() != ("bank",)
        assert link.execute("SHOW statement_timeout").fetchone() == ("0",)


def test_books_of_a_later_program_are_refused(place: Place) -> None:
    with closing(place.bank()) as bank:
        bank.figures()
    assert place.try_out("UPDATE layout SET version = 99, oldest = 99") is None
    with closing(place.bank()) as bank, pytest.raises(BankUnavailable, match="has layout 99"):
        bank.figures()


def test_a_program_that_only_looks_makes_nothing(empty_database: str) -> None:
    from yawc_poker.extras.cluster.server.postgres import PostgresStore

    open_books = partial(PostgresStore, empty_database, BOOKS, failure=BankUnavailable)
    for access in (Access.LOOK, Access.USE):
        bank = Bank(open_books(access))
        with closing(bank), pytest.raises(BankUnavailable, match="there are no tables of the bank"):
            bank.figures()
    with closing(Bank(open_books())) as bank:
        bank.welcome(1, 100)
    with closing(Bank(open_books(Access.LOOK))) as bank:
        assert bank.audit() == []
        assert bank.balance(1) == 100
        with pytest.raises(BankUnavailable, match="read-only"):
            bank.welcome(2, 100)


def test_new_tables_are_made_by_one_of_many(empty_database: str, tmp_path: Path) -> None:
    place = Place(tmp_path, empty_database)

    def work() -> None:
        assert place.bank().welcome(os.getpid(), 1)

    assert [exit_code(child) for child in [fork(work) for _ in range(PROCESSES)]] == [0] * PROCESSES
    with closing(place.bank()) as bank:
        assert bank.figures().cash == PROCESSES
        assert bank.audit() == []


# --- a server that goes away ------------------------------------------------------------------------------------------


def test_a_server_that_was_started_anew_is_found_again(place: Place, postgres: Server) -> None:
    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        game, _ = bank.open_game(0, "poker", {1: 10})
        postgres.stop()
        with pytest.raises(BankUnavailable):
            bank.bet(game, 1, 1, 5)
        postgres.start()
        assert bank.bet(game, 1, 1, 5) == (15, 85)
        sound(bank)


def test_a_server_that_dies_in_a_transaction_has_done_nothing_of_it(place: Place, postgres: Server) -> None:
    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        game, _ = bank.open_game(0, "poker", {1: 10})

        def work() -> None:
            with bank.store.writing() as books:
                books.execute("UPDATE online SET credit = 0")
                postgres.kill()
                books.execute("UPDATE online SET credit = 1")

        with pytest.raises(BankUnavailable) as told:
            work()
        assert not told.value.maybe_done
        assert "\n" not in str(told.value)
        postgres.start()
        assert bank.pot(game) == 10
        sound(bank)


@pytest.mark.parametrize("how", ["kill", "frozen"])
def test_a_commit_that_nobody_confirms_counts_once_or_is_taken_back(
    place: Place, postgres: Server, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    from yawc_poker.extras.cluster.server.postgres import Transaction

    commit, frozen = Transaction._commit, postgres.frozen()

    def fail(self: Transaction) -> None:
        monkeypatch.undo()
        if how == "kill":
            postgres.kill()
        else:
            frozen.__enter__()
        commit(self)

    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        game, _ = bank.open_game(0, "poker", {1: 10})
        began = time.monotonic()
        monkeypatch.setattr(Transaction, "_commit", fail)
        with pytest.raises(BankUnavailable) as told:
            bank.bet(game, 1, 1, 5)
        assert told.value.maybe_done, "nobody could look"
        assert time.monotonic() - began < 8, "whoever waits for the table's lock takes the session for stuck"
        if how == "kill":
            postgres.start()
        else:
            frozen.__exit__(None, None, None)
        patiently(lambda: bank.take_back(game, 1, 1))
        assert bank.pot(game) == 10
        assert bank.bet(game, 1, 1, 7) == (17, 83)
        assert bank.settle(game, {1: 1}).amount == 17
        sound(bank)


def test_a_commit_that_is_still_on_its_way_is_waited_for(
    place: Place, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost, but not the server: it may do it after the client has looked."""
    from yawc_poker.extras.cluster.server.postgres import PostgresStore, Transaction

    held: list[Transaction] = []

    def lose(self: Transaction) -> None:
        """Leave the transaction open, as if its COMMIT were on the way, and begin anew with another connection."""
        monkeypatch.undo()
        held.append(self)
        store = bank.store
        assert isinstance(store, PostgresStore)
        store._link = None
        told = BankUnavailable("lost")
        told.maybe_done = True
        raise told

    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        game, _ = bank.open_game(0, "poker", {1: 10})
        monkeypatch.setattr(Transaction, "_commit", lose)
        with pytest.raises(BankUnavailable) as told:
            bank.bet(game, 1, 1, 5)
        assert told.value.maybe_done, "it is still open, so nobody can say that it is not booked"
        held[0]._link.until = float("inf")
        with suppress(BankError):
            held[0]._commit()
        held[0]._link.close()
        patiently(lambda: bank.take_back(game, 1, 1))
        assert (bank.pot(game), bank.balance(1)) == (10, 90)
        sound(bank)


def test_a_server_that_does_not_answer_keeps_nobody(place: Place, postgres: Server) -> None:
    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        with postgres.frozen():
            for _ in range(2):  # on a connection that stands, and on a new one
                began = time.monotonic()
                with pytest.raises(BankUnavailable):
                    bank.balance(1)
                assert time.monotonic() - began < 6
        patiently(lambda: bank.balance(1))
        assert bank.balance(1) == 100


def test_a_row_that_another_keeps_is_waited_for_only_so_long(place: Place) -> None:
    with closing(place.bank()) as bank, closing(place.bank()) as other:
        bank.welcome(1, 100)
        game, _ = bank.open_game(0, "poker", {1: 10})
        with other.store.writing() as books:
            books.execute(f"SELECT id FROM game{books.for_update}")
            began = time.monotonic()
            with pytest.raises(BankUnavailable, match="lock timeout"):
                bank.bet(game, 1, 1, 5)
            assert time.monotonic() - began < 6
            assert bank.pot(game) == 10, "a look waits for nobody"
        assert bank.bet(game, 1, 1, 5) == (15, 85)


def test_two_who_wait_for_each_other_are_parted(place: Place) -> None:
    def locks(first: int, second: int, bank: Bank) -> None:
        patiently(lambda: _locks(bank, first, second))

    def _locks(bank: Bank, first: int, second: int) -> None:
        with bank.store.writing() as books:
            for user in (first, second):
                books.execute(f"SELECT id FROM account WHERE ref = ?{books.for_update}", (user,))
                time.sleep(0.05)

    with closing(place.bank()) as bank:
        bank.welcome(1, 100)
        bank.welcome(2, 100)
        at_once(place, partial(locks, 1, 2), partial(locks, 2, 1))


def test_an_error_that_nobody_told_of_does_not_count_as_done(place: Place) -> None:
    with closing(place.bank()) as bank:
        bank.welcome(1, 100)

        def work() -> None:
            with bank.store.writing() as books:
                books.execute("UPDATE account SET balance = balance WHERE ref = 1")
                with suppress(BankUnavailable):
                    books.execute("SELECT nothing FROM nowhere")

        with pytest.raises(BankUnavailable, match="had failed"):
            work()
        sound(bank)


def test_neither_user_nor_password_are_in_a_line_of_the_log() -> None:
    from yawc_poker.extras.cluster.server.link import name_of

    assert name_of("postgresql://yawc:secret@db.example.org:6432/bbs") == "database bbs on db.example.org"
    assert name_of("host=/run/postgresql dbname=bbs user=yawc password=secret") == "database bbs on /run/postgresql"


def test_an_url_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="URL"):
        Place(tmp_path, "postgresql://[nothing").open()


def test_who_is_paid_for_time_online_waits_for_nobody_else_who_is(place: Place) -> None:
    """Each is paid by an account of the mint that few others are paid by."""
    with closing(Bank(with_clock(place.open(), Clock(NOON)))) as bank:
        for user in PEOPLE:
            bank.welcome(user, START)
        first, second = PEOPLE[0], PEOPLE[1]
        with bank.store.writing() as books:
            assert ledger.move(books, NOON, f"online:{first}:a", "mint", first, 5, ledger.mint_of(first))

            def paid() -> None:
                with closing(Bank(with_clock(place.open(), Clock(NOON)))) as other:
                    assert other.earn(second, "b", HOUR, 5) == 5

            assert exit_code(fork(paid)) == 0
        sound(bank)
        assert bank.figures().minted == len(PEOPLE) * START + 10
