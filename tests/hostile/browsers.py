"""What hostile callers do at the door for browsers; acts of `tests.hostile.villains`."""

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, cycle

from tests.frames import HANDSHAKE, masked
from tests.hostile.villains import Act, World, hold, opened, source_of

PREFIX = "browser: "
"""How the names of these acts begin."""
_HELLO = masked(b't{"columns": 80, "rows": 24}')
_HEAD = b"GET / HTTP/1.1\r\nHost: bbs\r\n"


def half_requests(world: World, number: int) -> None:
    """Send half of a request on a thousand connections, a byte now and then."""
    held: list[socket.socket] = []
    try:
        for index in range(1000):
            if world.is_over:
                break
            world.count("calls")
            held.append(opened(world.port, source_of(index % 250)))
        while not world.is_over:
            for one in held:
                with suppress(OSError):
                    world.count("bytes", one.send(b"G"))
            time.sleep(0.5)
        hold(world, held)
    finally:
        for one in held:
            one.close()


def requests(heads: tuple[bytes, ...]) -> Act:
    """Return the act of sending such requests, a new connection for each."""
    heads_in_turn = cycle(heads)

    def act(world: World, number: int) -> None:
        while not world.is_over:
            world.count("calls")
            with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), 5) as one:
                one.sendall(next(heads_in_turn))
                one.shutdown(socket.SHUT_WR)
                while heard := one.recv(65536):
                    world.count("bytes heard", len(heard))

    return act


def frames(pieces: Callable[[], Iterator[bytes]], *, reads: bool = True) -> Act:
    """Return the act of opening a session and sending such frames until it ends."""

    def act(world: World, number: int) -> None:
        world.count("calls")
        with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), 5) as one:
            one.sendall(HANDSHAKE + _HELLO)
            one.settimeout(1.0)
            for piece in pieces():
                if world.is_over:
                    return
                one.sendall(piece)
                world.count("bytes", len(piece))
                while reads and one.recv(65536, socket.MSG_DONTWAIT):
                    pass
        world.count("let go")

    return act


def endlessly(piece: bytes) -> Callable[[], Iterator[bytes]]:
    """Return what yields the same bytes for ever."""
    return lambda: cycle([piece * max(1, 16384 // len(piece))])


WEB_ACTS: dict[str, tuple[Act, int]] = {
    PREFIX + "a thousand half requests": (half_requests, 1),
    PREFIX + "the page, as fast as possible": (requests((_HEAD + b"\r\n",)), 3),
    PREFIX + "smuggled and broken requests": (
        requests(
            (
                _HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + _HEAD + b"\r\n",
                _HEAD + b"X: a\r\n b\r\n\r\n",
                _HEAD + b"Host: other\r\n\r\n",
                _HEAD + b"X: " + b"x" * 60000,
            )
        ),
        3,
    ),
    PREFIX + "pages of other sites": (requests((HANDSHAKE.replace(b"http://bbs", b"http://evil"),)), 3),
    PREFIX + "keys without end": (frames(endlessly(masked(b"dx"))), 3),
    PREFIX + "keys without end, without reading": (frames(endlessly(masked(b"d\r")), reads=False), 3),
    PREFIX + "windows without end, without reading": (
        frames(endlessly(masked(b"w\0\x50\0\x18") + masked(b"w\0\x51\0\x18")), reads=False),
        3,
    ),
    PREFIX + "pings without end": (frames(endlessly(masked(b"", 0x89))), 3),
    PREFIX + "fragments without end": (
        frames(lambda: chain([masked(b"d", 0x02)], endlessly(masked(b"", 0x00))())),
        3,
    ),
    PREFIX + "frames of 2^63 bytes": (frames(endlessly(b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1))), 3),
    PREFIX + "frames without a mask": (frames(endlessly(b"\x82\x02dx")), 3),
    PREFIX + "no UTF-8": (frames(endlessly(masked(b"d\xff"))), 3),
}
"""The acts by name, with the number of simultaneous hostile callers."""
