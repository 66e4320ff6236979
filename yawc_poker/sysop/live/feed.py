"""Rows of an endless answer, as they come, for somebody who waits for other things as well.

Owns the bytes of a row that has not come whole. What is asked and how is `control.client`'s.
"""

import argparse
from collections.abc import Iterator

import msgspec

from yawc_poker.control.client import CannotAsk, Failed, connect
from yawc_poker.control.protocol import FAILED, AnyRequest, BadRequest, read_answer, write_request

_MOST = 1 << 20


class Feed:
    """One request to the running BBS, and its answer. Raise `CannotAsk` where none runs."""

    def __init__(self, chosen: argparse.Namespace, request: AnyRequest) -> None:
        self._connection = connect(chosen.data, chosen.timeout)
        self._read = bytearray()
        try:
            self._connection.sendall(write_request(request))
        except OSError as error:
            self._connection.close()
            raise CannotAsk(f"the BBS on {chosen.data} hung up: {error.strerror}") from None
        self._connection.setblocking(False)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._connection.fileno()

    def rows(self) -> Iterator[msgspec.Raw]:
        """Yield the rows that have come. Raise `Failed` at the end of the answer, whatever it is."""
        try:
            data = self._connection.recv(_MOST)
        except BlockingIOError:
            return
        except OSError as error:
            raise Failed(FAILED, f"the BBS hung up: {error.strerror}") from None
        if not data:
            raise Failed(FAILED, "the BBS ended")
        self._read += data
        while (end := self._read.find(b"\n")) >= 0:
            line = bytes(self._read[: end + 1])
            del self._read[: end + 1]
            yield from self._row(line)

    def _row(self, line: bytes) -> Iterator[msgspec.Raw]:
        try:
            answer = read_answer(line)
        except BadRequest as error:
            raise Failed(FAILED, str(error)) from None
        if isinstance(answer.end, int):
            raise Failed(answer.end or FAILED, answer.error or "the BBS ended")
        if isinstance(answer.row, msgspec.Raw):
            yield answer.row
