"""Real child processes for the tests, which never outlive the test."""

import os
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Child:
    """A forked process; its output (bytes) comes through a pipe."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self._pipe = pipe
        self._status: int | None = None

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def kill(self) -> None:
        """Kill and reap."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._status = os.waitpid(self.pid, 0)[1]

    def die_unreaped(self) -> None:
        """Kill, and leave the zombie."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def hear(self) -> str:
        """Return the child's next line, an empty one if it has ended."""
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self._pipe, 1)
            if not byte:
                break
            line += byte
        return line.decode().rstrip("\n")

    def end(self) -> list[str]:
        """Wait for the child's successful end, and return the rest of its output."""
        said = []
        while line := self.hear():
            said.append(line)
        self._status = os.waitpid(self.pid, 0)[1]
        assert self._status == 0, "\n".join(said)
        return said


@contextmanager
def forked(work: Callable[[Callable[[str], None]], None]) -> Iterator[Child]:
    """Run `work(say)` in a child that is killed at the end of the block."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # Python >= 3.12 warns of fork beside the test runner's threads
        pid = os.fork()
    if pid == 0:
        _be_child(work, reading, writing)
    os.close(writing)
    child = Child(pid, reading)
    try:
        yield child
    finally:
        child.kill()
        os.close(reading)


def _be_child(work: Callable[[Callable[[str], None]], None], reading: int, writing: int) -> None:
    status = 1
    try:
        os.close(reading)
        work(lambda text: _say(writing, text))
        status = 0
    except BaseException:
        _say(writing, traceback.format_exc())
    finally:
        os._exit(status)


def _say(writing: int, text: str) -> None:
    os.write(writing, (text + "\n").encode())
