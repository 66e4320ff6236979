"""Two hosts of one casino in one test process: a segment each, one real database, and what their couriers do by hand.

Nothing here waits or listens: a test says when which courier looks. Leases are rows and words that it writes itself.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tests.isolation.sessions import CONFIG
from yawc_poker.casino.instance.everybody import claim_user
from yawc_poker.casino.instance.instance import Instance, lay_out, layout
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.store.connection import Engine, Row, Rows, Statement
from yawc_poker.casino.store.dialect import translated
from yawc_poker.config import House, TelnetSettings
from yawc_poker.extras.cluster.courier.directory import Neighbours
from yawc_poker.extras.cluster.courier.forwarding import Forwarding
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc.segment import Segment, segment_name

NAMES: Final = ("north", "south")
HOUSE: Final = 2
ROOM: Final = replace(CONFIG, telnet=TelnetSettings(max_sessions=6), house=House(players=HOUSE))


class Link:
    """The connection of a courier: each statement is a transaction of its own."""

    engine: Engine = "postgresql"
    for_update = ""

    def __init__(self, url: str) -> None:
        from yawc_poker.extras.cluster.server.link import connect  # not everybody has psycopg

        self.link = connect(url)

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Rows:
        return self.link.execute(translated(sql).encode(), parameters)

    def together(self, *queries: Statement) -> list[list[Row]]:
        return [self.execute(sql, parameters).fetchall() for sql, parameters in queries]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        self.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        self.link.cursor().executemany(translated(sql).encode(), parameters)


class Host:
    """A host: its segment, its courier, and sessions of this process."""

    def __init__(self, data: Path, number: int, url: str) -> None:
        cluster = ClusterSettings(database=url, host=NAMES[number], hosts=len(NAMES))
        self.config = ROOM.having(cluster)
        self.data, self.number = data, number
        data.mkdir()
        shape = layout(self.config)
        self.segment = Segment.create(segment_name(data), shape)
        lay_out(self.segment, self.config)
        self.here = ClusteredHost(self.segment.head)
        self.here.lay_out(number, shape.sessions // len(NAMES))
        self.here.epoch = 1
        self.here.offset = time.time() - time.monotonic()
        for one in range(len(NAMES)):
            self.here.note_lease(one, 1, True)
        self.link = Link(url)
        self.instances: list[Instance] = []
        self.courier = self.enter("courier", Entrance.COURIER)
        self.renew()

    def renew(self) -> None:
        """Begin as a new process of the courier."""
        self.neighbours = Neighbours(self.courier, self.link)
        self.forwarding = Forwarding(self.courier)

    def close(self) -> None:
        for instance in self.instances:
            instance.notifier.close()
            instance.directory.close()
            instance.bank.close()
            instance.accounts.close()
        self.link.link.close()
        Segment.destroy(self.segment.name)
        self.segment.close()

    def enter(self, peer: str = "192.0.2.1", entrance: Entrance = Entrance.DOOR) -> Instance:
        """A session that has not logged in."""
        instance = Instance(self.data, self.config, self.segment)
        instance.enter(peer, entrance)
        self.instances.append(instance)
        return instance

    def log_in(self, user: int, name: str, peer: str = "192.0.2.1") -> Instance:
        """A session of a user, at the prompt."""
        instance = self.enter(peer)
        assert claim_user(instance, user, name) is None
        instance.own.stand_at(PlaceKind.PROMPT)
        return instance

    def write(self, later: float = 0.0) -> bool:
        """The courier writes what is new here, perhaps some seconds later."""
        return self.neighbours.write(time.monotonic() + later)

    def seen(self) -> dict[str, str]:
        """Return who is logged in as this host sees it, each with the name of the host if it is the other."""
        return {one.name: one.host for one in self.courier.directory.people()}


class Casino:
    """Both hosts."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.north, self.south = self.hosts = tuple(hosts)

    def pass_on(self) -> list[str]:
        """Both couriers tell the other what was posted, once; return it."""
        told = []
        for one in self.hosts:
            payloads = one.forwarding.outgoing()
            told += payloads
            for other in self.hosts:
                for payload in payloads:  # as a notification: it comes back to who sent it, too
                    other.forwarding.incoming(payload)
        return told

    def look(self) -> None:
        """Both couriers write what is new, then read."""
        for one in self.hosts:
            one.write()
        for one in self.hosts:
            one.neighbours.read()

    def run(self) -> None:
        """Both couriers do all that they do at a tick."""
        self.pass_on()
        self.look()


@contextmanager
def casino(folder: Path, url: str) -> Iterator[Casino]:
    """Two hosts on this database, which has the layouts of bank and users."""
    make_cluster(url)
    with ExitStack() as stack:
        hosts = []
        for number, name in enumerate(NAMES):
            hosts.append(host := Host(folder / name, number, url))
            stack.callback(host.close)
        yield Casino(hosts)


def make_cluster(url: str) -> None:
    """Make the tables that hosts share, and a lease of each host, in epoch 1."""
    from yawc_poker.extras.cluster.layout import CLUSTER
    from yawc_poker.extras.cluster.server.postgres import PostgresStore

    with closing(PostgresStore(url, CLUSTER)) as store, store.writing() as database:
        for number, name in enumerate(NAMES):
            database.execute(
                "INSERT INTO cluster.host (number, name, identity, epoch, until, since, version, shape)"
                " VALUES (?, ?, ?, 1, now() + interval '1 hour', now(), '0', '{}')",
                (number, name, name),
            )
