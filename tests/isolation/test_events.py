"""Events as they are read from the databases: each once, in order, from any position; what is lost is told."""

from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import Hall
from tests.isolation.stores import AtOnce, bank_in_database, in_database
from yawc_poker.casino.bank import ledger
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.users import visits
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.sysop_log import SysopAction, SysopLog, write_sysop_action
from yawc_poker.extras.live.events import PENDING_SECONDS, Event, Follower, Position, before, newest, next_events
from yawc_poker.extras.live.subcommands import sentence

ANNA, BERT = 1, 2
"""As `Hall` numbers its sessions' users."""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall


@pytest.fixture(params=["sqlite", "postgresql"])
def instance(request: pytest.FixtureRequest, hall: Hall) -> Iterator[Instance]:
    """An instance in which Anna and Bert have accounts, with its files, or with a database instead of them."""
    url = "" if request.param == "sqlite" else str(request.getfixturevalue("database"))
    yield from instance_with(hall, url)


@pytest.fixture
def instance_with_database(hall: Hall, database: str) -> Iterator[Instance]:
    yield from instance_with(hall, database)


def instance_with(hall: Hall, url: str) -> Iterator[Instance]:
    instance = hall.foundation.instance(hall.config)
    if url:
        instance.bank, instance.accounts = bank_in_database(url), Accounts(in_database(url))
        instance.sysop_log = SysopLog(instance.accounts.store)
    for number, name in enumerate(("Anna", "Bert"), 1):
        assert instance.accounts.enrol(name, "no hash", "en").id == number
        instance.bank.welcome(number, 100)
    yield instance
    instance.bank.close()
    instance.accounts.close()


def act(instance: Instance, kind: str, at: float | None = None, *, pending: bool = False) -> int:
    """Write down a sysop action on Bert."""
    when = instance.accounts.store.clock() if at is None else at
    action = SysopAction(0, kind, BERT, "Bert", None, 5 if kind == "grant" else None, "why", "Sysop", when)
    with instance.accounts.store.writing() as users:
        return write_sysop_action(users, action, pending=pending).id


def play(instance: Instance, winner: int | None) -> None:
    game, _ = instance.bank.open_game(3, "poker", {ANNA: 10, BERT: 10})
    if winner is None:
        instance.bank.refund(game)
    else:
        instance.bank.settle(game, {winner: 1})


def told(events: list[Event]) -> list[str]:
    return [sentence(event) for event in events]


def test_what_happened_is_told_in_order_and_once(instance: Instance) -> None:
    instance.accounts.seen(ANNA, "192.0.2.1")
    instance.accounts.seen(BERT, "192.0.2.2")
    play(instance, BERT)
    play(instance, None)
    act(instance, "warn")
    instance.accounts.left(ANNA)
    found = next_events(instance, Position())
    assert told(found.events) == [
        "Anna logged in",
        "Bert logged in",
        "game 1, poker #4: won by #2, 20 CUBES",
        "game 2, poker #4: broken off",
        "sysop action: warn Bert, by Sysop: why",
        "Anna logged out",
    ]
    assert found.is_all
    assert next_events(instance, found.position).events == []
    assert newest(instance) == found.position
    for number, event in enumerate(found.events, 1):
        assert next_events(instance, Position.read(event.position)).events == found.events[number:]
    assert told(next_events(instance, before(instance, 1)).events) == told(found.events[3:])


def test_more_than_are_read_at_once(instance: Instance) -> None:
    for number in range(60):
        play(instance, (ANNA, BERT)[number % 2])
    follower, numbers, is_all = Follower(instance, Position()), list[int](), False
    while not is_all:
        events, is_all = follower.news()
        numbers += [event.number for event in events]
    assert numbers == list(range(1, 61))


def test_actions_wait_for_cubes_that_have_not_moved(instance: Instance) -> None:
    pending = act(instance, "grant", pending=True)
    act(instance, "warn")
    found = next_events(instance, Position())
    assert found.events == []
    instance.sysop_log.settle(pending, 5)
    assert [event.act for event in next_events(instance, found.position).events] == ["grant", "warn"]


@pytest.mark.parametrize("ago", [PENDING_SECONDS + 1, -400 * 86400.0])
def test_cubes_whose_process_was_killed_are_moved_after_a_while(instance: Instance, ago: float) -> None:
    """By any clock: one that was once ahead does not keep them back until then."""
    act(instance, "grant", instance.accounts.store.clock() - ago, pending=True)
    follower = Follower(instance, Position())
    assert follower.news()[0] == []
    assert instance.bank.balance(BERT) == 105
    assert [(event.act, event.cubes) for event in follower.news()[0]] == [("grant", 5)]


