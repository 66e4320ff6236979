"""The sysop at work during hostile acts: how long the BBS takes to answer `yawcctl` and scrapes.

A thread of this process sends the requests of `yawcctl`: starting an interpreter would take a quarter of a second,
which says nothing about the BBS and would disturb the measured callers.
"""

import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from yawc_poker.control import protocol
from yawc_poker.control.client import CannotAsk, Failed, asked
from yawc_poker.control.protocol import AnyRequest, sysop_request

PATIENCE = 60.0
"""Timeout of a command in seconds."""
PAUSE = 0.25
"""Seconds between two commands."""


class Sysop:
    """Sends one command after the other, in a thread, until the end of the block."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.seconds: dict[str, list[float]] = {}
        """Seconds per command, by the command's name."""
        self.failed: list[str] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(PATIENCE)

    @property
    def slowest(self) -> float:
        """Seconds of the slowest command."""
        return max((max(taken) for taken in self.seconds.values()), default=0.0)

    def told(self) -> str:
        """Return a text with the number and the maximum time of each command."""
        return ", ".join(f"{name} {len(taken)} (at most {max(taken):.2f} s)" for name, taken in self.seconds.items())

    def ban(self, address: str) -> None:
        """Ban an address; raise `CannotAsk`, `Failed`."""
        self._ask(sysop_request("ban", target=address, reason="flood", seconds=86400, kind="address"))

    def _work(self) -> None:
        number = 0
        while not self._over.is_set():
            number = number % 250 + 1
            self._timed(protocol.Status())
            self._timed(sysop_request("say", text="Good evening."))
            self._timed(sysop_request("ban", target=f"192.0.2.{number}", reason="flood", seconds=86400, kind="address"))
            self._timed(None)

    def _timed(self, request: AnyRequest | None) -> None:
        """Send a request, or scrape the metrics, and record the time."""
        name = "metrics" if request is None else request.word
        began = time.monotonic()
        try:
            if request is None:
                self._scrape()
            else:
                self._ask(request)
        except (CannotAsk, Failed, OSError) as error:
            self.failed.append(f"{name}: {error}")
        self.seconds.setdefault(name, []).append(time.monotonic() - began)
        self._over.wait(PAUSE)

    def _ask(self, request: AnyRequest) -> None:
        with asked(self._data, request, PATIENCE) as answers:
            for _ in answers:
                pass

    def _scrape(self) -> None:
        answer = b""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self._data / "metrics.sock"))
            connection.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            while data := connection.recv(65536):
                answer += data
        if b" 200 OK" not in answer[:20]:
            raise OSError(repr(answer[:80]))
