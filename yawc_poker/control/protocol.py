"""What the sysop's tool asks of a running BBS, and what it is told: the language of the control socket. Pure.

One JSON object a line, in UTF-8. The request is `{"do": "kick", "args": {"name": "Bert"}}`, once; then come any number
of `{"row": {...}}`, and last of all `{"end": 0}` or `{"end": 2, "error": "..."}`. The number is `yawcctl`'s exit code:
0 done, 1 the BBS refuses, 2 it could not be done. Owns which requests there are and the types of
their arguments; what each of them does is the session layer's business (`control/server.py`).
"""

from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from yawc_poker.durations import LONGEST_DAYS

SOCKET_FILE: Final = "control.sock"
LONGEST_REQUEST: Final = 65536
"""Bytes of a request with its end of line."""

DONE: Final = 0
REFUSED: Final = 1
FAILED: Final = 2

Name = Annotated[str, Meta(min_length=1, max_length=80)]
Target = Annotated[str, Meta(min_length=1, max_length=80)]
Text = Annotated[str, Meta(max_length=1000)]
Span = Annotated[float, Meta(gt=0, le=LONGEST_DAYS * 86400)] | None
"""Seconds; None: for ever. No more than can be written as a date: a longer ban would end each login by a bug."""
BanKind = Literal["name", "address"]
TableNumber = Annotated[int, Meta(ge=1, le=65535)]
"""As people count them, from 1."""


class BadRequest(Exception):
    """That is no request; `str()` is one line that says why."""


# --- requests ---------------------------------------------------------------------------------------------------------


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something a sysop asks for; the fields are its arguments."""

    word: ClassVar[str]
    enters: ClassVar[bool] = True
    """It takes a place in the directory. One that takes no lock needs none, and works when none is to be had."""


class Status(Request, frozen=True):
    """How the BBS fares."""

    word = "status"
    enters = False


class Who(Request, frozen=True):
    """Every caller."""

    word = "who"
    enters = False


class ListTables(Request, frozen=True):
    """Every table, or (`all` false) those where somebody sits."""

    word = "tables"
    enters = False
    all: bool = False


class WatchTable(Request, frozen=True):
    """A table whenever it changes, and every so many seconds though it does not; or `once`."""

    word = "watch"
    enters = False
    table: TableNumber
    once: bool = False
    every: Annotated[float, Meta(ge=0.2)] | None = None


class SayToAll(Request, frozen=True):
    """A line for everybody."""

    word = "say"
    text: Text


class Kick(Request, frozen=True):
    """A user's session ends."""

    word = "kick"
    name: Name
    reason: Text


class BanTarget(Request, frozen=True):
    """A name, an address or a network is shut out for so many seconds, None: for ever."""

    word = "ban"
    target: Target
    reason: Text
    seconds: Span
    kind: BanKind | None = None


class Unban(Request, frozen=True):
    """A ban is lifted."""

    word = "unban"
    target: Target
    reason: Text = ""
    kind: BanKind | None = None


class ListBans(Request, frozen=True):
    """The bans in force."""

    word = "bans"


class Warn(Request, frozen=True):
    """A user is warned."""

    word = "warn"
    name: Name
    reason: Text


class Twit(Request, frozen=True):
    """A user may not write to others for so many seconds, None: for ever."""

    word = "twit"
    name: Name
    reason: Text
    seconds: Span


class Untwit(Request, frozen=True):
    """A user may write to others again."""

    word = "untwit"
    name: Name
    reason: Text = ""


class Password(Request, frozen=True):
    """A user gets a new password, which the answer tells, and has to change it at the next login."""

    word = "password"
    name: Name
    reason: Text = ""


class Delete(Request, frozen=True):
    """An account is closed for good."""

    word = "delete"
    name: Name
    reason: Text


class GrantCubes(Request, frozen=True):
    """A user is given CUBES."""

    word = "grant"
    name: Name
    cubes: int
    reason: Text


class TakeCubes(Request, frozen=True):
    """CUBES are taken from a user."""

    word = "take"
    name: Name
    cubes: int
    reason: Text


class Sysop(Request, frozen=True):
    """A user becomes a sysop, or is one no more."""

    word = "sysop"
    name: Name
    on: bool
    reason: Text = ""


class ListActions(Request, frozen=True):
    """The latest acts of sysops, newest first; those done to one user."""

    word = "acts"
    name: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=100000)] = 50


class Backup(Request, frozen=True):
    """Both databases at one moment, into the file whose descriptor comes with the request (SCM_RIGHTS)."""

    word = "backup"


class Upgrade(Request, frozen=True):
    """The listener becomes the program that is installed now."""

    word = "upgrade"
    enters = False


class Reload(Request, frozen=True):
    """The listener reads the configuration again."""

    word = "reload"
    enters = False


_ALL = (
    *(Status, Who, ListTables, WatchTable),
    *(
        SayToAll,
        Kick,
        BanTarget,
        Unban,
        ListBans,
        Warn,
        Twit,
        Untwit,
        Password,
        Delete,
        GrantCubes,
        TakeCubes,
        Sysop,
        ListActions,
    ),
    *(Backup, Upgrade, Reload),
)
REQUESTS: Final[dict[str, type[Request]]] = {one.word: one for one in _ALL}


class _RequestLine(msgspec.Struct, forbid_unknown_fields=True):
    do: str
    args: Raw = Raw(b"{}")


def read_request(line: bytes) -> Request:
    """Read a request; raises `BadRequest`."""
    try:
        request = msgspec.json.decode(line, type=_RequestLine)
        kind = REQUESTS.get(request.do)
        if kind is not None:
            return msgspec.json.decode(request.args, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not a request: {str(error)[:200]}") from None
    raise BadRequest(f"no such order: {request.do[:40]!r}; there are {', '.join(REQUESTS)}")


def write_request(request: Request) -> bytes:
    """Write a request, with its end of line."""
    return msgspec.json.encode({"do": request.word, "args": request}) + b"\n"


# --- answers ----------------------------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of what comes back: just one of `row` and `end` is there."""

    row: Raw | UnsetType = UNSET
    end: Annotated[int, Meta(ge=0, le=2)] | UnsetType = UNSET
    error: str = ""


class Upgraded(msgspec.Struct, frozen=True):
    """The listener is another program, perhaps of the same version."""

    before: str
    after: str
    """As the new program's check said."""
    seconds: float
    """From the signal until the new program was ready."""


class Reloaded(msgspec.Struct, frozen=True):
    """The configuration was read again."""

    seconds: float


def write_answer(answer: Answer) -> bytes:
    """Write an answer, with its end of line."""
    return msgspec.json.encode(answer) + b"\n"


def read_answer(line: bytes) -> Answer:
    """Read an answer; raises `BadRequest`."""
    try:
        return msgspec.json.decode(line, type=Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not an answer: {str(error)[:200]}") from None


def row(value: msgspec.Struct) -> Answer:
    """Give a row as an answer."""
    return Answer(row=Raw(msgspec.json.encode(value)))


def end(code: int, error: str = "") -> Answer:
    """Give the last line."""
    return Answer(end=code, error=error)
