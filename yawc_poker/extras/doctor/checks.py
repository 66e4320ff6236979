"""What is wrong around a BBS, from what was read of its machine. Pure.

Owns the bounds and the cures. A check is a function of `Facts` that yields findings, also that all is well: so a sysop
sees what was looked at. What could not be read is no finding; the check is silent then.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

import msgspec

from yawc_poker.config import Config

DAY: Final = 86400.0
CERTIFICATE_DAYS: Final = 14
"""A certificate that ends within these should have been renewed."""
LEAST_DISK: Final = 100_000_000
SOON_DISK: Final = 1_000_000_000
"""Bytes below which bets may be refused soon; below which a sysop should look."""
LEAST_FILES: Final = 1000
"""Files that may be made yet on the disk."""
OF_A_SESSION: Final = 3
OF_THE_LISTENER: Final = 64
"""Descriptors that the listener keeps for a session, and beside them."""
_SPARE: Final = 32
"""Processes of `yawcctl` and of those who look at the metrics."""
_HEAVY: Final = 9_000_000
_LIGHT: Final = 4_500_000
"""Bytes of a session, and where objects are immortal."""
AHEAD: Final = 60.0
"""Seconds that what is in the books may lie ahead of the clock."""
FIRST_PERSON: Final = 1000
"""User numbers from here on are people's, whose semaphores logind removes when they log out."""

Verdict = Literal["good", "look", "wrong"]


class Finding(msgspec.Struct, frozen=True):
    """What a check has found."""

    about: str
    verdict: Verdict
    """look: it works, and may not for long, or costs more than it need."""
    text: str
    cure: str = ""
    """What to do; empty: nothing need be done."""


class Room(NamedTuple):
    """Of a file system."""

    free: int
    """Bytes."""
    files: int | None
    """How many may be made yet; None: it has no such limit."""


class Semaphores(NamedTuple):
    """The system's semaphores, which have a set each here."""

    used: int
    limit: int


class Limits(NamedTuple):
    """What the running listener may have; None: no limit is known."""

    files: int | None
    processes: int | None


class Certificate(NamedTuple):
    """A certificate that the configuration names."""

    section: str
    file: str
    ends: float | None
    """Epoch seconds; None: it cannot be read."""
    problem: str = ""
    key_mode: int | None = None
    """Permissions of the file with the private key."""


class Stuck(NamedTuple):
    """A lock that somebody has kept for long."""

    lock: str
    pid: int
    seconds: int


class Bbs(NamedTuple):
    """What of a BBS lives."""

    listener: int | None = None
    sessions: int = 0
    dead: int = 0
    """Sessions that nobody has tidied up behind yet."""
    stuck: tuple[Stuck, ...] = ()
    problem: str = ""
    """Why its shared memory cannot be read."""
    left_behind: bool = False
    """There is shared memory, and nobody lives in it."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of the machine. None: it could not be read, or is not there."""

    now: float
    data: str
    """The data directory."""
    user: int
    """Who asks."""
    config: Config
    bbs: Bbs = Bbs()
    owner: int | None = None
    """Of the data directory; None: there is none yet."""
    mode: int = 0o700
    foreign: tuple[str, ...] = ()
    """Files in it that belong to somebody else."""
    semaphores: Semaphores | None = None
    locks: int = 0
    """Semaphores that a BBS with this configuration takes."""
    memory: Room | None = None
    """Of /dev/shm."""
    segment: int = 0
    """Bytes of a segment with this configuration."""
    disk: Room | None = None
    limits: Limits | None = None
    clock_is_kept: bool | None = None
    """Whether the system says that its clock follows another one."""
    newest: float | None = None
    """The latest moment in the ledger, in epoch seconds."""
    merges: bool | None = None
    """Whether the kernel merges pages now."""
    can_merge: bool = True
    """Whether this kernel can."""
    obstacle: str = ""
    """Why objects cannot be immortal."""
    machine: int | None = None
    """Bytes of memory in it."""
    certificates: tuple[Certificate, ...] = ()
    removes_ipc: bool = False
    """Whether logind removes what belongs to the owner when they log out."""

    @property
    def runs(self) -> bool:
        """Whether a listener serves it."""
        return self.bbs.listener is not None

    @property
    def callers(self) -> int:
        """Sessions and logins at once, at most."""
        return self.config.telnet.max_sessions + self.config.telnet.max_logins


# --- the BBS itself ---------------------------------------------------------------------------------------------------


def _bbs(facts: Facts) -> Iterator[Finding]:
    bbs = facts.bbs
    if bbs.problem:
        yield Finding("BBS", "wrong", bbs.problem, "end what runs there, then: yawcctl ipc --remove --force")
    elif bbs.listener is not None:
        yield Finding("BBS", "good", f"listener {bbs.listener}, {bbs.sessions} sessions")
    elif bbs.sessions:
        text = f"no listener, but {bbs.sessions} sessions live: nobody new can call"
        yield Finding("BBS", "wrong", text, "systemctl start yawc-telnetd")
    elif bbs.left_behind:
        yield Finding("BBS", "look", "none runs; one that was killed has left shared memory", "start it, as always")
    else:
        yield Finding("BBS", "good", "none runs")
    if bbs.dead:
        text = f"{bbs.dead} sessions are dead, and their places not free yet"
        yield Finding("sessions", "look", text, "wait a minute; if they stay: yawcctl ipc, and the log")
    for one in bbs.stuck:
        text = f"process {one.pid} has held {one.lock} for {one.seconds} s"
        cure = f"is the disk slow, or the process stopped? kill {one.pid} frees the lock"
        yield Finding("lock", "wrong", text, cure)


