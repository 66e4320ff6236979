import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.isolation.processes import FileLock, exit_code, fork
from yawc_poker.casino.accounts import Accounts
from yawc_poker.casino.messages import MOST_UNREAD, BoxFull, Message, Messages
from yawc_poker.casino.store import StoreError


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    accounts = Accounts(tmp_path / "users.sqlite", nullcontext(), clock=lambda: 500.0)
    for name in ("Anna", "Bodo", "Carl"):
        accounts.register(name, "open sesame", "en")
    yield accounts
    accounts.close()


@pytest.fixture
def messages(accounts: Accounts) -> Messages:
    return Messages(accounts)


ANNA, BODO, CARL = 1, 2, 3


def test_a_message_waits_for_its_reader_alone(messages: Messages) -> None:
    number = messages.send(ANNA, "Anna", BODO, "hi there")
    assert messages.unread(BODO) == messages.unread(BODO) == [Message(number, ANNA, "Anna", "hi there", 500.0)]
    assert [messages.count_unread(user) for user in (ANNA, BODO, CARL)] == [0, 1, 0]


def test_taken_messages_come_in_order_and_once(messages: Messages) -> None:
    for text in ("one", "two", "three"):
        messages.send(ANNA, "Anna", BODO, text)
    messages.send(ANNA, "Anna", CARL, "other")
    assert [message.text for message in messages.take(BODO)] == ["one", "two", "three"]
    assert messages.take(BODO) == []
    assert [message.text for message in messages.take(CARL)] == ["other"]


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
    (message,) = messages.take(BODO)
    assert len(message.text) <= 400
    assert message.text.startswith("[2J boo")
    assert message.text.isprintable()


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
    assert len(messages.take(BODO)) == MOST_UNREAD
    messages.send(CARL, "Carl", BODO, "hello")
    assert messages.count_unread(BODO) == 1


def test_of_two_processes_each_message_is_taken_by_one(tmp_path: Path, accounts: Accounts) -> None:
    total = 40
    reader, teller = os.pipe()

    def take() -> None:
        own = Messages(Accounts(tmp_path / "users.sqlite", FileLock(tmp_path / "lock")))
        taken = 0
        # The sender first: once he has gone, what is counted after is all there will ever be.
        while taken == 0 or own.count_unread(CARL) or own.count_unread(BODO):
            got = own.take(BODO)
            os.write(teller, b"." * len(got))
            taken += 1

    def send() -> None:
        own = Messages(Accounts(tmp_path / "users.sqlite", FileLock(tmp_path / "lock")))
        for _ in range(total):
            own.send(ANNA, "Anna", BODO, "hi")
        assert own.take(CARL)

    outside = Messages(accounts)
    outside.send(ANNA, "Anna", CARL, "the sender is at work")
    accounts.close()
    children = [fork(take), fork(take), fork(send)]
    assert [exit_code(child) for child in children] == [0, 0, 0]
    os.close(teller)
    left = outside.count_unread(BODO)
    taken = os.read(reader, 4 * total)
    os.close(reader)
    assert len(taken) + left == total
    assert left == 0
