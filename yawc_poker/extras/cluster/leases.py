"""The rows of `cluster.host`: which hosts there are, who holds a lease, and how one is taken, renewed, taken away.

Owns these rows. Every function works in a transaction that somebody has begun; times are those of the database's clock.
A host *holds* a lease from its start until it gives it back or it is taken away. By the database's clock a lease has
*run out* when it was not renewed in time; that is for people to read, since that clock may be set. What counts is
whether a host gives a *sign*, which each renewal is: whoever looks counts by a clock of its own (`Signs`). Invariants:

* A number has one host at a time, and each time it takes its lease another epoch.
* Who takes a lease, or decides by whether others hold one, locks the whole table: such decisions come one after the
  other. Renewing waits for them, and transactions of hosts (`ClusteredHost.fence`) do not.
* Nobody is beside a host that merely holds a lease: a start waits for a sign of each, or takes the lease away from one
  that gave none for the time of a lease. A host that starts says at once that its former epoch is *gone*, so that hosts
  which died together do not wait for each other.
* Leases of hosts that died together end in one transaction: whoever looks at a table finds all of them gone, or none.
* A host that settles what nobody plays is alone: nobody else holds a lease, and a start waits until it is done.
* A lease holds on the server where it was taken, and only until a replica is promoted in its place: what that has
  may be older than what hosts know.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from yawc_poker.casino.store.connection import Connection, StoreError, struct_of
from yawc_poker.extras.cluster.local_host import fence_lock

FOUNDING_SECONDS: Final = 60.0
"""How long a lease holds that a start takes; then the courier renews it. What comes between may take long."""
RENEWALS: Final = 3
"""Renewals in the time of a lease."""


class HostsDiffer(StoreError):
    """A host cannot take part: its name or number is another's, or it is set up in another way."""


class Shape(msgspec.Struct, frozen=True):
    """What all hosts must agree in, since each has room for everybody."""

    tables: tuple[str, ...]
    """The kind of each table's game, by its number."""
    span: int
    """Records of each host."""
    hosts: int
    """Hosts at most."""
    layout: int
    """Version of the segment's layout."""
    lease_seconds: float = 15
    layouts: dict[str, int] = {}
    """The layout of each of the database's schemas that the host's program makes; the first programs did not say."""
    usable_from: dict[str, int] = {}
    """The oldest layout whose programs may use what it makes."""

    def differences(self, other: "Shape") -> list[str]:
        """Return what differs, each with the value here and there, in words of the configuration."""
        found = [
            f"{kind}.tables ({self.tables.count(kind)} and {other.tables.count(kind)})"
            for kind in sorted({*self.tables, *other.tables})
            if self.tables.count(kind) != other.tables.count(kind)
        ]
        if not found and self.tables != other.tables:
            found = ["the order of tables, which a version of the program has"]
        if self.span != other.span:
            named = "telnet.max_sessions, telnet.max_logins, maumau.max_clients or house.players"
            found.append(f"{named} ({self.span} and {other.span} records)")
        if self.hosts != other.hosts:
            found.append(f"cluster.hosts ({self.hosts} and {other.hosts})")
        if self.lease_seconds != other.lease_seconds:
            found.append(f"cluster.lease_seconds ({self.lease_seconds:g} and {other.lease_seconds:g})")
        if self.layout != other.layout:
            found.append(f"the version of the program (layouts {self.layout} and {other.layout})")
        for schema in sorted({*self.layouts, *other.layouts}):
            mine, theirs = self.layouts.get(schema, 0), other.layouts.get(schema, 0)
            newer = self if mine > theirs else other
            if min(mine, theirs) < newer.usable_from.get(schema, newer.layouts.get(schema, 0)):
                found.append(f"the layout of {schema} in the database ({mine} and {theirs})")
        return found


class Host(msgspec.Struct, frozen=True):
    """A host, as its row says."""

    number: int
    name: str
    identity: str
    epoch: int
    left: float | None
    """Seconds until its lease runs out, below 0: since; None: it holds none."""
    since: float
    """When its epoch began, epoch seconds."""
    version: str
    shape: str
    lag: float
    alone: bool
    gone: bool
    """Its processes of this epoch have ended, and it is about to take its lease anew."""
    fresh: bool
    """It has just taken its lease, and gives no sign before its courier is there (`FOUNDING_SECONDS`)."""
    sign: str
    """Another one after each renewal."""

    @property
    def holds(self) -> bool:
        """Whether it holds a lease, which may have run out."""
        return self.left is not None

    @property
    def has_run_out(self) -> bool:
        """Whether it holds a lease that was not renewed in time."""
        return self.left is not None and self.left <= 0