# --- what it takes of the system --------------------------------------------------------------------------------------


def _semaphores(facts: Facts) -> Iterator[Finding]:
    if facts.semaphores is None:
        return
    used, limit = facts.semaphores
    needed = 0 if facts.runs else facts.locks
    text = f"{used} of {limit} are given out" + (f", and {needed} are needed" if needed else "")
    if limit - used < needed:
        cure = "whose are they? ipcs -s; or raise the fourth number: sysctl -w kernel.sem='32000 1024000 500 32000'"
        yield Finding("semaphores", "wrong", text, cure)
    else:
        yield Finding("semaphores", "good", text)


def _shared_memory(facts: Facts) -> Iterator[Finding]:
    if facts.memory is None:
        cure = "mount -t tmpfs tmpfs /dev/shm; in a container, give it one (--shm-size)"
        yield Finding("shared memory", "wrong", "there is no /dev/shm", cure)
        return
    needed = 0 if facts.runs else facts.segment
    text = f"/dev/shm has {_bytes(facts.memory.free)} free" + (f", {_bytes(needed)} are needed" if needed else "")
    if facts.memory.free < needed:
        cure = "mount -o remount,size=256M /dev/shm; in a container: --shm-size=256m"
        yield Finding("shared memory", "wrong", text, cure)
    else:
        yield Finding("shared memory", "good", text)


def _limits(facts: Facts) -> Iterator[Finding]:
    if facts.limits is None:
        return
    files = OF_A_SESSION * facts.callers + OF_THE_LISTENER
    yield _limit("files", facts.limits.files, files, "LimitNOFILE=")
    processes = facts.callers + facts.config.telnet.max_logins + facts.config.house.players + _SPARE
    yield _limit("processes", facts.limits.processes, processes, "TasksMax=")


def _limit(about: str, most: int | None, needed: int, setting: str) -> Finding:
    if most is None or most >= needed:
        return Finding(about, "good", f"{'no limit' if most is None else f'{most} at most'}; a full BBS takes {needed}")
    cure = f"systemctl edit yawc-telnetd: {setting}{needed} or more, or fewer [telnet] max_sessions; then restart it"
    return Finding(about, "look", f"{most} at most, and a full BBS takes {needed}", cure)


def _memory(facts: Facts) -> Iterator[Finding]:
    is_immortal = facts.config.engine.immortal and not facts.obstacle
    each = _LIGHT if is_immortal else _HEAVY
    if facts.machine is not None:
        needed, most = facts.callers * each, facts.machine * 4 // 5
        text = f"a full BBS takes about {_bytes(needed)}; the machine has {_bytes(facts.machine)}"
        if needed > most:
            cure = f"[telnet] max_sessions = {max(most // each, 1)}, or merge_memory"
            yield Finding("memory", "look", text, cure)
        else:
            yield Finding("memory", "good", text)
    if facts.config.engine.immortal and facts.obstacle:
        text = f"[engine] immortal does nothing, so sessions take twice the memory: {facts.obstacle}"
        yield Finding("memory", "look", text, "Python 3.12 or newer; nothing else is wrong with it")


def _merging(facts: Facts) -> Iterator[Finding]:
    if not facts.config.telnet.merge_memory:
        return
    if not facts.can_merge:
        text = "[telnet] merge_memory: this kernel cannot merge pages of a process"
        yield Finding("KSM", "look", text, "Linux 6.4 or later; or merge_memory = false")
    elif not facts.merges:
        cure = "echo 1 > /sys/kernel/mm/ksm/run; at each boot: deploy/tmpfiles.d/yawc-ksm.conf"
        yield Finding("KSM", "look", "[telnet] merge_memory: the kernel does not merge pages", cure)
    else:
        yield Finding("KSM", "good", "the kernel merges pages")


# --- what it keeps ----------------------------------------------------------------------------------------------------


def _disk(facts: Facts) -> Iterator[Finding]:
    if facts.disk is None:
        return
    free, files = facts.disk
    text = f"{_bytes(free)} free for {facts.data}"
    cure = "make room: without it bets are refused, and no game begins; old backups and logs go first"
    if free < LEAST_DISK:
        yield Finding("disk", "wrong", text, cure)
    elif free < SOON_DISK:
        yield Finding("disk", "look", text, cure)
    else:
        yield Finding("disk", "good", text)
    if files is not None and files < LEAST_FILES:
        yield Finding("disk", "wrong", f"{files} files may be made yet on it", "remove files there: df -i")


