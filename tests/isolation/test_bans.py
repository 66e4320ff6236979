import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from telnetd.listener.admission import read_bans
from tests.isolation.stores import OpenUsers, with_clock
from yawc_poker.addresses import covers
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.bans import Ban, Bans, TooWide, network, remove_ban, write_ban


@pytest.mark.parametrize(
    ("text", "shortest"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7/32", "192.0.2.7"),
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("2001:db8::5/32", "2001:db8::/32"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
        ("fe80::1%eth0", "fe80::1"),
        ("Anna", None),
        ("1.2.3", None),
        ("192.0.2.7/33", None),
        ("", None),
    ],
)
def test_addresses_and_networks_have_one_form(text: str, shortest: str | None) -> None:
    assert network(text) == shortest


@pytest.mark.parametrize("text", ["0.0.0.0/0", "10.0.0.0/7", "::/0", "2000::/3", "::ffff:0.0.0.0/96"])
def test_half_the_world_is_not_banned_by_a_slip(text: str) -> None:
    with pytest.raises(TooWide):
        network(text)


@pytest.mark.parametrize(
    ("target", "address", "within"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.255", True),
        ("192.0.2.0/24", "192.0.3.0", False),
        ("192.0.2.0/24", "::ffff:192.0.2.9", True),
        ("2001:db8::/32", "2001:db8:ffff::1", True),
        ("2001:db8::/32", "192.0.2.7", False),
        ("192.0.2.0/24", "/dev/pts/3", False),
        ("192.0.2.0/24", "control", False),
    ],
)
def test_a_network_covers_its_addresses(target: str, address: str, within: bool) -> None:
    assert covers(target, address) is within


class Town:
    def __init__(self, folder: Path, open_users: OpenUsers) -> None:
        self.now = 1000.0
        self.accounts = Accounts(with_clock(open_users(), lambda: self.now))
        self.file = folder / "banned.json"
        self.bans = Bans(self.accounts.store, self.file)

    def ban(self, kind: str, target: str, until: float) -> None:
        with self.accounts.store.writing() as users:
            write_ban(users, Ban("name" if kind == "name" else "address", target, until, "because", "Sys", self.now))


@pytest.fixture
def town(tmp_path: Path, open_users: OpenUsers) -> Iterator[Town]:
    town = Town(tmp_path, open_users)
    yield town
    town.accounts.close()


def test_a_ban_holds_for_a_name_in_any_case_and_for_where_it_calls_from(town: Town) -> None:
    town.ban("name", "anna", 2000.0)
    town.ban("address", "192.0.2.0/24", math.inf)
    assert town.bans.of("Bodo", "198.51.100.1") is None
    assert town.bans.of("ANNA", "198.51.100.1") == Ban("name", "anna", 2000.0, "because", "Sys", 1000.0)
    found = town.bans.of("Anna", "192.0.2.5")
    assert found is not None
    assert found.until == math.inf, "the longest is told"


def test_a_ban_ends_by_itself_and_a_new_one_takes_its_place(town: Town) -> None:
    town.ban("name", "anna", 2000.0)
    town.ban("name", "anna", 1500.0)
    town.now = 1499.0
    assert [ban.until for ban in town.bans.all()] == [1500.0]
    town.now = 1500.0
    assert town.bans.all() == []
    assert town.bans.of("Anna", "") is None


def test_a_ban_is_lifted_once(town: Town) -> None:
    town.ban("name", "anna", math.inf)
    with town.accounts.store.writing() as users:
        assert not remove_ban(users, "address", "anna")
        assert remove_ban(users, "name", "anna")
        assert not remove_ban(users, "name", "anna")


def test_what_is_published_is_what_the_listener_reads(town: Town) -> None:
    town.ban("address", "192.0.2.0/24", math.inf)
    town.ban("address", "2001:db8::1", 2000.0)
    town.ban("address", "198.51.100.1", 900.0)
    town.ban("name", "anna", math.inf)
    town.bans.publish()
    assert json.loads(town.file.read_bytes()) == {"192.0.2.0/24": None, "2001:db8::1": 2000.0}
    read = read_bans(town.file)
    assert read.holds("192.0.2.77", 1e12)
    assert read.holds("2001:db8::1", 1999.0)
    assert not read.holds("2001:db8::1", 2000.0)
    assert not read.holds("198.51.100.1", 0.0)
