"""Hosts of a cluster in one process: a segment each, whose clocks differ by hours, and one database.

The sessions are this process's, or those of its forked children. There are no couriers: a test calls `take_over`.
"""

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from tests.kernel import semaphore_exists
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.presence.directory import Directory, index_of
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import Row, Store
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.engine.values import Clocks, Table
from yawc_poker.extras.cluster import leases, table_rows
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.leases import Shape
from yawc_poker.extras.cluster.local_host import ClusteredHost, fence_of
from yawc_poker.extras.cluster.shared_cell import SharedCell
from yawc_poker.extras.cluster.table_rows import commits
from yawc_poker.games.poker.game import RULES
from yawc_poker.games.poker.model import Event, Move, Options, State
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind, Ring
from yawc_poker.ipc.layout import LAYOUT_VERSION, Layout
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.games import POKER_TABLES

POKER: Final = 0
TABLES: Final = 2
SPAN: Final = 8
HOSTS: Final = 2
START: Final = 1000
LEASE: Final = 15.0
TURN: Final = 60.0
SKEW: Final = 36_000.0
"""Seconds by which each host's clock is ahead of the one before."""


def open_books(url: str, host: int | None = None) -> Store:
    """Return the bank's store, as a process of a host in its first epoch opens it."""
    from yawc_poker.extras.cluster.server.postgres import PostgresStore  # not everybody has psycopg

    fence = () if host is None else fence_of(host, 1)
    return PostgresStore(url, BOOKS, failure=BankUnavailable, fence=fence)


class Neighbours(Directory):
    """A directory to which the sessions of another host live."""

    here: ClusteredHost

    def lives(self, token: int) -> bool:
        return self.here.is_remote(token) or super().lives(token)

    def has(self, token: int) -> bool:
        return self.here.is_remote(token) or super().has(token)

    def can_act(self, token: int) -> bool:
        return self.here.is_remote(token) or super().can_act(token)


class Mute(Notifier):
    """A session that notes whom it would have told: its signals would come to the test's own process."""

    told: list[tuple[str, list[int]]]

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        self.told.append((payload.decode(), [index for index in to if index != self.index]))

    def rouse(self, to: Sequence[int]) -> None:
        self.told.append(("", list(to)))


class Host:
    """One host."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self.cluster = cluster
        self.number = number
        self.name = f"/yawc-test-{secrets.token_hex(8)}"
        self.segment = Segment.create(self.name, Layout(sessions=SPAN * HOSTS, tables=TABLES))
        self.here = ClusteredHost(self.segment.head)
        self.here.lay_out(number, SPAN)
        self.here.epoch = 1
        self.here.offset = cluster.offset - number * SKEW
        for other in range(HOSTS):
            self.here.note_lease(other, 1, True)

    def clock(self) -> float:
        """Return what this host's clock says, in seconds."""
        return time.monotonic() + self.number * SKEW + self.cluster.passed

    def person(self, user: int, name: str) -> "Person":
        """Return a session on this host."""
        made = Person(self, user, name)
        self.cluster.sessions.append(made)
        return made

    @property
    def value(self) -> Table[State, Event]:
        """What its cell has of the table."""
        _, _, value = self.segment.cells[POKER].read()
        return POKER_TABLES.codec.decode(value) if value else Table(seats=(None,) * RULES.SEATS)

    @property
    def commit(self) -> int:
        """How many commits the row had whose value its cell has."""
        return commits(self.segment.cells[POKER].number)

    def spoil(self) -> None:
        """Write over what its cell has."""
        cell = self.segment.cells[POKER]
        start = cell.at + 64
        self.segment.memory[start : start + 2 * self.segment.layout.half] = b"\xa5" * (2 * self.segment.layout.half)

    def close(self) -> None:
        Segment.destroy(self.name)
        keys = [lock.key for lock in self.segment.locks]
        assert not any(semaphore_exists(key) for key in keys)
        self.segment.close()


