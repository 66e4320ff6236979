"""What hits the listeners of a run: they are killed, stopped, and replaced by a new program as at an upgrade.

A host of several is taken to be away as long as its listener is dead, since nobody can call there.
"""

import signal
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Final

from tests.stress.listener import PATIENCE, Listener
from tests.stress.loop import Loop

DEAD: Final = 1.0
"""Maximum seconds until a new one is started."""
STOPPED: Final = PATIENCE - 0.5
"""Maximum seconds for which one is stopped: not so long that it could be killed as the holder of a lock."""


class ListenerFaults:
    """Hits the listeners, any of them that is there."""

    def __init__(self, loop: Loop, listeners: Sequence[Listener], rng: Random) -> None:
        self._loop = loop
        self._listeners = listeners
        self._rng = rng
        self._stopped: list[Listener] = []

    @property
    def hear(self) -> bool:
        """Return whether all that were started last are so far that a signal does not end them."""
        return all(one.hears for one in self._listeners)

    @property
    def any_stopped(self) -> bool:
        """Return whether one is stopped."""
        return bool(self._stopped)

    def some(self, first: int = 0) -> int | None:
        """Return the place of one that hears and is not stopped, from the `first` on; None: there is none."""
        there = [at for at, one in enumerate(self._listeners) if at >= first and one.hears and one not in self._stopped]
        return self._rng.choice(there) if there else None

    def kill(self, seconds: float) -> bool:
        """Kill one, which perhaps has just been started, or is stopped; another one comes in its place."""
        there = [one for one in self._listeners if not one.is_away]
        if not there:
            return False
        chosen = self._rng.choice(there)
        chosen.is_away = True
        if chosen in self._stopped:
            self._stopped.remove(chosen)
        chosen.kill()
        self._loop.after(min(seconds, DEAD), partial(self.start, chosen))
        return True

    def start(self, listener: Listener) -> None:
        """Start another one in the place of one that is dead; its host is there again."""
        if listener.is_dead:
            listener.start_again()
        listener.is_away = False

    def upgrade(self, seconds: float) -> bool:
        """Ask one to become a new program."""
        at = self.some()
        if at is not None:
            self._listeners[at].signal(signal.SIGUSR2)
        return at is not None

    def stop(self, seconds: float) -> bool:
        """Stop one, and continue it."""
        at = self.some()
        if at is None:
            return False
        chosen = self._listeners[at]
        self._stopped.append(chosen)
        chosen.signal(signal.SIGSTOP)
        self._loop.after(min(seconds, STOPPED), partial(self._go_on, chosen))
        return True

    def end(self) -> None:
        """Continue those that are stopped."""
        for one in [*self._stopped]:
            self._go_on(one)

    def _go_on(self, listener: Listener) -> None:
        if listener in self._stopped:
            self._stopped.remove(listener)
            listener.signal(signal.SIGCONT)
