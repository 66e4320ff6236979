"""A caller behind a pseudo-terminal: inetutils' telnet, or `yawc-poker` itself, with pyte as his eye."""

import os
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

import pexpect

from tests.end_to_end.bbs import DEADLINE, Caller


class PtyCaller(Caller):
    """A program on an 80x24 terminal of its own."""

    def __init__(
        self,
        command: Sequence[str],
        kind: str = "xterm-256color",
        locale: Mapping[str, str] | None = None,
        *,
        size: tuple[int, int] = (24, 80),
    ) -> None:
        """`locale` are its variables, instead of the tests' own; `size` is the terminal's, lines and columns."""
        super().__init__(name=command[0])
        others = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        environment = others | {"TERM": kind} | ({"LC_ALL": "C.UTF-8"} if locale is None else dict(locale))
        self.program: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            list(command[1:]),
            dimensions=size,
            env=environment,
            timeout=DEADLINE,
            preexec_fn=partial(termios.tcsetwinsize, 0, size),  # the parent sets it, too, but perhaps later
        )
        self.program.delaybeforesend = None

    def send(self, data: bytes | str) -> None:
        self.program.send(data.encode() if isinstance(data, str) else data)

    def line(self, text: str) -> None:
        self.send(text + "\r")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.program.setwinsize(rows, columns)

    def hang_up(self) -> None:
        with suppress(pexpect.ExceptionPexpect):  # it was killed, and does not run to its end at once on a busy machine
            self.program.close(force=True)
        self.is_open = False

    def fileno(self) -> int:
        return int(self.program.fileno())

    def exit_code(self) -> int | None:
        """Wait for the program's end and give its exit code; None if a signal ended it."""
        self.ended()
        self.program.close()
        return self.program.exitstatus

    def _taken(self, seconds: float) -> bytes | None:
        try:
            return bytes(self.program.read_nonblocking(65536, max(0.0, seconds)))
        except pexpect.TIMEOUT:
            return None
        except pexpect.EOF:
            return b""
