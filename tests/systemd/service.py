"""The unit as a sysop sees it: systemctl, the journal, what is left when it has stopped; and callers."""

import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from tests.end_to_end.bbs import DEADLINE, Caller, TelnetCaller, connected
from tests.end_to_end.pty_caller import PtyCaller
from tests.ports import listens
from tests.systemd.container import Container
from tests.systemd.installation import DROPBEAR, PREFIX, SERVICE, SOCKET, WIRE
from tests.waiting import wait_until

USER = "yawc"
DATA = "/var/lib/yawc"


class Service:
    """The BBS, started by its socket and its service unit."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._callers: list[Caller] = []
        self._cursor = ""
        self.port = self._port(SOCKET)

    def __enter__(self) -> Self:
        self._cursor = self._container.run("journalctl", "--show-cursor", "--lines=0").rpartition("cursor: ")[2].strip()
        self.systemctl("start", SERVICE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for caller in self._callers:
            caller.hang_up()
        self.stop()
        left = self.left_over()
        sys.stderr.write("".join(f"<{priority}>{message}\n" for priority, message in self.journal()))
        self.systemctl("reset-failed")
        self._container.run("find", DATA, "-mindepth", "1", "-delete")
        assert left == []

    # --- as the sysop -------------------------------------------------------------------------------------------------

    def systemctl(self, *command: str) -> str:
        return self._container.run("systemctl", *command)

    def show(self, fact: str, unit: str = SERVICE) -> str:
        return self._container.run("systemctl", "show", "--value", f"--property={fact}", unit).strip()

    def stop(self) -> None:
        self.systemctl("stop", SOCKET, SERVICE)

    def run(self, *command: str) -> str:
        """Run a command as the BBS's user, outside of the unit."""
        return self._container.run("runuser", "-u", USER, "--", *command)

    def yawcctl(self, *command: str) -> str:
        return self._container.run("yawcctl", *command)

    def metrics(self) -> bytes:
        """Scrape what Prometheus scrapes."""
        with socket.socket(socket.AF_UNIX) as scrape:
            scrape.settimeout(DEADLINE)
            scrape.connect(f"{self._container.root}{DATA}/metrics.sock")
            scrape.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            with scrape.makefile("rb") as answer:
                return answer.read()

    @property
    def listener(self) -> int:
        """The listener's pid, as the container counts."""
        return int(self.show("MainPID"))

    def sessions(self) -> list[int]:
        """Pids of the BBS's processes but the listener and its spares."""
        spares = self._container.attempt("pgrep", "-u", USER, "yawc-spare").stdout.split()
        return [pid for pid in self.processes() if pid != self.listener and str(pid) not in spares]

    def signal(self, name: str) -> None:
        """Send a signal to the listener alone."""
        self._container.run("kill", f"-{name}", str(self.listener))

    def restarted(self, before: int) -> None:
        """Wait until another listener serves."""
        wait_until(lambda: self.listener not in (0, before) and self.show("SubState") == "running", "a new listener")

    @contextmanager
    def changed(self, text: str) -> Iterator[None]:
        """Run on with a drop-in, as `systemctl edit` makes it; the service is restarted."""
        folder = f"/run/systemd/system/{SERVICE}.d"
        self._container.run("sh", "-c", f"mkdir -p {folder}; cat >{folder}/test.conf", text=text)
        try:
            self.systemctl("daemon-reload")
            self.systemctl("restart", SERVICE)
            yield
        finally:
            self._container.run("rm", "-r", folder)
            self.systemctl("daemon-reload")

    def journal(self) -> list[tuple[int, str]]:
        """Priority and text of what the unit has logged during this test."""
        lines = self._container.run(
            "journalctl", f"--after-cursor={self._cursor}", f"--unit={SERVICE}", "--output=json"
        ).splitlines()
        entries = [json.loads(line) for line in lines]
        return [(int(entry["PRIORITY"]), str(entry["MESSAGE"])) for entry in entries]

    def logged(self, text: str) -> int:
        """Wait until a line with this text is in the journal, and give its priority."""
        found: list[int] = []

        def look() -> bool:
            found[:] = [priority for priority, message in self.journal() if text in message]
            return bool(found)

        wait_until(look, f"{text!r} in the journal")
        return found[-1]

    def processes(self) -> list[int]:
        return [int(pid) for pid in self._container.attempt("pgrep", "-u", USER).stdout.split()]

    def left_over(self) -> list[str]:
        """What is still there of a BBS that has stopped: processes, shared memory, semaphores, sockets."""
        processes = [f"process {pid}" for pid in self.processes()]
        memory = self._container.run("ls", "/dev/shm").split()
        semaphores = self._container.run("cat", "/proc/sysvipc/sem").splitlines()[1:]
        sockets = self._container.run("find", DATA, "-type", "s").split()
        return [*processes, *memory, *semaphores, *sockets]

    def _port(self, unit: str) -> int:
        found = re.fullmatch(r"127\.0\.0\.1:(\d+) \(Stream\)", self.show("Listen", unit))
        assert found, unit
        return int(found[1])

    # --- as a caller --------------------------------------------------------------------------------------------------

    def call(self) -> Caller:
        caller = TelnetCaller(connected(self.port))
        self._callers.append(caller)
        return caller

    def wire(self) -> socket.socket:
        """Connect as a client of Mau-Mau's protocol does."""
        return socket.create_connection(("127.0.0.1", self._port(WIRE)), DEADLINE)

    def seat(self, *names: str) -> list[Caller]:
        """Register these names and have them sit down in this order."""
        callers = [self.call().register(name) for name in names]
        for caller in callers:
            caller.sit()
        return callers

    def console(self) -> Caller:
        """A session on a terminal of its own, as one by ssh is: the BBS's user, outside of the unit."""
        command = ["runuser", "-u", USER, "--", f"{PREFIX}/bin/yawc-poker", "--data", DATA]
        caller = PtyCaller([*self._container.inside(), "env", "TERM=xterm-256color", *command])
        self._callers.append(caller)
        return caller

    @contextmanager
    def sshd(self, port: int) -> Iterator[None]:
        """Run sshd as deploy/README.md has it set up, with the account that callers log in to."""
        self._container.run("systemd-sysusers")
        self._container.run("passwd", "--delete", "bbs")
        self._container.run("ssh-keygen", "-A")
        self._container.run("mkdir", "-p", "/run/sshd")
        self._container.run("rm", "-f", "/run/nologin")  # of a boot that is not over
        self._container.run("/usr/sbin/sshd", "-t")
        options = ["-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-p", str(port)]
        self._container.run("systemd-run", "--quiet", "--unit=yawc-test-sshd", "/usr/sbin/sshd", "-D", *options)
        try:
            wait_until(lambda: listens(port), "sshd")
            yield
        finally:
            self.systemctl("stop", "yawc-test-sshd")

    @contextmanager
    def dropbear(self, port: int) -> Iterator[None]:
        """Run dropbear by its units, as deploy/README.md has them set up."""
        self._container.run("systemd-sysusers")
        self._container.run("passwd", "--delete", "bbs")
        self._container.run("install", "-d", "-m", "700", "/etc/yawc/dropbear")
        self._container.run("dropbearkey", "-t", "ed25519", "-f", "/etc/yawc/dropbear/host_key")
        folder, text = (
            f"/run/systemd/system/{DROPBEAR}.socket.d",
            f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{port}\n",
        )
        self._container.run("mkdir", "-p", folder)
        self._container.run("sh", "-c", f"cat >{folder}/port.conf", text=text)
        self.systemctl("daemon-reload")
        self.systemctl("start", f"{DROPBEAR}.socket")
        try:
            yield
        finally:
            self.systemctl("stop", f"{DROPBEAR}.socket")

    def call_by_ssh(self, port: int) -> Caller:
        """Call by that account; the BBS greets."""
        options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"]
        caller = PtyCaller(["ssh", "-p", str(port), *(f"-o{option}" for option in options), "bbs@127.0.0.1"])
        self._callers.append(caller)
        return caller
