"""How a BBS begins and ends whose databases are a server's: it may be one of several hosts."""

from collections.abc import Mapping
from typing import Final

from yawc_poker.bbs.companion import Companion
from yawc_poker.bbs.recovery import Host, HostKind
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.config import Config
from yawc_poker.engine.transcript import Transcript
from yawc_poker.extras.cluster import joining
from yawc_poker.extras.cluster.courier.process import Couriers
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.ipc.segment import Segment


class OnServer(Host):
    """A host whose databases are a server's: it is one of several, or the only one."""

    def __init__(self, databases: ServerDatabases) -> None:
        super().__init__(databases)
        self._server = databases

    def examine(self, config: Config) -> None:
        """Raise `StoreError` if its BBS could not start, also beside the hosts that run. Changes nothing."""
        super().examine(config)
        joining.refuse_beside(self._server, config)

    def begin(self, segment: Segment, games: Mapping[int, Transcript], config: Config) -> None:
        """Take the host's lease, and recover what is its to do. Raise `StoreError`."""
        if self._server.cluster.host:
            joining.begin(self._server, segment, config)
        else:
            joining.shut_out(self._server)
            super().begin(segment, games, config)

    def end(self, segment: Segment) -> None:
        """Do what is left to it when its BBS has closed, and give the lease back. Raise `StoreError`."""
        if self._server.cluster.host:
            joining.end(self._server, segment)
        else:
            super().end(segment)

    def companion(self, segment: Segment) -> Companion:
        """Return its courier, as the listener sees it."""
        return Couriers(segment, self._server)


def _of(databases: Databases) -> OnServer | None:
    return OnServer(databases) if isinstance(databases, ServerDatabases) else None


ANNOUNCED: Final = (HostKind(_of),)
