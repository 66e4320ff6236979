"""A service manager for tests: what systemd does for a daemon that it starts, as far as one process can tell.

It opens the listening sockets, passes them from descriptor 3 on, and reads what the daemon tells it.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.bbs import DEADLINE, FAST

_LAUNCH = """
import json, os, sys
sockets, command = json.loads(sys.argv[1])
for at in range(sockets):
    os.dup2(200 + at, 3 + at)
    os.close(200 + at)
os.environ.setdefault("LISTEN_PID", str(os.getpid()))
os.environ.setdefault("WATCHDOG_PID", str(os.getpid()))
os.execv(command[0], command)
"""
"""Only the process itself knows its pid before it starts: so a launcher, which becomes the daemon."""


class Manager:
    """Started a daemon, and hears what it says of itself."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.log = folder / "data.log"
        self.config = folder / "data.toml"
        self.config.write_text(FAST)
        self.said: list[str] = []
        self._unheard: list[str] = []
        self._hears = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.address = str(folder / "notify")
        self._hears.bind(self.address)

    @contextmanager
    def started(
        self, sockets: Sequence[socket.socket] = (), names: str = "", environ: Mapping[str, str] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a daemon on passed sockets; at the end it must close in good order."""
        options = ["--config", str(self.config), "--data", str(self.data), "--host", "127.0.0.1", "--port", "0"]
        command = [sys.executable, "-m", "telnetd", *options]
        passed = {"LISTEN_FDS": str(len(sockets)), "LISTEN_FDNAMES": names} if sockets else {}
        lifted = [os.dup2(one.fileno(), at) for at, one in enumerate(sockets, 200)]
        with self.log.open("ab") as log:
            daemon = subprocess.Popen(
                [sys.executable, "-c", _LAUNCH, json.dumps([len(sockets), command])],
                pass_fds=lifted,
                stdout=log,
                stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": self.address, **passed, **(environ or {})},
            )
        for one in lifted:
            os.close(one)
        try:
            yield daemon
        finally:
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(DEADLINE) == 0, self.log.read_text()

    def hear(self, line: str, deadline: float = DEADLINE) -> list[str]:
        """Wait until the daemon says this; gives what it said since the last time, this included."""
        until = time.monotonic() + deadline
        said: list[str] = []
        while line not in said:
            if not self._unheard:
                ready = select.select([self._hears], [], [], max(0.0, until - time.monotonic()))[0]
                assert ready, f"never said {line!r}, but {said}: {self.log.read_text()}"
                self._unheard += self._hears.recv(4096).decode().split("\n")
            said.append(self._unheard.pop(0))
        self.said += said
        return said

    def hear_all(self, *lines: str) -> None:
        """Wait until the daemon has said these, in any order."""
        missing = set(lines)
        while missing:
            missing -= set(self.hear(min(missing)))

    def quiet(self, seconds: float = 0.3) -> bool:
        """Pass over what has been said already; True if nothing was, for so long."""
        said = bool(self._unheard)
        self._unheard.clear()
        while select.select([self._hears], [], [], seconds)[0]:
            self._hears.recv(4096)
            said = True
        return not said

    def close(self) -> None:
        self._hears.close()
