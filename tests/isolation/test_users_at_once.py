"""Several processes write the users of one PostgreSQL database at the same moment, in transactions side by side.

Some of these tests hold a transaction open, which stands for one that is slow at the worst moment, until another
process runs into it. The others let processes loose, and look whether the sum is right.
"""

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.isolation.processes import exit_code, fork
from tests.isolation.stores import AtOnce, OpenUsers, at_once
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.meeting import ignored, mail, wall
from yawc_poker.casino.meeting.mail import KEPT_SECONDS, MOST_UNREAD, BoxFull, Messages
from yawc_poker.casino.meeting.meeting import Meeting, forget
from yawc_poker.casino.store.connection import Fenced, StoreError, Unavailable
from yawc_poker.casino.store.patience import PAUSES, patiently
from yawc_poker.casino.store.turns import Turn, numbers_given, take_turn
from yawc_poker.casino.users.accounts import (
    Accounts,
    NameAlike,
    NameTaken,
    stored_look,
    write_closed,
    write_password,
    write_twit,
)
from yawc_poker.casino.users.bans import Ban, Bans, write_ban
from yawc_poker.casino.users.familiar import FAMILIAR_PLACES, hold_user
from yawc_poker.casino.users.keys import MOST_KEYS, Keys
from yawc_poker.casino.users.login_attempts import Attempts, TriesUsedUp
from yawc_poker.casino.users.names import name_key
from yawc_poker.casino.users.registrations import Registrations, network_of
from yawc_poker.casino.users.sysop_log import SysopAction, write_sysop_action
from yawc_poker.casino.users.visits import open_logins, visits_after, write_gone, write_login, write_logout

ANNA, BODO, CARL = 1, 2, 3
WRITERS = 4
REFUSED = 7
"""The exit code of a process that was refused something."""

Work = Callable[[Accounts], None]
Meets = Callable[[Work], int]


class Undone(Exception):
    """A transaction is given up."""


@pytest.fixture
def open_users(open_postgres_users: OpenUsers) -> OpenUsers:
    return open_postgres_users


@pytest.fixture
def accounts(open_users: OpenUsers) -> Iterator[Accounts]:
    accounts = Accounts(open_users())
    for name in ("Anna", "Bodo", "Carl"):
        accounts.enrol(name, "no hash", "en")
    yield accounts
    accounts.close()


@pytest.fixture
def meets(postgres: Server, open_users: OpenUsers) -> Meets:
    """Starts a process that has to wait for a lock while it does some work; returns its pid once it waits."""

    def start(work: Work) -> int:
        pid = fork(lambda: work(Accounts(open_users())))
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        wait_until(lambda: postgres.asks("postgres", waiting) == [(1,)], "the other process to wait")
        return pid

    return start


def more_users(accounts: Accounts, many: int) -> list[int]:
    row = "INSERT INTO user (name, name_key, password_hash, language, created) VALUES (?, ?, '', 'en', 0) RETURNING id"
    with accounts.store.writing() as users:
        return [users.execute(row, (f"U{number}", f"u{number}")).fetchone()[0] for number in range(many)]


