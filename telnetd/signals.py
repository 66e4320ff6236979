"""The signals a listener hears, and when: imports nothing, so that they can be held back before anything is loaded."""

import signal
from typing import Final

SIGNALS: Final = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)


def block_signals() -> None:
    """Keep what a listener is told pending until one hears it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def unblock_signals() -> None:
    """Let in what was held back."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
