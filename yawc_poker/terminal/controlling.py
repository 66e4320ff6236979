"""The controlling terminal of this process, which it may open whomever it belongs to: after su it is another user's."""

import os


def open_controlling(descriptor: int, access: int = os.O_RDWR) -> int:
    """Return a descriptor of this terminal that shares its flags with no other, and does not block.

    Raise `OSError` unless it is the controlling terminal.
    """
    os.tcgetpgrp(descriptor)  # refused for any other
    return os.open("/dev/tty", access | os.O_NOCTTY | os.O_NONBLOCK)
