"""The sysops' office: what may be done to callers, from the machine's own command line or from inside the BBS.

Owns the order of each act: written down with its reason (`acts`), carried out, told to whom it concerns, one line in
the log. Whoever calls these functions has entered the house and holds no lock; `by` says who he is. What is refused
raises `Refused` and has changed nothing; every function may raise `StoreError` and `LockTimeout`.

Crash safety: what is written down holds, whoever is killed afterwards. A ban is looked at by every login; a TWIT is
read from the account; CUBES are moved by the ledger under the act's own number, and an act still pending is finished by
whoever comes next (`finish_pending`).
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from sqlite3 import Connection
from typing import Literal

import msgspec

from yawc_poker.casino.accounts import User, write_closed, write_sysop, write_twit
from yawc_poker.casino.acts import Act, ActKind, Acts, write_act
from yawc_poker.casino.bank import Bank
from yawc_poker.casino.bans import Ban, BanKind, TooWide, covers, network, remove_ban, write_ban
from yawc_poker.casino.directory import Person
from yawc_poker.casino.eviction import Pause, put_out
from yawc_poker.casino.house import House
from yawc_poker.casino.ledger import BankUnavailable, NotEnough
from yawc_poker.casino.names import name_key
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.terminal.text import clean

log = logging.getLogger(__name__)

MOST_CUBES = 10**12

RefusalReason = Literal[
    "no_user", "closed", "not_online", "no_reason", "too_wide", "not_banned", "bad_amount", "not_enough"
]
_REFUSALS: dict[RefusalReason, str] = {
    "no_user": "there is no user {what!r}",
    "closed": "the account {what!r} is closed",
    "not_online": "{what!r} is not online",
    "no_reason": "it needs a text",
    "too_wide": "{what} is too wide: a network has at least 8 bits in IPv4, 16 in IPv6",
    "not_banned": "{what!r} is not banned",
    "bad_amount": "CUBES are given and taken in numbers from 1 to 1000000000000",
    "not_enough": "{what!r} has only {cubes} CUBES",
}


class Refused(Exception):
    """It cannot be done, nothing was changed. `reason` is a fixed word; `str()` is one English line."""

    def __init__(self, reason: RefusalReason, what: str = "", cubes: int = 0) -> None:
        super().__init__(_REFUSALS[reason].format(what=what, cubes=cubes))
        self.reason = reason
        self.what = what
        self.cubes = cubes


class Done(msgspec.Struct, frozen=True):
    """What came of an act."""

    act: Act
    online: bool = False
    """Whom it concerns was online and has been told."""
    ended: int = 0
    """Sessions that ended when they were asked to."""
    killed: int = 0
    """Sessions that had to be killed."""
    balance: int | None = None
    """CUBES the user owns now, where some were moved."""
    warnings: int | None = None
    """Warnings the user has had, this one counted."""


# --- words and rights -------------------------------------------------------------------------------------------------


def warn(house: House, name: str, *, by: str, reason: str) -> Done:
    """Warn a user: he reads it at once where he is, else at his next login."""
    user = _open_user(house, name)
    act = _act(house, "warn", user, by, _needed(reason))
    return Done(act, online=_tell(house, user), warnings=house.acts.warnings(user.id))


def twit(house: House, name: str, seconds: float | None, *, by: str, reason: str) -> Done:
    """Take a user's right to write to others (chat, X-messages) for so many seconds; None: for ever."""
    user, until = _open_user(house, name), _until(house, seconds)
    act = _act(house, "twit", user, by, _needed(reason), lambda users: write_twit(users, user.id, until), until=until)
    _mute(house, user, until)
    return Done(act, online=_tell(house, user))


def untwit(house: House, name: str, *, by: str, reason: str = "") -> Done:
    """Give a user back the right to write to others."""
    user = _open_user(house, name)
    act = _act(house, "untwit", user, by, reason, lambda users: write_twit(users, user.id, 0.0))
    _mute(house, user, 0.0)
    return Done(act, online=_tell(house, user))


def set_sysop(house: House, name: str, on: bool, *, by: str, reason: str = "") -> Done:
    """Make a user a sysop, or no sysop any more."""
    user = _open_user(house, name)
    kind: ActKind = "sysop" if on else "nosysop"
    act = _act(house, kind, user, by, reason, lambda users: write_sysop(users, user.id, on))
    return Done(act, online=_tell(house, user))


