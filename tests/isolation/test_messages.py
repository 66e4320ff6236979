from collections.abc import Iterator

import pytest

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, with_clock
from yawc_poker.casino.meeting.mail import (
    FORGOTTEN_AT_ONCE,
    KEPT,
    KEPT_SECONDS,
    MOST_UNREAD,
    BoxFull,
    Message,
    Messages,
)
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.transport import LineClosed


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
def messages(accounts: Accounts) -> Messages:
    return Messages(accounts.store)


ANNA, BODO, CARL = 1, 2, 3


def taken(messages: Messages, user: int) -> list[str]:
    with messages.taking(user) as waiting:
        return [message.text for message in waiting]


def test_a_message_waits_for_its_reader_alone(messages: Messages) -> None:
    number = messages.send(ANNA, "Anna", BODO, "hi there")
    assert messages.unread(BODO) == messages.unread(BODO) == [Message(number, ANNA, "Anna", "hi there", 500.0)]
    assert [messages.count_unread(user) for user in (ANNA, BODO, CARL)] == [0, 1, 0]


def test_taken_messages_come_in_order_and_once(messages: Messages) -> None:
    for text in ("one", "two", "three"):
        messages.send(ANNA, "Anna", BODO, text)
    messages.send(ANNA, "Anna", CARL, "other")
    assert taken(messages, BODO) == ["one", "two", "three"]
    assert taken(messages, BODO) == []
    assert taken(messages, CARL) == ["other"]


def test_what_could_not_be_shown_is_not_taken(messages: Messages) -> None:
    messages.send(ANNA, "Anna", BODO, "one")
    with pytest.raises(LineClosed), messages.taking(BODO):
        raise LineClosed
    assert taken(messages, BODO) == ["one"]


def test_what_comes_in_meanwhile_is_not_taken_along(messages: Messages) -> None:
    messages.send(ANNA, "Anna", BODO, "one")
    with messages.taking(BODO):
        messages.send(ANNA, "Anna", BODO, "two")
    assert taken(messages, BODO) == ["two"]


def test_messages_are_marked_up_to_a_number(messages: Messages) -> None:
    numbers = [messages.send(ANNA, "Anna", BODO, text) for text in ("one", "two", "three")]
    other = messages.send(ANNA, "Anna", CARL, "older")
    messages.mark_read(BODO, numbers[1])
    assert [message.text for message in messages.unread(BODO)] == ["three"]
    messages.mark_read(BODO, other)
    assert messages.count_unread(BODO) == 0
    assert messages.count_unread(CARL) == 1


def test_a_text_is_harmless_and_bounded(messages: Messages) -> None:
    messages.send(ANNA, "Anna", BODO, "\x1b[2J boo\r\n\x07" + "x" * 1000)
    (text,) = taken(messages, BODO)
    assert len(text) <= 400
    assert text.startswith("[2J boo")
    assert text.isprintable()


@pytest.mark.parametrize("text", ["", "   ", "\x1b\x07"])
def test_an_empty_message_is_not_sent(messages: Messages, text: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        messages.send(ANNA, "Anna", BODO, text)
    assert messages.count_unread(BODO) == 0


def test_a_message_to_nobody_is_refused(messages: Messages) -> None:
    with pytest.raises(StoreError):
        messages.send(ANNA, "Anna", 99, "hello?")


def test_a_full_box_takes_no_more_until_it_is_read(messages: Messages) -> None:
    for _ in range(MOST_UNREAD):
        messages.send(ANNA, "Anna", BODO, "spam")
    with pytest.raises(BoxFull):
        messages.send(CARL, "Carl", BODO, "hello")
    messages.send(ANNA, "Anna", CARL, "not full")
    assert len(taken(messages, BODO)) == MOST_UNREAD
    messages.send(CARL, "Carl", BODO, "hello")
    assert messages.count_unread(BODO) == 1


def kept(accounts: Accounts, user: int) -> int:
    with accounts.store.reading() as users:
        return int(users.execute("SELECT count(*) FROM message WHERE to_id = ?", (user,)).fetchone()[0])


def test_of_what_was_read_the_newest_hundred_stay(accounts: Accounts, messages: Messages) -> None:
    for _ in range(3):
        for _ in range(KEPT - 10):
            messages.send(ANNA, "Anna", BODO, "spam")
        taken(messages, BODO)
    messages.send(ANNA, "Anna", CARL, "other")
    taken(messages, CARL)
    assert (kept(accounts, BODO), kept(accounts, CARL)) == (KEPT, 1)


def test_what_was_read_a_month_ago_goes_whoever_reads_next_and_what_waits_stays(
    accounts: Accounts, messages: Messages, clock: Clock
) -> None:
    messages.send(ANNA, "Anna", BODO, "old")
    taken(messages, BODO)
    messages.send(ANNA, "Anna", BODO, "not read yet")
    clock.now += KEPT_SECONDS
    messages.send(ANNA, "Anna", CARL, "new")
    assert kept(accounts, BODO) == 2
    assert taken(messages, CARL) == ["new"]
    assert kept(accounts, BODO) == 1
    assert taken(messages, BODO) == ["not read yet"]


def test_a_database_of_years_is_cleared_little_by_little(accounts: Accounts, messages: Messages, clock: Clock) -> None:
    with accounts.store.writing() as users:
        row = (ANNA, "Anna", BODO, "old", 1.0, 2.0)
        for _ in range(FORGOTTEN_AT_ONCE + 50):
            users.execute("INSERT INTO message (from_id, from_name, to_id, text, sent, read) VALUES (?,?,?,?,?,?)", row)
    clock.now += KEPT_SECONDS
    for left in (50, 0):
        messages.send(ANNA, "Anna", CARL, "new")
        taken(messages, CARL)
        assert kept(accounts, BODO) == left
