"""The protocol of rlogin (RFC 1282), a server's half. Pure.

Before anything else come a zero byte and three texts that end with one: the client's user, the server's user, and
terminal/speed. A zero byte answers. Later a window's size stands among what is typed: FF FF 's' 's', then rows, columns
and two more words.

Invariant: no bytes, however wrong, raise; at most `LONGEST` of an opening are kept.
"""

from typing import Final, NamedTuple

LONGEST: Final = 512
"""Bytes of an opening at most."""
_SIZE: Final = b"\xff\xffss"
_SIZE_BYTES: Final = 12


class Opening(NamedTuple):
    """What the other BBS says of its caller."""

    name: bytes
    """The name the caller has there: the one for the server, or else the client's own."""
    terminal: str
    """The terminal's name; empty: it was not told."""
    rest: bytes
    """What was typed already."""


def opening(data: bytes) -> Opening | None:
    """Return the opening that some bytes hold; None: there is more to come. Raise `ValueError` if it is none."""
    before, *told = data.split(b"\0", 4)
    is_whole = len(told) == 4
    if before or (not is_whole and len(data) > LONGEST):
        raise ValueError("no rlogin")
    if not is_whole:
        return None
    client, server, terminal, rest = told
    kind = terminal.partition(b"/")[0].decode("ascii", "replace")
    return Opening(server or client, "".join(filter(str.isprintable, kind))[:40], rest)


class Typed(NamedTuple):
    """What some bytes mean."""

    data: bytes
    size: tuple[int, int] | None
    """Columns and rows of the window, if they were told."""
    left: bytes
    """The beginning of something whose end is to come."""


def typed(data: bytes) -> Typed:
    """Take sizes of a window out of what was typed."""
    kept, size = b"", None
    while (at := data.find(_SIZE)) >= 0 and len(data) >= at + _SIZE_BYTES:
        rows, columns = (int.from_bytes(data[at + place : at + place + 2], "big") for place in (4, 6))
        size = (columns, rows)
        kept, data = kept + data[:at], data[at + _SIZE_BYTES :]
    left = at if at >= 0 else next((len(data) - many for many in (3, 2, 1) if data.endswith(_SIZE[:many])), len(data))
    return Typed(kept + data[:left], size, data[left:])
