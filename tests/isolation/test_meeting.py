"""Letters, the wall, the last callers, the ignore list: what is kept, how much of it, what a closed account leaves."""

from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, at_once, with_clock
from tests.thoroughness import sampled
from yawc_poker.casino.meeting import ignored, mail, wall
from yawc_poker.casino.meeting.ignored import ListFull
from yawc_poker.casino.meeting.mail import BoxFull
from yawc_poker.casino.meeting.meeting import Meeting, forget
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import Accounts, write_closed, write_sysop
from yawc_poker.casino.users.visits import CALLS, Call, latest_calls
from yawc_poker.terminal.text import is_harmless

ANNA, BODO, CARL = 1, 2, 3


@pytest.fixture
def clock() -> Clock:
    return Clock(500.0)


@pytest.fixture
def accounts(open_users: OpenUsers, clock: Clock) -> Iterator[Accounts]:
    accounts = Accounts(with_clock(open_users(), clock))
    for name in ("Anna", "Bodo", "Carl"):
        accounts.enrol(name, "no hash", "en")
    yield accounts
    accounts.close()


@pytest.fixture
def meeting(accounts: Accounts) -> Meeting:
    return Meeting(accounts.store)


def more_users(accounts: Accounts, many: int) -> list[int]:
    """Make accounts, without a look at whether their names are alike; return their numbers."""
    row = "INSERT INTO user (name, name_key, password_hash, language, created) VALUES (?, ?, '', 'en', 0) RETURNING id"
    with accounts.store.writing() as users:
        return [users.execute(row, (f"U{number}", f"u{number}")).fetchone()[0] for number in range(many)]


def texts(meeting: Meeting, user: int) -> list[str]:
    return [letter.text for letter in meeting.letters.box(user, 2 * mail.MOST_LETTERS)]


# --- letters ----------------------------------------------------------------------------------------------------------


def test_a_letter_lies_in_its_readers_box_until_it_is_deleted(meeting: Meeting, clock: Clock) -> None:
    assert meeting.letters.send(ANNA, BODO, "one\n\ntwo \n")
    clock.now += 10
    assert meeting.letters.send(CARL, BODO, "three")
    newest, oldest = meeting.letters.box(BODO, 10)
    assert (oldest.from_id, oldest.from_name, oldest.text, oldest.sent) == (ANNA, "Anna", "one\n\ntwo", 500.0)
    assert (meeting.letters.count_new(BODO), meeting.letters.count(BODO)) == (2, 2)
    meeting.letters.mark_read(BODO, oldest.id)
    meeting.letters.mark_read(CARL, newest.id)  # not Carl's
    assert [letter.read for letter in meeting.letters.box(BODO, 10)] == [None, 510.0]
    meeting.letters.delete(CARL, newest.id)
    meeting.letters.delete(BODO, oldest.id)
    assert texts(meeting, BODO) == ["three"]
    assert texts(meeting, ANNA) == []


def test_the_bbs_writes_one_letter_of_a_matter_and_none_into_a_full_box(meeting: Meeting, accounts: Accounts) -> None:
    meeting.letters.send(ANNA, BODO, "Tournament 1\nlet us play")
    meeting.letters.leave(BODO, "Tournament 1\nbegins")
    meeting.letters.leave(BODO, "Tournament 12\nbegins")
    newest, own, _ = meeting.letters.box(BODO, 10)
    assert (newest.text, own.text, own.from_name) == ("Tournament 12\nbegins", "Tournament 1\nbegins", "")
    meeting.letters.mark_read(BODO, own.id)
    for _ in range(2):
        meeting.letters.leave(BODO, "Tournament 1\nis over")
    assert texts(meeting, BODO) == ["Tournament 1\nis over", "Tournament 12\nbegins", "Tournament 1\nlet us play"]
    (last, *_) = meeting.letters.box(BODO, 10)
    meeting.letters.mark_read(BODO, last.id)
    meeting.letters.leave(BODO, "Tournament 1\nis over")
    assert meeting.letters.count_new(BODO) == 2, "what was read stays read"
    for letter in meeting.letters.box(BODO, 10):
        meeting.letters.delete(BODO, letter.id)
    fill(meeting, accounts)
    meeting.letters.leave(BODO, "Tournament 2\nbegins")
    assert meeting.letters.count(BODO) == mail.MOST_LETTERS


