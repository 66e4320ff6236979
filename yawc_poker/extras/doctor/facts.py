"""Reading a machine for `checks`: /proc, /sys, file systems, certificates, shared memory. Changes and locks nothing.

Whatever cannot be read is left out.
"""

import ctypes
import os
import platform
import pwd
import re
import resource
import ssl
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import psutil
from msgspec.structs import asdict

from yawc_poker.bbs.lifecycle import read_config as read_file
from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.instance.instance import layout, read_config
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config import Config, parts
from yawc_poker.digits import decimal
from yawc_poker.extras.doctor.checks import (
    Bbs,
    Certificate,
    Facts,
    Limits,
    Room,
    Semaphores,
    Stuck,
    end_of,
)
from yawc_poker.ipc.segment import MEMORY, NoSegment, SegmentError, segment_name
from yawc_poker.ipc.semaphore import PATIENCE
from yawc_poker.registry.games import SETTINGS
from yawc_poker.session.prefork.immortal import obstacle
from yawc_poker.session.prefork.ksm import SWITCH

_MERGING_KERNEL: Final = (6, 4)
_NOT_KEPT: Final = 5
"""What adjtimex(2) returns for a clock that nothing keeps (TIME_ERROR)."""
_BEYOND: Final = 4096
"""Bytes that no kernel's `struct timex` takes."""


def read(data: Path, file: Path | None) -> Facts:
    """Read the machine for the BBS of a data directory.

    The configuration is the file's if one is given, else the running BBS's, or that of the last one, or the usual one.
    Raise `ConfigError`.
    """
    config, bbs = _config(data, file), _bbs(data)
    owner = _stat(data)
    wanted = layout(config)
    return Facts(
        now=time.time(),
        data=str(data),
        user=os.geteuid(),
        config=config,
        bbs=bbs,
        owner=None if owner is None else owner.st_uid,
        mode=0o700 if owner is None else owner.st_mode,
        foreign=() if owner is None else _foreign(data, owner.st_uid),
        semaphores=_semaphores(),
        locks=wanted.tables + 3,
        memory=_room(MEMORY),
        segment=wanted.size,
        disk=_room(data),
        limits=None if bbs.listener is None else _limits(bbs.listener),
        clock_is_kept=_clock_is_kept(),
        newest=_newest(data),
        merges=_text(SWITCH) == "1",
        can_merge=_kernel() >= _MERGING_KERNEL,
        obstacle=obstacle(),
        machine=psutil.virtual_memory().total,
        certificates=tuple([_certificate(name, cert, key) for name, cert, key in _named(config)]),
        removes_ipc=_removes_ipc(None if owner is None else owner.st_uid),
    )


def _config(data: Path, file: Path | None) -> Config:
    if file is None:
        with suppress(SegmentError):
            return read_config(data, SETTINGS)
    return read_file(file)


def _bbs(data: Path) -> Bbs:
    try:
        seen = Snapshot.at(segment_name(data))
    except NoSegment:
        return Bbs()
    except SegmentError as error:
        return Bbs(problem=str(error))
    return Bbs(
        listener=seen.listener.pid if seen.is_served and seen.listener is not None else None,
        sessions=seen.living_here,
        dead=len(seen.near) - seen.living_here,
        stuck=tuple(
            [
                Stuck(lock.name, lock.holder, lock.seconds)
                for lock in seen.held
                if lock.holder and lock.seconds > PATIENCE
            ]
        ),
        left_behind=not seen.is_served and not seen.living_here,
    )


def _stat(path: Path) -> os.stat_result | None:
    with suppress(OSError):
        return path.stat()
    return None


def _text(path: Path) -> str:
    """Return what a small file holds; empty: it cannot be read."""
    with suppress(OSError):
        return path.read_text(errors="replace").strip()
    return ""


def _foreign(data: Path, owner: int) -> tuple[str, ...]:
    found = []
    with suppress(OSError):
        for path in sorted(data.iterdir()):
            facts = _stat(path)
            if facts is not None and facts.st_uid != owner:
                found.append(path.name)
    return tuple(found)


def _room(path: Path) -> Room | None:
    while not path.exists() and path != path.parent and path != MEMORY:
        path = path.parent
    with suppress(OSError):
        facts = os.statvfs(path)
        return Room(facts.f_bavail * facts.f_frsize, facts.f_favail if facts.f_files else None)
    return None


def _semaphores() -> Semaphores | None:
    limits, sets = _text(Path("/proc/sys/kernel/sem")).split(), _text(Path("/proc/sysvipc/sem")).splitlines()
    if len(limits) != 4 or not sets:
        return None
    return Semaphores(len(sets) - 1, int(limits[3]))


def _limits(pid: int) -> Limits | None:
    """Return what a process may have: open files by its limit, processes by its control group's."""
    with suppress(psutil.Error, OSError):
        files = psutil.Process(pid).rlimit(resource.RLIMIT_NOFILE)[1]
        group = re.search(r"^0::(\S+)", _text(Path(f"/proc/{pid}/cgroup")), re.MULTILINE)
        most = _text(Path(f"/sys/fs/cgroup{group[1]}/pids.max")) if group else ""
        return Limits(None if files == resource.RLIM_INFINITY else files, decimal(most))
    return None


def _clock_is_kept() -> bool | None:
    """Return whether the kernel says that its clock follows another one; adjtimex(2) changes nothing here."""
    found = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_BEYOND))
    return None if found < 0 else found != _NOT_KEPT


def _newest(data: Path) -> float | None:
    with suppress(StoreError), closing(marked(data).books(look_only=True)) as store, store.reading() as books:
        found = books.execute("SELECT at FROM txn ORDER BY id DESC LIMIT 1").fetchone()
        return None if found is None else float(found[0])
    return None


def _kernel() -> tuple[int, ...]:
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return tuple(map(int, found.groups())) if found else ()


def _named(config: Config) -> list[tuple[str, str, Path]]:
    """Return the certificates that sections of the configuration name, each with the file of its key."""
    named = [(name, asdict(part)) for name, part in parts(config)]
    return [(name, str(one["cert"]), Path(one["key"] or one["cert"])) for name, one in named if one.get("cert")]


def _certificate(section: str, file: str, key: Path) -> Certificate:
    facts = _stat(key)
    try:
        text = Path(file).read_text(errors="replace")
        begin, end = text.find("-----BEGIN CERTIFICATE-----"), text.find("-----END CERTIFICATE-----")
        if begin < 0 or end < 0:
            raise ValueError("no certificate in it")
        ends = end_of(ssl.PEM_cert_to_DER_cert(text[begin:end] + "-----END CERTIFICATE-----"))
    except OSError as error:
        return Certificate(section, file, None, error.strerror or "cannot be read")
    except ValueError as error:
        return Certificate(section, file, None, str(error))
    return Certificate(section, file, ends, key_mode=None if facts is None else facts.st_mode)


def _removes_ipc(owner: int | None) -> bool:
    """Return whether logind removes what belongs to a user who has logged out: it does unless it was told not to."""
    with suppress(KeyError, OSError):
        if owner is None or Path("/var/lib/systemd/linger", pwd.getpwuid(owner).pw_name).exists():
            return False
    files = [Path("/etc/systemd/logind.conf"), *Path("/etc/systemd/logind.conf.d").glob("*.conf")]
    told = [found for file in files for found in re.findall(r"^\s*RemoveIPC\s*=\s*(\w+)", _text(file), re.MULTILINE)]
    return Path("/run/systemd/system").is_dir() and (not told or told[-1].lower() not in {"no", "false", "off", "0"})