class Own(msgspec.Struct, frozen=True):
    """A host that starts."""

    name: str
    identity: str
    """Of its data directory."""
    version: str
    shape: Shape


class Ended(msgspec.Struct, frozen=True):
    """A lease that ended because its host gave no sign, or begins anew."""

    number: int
    epoch: int
    """The first one that its host may still have."""


class Claim(msgspec.Struct, frozen=True):
    """A lease that was taken."""

    number: int
    epoch: int
    alone: bool
    """Nobody else holds one: what nobody plays is this host's to settle, and nobody starts until `settled`."""
    now: float
    """The time, in epoch seconds, by the clock of the database."""
    ended: tuple[Ended, ...] = ()
    """Whose leases ended by it, this host's former one among them."""


class NotYet(msgspec.Struct, frozen=True):
    """A host cannot start now, but soon."""

    reason: str
    waits_for_sign: bool = False
    """Others hold leases, and nobody knows yet whether they live."""


_SIGN: Final = "extract(epoch FROM until)::text"
_COLUMNS: Final = f"""
    SELECT number, name, identity, epoch,
        CASE WHEN until > '-infinity' THEN extract(epoch FROM until - clock_timestamp())::float8 END,
        extract(epoch FROM since)::float8, version, shape, lag, alone,
        coalesce((to_jsonb(host) ->> 'gone')::integer, 0), coalesce((to_jsonb(host) ->> 'fresh')::integer, 0), {_SIGN}
    FROM cluster.host
"""
"""A start looks at them before it brings tables of a former program up to date, which had no `gone` and no `fresh`."""
_UNTIL: Final = "clock_timestamp() + make_interval(secs => ?)"
_NOW: Final = "extract(epoch FROM clock_timestamp())::float8"
_NEVER: Final = "'-infinity'::timestamptz"


def all_hosts(database: Connection) -> list[Host]:
    """Return all hosts, by number."""
    return [struct_of(Host, row) for row in database.execute(f"{_COLUMNS} ORDER BY number")]


# --- signs ------------------------------------------------------------------------------------------------------------


class Signs:
    """Which hosts have given a sign, as one process sees it that looks at their rows again and again.

    It counts by a clock of its own: the database's may be set. While it does not look it sees nothing: a pause counts
    no longer than hosts take between two renewals.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`seconds` are those of a lease."""
        self._seconds = seconds
        self._clock = clock
        self._looked: float | None = None
        self._seen: dict[int, tuple[tuple[int, str], float]] = {}
        """Epoch and sign of each host, and for how many seconds they have been the same."""
        self._given: set[int] = set()

    def note(self, hosts: Iterable[Host]) -> None:
        """Note what the rows say."""
        now = self._clock()
        passed = 0.0 if self._looked is None else min(now - self._looked, self._seconds / RENEWALS)
        self._looked = now
        for host in hosts:
            sign = (host.epoch, host.sign)
            known, lasted = self._seen.get(host.number, (sign, -passed))
            self._seen[host.number] = (sign, lasted + passed if known == sign else 0.0)
            if known != sign:
                self._given.add(host.number)

    def forget(self) -> None:
        """Begin anew: nobody could give a sign, or this process saw none."""
        self._seen.clear()
        self._given.clear()

    def has_given(self, host: Host) -> bool:
        """Return whether a host has given a sign before the eyes of this process."""
        return host.number in self._given

    def silence(self, host: Host) -> float:
        """Return the parts of its lease for which a host has given no sign: from 1 on that is taken away."""
        _, lasted = self._seen.get(host.number, ((0, ""), 0.0))
        return lasted / (max(self._seconds, FOUNDING_SECONDS) if host.fresh else self._seconds)


# --- a start ----------------------------------------------------------------------------------------------------------


