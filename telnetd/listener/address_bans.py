"""Banned addresses, as `banned.json` in the data directory lists them: looked up before anybody is forked.

The file is written by whoever bans (whole, then renamed), and read here when the listener is told to look:
`{"192.0.2.7": 1790000000, "2001:db8::/32": null}`, an address or a network each, banned until then (epoch seconds), or
for good. Never writes it; what stands in it is decided elsewhere.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAPPED_PREFIX = 96
"""Bits before the IPv4 address in an IPv6 one (RFC 4291, 2.5.5.2)."""


class BansError(Exception):
    """The file cannot be used; `str()` is one line that says why."""


class AddressBans(NamedTuple):
    """The addresses that may not call, each until its time (epoch seconds)."""

    addresses: Mapping[Address, float]
    networks: Mapping[Network, float]

    def holds(self, peer: str, now: float) -> bool:
        """Say whether whoever calls from there at this time is banned; who has no address never is."""
        try:
            address = _plain(ip_address(peer.partition("%")[0]))
        except ValueError:
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
    """Read an address or a network; bits set beyond its prefix do not matter."""
    network = ip_network(text, strict=False)
    mapped = _plain(network.network_address)
    if mapped is network.network_address or network.prefixlen < _MAPPED_PREFIX:
        return network
    return ip_network((mapped, network.prefixlen - _MAPPED_PREFIX), strict=False)


def _plain(address: Address) -> Address:
    """An IPv4 address inside IPv6 is still an IPv4 address."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
