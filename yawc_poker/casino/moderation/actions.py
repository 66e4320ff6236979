"""The sysop actions, by `yawcctl` on the machine or at the sysop's desk inside the BBS: a function each, and its row.

A new sysop action is such a pair: the row has the word and the arguments by which the control socket knows it, the
subcommand of `yawcctl`, the entry in the menu of the desk, and the texts that sysops and users read.

Owns the order of steps: write the action down with its reason (`sysop_log`) and log it, carry it out, notify the users
it concerns. A process that calls these functions has entered the instance and holds no lock; `by` names the sysop. A
refusal raises `Refused` and has changed nothing; every function may raise `StoreError` and `LockTimeout`.

Crash safety: an action that is written down holds, even if its process is killed afterwards. A ban is looked at by
every login; a TWIT is read from the account; CUBES are moved by the ledger under the action's own number, and an action
that is still pending is finished by the next process that gives or takes, or by the next start (`finish_pending`).
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Literal

import msgspec

from yawc_poker.addresses import covers
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable, NotEnough
from yawc_poker.casino.bank.property import kinds_of_property
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.meeting import forget
from yawc_poker.casino.meeting.wall import WallLine, remove_line
from yawc_poker.casino.moderation.procedure import (
    Done,
    Pause,
    Refused,
    address_of,
    end_of,
    end_sessions,
    end_stay,
    following,
    is_seat_held,
    mute,
    needed,
    open_user,
    publish,
    sessions_of,
    tell,
    user_of,
    write_down,
)
from yawc_poker.casino.moderation.rows import (
    Amount,
    DeskEntry,
    ForATime,
    InFavour,
    LetIn,
    LogKind,
    Notice,
    OfTheWall,
    ShutOut,
    Subcommand,
    Switch,
    SysopActionRow,
    ToAll,
    ToUser,
    sysop_action,
)
from yawc_poker.casino.store.connection import Connection
from yawc_poker.casino.users.accounts import write_closed, write_password, write_sysop, write_twit
from yawc_poker.casino.users.bans import Ban, BanKind, remove_ban, write_ban
from yawc_poker.casino.users.names import name_key
from yawc_poker.casino.users.passwords import hashed, made_password
from yawc_poker.casino.users.sysop_log import SysopAction, SysopLog
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.words import mark

log = logging.getLogger(__name__)

MOST_CUBES = 10**12

ENDED: Final = Notice(mark("A sysop has ended this session."), adds_reason=True)
BANNED: Final = Notice(
    mark("You are banned from this BBS: {reason}"), mark("You are banned from this BBS until {when}: {reason}")
)
MUTED: Final = Notice(
    mark("The sysops have taken your right to write to others."),
    mark("The sysops have taken your right to write to others until {when}."),
)

_ROWS: Final[list[SysopActionRow]] = []
"""In the order of `yawcctl --help`."""


def say(instance: Instance, text: str, *, by: str) -> Done:
    """Send a line to everybody who is logged in, at the prompt or at a table."""
    action = write_down(instance, "say", None, by, needed(text))
    instance.notifier.tell_all(Kind.SYSOP, tables=True)
    return Done(action, online=True)


_ROWS.append(
    sysop_action(
        "say",
        ToAll,
        lambda sysop, its: say(sysop.instance, its.text, by=sysop.by),
        LogKind(
            "say",
            mark("Said to all"),
            "Said to everybody who is logged in.",
            notice=Notice(mark("The sysops say: {text}")),
        ),
        command=Subcommand("say a line to everybody who is logged in", ("say 'We close in ten minutes.'",)),
        desk=DeskEntry(120, "S", mark("Say something to everybody"), ("text",)),
    )
)


def kick(instance: Instance, name: str, *, by: str, reason: str, pause: Pause = time.sleep) -> Done:
    """End a session of a user, a guest or a house player; one that stays is killed, and its seat is purged.

    So is the seat that is held for a user whose session has died.
    """
    guest = instance.directory.named(name)
    if guest is not None and (guest.is_guest or guest.is_house):
        return end_sessions(
            instance, write_down(instance, "kick", None, by, needed(reason), target=guest.name), [guest], pause
        )
    user = open_user(instance, name)
    if not sessions_of(instance, user) and not is_seat_held(instance, user):
        raise Refused("not_online", user.name)
    return end_stay(instance, write_down(instance, "kick", user, by, needed(reason)), user, pause)


_ROWS.append(
    sysop_action(
        "kick",
        ToUser,
        lambda sysop, its: kick(sysop.instance, its.name, by=sysop.by, reason=its.reason, pause=sysop.pause),
        LogKind(
            "kick",
            mark("Session ended"),
            "{whom} was disconnected{ends}.",
            farewell=ENDED,
        ),
        command=Subcommand("end a user's session", ("kick Bert --reason 'blocks a seat'",)),
        desk=DeskEntry(40, "K", mark("End a session"), ("name", "reason")),
    )
)


def ban(
    instance: Instance,
    target: str,
    seconds: float | None,
    *,
    by: str,
    reason: str,
    kind: BanKind | None = None,
    pause: Pause = time.sleep,
) -> Done:
    """Ban a name, an address or a network for some seconds (None: for ever), and end its sessions.

    A target that can be read as an address is one, unless `kind` says otherwise. A ban replaces an older one.
    """
    until, reason, address = end_of(instance, seconds), needed(reason), address_of(target, kind)
    user = None if address else open_user(instance, target)
    row = Ban(
        "address" if address else "name",
        address or name_key(target),
        until,
        reason,
        by,
        instance.accounts.store.clock(),
    )
    action = write_down(
        instance, "ban", user, by, reason, lambda users: write_ban(users, row), until=until, target=address
    )
    if user is not None:
        return end_stay(instance, action, user, pause)
    publish(instance)
    return end_sessions(
        instance, action, [one for one in instance.directory.everybody() if covers(address, one.peer)], pause
    )


_ROWS.append(
    sysop_action(
        "ban",
        ShutOut,
        lambda sysop, its: ban(
            sysop.instance, its.target, its.seconds, by=sysop.by, reason=its.reason, kind=its.kind, pause=sysop.pause
        ),
        LogKind(
            "ban",
            mark("Ban"),
            "{whom} is banned {until}{ends}.",
            farewell=BANNED,
            lasts=True,
        ),
        command=Subcommand(
            "shut out a name, an address or a network, and end its sessions",
            (
                "ban Bert --for 2d --reason abuse",
                "ban 192.0.2.7 --for forever --reason 'guesses passwords'",
                "ban 2001:db8::/32 --for 12h --reason flood",
            ),
        ),
        desk=DeskEntry(
            50,
            "B",
            mark("Ban a name or an address"),
            ("target", "seconds", "reason"),
            sure=mark("Ban {target}? (y/n)"),
            answer=mark("{target} is banned {until}."),
        ),
    )
)


def unban(instance: Instance, target: str, *, by: str, reason: str = "", kind: BanKind | None = None) -> Done:
    """Lift the ban of a name, or of exactly this address or network."""
    address = address_of(target, kind)
    user = None if address else user_of(instance, target)

    def lift(users: Connection) -> None:
        if not remove_ban(users, "address" if address else "name", address or name_key(target)):
            raise Refused("not_banned", address or target)

    action = write_down(instance, "unban", user, by, reason, lift, target=address)
    if address:
        publish(instance)
    return Done(action)


_ROWS.append(
    sysop_action(
        "unban",
        LetIn,
        lambda sysop, its: unban(sysop.instance, its.target, by=sysop.by, reason=its.reason, kind=its.kind),
        LogKind("unban", mark("Ban lifted"), "{whom} may call again."),
        command=Subcommand("lift a ban", ("unban Bert", "unban 192.0.2.7")),
        desk=DeskEntry(
            60,
            "U",
            mark("Lift a ban"),
            ("banned",),
            answer=mark("{target} is not banned any more."),
            answer_is_good=True,
        ),
    )
)


def warn(instance: Instance, name: str, *, by: str, reason: str) -> Done:
    """Warn a user, who reads it at once, or at the next login."""
    user = open_user(instance, name)
    action = write_down(instance, "warn", user, by, needed(reason))
    had = following(action, lambda: instance.sysop_log.warnings(user.id), None)
    return Done(action, online=tell(instance, user), warnings=had)


_ROWS.append(
    sysop_action(
        "warn",
        ToUser,
        lambda sysop, its: warn(sysop.instance, its.name, by=sysop.by, reason=its.reason),
        LogKind(
            "warn",
            mark("Warning"),
            "{whom} is warned, {news}. Warnings so far: {warnings}.",
            notice=Notice(mark("Warning from the sysops: {reason}"), urgent=True),
        ),
        command=Subcommand("warn a user", ("warn Bert --reason 'idle for two games'",)),
        desk=DeskEntry(10, "W", mark("Warn"), ("name", "reason")),
    )
)


def twit(instance: Instance, name: str, seconds: float | None, *, by: str, reason: str) -> Done:
    """Take a user's right to write to others (chat, X-messages) for some seconds; None: for ever."""
    user, until = open_user(instance, name), end_of(instance, seconds)
    action = write_down(
        instance, "twit", user, by, needed(reason), lambda users: write_twit(users, user.id, until), until=until
    )
    mute(instance, user, until)
    return Done(action, online=tell(instance, user))


