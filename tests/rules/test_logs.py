"""The format of a log line, and its destination. Tested in separate processes, because each sets up logging once."""

import fcntl
import json
import logging
import os
import pty
import re
import select
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strangers import stranger
from yawc_poker.bbs.log_format import LineFormatter, SyslogWriter, _written_if_ready

_LOGGED = """
import logging
log = logging.getLogger("test")
log.info("user %s logged in", "Anna")
log.error("two\\nlines \\x1b[31m")
try:
    raise ValueError("first\\nsecond")
except ValueError:
    log.exception("ended by a bug")
"""
_TO_STDERR = "from yawc_poker.bbs.log_format import to_stderr\nto_stderr({!r})\n" + _LOGGED
_BESIDE = (
    "import sys\nfrom pathlib import Path\nfrom yawc_poker.bbs.log_format import beside_terminal\n"
    "beside_terminal(sys.stderr, Path({!r}))\n" + _LOGGED
)


_FLOOD = """
import logging, sys
from pathlib import Path
from yawc_poker.bbs.log_format import beside_terminal, to_stderr
{}
log = logging.getLogger("test")
for number in range(5000):
    log.info("line %d %s", number, "x" * 100)
print("flooded", flush=True)
input()
log.info("read again")
log.info("and on")
"""


def record(message: str, level: int = logging.INFO) -> logging.LogRecord:
    return logging.LogRecord("test", level, "test.py", 1, message, (), None)


def logged(form: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _TO_STDERR.format(form)], capture_output=True, text=True, check=True, env={**os.environ}
    )
    return done.stderr.splitlines()


def test_for_the_journal_each_line_begins_with_its_priority_and_has_no_time() -> None:
    lines = logged("journal")
    assert re.fullmatch(r"<6>\[\d+\] user Anna logged in", lines[0])
    assert re.fullmatch(r"<3>\[\d+\] two\\nlines \\x1b\[31m", lines[1])
    assert re.fullmatch(r"<3>\[\d+\] ended by a bug", lines[2])
    assert lines[3] == "<3>Traceback (most recent call last):"
    assert lines[-2:] == ["<3>ValueError: first", "<3>second"]
    assert all(line.startswith("<3>") for line in lines[1:])


def test_as_json_each_event_is_one_object_with_the_fields_of_the_journal() -> None:
    first, second, third = map(json.loads, logged("json"))
    assert (first["MESSAGE"], first["PRIORITY"], first["LOGGER"]) == ("user Anna logged in", "6", "test")
    assert abs(int(first["__REALTIME_TIMESTAMP"]) / 1e6 - time.time()) < 600
    assert (second["MESSAGE"], second["PRIORITY"]) == ("two\nlines \x1b[31m", "3")
    assert third["MESSAGE"].startswith("ended by a bug\nTraceback (most recent call last):\n")
    assert third["MESSAGE"].endswith("ValueError: first\nsecond")
    assert all(isinstance(value, str) for value in first.values())
    assert first["_PID"].isdecimal()


@pytest.mark.parametrize("form", ["plain", "auto"])
def test_for_others_it_begins_with_the_time(form: str) -> None:
    lines = logged(form)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d [\d:]{8},\d{3} INFO \[\d+\] user Anna logged in", lines[0])
    assert re.fullmatch(r"\S+ \S+ ERROR \[\d+\] two\\nlines \\x1b\[31m", lines[1])
    assert lines[3].startswith("Traceback")


@pytest.mark.parametrize("lies", [False, True])
def test_the_journal_is_known_by_its_stream(lies: bool) -> None:
    """The manager's variable must be checked against the stream, since a shell may have redirected it."""
    ours, its = socket.socketpair()
    with ours, its:
        facts = os.fstat(its.fileno())
        named = f"{facts.st_dev}:{facts.st_ino + lies}"
        subprocess.run(
            [sys.executable, "-c", _TO_STDERR.format("auto")],
            stderr=its.fileno(),
            check=True,
            env={**os.environ, "JOURNAL_STREAM": named},
        )
        assert ours.recv(4096).startswith(b"20" if lies else b"<6>[")


@given(st.text(max_size=80), st.sampled_from([logging.INFO, logging.WARNING, logging.ERROR]))
def test_any_text_is_logged_as_one_line_without_control_characters(text: str, level: int) -> None:
    line = LineFormatter("%(message)s", priorities=True).format(record(text.replace("%", ""), level))
    assert line.startswith({logging.INFO: "<6>", logging.WARNING: "<4>", logging.ERROR: "<3>"}[level])
    assert len(line.splitlines()) == 1
    assert not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in line)


# --- a session on a terminal ------------------------------------------------------------------------------------------


def beside_terminal(syslog: Path) -> bytes:
    """Log as a session whose standard error is a terminal; return what the terminal received."""
    ours, its = pty.openpty()
    try:
        subprocess.run([sys.executable, "-c", _BESIDE.format(str(syslog))], stderr=its, check=True)
        os.write(its, b"end\n")
        received = b""
        while not received.endswith(b"\n"):
            received += os.read(ours, 4096)
        return received
    finally:
        os.close(ours)
        os.close(its)


def test_beside_a_terminal_it_goes_to_syslog(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
        syslog.bind(str(tmp_path / "log"))
        assert beside_terminal(tmp_path / "log") == b"end\r\n"
        first, second = syslog.recv(4096), syslog.recv(4096)
    assert re.fullmatch(rb"<30>yawc-poker\[\d+\]: user Anna logged in\0", first)
    assert re.fullmatch(rb"<27>yawc-poker\[\d+\]: two\\nlines \\x1b\[31m\0", second)


def test_beside_a_terminal_without_syslog_it_goes_nowhere(tmp_path: Path) -> None:
    assert beside_terminal(tmp_path / "none") == b"end\r\n"


def test_a_session_whose_standard_error_leads_elsewhere_logs_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BESIDE.format(str(tmp_path / "none"))], capture_output=True, text=True, check=True
    )
    assert "INFO" in done.stderr.splitlines()[0]


