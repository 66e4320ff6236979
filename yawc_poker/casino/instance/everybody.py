"""What concerns the sessions of all hosts where several are one casino: one session for each user, and its end.

Owns the order in which what all hosts share (`OtherHosts`) and this host's directory are asked and changed. Where there
is one host, the directory is all there is, and no database is asked. Nobody here signals a session of another host.
"""

import signal
from collections.abc import Sequence

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import Lines, SessionInfo
from yawc_poker.casino.presence.entrances import Entrance, records_for
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind


def claim_user(instance: Instance, user: int, name: str, *, returns: bool = False) -> SessionInfo | None:
    """Make this session the user's only one, on all hosts; if there is another that may live, return that.

    Then nothing has changed. `returns`: the user has a session or a seat already, and is let in though all lines are
    busy. Raise `LinesBusy`, `StoreError`, `LockTimeout`.
    """
    if (other := instance.other_hosts.claim(instance, user, name)) is not None:
        return other
    lines = Lines(records_for(instance.segment, Entrance.DOOR), instance.config.telnet.max_sessions)
    return instance.directory.claim_name(instance.notifier.index, user, name, None if returns else lines)


def ask_to_end(instance: Instance, people: Sequence[SessionInfo], reason: int) -> None:
    """Ask sessions to end, for a reason (`EndReason`)."""
    for one in people:
        instance.directory.end(one, reason)
    instance.notifier.tell(Kind.END, [one.index for one in people if not one.is_remote])
    for one in people:
        if one.is_remote:
            instance.other_hosts.end(instance, one.token, reason)


def kill(instance: Instance, person: SessionInfo, reason: int) -> None:
    """Kill a session that was asked to end and does not; its host frees its record and its seat."""
    if person.is_remote:
        instance.other_hosts.end(instance, person.token, reason, kill=True)
    else:
        process.kill(person.identity, signal.SIGKILL)


def mute(instance: Instance, person: SessionInfo, until: float) -> None:
    """Note for a session until when its user may not write to others: epoch seconds; infinite: for ever."""
    if person.is_remote:
        instance.other_hosts.mute(instance, person, until)
    else:
        instance.directory.mute(person, until)