def register(database: Connection, own: Own, seconds: float, signs: Signs) -> Claim | NotYet:
    """Take the lease of a host that starts, for so many seconds; raise `HostsDiffer` if it cannot take part.

    `signs` is what it has seen of the others, by calls before this one: a host that starts calls again and again. None
    of its former processes may write any more, nor may any that it has.
    """
    _wait_for(database, [host for host in all_hosts(database) if host.name == own.name or _is_lost(host, signs)])
    _lock(database)
    hosts = all_hosts(database)
    signs.note(hosts)
    others = [host for host in hosts if host.holds and (host.name, host.identity) != (own.name, own.identity)]
    lost = [host for host in others if _is_lost(host, signs)]
    there = [host for host in others if host not in lost]
    refuse(own, there)
    if unsure := [host.name for host in there if not signs.has_given(host)]:
        database.execute("UPDATE cluster.host SET gone = 1 WHERE name = ? AND identity = ?", (own.name, own.identity))
        return NotYet(f"no sign of {', '.join(unsure)}, which may come back", waits_for_sign=True)
    for host in there:
        _refuse_beside(own, host)
    if busy := next((host for host in there if host.alone), None):
        return NotYet(f"host {busy.name} settles what nobody plays any more")
    ended = _end(database, [host for host in hosts if host in lost or host.name == own.name])
    number, epoch = _place(own, all_hosts(database))
    _drop_elsewhere(database, own.name, number)
    shape = msgspec.json.encode(own.shape).decode()
    insert = f"""
        INSERT INTO cluster.host
            (number, name, identity, epoch, until, since, version, shape, lag, alone, fresh, server)
        VALUES (?, ?, ?, ?, {_UNTIL}, clock_timestamp(), ?, ?, 0, ?, 1, cluster.server())
        ON CONFLICT (number) DO UPDATE SET name = EXCLUDED.name, identity = EXCLUDED.identity, epoch = EXCLUDED.epoch,
            until = EXCLUDED.until, since = EXCLUDED.since, version = EXCLUDED.version, shape = EXCLUDED.shape,
            lag = 0, alone = EXCLUDED.alone, gone = 0, fresh = 1, server = EXCLUDED.server
        RETURNING {_NOW}
    """
    alone = not there
    row = (number, own.name, own.identity, epoch, seconds, own.version, shape, int(alone))
    (now,) = database.execute(insert, row).fetchone()
    return Claim(number, epoch, alone, float(now), tuple(ended))


def _is_lost(host: Host, signs: Signs) -> bool:
    return host.gone or signs.silence(host) >= 1


def refuse(own: Own, hosts: Sequence[Host]) -> None:
    """Raise `HostsDiffer` if a host cannot take part beside those that seem to live."""
    for host in hosts:
        if host.holds and not host.has_run_out and not host.gone:
            _refuse_beside(own, host)


def _refuse_beside(own: Own, host: Host) -> None:
    if host.name != own.name:
        _refuse_other_shape(own, host)
    elif host.identity != own.identity:
        raise HostsDiffer(
            f"[cluster] host: another data directory is the host {own.name}, and holds its lease for"
            f" {host.left or 0:.0f} s more"
        )


def _refuse_other_shape(own: Own, host: Host) -> None:
    try:
        differences = own.shape.differences(msgspec.json.decode(host.shape, type=Shape))
    except msgspec.MsgspecError:
        differences = ["the version of the program"]
    if differences:
        raise HostsDiffer(
            f"host {host.name} runs, and differs in {', '.join(differences)}: all hosts must have the same"
        )


def _place(own: Own, hosts: Sequence[Host]) -> tuple[int, int]:
    """Return number and epoch of a host that starts, whose former one has ended.

    Raise `HostsDiffer` if there are too many.
    """
    mine = next((host for host in hosts if host.name == own.name), None)
    highest = max((host.epoch for host in hosts), default=0)
    if mine is not None and mine.number < own.shape.hosts:
        return mine.number, mine.epoch
    taken = {host.number for host in hosts if host is not mine}
    if free := [number for number in range(own.shape.hosts) if number not in taken]:
        return free[0], highest + 1
    if idle := [host for host in hosts if not host.holds and host.number < own.shape.hosts]:
        return min(idle, key=lambda host: host.since).number, highest + 1
    names = ", ".join(host.name for host in hosts)
    raise HostsDiffer(f"[cluster] hosts: there are {own.shape.hosts} hosts already ({names})")