def say(house: House, text: str, *, by: str) -> Done:
    """Say a line to everybody who is logged in, at the prompt or at a table."""
    act = _act(house, "say", None, by, _needed(text))
    house.exchange.tell_all(Kind.SYSOP, tables=True)
    return Done(act, online=True)


# --- out of the house -------------------------------------------------------------------------------------------------


def kick(house: House, name: str, *, by: str, reason: str, pause: Pause = time.sleep) -> Done:
    """End a user's session, or a guest's; one that does not end is killed and buried, its seat purged."""
    guest = house.directory.named(name)
    if guest is not None and guest.is_guest:
        return _ended(house, _act(house, "kick", None, by, _needed(reason), target=guest.name), [guest], pause)
    user = _open_user(house, name)
    sessions = _sessions(house, user)
    if not sessions:
        raise Refused("not_online", user.name)
    return _ended(house, _act(house, "kick", user, by, _needed(reason)), sessions, pause)


def ban(
    house: House,
    target: str,
    seconds: float | None,
    *,
    by: str,
    reason: str,
    kind: BanKind | None = None,
    pause: Pause = time.sleep,
) -> Done:
    """Ban a name, an address or a network for so many seconds (None: for ever), and end its sessions.

    What can be read as an address is one, unless `kind` says otherwise. A ban takes the place of an older one.
    """
    until, reason, address = _until(house, seconds), _needed(reason), _address(target, kind)
    user = None if address else _open_user(house, target)
    row = Ban("address" if address else "name", address or name_key(target), until, reason, by, house.accounts.clock())
    act = _act(house, "ban", user, by, reason, lambda users: write_ban(users, row), until=until, target=address)
    if user is not None:
        return _ended(house, act, _sessions(house, user), pause)
    _publish(house)
    return _ended(house, act, [one for one in house.directory.everybody() if covers(address, one.peer)], pause)


def unban(house: House, target: str, *, by: str, reason: str = "", kind: BanKind | None = None) -> Done:
    """Lift the ban of a name, or of exactly this address or network."""
    address = _address(target, kind)
    user = None if address else _user(house, target)

    def lift(users: Connection) -> None:
        if not remove_ban(users, "address" if address else "name", address or name_key(target)):
            raise Refused("not_banned", address or target)

    act = _act(house, "unban", user, by, reason, lift, target=address)
    if address:
        _publish(house)
    return Done(act)


def delete(house: House, name: str, *, by: str, reason: str, pause: Pause = time.sleep) -> Done:
    """Close an account for good: its session ends, its CUBES go to the house, its name stays taken."""
    user = _open_user(house, name)
    now = house.accounts.clock()
    act = _act(house, "delete", user, by, _needed(reason), lambda users: write_closed(users, user.id, now), moves=True)
    done = _ended(house, act, _sessions(house, user), pause)
    act, balance = _move(house.acts, house.bank, act)
    return msgspec.structs.replace(done, act=act, balance=balance)


# --- CUBES ------------------------------------------------------------------------------------------------------------


def grant(house: House, name: str, cubes: int, *, by: str, reason: str) -> Done:
    """Give a user newly made CUBES."""
    return _pay(house, "grant", name, cubes, by, reason)


def take(house: House, name: str, cubes: int, *, by: str, reason: str) -> Done:
    """Take CUBES from a user; they go to the house. Raises `Refused` ("not_enough")."""
    return _pay(house, "take", name, cubes, by, reason)


def finish_pending(acts: Acts, bank: Bank) -> None:
    """Move the CUBES of acts whose process was killed before it had."""
    for act in acts.pending():
        try:
            _move(acts, bank, act)
        except Refused as refusal:
            log.warning("sysop's act %d is dropped: %s", act.id, refusal)


def _pay(house: House, kind: Literal["grant", "take"], name: str, cubes: int, by: str, reason: str) -> Done:
    finish_pending(house.acts, house.bank)
    user = _open_user(house, name)
    if not 1 <= cubes <= MOST_CUBES:
        raise Refused("bad_amount")
    act = _act(house, kind, user, by, _needed(reason), cubes=cubes, moves=True)
    try:
        act, balance = _move(house.acts, house.bank, act)
    except BankUnavailable:
        house.acts.drop(act.id)  # lest it be done behind the back of who tries again
        raise
    house.latest_act = act.id
    return Done(act, online=_tell(house, user), balance=balance)