def _permissions(facts: Facts) -> Iterator[Finding]:
    if facts.owner is None:
        text = f"there is no data directory {facts.data}"
        yield Finding("permissions", "look", text, "is --data right? The first start makes it")
        return
    found = False
    if facts.mode & 0o022:
        found = True
        text = f"others may write to {facts.data} (mode {facts.mode & 0o777:o}), so no start is allowed"
        yield Finding("permissions", "wrong", text, f"chmod go-w {facts.data}")
    if facts.foreign:
        found = True
        names = ", ".join(facts.foreign[:5]) + (" and more" if len(facts.foreign) > 5 else "")
        yield Finding("permissions", "wrong", f"of another user: {names}", f"chown -R {facts.owner} {facts.data}")
    if facts.user not in {0, facts.owner}:
        found = True
        text = f"{facts.data} belongs to user {facts.owner}, and this is user {facts.user}"
        yield Finding("permissions", "wrong", text, "run yawcctl as that user, or as root by deploy/yawcctl")
    if facts.removes_ipc and facts.owner >= FIRST_PERSON:
        found = True
        text = "logind removes the semaphores of the BBS when its user logs out"
        yield Finding("permissions", "look", text, "RemoveIPC=no in logind.conf, or: loginctl enable-linger USER")
    if not found:
        yield Finding("permissions", "good", f"{facts.data} is its owner's alone")


def _clock(facts: Facts) -> Iterator[Finding]:
    if facts.newest is not None and facts.newest > facts.now + AHEAD:
        text = f"the ledger has an entry of {_date(facts.newest)}, and the clock says {_date(facts.now)}"
        yield Finding("clock", "wrong", text, "set the clock, then look at: yawcctl audit, yawcctl exchange")
    elif facts.clock_is_kept is False:
        cure = "timedatectl set-ntp true, or chrony; bans, clocks of accounts and share prices go by it"
        yield Finding("clock", "look", "nothing keeps the clock of this machine right", cure)
    elif facts.clock_is_kept:
        yield Finding("clock", "good", "it is kept right")


def _certificates(facts: Facts) -> Iterator[Finding]:
    for one in facts.certificates:
        about = f"[{one.section}]"
        if one.ends is None:
            yield Finding(about, "wrong", f"{one.file}: {one.problem}", f"[{one.section}] cert names a file of PEM")
            continue
        left = (one.ends - facts.now) / DAY
        text = f"{one.file} {'ended' if left < 0 else 'ends'} {_date(one.ends)}"
        if left < CERTIFICATE_DAYS:
            cure = "renew it: certbot renew; with deploy/certbot-hook the BBS has it at once"
            yield Finding(about, "wrong" if left < 0 else "look", text, cure)
        else:
            yield Finding(about, "good", text)
        if one.key_mode is not None and one.key_mode & 0o077:
            text = f"others may read its private key (mode {one.key_mode & 0o777:o})"
            yield Finding(about, "look", text, "chmod 600, and the user of the BBS as its owner")


CHECKS: Final[tuple[Callable[[Facts], Iterator[Finding]], ...]] = (
    _bbs,
    _permissions,
    _disk,
    _clock,
    _shared_memory,
    _semaphores,
    _limits,
    _memory,
    _merging,
    _certificates,
)


def examined(facts: Facts) -> list[Finding]:
    """Return what all checks find."""
    return [finding for check in CHECKS for finding in check(facts)]


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _date(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M UTC")


# --- a certificate's end ----------------------------------------------------------------------------------------------

_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
_SHORT_TIME: Final = 0x17
_TIME: Final = 0x18


def end_of(der: bytes) -> float:
    """Return when a certificate ends, in epoch seconds, given its DER (RFC 5280, 4.1). Raise `ValueError`.

    Python's ssl tells it only of a certificate that it trusts, so not of one that has ended.
    """
    try:
        _, whole, _ = _element(der)
        _, signed, _ = _element(whole)
        kind, _, behind = _element(signed)
        skipped = 3 if kind == _VERSION else 2  # number, algorithm and issuer; the first is read already
        for _ in range(skipped):
            _, _, behind = _element(behind)
        kind, validity, _ = _element(behind)
        _, _, behind = _element(validity)
        form, text, _ = _element(behind)
    except IndexError:
        raise ValueError("no certificate") from None
    if kind != _SEQUENCE or form not in {_SHORT_TIME, _TIME}:
        raise ValueError("no certificate")
    pattern = "%y%m%d%H%M%SZ" if form == _SHORT_TIME else "%Y%m%d%H%M%SZ"
    return datetime.strptime(text.decode("ascii", "replace"), pattern).replace(tzinfo=UTC).timestamp()


def _element(der: bytes) -> tuple[int, bytes, bytes]:
    """Return the kind of the first element, what it holds, and what is behind it. Raise `IndexError`."""
    kind, length, at = der[0], der[1], 2
    if length & 0x80:
        at += length & 0x7F
        length = int.from_bytes(der[2:at], "big")
    if len(der) < at + length:
        raise IndexError
    return kind, der[at : at + length], der[at + length :]
