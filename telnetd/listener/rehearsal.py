"""Calls rehearsed before the listener opens: accepted, forked, ended. And the whole rehearsal, in its order.

What the listener does for a call counts as much as what the session does: each page that the listener changes between
two forks is one more that the sessions do not share.

Owns a door of its own on the loopback address, and the order: run everything, move the bytecode that ran together, run
everything again, since the interpreter specialises code that runs for the second time.
"""

import logging
import os
import selectors
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FunctionType
from typing import BinaryIO, Final

from telnetd.doors.door import Door
from telnetd.doors.sockets import ListenError, listen
from telnetd.doors.telnet import TelnetLine, TelnetService
from telnetd.listener.acceptor import Acceptor
from telnetd.listener.daemon import Listener
from telnetd.listener.systemd import ServiceManager
from telnetd.listener.upgrade import Upgrade
from telnetd.signals import SIGNALS, block_signals
from yawc_poker import doors
from yawc_poker.bbs.companion import Companion
from yawc_poker.bbs.lifecycle import FoundingError
from yawc_poker.bbs.log_format import LineWriter
from yawc_poker.bbs.reaper import Reaper
from yawc_poker.bbs.rehearsal import Side, Stage
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.session.warmup.bytecode import Bytecode, move_together
from yawc_poker.session.warmup.heap import fill_holes, fill_pools

log = logging.getLogger(__name__)

OPENING: Final = (
    bytes.fromhex("fffb18 fffb1f fffa1f00500018fff0 fffd01 fffd03 fffa1800") + b"XTERM-256COLOR" + b"\xff\xf0"
)
"""The options of a typical telnet client: terminal type and window size offered and sent, echo and go-ahead agreed."""
TELNET: Final = Side(TelnetLine, OPENING)
CALLS: Final = 3
"""Before each evening."""
_NO_NAME: Final = b"\r\r"
"""What a rehearsed call types at the first prompt, which is asked again; then it hangs up."""
_SECONDS: Final = 1.0
_LOOP: Final = (Listener, ServiceManager, Reaper, Companion, Upgrade)
"""What runs in the listener's loop, and is not rehearsed."""
_NUMBER: Final = 8
"""Bytes of a number that a child reports."""


def rehearse(
    config: Config, sides: Sequence[Side] = (), *, packs: bool, close_inherited: Callable[[], None] = lambda: None
) -> None:
    """Rehearse evenings and calls; never raise: what fails is logged, and sessions take more memory.

    `sides` are those of further kinds of lines, besides telnet, by which callers may come. With `packs` the bytecode
    that changes is moved together, which takes an evening more. `close_inherited` closes the listener's descriptors in
    a forked process: one that outlives a killed listener must hold no port.
    """
    trouble = ""
    with _unheard(), _signals_kept():
        try:
            with Stage.opened() as stage:
                trouble = _rehearse(stage, config, sides, packs, close_inherited)
        except (OSError, FoundingError) as error:
            trouble = str(error)
        except Exception as error:  # a rehearsal must not keep the BBS from opening
            trouble = f"bug: {error!r}"
    if trouble:
        log.warning("the rehearsal was broken off, so sessions take more memory: %s", trouble)


def _rehearse(
    stage: Stage, config: Config, sides: Sequence[Side], packs: bool, close_inherited: Callable[[], None]
) -> str:
    """Return what went wrong; empty: nothing."""
    call = partial(_call, stage, config, close_inherited)
    codes = _moved(stage, sides, call) if packs else []
    for _ in range(CALLS):
        call()
    codes += [part() for part in stage.evening(TELNET)]
    codes += [stage.short_call(side)() for side in sides]  # last: most callers come by these
    return next((f"a session ended with exit code {code}" for code in codes if code is not Exit.OK), "")


