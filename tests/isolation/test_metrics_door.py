"""The metrics' door from outside: requests good and bad, whole and in pieces, and those who never ask or never read."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.exposition import Text
from tests.ipc.processes import Child, forked
from tests.isolation.sessions import Hall
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.extras.live.scrape import MOST_BYTES, serve_metrics
from yawc_poker.ipc import process
from yawc_poker.ipc.segment import NoSegment
from yawc_poker.session.caller.endings import Exit

Say = Callable[[str], None]

GET = b"GET /metrics HTTP/1.1\r\nHost: yawc\r\nUser-Agent: test\r\n\r\n"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall


@contextmanager
def door(hall: Hall, seconds: float = 20.0, asked: bytes = b"") -> Iterator[tuple[socket.socket, Child]]:
    """Return the caller's end of a connection whose other end a process of its own serves; it tells its exit code.

    What is `asked` has come before the process is there, however short its patience is.
    """
    here, there = socket.socketpair()
    here.settimeout(20)
    here.sendall(asked)

    def serve(say: Say) -> None:
        here.close()
        say(serve_metrics(there, lambda: Instance(hall.data, hall.config, hall.foundation.segment), seconds).name)

    with here, there, forked(serve) as child:
        there.close()
        yield here, child


def answer_to(connection: socket.socket) -> tuple[str, dict[str, str], str]:
    """Read an answer to its end: status line, headers, body."""
    data = b""
    while more := connection.recv(65536):
        data += more
    head, _, body = data.decode().partition("\r\n\r\n")
    status, *fields = head.split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    assert len(body.encode()) == int(headers["Content-Length"])
    return status, headers, body


def ask(hall: Hall, request: bytes) -> tuple[str, dict[str, str], str]:
    with door(hall) as (connection, child):
        connection.sendall(request)
        answer = answer_to(connection)
        connection.close()
        assert child.end() == ["OK"]
    return answer


def test_a_scrape_is_answered_as_the_format_wants(hall: Hall) -> None:
    hall.seat("Anna", "Bert")
    status, headers, body = ask(hall, GET)
    assert status == "HTTP/1.1 200 OK"
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert headers["Connection"] == "close"
    assert sum(Text(body)("yawc_sessions", place=place) for place in ("login", "prompt", "table")) == 2


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200 OK"),
        (b"GET /metrics HTTP/1.1\n\n", "200 OK"),
        (b"GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/.. HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "400 Bad Request"),
        (b"GET /metrics\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
        (b"\r\n\r\n", "400 Bad Request"),
        (b"\xff\xfb\x18\xff\xfe\r\n\r\n", "400 Bad Request"),
        (b"GET /" + b"m" * MOST_BYTES, "400 Bad Request"),
        (b"x" * (6 * MOST_BYTES), "400 Bad Request"),
    ],
)
def test_anything_but_the_metrics_is_refused(hall: Hall, request_text: bytes, status: str) -> None:
    assert ask(hall, request_text)[0] == f"HTTP/1.1 {status}"


def test_a_request_may_come_byte_by_byte(hall: Hall) -> None:
    with door(hall) as (connection, child):
        for byte in GET:
            connection.send(bytes([byte]))
        assert answer_to(connection)[0] == "HTTP/1.1 200 OK"
        connection.close()
        assert child.end() == ["OK"]


def test_a_request_that_breaks_off_is_told_so(hall: Hall) -> None:
    with door(hall) as (connection, child):
        connection.sendall(GET[:20])
        connection.shutdown(socket.SHUT_WR)
        assert answer_to(connection)[0] == "HTTP/1.1 400 Bad Request"
        assert child.end() == ["OK"]


@pytest.mark.parametrize("request_text", [b"", GET[:20]])
def test_a_scraper_that_does_not_ask_in_time_is_dropped(hall: Hall, request_text: bytes) -> None:
    with door(hall, 0.1, request_text) as (connection, child):
        assert connection.recv(100) == b""
        assert child.end() == ["OK"]


def test_a_scraper_that_asks_for_ever_is_dropped(hall: Hall) -> None:
    """Each byte comes in good time; all together take too long."""
    with door(hall, seconds=0.3) as (connection, child):
        wait_until(lambda: _refuses(connection), "the end")
        assert child.end() == ["OK"]


def _refuses(connection: socket.socket) -> bool:
    """Send one more byte."""
    try:
        connection.send(b"x")
    except ConnectionError:
        return True
    return False


def test_a_scraper_that_hangs_up_at_once_or_never_reads_harms_nobody(hall: Hall) -> None:
    with door(hall) as (connection, child):
        connection.close()
        assert child.end() == ["OK"]
    with door(hall, 0.2, GET) as (connection, child):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        assert child.end() == ["OK"]


def test_without_a_bbs_the_door_says_so(hall: Hall) -> None:
    def no_house() -> Instance:
        raise NoSegment("there is no segment")

    here, there = socket.socketpair()
    with here, there, forked(lambda say: say(serve_metrics(there, no_house).name)) as child:
        there.close()
        here.sendall(GET)
        status, _, body = answer_to(here)
        here.close()
        assert (status, body) == ("HTTP/1.1 503 Service Unavailable", "there is no segment\n")
        assert child.end() == [Exit.OK.name]


def test_a_scrape_takes_no_lock_no_place_and_opens_no_database(hall: Hall) -> None:
    """Every lock is held, every record taken, no database there."""
    segment = hall.foundation.segment
    for record in segment.records:
        if not record.token:
            record.claim(process.me(), record.index + 1, "nobody")
    for name in ("bank.sqlite", "users.sqlite"):
        (hall.data / name).unlink()

    def hold(say: Say) -> None:
        with segment.directory_lock, segment.cells[0].lock, segment.bank_lock, segment.broadcast_lock:
            say("held")
            signal.pause()

    with forked(hold) as holder:
        assert holder.hear() == "held"
        status, _, body = ask(hall, GET)
    assert status == "HTTP/1.1 200 OK"
    shown = Text(body)
    assert [shown("yawc_locks_held", lock=lock) for lock in ("directory", "table", "bank", "broadcast")] == [1] * 4
    assert shown("yawc_sessions", place="login") == len(segment.records)
    assert not (hall.data / "bank.sqlite").exists()
