"""Whose request a proxy passes on: X-Forwarded-For. Pure.

Nothing here is asked unless the connection comes from an address in `[web] proxies`: anybody can write such a header.
"""

from collections.abc import Sequence

from yawc_poker.addresses import Address, Network, parse_address


def forwarded_for(header: str, proxies: Sequence[Network]) -> str | None:
    """Return the address that an X-Forwarded-For header tells: the last one that is no proxy's. None: it tells none.

    Each proxy adds whom it was called by at the end, so what stands before the first stranger is the stranger's word.
    """
    told: str | None = None
    for part in reversed(header.split(",")):
        address = _address(part.strip())
        if address is None:
            return told
        told = str(address)
        if not any(address in network for network in proxies):
            return told
    return told


def _address(text: str) -> Address | None:
    """Return an address that may have a port behind it, and brackets around it."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    return parse_address(text)
