"""``yawc-poker`` once it is loaded: its command line, the terminal it runs on, and the exit code."""

import argparse
import signal
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

from yawc_poker import __version__
from yawc_poker.bbs.log_format import beside_terminal, open_closed_streams
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.config_file import default_data
from yawc_poker.registry.games import SETTINGS
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import serve
from yawc_poker.terminal.tty import TtyLine, as_started
from yawc_poker.words import language_of_locale

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run(arguments: Sequence[str] | None = None) -> int:
    """Serve the caller at this terminal; return the exit code."""
    open_closed_streams()
    options = parser().parse_args(arguments)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _fail("standard input and output must be a terminal", Exit.USAGE)
    beside_terminal(sys.stderr)
    data: Path = options.data or default_data()
    environ = as_started()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # from here on the terminal must be restored; the inbox gets them
    try:
        line = TtyLine(environ=environ)
    except (OSError, termios.error) as error:
        return _fail(f"this terminal cannot be used: {error.args[-1]}", Exit.UNAVAILABLE)
    language = language_of_locale(environ)
    return serve(
        line, lambda: Instance.attach(data, SETTINGS), entrance=Entrance.TERMINAL, ends=ENDS, language=language
    )


def parser() -> argparse.ArgumentParser:
    """Build the command line."""
    whole = argparse.ArgumentParser(prog="yawc-poker", description="Enter the running BBS from this terminal.")
    whole.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    whole.add_argument("--data", type=Path, metavar="DIR", help="data directory (default: $YAWC_DATA, or var)")
    return whole


def _fail(message: str, code: Exit) -> int:
    sys.stderr.write(f"yawc-poker: {message}\n")
    return code
