"""The client's end of the control socket: ask the running BBS, and report clearly if none can be asked.

Owns the connection, how long an answer is waited for, and why there is none. The language is `control.protocol`.
"""

import argparse
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

import msgspec
from msgspec import Raw

from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.control import protocol
from yawc_poker.ipc.segment import NoSegment, SegmentError, segment_name

ANSWER_SECONDS = 60.0
"""How long the next line of an answer is waited for; a sysop action may wait 30 s for a lock, then for a session."""
_ADDRESS_BYTES = 107
"""Bytes that a Unix socket's address holds."""

AnswerT = TypeVar("AnswerT")


class CannotAsk(Exception):
    """No BBS can be asked; `str()` is one line that says why."""


class NoBbs(CannotAsk):
    """No BBS runs on this data directory."""


class Failed(Exception):
    """The BBS has not done it; `code` is the exit code: 1 it refuses, 2 it could not."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def ask(
    chosen: argparse.Namespace, request: protocol.AnyRequest, kind: type[AnswerT], *, endless: bool = False
) -> Iterator[AnswerT]:
    """Ask the BBS of the data directory that was chosen, and yield the rows as they come.

    Each row may take as long as `--timeout` says; if `endless`, only the first one. Raise `CannotAsk` and `Failed`, the
    latter perhaps after some rows.
    """
    with asked(chosen.data, request, chosen.timeout, endless=endless) as answers:
        for answer in answers:
            yield read(answer, kind)


def read(answer: Raw, kind: type[AnswerT]) -> AnswerT:
    """Return a row as a value. Raise `Failed`."""
    try:
        return msgspec.json.decode(answer, type=kind)
    except msgspec.DecodeError as error:
        raise Failed(protocol.FAILED, f"the BBS is of another version than this yawcctl: {error}") from None


@contextmanager
def asked(
    data: Path, request: protocol.AnyRequest, seconds: float, *, endless: bool = False, descriptor: int | None = None
) -> Iterator[Iterator[Raw]]:
    """Ask, and yield the rows as they were sent; a `descriptor` goes along. The end of the block hangs up."""
    with connect(data, seconds) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # refused already: the reason is there to be read
            socket.send_fds(connection, [protocol.write_request(request)], [] if descriptor is None else [descriptor])
        yield _rows(connection, data, endless)


def connect(data: Path, seconds: float) -> socket.socket:
    """Connect to the listener. Raise `CannotAsk`."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    try:
        with ExitStack() as stack:
            connection.connect(_address(data, stack))
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        connection.close()
        raise _nobody(data) from None
    except OSError as error:
        connection.close()
        raise CannotAsk(f"{data / protocol.SOCKET_FILE}: {error.strerror or error}") from None
    return connection


def _address(data: Path, stack: ExitStack) -> str:
    """Return the socket's address; a long one by way of its folder's descriptor."""
    path = str(data / protocol.SOCKET_FILE)
    if len(os.fsencode(path)) <= _ADDRESS_BYTES:
        return path
    folder = os.open(data, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    stack.callback(os.close, folder)
    return f"/proc/self/fd/{folder}/{protocol.SOCKET_FILE}"


def _rows(connection: socket.socket, data: Path, endless: bool) -> Iterator[Raw]:
    """Yield rows until the end. Raise `Failed` if that is an error, or does not come."""
    with connection.makefile("rb") as lines:
        while True:
            answer = _next(lines, data)
            if isinstance(answer.end, int):
                if answer.end:
                    raise Failed(answer.end, answer.error)
                return
            if isinstance(answer.row, Raw):
                yield answer.row
            if endless:
                connection.settimeout(None)


def _next(lines: IO[bytes], data: Path) -> protocol.AnswerLine:
    try:
        line = lines.readline()
    except TimeoutError:
        raise Failed(protocol.FAILED, f"the BBS on {data} does not answer") from None
    except OSError as error:
        raise Failed(protocol.FAILED, f"the BBS on {data} hung up: {error.strerror}") from None
    if not line:
        raise Failed(protocol.FAILED, f"the BBS on {data} ended before it had answered")
    try:
        return protocol.read_answer(line)
    except protocol.BadRequest as error:
        raise Failed(protocol.FAILED, str(error)) from None


def _nobody(data: Path) -> CannotAsk:
    """Return why nobody answers: there is no BBS, or only its listener is missing."""
    try:
        seen = Snapshot.at(segment_name(data))
    except NoSegment:
        return NoBbs(f"no BBS runs on {data}")
    except SegmentError as error:
        return CannotAsk(str(error))
    if seen.is_served and seen.listener is not None:
        return CannotAsk(
            f"listener {seen.listener.pid} of {data} has no control socket: it is starting, or of another version"
        )
    if seen.living_here:
        return CannotAsk(f"no listener runs on {data}, but {seen.living_here} sessions live: start yawc-telnetd again")
    return NoBbs(f"no BBS runs on {data}")
