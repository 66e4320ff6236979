"""Keys of ssh that are tied to accounts."""

import base64
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, with_clock
from yawc_poker.casino.users.accounts import Accounts, write_closed, write_password
from yawc_poker.casino.users.keys import MOST_KEYS, Key, Keys, fingerprint

ANNA, BODO = 1, 2
KEY, OTHER, HOME = "SHA256:one", "SHA256:two", "192.0.2.1"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(open_users: OpenUsers, clock: Clock) -> Iterator[Accounts]:
    made = Accounts(with_clock(open_users(), clock))
    for name in ("Anna", "Bodo"):
        made.enrol(name, "no hash", "en")
    yield made
    made.close()


@pytest.fixture
def keys(accounts: Accounts) -> Keys:
    return Keys(accounts.store)


def test_a_key_is_tied_to_one_account_and_untied_by_its_owner_only(keys: Keys, clock: Clock) -> None:
    assert keys.owner(KEY) is None
    assert keys.tie(ANNA, KEY, HOME)
    assert not keys.tie(ANNA, KEY, HOME)
    assert not keys.tie(BODO, KEY, HOME)
    assert (keys.owner(KEY), keys.of(ANNA), keys.of(BODO)) == (ANNA, [Key(KEY, clock.now)], [])
    assert not keys.untie(BODO, KEY)
    assert keys.untie(ANNA, KEY)
    assert not keys.untie(ANNA, KEY)
    assert keys.tie(BODO, KEY, HOME)
    assert keys.owner(KEY) == BODO


def test_its_last_use_is_noted(keys: Keys, clock: Clock) -> None:
    keys.tie(ANNA, KEY, HOME)
    tied, clock.now = clock.now, clock.now + 5
    keys.used(KEY)
    keys.used(OTHER)
    assert keys.of(ANNA) == [Key(KEY, tied, tied + 5)]


def test_an_account_has_so_many_keys_and_a_strange_one_none(keys: Keys) -> None:
    assert all(keys.tie(ANNA, f"SHA256:{number}", HOME) for number in range(MOST_KEYS))
    assert not keys.tie(ANNA, KEY, HOME)
    assert keys.tie(BODO, KEY, HOME)
    assert not keys.tie(99, OTHER, HOME)
    assert len(keys.of(ANNA)) == MOST_KEYS


def test_a_new_password_and_a_closed_account_untie_all(accounts: Accounts, keys: Keys) -> None:
    keys.tie(ANNA, KEY, HOME)
    keys.tie(BODO, OTHER, HOME)
    with accounts.store.writing() as users:
        write_password(users, ANNA, "hash")
        write_closed(users, BODO, 10.0)
    assert (keys.owner(KEY), keys.owner(OTHER)) == (None, None)
    assert keys.tie(ANNA, KEY, HOME)
    assert not keys.tie(BODO, OTHER, HOME), "a closed account gets no key"


def public(kind: str, inner: str | None = None) -> str:
    name = (inner or kind).encode()
    return f"{kind} {base64.b64encode(struct.pack('>I', len(name)) + name + b'rest').decode()}"


def test_what_is_no_public_key_has_no_fingerprint() -> None:
    whole = public("ssh-ed25519")
    assert fingerprint(whole) == fingerprint(f"{whole} a comment\n") != ""
    assert fingerprint(whole) != fingerprint(public("ssh-rsa"))
    certificate = public("ssh-ed25519-cert-v01@openssh.com")
    for text in (
        "",
        " ",
        "ssh-ed25519",
        "ssh-ed25519 AAAA",
        "ssh-ed25519 !!!",
        public("ssh-rsa", "ssh-dss"),
        certificate,
    ):
        assert fingerprint(text) == "", text


@given(st.text())
def test_any_text_may_be_looked_at(text: str) -> None:
    assert fingerprint(text) == "" or fingerprint(text).startswith("SHA256:")
