"""The sysop actions, by `yawcctl` on the machine or at the sysop's desk inside the BBS: a function each, and its row.

A new sysop action is such a pair: the row has the word and the arguments by which the control socket knows it, the
subcommand of `yawcctl`, the entry in the menu of the desk, and the texts that sysops and users read.

Owns the order of steps: write the action down with its reason (`sysop_log`) and log it, carry it out, notify the users
it concerns. A process that calls these functions has entered the instance and holds no lock. A refusal raises `Refused`
and has changed nothing; every function may raise `StoreError` and `LockTimeout`.

Crash safety: an action that is written down holds, even if its process is killed afterwards, or the bank fails. A ban
is looked at by every login; a TWIT is read from the account; CUBES are moved by the ledger under the action's own
number, and an action that is still pending is finished by the next process that gives or takes, or by the next start
(`finish_pending`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Final, Literal

import msgspec

from yawc_poker.addresses import covers
from yawc_poker.announcing import announced
from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.meeting import forget
from yawc_poker.casino.meeting.wall import remove_line
from yawc_poker.casino.moderation.procedure import (
    WRITTEN,
    Done,
    Refused,
    Sysop,
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
    Arguments,
    ArgumentsT,
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
)
from yawc_poker.casino.store.connection import Connection
from yawc_poker.casino.users.accounts import write_closed, write_password, write_sysop, write_twit
from yawc_poker.casino.users.bans import Ban, remove_ban, write_ban
from yawc_poker.casino.users.names import name_key
from yawc_poker.casino.users.passwords import made_password
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


def _enters(
    word: str,
    arguments: type[ArgumentsT],
    *kinds: LogKind,
    command: Subcommand | None,
    desk: DeskEntry | None = None,
) -> Callable[[Callable[[Sysop, ArgumentsT], Done]], Callable[[Sysop, ArgumentsT], Done]]:
    """Enter the function that follows into the table; its kinds may be written down from then on."""
    WRITTEN.update(kind.name for kind in kinds)

    def enter(carry_out: Callable[[Sysop, ArgumentsT], Done]) -> Callable[[Sysop, ArgumentsT], Done]:
        def checked(sysop: Sysop, given: Arguments) -> Done:
            if not isinstance(given, arguments):
                raise TypeError(f"{word} takes {arguments.__name__}, not {type(given).__name__}")
            return carry_out(sysop, given)

        _ROWS.append(SysopActionRow(word, arguments, checked, kinds, command, desk))
        return carry_out

    return enter


@_enters(
    "say",
    ToAll,
    LogKind(
        "say", mark("Said to all"), "Said to everybody who is logged in.", notice=Notice(mark("The sysops say: {text}"))
    ),
    command=Subcommand("say a line to everybody who is logged in", ("say 'We close in ten minutes.'",)),
    desk=DeskEntry(120, "S", mark("Say something to everybody"), ("text",)),
)
def say(sysop: Sysop, its: ToAll) -> Done:
    """Send a line to everybody who is logged in, at the prompt or at a table."""
    action = write_down(sysop, "say", None, needed(its.text))
    sysop.instance.notifier.tell_all(Kind.SYSOP, tables=True)
    return Done(action, online=True)


@_enters(
    "kick",
    ToUser,
    LogKind("kick", mark("Session ended"), "{whom} was disconnected{ends}.", farewell=ENDED),
    command=Subcommand("end a user's session", ("kick Bert --reason 'blocks a seat'",)),
    desk=DeskEntry(40, "K", mark("End a session"), ("name", "reason")),
)
def kick(sysop: Sysop, its: ToUser) -> Done:
    """End a session of a user, a guest or a house player; one that stays is killed, and its seat is purged.

    So is the seat that is held for a user whose session has died.
    """
    instance, reason = sysop.instance, its.reason
    guest = instance.directory.named(its.name)
    if guest is not None and (guest.is_guest or guest.is_house):
        return end_sessions(sysop, write_down(sysop, "kick", None, needed(reason), target=guest.name), [guest])
    user = open_user(instance, its.name)
    if not sessions_of(instance, user) and not is_seat_held(instance, user):
        raise Refused("not_online", user.name)
    return end_stay(sysop, write_down(sysop, "kick", user, needed(reason)), user)


@_enters(
    "ban",
    ShutOut,
    LogKind("ban", mark("Ban"), "{whom} is banned {until}{ends}.", farewell=BANNED, lasts=True),
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
def ban(sysop: Sysop, its: ShutOut) -> Done:
    """Ban a name, an address or a network for some seconds (None: for ever), and end its sessions.

    A target that can be read as an address is one, unless `kind` says otherwise. A ban replaces an older one.
    """
    instance = sysop.instance
    until, reason, address = end_of(instance, its.seconds), needed(its.reason), address_of(its.target, its.kind)
    user = None if address else open_user(instance, its.target)
    now = instance.accounts.store.clock()
    row = Ban("address" if address else "name", address or name_key(its.target), until, reason, sysop.by, now)
    action = write_down(sysop, "ban", user, reason, lambda users: write_ban(users, row), until=until, target=address)
    if user is not None:
        return end_stay(sysop, action, user)
    publish(instance)
    return end_sessions(sysop, action, [one for one in instance.directory.everybody() if covers(address, one.peer)])


@_enters(
    "unban",
    LetIn,
    LogKind("unban", mark("Ban lifted"), "{whom} may call again."),
    command=Subcommand("lift a ban", ("unban Bert", "unban 192.0.2.7")),
    desk=DeskEntry(
        60, "U", mark("Lift a ban"), ("banned",), answer=mark("{target} is not banned any more."), answer_is_good=True
    ),
)
def unban(sysop: Sysop, its: LetIn) -> Done:
    """Lift the ban of a name, or of exactly this address or network."""
    address = address_of(its.target, its.kind)
    user = None if address else user_of(sysop.instance, its.target)

    def lift(users: Connection) -> None:
        if not remove_ban(users, "address" if address else "name", address or name_key(its.target)):
            raise Refused("not_banned", address or its.target)

    action = write_down(sysop, "unban", user, its.reason, lift, target=address)
    if address:
        publish(sysop.instance)
    return Done(action)


@_enters(
    "warn",
    ToUser,
    LogKind(
        "warn",
        mark("Warning"),
        "{whom} is warned, {news}. Warnings so far: {warnings}.",
        notice=Notice(mark("Warning from the sysops: {reason}"), urgent=True),
    ),
    command=Subcommand("warn a user", ("warn Bert --reason 'idle for two games'",)),
    desk=DeskEntry(10, "W", mark("Warn"), ("name", "reason")),
)
def warn(sysop: Sysop, its: ToUser) -> Done:
    """Warn a user, who reads it at once, or at the next login."""
    instance = sysop.instance
    user = open_user(instance, its.name)
    action = write_down(sysop, "warn", user, needed(its.reason))
    had = following(action, lambda: instance.sysop_log.warnings(user.id), None)
    return Done(action, online=tell(instance, user), warnings=had)


@_enters(
    "note",
    ToUser,
    LogKind("note", mark("Note"), "Noted about {whom}."),
    command=Subcommand(
        "note something about a user, for sysops", ("note Bert --reason 'plays from one house with Ada'",)
    ),
    desk=DeskEntry(
        85, "O", mark("Note something about a user"), ("name", "reason"), answer=mark("Noted about {name}.")
    ),
)
def note(sysop: Sysop, its: ToUser) -> Done:
    """Write down what sysops should know of a user, who does not read it."""
    return Done(write_down(sysop, "note", open_user(sysop.instance, its.name), needed(its.reason)))


@_enters(
    "twit",
    ForATime,
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
def twit(sysop: Sysop, its: ForATime) -> Done:
    """Take a user's right to write to others (chat, X-messages) for some seconds, for ever if None."""
    instance = sysop.instance
    user, until = open_user(instance, its.name), end_of(instance, its.seconds)
    action = write_down(
        sysop, "twit", user, needed(its.reason), lambda users: write_twit(users, user.id, until), until=until
    )
    mute(instance, user, until)
    return Done(action, online=tell(instance, user))


