"""A caller's address in its one form, and the block of addresses that it counts for. Pure.

Owns how an address or a network is read and written. An IPv4 address mapped into IPv6 (RFC 4291, 2.5.5.2) is that IPv4
address; the zone of an IPv6 address ("%eth0") is dropped. What is no address (a terminal, a door's name) is None.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

IPV4_HOST: Final = 32
IPV6_HOUSEHOLD: Final = 64
"""Bits of an IPv6 prefix: a host has all addresses of its /64."""
_KEPT: Final = 4096
"""Addresses that are parsed once: each call asks several times."""
_MAPPED_BITS: Final = 96
"""Bits before the IPv4 address in a mapped one."""


@lru_cache(_KEPT)
def parse_address(text: str) -> Address | None:
    """Return the address that a text names, or None if it names none."""
    try:
        return _unmapped(ip_address(text.partition("%")[0]))
    except ValueError:
        return None


def parse_network(text: str) -> Network | None:
    """Return an address or ADDRESS/BITS as a network, without the bits beyond its prefix, or None if it is neither."""
    try:
        found = ip_network(text.partition("%")[0], strict=False)
    except ValueError:
        return None
    first = _unmapped(found.network_address)
    if found.prefixlen < _MAPPED_BITS or first is found.network_address:
        return found
    return ip_network((first, found.prefixlen - _MAPPED_BITS))


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return addresses and networks of the configuration as networks."""
    return tuple(filter(None, map(parse_network, texts)))


def is_among(text: str, networks: Iterable[Network]) -> bool:
    """Return whether a text names an address that lies in one of these networks."""
    found = parse_address(text)
    return found is not None and any(found in network for network in networks)


def write_network(network: Network) -> str:
    """Write a network in its shortest form: one of a single address is that address."""
    return str(network.network_address if network.num_addresses == 1 else network)


def block_of(text: str, ipv4_bits: int = IPV4_HOST, ipv6_bits: int = IPV6_HOUSEHOLD) -> str | None:
    """Return the block with a prefix of so many bits that an address lies in, or None if the text is no address."""
    address = parse_address(text)
    if address is None:
        return None
    bits = ipv4_bits if isinstance(address, IPv4Address) else ipv6_bits
    return write_network(ip_network((address, bits), strict=False))


def covers(target: str, address: str) -> bool:
    """Return whether an address (or network) lies in the address or network `target`."""
    outer, inner = parse_network(target), parse_network(address)
    return outer is not None and inner is not None and outer.version == inner.version and inner.network_address in outer


def _unmapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
