"""Banned addresses from `banned.json` in the data directory, checked before the fork.

The session that bans writes the file (whole, then renamed), and the listener reads it when told to. Each entry is an
address or a network, banned until a time in epoch seconds, or for ever:
`{"192.0.2.7": 1790000000, "2001:db8::/32": null}`. Never writes the file, and never decides on its content.
"""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from yawc_poker.addresses import Address, Network, parse_address, parse_network


class BansError(Exception):
    """The file cannot be used; `str()` is one line with the reason."""


class AddressBans(NamedTuple):
    """The addresses that may not call, each until its time (epoch seconds)."""

    addresses: Mapping[Address, float]
    networks: Mapping[Network, float]

    def holds(self, peer: str, now: float) -> bool:
        """Return whether a caller from there is banned at this time; one without an address never is."""
        address = parse_address(peer)
        if address is None:
            return False
        if now < self.addresses.get(address, -inf):
            return True
        return any(now < until and address in network for network, until in self.networks.items())


NO_BANS: Final = AddressBans({}, {})


def bans(listed: Mapping[str, float | None]) -> AddressBans:
    """Return the bans on these addresses and networks; raise `ValueError` for an entry that is neither."""
    found = {_network(text): inf if until is None else until for text, until in listed.items()}
    return AddressBans(
        {one.network_address: until for one, until in found.items() if one.num_addresses == 1},
        {one: until for one, until in found.items() if one.num_addresses > 1},
    )


def read_bans(path: Path) -> AddressBans:
    """Return the bans in a file, none if there is no file; raise `BansError`."""
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
