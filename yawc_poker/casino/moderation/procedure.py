"""The steps that sysop actions have in common: find the user, write the action down, notify, disconnect.

Owns the steps, and how long sessions that are disconnected may take; which steps an action takes, and in what order, is
decided in `actions`.
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar

import msgspec

from yawc_poker.casino.instance import everybody
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.presence.own_record import REASON_BITS, EndReason
from yawc_poker.casino.store.connection import Connection, StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.bans import BanKind, TooWide, network
from yawc_poker.casino.users.passwords import hashed
from yawc_poker.casino.users.sysop_log import REASON_LENGTH, SysopAction, write_sysop_action
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.terminal.text import NOT_UNDERSTOOD, clean

log = logging.getLogger(__name__)

END_SECONDS = 3.0
"""How long a session that is asked to end may take before it is killed."""
KILL_SECONDS = 1.0
"""How long a killed process may take to be gone."""

Pause = Callable[[float], None]
"""Waits for some seconds at most; that of a session lets its own loop go on."""

StepT = TypeVar("StepT")
RefusalReason = Literal[
    "no_user",
    "closed",
    "not_online",
    "no_reason",
    "not_shown",
    "too_long",
    "too_wide",
    "not_banned",
    "bad_amount",
    "not_enough",
    "no_line",
]
_REFUSALS: dict[RefusalReason, str] = {
    "no_user": "there is no user {what!r}",
    "closed": "the account {what!r} is closed",
    "not_online": "{what!r} is not online",
    "no_reason": "it needs a text",
    "not_shown": "a character of the text is one that not every terminal can show",
    "too_long": f"a text has at most {REASON_LENGTH} characters",
    "too_wide": "{what} is too wide: a network has at least 8 bits in IPv4, 16 in IPv6",
    "not_banned": "{what!r} is not banned",
    "bad_amount": "CUBES are given and taken in numbers from 1 to 1000000000000",
    "not_enough": "{what!r} has only {cubes} CUBES",
    "no_line": "there is no line {what} on the wall",
}


class Refused(Exception):
    """A sysop action is refused; nothing was changed. `reason` is a fixed word; `str()` is one English line."""

    def __init__(self, reason: RefusalReason, what: str = "", cubes: int = 0) -> None:
        super().__init__(_REFUSALS[reason].format(what=what, cubes=cubes))
        self.reason = reason
        self.what = what
        self.cubes = cubes


class Done(msgspec.Struct, frozen=True):
    """The result of a sysop action."""

    action: SysopAction = msgspec.field(name="act")
    online: bool = False
    """The user it concerns was online and has been notified."""
    ended: int = 0
    """Sessions that ended when they were asked to."""
    killed: int = 0
    """Sessions that had to be killed."""
    freed: int = 0
    """Seats that were held for the user, whose session had died, and are free now."""
    balance: int | None = None
    """CUBES the user owns now, where some were moved."""
    waits: bool = False
    """The bank could not move the CUBES, or its answer was lost: they move, once, as soon as it works again."""
    warnings: int | None = None
    """Warnings the user has had, including this one."""
    password: str | None = None
    """The user's new one, shown once and kept nowhere."""


class Sysop(NamedTuple):
    """The sysop who acts, and how their process waits and hashes."""

    instance: Instance
    by: str
    """Name in the log of sysop actions."""
    pause: Pause = time.sleep
    hashing: Callable[[str], str] = hashed


def user_of(instance: Instance, name: str) -> User:
    """Return a user, of a closed account too. Raise `Refused`."""
    user = instance.accounts.find(name)
    if user is None:
        raise Refused("no_user", clean(name, 40))
    return user


def open_user(instance: Instance, name: str) -> User:
    """Return a user whose account is not closed. Raise `Refused`."""
    user = user_of(instance, name)
    if user.closed is not None:
        raise Refused("closed", user.name)
    return user


def needed(text: str) -> str:
    """Return a text that must not be empty, as it is kept: whole. Raise `Refused`."""
    kept = clean(text, len(text), NOT_UNDERSTOOD).strip()
    if not kept:
        raise Refused("no_reason")
    if NOT_UNDERSTOOD in kept:
        raise Refused("not_shown")
    if len(kept) > REASON_LENGTH:
        raise Refused("too_long")
    return kept


def end_of(instance: Instance, seconds: float | None) -> float:
    """Return the time when some seconds will be over, or None for never."""
    return math.inf if seconds is None else instance.accounts.store.clock() + seconds


def address_of(target: str, kind: BanKind | None) -> str:
    """Return the address or network to be banned in its short form; empty for a name. Raise `Refused`."""
    try:
        found = None if kind == "name" else network(target)
    except TooWide:
        raise Refused("too_wide", target) from None
    if found is None and kind == "address":
        raise Refused("no_user", clean(target, 60))
    return found or ""


WRITTEN: Final[set[str]] = set()
"""Kinds in the log of sysop actions, all rows' (`casino.moderation.actions`)."""


