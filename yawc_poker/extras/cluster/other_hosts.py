"""What a session has to do with those of other hosts: one session for each user, and its end, by rows and commands.

A session on another host is asked to end, or killed, by a command that its host's courier carries out; nobody here
signals it.
"""

import logging
import time
from typing import Final

from yawc_poker.casino.instance.instance import Instance, OtherHosts, OtherHostsKind
from yawc_poker.casino.local_host import LocalHost
from yawc_poker.casino.presence.directory import SessionInfo, index_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.extras.cluster import messages, sessions, settings, shared_cell
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.process import REMOTE
from yawc_poker.ipc.record import Place

log = logging.getLogger(__name__)


class Neighbours(OtherHosts):
    """The other hosts, as one session of this host has to do with them."""

    def __init__(self, here: ClusteredHost) -> None:
        self._here = here
        self._has_row = False
        """They know of this session by a row that it has written."""

    def claim(self, instance: Instance, user: int, name: str) -> SessionInfo | None:
        """Write this session's row; return the session that has one for this user, if it may live.

        Raise `StoreError`.
        """
        directory, here = instance.directory, self._here
        mine = directory.at(instance.notifier.index)
        if mine is None:
            return None  # it was taken for dead, and ends at its next look
        now = here.now()
        row = sessions.Row(
            record=mine.index,
            token=instance.notifier.token,
            host=here.number,
            epoch=here.epoch,
            user=user,
            name=name,
            peer=mine.peer,
            door=mine.door,
            place=mine.place.pack(),
            login=now,
            input=now,
        )
        self._has_row = True  # from here on there may be one, whatever becomes of the commit
        with instance.accounts.store.writing() as users:
            other = sessions.claim(users, row, lambda found: not directory.lives(found.token))
        if other is None:
            return None
        near = directory.at(other.record)
        return near if near is not None and near.token == other.token and not near.is_remote else _told(other, now)

    def leave(self, instance: Instance) -> None:
        """Delete the row that other hosts know this session by, and have them told; what fails the courier does."""
        token = instance.own.token
        try:
            if self._has_row:
                with instance.accounts.store.writing() as users:
                    sessions.forget(users, [token])
        except StoreError as error:
            log.info("other hosts learn of the end of session %016x a moment later: %s", token, error)
        instance.notifier.call_courier()

    def users(self, instance: Instance) -> set[int]:
        """Return the users who are logged in on any host. Raise `StoreError`.

        A session writes its row before its login is written down; the directory has those of other hosts a moment
        later.
        """
        with instance.accounts.store.reading() as users:
            return sessions.users_in(users)

    def end(self, instance: Instance, token: int, reason: int, *, kill: bool = False) -> None:
        """Tell the host of a session of another one that it has to end."""
        ending = messages.EndSession(token, reason, kill=kill)
        instance.notifier.tell(Kind.END, [index_of(token)], payload=ending.encoded())
        instance.notifier.call_courier()  # the directory may not have the session yet

    def mute(self, instance: Instance, person: SessionInfo, until: float) -> None:
        """Tell the host of a session of another one until when its user may not write to others."""
        instance.notifier.tell(Kind.SYSOP, [person.index], payload=messages.muting(until))

    def cell(self, instance: Instance, context: TableContext, rules: TableRules) -> TableCell:
        """Return where a table's value is: in a row, with a copy in the segment."""
        return shared_cell.SharedCell(context, rules, instance.config.of(settings.ClusterSettings).lease_seconds)

    def takes_callers(self, instance: Instance) -> bool:
        """Return whether this host holds its lease, and reaches the database as its sessions do."""
        here, lease_seconds = self._here, instance.config.of(settings.ClusterSettings).lease_seconds
        holds = here.fenced != here.epoch and time.monotonic() - here.renewed < lease_seconds
        try:
            with instance.accounts.store.reading() as users:
                return holds and users.execute("SELECT 1").fetchone() is not None
        except StoreError:
            return False


def _told(other: sessions.Listed, now: float) -> SessionInfo:
    """Return what the row of a session of another host tells; the directory may not have it yet."""
    return SessionInfo(
        index=other.record,
        token=other.token,
        identity=REMOTE,
        user=other.user,
        place=Place.unpack(other.place),
        cursor=0,
        x_waiting=other.waiting,
        last_input=time.monotonic() - max(0.0, now - other.input),
        login_time=int(other.login),
        end_reason=0,
        last_wait=0.0,
        name=other.name,
        peer=other.peer,
        door=other.door,
        host=other.host_name,
    )


def _of(here: LocalHost) -> Neighbours | None:
    return Neighbours(here) if isinstance(here, ClusteredHost) else None


ANNOUNCED: Final = (OtherHostsKind(_of),)
