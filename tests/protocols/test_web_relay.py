"""The relay between a page by HTTPS and its session: what it does once one end has gone and the other does not read."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psutil
import pytest

from telnetd.extras.web import resumption
from telnetd.extras.web.resumption import relay
from tests.ipc.processes import Child, forked
from tests.waiting import wait_until
from yawc_poker.transport import SocketTransport

PATIENCE = 10.0


@contextmanager
def relayed() -> Iterator[tuple[socket.socket, socket.socket, Child]]:
    """Yield page, session, and the process between them."""
    page, outer = socket.socketpair()
    session, inner = socket.socketpair()

    def work(say: Callable[[str], None]) -> None:
        page.close()
        session.close()
        with closing(SocketTransport(outer)) as theirs, closing(SocketTransport(inner)) as ours:
            relay(theirs, ours)

    with page, session, forked(work) as child:
        outer.close()
        inner.close()
        yield page, session, child


def fill(source: socket.socket, child: Child) -> int:
    """Send until the relay takes no more; return how much that was."""
    source.setblocking(False)
    relaying, sent = psutil.Process(child.pid), 0

    def is_full() -> bool:
        nonlocal sent
        try:
            while True:
                sent += source.send(bytes(8192))
        except BlockingIOError:
            return relaying.status() == psutil.STATUS_SLEEPING

    wait_until(is_full, "a relay that takes no more")
    return sent


def has_ended(child: Child) -> bool:
    return psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("which", [0, 1], ids=["the page", "the session"])
def test_a_relay_ends_soon_after_one_end_though_the_other_does_not_read(which: int) -> None:
    with relayed() as (*ends, child):
        fill(ends[which], child)
        ends[which].close()
        wait_until(lambda: has_ended(child), "the relay's end")
        child.end()


def test_whoever_reads_gets_all_that_was_sent_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumption, "GRACE", PATIENCE)
    with relayed() as (page, session, child):
        sent = fill(session, child)
        session.close()
        page.settimeout(PATIENCE)
        heard = 0
        while data := page.recv(65536):
            heard += len(data)
        assert heard == sent
        child.end()