_ROWS.append(
    sysop_action(
        "twit",
        ForATime,
        lambda sysop, its: twit(sysop.instance, its.name, its.seconds, by=sysop.by, reason=its.reason),
        LogKind(
            "twit",
            mark("TWIT"),
            "{whom} may not write to others {until}; told {news}.",
            notice=MUTED._replace(urgent=True, adds_reason=True),
            lasts=True,
        ),
        command=Subcommand("take a user's right to write to others", ("twit Bert --for 1d --reason insults",)),
        desk=DeskEntry(20, "T", mark("TWIT: may not write to others"), ("name", "seconds", "reason")),
    )
)


def untwit(instance: Instance, name: str, *, by: str, reason: str = "") -> Done:
    """Return to a user the right to write to others."""
    user = open_user(instance, name)
    action = write_down(instance, "untwit", user, by, reason, lambda users: write_twit(users, user.id, 0.0))
    mute(instance, user, 0.0)
    return Done(action, online=tell(instance, user))


_ROWS.append(
    sysop_action(
        "untwit",
        InFavour,
        lambda sysop, its: untwit(sysop.instance, its.name, by=sysop.by, reason=its.reason),
        LogKind(
            "untwit",
            mark("TWIT lifted"),
            "{whom} may write to others again; told {news}.",
            notice=Notice(mark("You may write to others again."), adds_reason=True),
        ),
        command=Subcommand("let a user write to others again", ("untwit Bert",)),
        desk=DeskEntry(30, "L", mark("Lift a TWIT"), ("name",)),
    )
)


