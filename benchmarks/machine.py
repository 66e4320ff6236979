"""The environment of the figures: machine, kernel, versions of everything measured. Read-only."""

import os
import platform
import shutil
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from benchmarks.build import redis_server

PACKAGES = ("blessed", "msgspec", "sysv_ipc")
PEERS = ("pyzmq", "redis", "telnetlib3", "treys", "phevaluator", "pokerkit")


def facts(load: str) -> dict[str, str]:
    """Return names and values; `load` is the load average at the beginning of the run."""
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {psutil.virtual_memory().total / 1e9:.0f} GB",
        "kernel": f"{platform.system()} {platform.release()}, {system}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "packages": _versions(PACKAGES),
        "peers": f"{_versions(PEERS)}, redis-server {_redis()}, C by {_first_line('cc', '--version')}",
        "load when it began": load,
    }


def load() -> str:
    """Return the load average of the last minute."""
    return f"{os.getloadavg()[0]:.2f}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _versions(packages: tuple[str, ...]) -> str:
    return ", ".join(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _redis() -> str:
    found = _first_line(redis_server() or "redis-server", "--version")
    return next((word.removeprefix("v=") for word in found.split() if word.startswith("v=")), found)


def _first_line(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return "(not installed)"
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]
