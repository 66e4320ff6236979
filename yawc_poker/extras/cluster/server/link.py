"""A connection to PostgreSQL whose answers are waited for only until a given moment.

psycopg waits for ever, and a server that was stopped, or a machine that is gone, never answers. Whoever holds a table's
lock must not wait so long. After an answer that did not come the connection is of no use: who asked closes it.
"""

import math
import select
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final, TypeAlias

import psycopg
from psycopg.abc import RV, Buffer, PQGen
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.postgres import types
from psycopg.pq import TransactionStatus
from psycopg.waiting import Ready, Wait

from yawc_poker.casino.store.connection import BUSY_SECONDS, Row, StoreError, Unavailable

_SETTINGS: Final[dict[str, str | int]] = {
    "application_name": "yawc-poker",
    "client_encoding": "UTF8",
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": int(BUSY_SECONDS * 1000),
}
PATIENT_SECONDS: Final = 10.0
"""How long a process that holds no lock waits for a connection: the server may be busy."""
_POLLED: Final = {
    Wait.R: select.POLLIN,
    Wait.W: select.POLLOUT,
    Wait.RW: select.POLLIN | select.POLLOUT,
}


Sent: TypeAlias = tuple[bytes, Sequence[object] | Mapping[str, object] | None]
"""A statement in psycopg's words, and its parameters."""


class Answer:
    """What a statement brought."""

    def __init__(self, cursor: psycopg.Cursor[Row]) -> None:
        """The rows are those that `cursor` has not yet fetched; it is left as it is."""
        self.status = cursor.statusmessage or ""
        """What was done, in the server's words, as `COMMIT`."""
        self.rowcount = cursor.rowcount
        self.is_query = cursor.description is not None
        """Whether it brings rows, if only none."""
        self._rows: Iterator[Row] = iter(cursor) if self.is_query else iter(())

    def keep(self) -> None:
        """Fetch the rows: the cursor goes on to the next answer."""
        self._rows = iter(self.fetchall())

    def fetchone(self) -> Row:
        """Return the next row, or None if there is none."""
        return next(self._rows, None)

    def fetchall(self) -> list[Row]:
        """Return the rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows


class Link(psycopg.Connection[Row]):
    """A connection; nothing is left in it from one transaction to the next."""

    until: float = math.inf
    """When the present transaction gives up, in seconds of `monotonic`."""
    waiting: list[Sent]
    """What goes to the server before the next statement, in the same message."""

    def send(self, *statements: Sent) -> list[Answer]:
        """Run what waits and these statements by one message, one after the other; return the latter's answers.

        The server runs nothing before it has the whole message, in which the parameters are written out. Sent in
        parts, as psycopg's pipeline is, it could leave a server that has run some, keeps their locks, and waits for
        the rest with no limit that counts. If a statement fails, those behind it are not run. Raise `psycopg.Error`.
        """
        before, self.waiting = self.waiting, []
        everything = [*before, *statements]
        cursor = psycopg.ClientCursor[Row](self)
        cursor.execute(";\n".join(cursor.mogrify(*one) for one in everything).encode())
        answers = [Answer(cursor)]
        while len(answers) < len(everything):
            answers[-1].keep()
            cursor.nextset()
            answers.append(Answer(cursor))
        return answers[len(before) :]

    def wait(self, gen: PQGen[RV], interval: float = 0.0, timeout: float | None = None) -> RV:
        """Let an operation of psycopg go on until it is done. Raise `OperationalError` after `until`.

        The other arguments are psycopg's, which needs them for nothing that is used here.
        """
        socket = select.poll()
        try:
            wanted = next(gen)
            while True:
                socket.register(self.pgconn.socket, _POLLED[wanted])
                left = None if self.until == math.inf else max(0.0, self.until - monotonic()) * 1000
                found = socket.poll(left)
                if not found:
                    raise psycopg.OperationalError("no answer in time")
                wanted = gen.send(_ready(found[0][1], wanted))
        except StopIteration as done:
            result: RV = done.value
            return result
        except psycopg.Error:
            # On its way out an operation may speak to the server once more, and fail: that is no news.
            with suppress(psycopg.Error, RuntimeError):
                gen.close()
            raise

    @property
    def is_idle(self) -> bool:
        """Whether a transaction may begin here."""
        return self.pgconn.transaction_status == TransactionStatus.IDLE

    @property
    def is_answering(self) -> bool:
        """Whether a transaction is open here that can be rolled back."""
        return self.pgconn.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}


def _ready(events: int, wanted: Wait) -> Ready:
    """Return what an operation may go on with; a connection that has ended is ready for all that was wanted."""
    if events & ~(select.POLLIN | select.POLLOUT):
        return Ready(wanted)
    return Ready((Ready.R if events & select.POLLIN else 0) | (Ready.W if events & select.POLLOUT else 0))


def connect(url: str, seconds: float = BUSY_SECONDS) -> Link:
    """Open a connection, for which so many seconds are waited. Raise `psycopg.Error`."""
    patience = max(2, math.ceil(seconds))  # libpq takes 1 for 2
    link = Link.connect(
        make_conninfo(url, **_SETTINGS, connect_timeout=patience), autocommit=True, prepare_threshold=None
    )
    link.waiting = []
    link.adapters.register_dumper(bool, _Truth)
    link.adapters.register_loader("numeric", _Sum)
    return link


def name_of(url: str) -> str:
    """Return how a database is called in a line of the log: without user and password. Raise `psycopg.Error`."""
    known = conninfo_to_dict(url)
    where = known.get("host") or known.get("hostaddr") or "this machine"
    return f"database {known.get('dbname') or known.get('user') or '(default)'} on {where}"


def failure_of(name: str, error: psycopg.Error) -> StoreError:
    """Return what is told of an error of a database that is called so: in one line, and whether a later try may do."""
    later = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError))
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return (Unavailable if later else StoreError)(f"{name}: {lines[0]}")


class _Truth(Dumper):
    """A truth value, as the columns have it: 0 or 1."""

    oid = types["int2"].oid

    def dump(self, obj: bool) -> Buffer:
        """Return the text of it."""
        return b"1" if obj else b"0"


class _Sum(Loader):
    """A sum of whole numbers, which PostgreSQL makes numeric."""

    def load(self, data: Buffer) -> int | float:
        """Return the number."""
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)
