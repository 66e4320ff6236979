"""``yawc-telnetd``, or ``python -m telnetd``: block signals, then load the program (`telnetd.cli`) and run it.

Loading takes a while. An unblocked SIGTERM would just end the process meanwhile. A blocked one closes the BBS in good
order, even if its former listener was killed a moment ago and the sessions are still running.
"""

import sys

from telnetd.signals import block_signals
from yawc_poker.session.prefork.allocator import leave_out_cache
from yawc_poker.session.prefork.parts import is_done


def main() -> int:
    """Run the listener until SIGTERM and return the exit code."""
    block_signals()
    if is_done("allocator"):
        leave_out_cache()
    from telnetd.cli import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
