"""``yawc-poker``: one session of the running BBS on this terminal, for a console. Callers by ssh come by `yawc-door`.

Loading takes a while. A Ctrl-C meanwhile ends the process without a traceback, because nothing has been begun.
"""

import signal
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the caller at this terminal and return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from yawc_poker.bbs.at_terminal import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