def write_down(
    sysop: Sysop,
    kind: str,
    user: User | None,
    reason: str,
    change: Callable[[Connection], None] = lambda users: None,
    *,
    until: float | None = None,
    cubes: int | None = None,
    target: str = "",
    moves: bool = False,
) -> SysopAction:
    """Change `users.sqlite` and write down the action in one transaction, then log it.

    Raise `ValueError` for a kind that no row has: nobody would be told of it.
    """
    if kind not in WRITTEN:
        raise ValueError(f"no sysop action has the kind {kind!r}")
    instance = sysop.instance
    number, shown = (None, target) if user is None else (user.id, user.name)
    action = SysopAction(0, kind, number, shown, until, cubes, reason, sysop.by, instance.accounts.store.clock())
    with instance.accounts.store.writing() as users:
        change(users)
        action = write_sysop_action(users, action, pending=moves)
    log.info("sysop's act %d: %s %r by %r: %r", action.id, action.kind, action.target, action.by, action.reason)
    if not moves:
        instance.latest_sysop_action = action.id
    return action


def sessions_of(instance: Instance, user: User) -> list[SessionInfo]:
    """Return the sessions of a user: one at most, but for a moment."""
    return [one for one in instance.directory.people() if one.user == user.id]


def tell(instance: Instance, user: User) -> bool:
    """Notify a user's session, which then looks at the log of sysop actions; return whether there is one."""
    sessions = sessions_of(instance, user)
    instance.notifier.tell(Kind.SYSOP, [one.index for one in sessions])
    return bool(sessions)


def mute(instance: Instance, user: User, until: float) -> None:
    """Set until when a user's session may not write to others."""
    for one in sessions_of(instance, user):
        everybody.mute(instance, one, until)


def following(action: SysopAction, step: Callable[[], StepT], otherwise: StepT) -> StepT:
    """Return the result of a step that follows a written action, or `otherwise` if it fails: the action holds.

    Whoever were told then to try again would do it twice.
    """
    try:
        return step()
    except (StoreError, LockTimeout) as error:
        log.error("sysop's act %d holds, but not all that follows from it is done: %s", action.id, error)
        return otherwise


def publish(instance: Instance) -> None:
    """Write the banned addresses for the listener; if that fails, every login still looks at the bans itself.

    Other hosts' couriers write them for theirs, as soon as they hear of the sysop action.
    """
    try:
        instance.bans.publish()
    except (OSError, StoreError) as error:
        log.error("the listener does not know of all bans: %s", getattr(error, "strerror", None) or error)
    instance.tell_listener()
    instance.notifier.call_courier()


# --- disconnecting ----------------------------------------------------------------------------------------------------


def end_sessions(sysop: Sysop, action: SysopAction, sessions: Sequence[SessionInfo]) -> Done:
    """Disconnect sessions because of an action."""
    asked, killed = _put_out(sysop, action.id, sessions)
    return Done(action, online=asked > 0, ended=asked - killed, killed=killed)


def end_stay(sysop: Sysop, action: SysopAction, user: User) -> Done:
    """Disconnect a user because of an action, and free the seat that is held for one whose session has died."""
    done = end_sessions(sysop, action, sessions_of(sysop.instance, user))
    freed = [following(action, partial(table.free_held, user.id), False) for table in sysop.instance.tables]
    return msgspec.structs.replace(done, freed=sum(freed))


def is_seat_held(instance: Instance, user: User) -> bool:
    """Return whether a seat is held for a user whose session has ended."""
    return any(table.is_held_for(user.id) for table in instance.tables)


def _put_out(sysop: Sysop, action: int, sessions: Sequence[SessionInfo]) -> tuple[int, int]:
    """Ask sessions, but for one's own, to end because of an action; kill those that do not, and free their seats.

    A session that is asked finds the action's number in its record and tells its caller why. One that is stopped or
    hangs says nothing more; its locks are freed by the kernel, its seat and its record by looking after all tables. If
    the waiting process is killed, the sessions that were asked end by themselves; one that hangs stays until it is
    disconnected again, or dies. Sessions of other hosts are asked, and killed, by their own hosts; what is waited for
    is that they are not in the directory any more.

    Return how many were asked, and how many of them had to be killed.
    """
    instance = sysop.instance
    sessions = [one for one in sessions if one.token != instance.notifier.token]
    reason = EndReason.BY_SYSOP | action << REASON_BITS
    everybody.ask_to_end(instance, sessions, reason)
    left = _wait(sysop, sessions, END_SECONDS)
    for one in left:
        log.warning("session %d of %r did not end and was killed", one.identity.pid, one.name or one.peer)
        everybody.kill(instance, one, reason)
    if left:
        _wait(sysop, left, KILL_SECONDS)
        instance.maintain_all()
    return len(sessions), len(left)


def _wait(sysop: Sysop, sessions: Sequence[SessionInfo], seconds: float) -> list[SessionInfo]:
    """Wait for the ends of sessions, and return those that live on."""
    until = time.monotonic() + seconds
    while left := [one for one in sessions if sysop.instance.directory.is_in(one.token)]:
        if time.monotonic() >= until:
            break
        sysop.pause(0.02)
    return left
