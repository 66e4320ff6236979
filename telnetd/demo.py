"""A BBS to try out, in a temporary folder that is removed when it is closed: ``yawc-telnetd --demo``.

Owns the folder, and the listener, which is another process: after an upgrade or a crash the folder still goes.
"""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from telnetd.signals import SIGNALS


def serve(arguments: Sequence[str]) -> int:
    """Run a listener with these arguments in a folder of its own, and return its exit code.

    The listener's signals are blocked; each that comes is passed on.
    """
    with tempfile.TemporaryDirectory(prefix="yawc-demo-") as folder:
        listener = subprocess.Popen([sys.executable, "-m", "telnetd", *arguments, "--data", folder])
        while listener.poll() is None:
            number = signal.sigwait(SIGNALS)
            if number != signal.SIGCHLD:
                listener.send_signal(number)
    return listener.returncode
