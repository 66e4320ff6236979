"""Many who call at once, and who is gone before he is answered: real connections."""

import socket
import struct
from pathlib import Path

import psutil

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.end_to_end.daemons import records
from tests.processes import serving
from tests.thoroughness import SOAK
from tests.waiting import wait_until


def call(bbs: Bbs, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", bbs.port), DEADLINE, (source, 0))


def answer(connection: socket.socket, text: bytes) -> bytes:
    """Read until this text has come, or the other side hangs up."""
    heard = b""
    while text not in heard:
        data = connection.recv(4096)
        if not data:
            break
        heard += data
    return heard


def test_many_calls_at_once_are_taken_one_after_the_other(tmp_path: Path) -> None:
    lines = 100 if SOAK else 30
    config = FAST.replace("max_per_address = 200", f"max_per_address = 200\nmax_sessions = {lines}\nmax_logins = 20")
    with Bbs(tmp_path / "data", config) as bbs:
        listener = psutil.Process(bbs.process.pid)
        calls = [call(bbs, f"127.0.{number // 250}.{1 + number % 250}") for number in range(2 * lines + 20)]
        wait_until(lambda: len(serving(listener.pid)) >= lines, "as many sessions as there are lines")
        assert b"Name:" in answer(calls[-1], b"Name:")
        wait_until(lambda: len(serving(listener.pid)) == lines + 20, "the end of those who went for others")
        assert b"All lines are busy" in answer(calls[0], b"All lines are busy")
        for one in calls:
            one.close()
        wait_until(lambda: records(bbs.data) == 0 and not serving(listener.pid), "the end of all sessions")
        bbs.call().see("Name:")


def test_who_is_gone_before_he_is_answered_costs_no_process(bbs: Bbs) -> None:
    bbs.call().see("Name:")
    bbs.everybody_out()
    listener = psutil.Process(bbs.process.pid)
    listener.suspend()
    call(bbs).close()
    with call(bbs) as broken:
        broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed, it is a reset
    with call(bbs) as last_words:
        last_words.sendall(b"/quit\r\n")
        last_words.shutdown(socket.SHUT_WR)
        listener.resume()
        assert answer(last_words, b"never comes").startswith(b"\xff"), "who has said something is answered"
    bbs.call().see("Name:")
    assert bbs.log.read_text().count("127.0.0.1: hung up") <= 2  # the first caller's, and that of the last words
