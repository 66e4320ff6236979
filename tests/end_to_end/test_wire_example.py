"""The protocol's worked example byte for byte (spec/maumau_protocol.md 7): real sockets, the real listener, one forked
session for each client. The deck reaches the table through the rules, in the test's own server process."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from telnetd.doors.door import Door
from telnetd.listener.daemon import Listener
from telnetd.listener.systemd import ServiceManager
from telnetd.signals import block_signals
from tests.end_to_end.wire import WireClient
from tests.engine.stacked import stacked
from tests.protocols.maumau_example import DECK, EXAMPLE
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.cards import written
from yawc_poker.config import Config, Engine
from yawc_poker.extras.maumau_wire.doors import WIRE
from yawc_poker.extras.maumau_wire.session import WireService
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.registry.games import MAUMAU_TABLES

CONFIG = Config(games=(MaumauSettings(turn_seconds=0, rounds=4),), engine=Engine(tick_seconds=0.2))


def serve(data: Path, listening: socket.socket) -> int:
    """Run as the listener until SIGTERM."""
    block_signals()
    MAUMAU_TABLES.rules = stacked(MAUMAU, written(DECK))
    foundation = Foundation.found(data, CONFIG)
    door = Door(WIRE, WireService(CONFIG), (listening,), 16)
    return Listener(CONFIG, lambda: CONFIG, [door], foundation, ServiceManager({})).run(lambda: None)


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = serve(tmp_path / "data", listening)
        finally:
            os._exit(code)
    with listening:
        yield int(listening.getsockname()[1])
    os.kill(pid, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_the_worked_example_byte_for_byte(port: int) -> None:
    clients: list[WireClient] = []
    expected = [b"", b""]
    for line in EXAMPLE:
        if line.sender is None:
            for place in (0, 1) if line.receiver is None else (line.receiver,):
                expected[place] += line.data
            continue
        for client, so_far in zip(clients, expected, strict=False):
            assert client.take_bytes(len(so_far)) == so_far
        if line.data[0] == 0x42:
            clients.append(WireClient(port))
        clients[line.sender].send(line.data)
    following = bytes.fromhex("72 02 04")
    for client, everything in zip(clients, expected, strict=True):
        assert client.take_bytes(len(everything) + 3) == everything + following
        client.close()
