"""`yawcctl cluster`: the hosts of a casino that runs on several, and who of them gives a sign of life.

It asks the database, so each host's sysop sees the same, also beside a stopped BBS. Times are those of the database's
clock.
"""

import argparse
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Final, Literal

import msgspec

from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.store.connection import Connection, StoreError
from yawc_poker.extras.cluster import move_command
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.extras.cluster.leases import Host, all_hosts
from yawc_poker.extras.cluster.server.access import Access
from yawc_poker.sysop.command import Command, columns, moment, print_rows

HOSTS: Final = ">NO HOST LEASE >SECONDS >EPOCH SINCE >LAG >SESSIONS VERSION"
"""Header, as `columns` takes it."""
_LEASES: Final = {"in_force": "in force", "run_out": "run out", "none": "none"}


class HostView(msgspec.Struct, frozen=True):
    """A host, as `--json` prints it."""

    number: int
    name: str
    lease: Literal["in_force", "run_out", "none"]
    seconds: float | None
    """Until the lease runs out; below 0: since it has. None: there is none."""
    epoch: int
    since: float
    """When the epoch began, epoch seconds."""
    lag: float
    """Seconds that its courier was late at most, when it renewed the lease last."""
    sessions: int
    """Sessions that are logged in there, guests and house players included."""
    settles: bool
    """It settles what nobody plays any more; a start of another host waits for that."""
    version: str


def run(chosen: argparse.Namespace) -> int:
    """Print the hosts; return 1 if one holds a lease that has run out. Raise `StoreError`."""
    databases = marked(chosen.data)
    if not isinstance(databases, ServerDatabases):
        raise StoreError("this BBS keeps files: it is its only host (docs/cluster.md)")
    with closing(databases.shared(Access.LOOK)) as store, store.reading() as shared:
        found = list(_views(all_hosts(shared), _sessions(shared)))
    print_rows(chosen, found, lambda rows: columns(HOSTS, map(_cells, rows), 8))
    return int(any(one.lease == "run_out" for one in found))


def _sessions(shared: Connection) -> dict[int, int]:
    rows = shared.execute("SELECT host, count(*) FROM cluster.session GROUP BY host")
    return {int(host): int(number) for host, number in rows}


def _views(hosts: Iterable[Host], sessions: dict[int, int]) -> Iterator[HostView]:
    for host in hosts:
        yield HostView(
            number=host.number,
            name=host.name,
            lease="none" if not host.holds else "run_out" if host.has_run_out else "in_force",
            seconds=None if host.left is None else round(host.left, 1),
            epoch=host.epoch,
            since=host.since,
            lag=round(host.lag, 3),
            sessions=sessions.get(host.number, 0),
            settles=host.alone,
            version=host.version,
        )


def _cells(one: HostView) -> tuple[object, ...]:
    seconds = "" if one.seconds is None else f"{one.seconds:.1f}"
    lease = f"{_LEASES[one.lease]}, settles" if one.settles else _LEASES[one.lease]
    since = moment(one.since, "%m-%d %H:%M %Z")
    return one.number, one.name, lease, seconds, one.epoch, since, f"{one.lag:.2f}", one.sessions, one.version


COMMAND: Final = Command(
    "cluster",
    run,
    "show the hosts of a casino that runs on several: leases, couriers, versions",
    ("cluster", "cluster --json | jq -r 'select(.lease != \"in_force\") | .name'"),
    after="move",
)
ANNOUNCED: Final = (move_command.COMMAND, COMMAND)