def count(accounts: Accounts, table: str) -> int:
    with accounts.store.reading() as users:
        return int(users.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# --- names and keys ---------------------------------------------------------------------------------------------------


def register(name: str, accounts: Accounts) -> None:
    try:
        accounts.enrol(name, "no hash", "en")
    except NameTaken:
        os._exit(REFUSED)
    except NameAlike as refused:
        os._exit(8 if refused.name == "Otto" else 9)


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(("name", "code"), [("OTTO", REFUSED), ("0tt0", 8)])
def test_a_name_that_somebody_takes_at_this_very_moment(
    accounts: Accounts, meets: Meets, name: str, code: int, is_kept: bool
) -> None:
    insert = "INSERT INTO user (name, name_key, look_key, password_hash, language, created) VALUES (?, ?, ?, '', '', 1)"
    with suppress(Undone), accounts.store.writing() as users:
        users.execute(insert, ("Otto", name_key("Otto"), stored_look("Otto")))
        other = meets(partial(register, name))
        if not is_kept:
            raise Undone
    assert exit_code(other) == (code if is_kept else 0)
    assert count(accounts, "user") == 4


def test_what_had_no_time_in_one_transaction_is_tried_again(accounts: Accounts, open_users: OpenUsers) -> None:
    pauses: list[float] = []
    with closing(open_users()) as other, ExitStack() as held:
        held.enter_context(other.writing()).execute("LOCK TABLE guess IN EXCLUSIVE MODE")

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            held.close()

        assert patiently(lambda: Attempts(accounts.store).turn(ANNA, "192.0.2.1"), pause) == 0
    assert pauses == [PAUSES[0]]


def test_only_what_has_changed_nothing_is_tried_again_and_not_for_ever() -> None:
    again = 1 + len(PAUSES)
    expected = (Unavailable(), again), (BankUnavailable(), again), (Fenced(), 1), (StoreError(), 1), (maybe_done(), 1)
    for error, tries in expected:
        tried: list[StoreError] = []
        with pytest.raises(type(error)):
            patiently(partial(refuse, error, tried), lambda seconds: None)
        assert len(tried) == tries


def refuse(error: StoreError, tried: list[StoreError]) -> None:
    tried.append(error)
    raise error


def maybe_done() -> StoreError:
    error = Unavailable("the answer to COMMIT is lost")
    error.maybe_done = True
    return error


def tie(user: int, keys: list[str], accounts: Accounts) -> None:
    if False in [Keys(accounts.store).tie(user, key, "192.0.2.1") for key in keys]:
        os._exit(REFUSED)


def close(user: int, accounts: Accounts) -> None:
    with accounts.store.writing() as users:
        write_closed(users, user, 1.0)


def test_no_key_is_tied_to_an_account_that_is_closed_at_this_very_moment(accounts: Accounts, meets: Meets) -> None:
    with accounts.store.writing() as users:
        write_closed(users, ANNA, 1.0)
        other = meets(partial(tie, ANNA, ["SHA256:one"]))
    assert exit_code(other) == REFUSED
    with accounts.store.writing() as users:
        users.execute(f"SELECT 1 FROM user WHERE id = ?{users.for_update}", (BODO,))
        users.execute("INSERT INTO key (fingerprint, user, added) VALUES ('SHA256:two', ?, 1)", (BODO,))
        other = meets(partial(close, BODO))
    assert exit_code(other) == 0
    assert count(accounts, "key") == 0


def test_keys_that_are_tied_at_once_are_no_more_than_may_be(accounts: Accounts, open_users: OpenUsers) -> None:
    works = [partial(tie, ANNA, [f"SHA256:{writer}.{number}" for number in range(5)]) for writer in range(WRITERS)]
    assert at_once(open_users, works).count(REFUSED) >= WRITERS - 1, "one at most may have been so early as to tie all"
    assert len(Keys(accounts.store).of(ANNA)) == MOST_KEYS
    assert at_once(open_users, [partial(tie, user, ["SHA256:same"]) for user in (BODO, CARL)]) == [0, REFUSED]


# --- messages ---------------------------------------------------------------------------------------------------------


def send(texts: list[str], accounts: Accounts) -> None:
    """Send messages to Anna."""
    with_box_full = False
    for text in texts:
        try:
            Messages(accounts.store).send(BODO, "Bodo", ANNA, text)
        except BoxFull:
            with_box_full = True
    if with_box_full:
        os._exit(REFUSED)


def texts_of(writer: int, many: int) -> list[str]:
    return [f"{writer}: {number}" for number in range(many)]


def test_no_message_appears_behind_a_later_one_which_may_be_read_already(accounts: Accounts, meets: Meets) -> None:
    insert = "INSERT INTO message (from_id, from_name, to_id, text, sent) VALUES (?, 'Carl', ?, 'slow', 1)"
    with accounts.store.writing() as users:
        take_turn(users, Turn.MESSAGES, ANNA)
        users.execute(insert, (CARL, ANNA))
        other = meets(partial(send, ["quick"]))
    assert exit_code(other) == 0
    with Messages(accounts.store).taking(ANNA) as taken:
        assert [message.text for message in taken] == ["slow", "quick"]


def test_what_many_write_is_read_once_and_in_order(accounts: Accounts, open_users: OpenUsers) -> None:
    processes = AtOnce(open_users, [partial(send, texts_of(writer, 40)) for writer in range(WRITERS)])
    processes.begin()
    read, is_all = list[str](), False
    while not is_all:
        is_all = processes.are_done()
        with Messages(accounts.store).taking(ANNA) as taken:
            read += [message.text for message in taken]
    for writer in range(WRITERS):
        assert [text for text in read if text.startswith(f"{writer}:")] == texts_of(writer, 40)
    assert len(read) == WRITERS * 40


def test_a_box_that_many_fill_takes_no_more_than_it_may(accounts: Accounts, open_users: OpenUsers) -> None:
    works = [partial(send, texts_of(writer, MOST_UNREAD // WRITERS + 5)) for writer in range(WRITERS)]
    assert at_once(open_users, works)[-1] == REFUSED
    assert Messages(accounts.store).count_unread(ANNA) == MOST_UNREAD


def read_all(user: int, accounts: Accounts) -> None:
    for _ in range(4):
        Messages(accounts.store).mark_read(user, 10**6)


def test_many_who_forget_what_is_old_do_not_wait_in_a_circle(accounts: Accounts, open_users: OpenUsers) -> None:
    now = accounts.store.clock()
    insert = "INSERT INTO message (from_id, from_name, to_id, text, sent, read) VALUES (?, 'Anna', ?, 'old', 1, ?)"
    with accounts.store.writing() as users:
        rows = [(ANNA, 1 + number % 3, now - KEPT_SECONDS - number * 7919 % 600) for number in range(600)]
        users.executemany(insert, rows)
    works = [partial(read_all, user) for user in (ANNA, BODO, CARL)]
    assert at_once(open_users, works * 2) == [0] * 6
    assert count(accounts, "message") == 0


# --- letters, wall, ignore lists --------------------------------------------------------------------------------------


def write_letters(sender: int, accounts: Accounts) -> None:
    for number in range(mail.MOST_FROM_ONE + 5):
        with suppress(mail.BoxFull):
            Meeting(accounts.store).letters.send(sender, ANNA, str(number))


def test_a_box_of_letters_that_many_fill_holds_what_it_may(accounts: Accounts, open_users: OpenUsers) -> None:
    senders = more_users(accounts, mail.MOST_LETTERS // mail.MOST_FROM_ONE + 1)
    assert at_once(open_users, [partial(write_letters, sender) for sender in senders]) == [0] * len(senders)
    box = Meeting(accounts.store).letters.box(ANNA, 1000)
    assert len(box) == mail.MOST_LETTERS
    assert max(Counter(letter.from_id for letter in box).values()) <= mail.MOST_FROM_ONE


def write_on_wall(user: int, accounts: Accounts) -> None:
    for number in range(3 * wall.MOST_OF_ONE):
        Meeting(accounts.store).wall.write(user, f"{user}: {number}")


def test_a_wall_that_many_write_on_keeps_the_last_lines_of_each(accounts: Accounts, open_users: OpenUsers) -> None:
    writers = more_users(accounts, wall.MOST // wall.MOST_OF_ONE)
    assert at_once(open_users, [partial(write_on_wall, user) for user in writers]) == [0] * len(writers)
    lines = Meeting(accounts.store).wall.lines()
    for user in writers:
        last = range(2 * wall.MOST_OF_ONE, 3 * wall.MOST_OF_ONE)
        assert [line.text for line in lines if line.user == user] == [f"{user}: {number}" for number in last]


def ignore(others: list[int], accounts: Accounts) -> None:
    for other in others:
        with suppress(ignored.ListFull):
            Meeting(accounts.store).ignored.add(ANNA, other)


def test_an_ignore_list_of_two_sessions_ends_somewhere(accounts: Accounts, open_users: OpenUsers) -> None:
    others = more_users(accounts, ignored.MOST + 10)
    assert at_once(open_users, [partial(ignore, others[:-20]), partial(ignore, others[::-1])]) == [0, 0]
    assert len(Meeting(accounts.store).ignored.of(ANNA)) == ignored.MOST


# --- attempts, bans ---------------------------------------------------------------------------------------------------


def succeed(place: str, accounts: Accounts) -> None:
    Attempts(accounts.store).succeeded(ANNA, place)


def test_the_places_that_are_remembered_at_once_are_few(accounts: Accounts, open_users: OpenUsers) -> None:
    places = [f"192.0.2.{number}" for number in range(FAMILIAR_PLACES + 4)]
    assert at_once(open_users, [partial(succeed, place) for place in places]) == [0] * len(places)
    assert count(accounts, "familiar") == FAMILIAR_PLACES


@pytest.mark.parametrize(
    "work", [partial(succeed, "192.0.2.1"), partial(close, ANNA), partial(tie, ANNA, ["SHA256:1"])]
)
def test_what_opens_an_account_waits_for_what_else_is_done_to_it(accounts: Accounts, meets: Meets, work: Work) -> None:
    with accounts.store.writing() as users:
        assert hold_user(users, ANNA)
        other = meets(work)
    assert exit_code(other) == 0


def test_nobody_is_remembered_at_an_account_that_is_closed_meanwhile(accounts: Accounts, meets: Meets) -> None:
    with accounts.store.writing() as users:
        write_closed(users, ANNA, 1.0)
        other = meets(partial(succeed, "192.0.2.1"))
    assert exit_code(other) == 0
    assert count(accounts, "familiar") == 0


def log_in_once(user: int, accounts: Accounts) -> None:
    attempts = Attempts(accounts.store)
    attempts.turn(user, "192.0.2.1")
    attempts.succeeded(user, "192.0.2.1")


def test_many_who_are_new_at_one_address_all_get_in(accounts: Accounts, open_users: OpenUsers) -> None:
    users = more_users(accounts, 12)
    assert at_once(open_users, [partial(log_in_once, user) for user in users]) == [0] * len(users)
    assert count(accounts, "familiar") == len(users)
    assert count(accounts, "guess") == 1, "the address's"


def try_once(user: int, origin: str, accounts: Accounts) -> None:
    Attempts(accounts.store).turn(user, origin)


def test_tries_at_other_accounts_from_elsewhere_wait_for_nobody(accounts: Accounts, open_users: OpenUsers) -> None:
    with accounts.store.writing() as users:
        users.execute("INSERT INTO guess VALUES ('account', ?, '', 1, 1, 1, 0)", (ANNA,))
        users.execute("INSERT INTO guess VALUES ('origin', 0, '192.0.2.1', 1, 1, 1, 0)")
        assert at_once(open_users, [partial(try_once, user, f"198.51.100.{user}") for user in (BODO, CARL)]) == [0, 0]


def guess_often(number: int, accounts: Accounts) -> None:
    """Guess at all accounts from the same few addresses; a password is right now and then, or reset."""
    attempts = Attempts(accounts.store)
    for step in range(15):
        user, origin = 1 + (number + step) % 3, f"192.0.2.{step % 4}"
        with suppress(TriesUsedUp):
            attempts.turn(user, origin)
            attempts.failed(user, origin)
        if step % 5 == number:
            attempts.succeeded(user, origin)
        if step % 7 == number:
            with accounts.store.writing() as users:
                write_password(users, user, "hash")


def test_who_guesses_at_the_same_moment_does_not_wait_in_a_circle(accounts: Accounts, open_users: OpenUsers) -> None:
    assert at_once(open_users, [partial(guess_often, number) for number in range(5)]) == [0] * 5


def ban(targets: list[str], file: Path, accounts: Accounts) -> None:
    for target in targets:
        with accounts.store.writing() as users:
            write_ban(users, Ban("address", target, math.inf, "because", "Sys", 1.0))
        Bans(accounts.store, file).publish()


def test_the_list_that_is_published_last_has_all_bans(
    accounts: Accounts, open_users: OpenUsers, tmp_path: Path
) -> None:
    file = tmp_path / "banned.json"
    targets = [[f"192.0.{writer}.{number}" for number in range(8)] for writer in range(WRITERS)]
    assert at_once(open_users, [partial(ban, its, file) for its in targets]) == [0] * WRITERS
    assert set(json.loads(file.read_bytes())) == {target for its in targets for target in its}


# --- the order of events ----------------------------------------------------------------------------------------------


LOGINS = 40
_SLOW = """
    CREATE FUNCTION users.slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END
    $$;
    CREATE CONSTRAINT TRIGGER slow_visit AFTER INSERT ON users.visit DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION users.slow();
    CREATE CONSTRAINT TRIGGER slow_guess AFTER INSERT OR UPDATE ON users.guess DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION users.slow();
    CREATE CONSTRAINT TRIGGER slow_familiar AFTER INSERT OR UPDATE ON users.familiar DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.last > 1) EXECUTE FUNCTION users.slow();
"""
"""Makes the end of a transaction take as long as on a slow disk."""


def come_in(user: int, place: str, accounts: Accounts) -> None:
    """Do what the door does with a right password."""
    attempts = Attempts(accounts.store)
    attempts.turn(user, place)
    attempts.succeeded(user, place)
    accounts.seen(user, place)


@pytest.fixture
def slow_disk(postgres: Server, used_database: str, open_users: OpenUsers) -> Iterator[None]:
    postgres.asks(used_database, _SLOW)
    yield
    postgres.asks(used_database, "DROP FUNCTION users.slow() CASCADE")


@pytest.mark.usefixtures("slow_disk")
@pytest.mark.parametrize("is_known", [True, False])
def test_many_who_log_in_at_once_all_come_in(accounts: Accounts, open_users: OpenUsers, is_known: bool) -> None:
    callers = more_users(accounts, LOGINS)
    places = {user: "192.0.2.1" if is_known else f"192.0.2.{user}" for user in callers}
    if is_known:  # behind one address, such as those whose host was lost
        with accounts.store.writing() as users:
            rows = [(user, places[user], 1.0) for user in callers]
            users.executemany("INSERT INTO familiar (user, place, last) VALUES (?, ?, ?)", rows)
    works = [partial(come_in, user, place) for user, place in places.items()]
    assert at_once(open_users, works) == [0] * LOGINS
    with accounts.store.reading() as users:
        assert sorted(open_logins(users)) == callers


def test_nobody_waits_at_the_door_for_another_user(accounts: Accounts, open_users: OpenUsers) -> None:
    with accounts.store.writing() as users:
        write_login(users, ANNA, 1.0)
        users.execute("INSERT INTO guess VALUES ('account', ?, '', 1, 1, 1, 0)", (ANNA,))
        assert at_once(open_users, [partial(come_in, BODO, "192.0.2.1")]) == [0]
    assert Attempts(accounts.store).turn(ANNA, "192.0.2.1") == 0


def test_what_is_old_is_forgotten_by_whoever_comes_first(accounts: Accounts, open_users: OpenUsers) -> None:
    many = more_users(accounts, 8)
    with accounts.store.writing() as users:
        rows = [("network", ANNA + number % 3, f"192.0.2.{number}", number * 7919 % 600) for number in range(90)]
        users.executemany("INSERT INTO guess VALUES (?, ?, ?, 1, 0, ?, 0)", rows)
    assert at_once(open_users, [partial(guess_wrong, user, "192.0.2.1") for user in many]) == [0] * len(many)
    with accounts.store.reading() as users:
        assert users.execute("SELECT count(*) FROM guess WHERE at < 600").fetchone() == (0,)


def guess_wrong(user: int, origin: str, accounts: Accounts) -> None:
    attempts = Attempts(accounts.store)
    attempts.turn(user, origin)
    attempts.failed(user, origin)


def come_and_go(user: int, accounts: Accounts) -> None:
    """Log in and out; of three times once the logout is undone after it was written."""
    for number in range(15):
        accounts.seen(user, "peer")
        with suppress(Undone), accounts.store.writing() as users:
            write_logout(users, user, 1.0)
            if number % 3 == 0:
                raise Undone


def act(user: int, accounts: Accounts) -> None:
    """Write sysop actions down; one of three is undone."""
    for number in range(25):
        with suppress(Undone), accounts.store.writing() as users:
            write_twit(users, user, 1.0 + number)
            action = SysopAction(0, "twit", user, "somebody", None, None, "why", "Sysop", 1.0)
            write_sysop_action(users, action, pending=False)
            if number % 3 == 0:
                raise Undone


def test_who_follows_by_number_misses_nothing_and_finds_no_gap(accounts: Accounts, open_users: OpenUsers) -> None:
    processes = AtOnce(open_users, [partial(act, user) for user in more_users(accounts, WRITERS)])
    processes.begin()
    read, is_all = [0], False
    while not is_all:
        is_all = processes.are_done()
        with accounts.store.reading() as users:
            query = "SELECT id FROM act WHERE id > ? ORDER BY id"
            read += [number for (number,) in users.execute(query, (read[-1],))]
    assert read == list(range(len(read)))
    assert len(read) - 1 == count(accounts, "act") > WRITERS * 15


def test_who_follows_visits_misses_none(accounts: Accounts, open_users: OpenUsers) -> None:
    processes = AtOnce(open_users, [partial(come_and_go, user) for user in more_users(accounts, WRITERS)])
    processes.begin()
    read, is_all = [0], False
    while not is_all:
        is_all = processes.are_done()
        with accounts.store.reading() as users:
            upto = numbers_given(users, "visit")
        with accounts.store.reading() as users:
            read += [visit.id for visit in visits_after(users, read[-1], upto, 1000)]
    assert read == sorted(set(read))
    assert len(read) - 1 == count(accounts, "visit") > WRITERS * 15


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_visit_is_told_after_those_with_lower_numbers(
    accounts: Accounts, open_users: OpenUsers, is_kept: bool
) -> None:
    other = Accounts(open_users())
    with suppress(Undone), accounts.store.writing() as users:
        write_login(users, ANNA, 1.0)
        other.seen(BODO, "peer")
        with other.store.reading() as seen:
            assert numbers_given(seen, "visit") == 0
        if not is_kept:
            raise Undone
    with other.store.reading() as seen:
        upto = numbers_given(seen, "visit")
    with other.store.reading() as seen:
        found = [visit.user for visit in visits_after(seen, 0, upto, 10)]
    other.close()
    assert found == ([ANNA, BODO] if is_kept else [BODO])


def test_a_number_given_by_hand_is_not_given_again(accounts: Accounts) -> None:
    insert = "INSERT INTO act (id, kind, target, reason, by, at) VALUES (?, 'note', '', '', '', 1)"
    with accounts.store.writing() as users:
        users.executemany(insert, [(70,), (60,)])
        action = SysopAction(0, "twit", ANNA, "somebody", None, None, "why", "Sysop", 1.0)
        assert write_sysop_action(users, action, pending=False).id == 71


def come(accounts: Accounts) -> None:
    for _ in range(20):
        accounts.seen(ANNA, "peer")


def note_gone(accounts: Accounts) -> None:
    for _ in range(20):
        with accounts.store.writing() as users:
            write_gone(users, open_logins(users), 1.0)


def test_every_login_has_one_end_whoever_notes_it(accounts: Accounts, open_users: OpenUsers) -> None:
    assert at_once(open_users, [come, come, note_gone, note_gone]) == [0] * 4
    with accounts.store.reading() as users:
        kinds = [visit.kind for visit in visits_after(users, 0, 1000, 1000)]
    assert kinds[::2] == ["login"] * 40
    assert set(kinds[1::2]) == {"gone"}


# --- turns ------------------------------------------------------------------------------------------------------------


def write_one_letter(accounts: Accounts) -> None:
    Meeting(accounts.store).letters.send(BODO, ANNA, "hello")


def write_one_line(accounts: Accounts) -> None:
    Meeting(accounts.store).wall.write(BODO, "hello")


def register_from_somewhere(accounts: Accounts) -> None:
    Registrations(accounts.store).turn("192.0.2.1", 5)


def leave_nothing(accounts: Accounts) -> None:
    with accounts.store.writing() as users:
        forget(users, ANNA)


@pytest.mark.parametrize(
    ("turn", "whose", "work"),
    [
        (Turn.LETTERS, ANNA, write_one_letter),
        (Turn.WALL, 0, write_one_line),
        (Turn.WALL, 0, leave_nothing),
        (Turn.IGNORED, ANNA, partial(ignore, [BODO])),
        (Turn.REGISTRATIONS, network_of("192.0.2.1"), register_from_somewhere),
        (Turn.BANS, 0, partial(ban, ["192.0.2.1"], Path("banned.json"))),
    ],
)
def test_whoever_writes_waits_for_the_turn(
    accounts: Accounts,
    meets: Meets,
    turn: Turn,
    whose: int | str,
    work: Work,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with accounts.store.writing() as users:
        take_turn(users, turn, whose)
        other = meets(work)
    assert exit_code(other) == 0


# --- all together -----------------------------------------------------------------------------------------------------


def live(user: int, others: list[int], accounts: Accounts) -> None:
    """What sessions do, again and again."""
    meeting, messages, attempts = Meeting(accounts.store), Messages(accounts.store), Attempts(accounts.store)
    for number in range(10):
        other = others[number % len(others)]
        with suppress(TriesUsedUp):
            attempts.turn(user, "192.0.2.1")
        attempts.succeeded(user, f"192.0.2.{number}")
        accounts.seen(user, "peer")
        messages.send(user, "somebody", other, "hello")
        messages.mark_read(user, 10**6)
        meeting.letters.send(user, other, "hello")
        meeting.wall.write(user, "hello")
        meeting.ignored.add(user, other)
        meeting.ignored.remove(user, other)
        Keys(accounts.store).tie(user, f"SHA256:{user}.{number}", "192.0.2.1")
        accounts.left(user)


def rule(others: list[int], accounts: Accounts) -> None:
    """What a sysop does to everybody meanwhile."""
    for number in range(20):
        user = others[number % len(others)]
        action = SysopAction(0, "delete", user, "somebody", None, None, "why", "Sysop", 1.0)
        with accounts.store.writing() as users:
            write_twit(users, user, 1.0)
            write_password(users, user, "hash")
            write_closed(users, user, 1.0)
            forget(users, user)
            write_sysop_action(users, action, pending=False)


def test_nobody_waits_in_a_circle(accounts: Accounts, open_users: OpenUsers) -> None:
    others = [ANNA, BODO, CARL]
    works: list[Work] = [partial(live, user, others) for user in others]
    assert at_once(open_users, [*works, partial(rule, others), partial(rule, others[::-1])]) == [0] * 5