def _moved(stage: Stage, sides: Sequence[Side], call: Callable[..., set[int]]) -> list[Exit]:
    """Run an evening, and move together what ran in it, first what runs in every session; return how it went.

    Each milestone ends a group: who stays at a prompt takes no page of the games.
    """
    seen = Bytecode()
    groups = [_loop_codes(), call(seen.changed) | seen.changed()]
    codes = []
    stage.on_milestone = lambda: groups.append(seen.changed())
    for part in (*stage.evening(TELNET), *map(stage.short_call, sides)):
        codes.append(part())
        stage.on_milestone()
    stage.on_milestone = bool
    fill_pools()
    fill_holes()
    log.debug("%d code objects moved together", move_together(groups))
    return codes


def _loop_codes() -> set[int]:
    """Return the ids of the code objects that the listener runs between two calls, without those of its acceptor."""
    methods = [one for kind in _LOOP for one in vars(kind).values()]
    return {id(method.__code__) for method in methods if isinstance(method, FunctionType)}


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep the listener's signals, which a fork lets in, for the listener: they are sent again."""
    caught: set[int] = set()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    previous = {number: signal.signal(number, lambda found, _: caught.add(found)) for number in SIGNALS}
    try:
        yield
    finally:
        block_signals()
        for number, handler in previous.items():
            signal.signal(number, handler)
        for one in caught:
            os.kill(os.getpid(), one)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@contextmanager
def _unheard() -> Iterator[None]:
    """Send the log nowhere: what happens in a rehearsal did not happen. The log's code is rehearsed all the same."""
    root = logging.getLogger()
    heard = root.handlers
    with open(os.devnull, "wb") as nowhere:
        handler = LineWriter(nowhere.fileno())
        handler.setFormatter(heard[0].formatter if heard else None)
        root.handlers = [handler]
        try:
            yield
        finally:
            root.handlers = heard


class _Rehearsed(TelnetService):
    """A door for telnet whose forked processes write into a pipe what they have changed."""

    def __init__(self, config: Config, report: Callable[[], set[int]] | None, said: BinaryIO) -> None:
        """Without `report` nobody is served."""
        super().__init__(config)
        self._report, self._said = report, said

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a call up to the first prompt, and report."""
        with self._said:
            if self._report is not None:
                super().answer(connection, peer, open_instance)
                self._said.write(b"".join([number.to_bytes(_NUMBER, "little") for number in self._report()]))
        return Exit.OK


def _call(
    stage: Stage, config: Config, close_inherited: Callable[[], None], report: Callable[[], set[int]] | None = None
) -> set[int]:
    """Accept a call and fork for it; with `report`, serve it as any, up to the first prompt.

    Return what the child reports then, nothing where there is no loopback address.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as heard, os.fdopen(writing, "wb") as said:
        children = _accept(stage, config, close_inherited, _Rehearsed(config, report, said))
        said.close()
        told = heard.read()  # before the wait: the child may have more to say than the pipe holds
    for pid in children:
        os.waitpid(pid, 0)
    return {int.from_bytes(told[at : at + _NUMBER], "little") for at in range(0, len(told), _NUMBER)}


def _accept(stage: Stage, config: Config, close_inherited: Callable[[], None], service: Service) -> set[int]:
    """Accept a call at a door of its own, and return the processes that were forked for it."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        try:
            door = Door(doors.TELNET, service, listen("127.0.0.1", 0, "--port"))
            acceptor = Acceptor(config, [door], stage.foundation, selector, close_inherited)
            stack.callback(acceptor.close)
            acceptor.open()
            caller = stack.enter_context(socket.create_connection(door.sockets[0].getsockname(), _SECONDS))
            caller.sendall(OPENING + _NO_NAME)
            caller.shutdown(socket.SHUT_WR)
        except (OSError, ListenError) as error:
            log.debug("no call could be rehearsed: %s", error)
            return set()
        acceptor.serve([key for key, _ in selector.select(_SECONDS)])
        return acceptor.admission.connections.pids
