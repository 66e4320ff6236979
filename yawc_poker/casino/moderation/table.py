"""All sysop actions: one row each, with the function that does it in `casino.moderation.actions`.

Owns the control socket's words and arguments for them, the subcommands of `yawcctl`, the entries in the menu of the
sysop's desk, and the texts that sysops and users read. A new sysop action is a function in `actions`
and a row here.
"""

from typing import Final

from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.arguments import (
    Amount,
    ForATime,
    InFavour,
    LetIn,
    OfTheWall,
    ShutOut,
    Switch,
    ToAll,
    ToUser,
)
from yawc_poker.casino.moderation.rows import DeskEntry, LogKind, Notice, Subcommand, SysopActionRow, sysop_action
from yawc_poker.words import mark

ENDED: Final = Notice(mark("A sysop has ended this session."), adds_reason=True)
BANNED: Final = Notice(
    mark("You are banned from this BBS: {reason}"), mark("You are banned from this BBS until {when}: {reason}")
)
MUTED: Final = Notice(
    mark("The sysops have taken your right to write to others."),
    mark("The sysops have taken your right to write to others until {when}."),
)

_SAY = sysop_action(
    "say",
    ToAll,
    lambda sysop, its: actions.say(sysop.instance, its.text, by=sysop.by),
    LogKind(
        "say",
        mark("Said to all"),
        "Said to everybody who is logged in.",
        notice=Notice(mark("The sysops say: {text}")),
    ),
    command=Subcommand("say a line to everybody who is logged in", ("say 'We close in ten minutes.'",)),
    desk=DeskEntry(120, "S", mark("Say something to everybody"), ("text",)),
)
_KICK = sysop_action(
    "kick",
    ToUser,
    lambda sysop, its: actions.kick(sysop.instance, its.name, by=sysop.by, reason=its.reason, pause=sysop.pause),
    LogKind(
        "kick",
        mark("Session ended"),
        "{whom} was disconnected{ends}.",
        farewell=ENDED,
    ),
    command=Subcommand("end a user's session", ("kick Bert --reason 'blocks a seat'",)),
    desk=DeskEntry(40, "K", mark("End a session"), ("name", "reason")),
)
_BAN = sysop_action(
    "ban",
    ShutOut,
    lambda sysop, its: actions.ban(
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
_UNBAN = sysop_action(
    "unban",
    LetIn,
    lambda sysop, its: actions.unban(sysop.instance, its.target, by=sysop.by, reason=its.reason, kind=its.kind),
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
_WARN = sysop_action(
    "warn",
    ToUser,
    lambda sysop, its: actions.warn(sysop.instance, its.name, by=sysop.by, reason=its.reason),
    LogKind(
        "warn",
        mark("Warning"),
        "{whom} is warned, {news}. Warnings so far: {warnings}.",
        notice=Notice(mark("Warning from the sysops: {reason}"), urgent=True),
    ),
    command=Subcommand("warn a user", ("warn Bert --reason 'idle for two games'",)),
    desk=DeskEntry(10, "W", mark("Warn"), ("name", "reason")),
)
_TWIT = sysop_action(
    "twit",
    ForATime,
    lambda sysop, its: actions.twit(sysop.instance, its.name, its.seconds, by=sysop.by, reason=its.reason),
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
_UNTWIT = sysop_action(
    "untwit",
    InFavour,
    lambda sysop, its: actions.untwit(sysop.instance, its.name, by=sysop.by, reason=its.reason),
    LogKind(
        "untwit",
        mark("TWIT lifted"),
        "{whom} may write to others again; told {news}.",
        notice=Notice(mark("You may write to others again."), adds_reason=True),
    ),
    command=Subcommand("let a user write to others again", ("untwit Bert",)),
    desk=DeskEntry(30, "L", mark("Lift a TWIT"), ("name",)),
)
_PASSWORD = sysop_action(
    "password",
    InFavour,
    lambda sysop, its: actions.reset_password(
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
_DELETE = sysop_action(
    "delete",
    ToUser,
    lambda sysop, its: actions.delete(sysop.instance, its.name, by=sysop.by, reason=its.reason, pause=sysop.pause),
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
_GRANT = sysop_action(
    "grant",
    Amount,
    lambda sysop, its: actions.grant(sysop.instance, its.name, its.cubes, by=sysop.by, reason=its.reason),
    LogKind(
        "grant",
        mark("CUBES given"),
        "{whom} was given {cubes} CUBES and owns {balance} now.",
        notice=Notice(mark("The sysops gave you {cubes} CUBES: {reason}")),
    ),
    command=Subcommand("give a user CUBES", ("grant Bert 100 --reason 'first prize'",)),
    desk=DeskEntry(100, "G", mark("Give CUBES"), ("name", "cubes", "reason")),
)
_TAKE = sysop_action(
    "take",
    Amount,
    lambda sysop, its: actions.take(sysop.instance, its.name, its.cubes, by=sysop.by, reason=its.reason),
    LogKind(
        "take",
        mark("CUBES taken"),
        "{cubes} CUBES taken from {whom}, who owns {balance} now.",
        notice=Notice(mark("The sysops took {cubes} CUBES from you: {reason}")),
    ),
    command=Subcommand("take CUBES from a user", ("take Bert 100 --reason 'won by collusion'",)),
    desk=DeskEntry(110, "C", mark("Take CUBES"), ("name", "cubes", "reason")),
)
_SYSOP = sysop_action(
    "sysop",
    Switch,
    lambda sysop, its: actions.set_sysop(sysop.instance, its.name, its.on, by=sysop.by, reason=its.reason),
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

_WIPE = sysop_action(
    "wipe",
    OfTheWall,
    lambda sysop, its: actions.wipe(sysop.instance, its.line, by=sysop.by, reason=its.reason),
    LogKind(
        "wall",
        mark("Taken off the wall"),
        "A line of {whom} is off the wall; told {news}.",
        notice=Notice(mark("A sysop has taken a line of yours off the wall."), adds_reason=True),
    ),
    command=None,
    desk=DeskEntry(140, "N", mark("Take a line off the wall"), ("line", "reason")),
)

_ROWS = (_SAY, _KICK, _BAN, _UNBAN, _WARN, _TWIT, _UNTWIT, _PASSWORD, _DELETE, _GRANT, _TAKE, _SYSOP, _WIPE)
SYSOP_ACTIONS: Final[dict[str, SysopActionRow]] = {one.word: one for one in _ROWS}
"""By word; those with a subcommand stand in the order of `yawcctl --help`."""
KINDS: Final[dict[str, LogKind]] = {kind.name: kind for one in _ROWS for kind in one.kinds}
TOLD: Final = tuple(kind.name for kind in KINDS.values() if kind.notice is not None)
"""Kinds that their user reads of, at once or at the next login."""