def test_what_is_lost_is_told(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "KEPT", 3)
    for _ in range(3):
        instance.accounts.seen(ANNA, "192.0.2.1")
        instance.accounts.left(ANNA)
    play(instance, ANNA)
    found = next_events(instance, Position(visit=1)).events
    assert [(event.event, event.count) for event in found] == [
        ("lost", 2),
        ("logout", None),
        ("login", None),
        ("logout", None),
        ("game", None),
    ]
    for ahead in (Position(99, 0, 0), Position(6, 99, 0), Position(6, 0, 99), Position(99, 99, 99)):
        first, *others = next_events(instance, ahead).events
        assert (first.event, first.count) == ("lost", None)
        assert all(event.event == "game" for event in others)


def test_a_killed_session_is_gone_and_told_so_once(hall: Hall, instance: Instance) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    for user in (ANNA, BERT):
        instance.accounts.seen(user, "192.0.2.1")
    followers = [Follower(instance, newest(instance)) for _ in range(2)]
    for follower in followers:
        follower.note_gone()
        assert follower.news()[0] == []
    bert.kill()
    for person in instance.directory.dead():
        assert instance.directory.free_dead(person)
    for follower in followers:
        follower.note_gone()
    for follower in followers:
        assert [(event.name, event.gone) for event in follower.news()[0]] == [("Bert", True)]
    instance.accounts.seen(BERT, "192.0.2.1")
    instance.accounts.seen(ANNA, "192.0.2.1")  # her session was killed, and nobody has noticed it yet
    assert told(followers[0].news()[0]) == ["Bert logged in", "Anna is gone", "Anna logged in"]
    assert anna("look after") == "ok"


# --- several at once, in a database -----------------------------------------------------------------------------------


def play_alone(url: str, table: int, games: int) -> None:
    """Open and close games at a table of one's own."""
    bank, users = bank_in_database(url), (10 + 2 * table, 11 + 2 * table)
    for user in users:
        bank.welcome(user, 1000)
    for number in range(games):
        game, _ = bank.open_game(table, "poker", dict.fromkeys(users, 1))
        if number % 4:
            bank.settle(game, {users[number % 2]: 1})
        else:
            bank.refund(game)


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_game_that_is_over_is_told_after_those_with_lower_numbers(
    instance_with_database: Instance, database: str, is_kept: bool
) -> None:
    def numbers() -> list[int]:
        return [event.number for event in next_events(instance_with_database, Position()).events]

    with closing(bank_in_database(database)) as bank:
        bank.welcome(20, 1000)
        slow, _ = bank.open_game(0, "poker", {20: 1})
        with suppress(Undone), bank.store.writing() as books:
            ledger.pay_out(books, 1.0, ledger.need_open(books, slow), {20: 1}, {})
            ledger.outcome_of(books, slow)  # what is written later is written before this
            assert exit_code(fork(partial(play_alone, database, 1, 1))) == 0, "nobody waits for a payout elsewhere"
            assert numbers() == []
            if not is_kept:
                raise Undone
    assert numbers() == ([slow, slow + 1] if is_kept else [slow + 1])


class Undone(Exception):
    """A transaction is given up."""


def test_who_follows_is_told_of_every_game_once(instance_with_database: Instance, database: str) -> None:
    def play_some(table: int, _: Accounts) -> None:
        play_alone(database, table, 20)

    processes = AtOnce(partial(in_database, database), [partial(play_some, table) for table in range(3)])
    processes.begin()
    follower, numbers, is_over, is_all = Follower(instance_with_database, Position()), list[int](), False, False
    while not (is_over and is_all):
        is_over = is_over or processes.are_done()
        events, is_all = follower.news()
        numbers += [event.number for event in events]
    assert sorted(numbers) == list(range(1, 61))


@given(st.builds(Position, *[st.integers(0, 2**60)] * 3), st.text(max_size=30))
def test_a_position_is_read_as_it_was_written(position: Position, text: str) -> None:
    assert Position.read(str(position)) == position
    try:
        found = Position.read(text)
    except ValueError:
        return
    assert all(number >= 0 for number in found)
