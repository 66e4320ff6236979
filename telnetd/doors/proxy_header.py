"""Whose call a proxy passes on: the header of the PROXY protocol, versions 1 and 2, that begins a connection. Pure.

Nothing here is asked unless the connection comes from a proxy's address: anybody can write such a header.
"""

import re
import struct
from typing import Final, NamedTuple

from yawc_poker.addresses import parse_address

SIGNATURE: Final = b"\r\n\r\n\x00\r\nQUIT\n"
"""How a header of version 2 begins."""
LONGEST: Final = 536
"""Bytes of a header: an address and what proxies usually add."""
_FIRST: Final = b"PROXY "
_LONGEST_FIRST: Final = 107
_KINDS: Final = {"TCP4": re.compile(r"[0-9.]+"), "TCP6": re.compile(r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")}
"""The characters of addresses, which have no zone and no blanks around them."""
_PORT: Final = re.compile(r"0|[1-9][0-9]{0,4}")
_LAST_PORT: Final = 65535
_HEAD: Final = 16
_UNKNOWN, _UNIX = 0x00, 0x31
_FAMILIES: Final = {0x11: 4, 0x21: 16}
"""Bytes of an address, by the byte for family and protocol: TCP over IPv4 and IPv6."""
_UNIX_BYTES: Final = 216


class BadHeader(Exception):
    """A header that cannot be read; `str()` is one line."""


class ProxyHeader(NamedTuple):
    """What stands at the beginning of a connection."""

    length: int
    """Bytes of the header; 0: there is none."""
    address: str | None
    """The caller's, or None if the proxy does not tell, as when it calls for itself."""


NO_HEADER: Final = ProxyHeader(0, None)


def proxy_header(data: bytes) -> ProxyHeader | None:
    """Return the header at the beginning of these bytes, or None if more of them are needed. Raise `BadHeader`.

    It is known from `LONGEST` bytes, or fewer.
    """
    if data.startswith(SIGNATURE):
        return _second(data)
    if data.startswith(_FIRST):
        return _first(data)
    is_begun = SIGNATURE.startswith(data) or _FIRST.startswith(data)
    return None if is_begun else NO_HEADER


def _first(data: bytes) -> ProxyHeader | None:
    line, end, _ = data.partition(b"\r\n")
    if len(line) + 2 > _LONGEST_FIRST:
        raise BadHeader("the PROXY line is too long")
    if not end:
        return None
    length, words = len(line) + 2, line.decode("latin-1").split(" ")
    if words[1] == "UNKNOWN":
        return ProxyHeader(length, None)
    if len(words) != 6 or words[1] not in _KINDS or not all(map(_PORT.fullmatch, words[4:])):
        raise BadHeader("the PROXY line has no address")
    address, _ = found = [parse_address(word) if _KINDS[words[1]].fullmatch(word) else None for word in words[2:4]]
    if None in found or max(map(int, words[4:])) > _LAST_PORT:
        raise BadHeader("the PROXY line has no address")
    return ProxyHeader(length, str(address))


def _second(data: bytes) -> ProxyHeader | None:
    if len(data) < _HEAD:
        return None
    version, family, length = struct.unpack_from("!BBH", data, len(SIGNATURE))
    if version not in {0x20, 0x21}:
        raise BadHeader("the PROXY header has an unknown version")
    if _HEAD + length > LONGEST:
        raise BadHeader("the PROXY header is too long")
    if len(data) < _HEAD + length:
        return None
    if version == 0x20 or family == _UNKNOWN or (family == _UNIX and length >= _UNIX_BYTES):
        return ProxyHeader(_HEAD + length, None)
    size = _FAMILIES.get(family)
    if size is None or length < 2 * size + 4:
        raise BadHeader("the PROXY header has no address")
    return ProxyHeader(_HEAD + length, _packed(data[_HEAD : _HEAD + size]))


def _packed(address: bytes) -> str | None:
    text = ".".join(map(str, address)) if len(address) == 4 else address.hex(":", 2)
    found = parse_address(text)
    return None if found is None else str(found)
