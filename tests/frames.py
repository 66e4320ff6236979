"""A WebSocket by hand, for clients that count time and take no library for it, and for hostile ones."""

from typing import Final

HANDSHAKE: Final = (
    b"GET /session HTTP/1.1\r\nHost: bbs\r\nOrigin: http://bbs\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: yawc.1\r\n\r\n"
)
"""The request of a page."""


def masked(payload: bytes, first: int = 0x82) -> bytes:
    """Return a frame of a browser's, of at most 125 bytes, with a mask of zeroes."""
    return bytes((first, 0x80 | len(payload))) + bytes(4) + payload


def server_frame(data: bytes) -> tuple[bytes, bytes] | None:
    """Return a frame's payload, whatever its kind, and what follows it; None: it is not whole."""
    if len(data) < 2:
        return None
    length, at = data[1], 2
    if length >= 126:
        wide = 2 if length == 126 else 8
        length, at = int.from_bytes(data[2 : 2 + wide], "big"), 2 + wide
    return (data[at : at + length], data[at + length :]) if len(data) >= at + length else None
