"""Ways to send a number to processes: the ring with signals, ZeroMQ, Redis and multiprocessing.Manager.

Each way is a context manager that forks `stamps.receivers` receivers, which record the numbers they have read, and
yields a function that posts a number. A receiver of ours does what a session's loop does at a signal: poll the
descriptor, drain it, read the ring from its own cursor, which acknowledges.
"""

import importlib.util
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.managers import SyncManager

from benchmarks.build import redis_server
from benchmarks.stamps import DEADLINE, Lost, Stamps
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import ADDRESSEES, Command, Kind, Ring
from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.signals import SignalInbox, Waker

Post = Callable[[int], object]
Way = Callable[[Stamps], AbstractContextManager[Post]]


@contextmanager
def ring(stamps: Stamps) -> Iterator[Post]:
    """Ours: a slot in the ring, locked until all have read it, and a signal to each."""
    with _ring(stamps, timed=False) as post:
        yield post


@contextmanager
def timed_ring(stamps: Stamps) -> Iterator[Post]:
    """Ours as the original was: one slot, released 350 ms after each command."""
    with _ring(stamps, timed=True) as post:
        yield post


@contextmanager
def _ring(stamps: Stamps, *, timed: bool) -> Iterator[Post]:
    name = f"/yawc-bench-{secrets.token_hex(8)}"
    segment = Segment.create(name, Layout(sessions=stamps.receivers + 1, tables=1), timed=timed)
    mine, *records = segment.records
    mine.claim(process.me(), 1 << 63, "poster")
    try:
        with _forked(stamps, lambda me: _read_ring(segment, me, stamps)) as pids:
            identities = [found for pid in pids if (found := process.find(pid))]
            addressed = [record.index for record in records] if stamps.receivers <= ADDRESSEES else None
            mailbox, waker = Ring(segment), Waker(stamps.receivers)

            def post(number: int) -> None:
                command = Command(Kind.TABLE, 0, mine.token, mine.index, number.to_bytes(8, "little"))
                mailbox.post(command, addressed)
                for identity in identities:
                    waker.wake(identity)

            yield post
            waker.close()
    finally:
        Segment.destroy(name)
        segment.close()


def _read_ring(segment: Segment, me: int, stamps: Stamps) -> None:
    inbox = SignalInbox()
    record = segment.records[me + 1]
    record.claim(process.me(), (1 << 63) + me + 1, "receiver")
    mailbox = Ring(segment)
    poller = select.poll()
    poller.register(inbox.fileno(), select.POLLIN)
    stamps.here(me)
    while True:
        poller.poll()
        inbox.drain()
        commands = mailbox.read(record).commands
        if commands:
            stamps.note(me, int.from_bytes(commands[-1].payload, "little"), len(commands))


@contextmanager
def zeromq(stamps: Stamps) -> Iterator[Post]:
    """ZeroMQ, publish and subscribe over a Unix socket."""
    import zmq

    with tempfile.TemporaryDirectory() as folder:
        address = f"ipc://{folder}/socket"

        def receive(me: int) -> None:
            mine = zmq.Context().socket(zmq.SUB)
            mine.setsockopt(zmq.RCVHWM, 0)
            mine.setsockopt(zmq.SUBSCRIBE, b"")
            mine.connect(address)
            while True:
                _note(stamps, me, mine.recv())

        with zmq.Context() as context, context.socket(zmq.PUB) as publisher, _forked(stamps, receive, greeted=True):
            publisher.setsockopt(zmq.SNDHWM, 0)
            publisher.bind(address)
            _greet(stamps, publisher.send)
            yield lambda number: publisher.send(_packed(number))


@contextmanager
def redis(stamps: Stamps) -> Iterator[Post]:
    """Redis, publish and subscribe over TCP, a server of its own."""
    from redis import Redis

    with _redis_server() as port:

        def receive(me: int) -> None:
            listening = Redis(port=port).pubsub(ignore_subscribe_messages=True)
            listening.subscribe("table")
            for message in listening.listen():
                _note(stamps, me, message["data"])

        with _forked(stamps, receive, greeted=True), Redis(port=port) as publisher:
            _greet(stamps, lambda data: publisher.publish("table", data))
            yield lambda number: publisher.publish("table", _packed(number))


@contextmanager
def manager(stamps: Stamps) -> Iterator[Post]:
    """multiprocessing.Manager: a condition and a number in a server process."""
    with SyncManager() as server:
        changed, posted = server.Condition(), server.Value("Q", 0)

        def receive(me: int) -> None:
            read = 0
            stamps.here(me)
            while True:
                with changed:
                    while posted.value <= read:
                        changed.wait()
                    read = posted.value
                stamps.note(me, read)

        def post(number: int) -> None:
            with changed:
                posted.value = number
                changed.notify_all()

        with _forked(stamps, receive):
            yield post


# --- small things ----------------------------------------------------------------------------------------------------


def _packed(number: int) -> bytes:
    return struct.pack("=Q", number)


def _note(stamps: Stamps, me: int, data: bytes) -> None:
    """Record received numbers; number 0 is the greeting, which shows that a subscription is active."""
    number = struct.unpack("=Q", data)[0]
    if number:
        stamps.note(me, number)
    else:
        stamps.here(me)


def _greet(stamps: Stamps, send: Callable[[bytes], object]) -> None:
    """Send number 0 until all have received it: subscriptions are made in the background. Raises `Lost`."""
    deadline = time.monotonic() + DEADLINE
    while not stamps.all_here:
        if time.monotonic() > deadline:
            raise Lost("not all receivers came")
        send(_packed(0))
        time.sleep(0.01)


@contextmanager
def _forked(stamps: Stamps, work: Callable[[int], None], *, greeted: bool = False) -> Iterator[list[int]]:
    """Fork the receivers, wait until they listen (unless a greeting shows that), kill them at the end."""
    pids = [_fork(work, me) for me in range(stamps.receivers)]
    try:
        if not greeted:
            stamps.wait_for_all()
        yield pids
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


def _fork(work: Callable[[int], None], me: int) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work(me)
        finally:
            os._exit(1)
    return pid


@contextmanager
def _redis_server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    program = redis_server()
    assert program is not None, "there is no redis-server"
    command = [program, "--port", str(port), "--save", "", "--appendonly", "no", "--loglevel", "warning"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for_port(port)
            yield port
        finally:
            server.terminate()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


ZEROMQ, REDIS, MANAGER = "ZeroMQ ipc", "Redis pub/sub", "multiprocessing.Manager"


def peers() -> dict[str, Way | None]:
    """Return the other ways by name; None if the software is not installed here."""
    return {
        REDIS: redis if importlib.util.find_spec("redis") and redis_server() else None,
        ZEROMQ: zeromq if importlib.util.find_spec("zmq") else None,
        MANAGER: manager,
    }
