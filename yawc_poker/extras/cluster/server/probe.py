"""A look at a PostgreSQL database before it is used: whether it can be reached, is new enough, and whose it is.

Changes nothing. Imported only where a database is configured. Owns what is told of a database that cannot be used: one
line, in which no password is. libpq quotes a URL that it cannot read, and takes what follows a sign that should have
been encoded for a host, so what it says of such a URL is not passed on.
"""

from contextlib import closing
from time import monotonic
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from yawc_poker.casino.store.connection import BUSY_SECONDS, StoreError, Unavailable
from yawc_poker.extras.cluster.server import link as links

OLDEST: Final = 15
_PATIENCE: Final = 5 * BUSY_SECONDS
_SOMEBODY: Final = {
    "bank": b"SELECT EXISTS (SELECT 1 FROM bank.account WHERE kind = 'user')",
    "users": b'SELECT EXISTS (SELECT 1 FROM users."user")',
}
"""Whether a schema has anything to lose."""
MOVED: Final = "moved back into files: "
"""How the comment on the schema of books begins that nobody uses any more; what comes after it says where and when."""
_THERE: Final = """
SELECT nspname, to_regclass(nspname || '.layout') IS NOT NULL,
    EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = pg_namespace.oid)
FROM pg_namespace WHERE nspname = ANY (%s)
"""


def look_at(url: str) -> dict[str, bool]:
    """Return which schemas of a BBS a database has, each with whether it has anything to lose.

    Raise `StoreError` if no BBS could use the database.
    """
    name = readable_name(url)
    try:
        with closing(links.connect(url, links.PATIENT_SECONDS)) as link:
            link.until = monotonic() + _PATIENCE
            version = link.info.server_version // 10000
            if version < OLDEST:
                raise StoreError(f"{name}: is PostgreSQL {version}; {OLDEST} or later is needed")
            refuse_moved(link.execute(COMMENT).fetchone(), name)
            made = {}
            for schema, is_ours, is_used in link.execute(_THERE, (list(_SOMEBODY),)).fetchall():
                if is_used and not is_ours:
                    raise StoreError(f"{name}: the schema {schema} is of something else")
                if is_ours:
                    made[str(schema)] = bool((link.execute(_SOMEBODY[schema]).fetchone() or (False,))[0])
            return made
    except psycopg.Error as error:
        raise Unavailable(str(links.failure_of(f"{name}: cannot be used", error))) from None


COMMENT: Final = "SELECT obj_description(to_regnamespace('bank'), 'pg_namespace')"


def refuse_moved(comment: tuple[str | None] | None, name: str) -> None:
    """Raise `StoreError` if a database's comment says that its BBS keeps files again: it would begin with the past."""
    if comment is not None and (comment[0] or "").startswith(MOVED):
        raise StoreError(f"{name}: {comment[0]}: drop it, or COMMENT ON SCHEMA bank IS NULL to go on with what it has")


def readable_name(url: str) -> str:
    """Return how a database is called in a message. Raise `StoreError` for a URL that libpq cannot read."""
    try:
        known = conninfo_to_dict(url)
        name = links.name_of(url)
    except psycopg.Error:
        raise StoreError("[cluster] database: libpq cannot read this URL") from None
    if any("@" in str(known.get(part) or "") for part in ("host", "port", "dbname")):
        raise StoreError("[cluster] database: write a special sign of user or password as a URL does, @ as %40")
    return name
