"""Machines of their own on this one: network namespaces, joined to one in the middle by cables that a test can pull.

A process that is started `inside` a namespace stays there, and so does a socket that was made there: a test calls each
host at its own 127.0.0.1, whatever becomes of the cables. Wants root and the program ip (Debian: iproute2).
"""

import ctypes
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

HUB: Final = "10.77.0.1"
"""The address of what stands in the middle, for all hosts."""
_NAMED: Final = Path("/run/netns")
_CLONE_NEWNET: Final = 0x40000000
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def why_not() -> str:
    """Return why there can be no such machines; empty: there can."""
    if os.geteuid() != 0:
        return "network namespaces want root"
    if shutil.which("ip") is None:
        return "the program ip is needed for network namespaces (Debian: iproute2)"
    name = f"yawc-{secrets.token_hex(4)}"
    try:
        _ip("netns", "add", name)
    except subprocess.CalledProcessError as error:
        return f"no network namespace can be made here: {error.stderr.strip()}"
    _ip("netns", "delete", name)
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Namespace:
    """A network of its own, with 127.0.0.1."""

    def __init__(self, name: str) -> None:
        self.name = name
        _ip("netns", "add", name)
        self._file = os.open(_NAMED / name, os.O_RDONLY | os.O_CLOEXEC)
        self.ip("link", "set", "lo", "up")

    def ip(self, *words: str) -> None:
        """Run ip there."""
        _ip("-n", self.name, *words)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be there for the block, with this thread alone: processes and sockets that it makes stay there."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(self._file)
            yield
        finally:
            _enter(before)
            os.close(before)

    def pids(self) -> list[int]:
        """Return all processes there."""
        there = os.fstat(self._file).st_ino
        return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if _network_of(pid) == there]

    def close(self) -> None:
        """Take its name away; it ends with its last process."""
        os.close(self._file)
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "delete", self.name)


def _enter(file: int) -> None:
    if _LIBC.setns(file, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def _network_of(pid: int) -> int:
    """Return the number of a process's network; 0: it has ended, or is this one, which is a guest there at most."""
    try:
        return 0 if pid == os.getpid() else os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return 0


class Network:
    """A machine in the middle, `hub`, and hosts; each has a cable to the hub, and none to another host."""

    def __init__(self, hosts: int) -> None:
        tag = f"yawc-{secrets.token_hex(4)}"
        self.hub = Namespace(f"{tag}-hub")
        self.hosts: Sequence[Namespace] = [Namespace(f"{tag}-{number}") for number in range(hosts)]
        self.hub.ip("address", "add", f"{HUB}/32", "dev", "lo")
        for number, host in enumerate(self.hosts):
            ends = ("netns", self.hub.name, "type", "veth", "peer", "name", "eth0", "netns", host.name)
            _ip("link", "add", _cable(number), *ends)
            host.ip("address", "add", f"{_address(number)}/24", "dev", "eth0")
            host.ip("link", "set", "eth0", "up")
            self.join(number)

    def cut(self, number: int) -> None:
        """Pull a host's cable: what is sent from now on is lost, and nobody is told."""
        self.hub.ip("link", "set", _cable(number), "down")

    def join(self, number: int) -> None:
        """Plug it in again."""
        self.hub.ip("link", "set", _cable(number), "up")
        self.hub.ip("route", "replace", f"{_address(number)}/32", "dev", _cable(number), "src", HUB)

    def close(self) -> None:
        """Take all of it away."""
        for one in (*self.hosts, self.hub):
            one.close()


def _cable(number: int) -> str:
    return f"cable{number}"


def _address(number: int) -> str:
    return f"10.77.0.{number + 2}"
