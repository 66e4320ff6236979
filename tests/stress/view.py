"""The driver's view of a BBS's, or a host's, shared memory at one time of its life. Never writes."""

import sysv_ipc

from yawc_poker.casino.local_host import LocalHost, local_host
from yawc_poker.casino.presence.directory import Directory, SessionInfo, index_of
from yawc_poker.games.poker import rules
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import Mutex


def holder_of(lock: Mutex) -> int | None:
    """Return the pid of a lock's holder; None: it is free, or gone with its segment, which is replaced just now."""
    try:
        return lock.holder if lock.is_held else None
    except sysv_ipc.ExistentialError:
        return None


class View:
    """One segment, with the sessions that are its own and the cells of its poker tables."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.directory = Directory(segment, segment.directory_lock)
        self.cells = [cell for cell in segment.cells if cell.game == rules.KIND]

    @property
    def here(self) -> LocalHost:
        """This host; one of several is known as such once it has its lease."""
        return local_host(self.segment.head)

    def everybody(self) -> list[SessionInfo]:
        """Return the sessions of this host."""
        own = self.here.records
        people = self.directory.everybody()
        return people if own is None else [one for one in people if one.index in own and one.identity.pid]

    def person(self, session: int) -> SessionInfo | None:
        """Return the session of this host with a token."""
        index = index_of(session)
        person = self.directory.at(index) if self.here.is_own(index) else None
        return person if person is not None and person.token == session else None
