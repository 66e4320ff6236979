"""The log line that other programs parse: no name can forge it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.session.menus.passwords import as_one_word

LINE = re.compile(r"login failed: user (\S+) from (\S+)")


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Anna", "Anna"),
        ("Jürgen (Ulm)", "Jürgen__Ulm_"),
        ("x from 1.2.3.4", "x_from_1_2_3_4"),
        ("a/b-c_d", "a_b-c_d"),
        ("10.0.0.1", "10_0_0_1"),
    ],
)
def test_a_name_is_one_word_and_no_address(name: str, word: str) -> None:
    assert as_one_word(name) == word


@given(st.text(max_size=200))
def test_no_name_forges_a_line_or_an_address(name: str) -> None:
    line = f"login failed: user {as_one_word(name)} from 192.0.2.7"
    assert len(line.splitlines()) == 1
    if name:
        found = LINE.fullmatch(line)
        assert found
        assert found[2] == "192.0.2.7"
    assert not re.search(r"\d\.\d|:\d|:\w*:", as_one_word(name))
