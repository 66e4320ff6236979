"""The log: its destination, the form of a line, and its way out of the process.

One line per event: control characters in a name or in a foreign program's answer come out escaped. Only a traceback
takes more lines, and then each bears the event's priority. For the journal a line begins with `<N>` (sd-daemon(3)) and
has no time, which the journal knows; otherwise it begins with the time. As JSON it is an object with journald's fields.

    error     something is broken, and the sysop should look: a bug, a database or a lock that cannot be had
    warning   something is not as it should be, and it was dealt with: a killed session, a refused call
    info      the ordinary course of things: logins, logouts, reloads

A line is written at once or not at all. A session that logs may hold the lock of a table, and while the listener writes
nobody is let in; so neither ever waits for whoever reads the log: a terminal stopped by Ctrl-S, a pager, a container's
log driver, a syslog that hangs. What they do not take is lost, and counted in the next line that they take.
"""

import errno
import json
import logging
import os
import select
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, TextIO, assert_never

from yawc_poker.config import LogFormat
from yawc_poker.terminal.controlling import open_controlling

SYSLOG: Final = Path("/dev/log")
_PLAIN: Final = "%(asctime)s %(levelname)s [%(process)d] %(message)s"
_JOURNAL: Final = "[%(process)d] %(message)s"
_DAEMON: Final = 3 << 3
"""The part of a priority of syslog's that says who logs."""
_SYSLOG: Final = "yawc-poker[%(process)d]: %(message)s"
_PRIORITIES: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
_LOST: Final = "lines of this process that are missing here, as nobody read the log: %d"
_AT_ONCE: Final = select.PIPE_BUF
"""Bytes that a pipe takes whole once it is said to be writable."""
_BY_TERMINAL: Final = 128
"""Bytes that a terminal does, though each may be the end of a line, which it makes two of."""
_CONTROLS: Final = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


class LineFormatter(logging.Formatter):
    """One line per event, with the journal's priority before each line if that is wanted."""

    def __init__(self, form: str, *, priorities: bool = False) -> None:
        super().__init__(form)
        self._priorities = priorities

    def format(self, record: logging.LogRecord) -> str:
        """Return the event's line, and those of its traceback."""
        text = super().format(record)
        trace = f"\n{record.exc_text}" if record.exc_text else ""
        lines = [text.removesuffix(trace), *trace.split("\n")[1:]]
        prefix = f"<{_PRIORITIES.get(record.levelno, 6)}>" if self._priorities else ""
        return "\n".join(prefix + line.translate(_CONTROLS) for line in lines)


class JsonFormatter(logging.Formatter):
    """One object a line, with the names that journald has for its fields (systemd.journal-fields(7))."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event's object; its traceback, if there is one, is in the message."""
        fields = {
            "__REALTIME_TIMESTAMP": str(int(record.created * 1e6)),
            "PRIORITY": str(_PRIORITIES.get(record.levelno, 6)),
            "SYSLOG_IDENTIFIER": "yawc-poker",
            "_PID": str(record.process),
            "LOGGER": record.name,
            "CODE_FILE": record.pathname,
            "CODE_LINE": str(record.lineno),
            "CODE_FUNC": record.funcName,
            "MESSAGE": super().format(record),
        }
        return json.dumps(fields)


class LineWriter(logging.Handler):
    """Writes lines to a descriptor that is never waited for."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._write = _writer(descriptor)
        self._owner = os.getpid()
        self._lost = 0
        self._is_torn = False
        """Of the last line only a part was taken, without its end."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record's lines, and before them how many were lost; count them as lost where that cannot be."""
        if self._owner != os.getpid():  # a forked process counts its own
            self._owner, self._lost, self._is_torn = os.getpid(), 0, False
        try:
            lines = self.format(record)
        except Exception:
            self.handleError(record)
            return
        lost = [self.format(_told(record, self._lost))] if self._lost else []
        data = "".join(f"{text}\n" for text in ("",) * self._is_torn + (*lost, lines)).encode(errors="backslashreplace")
        try:
            taken = self._write(data)
        except OSError:  # full, or nobody will read it any more
            taken = 0
        if taken == len(data):
            self._lost, self._is_torn = 0, False
        else:
            self._lost += 1
            self._is_torn = taken > 0 or self._is_torn


