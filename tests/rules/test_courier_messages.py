"""What couriers tell each other: what is written is read, whatever is read ends no courier."""

import math
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.extras.cluster import messages
from yawc_poker.extras.cluster.messages import (
    Acted,
    EndSession,
    LookAgain,
    Message,
    Posted,
    SessionsChanged,
    TablesChanged,
)

NUMBERS = st.integers(0, 2**63 - 1)
TOKENS = st.integers(2**63, 2**64 - 1)
RECORDS = st.integers(0, 65534)
HOSTS = st.integers(0, 15)
MESSAGES = st.one_of(
    st.builds(TablesChanged, HOSTS, st.dictionaries(RECORDS, NUMBERS, max_size=200)),
    st.builds(SessionsChanged, HOSTS),
    st.builds(Acted, HOSTS, NUMBERS),
    st.builds(LookAgain, HOSTS),
    st.builds(
        Posted,
        HOSTS,
        st.integers(0, 2**64 - 1),
        TOKENS,
        st.none() | RECORDS,
        st.none() | RECORDS,
        st.binary(max_size=256),
        st.none() | st.lists(TOKENS, max_size=16).map(tuple),
    ),
)


@dataclass
class Longest:
    """The longest of all commands, and of all tables."""

    command = Posted(15, 2**64 - 1, 2**64 - 1, 65534, 65534, b"\xff" * 256, (2**64 - 1,) * 16)
    tables = dict.fromkeys(range(65534 - 1000, 65534), 2**63 - 1)


@given(MESSAGES)
def test_what_is_written_is_read(message: Message) -> None:
    payload = messages.encoded(message)
    assert messages.decoded(payload) == message
    assert len(payload.encode()) <= messages.LIMIT


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_what_nobody_knows_is_read_as_nothing(payload: str) -> None:
    assert messages.decoded(payload) is None


def test_a_newer_program_may_tell_more() -> None:
    assert messages.decoded('{"type":"sessions","host":1,"colour":"red"}') == SessionsChanged(1)
    assert messages.decoded('{"type":"colours","host":1}') is None


def test_all_that_can_be_told_fits_into_notifications() -> None:
    assert len(messages.encoded(Longest.command)) <= messages.LIMIT
    read: dict[int, int] = {}
    for payload in messages.tables_changed(3, Longest.tables):
        assert len(payload) <= messages.LIMIT
        told = messages.decoded(payload)
        assert isinstance(told, TablesChanged)
        read |= told.versions
    assert read == Longest.tables
    assert list(messages.tables_changed(3, {})) == []


@given(TOKENS, st.integers(0, 2**62), st.booleans())
def test_an_end_is_read_as_it_was_written(token: int, reason: int, kill: bool) -> None:
    ending = EndSession(token, reason, kill)
    assert EndSession.decoded(ending.encoded()) == ending


@given(st.floats(0, 1e15) | st.just(math.inf))
def test_a_mute_is_read_as_it_was_written(until: float) -> None:
    assert messages.read_muting(messages.muting(until)) == until


@given(st.binary(max_size=60))
def test_other_payloads_say_nothing_of_it(payload: bytes) -> None:
    if not payload.startswith((b"end ", b"kill ", b"mute ")):
        assert EndSession.decoded(payload) is None
        assert messages.read_muting(payload) is None


def test_damaged_payloads_say_nothing_of_it() -> None:
    for payload in (b"end", b"end 5", b"end x 1", b"kill 1 2 3", b"end -1 2", b"kill 9 " + b"9" * 99, b"end \xff 1"):
        assert EndSession.decoded(payload) is None
    for payload in (b"mute", b"mute x", b"mute nan", b"mute -1", b"mute 1e"):
        assert messages.read_muting(payload) is None