def _move(acts: Acts, bank: Bank, act: Act) -> tuple[Act, int]:
    """Have the ledger move an act's CUBES, however often it is asked; give the act as it is now, and what is left."""
    assert act.user is not None, f"act {act.id} moves the CUBES of nobody"
    try:
        if act.kind == "grant":
            cubes, balance = bank.grant(act.id, act.user, act.cubes or 0)
        else:
            cubes, balance = bank.take(act.id, act.user, act.cubes)
    except NotEnough as short:
        acts.drop(act.id)
        raise Refused("not_enough", act.target, short.balance) from None
    acts.settle(act.id, cubes)
    return msgspec.structs.replace(act, cubes=cubes), balance


# --- looking ----------------------------------------------------------------------------------------------------------


def acts(house: House, name: str | None = None, limit: int = 50) -> list[Act]:
    """Give the latest acts, newest first: all, or those done to a user (also of a closed account)."""
    return house.acts.latest(limit) if name is None else house.acts.of(_user(house, name).id, limit)


def warnings(house: House, name: str) -> int:
    """Count the warnings a user has had."""
    return house.acts.warnings(_user(house, name).id)


def bans(house: House) -> list[Ban]:
    """Give the bans in force."""
    return house.bans.all()


# --- inside -----------------------------------------------------------------------------------------------------------


def _user(house: House, name: str) -> User:
    user = house.accounts.find(name)
    if user is None:
        raise Refused("no_user", clean(name, 40))
    return user


def _open_user(house: House, name: str) -> User:
    user = _user(house, name)
    if user.closed is not None:
        raise Refused("closed", user.name)
    return user


def _needed(text: str) -> str:
    if not clean(text, 1000).strip():
        raise Refused("no_reason")
    return text


def _until(house: House, seconds: float | None) -> float:
    return math.inf if seconds is None else house.accounts.clock() + seconds


def _address(target: str, kind: BanKind | None) -> str:
    """Read what is to be banned: an address or network in its short form; empty for a name."""
    try:
        found = None if kind == "name" else network(target)
    except TooWide:
        raise Refused("too_wide", target) from None
    if found is None and kind == "address":
        raise Refused("no_user", clean(target, 60))
    return found or ""


def _act(
    house: House,
    kind: ActKind,
    user: User | None,
    by: str,
    reason: str,
    change: Callable[[Connection], None] = lambda users: None,
    *,
    until: float | None = None,
    cubes: int | None = None,
    target: str = "",
    moves: bool = False,
) -> Act:
    """Change the rolls and write down the act in one transaction, then log it."""
    number, shown = (None, target) if user is None else (user.id, user.name)
    act = Act(0, kind, number, shown, until, cubes, reason, by, house.accounts.clock())
    with house.accounts.store.writing() as users:
        change(users)
        act = write_act(users, act, pending=moves)
    log.info("sysop's act %d: %s %r by %r: %r", act.id, act.kind, act.target, act.by, act.reason)
    if not moves:
        house.latest_act = act.id
    return act


def _sessions(house: House, user: User) -> list[Person]:
    return [one for one in house.directory.people() if one.user == user.id]


def _tell(house: House, user: User) -> bool:
    """Ring a user's session, which looks at the acts; False if he is not here."""
    sessions = _sessions(house, user)
    house.exchange.tell(Kind.SYSOP, [one.index for one in sessions])
    return bool(sessions)


def _mute(house: House, user: User, until: float) -> None:
    for one in _sessions(house, user):
        house.directory.mute(one, until)


def _publish(house: House) -> None:
    """Leave the banned addresses for the listener; if that fails, every login still looks at the bans itself."""
    try:
        house.bans.publish()
    except OSError as error:
        log.error("the listener does not know of all bans: %s", error.strerror)
    house.tell_listener()


def _ended(house: House, act: Act, sessions: Sequence[Person], pause: Pause) -> Done:
    """Put sessions out on account of an act."""
    asked, killed = put_out(house, act.id, sessions, pause)
    return Done(act, online=asked > 0, ended=asked - killed, killed=killed)
