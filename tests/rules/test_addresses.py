"""A caller's address in its one form."""

import pytest

from yawc_poker.addresses import block_of, covers, parse_address, parse_network, write_network


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0::7", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("tty3", "None"),
        ("", "None"),
        ("192.0.2.0/24", "None"),
    ],
)
def test_an_address_has_one_form(text: str, written: str) -> None:
    assert str(parse_address(text)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("192.0.2.7/32", "192.0.2.7"),
        ("::ffff:192.0.2.7/120", "192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:0:0/80", "::/80"),
        ("2001:db8::/32", "2001:db8::/32"),
        ("2001:db8::1/128", "2001:db8::1"),
    ],
)
def test_a_network_has_one_form(text: str, written: str) -> None:
    network = parse_network(text)
    assert network is not None
    assert write_network(network) == written


@pytest.mark.parametrize("text", ["", "tty3", "192.0.2.7/33", "192.0.2.256", "2001:db8::/129"])
def test_what_is_no_network_is_none(text: str) -> None:
    assert parse_network(text) is None
    assert not covers(text, "192.0.2.7")
    assert not covers("192.0.2.0/24", text)


def test_an_address_counts_for_its_block() -> None:
    assert block_of("192.0.2.7") == block_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert block_of("2001:db8::7") == "2001:db8::/64"
    assert block_of("192.0.2.7", 24, 48) == block_of("::ffff:192.0.2.7", 24, 48) == "192.0.2.0/24"
    assert block_of("2001:db8:0:9::7", 24, 48) == "2001:db8::/48"
    assert block_of("terminal") is None