class Person:
    """A session at the table of a host."""

    def __init__(self, host: Host, user: int, name: str) -> None:
        self.host, self.user, self.name = host, user, name
        segment, here = host.segment, host.here
        assert here.records is not None
        index = next(index for index in here.records if not segment.records[index].token)
        record = segment.records[index]
        record.claim(process.me(), here.token(secrets.randbits(47), index), "test")
        self.directory = Neighbours(segment, segment.directory_lock)
        self.directory.here = here
        own = OwnRecord(self.directory, record)
        self.notifier = Mute(self.directory, Ring(segment), own, Tally())
        self.notifier.told = []
        self.bank = Bank(open_books(host.cluster.url, host.number))
        self.bank.welcome(user, START)
        stakes = Stakes(self.bank, POKER, RULES.KIND)
        context = TableContext(POKER, segment.cells[POKER], segment, self.directory, self.notifier, stakes, host.clock)
        clocks = Clocks(turn=TURN, pause=0)
        rules = TableRules.of(RULES, POKER_TABLES.codec, Options(ante=10, max_bet=200), clocks)
        cell = SharedCell(context, rules, LEASE) if here.is_clustered else TableCell(context, rules)
        self.table = GameTable(context, rules, cell)

    @property
    def token(self) -> int:
        return self.notifier.token

    @property
    def index(self) -> int:
        return index_of(self.token)

    def sit(self) -> None:
        self.table.sit(self.user, self.name)

    def play(self, move: Move) -> None:
        self.table.play(move)

    def close(self) -> None:
        self.directory.close()
        self.notifier.close()
        self.bank.close()


class Cluster:
    """Two hosts and their database."""

    def __init__(self, url: str) -> None:
        from yawc_poker.extras.cluster.server.postgres import PostgresStore  # not everybody has psycopg

        self.url = url
        self.offset: Final = time.time() - time.monotonic()
        """Of the first host's clock. Read once: between the two clocks, a process may have to wait."""
        self.passed = 0.0
        """Seconds that the test has let pass, on all hosts."""
        self._shared = PostgresStore(url, CLUSTER)
        shape = msgspec.json.encode(Shape((RULES.KIND,) * TABLES, SPAN, HOSTS, LAYOUT_VERSION)).decode()
        with self._shared.writing() as rows:
            for number in range(HOSTS):
                rows.execute(
                    "INSERT INTO host (number, name, identity, epoch, until, since, version, shape)"
                    " VALUES (?, ?, '', 1, clock_timestamp() + interval '1 hour', clock_timestamp(), '', ?)",
                    (number, f"host-{number}", shape),
                )
            table_rows.lay_out(rows, TABLES)
        self.hosts = [Host(self, number) for number in range(HOSTS)]
        self.people: list[Person] = []
        """Those who were told to sit down."""
        self.sessions: list[Person] = []

    def seat(self, *names: str) -> list[Person]:
        """Make these people sit down, on one host after the other; their users are 1, 2, ..."""
        for user, name in enumerate(names, 1):
            self.people.append(self.hosts[(user - 1) % HOSTS].person(user, name))
        for person in self.people:
            person.sit()
        return self.people

    def start(self, master: Person) -> None:
        """Start a game, and have everybody reveal their texts, as sessions do that are woken; the master's deals."""
        master.table.begin()
        for person in (*(one for one in self.people if one is not master), master):
            person.table.take_over()
            person.table.tend()

    def take_over(self) -> list[bool]:
        """Take the table's row over by a session of each host, as its courier would; return where it was news."""
        firsts = [next(one for one in self.people if one.host is host) for host in self.hosts]
        return [one.table.take_over() for one in firsts]

    # --- behind the program's back ------------------------------------------------------------------------------------

    def asks(self, query: str) -> list[Row]:
        """Return what a statement finds in the schema of the cluster."""
        with self._shared.writing() as rows:
            return rows.execute(query).fetchall() if query.startswith("SELECT") else [rows.execute(query).rowcount]

    @property
    def version(self) -> int:
        """How many commits the table's row had."""
        return commits(int(self.asks(f"SELECT version FROM place WHERE number = {POKER}")[0][0]))

    def pot(self) -> int:
        """Return what the table's pot holds by the ledger; the books must be sound."""
        bank = Bank(open_books(self.url))
        try:
            assert bank.audit() == []
            figures = bank.figures()
            assert figures.minted == figures.cash + figures.pots + figures.house
            return figures.pots
        finally:
            bank.close()

    def fence(self, host: int) -> None:
        """Take the lease of a host away."""
        with self._shared.writing() as rows:
            ended = leases.take_away(rows, [one for one in leases.all_hosts(rows) if one.number == host])
        assert [one.number for one in ended] == [host]

    def close(self) -> None:
        for session in self.sessions:
            session.close()
        for host in self.hosts:
            host.close()
        self._shared.close()


@contextmanager
def cluster_of(url: str) -> Iterator[Cluster]:
    """Yield two hosts of this database, in which the layouts of bank and users are."""
    made = Cluster(url)
    try:
        yield made
    finally:
        made.close()
