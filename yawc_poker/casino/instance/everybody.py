"""What concerns the sessions of all hosts where several are one casino: one session for each user, and its end.

Owns the order in which rows that all hosts share and this host's directory are asked and changed. Where there is one
host, the directory is all there is, and no database is asked. A session on another host is asked to end, or killed, by
a command that its host's courier carries out; nobody here signals it.
"""

import signal
import time
from collections.abc import Sequence

from yawc_poker.casino.cluster import sessions
from yawc_poker.casino.cluster.messages import Ending, muting
from yawc_poker.casino.cluster.sessions import Listed, Row
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import Lines, SessionInfo, index_of
from yawc_poker.casino.presence.places import Entrance, places
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.process import REMOTE
from yawc_poker.ipc.record import Place


def claim_user(instance: Instance, user: int, name: str, *, returns: bool = False) -> SessionInfo | None:
    """Make this session the user's only one, on all hosts; if there is another that may live, return that.

    Then nothing has changed. `returns`: the user has a session or a seat already, and is let in though all lines are
    busy. Raise `LinesBusy`, `StoreError`, `LockTimeout`.
    """
    if instance.here.is_clustered and (other := _in_the_way(instance, user, name)) is not None:
        return other
    lines = Lines(places(instance.segment, Entrance.DOOR), instance.config.telnet.max_sessions)
    return instance.directory.claim_name(instance.notifier.index, user, name, None if returns else lines)


def _in_the_way(instance: Instance, user: int, name: str) -> SessionInfo | None:
    """Write this session's row; return the session that has one for this user, if it may live."""
    directory, here = instance.directory, instance.here
    mine = directory.at(instance.notifier.index)
    if mine is None:
        return None  # it was taken for dead, and ends at its next look
    now = here.now()
    row = Row(
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
    instance.has_row = True  # from here on there may be one, whatever becomes of the commit
    with instance.accounts.store.writing() as users:
        other = sessions.claim(users, row, lambda found: not directory.lives(found.token))
    if other is None:
        return None
    near = directory.at(other.record)
    return near if near is not None and near.token == other.token and not near.is_remote else _told(other, now)


def _told(other: Listed, now: float) -> SessionInfo:
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


def users_here(instance: Instance) -> set[int]:
    """Return the users who are logged in on any host. Raise `StoreError`.

    Where there are several hosts, a session writes its row before its login is written down; the directory has those of
    other hosts a moment later.
    """
    if not instance.here.is_clustered:
        return {person.user for person in instance.directory.people()}
    with instance.accounts.store.reading() as users:
        return sessions.users_in(users)


def ask_to_end(instance: Instance, people: Sequence[SessionInfo], reason: int) -> None:
    """Ask sessions to end, for a reason (`EndReason`)."""
    for one in people:
        instance.directory.end(one, reason)
    instance.notifier.tell(Kind.END, [one.index for one in people if not one.is_remote])
    for one in people:
        if one.is_remote:
            _have_ended(instance, Ending(one.token, reason))


def kill(instance: Instance, person: SessionInfo, reason: int) -> None:
    """Kill a session that was asked to end and does not; its host frees its record and its seat."""
    if person.is_remote:
        _have_ended(instance, Ending(person.token, reason, kill=True))
    else:
        process.kill(person.identity, signal.SIGKILL)


def _have_ended(instance: Instance, ending: Ending) -> None:
    """Tell the host of a session of another one that it has to end."""
    instance.notifier.tell(Kind.END, [index_of(ending.token)], payload=ending.encoded())
    instance.notifier.call_courier()  # the directory may not have the session yet


def mute(instance: Instance, person: SessionInfo, until: float) -> None:
    """Note for a session until when its user may not write to others: epoch seconds; infinite: for ever."""
    if person.is_remote:
        instance.notifier.tell(Kind.SYSOP, [person.index], payload=muting(until))
    else:
        instance.directory.mute(person, until)
