"""``yawc-poker``: one session on this terminal, against the running BBS; for a console, or OpenSSH's ForceCommand.

Loading takes a while. A Ctrl-C meanwhile just ends it: nothing has been begun, and nobody wants a trace.
"""

import signal
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the caller at this terminal; returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from yawc_poker.bbs.at_terminal import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