# --- nobody reads -----------------------------------------------------------------------------------------------------


def pipe() -> tuple[int, int]:
    return os.pipe()


def stopped_terminal() -> tuple[int, int]:
    """Return both ends of a terminal on which somebody has pressed Ctrl-S."""
    ours, theirs = pty.openpty()
    termios.tcflow(theirs, termios.TCOOFF)
    return ours, theirs


def connection() -> tuple[int, int]:
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


def read_all(descriptor: int) -> str:
    """Read what is there, and go on until nothing comes for a moment."""
    found = b""
    while select.select([descriptor], [], [], 0.3)[0]:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not piece:
            break
        found += piece
    return found.decode()


@pytest.mark.parametrize("ends", [pipe, stopped_terminal, connection])
def test_who_logs_never_waits_for_a_reader_and_tells_what_is_missing(ends: Callable[[], tuple[int, int]]) -> None:
    ours, theirs = ends()
    with subprocess.Popen(
        [sys.executable, "-c", _FLOOD.format("to_stderr('plain')")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as child:
        assert child.stdin
        assert child.stdout
        try:
            assert select.select([child.stdout], [], [], 30)[0], "it waits for whoever reads the log"
            assert child.stdout.readline() == "flooded\n"
            if os.isatty(theirs):
                termios.tcflow(theirs, termios.TCOON)
            kept = read_all(ours)
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.wait(30) == 0
            later = read_all(ours)
        finally:
            child.kill()
            os.close(ours)
            os.close(theirs)
    written = re.findall(r"^.*line \d+ x{100}\r?$", kept, re.MULTILINE)
    told = re.findall(r"WARNING \[\d+\] lines of this process that are missing here, .*: (\d+)", later)
    assert [int(number) for number in told] == [5000 - len(written)]
    assert [line.split("] ")[1].strip() for line in later.strip().split("\n")[-2:]] == ["read again", "and on"]


@pytest.mark.parametrize("is_controlling", [True, False])
def test_another_users_terminal_that_nobody_reads_is_not_waited_for(*, is_controlling: bool) -> None:
    child = stranger(f"""
        if not {is_controlling}:
            if pid := os.fork():
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            os.setsid()
        signal.alarm(20)
        to_stderr("plain")
        for number in range(5000):
            logging.info("line %d %s", number, "x" * 100)
    """)
    assert child.wait() == 0, "it waits for whoever reads the terminal"
    kept = read_all(child.fileno())
    child.close()
    assert re.search(r"line 0 x{100}\r?\n.*line 1 x{100}\r?\n", kept)


@contextmanager
def by_datagrams(path: Path) -> Iterator[Callable[[], str]]:
    """Be a syslog that hangs until it is read."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
        syslog.bind(str(path))
        yield lambda: read_all(syslog.fileno())


@contextmanager
def by_stream(path: Path) -> Iterator[Callable[[], str]]:
    with socket.socket(socket.AF_UNIX) as syslog, ExitStack() as accepted:
        syslog.bind(str(path))
        syslog.listen(1)
        lines = list[socket.socket]()

        def read() -> str:
            if not lines:
                lines.append(accepted.enter_context(syslog.accept()[0]))
            return read_all(lines[0].fileno())

        yield read


@pytest.mark.parametrize("syslog", [by_datagrams, by_stream])
def test_a_syslog_that_hangs_is_not_waited_for_and_is_told_what_is_missing(
    tmp_path: Path, syslog: Callable[[Path], AbstractContextManager[Callable[[], str]]]
) -> None:
    ours, theirs = pty.openpty()
    code = _FLOOD.format(f"beside_terminal(sys.stderr, Path({str(tmp_path / 'log')!r}))")
    with (
        syslog(tmp_path / "log") as read,
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        ) as child,
    ):
        try:
            assert child.stdin
            assert child.stdout
            assert select.select([child.stdout], [], [], 30)[0], "it waits for syslog"
            kept = read()
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.wait(30) == 0
            later = read()
        finally:
            child.kill()
            os.close(ours)
            os.close(theirs)
    written = re.findall(r"<30>yawc-poker\[\d+\]: line \d+ x{100}\0", kept)
    told, *others = re.findall(r"(<\d+>)yawc-poker\[\d+\]: (.*?)\0", later)
    assert told[0] == "<28>"
    assert int(told[1].rpartition(" ")[2]) == 5000 - len(written)
    assert others == [("<30>", "read again"), ("<30>", "and on")]


def test_a_syslog_that_is_started_anew_misses_nothing(tmp_path: Path) -> None:
    handler = SyslogWriter(tmp_path / "log")
    for text in ("first", "second"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
            syslog.bind(str(tmp_path / "log"))
            handler.emit(record(text))
            assert syslog.recv(4096) == f"<30>{text}\0".encode()
        (tmp_path / "log").unlink()
    handler.close()


def test_a_pipe_that_cannot_be_opened_anew_is_written_to_when_it_is_ready() -> None:
    ours, theirs = pipe()
    assert _written_if_ready(theirs, b"x" * 1_000_000) == fcntl.fcntl(theirs, fcntl.F_GETPIPE_SZ)
    assert _written_if_ready(theirs, b"x") == 0
    os.read(ours, select.PIPE_BUF)
    assert _written_if_ready(theirs, b"end") == 3
    os.close(ours)
    os.close(theirs)