def reset_password(
    instance: Instance,
    name: str,
    *,
    by: str,
    reason: str = "",
    pause: Pause = time.sleep,
    hashing: Callable[[str], str] = hashed,
) -> Done:
    """Set a random password, which the user must change at the next login; their session ends.

    `hashing` is slow, and is done before anything is changed.
    """
    user = open_user(instance, name)
    password = made_password()
    password_hash = hashing(password)
    action = write_down(
        instance, "password", user, by, reason, lambda users: write_password(users, user.id, password_hash)
    )
    done = end_stay(instance, action, user, pause)
    return msgspec.structs.replace(done, password=password)


_ROWS.append(
    sysop_action(
        "password",
        InFavour,
        lambda sysop, its: reset_password(
            sysop.instance, its.name, by=sysop.by, reason=its.reason, pause=sysop.pause, hashing=sysop.hashing
        ),
        LogKind(
            "password",
            mark("New password given"),
            "New password of {whom}, to be changed at the next login: {password}{ends}",
            farewell=Notice(mark("A sysop has given you a new password; please ask for it."), adds_reason=True),
        ),
        command=Subcommand(
            "give a user a new password, to be changed at the next login; its session ends",
            ("password Bert --reason 'has forgotten it'",),
        ),
        desk=DeskEntry(
            80,
            "P",
            mark("Give a new password"),
            ("name", "reason"),
            sure=mark("Give {name} a new password? (y/n)"),
        ),
    )
)


def delete(instance: Instance, name: str, *, by: str, reason: str, pause: Pause = time.sleep) -> Done:
    """Close an account for good: its session ends, its CUBES go to the account `house`, its name stays taken."""
    user = open_user(instance, name)
    now = instance.accounts.store.clock()

    def close(users: Connection) -> None:
        write_closed(users, user.id, now)
        forget(users, user.id)

    action = write_down(instance, "delete", user, by, needed(reason), close, moves=True)
    done = end_stay(instance, action, user, pause)
    waits: tuple[SysopAction, int | None] = (action, None)
    action, balance = following(action, partial(_move, instance.sysop_log, instance.bank, action), waits)
    return msgspec.structs.replace(done, action=action, balance=balance)


