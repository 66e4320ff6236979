"""Banned addresses: what a list holds, and which files are none."""

from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from telnetd.listener.admission import NO_BANS, BansError, bans, read_bans

NOW = 1_790_000_000.0


@pytest.mark.parametrize(
    ("listed", "peer", "held"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.255", True),
        ("192.0.2.9/24", "192.0.2.1", True),
        ("192.0.2.0/24", "192.0.3.1", False),
        ("192.0.2.7/32", "192.0.2.7", True),
        ("2001:db8::/32", "2001:db8:1::1", True),
        ("2001:DB8:0:0::1", "2001:db8::1", True),
        ("2001:db8::/32", "192.0.2.7", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("::ffff:192.0.2.0/120", "192.0.2.200", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("fe80::/10", "fe80::1%eth0", True),
        ("fe80::1", "fe80::1%eth0", True),
        ("0.0.0.0/0", "203.0.113.1", True),
    ],
)
def test_an_address_is_banned_by_itself_or_by_its_network(listed: str, peer: str, held: bool) -> None:
    assert bans({listed: None}).holds(peer, NOW) is held


@pytest.mark.parametrize("listed", ["192.0.2.7", "192.0.2.0/28"])
def test_a_ban_ends_by_itself(listed: str) -> None:
    until = bans({listed: NOW})
    assert until.holds("192.0.2.7", NOW - 0.1)
    assert not until.holds("192.0.2.7", NOW)


@given(st.ip_addresses(), st.integers(0, 32))
def test_every_entry_of_the_list_covers_itself(address: IPv4Address | IPv6Address, prefix: int) -> None:
    assume(not (isinstance(address, IPv6Address) and address.ipv4_mapped))  # ::/0 is IPv6 only
    assert bans({f"{address}/{prefix}": None}).holds(str(address), NOW)
    assert not NO_BANS.holds(str(address), NOW)


def test_a_file_is_read_and_none_is_an_empty_list(tmp_path: Path) -> None:
    assert read_bans(tmp_path / "banned.json") == NO_BANS
    (tmp_path / "banned.json").write_text('{"192.0.2.7": 1790000001, "2001:db8::/32": null}')
    assert read_bans(tmp_path / "banned.json") == bans({"192.0.2.7": NOW + 1, "2001:db8::/32": None})


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", '{"192.0.2.7": "ever"}', '{"somewhere": null}', '{"192.0.2.7/33": null}', "\xff"]
)
def test_a_damaged_file_is_named_in_one_line(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "banned.json").write_text(damaged, encoding="latin-1")
    with pytest.raises(BansError, match=r"^[^\n]*banned\.json: [^\n]+$"):
        read_bans(tmp_path / "banned.json")


def test_a_caller_without_an_address_is_not_banned() -> None:
    assert not bans({"0.0.0.0/0": None, "::/0": None}).holds("wire", NOW)
