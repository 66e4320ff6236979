"""A server's frames of a WebSocket, for clients that count time and take no library for it."""


def server_frame(data: bytes) -> tuple[bytes, bytes] | None:
    """Return a frame's payload, whatever its kind, and what follows it; None: it is not whole."""
    if len(data) < 2:
        return None
    length, at = data[1], 2
    if length >= 126:
        wide = 2 if length == 126 else 8
        length, at = int.from_bytes(data[2 : 2 + wide], "big"), 2 + wide
    return (data[at : at + length], data[at + length :]) if len(data) >= at + length else None
