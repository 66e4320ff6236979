"""The signals of a listener. Imports almost nothing, so that they can be blocked before the program is loaded."""

import signal
from typing import Final

SIGNALS: Final = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)


def block_signals() -> None:
    """Block the listener's signals: they stay pending until `unblock_signals`."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def unblock_signals() -> None:
    """Unblock the listener's signals, and receive the pending ones."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
