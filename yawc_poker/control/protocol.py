"""The language of the control socket: what `yawcctl` asks of a running BBS, and what it answers. Pure.

One JSON object a line, in UTF-8. The request is `{"do": "kick", "args": {"name": "Bert"}}`, once; then come any number
of `{"row": {...}}`, and last of all `{"end": 0}` or `{"end": 2, "error": "..."}`. The number is `yawcctl`'s exit code:
0 done, 1 the BBS refuses, 2 it could not be done. Owns the words and the arguments of requests; those of sysop actions
are `casino.moderation.actions`'s, those of extras their own. What answers a request is in `control.requests`.
"""

from typing import Annotated, ClassVar, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from yawc_poker.casino.moderation.actions import SYSOP_ACTIONS
from yawc_poker.casino.moderation.rows import Arguments, Name

SOCKET_FILE: Final = "control.sock"
LONGEST_REQUEST: Final = 65536
"""Bytes of a request with its end of line."""

DONE: Final = 0
REFUSED: Final = 1
FAILED: Final = 2

TableName = Annotated[str, Meta(min_length=1, max_length=40)]
"""As it is called everywhere: `poker 2`."""


class BadRequest(Exception):
    """A line is no request, or no answer; `str()` is one line that says why."""


# --- requests ---------------------------------------------------------------------------------------------------------


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request but for a sysop action; the fields are its arguments."""

    word: ClassVar[str]


class Status(Request, frozen=True):
    """The state of the BBS."""

    word = "status"


class Who(Request, frozen=True):
    """Every caller."""

    word = "who"


class ListTables(Request, frozen=True):
    """Every table, or (`all` false) those where somebody sits."""

    word = "tables"
    all: bool = False


class WatchTable(Request, frozen=True):
    """A table whenever it changes, and every `every` seconds in any case; or `once`."""

    word = "watch"
    table: TableName
    once: bool = False
    every: Annotated[float, Meta(ge=0.2)] | None = None


class ListBans(Request, frozen=True):
    """The bans in force."""

    word = "bans"


class ListWall(Request, frozen=True):
    """The lines on the wall, the oldest first."""

    word = "wall"


class ListActions(Request, frozen=True):
    """The latest acts of sysops, newest first; those done to one user."""

    word = "acts"
    name: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=100000)] = 50


class Backup(Request, frozen=True):
    """Both databases at one moment, into the file whose descriptor comes with the request (SCM_RIGHTS)."""

    word = "backup"


class UpgradeListener(Request, frozen=True):
    """The listener becomes the program that is installed now."""

    word = "upgrade"


class ReloadConfiguration(Request, frozen=True):
    """The listener reads the configuration again."""

    word = "reload"


class SysopRequest(NamedTuple):
    """A sysop action that is asked for."""

    word: str
    arguments: Arguments


AnyRequest: TypeAlias = Request | SysopRequest


def sysop_request(word: str, **arguments: object) -> SysopRequest:
    """Return a request for a sysop action; the process that reads it checks the arguments."""
    return SysopRequest(word, SYSOP_ACTIONS[word].fill(arguments))


def write_request(request: AnyRequest) -> bytes:
    """Return a request as a line, with its end."""
    arguments = request.arguments if isinstance(request, SysopRequest) else request
    return msgspec.json.encode({"do": request.word, "args": arguments}) + b"\n"


# --- answers ----------------------------------------------------------------------------------------------------------


class AnswerLine(msgspec.Struct, frozen=True, omit_defaults=True):
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


def write_answer(answer: AnswerLine) -> bytes:
    """Return an answer as a line, with its end."""
    return msgspec.json.encode(answer) + b"\n"


def read_answer(line: bytes) -> AnswerLine:
    """Return the answer that a line holds. Raise `BadRequest`."""
    try:
        return msgspec.json.decode(line, type=AnswerLine)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not an answer: {str(error)[:200]}") from None


def row(value: msgspec.Struct) -> AnswerLine:
    """Return a row as an answer."""
    return AnswerLine(row=Raw(msgspec.json.encode(value)))


def end(code: int, error: str = "") -> AnswerLine:
    """Return the last answer."""
    return AnswerLine(end=code, error=error)