@_enters(
    "untwit",
    InFavour,
    LogKind(
        "untwit",
        mark("TWIT lifted"),
        "{whom} may write to others again; told {news}.",
        notice=Notice(mark("You may write to others again."), adds_reason=True),
    ),
    command=Subcommand("let a user write to others again", ("untwit Bert",)),
    desk=DeskEntry(30, "L", mark("Lift a TWIT"), ("name",)),
)
def untwit(sysop: Sysop, its: InFavour) -> Done:
    """Return to a user the right to write to others."""
    user = open_user(sysop.instance, its.name)
    action = write_down(sysop, "untwit", user, its.reason, lambda users: write_twit(users, user.id, 0.0))
    mute(sysop.instance, user, 0.0)
    return Done(action, online=tell(sysop.instance, user))


@_enters(
    "password",
    InFavour,
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
        80, "P", mark("Give a new password"), ("name", "reason"), sure=mark("Give {name} a new password? (y/n)")
    ),
)
def reset_password(sysop: Sysop, its: InFavour) -> Done:
    """Set a random password, which the user must change at the next login; their session ends.

    Hashing it is slow, and is done before anything is changed.
    """
    user = open_user(sysop.instance, its.name)
    password = made_password()
    kept = sysop.hashing(password)
    action = write_down(sysop, "password", user, its.reason, lambda users: write_password(users, user.id, kept))
    return msgspec.structs.replace(end_stay(sysop, action, user), password=password)


