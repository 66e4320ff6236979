"""What opens an account besides its password: what becomes of it with a new one, and what its owner is told."""

import math
from collections.abc import Iterator

import pytest

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, with_clock
from yawc_poker.casino.users.accounts import Accounts, write_closed, write_password
from yawc_poker.casino.users.familiar import KEPT, KEPT_SECONDS, is_familiar, telling_alerts
from yawc_poker.casino.users.keys import Keys
from yawc_poker.casino.users.login_attempts import Attempts

ANNA, BODO = 1, 2
HOME, AWAY, ELSEWHERE = "192.0.2.1", "198.51.100.2", "203.0.113.3"
KEY, OTHER = "SHA256:one", "SHA256:two"


class Ground:
    """The accounts of Anna and Bodo, who call from places."""

    def __init__(self, accounts: Accounts, clock: Clock) -> None:
        self.accounts, self.clock = accounts, clock
        self.attempts, self.keys = Attempts(accounts.store), Keys(accounts.store)

    def log_in(self, origin: str, user: int = ANNA) -> list[tuple[str, str]]:
        """Log in from there, and return what is told: what, and from where or which key."""
        self.clock.now += 1
        self.attempts.succeeded(user, origin)
        last = self.accounts.seen(user, origin)
        with telling_alerts(self.accounts.store, user, origin, math.inf if last is None else last[0]) as alerts:
            return [(one.kind, one.detail or one.origin) for one in alerts]

    def knows(self, origin: str, user: int = ANNA) -> bool:
        with self.accounts.store.reading() as users:
            return is_familiar(users, user, origin)

    def rows(self, table: str) -> int:
        """Count what there is of Anna's."""
        with self.accounts.store.reading() as users:
            return int(users.execute(f"SELECT count(*) FROM {table} WHERE user = ?", (ANNA,)).fetchone()[0])


@pytest.fixture
def ground(open_users: OpenUsers) -> Iterator[Ground]:
    clock = Clock()
    accounts = Accounts(with_clock(open_users(), clock))
    for name in ("Anna", "Bodo"):
        accounts.enrol(name, "old", "en")
    yield Ground(accounts, clock)
    accounts.close()


# --- a new password ---------------------------------------------------------------------------------------------------


def test_ones_own_new_password_unties_keys_and_forgets_places(ground: Ground) -> None:
    for origin in (HOME, AWAY):
        ground.log_in(origin)
        ground.log_in(origin, BODO)
    for key, user in ((KEY, ANNA), (OTHER, ANNA), ("SHA256:Bodo's", BODO)):
        assert ground.keys.tie(user, key, AWAY)
    ground.attempts.turn(ANNA, ELSEWHERE)
    assert not ground.accounts.change_password(ANNA, "not the old one", "new", HOME)
    assert [one.fingerprint for one in ground.keys.of(ANNA)] == [KEY, OTHER]
    assert ground.accounts.change_password(ANNA, "old", "new", HOME, [OTHER])
    assert [one.fingerprint for one in ground.keys.of(ANNA)] == [OTHER]
    assert (ground.knows(HOME), ground.knows(AWAY)) == (True, False)
    assert ground.accounts.change_password(ANNA, "new", "newer", AWAY)
    assert ground.keys.of(ANNA) == []
    assert not ground.knows(HOME)
    assert [one.fingerprint for one in ground.keys.of(BODO)] == ["SHA256:Bodo's"]
    assert (ground.knows(HOME, BODO), ground.knows(AWAY, BODO)) == (True, True)
    assert [ground.attempts.turn(ANNA, ELSEWHERE) for _ in range(3)] == [0, 0, 1], "tries at the old one are over"


def test_a_password_by_a_sysop_leaves_nothing_that_opens_the_account(ground: Ground) -> None:
    ground.log_in(HOME)
    ground.keys.tie(ANNA, KEY, HOME)
    ground.attempts.turn(ANNA, HOME)
    with ground.accounts.store.writing() as users:
        write_password(users, ANNA, "new")
    assert [ground.rows(table) for table in ("key", "familiar", "guess")] == [0, 0, 0]


def test_a_closed_account_leaves_nothing(ground: Ground) -> None:
    ground.log_in(HOME)
    ground.keys.tie(ANNA, KEY, HOME)
    ground.attempts.turn(ANNA, HOME)
    with ground.accounts.store.writing() as users:
        write_closed(users, ANNA, 1.0)
    assert [ground.rows(table) for table in ("key", "familiar", "guess", "alert")] == [0, 0, 0, 0]
    ground.attempts.succeeded(ANNA, HOME)
    assert ground.rows("familiar") == 0


# --- what is told -----------------------------------------------------------------------------------------------------


def test_what_a_thief_did_is_told_to_the_owner_though_the_thief_read_it(ground: Ground) -> None:
    assert ground.log_in(HOME) == []
    assert ground.log_in(HOME) == []
    assert ground.log_in(AWAY) == [], "one knows where one is"
    ground.keys.tie(ANNA, KEY, AWAY)
    assert ground.log_in(AWAY) == [("key", KEY)]
    assert ground.log_in(HOME) == [("place", AWAY), ("key", KEY)]
    ground.accounts.change_password(ANNA, "old", "new", HOME)
    assert ground.log_in(HOME) == [("password", HOME)]
    assert ground.log_in(HOME) == []


def test_who_comes_to_a_new_place_reads_of_keys_and_passwords_but_not_of_all_places(ground: Ground) -> None:
    ground.log_in(HOME)
    for origin in (AWAY, ELSEWHERE):
        assert ground.log_in(origin) == []
    ground.keys.tie(ANNA, KEY, HOME)
    assert ground.log_in("192.0.2.99") == [("key", KEY)]
    assert ground.log_in("192.0.2.99") == []


def test_in_ipv6_a_household_is_one_place(ground: Ground) -> None:
    ground.log_in("2001:db8:1:2::1")
    ground.log_in("2001:db8:1:2::ffff")
    ground.log_in("2001:db8:1:3::1")
    assert ground.log_in("2001:db8:1:2::2") == [("place", "2001:db8:1:3::1")]


def test_alerts_that_were_not_read_to_the_end_are_told_again(ground: Ground) -> None:
    ground.log_in(HOME)
    ground.keys.tie(ANNA, KEY, HOME)
    with pytest.raises(ZeroDivisionError), telling_alerts(ground.accounts.store, ANNA, HOME, 0.0):
        raise ZeroDivisionError
    assert ground.log_in(HOME) == [("key", KEY)]


def test_many_places_hide_no_key_and_what_is_old_is_forgotten(ground: Ground) -> None:
    ground.log_in(HOME)
    ground.keys.tie(ANNA, KEY, AWAY)
    for number in range(2 * KEPT):
        ground.log_in(f"10.0.0.{number}")
    assert ground.rows("alert") == KEPT + 1
    assert ground.log_in(HOME) == [("key", KEY)], "this place was forgotten, and is new"
    ground.clock.now += KEPT_SECONDS
    ground.keys.tie(ANNA, OTHER, AWAY)
    assert ground.rows("alert") == 1


def test_alerts_of_one_user_are_numbered_in_their_order(ground: Ground) -> None:
    ground.log_in(HOME)
    ground.log_in(HOME, BODO)
    for number in range(3):
        ground.keys.tie(ANNA, f"SHA256:{number}", HOME)
        ground.keys.tie(BODO, f"SHA256:{number}'", HOME)
    assert ground.log_in(HOME) == [("key", f"SHA256:{number}") for number in range(3)]
    assert ground.log_in(HOME, BODO) == [("key", f"SHA256:{number}'") for number in range(3)]
