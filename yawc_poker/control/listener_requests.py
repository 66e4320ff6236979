"""The requests that the listener carries out: an upgrade, and reading the configuration again.

Owns the two waits. The listener is asked by signals and answers nothing; its work shows in shared memory and in the
data directory. The check that it makes itself is made beforehand, so that a refusal has a reason.
"""

import logging
import signal
import time
from collections.abc import Callable

from yawc_poker.casino import counters
from yawc_poker.casino.instance.databases import CONFIG_FILE
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.monitoring.overview import VERSION
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.protocol import AnswerLine, Reloaded, Upgraded, row
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.session.caller.endings import Exit

log = logging.getLogger(__name__)

UPGRADE_SECONDS = 45.0
RELOAD_SECONDS = 10.0
LOOK_SECONDS = 0.05

TryOut = Callable[[], tuple[int, str]]
"""Returns the exit code and the verdict of the program that is installed now."""


class NotDone(Exception):
    """The listener did not do it; `str()` is one line that says why."""


def cannot_try() -> tuple[int, str]:
    """Return that there is no program to be tried out (a `TryOut`)."""
    return Exit.UNAVAILABLE, "this BBS has no listener that could be replaced"


def handle_listener_request(
    request: protocol.UpgradeListener | protocol.ReloadConfiguration,
    instance: Instance,
    by: str,
    line: ControlLine,
    try_out: TryOut,
) -> AnswerLine:
    """Make the listener do it, and wait until it has. Raise `NotDone`, `Gone`, `Dismissed`, `OSError`."""
    listener = instance.segment.head.listener
    if listener is None or not process.is_alive(listener):
        raise NotDone("there is no listener")
    code, said = try_out()
    if isinstance(request, protocol.ReloadConfiguration):
        if code == Exit.CONFIG:
            raise NotDone(said)
        log.info("%s has the configuration read again", by)
        return row(_reload(listener, instance, line))
    if code != Exit.OK:
        raise NotDone(said)
    log.info("%s asks for an upgrade: %s", by, said)
    return row(Upgraded(VERSION, _version(said), _upgrade(listener, instance, line)))


def _version(said: str) -> str:
    """Read the version from the verdict: `yawc-telnetd 0.1.0 can start: ...`."""
    return said.partition(" can start")[0].rpartition(" ")[2]


def _upgrade(listener: Identity, instance: Instance, line: ControlLine) -> float:
    before = _upgrades(instance)
    return _signalled(listener, signal.SIGUSR2, line, lambda: _upgrades(instance) > before, UPGRADE_SECONDS)


def _upgrades(instance: Instance) -> int:
    return counters.read_metrics(instance.segment).counter(counters.UPGRADES)


def _reload(listener: Identity, instance: Instance, line: ControlLine) -> Reloaded:
    """Wait for the new file that the listener writes when it has taken the configuration over."""
    before = _file(instance)
    return Reloaded(_signalled(listener, signal.SIGHUP, line, lambda: _file(instance) != before, RELOAD_SECONDS))


def _file(instance: Instance) -> tuple[int, int]:
    facts = (instance.data / CONFIG_FILE).stat()
    return facts.st_ino, facts.st_mtime_ns


def _signalled(
    listener: Identity, number: int, line: ControlLine, is_done: Callable[[], bool], seconds: float
) -> float:
    """Send a signal, wait for its effect, and return the seconds that took."""
    started = time.monotonic()
    if not process.kill(listener, number):
        raise NotDone("there is no listener any more")
    while not is_done():
        if time.monotonic() - started > seconds:
            raise NotDone(f"the listener has not done it within {seconds:g} seconds; its log may say why")
        if not process.is_alive(listener):
            raise NotDone("the listener has died over it; its log may say why")
        line.pause(LOOK_SECONDS)
    return round(time.monotonic() - started, 2)