class SyslogWriter(logging.Handler):
    """Writes to the syslog at a path, which is never waited for, and need not be there yet."""

    def __init__(self, path: Path) -> None:
        """Raise `OSError` where there are no descriptors."""
        super().__init__()
        self._path = str(path)
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, and before it how many were lost; count it as lost where that cannot be."""
        try:
            if self._lost:
                self._send(_told(record, self._lost))
                self._lost = 0
            self._send(record)
        except OSError:  # full, or not there
            self._lost += 1
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        super().close()

    def _send(self, record: logging.LogRecord) -> None:
        """Send a record, by a new connection if the old one leads nowhere. Raise `OSError`."""
        message = f"<{_DAEMON | _PRIORITIES.get(record.levelno, 6)}>{self.format(record)}\0".encode(
            errors="backslashreplace"
        )
        try:
            self._connection.send(message, socket.MSG_NOSIGNAL)
        except BlockingIOError:
            raise
        except OSError:
            self._connect()
            self._connection.send(message, socket.MSG_NOSIGNAL)

    def _connect(self) -> None:
        """Connect by datagrams, or by a stream to an old syslog that takes no others. Raise `OSError`."""
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            self._connection.close()
            self._connection = socket.socket(socket.AF_UNIX, kind | socket.SOCK_NONBLOCK)
            code = self._connection.connect_ex(self._path)
            if code != errno.EPROTOTYPE:
                break
        if code:
            raise OSError(code, os.strerror(code))


def _told(record: logging.LogRecord, lost: int) -> logging.LogRecord:
    return logging.LogRecord(record.name, logging.WARNING, __file__, 0, _LOST, (lost,), None)


def _writer(descriptor: int) -> Callable[[bytes], int]:
    """Return what writes to this descriptor without waiting, and returns how many bytes were taken.

    It raises `OSError` where none are. The descriptor itself stays as it is: its file is shared with other programs.
    """
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISSOCK(mode):
        connection = socket.socket(fileno=os.dup(descriptor))
        return lambda data: connection.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
    if not (stat.S_ISFIFO(mode) or os.isatty(descriptor)):
        return lambda data: os.write(descriptor, data)
    try:
        own = os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:  # another user's, or nobody reads it
        try:
            own = open_controlling(descriptor, os.O_WRONLY)
        except OSError:
            return lambda data: _written_if_ready(descriptor, data)
    return lambda data: os.write(own, data)


def _written_if_ready(descriptor: int, data: bytes) -> int:
    """Write as much as is sure to be taken. Another process may be faster, and then this one waits."""
    poller = select.poll()
    poller.register(descriptor, select.POLLOUT)
    most, taken = _BY_TERMINAL if os.isatty(descriptor) else _AT_ONCE, 0
    while taken < len(data) and any(ready & select.POLLOUT for _, ready in poller.poll(0)):
        taken += os.write(descriptor, data[taken : taken + most])
    return taken


def open_closed_streams() -> None:
    """Open /dev/null in the place of a standard stream that is closed.

    Else the next file would have its number, and the log might be written into a database.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def to_stderr(form: LogFormat = "auto") -> None:
    """Log to standard error, if there is one; `auto` writes for the journal if that is where it leads."""
    _start(_stream(sys.stderr, form))


def beside_terminal(stream: TextIO, syslog: Path = SYSLOG) -> None:
    """Log where a caller's own terminal is not: to the stream if it leads elsewhere, else to syslog, else nowhere."""
    if not stream.isatty():
        _start(_stream(stream, "auto"))
        return
    logging.raiseExceptions = False  # they would be told on the caller's screen
    try:
        handler: logging.Handler = SyslogWriter(syslog)
        handler.setFormatter(LineFormatter(_SYSLOG))
    except OSError:  # no descriptors
        handler = logging.NullHandler()
    _start(handler)


def _start(handler: logging.Handler) -> None:
    logging.basicConfig(handlers=[handler], level=logging.INFO)


def _stream(stream: TextIO | None, form: LogFormat) -> logging.Handler:
    handler: logging.Handler
    try:
        handler = LineWriter(stream.fileno()) if stream is not None else logging.NullHandler()
    except (OSError, ValueError):  # no descriptor
        handler = logging.StreamHandler(stream)
    if form == "auto":
        form = "journal" if _is_journal(stream) else "plain"
    match form:
        case "journal":
            handler.setFormatter(LineFormatter(_JOURNAL, priorities=True))
        case "plain":
            handler.setFormatter(LineFormatter(_PLAIN))
        case "json":
            handler.setFormatter(JsonFormatter())
        case _ as never:
            assert_never(never)
    return handler


def _is_journal(stream: TextIO | None) -> bool:
    """Return whether a stream leads to the journal, as systemd says (systemd.exec(5))."""
    try:
        facts = os.fstat(-1 if stream is None else stream.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(facts.st_mode) and os.environ.get("JOURNAL_STREAM") == f"{facts.st_dev}:{facts.st_ino}"