@pytest.mark.parametrize("text", ["", " \n \n", "\x1b\x07"])
def test_an_empty_letter_is_not_sent(meeting: Meeting, text: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        meeting.letters.send(ANNA, BODO, text)


def test_a_letter_to_nobody_is_refused(meeting: Meeting) -> None:
    with pytest.raises(StoreError):
        meeting.letters.send(ANNA, 99, "hello?")


@settings(max_examples=sampled(50))
@given(st.text())
def test_a_letters_text_is_harmless_and_bounded(text: str) -> None:
    lines = mail.harmless_lines(text).split("\n")
    assert len(lines) <= mail.LINES
    assert all(is_harmless(line) and len(line) <= mail.LINE_LENGTH for line in lines)


def fill(meeting: Meeting, accounts: Accounts) -> None:
    """Fill Bodo's box with unread letters of five users."""
    senders = more_users(accounts, 5)
    for number in range(mail.MOST_LETTERS):
        meeting.letters.send(senders[number % len(senders)], BODO, str(number))


def test_a_full_box_takes_no_letter_until_one_was_read(meeting: Meeting, accounts: Accounts, clock: Clock) -> None:
    fill(meeting, accounts)
    with pytest.raises(BoxFull) as full:
        meeting.letters.send(ANNA, BODO, "one too many")
    assert not full.value.by_one
    box = meeting.letters.box(BODO, mail.MOST_LETTERS)
    for letter in (box[50], box[10]):
        clock.now += 1
        meeting.letters.mark_read(BODO, letter.id)
    assert meeting.letters.send(ANNA, BODO, "now")
    kept = texts(meeting, BODO)
    assert len(kept) == mail.MOST_LETTERS
    assert kept[0] == "now"
    assert box[50].text not in kept, "the one that was read first makes room"
    assert box[10].text in kept


def test_nobody_fills_a_box_alone(meeting: Meeting) -> None:
    for number in range(mail.MOST_FROM_ONE):
        meeting.letters.send(ANNA, BODO, str(number))
    with pytest.raises(BoxFull) as full:
        meeting.letters.send(ANNA, BODO, "again")
    assert full.value.by_one
    assert meeting.letters.send(CARL, BODO, "hello")
    meeting.letters.mark_read(BODO, meeting.letters.box(BODO, 2)[1].id)
    assert meeting.letters.send(ANNA, BODO, "again")


def test_a_letter_of_somebody_ignored_is_kept_nowhere(meeting: Meeting) -> None:
    meeting.ignored.add(BODO, ANNA)
    assert not meeting.letters.send(ANNA, BODO, "hello")
    assert texts(meeting, BODO) == []
    assert meeting.letters.send(BODO, ANNA, "the other way")


# --- the ignore list --------------------------------------------------------------------------------------------------


def test_the_ignore_list_is_ones_own(meeting: Meeting) -> None:
    for _ in range(2):
        meeting.ignored.add(ANNA, CARL)
    meeting.ignored.add(ANNA, BODO)
    assert list(meeting.ignored.of(ANNA).items()) == [(BODO, "Bodo"), (CARL, "Carl")]
    assert (meeting.ignored.ignores(ANNA, BODO), meeting.ignored.ignores(BODO, ANNA)) == (True, False)
    meeting.ignored.remove(ANNA, BODO)
    meeting.ignored.remove(ANNA, BODO)
    assert meeting.ignored.of(ANNA) == {CARL: "Carl"}


def test_a_sysop_is_ignored_by_nobody(meeting: Meeting, accounts: Accounts) -> None:
    meeting.ignored.add(ANNA, BODO)
    with accounts.store.writing() as users:
        write_sysop(users, BODO, True)
    assert not meeting.ignored.ignores(ANNA, BODO)
    with accounts.store.reading() as users:
        assert ignored.ignored_by(users, ANNA) == {}
    assert meeting.ignored.of(ANNA) == {BODO: "Bodo"}
    assert meeting.letters.send(BODO, ANNA, "from a sysop")


def test_an_ignore_list_ends_somewhere(meeting: Meeting, accounts: Accounts) -> None:
    others = more_users(accounts, ignored.MOST)
    for other in others:
        meeting.ignored.add(ANNA, other)
    with pytest.raises(ListFull):
        meeting.ignored.add(ANNA, BODO)
    meeting.ignored.add(ANNA, others[0])
    assert len(meeting.ignored.of(ANNA)) == ignored.MOST


# --- the wall ---------------------------------------------------------------------------------------------------------


def test_the_wall_keeps_the_last_lines_and_few_of_one_writer(meeting: Meeting, accounts: Accounts) -> None:
    writers = more_users(accounts, 5)
    for number in range(wall.MOST + 2):
        meeting.wall.write(writers[number % 5], f"line {number}")
    assert [line.text for line in meeting.wall.lines()] == [f"line {number}" for number in range(2, wall.MOST + 2)]
    before = [line.text for line in meeting.wall.lines() if line.user != writers[0]]
    for number in range(3 * wall.MOST):
        meeting.wall.write(writers[0], f"spam {number}")
    lines = meeting.wall.lines()
    assert sum(line.user == writers[0] for line in lines) == wall.MOST_OF_ONE
    assert [line.text for line in lines if line.user != writers[0]] in (before, before[1:])


def test_a_line_on_the_wall_is_harmless_and_goes_by_its_writer_or_whoever_may(meeting: Meeting) -> None:
    with pytest.raises(ValueError, match="empty"):
        meeting.wall.write(ANNA, "\x1b ")
    meeting.wall.write(ANNA, "\x1b[2Jhi\r\n" + 200 * "x")
    (line,) = meeting.wall.lines()
    assert is_harmless(line.text)
    assert len(line.text) <= wall.TEXT_LENGTH
    assert not meeting.wall.remove(line.id, BODO)
    assert meeting.wall.remove(line.id)
    assert not meeting.wall.remove(line.id, ANNA)
    assert meeting.wall.lines() == []


# --- the last callers -------------------------------------------------------------------------------------------------


def test_the_last_callers_are_told_once_each(accounts: Accounts, meeting: Meeting, clock: Clock) -> None:
    accounts.seen(ANNA, "peer")
    clock.now += 10
    accounts.seen(BODO, "peer")
    clock.now += 50
    accounts.left(ANNA)
    assert latest_calls(accounts.store) == [Call(BODO, "Bodo", 510.0, None), Call(ANNA, "Anna", 500.0, 560.0)]
    clock.now += 10
    accounts.seen(ANNA, "peer")
    assert latest_calls(accounts.store) == [Call(ANNA, "Anna", 570.0, None), Call(BODO, "Bodo", 510.0, None)]
    accounts.seen(BODO, "peer")  # the session before was killed
    with accounts.store.writing() as users:
        write_closed(users, ANNA, clock.now)
    assert latest_calls(accounts.store) == [Call(BODO, "Bodo", 570.0, None)]


def test_only_the_last_callers_are_told(meeting: Meeting, accounts: Accounts) -> None:
    callers = more_users(accounts, CALLS + 5)
    for user in callers:
        accounts.seen(user, "peer")
    assert [call.user for call in latest_calls(accounts.store)] == callers[: -CALLS - 1 : -1]


# --- together ---------------------------------------------------------------------------------------------------------


def test_who_arrives_finds_what_is_new(meeting: Meeting) -> None:
    meeting.letters.send(ANNA, BODO, "hello")
    meeting.wall.write(CARL, "welcome")
    meeting.ignored.add(BODO, CARL)
    arrival = meeting.arrive(BODO)
    assert (arrival.ignored, arrival.letters) == ({CARL: "Carl"}, 1)
    assert [line.text for line in arrival.wall] == ["welcome"]


def test_a_closed_account_leaves_nothing_behind(meeting: Meeting, accounts: Accounts) -> None:
    for user, other in ((ANNA, BODO), (BODO, ANNA), (ANNA, CARL), (BODO, CARL)):
        meeting.letters.send(user, other, f"{user} to {other}")
        meeting.ignored.add(other, user)
    for user in (ANNA, BODO):
        meeting.wall.write(user, f"by {user}")
    with accounts.store.writing() as users:
        forget(users, ANNA)
    assert [texts(meeting, user) for user in (ANNA, BODO, CARL)] == [[], [], ["2 to 3"]]
    assert [meeting.ignored.of(user) for user in (ANNA, BODO, CARL)] == [{}, {}, {BODO: "Bodo"}]
    assert [line.text for line in meeting.wall.lines()] == ["by 2"]


def busy(user: int, accounts: Accounts) -> None:
    """What a session's process does, again and again."""
    meeting = Meeting(accounts.store)
    for number in range(15):
        accounts.seen(user, "peer")
        meeting.arrive(user)
        meeting.wall.write(user, f"{user} {number}")
        meeting.letters.send(user, CARL, f"{user} {number}")
        meeting.ignored.add(user, CARL)
        meeting.ignored.remove(user, CARL)
        accounts.left(user)


def test_two_processes_do_not_stand_in_each_others_way(
    accounts: Accounts, meeting: Meeting, open_users: OpenUsers
) -> None:
    assert at_once(open_users, [partial(busy, user) for user in (ANNA, BODO)]) == [0, 0]
    for user in (ANNA, BODO):
        own = [text for text in texts(meeting, CARL) if text.startswith(f"{user} ")]
        assert own == [f"{user} {number}" for number in range(14, -1, -1)]
        assert sum(line.user == user for line in meeting.wall.lines()) == wall.MOST_OF_ONE
    assert {call.user for call in latest_calls(accounts.store)} == {ANNA, BODO}
    assert all(call.went is not None for call in latest_calls(accounts.store))