_ROWS.append(
    sysop_action(
        "delete",
        ToUser,
        lambda sysop, its: delete(sysop.instance, its.name, by=sysop.by, reason=its.reason, pause=sysop.pause),
        LogKind(
            "delete",
            mark("Account deleted"),
            "The account of {whom} is closed{ends}; {cubes} CUBES went to the house.",
            farewell=Notice(mark("Your account has been closed by the sysops: {reason}")),
        ),
        command=Subcommand(
            "close an account for good",
            ("delete Bert --reason abuse --yes",),
            sure="Close the account {name} for good? (y/n) ",
            needs_yes="an account is closed for good: say --yes",
        ),
        desk=DeskEntry(
            90,
            "D",
            mark("Delete an account"),
            ("name", "reason"),
            sure=mark("Delete the account {name} for good? (y/n)"),
            answer=mark("The account {name} is closed; {cubes} CUBES went to the house."),
        ),
    )
)


def grant(instance: Instance, name: str, cubes: int, *, by: str, reason: str) -> Done:
    """Pay a user newly made CUBES."""
    return _pay(instance, "grant", name, cubes, by, reason)


_ROWS.append(
    sysop_action(
        "grant",
        Amount,
        lambda sysop, its: grant(sysop.instance, its.name, its.cubes, by=sysop.by, reason=its.reason),
        LogKind(
            "grant",
            mark("CUBES given"),
            "{whom} was given {cubes} CUBES and owns {balance} now.",
            notice=Notice(mark("The sysops gave you {cubes} CUBES: {reason}")),
        ),
        command=Subcommand("give a user CUBES", ("grant Bert 100 --reason 'first prize'",)),
        desk=DeskEntry(100, "G", mark("Give CUBES"), ("name", "cubes", "reason")),
    )
)


def take(instance: Instance, name: str, cubes: int, *, by: str, reason: str) -> Done:
    """Move CUBES from a user to the account `house`. Raise `Refused` ("not_enough")."""
    return _pay(instance, "take", name, cubes, by, reason)


_ROWS.append(
    sysop_action(
        "take",
        Amount,
        lambda sysop, its: take(sysop.instance, its.name, its.cubes, by=sysop.by, reason=its.reason),
        LogKind(
            "take",
            mark("CUBES taken"),
            "{cubes} CUBES taken from {whom}, who owns {balance} now.",
            notice=Notice(mark("The sysops took {cubes} CUBES from you: {reason}")),
        ),
        command=Subcommand("take CUBES from a user", ("take Bert 100 --reason 'won by collusion'",)),
        desk=DeskEntry(110, "C", mark("Take CUBES"), ("name", "cubes", "reason")),
    )
)


def set_sysop(instance: Instance, name: str, on: bool, *, by: str, reason: str = "") -> Done:
    """Make a user a sysop, or no sysop any more."""
    user = open_user(instance, name)
    kind = "sysop" if on else "nosysop"
    action = write_down(instance, kind, user, by, reason, lambda users: write_sysop(users, user.id, on))
    return Done(action, online=tell(instance, user))


_ROWS.append(
    sysop_action(
        "sysop",
        Switch,
        lambda sysop, its: set_sysop(sysop.instance, its.name, its.on, by=sysop.by, reason=its.reason),
        LogKind(
            "sysop",
            mark("Made a sysop"),
            "{whom} is a sysop now.",
            notice=Notice(mark("You are a sysop now: ! at the prompt leads to the sysop's desk.")),
        ),
        LogKind(
            "nosysop",
            mark("No longer a sysop"),
            "{whom} is no sysop any more.",
            notice=Notice(mark("You are no longer a sysop.")),
        ),
        command=Subcommand("make a user a sysop, or no sysop any more", ("sysop Anna on", "sysop Anna off")),
    )
)


def wipe(instance: Instance, line: int, *, by: str, reason: str = "") -> Done:
    """Take a line off the wall; what it said is written down before the reason. Its writer reads of it."""
    found = next((one for one in wall(instance) if one.id == line), None)
    user = None if found is None else instance.accounts.by_id(found.user)
    if found is None or user is None:
        raise Refused("no_line", str(line))

    def remove(users: Connection) -> None:
        if not remove_line(users, line):
            raise Refused("no_line", str(line))

    text = f'"{found.text}"'
    action = write_down(instance, "wall", user, by, f"{text}: {reason}" if reason else text, remove)
    return Done(action, online=tell(instance, user))


