"""The log: its destination, and the form of a line.

One line per event: control characters in a name or in a foreign program's answer come out escaped. Only a traceback
takes more lines, and then each bears the event's priority. For the journal a line begins with `<N>` (sd-daemon(3)) and
has no time, which the journal knows; otherwise it begins with the time.

    error     something is broken, and the sysop should look: a bug, a database or a lock that cannot be had
    warning   something is not as it should be, and it was dealt with: a killed session, a refused call
    info      the ordinary course of things: logins, logouts, reloads
"""

import logging
import os
import stat
import sys
from logging.handlers import SysLogHandler
from pathlib import Path
from typing import Final, TextIO

from yawc_poker.config import LogFormat

SYSLOG: Final = Path("/dev/log")
_PLAIN: Final = "%(asctime)s %(levelname)s [%(process)d] %(message)s"
_JOURNAL: Final = "[%(process)d] %(message)s"
_SYSLOG: Final = "yawc-poker[%(process)d]: %(message)s"
_PRIORITIES: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
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


def to_stderr(form: LogFormat = "auto") -> None:
    """Log to standard error; `auto` writes for the journal if that is where it leads."""
    _start(_stream(sys.stderr, form))


def beside_terminal(stream: TextIO, syslog: Path = SYSLOG) -> None:
    """Log where a caller's own terminal is not: to the stream if it leads elsewhere, else to syslog, else nowhere."""
    if not stream.isatty():
        _start(_stream(stream, "auto"))
        return
    logging.raiseExceptions = False  # they would be told on the caller's screen
    try:
        handler: logging.Handler = SysLogHandler(str(syslog), SysLogHandler.LOG_DAEMON)
        handler.setFormatter(LineFormatter(_SYSLOG))
    except OSError:
        handler = logging.NullHandler()
    _start(handler)


def _start(handler: logging.Handler) -> None:
    logging.basicConfig(handlers=[handler], level=logging.INFO)


def _stream(stream: TextIO, form: LogFormat) -> logging.Handler:
    handler = logging.StreamHandler(stream)
    journal = form == "journal" or (form == "auto" and _is_journal(stream))
    handler.setFormatter(LineFormatter(_JOURNAL, priorities=True) if journal else LineFormatter(_PLAIN))
    return handler


def _is_journal(stream: TextIO) -> bool:
    """Return whether a stream leads to the journal, as systemd says (systemd.exec(5))."""
    try:
        facts = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(facts.st_mode) and os.environ.get("JOURNAL_STREAM") == f"{facts.st_dev}:{facts.st_ino}"
