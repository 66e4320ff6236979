"""``yawc-telnetd``, or ``python -m telnetd``: hold signals back, then load the program (`telnetd.cli`) and run it.

Loading takes a while. A SIGTERM meanwhile would just end it; held back, it has the BBS closed in good order, also one
whose listener was killed a moment ago and whose sessions live on.
"""

import sys

from telnetd.signals import block_signals


def main() -> int:
    """Run the listener until SIGTERM; returns the exit code."""
    block_signals()
    from telnetd.cli import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