def _drop_elsewhere(database: Connection, name: str, number: int) -> None:
    """Drop the row that a host had under a number that it cannot have any more."""
    where = "SELECT number FROM cluster.host WHERE name = ? AND number <> ?"
    database.execute(f"DELETE FROM cluster.session WHERE host IN ({where})", (name, number))
    database.execute("DELETE FROM cluster.host WHERE name = ? AND number <> ?", (name, number))


def settled(database: Connection, number: int, epoch: int) -> bool:
    """Note that a host that was alone has settled everything: others may start. Return False if it is fenced."""
    update = "UPDATE cluster.host SET alone = 0 WHERE number = ? AND epoch = ?"
    return database.execute(update, (number, epoch)).rowcount == 1


# --- a lease ----------------------------------------------------------------------------------------------------------


def renew(database: Connection, number: int, epoch: int, seconds: float, lag: float, version: str = "") -> float | None:
    """Renew a lease for so many seconds, and return the time, in epoch seconds; None: it ended.

    It was taken away, or this is not the server any more where it was taken. `lag` is how many seconds late its courier
    is, `version` its program's, which may have been replaced.
    """
    update = f"""
        UPDATE cluster.host SET until = {_UNTIL}, fresh = 0, lag = ?, version = coalesce(nullif(?, ''), version)
        WHERE number = ? AND epoch = ? AND until > {_NEVER} AND server = cluster.server() RETURNING {_NOW}
    """
    found = database.execute(update, (seconds, lag, version, number, epoch)).fetchone()
    return None if found is None else float(found[0])


def take_away(database: Connection, silent: Iterable[Host]) -> list[Ended]:
    """Take away the leases of hosts that gave no sign, and of those that are gone; return whose.

    The transaction is fenced by the caller's own lease. A host that has given a sign meanwhile keeps its lease.
    """
    signs = {host.number: (host.epoch, host.sign) for host in silent}
    _wait_for(database, [host for host in all_hosts(database) if host.number in signs or host.gone])
    _lock(database)
    known = [host for host in all_hosts(database) if host.holds]
    still = [host for host in known if signs.get(host.number) == (host.epoch, host.sign)]
    return _end(database, [host for host in known if host in still or host.gone]) if still else []


def give_back(database: Connection, number: int, epoch: int) -> None:
    """End a lease; if it was taken away, that is done already."""
    update = f"UPDATE cluster.host SET until = {_NEVER}, alone = 0 WHERE number = ? AND epoch = ?"
    database.execute(update, (number, epoch))


def stay_alone(database: Connection, number: int, epoch: int) -> bool:
    """Note that a host which closes settles what nobody plays; return False if others hold leases, or it is fenced."""
    _lock(database)
    if any(host.holds for host in all_hosts(database) if host.number != number):
        return False
    update = f"UPDATE cluster.host SET alone = 1 WHERE number = ? AND epoch = ? AND until > {_NEVER}"
    return database.execute(update, (number, epoch)).rowcount == 1


def take_all(database: Connection) -> list[Ended]:
    """Take all leases away."""
    _wait_for(database, all_hosts(database))
    _lock(database)
    return _end(database, [host for host in all_hosts(database) if host.holds])


def _lock(database: Connection) -> None:
    """Let no other transaction change rows until this one ends; fences and looks go on."""
    database.execute("LOCK TABLE cluster.host IN SHARE ROW EXCLUSIVE MODE")


def _wait_for(database: Connection, hosts: Sequence[Host]) -> None:
    """Wait for the transactions that are under way in the epochs of these hosts, and let none begin.

    This is done before the table is locked, for which renewals wait.
    """
    for host in sorted(hosts, key=lambda one: one.number):
        database.execute("SELECT pg_advisory_xact_lock(?, ?)", fence_lock(host.number, host.epoch))


def _end(database: Connection, hosts: Sequence[Host]) -> list[Ended]:
    """End the epochs of these hosts; return what ended. The table is locked."""
    _wait_for(database, hosts)
    update = (
        f"UPDATE cluster.host SET epoch = epoch + 1, until = {_NEVER}, alone = 0, gone = 0, fresh = 0 WHERE number = ?"
    )
    for host in hosts:
        database.execute(update, (host.number,))
    return [Ended(host.number, host.epoch + 1) for host in hosts]
