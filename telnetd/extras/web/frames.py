"""The frames of a session by WebSocket (subprotocol `yawc.1`): one byte of kind, then the payload. Pure.

README.md has the table of all kinds. Whatever is no frame of the page's is a `Violation`, which ends that
connection.
"""

import re
import struct
from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from telnetd.telnet.options import SIDE_LIMIT
from yawc_poker.page.protocol import Area, NextGame, Offers

SUBPROTOCOL: Final = "yawc.1"
LIMIT: Final = 4096
"""Bytes of a frame from the page, after it was put together."""

ENDED: Final = 1000
"""Close codes, here and below: the session has ended."""
CLOSES_DOWN: Final = 1001
PROTOCOL_ERROR: Final = 1002
NOT_UNDERSTOOD: Final = 1003
MALFORMED: Final = 1007
REFUSED: Final = 1008
TOO_LONG: Final = 1009
TRY_AGAIN: Final = 1013
TAKEN_OVER: Final = 4000
UNKNOWN_TOKEN: Final = 4001

TOKEN_BYTES: Final = 24
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}")
_DIGEST: Final = re.compile(rb"[0-9a-f]{64}")
_OPENED: Final = re.compile(rb"[!-~]{1,64}")
_ADDRESS: Final = re.compile(r"https?://[!-~]{1,200}/")
_LAST_MESSAGE: Final = 2**53 - 1
"""The largest whole number that a page can count to."""
_LONGEST_MESSAGE: Final = 2000
_LONGEST_TITLE: Final = 120


class Violation(Exception):
    """The page breaks the protocol, or is refused; the connection ends with `code`."""

    def __init__(self, code: int, reason: str) -> None:
        """`reason` is a few words for the log."""
        super().__init__(reason)
        self.code = code


class Terminal(msgspec.Struct, frozen=True):
    """What a page tells of its terminal."""

    kind: str = ""
    language: str = ""
    columns: int = 80
    rows: int = 24
    place: str = ""
    """The table that the page's link leads to."""
    invitation: str = ""
    """The token of an invitation, which the link has instead."""
    address: str = ""
    """Where the page is: a whole address up to its last slash."""
    heard: int = 0
    """The number of the last message that the page shows; 0: it shows none, as after it was loaded anew."""


class Hello(msgspec.Struct, frozen=True):
    """`t`: a new session begins."""

    terminal: Terminal


class Resume(msgspec.Struct, frozen=True):
    """`s`: the session that this token belongs to goes on."""

    token: str
    terminal: Terminal


class Typed(msgspec.Struct, frozen=True):
    """`d`: what was typed, in UTF-8."""

    data: bytes


class Window(msgspec.Struct, frozen=True):
    """`w`: the size of the terminal."""

    columns: int
    rows: int


class Visible(msgspec.Struct, frozen=True):
    """`v`: whether the page can be seen."""

    is_visible: bool


class Committed(msgspec.Struct, frozen=True):
    """`c`: the SHA-256 of a text that the page has drawn for the next game."""

    digest: str


class Opened(msgspec.Struct, frozen=True):
    """`o`: that text, which is revealed."""

    text: str


FromPage: TypeAlias = Hello | Resume | Typed | Window | Visible | Committed | Opened


def read(frame: bytes) -> FromPage:
    """Return a frame of the page's. Raise `Violation`."""
    kind, payload = frame[:1], frame[1:]
    match kind:
        case b"t":
            return Hello(_terminal(payload))
        case b"s":
            token, _, told = payload.partition(b"\n")
            return Resume(_token(token), _terminal(told))
        case b"d":
            _text(payload)
            return Typed(payload)
        case b"w":
            return _window(payload)
        case b"v":
            if payload not in {b"\x00", b"\x01"}:
                raise Violation(MALFORMED, "no byte of 0 or 1 in frame v")
            return Visible(payload == b"\x01")
        case b"c":
            if not _DIGEST.fullmatch(payload):
                raise Violation(MALFORMED, "no SHA-256 in frame c")
            return Committed(payload.decode())
        case b"o":
            if not _OPENED.fullmatch(payload):
                raise Violation(MALFORMED, "no text in frame o")
            return Opened(payload.decode())
        case _:
            raise Violation(NOT_UNDERSTOOD, "a frame of an unknown kind")


def side(cells: int) -> int:
    """Return columns or rows within the bounds that all lines have."""
    return max(1, min(cells, SIDE_LIMIT))


def _terminal(payload: bytes) -> Terminal:
    try:
        told = msgspec.json.decode(payload, type=Terminal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Violation(MALFORMED, "no description of a terminal") from None
    return Terminal(
        told.kind[:40],
        told.language[:40],
        side(told.columns),
        side(told.rows),
        told.place[:40],
        told.invitation[:40],
        told.address if _ADDRESS.fullmatch(told.address) else "",
        max(0, min(told.heard, _LAST_MESSAGE)),
    )


def _token(payload: bytes) -> str:
    text = payload.decode("latin-1")
    if not _TOKEN.fullmatch(text):
        raise Violation(MALFORMED, "no token in frame s")
    return text


def _text(payload: bytes) -> None:
    try:
        payload.decode()
    except UnicodeDecodeError:
        raise Violation(MALFORMED, "no UTF-8 in frame d") from None


def _window(payload: bytes) -> Window:
    if len(payload) != 4:
        raise Violation(MALFORMED, "no size in frame w")
    columns, rows = struct.unpack("!HH", payload)
    return Window(side(columns), side(rows))


# --- to the page ------------------------------------------------------------------------------------------------------


def text(data: bytes | bytearray) -> bytes:
    """Return `d`: bytes for the terminal."""
    return b"d" + data


def keys(offers: Offers) -> bytes:
    """Return `k`: the keys that mean something now."""
    return b"k" + msgspec.json.encode(offers)


def areas(shown: tuple[Area, ...]) -> bytes:
    """Return `a`: the cells of the screen that mean a key when they are touched."""
    return b"a" + msgspec.json.encode(shown)


def message(words: str, style: str, number: int) -> bytes:
    """Return `m`: what happened, in words; the messages of a session are numbered from 1."""
    return b"m" + msgspec.json.encode({"text": words[:_LONGEST_MESSAGE], "style": style, "number": number})


def history(messages: Iterable[bytes]) -> bytes:
    """Return `h`: messages of before (frames `m`), which are shown and not spoken."""
    return b"h[" + b",".join(frame[1:] for frame in messages) + b"]"


def token(secret: str) -> bytes:
    """Return `r`: the token by which the session goes on if the line breaks."""
    return b"r" + secret.encode("ascii")


def notice(words: str) -> bytes:
    """Return `n`: a call to somebody who does not look at the page."""
    return b"n" + msgspec.json.encode({"text": words[:_LONGEST_TITLE]})


def title(words: str) -> bytes:
    """Return `b`: where the caller is."""
    return b"b" + msgspec.json.encode({"title": words[:_LONGEST_TITLE]})


def shared(link: str) -> bytes:
    """Return `q`: a link for others."""
    return b"q" + msgspec.json.encode({"link": link})


def drawn(words: str, svg: str) -> bytes:
    """Return `g`: a drawing."""
    return b"g" + msgspec.json.encode({"title": words[:_LONGEST_TITLE], "svg": svg})


def next_game(told: NextGame) -> bytes:
    """Return `c`: what is sealed for the next game, and what this player is committed to."""
    return b"c" + msgspec.json.encode(told)


def language(code: str) -> bytes:
    """Return `l`: the session's language."""
    return b"l" + code.encode("ascii")
