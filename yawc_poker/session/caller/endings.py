"""The ways in which a session ends: the exit codes, and one exception for each way.

An ending is raised where it is noticed and unwinds through the table, the prompt and the login to
`yawc_poker.session.run`, so that each place on the way leaves what it entered. A hang-up is
`yawc_poker.transport.LineClosed`.
"""

import time
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.page.protocol import Parting
from yawc_poker.words import mark

CLOSING_GRACE: Final = 1.0
"""Seconds that a session asked to end waits to see whether the whole BBS closes."""
_reserve = [bytes(64 << 10) for _ in range(4)]
"""Memory of which nobody makes use; blocks so small come from the heap, and stay this process's when they are freed."""


def free_reserve() -> None:
    """Free some memory for the end of a session that could get no more: for its log, its last words and its table."""
    _reserve.clear()


def is_closing(instance: Instance, pause: Callable[[float], object]) -> bool:
    """Return whether SIGTERM means that the whole BBS closes; if all sessions got it, the listener says so soon.

    Leaving a moment too early would end a running game in favour of those who are left. `pause` waits for so many
    seconds at most.
    """
    until = time.monotonic() + CLOSING_GRACE
    while not (instance.closing or instance.here.is_leaving) and (left := until - time.monotonic()) > 0:
        pause(left)
    return instance.closing


def asked_to_end(instance: Instance, pause: Callable[[float], object]) -> "Ending":
    """Return the ending that SIGTERM means; `pause` as in `is_closing`."""
    if is_closing(instance, pause):
        return ClosingDown()
    return HostLeaves() if instance.here.is_leaving else Dismissed()


class Exit(IntEnum):
    """Exit codes of sessions and commands; the numbers above 63 are those of sysexits.h."""

    OK = 0
    """The caller left, hung up, was idle, was replaced, or the BBS closed."""
    USAGE = 2
    UNAVAILABLE = 69
    """No BBS runs here, its database cannot be used, or it is full."""
    BUG = 70
    """A bug of this program; the log has the trace."""
    CONFIG = 78


class Ending(Exception):
    """The session ends now. The caller is shown `farewell`, unless it is empty."""

    farewell = ""
    parting: Parting | None = None
    """Why it ends, as a page around the terminal tells it; None: it says goodbye."""


class Quit(Ending):
    """The caller wishes to leave."""

    farewell = mark("Goodbye, and come back soon!")


class IdleTooLong(Ending):
    """The caller pressed no key for too long."""

    farewell = mark("You have been idle for too long. Goodbye!")


class LoginTooSlow(Ending):
    """Nobody logged in within the time allowed."""

    farewell = mark("You took too long to log in. Goodbye!")


class TooManyTries(Ending):
    """Three wrong passwords."""

    farewell = mark("That was one wrong password too many. Goodbye!")


class Replaced(Ending):
    """The same user logged in from elsewhere."""

    farewell = mark("You logged in from another place; this session ends here.")
    parting = "replaced"


class ClosingDown(Ending):
    """The BBS closes."""

    farewell = mark("The BBS is closing down. Stakes of running games go back to their players. Goodbye!")
    parting = "closing"


class HostLeaves(Ending):
    """One of several hosts closes; a seat is kept for its caller, who may come back by another one."""

    farewell = mark(
        "This part of the BBS is closing down. Please call again at once: a seat at a table is kept for you."
    )


class CutOff(Ending):
    """One of several hosts was cut off from the others, which go on without it."""

    farewell = mark("This part of the BBS was cut off from the rest. Your CUBES are safe; please call again.")


class Dismissed(Ending):
    """Only this session was asked to end, by SIGTERM or because its terminal went away."""

    farewell = mark("This session was ended by the system. Goodbye!")


class ShownOut(Ending):
    """A sysop ended the session or does not allow it: kicked, banned, the account closed."""

    def __init__(self, farewell: str) -> None:
        """`farewell` is in the caller's language already."""
        super().__init__()
        self.farewell = farewell


class LostSlot(Ending):
    """This session is not in the directory any more: it was taken for dead."""

    farewell = mark("The BBS has lost track of this session. Please call again.")


class Full(Ending):
    """There is no free record in the directory, or no line for one more who is logged in, or for one who is not."""

    farewell = mark("All lines are busy. Please call again later.")
