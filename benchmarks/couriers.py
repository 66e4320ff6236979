"""A courier's directory among so many sessions of so many hosts, for the benchmark of several hosts.

The first host is real: a segment with the records of all hosts, and a courier's part in the directory on a connection
of its own. Its sessions are records that no process stands behind; the other hosts are rows.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tests.isolation.both_hosts import ROOM, Link
from yawc_poker.casino.instance.instance import Instance, lay_out, layout
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.store.connection import Store
from yawc_poker.config import House, TelnetSettings
from yawc_poker.extras.cluster import sessions
from yawc_poker.extras.cluster.courier.directory import Neighbours
from yawc_poker.extras.cluster.databases import server_databases
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.sessions import Row
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment, segment_name

EPOCH: Final = 1
PLACES: Final = tuple(Place(kind) for kind in (PlaceKind.PROMPT, PlaceKind.LOGIN))
NOBODY: Final = Identity(1, 1)
"""The process that is said to stand behind a session: one that lives."""


class Crowd:
    """The sessions of all hosts."""

    def __init__(self, instance: Instance, link: Link, store: Store, hosts: int, each: int) -> None:
        self._instance = instance
        self._here = instance.here
        self._store = store
        self._neighbours = Neighbours(instance, link)
        self._rows: dict[int, list[Row]] = {host: [] for host in range(1, hosts)}
        self._own: list[int] = []
        self._moves = 0
        span, user, here = self._here.span, 0, list[Row]()
        for host in range(hosts):
            first = host * span
            for index in range(first, first + each):
                user += 1
                token = 1 << 63 | EPOCH << 48 | user << 16 | index
                if host:
                    self._rows[host].append(self._row(host, index, token, user))
                else:
                    here.append(self._row(0, index, token, user))
                    self._come_in(index, token, user)
        with store.writing() as users:
            sessions.insert(users, here)
        for host, rows in self._rows.items():
            with store.writing() as users:
                sessions.insert(users, rows)
                sessions.update(users, rows, sessions.begin_change(users, host, EPOCH))
        self._neighbours.write(time.monotonic())
        self._neighbours.read()

    def _come_in(self, index: int, token: int, user: int) -> None:
        record = self._instance.segment.records[index]
        record.claim(NOBODY, token, "192.0.2.1")
        record.name = f"User {user}"
        record.user = user
        record.place = PLACES[0]
        self._own.append(index)

    def _row(self, host: int, index: int, token: int, user: int) -> Row:
        now = time.time()
        return Row(index, token, host, EPOCH, user, f"User {user}", "192.0.2.1", 1, PLACES[0].pack(), now, now)

    def move(self, many: int) -> None:
        """Let so many of them go elsewhere, as many on each host; the other couriers write that."""
        hosts = 1 + len(self._rows)
        self._moves += 1
        for at in range(many // hosts):
            index = self._own[(self._moves * many + at) % len(self._own)]
            record = self._instance.segment.records[index]
            record.place = PLACES[record.place == PLACES[0]]
        for host, rows in self._rows.items():
            moved = []
            for step in range(many // hosts):
                at = (self._moves * many + step) % len(rows)
                rows[at] = replace(rows[at], place=PLACES[rows[at].place == PLACES[0].pack()].pack())
                moved.append(rows[at])
            with self._store.writing() as users:
                sessions.update(users, moved, sessions.begin_change(users, host, EPOCH))

    def tick(self) -> None:
        """Do what the courier does in a tick with the directory, and once for each host that tells of news."""
        for _ in range(1 + len(self._rows)):
            self._neighbours.read()
        self._neighbours.write(time.monotonic())


@contextmanager
def crowded(folder: Path, url: str, hosts: int, many: int) -> Iterator[Crowd]:
    """Yield so many sessions in all, as many on each host, in this database."""
    each = many // hosts
    cluster = ClusterSettings(database=url, host="host-0", hosts=hosts)
    telnet = TelnetSettings(max_sessions=each + 2)
    config = replace(ROOM, telnet=telnet, house=House(players=0)).having(cluster)
    shape = layout(config)
    segment = Segment.create(segment_name(folder), shape)
    try:
        lay_out(segment, config)
        here = ClusteredHost(segment.head)
        here.lay_out(0, shape.sessions // hosts)
        here.epoch = EPOCH
        here.offset = time.time() - time.monotonic()
        with closing(server_databases(folder, url).shared()) as store:
            with store.writing() as shared:
                for number in range(hosts):
                    here.note_lease(number, EPOCH, True)
                    shared.execute(
                        "INSERT INTO cluster.host (number, name, identity, epoch, until, since, version, shape)"
                        " VALUES (?, ?, '', ?, 'infinity', now(), '', '')",
                        (number, f"host-{number}", EPOCH),
                    )
            instance = Instance(folder, config, segment)
            instance.enter("courier", Entrance.COURIER)
            link = Link(url)
            try:
                yield Crowd(instance, link, store, hosts, each)
            finally:
                link.link.close()
                instance.notifier.close()
                instance.directory.close()
                instance.bank.close()
                instance.accounts.close()
    finally:
        Segment.destroy(segment.name)
        segment.close()
