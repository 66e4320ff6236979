"""A call as the listener takes it, for the rehearsal before the first fork (`bbs.rehearsal`).

What the listener does for a call counts as much as what the session does: each page that the listener changes between
two forks is one more that the sessions do not share. Owns a door of its own on the loopback address.
"""

import logging
import os
import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FunctionType
from typing import BinaryIO, Final

from telnetd.doors.door import Door
from telnetd.doors.sockets import ListenError, listen
from telnetd.doors.telnet import OPENING, TWICE, TelnetService
from telnetd.listener.acceptor import Acceptor
from telnetd.listener.daemon import Listener
from telnetd.listener.systemd import ServiceManager
from telnetd.listener.upgrade import Upgrade
from telnetd.signals import SIGNALS, block_signals
from yawc_poker import doors
from yawc_poker.bbs.companion import Companion
from yawc_poker.bbs.lifecycle import Foundation, die_with
from yawc_poker.bbs.reaper import Reaper
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.prefork.pages import Row, touched_pages
from yawc_poker.session.run import OpenInstance

log = logging.getLogger(__name__)

Report = Callable[[], set[int]]
Look = Callable[[socket.socket, set[int]], None]
"""Looks at the processes of a call, given the caller's side of it. Raises `OSError`."""

_NO_NAME: Final = b"\r\r"
"""What the caller types at the first prompt, which is asked again; then they hang up."""
_PROMPT: Final = b"Name:"
_READ: Final = 4096
_SECONDS: Final = 1.0
_LOOP: Final = (Listener, ServiceManager, Reaper, Companion, Upgrade)
"""What runs in the listener's loop between two calls, beside its acceptor."""
_NUMBER: Final = 8
"""Bytes of a number that a child reports."""


def loop_codes() -> set[int]:
    """Return the ids of the code objects that the listener runs between two calls, without those of its acceptor."""
    methods = [one for kind in _LOOP for one in vars(kind).values()]
    return {id(method.__code__) for method in methods if isinstance(method, FunctionType)}


class FirstCall:
    """Accepts a call and forks for it; with a report, serves it up to the first prompt (a `bbs.rehearsal.Call`)."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def __call__(self, foundation: Foundation, report: Report | None) -> set[int]:
        """Return what the child reports, nothing where there is no loopback address."""
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as heard, os.fdopen(writing, "wb") as said, _signals_kept():
            children = self._accept(foundation, _Rehearsed(self._config, report, said))
            said.close()
            told = heard.read()  # before the wait: the child may have more to say than the pipe holds
            for pid in children:
                os.waitpid(pid, 0)
        return {int.from_bytes(told[at : at + _NUMBER], "little") for at in range(0, len(told), _NUMBER)}

    def pages(self, foundation: Foundation) -> list[Row]:
        """Return the pages that a spare's caller makes its own or looks at up to the first prompt."""
        found: list[Row] = []

        def look(caller: socket.socket, children: set[int]) -> None:
            heard = b""
            while _PROMPT not in heard and (data := caller.recv(_READ)):
                heard += data
            for child in children:
                found.extend(touched_pages(child))

        with _signals_kept():
            for pid in self._accept(foundation, TelnetService(self._config), look):
                os.kill(pid, signal.SIGKILL)  # one forked for the call holds the caller's side, so nobody hangs up
                os.waitpid(pid, 0)
        return found

    def _accept(self, foundation: Foundation, service: Service, look: Look | None = None) -> set[int]:
        """Accept a call at a door of its own, and return the processes that serve it, which `look` may look at.

        Without `look` the caller hangs up at once.
        """
        children: set[int] = set()
        with ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            try:
                door = Door(doors.TELNET, service, listen("127.0.0.1", 0, "--port"))
                acceptor = Acceptor(self._config, [door], foundation, selector, partial(die_with, os.getpid()))
                stack.callback(acceptor.close)
                acceptor.open()
                acceptor.refill()
                if look is not None:
                    acceptor.refill()  # a bystander, with whom the call shares what the listener alone changes
                caller = stack.enter_context(socket.create_connection(door.sockets[0].getsockname(), _SECONDS))
                opening = OPENING + TWICE * self._config.telnet.ask_escape
                if look is None:
                    caller.sendall(opening + _NO_NAME)
                    caller.shutdown(socket.SHUT_WR)
                else:
                    caller.sendall(opening)
                acceptor.serve([key for key, _ in selector.select(_SECONDS)])
                children = acceptor.admission.connections.pids
                if look is not None:
                    look(caller, children)
            except (OSError, ListenError) as error:
                log.debug("no call could be rehearsed: %s", error)
        return children


class _Rehearsed(TelnetService):
    """A door for telnet whose forked processes write into a pipe what they have changed."""

    def __init__(self, config: Config, report: Report | None, said: BinaryIO) -> None:
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
