"""`[cluster]`: the settings of a database server and of several hosts."""

from typing import Annotated, Final

from msgspec import Meta

from yawc_poker.config import AddedKeys, Section

MOST_HOSTS: Final = 16
"""As many as the head of a segment has words for."""
DatabaseUrl = Annotated[str, Meta(max_length=2000, pattern=r"^(postgres(ql)?://[^\x00-\x20\x7f]+)?$")]


class ClusterSettings(Section, frozen=True):
    """`[cluster]`: a database server for accounts, ledger and history, and several hosts (docs/cluster.md)."""

    database: DatabaseUrl = ""
    """URL of a PostgreSQL database, 15 or later, as libpq reads it; empty: two files in the data directory."""
    host: Annotated[str, Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9-]{0,31})?$")] = ""
    """Name of this host among several with the same casino: letters, digits and hyphens; empty: it is the only one."""
    hosts: Annotated[int, Meta(ge=2, le=MOST_HOSTS)] = 4
    """Maximum hosts; the same on all of them."""
    listen: DatabaseUrl = ""
    """URL for a host's one connection that must not lead through PgBouncer; empty: `database`."""
    lease_seconds: Annotated[float, Meta(ge=0.5, le=600)] = 15
    """A host from which nothing was heard for this long is taken for dead; the same on all of them."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where a host has nothing to share with others."""
        if self.host and not self.database:
            raise ValueError("a host needs a database, database")


ANNOUNCED: Final = (AddedKeys("cluster", ClusterSettings),)
