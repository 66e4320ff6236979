"""The rows of `cluster.host`: which hosts there are, who holds a lease, and how one is taken, renewed, taken away.

Owns these rows. Every function works in a transaction that somebody has begun; times are those of the database's clock.
A host *holds* a lease from its start until it gives it back or it is taken away; the lease has *run out* when it was
not renewed in time, and its host may still come back. Invariants:

* A number has one host at a time, and each time it takes its lease another epoch.
* Who takes a lease, or decides by whether others hold one, locks the whole table: such decisions come one after the
  other. Renewing waits for them, and transactions of hosts (`Here.fence`) do not.
* A host that settles what nobody plays is alone: nobody else holds a lease, and a start waits until it is done.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from yawc_poker.casino.database.connection import Connection, StoreError

FOUNDING_SECONDS: Final = 60.0
"""How long a lease holds that a start takes; then the courier renews it. What comes between may take long."""


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
            found.append(f"telnet.max_sessions or house.players ({self.span} and {other.span} records)")
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


class Claim(msgspec.Struct, frozen=True):
    """A lease that was taken."""

    number: int
    epoch: int
    alone: bool
    """Nobody else holds one: what nobody plays is this host's to settle, and nobody starts until `settled`."""
    now: float
    """The time, in epoch seconds, by the clock of the database."""


class NotYet(msgspec.Struct, frozen=True):
    """A host cannot start now, but soon."""

    reason: str
    waits_for_lapsed: bool = False
    """Others' leases have run out, and they may come back."""


_COLUMNS: Final = """
    SELECT number, name, identity, epoch,
        CASE WHEN until > '-infinity' THEN extract(epoch FROM until - clock_timestamp())::float8 END,
        extract(epoch FROM since)::float8, version, shape, lag, alone
    FROM cluster.host
"""
_UNTIL: Final = "clock_timestamp() + make_interval(secs => ?)"
_NOW: Final = "extract(epoch FROM clock_timestamp())::float8"
_NEVER: Final = "'-infinity'::timestamptz"


def all_hosts(database: Connection) -> list[Host]:
    """Return all hosts, by number."""
    rows = database.execute(f"{_COLUMNS} ORDER BY number")
    return [
        Host(
            number=int(row[0]),
            name=str(row[1]),
            identity=str(row[2]),
            epoch=int(row[3]),
            left=None if row[4] is None else float(row[4]),
            since=float(row[5]),
            version=str(row[6]),
            shape=str(row[7]),
            lag=float(row[8]),
            alone=bool(row[9]),
        )
        for row in rows
    ]


def database_time(database: Connection) -> float:
    """Return the time by the database's clock, in epoch seconds."""
    return float(database.execute(f"SELECT {_NOW}").fetchone()[0])


# --- a start ----------------------------------------------------------------------------------------------------------


def register(database: Connection, own: Own, seconds: float, *, take_lapsed: bool = False) -> Claim | NotYet:
    """Take the lease of a host that starts, for so many seconds; raise `HostsDiffer` if it cannot take part.

    `take_lapsed`: others had time enough to renew leases that have run out, which are taken away from them.
    """
    _lock(database)
    hosts = all_hosts(database)
    if take_lapsed:
        for host in hosts:
            if host.name != own.name and host.has_run_out:
                _take(database, host.number)
        hosts = all_hosts(database)
    others = [host for host in hosts if host.name != own.name and host.holds]
    refuse(own, hosts)
    if lapsed := [host.name for host in others if host.has_run_out]:
        return NotYet(f"no sign of {', '.join(lapsed)}, which may come back", waits_for_lapsed=True)
    if busy := next((host for host in others if host.alone), None):
        return NotYet(f"host {busy.name} settles what nobody plays any more")
    number, epoch = _place(own, hosts)
    _drop_elsewhere(database, own.name, number)
    shape = msgspec.json.encode(own.shape).decode()
    insert = f"""
        INSERT INTO cluster.host (number, name, identity, epoch, until, since, version, shape, lag, alone)
        VALUES (?, ?, ?, ?, {_UNTIL}, clock_timestamp(), ?, ?, 0, ?)
        ON CONFLICT (number) DO UPDATE SET name = EXCLUDED.name, identity = EXCLUDED.identity, epoch = EXCLUDED.epoch,
            until = EXCLUDED.until, since = EXCLUDED.since, version = EXCLUDED.version, shape = EXCLUDED.shape,
            lag = 0, alone = EXCLUDED.alone
        RETURNING {_NOW}
    """
    alone = not others
    row = (number, own.name, own.identity, epoch, seconds, own.version, shape, int(alone))
    (now,) = database.execute(insert, row).fetchone()
    return Claim(number, epoch, alone, float(now))


def refuse(own: Own, hosts: Sequence[Host]) -> None:
    """Raise `HostsDiffer` if a host cannot take part beside those that hold leases which have not run out."""
    for host in hosts:
        if not host.holds or host.has_run_out:
            continue
        if host.name != own.name:
            _refuse_other_shape(own, host)
        elif host.identity != own.identity:
            raise HostsDiffer(
                f"[cluster] host: another data directory is the host {own.name}, and holds its lease for"
                f" {host.left:.0f} s more"
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
    """Return number and next epoch of a host that starts. Raise `HostsDiffer` if there are too many."""
    mine = next((host for host in hosts if host.name == own.name), None)
    highest = max((host.epoch for host in hosts), default=0)
    if mine is not None and mine.number < own.shape.hosts:
        return mine.number, mine.epoch + 1
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
    """Renew a lease for so many seconds, and return the time, in epoch seconds; None: it was taken away.

    `lag` is how many seconds late its courier is, `version` its program's, which may have been replaced.
    """
    update = f"""
        UPDATE cluster.host SET until = {_UNTIL}, lag = ?, version = coalesce(nullif(?, ''), version)
        WHERE number = ? AND epoch = ? AND until > {_NEVER} RETURNING {_NOW}
    """
    found = database.execute(update, (seconds, lag, version, number, epoch)).fetchone()
    return None if found is None else float(found[0])


def take_away(database: Connection, number: int, epoch: int) -> list[int]:
    """Take away the leases that have run out, as a host that holds its own; return whose.

    One that is renewed at this very moment stays.
    """
    update = f"""
        UPDATE cluster.host SET epoch = epoch + 1, until = {_NEVER}, alone = 0
        WHERE until < clock_timestamp() AND until > {_NEVER} AND number <> ? AND EXISTS (
            SELECT 1 FROM cluster.host AS own WHERE own.number = ? AND own.epoch = ? AND own.until > clock_timestamp()
        ) RETURNING number
    """
    return [int(row[0]) for row in database.execute(update, (number, number, epoch))]


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


def take_all(database: Connection) -> None:
    """Take all leases away."""
    _lock(database)
    for host in all_hosts(database):
        if host.holds:
            _take(database, host.number)


def _lock(database: Connection) -> None:
    """Let no other transaction change rows until this one ends; fences and looks go on."""
    database.execute("LOCK TABLE cluster.host IN SHARE ROW EXCLUSIVE MODE")


def _take(database: Connection, number: int) -> None:
    update = f"UPDATE cluster.host SET epoch = epoch + 1, until = {_NEVER}, alone = 0 WHERE number = ?"
    database.execute(update, (number,))
