"""rlogin as bytes: what another BBS says first, in whatever pieces, and windows' sizes among what is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telnetd.extras.rlogin.protocol import LONGEST, Opening, opening, typed

SIZE = b"\xff\xffss\x00\x32\x00\x64\x00\x00\x00\x00"
"""50 rows, 100 columns."""


def test_an_opening_tells_name_and_terminal_and_what_was_typed_already() -> None:
    assert opening(b"\0anna\0Anna B\0ansi-bbs/115200\0hi") == Opening(b"Anna B", "ansi-bbs", b"hi")
    assert opening(b"\0anna\0\0\0") == Opening(b"anna", "", b"")


def test_an_opening_is_waited_for_until_it_is_whole() -> None:
    whole = b"\0a\0b\0xterm/9600\0"
    assert [opening(whole[:cut]) for cut in range(len(whole))] == [None] * len(whole)
    assert opening(whole) == Opening(b"b", "xterm", b"")


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n", b"\xff\xfb\x18", b"\0" + b"a" * LONGEST])
def test_what_is_no_rlogin_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no rlogin"):
        opening(data)


@given(st.binary(max_size=60))
def test_no_bytes_break_it(data: bytes) -> None:
    try:
        opening(data)
    except ValueError:
        pass
    found = typed(data)
    assert len(found.data) + len(found.left) <= len(data)
    assert len(found.left) < len(SIZE)


def test_a_size_among_keys_is_taken_out() -> None:
    assert typed(b"ab" + SIZE + b"cd") == (b"abcd", (100, 50), b"")


def test_a_size_in_pieces_is_waited_for_and_loses_no_key() -> None:
    data = b"ab" + SIZE + b"cd"
    for cut in range(len(data) + 1):
        first = typed(data[:cut])
        second = typed(first.left + data[cut:])
        assert (first.data + second.data, first.size or second.size) == (b"abcd", (100, 50))
