"""Banned addresses, as `banned.json` in the data directory lists them: looked up before anybody is forked.

The file is written by whoever bans (whole, then renamed), and read here when the listener is told to look:
`{"192.0.2.7": 1790000000, "2001:db8::/32": null}`, an address or a network each, banned until then (epoch seconds), or
for good. Never writes it; what stands in it is decided elsewhere.
"""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from yawc_poker.addresses import Address, Network, parse_address, parse_network


class BansError(Exception):
    """The file cannot be used; `str()` is one line that says why."""


class AddressBans(NamedTuple):
    """The addresses that may not call, each until its time (epoch seconds)."""

    addresses: Mapping[Address, float]
    networks: Mapping[Network, float]

    def holds(self, peer: str, now: float) -> bool:
        """Say whether whoever calls from there at this time is banned; who has no address never is."""
        address = parse_address(peer)
        if address is None:
            return False
        if now < self.addresses.get(address, -inf):
            return True
        return any(now < until and address in network for network, until in self.networks.items())


NO_BANS: Final = AddressBans({}, {})


def bans(listed: Mapping[str, float | None]) -> AddressBans:
    """Take a list of addresses and networks; raises `ValueError` for what is neither."""
    found = {_network(text): inf if until is None else until for text, until in listed.items()}
    return AddressBans(
        {one.network_address: until for one, until in found.items() if one.num_addresses == 1},
        {one: until for one, until in found.items() if one.num_addresses > 1},
    )


def read_bans(path: Path) -> AddressBans:
    """Read the list; without a file it is empty. Raises `BansError`."""
    try:
        return bans(msgspec.json.decode(path.read_bytes(), type=dict[str, float | None]))
    except FileNotFoundError:
        return NO_BANS
    except OSError as error:
        raise BansError(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise BansError(f"{path}: {error}") from None


def _network(text: str) -> Network:
    network = parse_network(text)
    if network is None:
        raise ValueError(f"{text!r} does not appear to be an IPv4 or IPv6 network")
    return network
