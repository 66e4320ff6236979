"""A machine of the tests' own making: a copy-on-write picture of this one, with systemd as its process 1.

An overlay over `/`, whose upper half is a tmpfs in a mount namespace of its own, is booted by systemd-nspawn. It has
processes, /dev/shm, semaphores, users and a journal of its own, and shares only the network, so that callers can call.
Nothing is written to this machine but an empty folder in each control group hierarchy, which goes with the container;
all mounts end with the last process in it.
"""

import os
import subprocess
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from tests.waiting import wait_until

TARGET = "yawc-test.target"
"""What is booted: what any service needs, and no timer, socket or mount of the machine below."""
BOOT_SECONDS = 60.0

_CGROUPS = (Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))
_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}

# $1: an empty folder; $2: files to lay over the root; then the folders of control groups to go into; `--`; the program.
_BOOT = """
set -e
here=$1; files=$2; shift 2
while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done
shift
mount -t tmpfs -o mode=755 tmpfs "$here"
mkdir "$here/upper" "$here/work" "$here/root"
cp -a "$files/." "$here/upper"
mount -t overlay -o lowerdir=/,upperdir="$here/upper",workdir="$here/work" overlay "$here/root"
exec "$@" --directory="$here/root"
"""


class NoContainer(Exception):
    """This machine cannot boot one; `str()` says why."""


class Container:
    """Boots on entering, gone on leaving. `files` is laid over the root."""

    def __init__(self, folder: Path, files: Path) -> None:
        self._mount = folder / "mount"
        self._mount.mkdir()
        self._files = files
        self._console = folder / "console.txt"
        self._groups: list[Path] = []
        self._leader = 0
        self._process: subprocess.Popen[bytes]

    def __enter__(self) -> Self:
        _prepare(self._files)
        try:
            self._groups = _own_groups(f"yawc-test-{uuid.uuid4().hex[:8]}")
            with self._console.open("wb") as console:
                self._process = subprocess.Popen(
                    self._command(), stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT
                )
            wait_until(self._booted, "the container", BOOT_SECONDS)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    # --- inside -------------------------------------------------------------------------------------------------------

    def run(self, *command: str | Path, text: str | None = None) -> str:
        """Run a command as root inside, and give what it wrote; it must succeed."""
        done = self.attempt(*command, text=text)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def attempt(self, *command: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as root inside."""
        return subprocess.run(
            [*self.inside(), *map(str, command)],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            check=False,
            env=_ENVIRONMENT,
        )

    @property
    def root(self) -> str:
        """Its root directory, as seen from here."""
        return f"/proc/{self._leader}/root"

    def inside(self) -> list[str]:
        """Return the beginning of a command line that is to be run inside."""
        spaces = ["--mount", "--uts", "--ipc", "--pid", "--net", "--cgroup"]
        return ["nsenter", f"--target={self._leader}", *spaces, "--"]

    # --- birth and death ----------------------------------------------------------------------------------------------

    def _command(self) -> list[str]:
        """With whoever runs the tests the whole container dies, too, however he dies."""
        scope = [] if self._groups else ["systemd-run", "--quiet", "--scope", "--collect", "--property=Delegate=yes"]
        outer = [*scope, "setpriv", "--pdeathsig=KILL", "unshare", "--pid", "--mount-proc", "--kill-child"]
        shell = ["sh", "-c", _BOOT, "sh", str(self._mount), str(self._files), *map(str, self._groups), "--"]
        nspawn = ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--link-journal=no"]
        nspawn += ["--resolv-conf=off", "--timezone=off"]
        return [*outer, *shell, *nspawn]

    def _booted(self) -> bool:
        if self._process.poll() is not None:
            raise NoContainer(self._last_words())
        if not self._leader:
            children = psutil.Process(self._process.pid).children(recursive=True)
            self._leader = next((one.pid for one in children if _is_systemd(one)), 0)
        return self._leader != 0 and self.attempt("systemctl", "is-active", TARGET).stdout == "active\n"

    def _last_words(self) -> str:
        lines = self._console.read_text("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "systemd-nspawn ended without a word")

    def _end(self) -> None:
        if hasattr(self, "_process"):
            self._process.kill()
            self._process.wait()
        for group in self._groups:
            wait_until(partial(_removed, group), f"the end of {group}")
        self._mount.rmdir()


def _is_systemd(process: psutil.Process) -> bool:
    try:
        return process.name() == "systemd"
    except psutil.NoSuchProcess:  # one of those that only set the container up
        return False


def _prepare(files: Path) -> None:
    """Lay beside what is to be tested: an identity of its own, nothing to mount, one target without foreign units."""
    units = files / "etc/systemd/system"
    units.mkdir(parents=True, exist_ok=True)
    (files / "etc/machine-id").write_text(uuid.uuid4().hex + "\n")
    (files / "etc/fstab").write_text("")
    (units / TARGET).write_text("[Unit]\nRequires=sysinit.target\nAfter=sysinit.target\n")
    (units / "default.target").symlink_to(TARGET)
    for foreign in ("timers.target", "sockets.target", "paths.target"):
        (units / foreign).symlink_to("/dev/null")


def _own_groups(name: str) -> list[Path]:
    """Make a control group for the container in every hierarchy; where a systemd runs, that makes one for a scope."""
    if Path("/run/systemd/system").is_dir():
        return []
    found = [root for root in _CGROUPS if (root / "cgroup.procs").exists()]
    if not found:
        raise NoContainer("there are no control groups")
    made = []
    for root in found:
        try:
            (root / name).mkdir()
        except OSError as error:
            raise NoContainer(f"no control group can be made: {error.strerror}") from None
        made.append(root / name)
    return made


def _removed(group: Path) -> bool:
    """Remove a control group with all below it; False while a process is in it."""
    try:
        for folder in _deepest_first(group):
            folder.rmdir()
    except OSError:
        return False
    return True


def _deepest_first(group: Path) -> Iterator[Path]:
    for path, _, _ in os.walk(group, topdown=False):
        yield Path(path)