_ROWS.append(
    sysop_action(
        "wipe",
        OfTheWall,
        lambda sysop, its: wipe(sysop.instance, its.line, by=sysop.by, reason=its.reason),
        LogKind(
            "wall",
            mark("Taken off the wall"),
            "A line of {whom} is off the wall; told {news}.",
            notice=Notice(mark("A sysop has taken a line of yours off the wall."), adds_reason=True),
        ),
        command=None,
        desk=DeskEntry(140, "N", mark("Take a line off the wall"), ("line", "reason")),
    )
)


# --- CUBES ------------------------------------------------------------------------------------------------------------


def finish_pending(sysop_actions: SysopLog, bank: Bank) -> None:
    """Move the CUBES of actions whose process was killed before it had."""
    for action in sysop_actions.pending():
        try:
            _move(sysop_actions, bank, action)
        except Refused as refusal:
            log.warning("sysop's act %d is dropped: %s", action.id, refusal)


def _pay(instance: Instance, kind: Literal["grant", "take"], name: str, cubes: int, by: str, reason: str) -> Done:
    finish_pending(instance.sysop_log, instance.bank)
    user = open_user(instance, name)
    if not 1 <= cubes <= MOST_CUBES:
        raise Refused("bad_amount")
    action = write_down(instance, kind, user, by, needed(reason), cubes=cubes, moves=True)
    try:
        action, balance = _move(instance.sysop_log, instance.bank, action)
    except BankUnavailable:
        instance.sysop_log.drop(action.id)  # a later try must not find it pending and move CUBES twice
        raise
    instance.latest_sysop_action = action.id
    return Done(action, online=tell(instance, user), balance=balance)


def _move(sysop_actions: SysopLog, bank: Bank, action: SysopAction) -> tuple[SysopAction, int | None]:
    """Make the ledger move an action's CUBES, once; return the action as it is now, and the user's balance.

    An action that cannot be settled behind that stays pending, and is settled by the next process that looks.
    """
    assert action.user is not None, f"sysop action {action.id} moves the CUBES of nobody"
    try:
        if action.kind == "grant":
            cubes, balance = bank.grant(action.id, action.user, action.cubes or 0)
        else:
            if action.kind == "delete":
                for kind in kinds_of_property():
                    kind.sell(bank.store, action.at, action.user)
            cubes, balance = bank.take(action.id, action.user, action.cubes)
    except NotEnough as short:
        sysop_actions.drop(action.id)
        raise Refused("not_enough", action.target, short.balance) from None
    following(action, lambda: sysop_actions.settle(action.id, cubes), None)
    return msgspec.structs.replace(action, cubes=cubes), balance


# --- looking ----------------------------------------------------------------------------------------------------------


def sysop_actions(instance: Instance, name: str | None = None, limit: int = 50) -> list[SysopAction]:
    """Return the latest sysop actions, newest first: all, or those done to a user (also of a closed account)."""
    return (
        instance.sysop_log.latest(limit) if name is None else instance.sysop_log.of(user_of(instance, name).id, limit)
    )


def warnings(instance: Instance, name: str) -> int:
    """Count the warnings a user has had."""
    return instance.sysop_log.warnings(user_of(instance, name).id)


def wall(instance: Instance) -> list[WallLine]:
    """Return what stands on the wall, the oldest line first."""
    return instance.meeting.wall.lines()


def bans(instance: Instance) -> list[Ban]:
    """Return the bans in force."""
    return instance.bans.all()


SYSOP_ACTIONS: Final[dict[str, SysopActionRow]] = {one.word: one for one in _ROWS}
"""By word."""
KINDS: Final[dict[str, LogKind]] = {kind.name: kind for one in _ROWS for kind in one.kinds}
TOLD: Final = tuple(kind.name for kind in KINDS.values() if kind.notice is not None)
"""Kinds that their user reads of, at once or at the next login."""
if len(SYSOP_ACTIONS) < len(_ROWS) or len(KINDS) < sum(len(one.kinds) for one in _ROWS):
    raise ValueError("two sysop actions have one word, or one kind in the log")
