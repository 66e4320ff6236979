"""The steps that sysop actions have in common: find the user, write the action down, notify, disconnect.

Owns the steps; which of them an action takes, and in what order, is decided in `actions`.
"""

import logging
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

import msgspec

from yawc_poker.casino.instance import everybody
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.disconnect import Pause, put_out
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.store.connection import Connection, StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.bans import BanKind, TooWide, network
from yawc_poker.casino.users.sysop_log import REASON_LENGTH, SysopAction, write_sysop_action
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.terminal.text import NOT_UNDERSTOOD, clean

log = logging.getLogger(__name__)

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
    warnings: int | None = None
    """Warnings the user has had, including this one."""
    password: str | None = None
    """The user's new one, shown once and kept nowhere."""


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
    """Return the time when some seconds will be over; None: never."""
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


def write_down(
    instance: Instance,
    kind: str,
    user: User | None,
    by: str,
    reason: str,
    change: Callable[[Connection], None] = lambda users: None,
    *,
    until: float | None = None,
    cubes: int | None = None,
    target: str = "",
    moves: bool = False,
) -> SysopAction:
    """Change `users.sqlite` and write down the action in one transaction, then log it."""
    number, shown = (None, target) if user is None else (user.id, user.name)
    action = SysopAction(0, kind, number, shown, until, cubes, reason, by, instance.accounts.store.clock())
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


def end_sessions(instance: Instance, action: SysopAction, sessions: Sequence[SessionInfo], pause: Pause) -> Done:
    """Disconnect sessions because of an action."""
    asked, killed = put_out(instance, action.id, sessions, pause)
    return Done(action, online=asked > 0, ended=asked - killed, killed=killed)


def end_stay(instance: Instance, action: SysopAction, user: User, pause: Pause) -> Done:
    """Disconnect a user because of an action, and free the seat that is held for one whose session has died."""
    done = end_sessions(instance, action, sessions_of(instance, user), pause)
    freed = [following(action, partial(table.free_held, user.id), False) for table in instance.tables]
    return msgspec.structs.replace(done, freed=sum(freed))


def is_seat_held(instance: Instance, user: User) -> bool:
    """Return whether a seat is held for a user whose session has ended."""
    return any(table.is_held_for(user.id) for table in instance.tables)
