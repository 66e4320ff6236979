"""Named steps (`steps.py`) of a session on a host whose tables are rows that it shares with others, in PostgreSQL.

Every message to the server is a step before it is sent, and so is the moment when a COMMIT is sent and has no answer.
Needs psycopg: imported only where there is a server.
"""

from collections.abc import Callable
from typing import Final

from psycopg.abc import RV, PQGen

from tests.isolation.gates import STEPS, Statements
from tests.isolation.sessions import DoomedBank
from tests.isolation.steps import SteppedHands
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.extras.cluster.databases import AtWork, ServerDatabases
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.server.access import Access
from yawc_poker.extras.cluster.server.link import Answer, Link, Sent
from yawc_poker.extras.cluster.server.postgres import PostgresStore

BANK: Final = "bank"


class StepLink(Link):
    """A connection that tells its steps."""

    statements: Statements
    commits = False
    """Whether what is waited for is the answer to a COMMIT."""

    def send(self, *statements: Sent) -> list[Answer]:
        first, last = statements[0][0].decode(), statements[-1][0].decode()
        self.commits = self.statements.tell(first if first.startswith("BEGIN") else last) == f"{BANK}: COMMIT"
        return super().send(*statements)

    def wait(self, gen: PQGen[RV], interval: float = 0.0, timeout: float | None = None) -> RV:
        return super().wait(_unanswered(gen) if self.commits else gen, interval, timeout)


def _unanswered(commit: PQGen[RV]) -> PQGen[RV]:
    """Do what a generator of psycopg does that has sent a COMMIT when it waits first."""
    wanted = next(commit)
    STEPS.at(f"{BANK}: COMMIT sent")
    while True:
        ready = yield wanted
        try:
            wanted = commit.send(ready)
        except StopIteration as done:
            answer: RV = done.value
            return answer


class StepRows(PostgresStore):
    """A database that tells of the messages that change it."""

    def _opened(self) -> Link:
        link = super()._opened()
        if not isinstance(link, StepLink):
            link.__class__ = StepLink
            assert isinstance(link, StepLink)
            link.statements = Statements(BANK)
        return link


class SharedHands(SteppedHands):
    """A session's process whose every step has a name, on one of several hosts."""

    def _make_bank(self) -> Bank:
        instance = self._instance
        assert isinstance(instance.databases, ServerDatabases)
        store = StepRows(
            instance.databases.url,
            BOOKS,
            Access.USE,
            failure=BankUnavailable,
            lock=AtWork(instance.segment.watch),
            fence=ClusteredHost(instance.segment.head).fence,
        )
        return DoomedBank(store, STEPS)

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {"take rows over": lambda: [table.take_over() for table in self.floor]}
