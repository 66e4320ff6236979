"""Valid new passwords."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.users.passwords import LENGTHS, bad_password, common_passwords, hashed, made_password, verified


@pytest.mark.parametrize(
    ("password", "name", "reason"),
    [
        ("1234567", "Anna", "too_short"),
        ("x" * 129, "Anna", "too_long"),
        ("tabs\there", "Anna", "bad_character"),
        ("sur\ud800rogate", "Anna", "bad_character"),
        ("Bernadette", "bernadette", "like_name"),
        ("ettedanreB", "Bernadette", "like_name"),
        ("anna1234", "Anna", "like_name"),
        ("2024anna!", "Anna", "like_name"),
        ("annaANNA", "Anna", "like_name"),
        ("jürgen99", "Jürgen", "like_name"),
        ("47114711", "4711", "like_name"),
        ("Password1", "Anna", "common"),
        ("12345678", "Anna", "common"),
        ("Sonnenschein", "Anna", "common"),
    ],
)
def test_these_are_no_passwords(password: str, name: str, reason: str) -> None:
    assert bad_password(password, name) == reason


@pytest.mark.parametrize(
    ("password", "name"),
    [
        ("secret-1", "Anna"),
        ("98765432", "Anna"),
        ("!!!!!!!!", "Anna"),
        ("hannah-anna-susanna", "Anna"),
        ("Zwetschgenknödel", "Anna"),
        ("x" * 128, "Anna"),
    ],
)
def test_these_are(password: str, name: str) -> None:
    assert bad_password(password, name) is None


def test_the_common_ones_are_a_hundred_and_long_enough_to_be_chosen() -> None:
    assert len(common_passwords()) == 100
    assert all(len(one) in LENGTHS and one == one.casefold() for one in common_passwords())


@given(st.text(min_size=2, max_size=20))
def test_one_that_is_made_by_chance_will_do_for_everybody(name: str) -> None:
    password = made_password()
    assert re.fullmatch(r"[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}", password)
    assert bad_password(password, name) is None
    assert made_password() != password


@pytest.mark.parametrize("password", ["", "x" * 129, "tab\there", "sur\ud800rogate"])
def test_what_could_never_be_a_password_fits_nothing(password: str) -> None:
    assert verified(hashed("secret-1"), password) is None