@_enters(
    "delete",
    ToUser,
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
def delete(sysop: Sysop, its: ToUser) -> Done:
    """Close an account for good: its session ends, its CUBES go to the account `house`, its name stays taken."""
    instance = sysop.instance
    user = open_user(instance, its.name)
    now = instance.accounts.store.clock()

    def close(users: Connection) -> None:
        write_closed(users, user.id, now)
        forget(users, user.id)

    action = write_down(sysop, "delete", user, needed(its.reason), close, moves=True)
    done = end_stay(sysop, action, user)
    waits: tuple[SysopAction, int | None] = (action, None)
    action, balance = following(action, partial(_move, instance.sysop_log, instance.bank, action), waits)
    return msgspec.structs.replace(done, action=action, balance=balance)


@_enters(
    "grant",
    Amount,
    LogKind(
        "grant",
        mark("CUBES given"),
        "{whom} was given {cubes} CUBES and owns {balance} now.",
        notice=Notice(mark("The sysops gave you {cubes} CUBES: {reason}")),
    ),
    command=Subcommand("give a user CUBES", ("grant Bert 100 --reason 'first prize'",)),
    desk=DeskEntry(100, "G", mark("Give CUBES"), ("name", "cubes", "reason")),
)
def grant(sysop: Sysop, its: Amount) -> Done:
    """Pay a user newly made CUBES."""
    return _pay(sysop, "grant", its)


@_enters(
    "take",
    Amount,
    LogKind(
        "take",
        mark("CUBES taken"),
        "{cubes} CUBES taken from {whom}, who owns {balance} now.",
        notice=Notice(mark("The sysops took {cubes} CUBES from you: {reason}")),
    ),
    command=Subcommand("take CUBES from a user", ("take Bert 100 --reason 'won by collusion'",)),
    desk=DeskEntry(110, "C", mark("Take CUBES"), ("name", "cubes", "reason")),
)
def take(sysop: Sysop, its: Amount) -> Done:
    """Move CUBES from a user to the account `house`. Raise `Refused` ("not_enough",)."""
    return _pay(sysop, "take", its)


@_enters(
    "sysop",
    Switch,
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
def set_sysop(sysop: Sysop, its: Switch) -> Done:
    """Make a user a sysop, or no sysop any more."""
    user = open_user(sysop.instance, its.name)
    kind = "sysop" if its.on else "nosysop"
    action = write_down(sysop, kind, user, its.reason, lambda users: write_sysop(users, user.id, its.on))
    return Done(action, online=tell(sysop.instance, user))


@_enters(
    "wipe",
    OfTheWall,
    LogKind(
        "wall",
        mark("Taken off the wall"),
        "A line of {whom} is off the wall; told {news}.",
        notice=Notice(mark("A sysop has taken a line of yours off the wall."), adds_reason=True),
    ),
    command=None,
    desk=DeskEntry(140, "N", mark("Take a line off the wall"), ("line", "reason")),
)
def wipe(sysop: Sysop, its: OfTheWall) -> Done:
    """Take a line off the wall; what it said is written down before the reason. Its writer reads of it."""
    instance = sysop.instance
    found = next((one for one in instance.meeting.wall.lines() if one.id == its.line), None)
    user = None if found is None else instance.accounts.by_id(found.user)
    if found is None or user is None:
        raise Refused("no_line", str(its.line))

    def remove(users: Connection) -> None:
        if not remove_line(users, its.line):
            raise Refused("no_line", str(its.line))

    text = f'"{found.text}"'
    action = write_down(sysop, "wall", user, f"{text}: {its.reason}" if its.reason else text, remove)
    return Done(action, online=tell(instance, user))


# --- CUBES ------------------------------------------------------------------------------------------------------------


def finish_pending(sysop_actions: SysopLog, bank: Bank) -> None:
    """Move the CUBES of actions whose process was killed before it had."""
    for action in sysop_actions.pending():
        try:
            _move(sysop_actions, bank, action)
        except Refused as refusal:
            log.warning("sysop's act %d is dropped: %s", action.id, refusal)


def _pay(sysop: Sysop, kind: Literal["grant", "take"], its: Amount) -> Done:
    instance = sysop.instance
    finish_pending(instance.sysop_log, instance.bank)
    user = open_user(instance, its.name)
    if not 1 <= its.cubes <= MOST_CUBES:
        raise Refused("bad_amount")
    action = write_down(sysop, kind, user, needed(its.reason), cubes=its.cubes, moves=True)
    unknown: tuple[SysopAction, int | None] = (action, None)
    action, balance = following(action, partial(_move, instance.sysop_log, instance.bank, action), unknown)
    if balance is None:
        return Done(action, waits=True)
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
                for kind in announced("property", Property):
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


SYSOP_ACTIONS: Final[dict[str, SysopActionRow]] = {one.word: one for one in _ROWS}
"""By word."""
KINDS: Final[dict[str, LogKind]] = {kind.name: kind for one in _ROWS for kind in one.kinds}
TOLD: Final = tuple(kind.name for kind in KINDS.values() if kind.notice is not None)
"""Kinds that their user reads of, at once or at the next login."""
if len(SYSOP_ACTIONS) < len(_ROWS) or len(KINDS) < sum(len(one.kinds) for one in _ROWS):
    raise ValueError("two sysop actions have one word, or one kind in the log")
