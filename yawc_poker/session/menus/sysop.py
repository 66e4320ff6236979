"""The sysop's desk: what a caller with the sysop flag may do to others, asked for in a menu.

Owns the questions and the answers in words; what is done, and whether it may be, is `casino.moderation.actions`'s. From
here nothing is done to another sysop, nor to oneself: for that there is `yawcctl`, on the machine. The flag is looked
at anew before every act.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

from yawc_poker.addresses import covers
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.procedure import Done, RefusalReason, Refused
from yawc_poker.casino.store import StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.bans import TooWide, network
from yawc_poker.casino.users.sysop_log import REASON_LENGTH, SysopAction
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import day, until
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.session.menus.passwords import hash_apart
from yawc_poker.session.menus.sysop_questions import (
    GivenUp,
    ask,
    ask_amount,
    ask_other,
    ask_reason,
    ask_span,
    ask_user,
    chosen_user,
    judged,
    make_sure,
)
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

TARGET_LIMIT = 50
MOST_ACTS = 20

_REFUSALS: dict[RefusalReason, str] = {
    "no_user": mark("There is no user called {name}."),
    "closed": mark("The account {name} is closed."),
    "not_online": mark("Nobody called {name} is online."),
    "no_reason": mark("A text is needed."),
    "too_wide": mark("{name} is too wide a network."),
    "not_banned": mark("{name} is not banned."),
    "bad_amount": mark("That is not a number of CUBES."),
    "not_enough": mark("{name} has only {cubes} CUBES."),
}
KINDS = {
    "warn": mark("Warning"),
    "twit": mark("TWIT"),
    "untwit": mark("TWIT lifted"),
    "ban": mark("Ban"),
    "unban": mark("Ban lifted"),
    "kick": mark("Session ended"),
    "password": mark("New password given"),
    "delete": mark("Account deleted"),
    "grant": mark("CUBES given"),
    "take": mark("CUBES taken"),
    "say": mark("Said to all"),
    "sysop": mark("Made a sysop"),
    "nosysop": mark("No longer a sysop"),
}


def desk(caller: Caller) -> None:
    """`!`: the menu, until it is left."""
    while _is_sysop(caller):
        _menu(caller)
        key = ask_key(caller, caller.words("Sysop's desk") + "> ").upper()
        chosen = _ACTIONS.get(key)
        if chosen is None:
            caller.console.finish()
            return
        caller.console.finish(caller.words(chosen.title))
        if _is_sysop(caller):
            _carry_out(caller, chosen.act)


def _is_sysop(caller: Caller) -> bool:
    user = caller.instance.accounts.by_id(caller.user.id)
    return user is not None and user.sysop


def _menu(caller: Caller) -> None:
    caller.console.say()
    entries = [f"[{key}] {caller.words(action.title)}" for key, action in _ACTIONS.items()]
    for left, right in zip(entries[::2], [*entries[1::2], ""], strict=False):
        caller.console.say(f"  {left:<34}{right}".rstrip())
    caller.console.say("  [Q] " + caller.words("Back"))
    caller.console.say()


def _carry_out(caller: Caller, act: Callable[[Caller], None]) -> None:
    words, say = caller.words, caller.console.say
    try:
        act(caller)
    except GivenUp:
        say(words("Nothing was done."))
    except Refused as refused:
        say(words(_REFUSALS[refused.reason], name=refused.what, cubes=refused.cubes), Style.YELLOW)
    except (StoreError, LockTimeout) as error:
        log.error("%r at the sysop's desk: %s", caller.user.name, error)
        say(words("That cannot be done at the moment; please try again."), Style.ALERT)


# --- acts -------------------------------------------------------------------------------------------------------------


def _warn(caller: Caller) -> None:
    user = ask_other(caller)
    done = actions.warn(caller.instance, user.name, by=_me(caller), reason=ask_reason(caller))
    _tell_told(caller, user, done)
    _tell_warnings(caller, user, done.warnings or 0)


def _twit(caller: Caller) -> None:
    user, span = ask_other(caller), ask_span(caller)
    _tell_told(caller, user, actions.twit(caller.instance, user.name, span, by=_me(caller), reason=ask_reason(caller)))


def _untwit(caller: Caller) -> None:
    user = ask_other(caller)
    _tell_told(caller, user, actions.untwit(caller.instance, user.name, by=_me(caller)))


def _kick(caller: Caller) -> None:
    user = ask_other(caller)
    reason = ask_reason(caller)
    _tell_ended(
        caller, actions.kick(caller.instance, user.name, by=_me(caller), reason=reason, pause=caller.loop.pause)
    )


def _ban(caller: Caller) -> None:
    words = caller.words
    target = _ask_target(caller)
    span, reason = ask_span(caller), ask_reason(caller)
    make_sure(caller, words("Ban {target}? (y/n)", target=target))
    done = actions.ban(caller.instance, target, span, by=_me(caller), reason=reason, pause=caller.loop.pause)
    caller.console.say(words("{target} is banned {until}.", target=target, until=until(done.action.until, words)))
    _tell_ended(caller, done)


def _ask_target(caller: Caller) -> str:
    """Ask for somebody's name, or an address or network that one does not call from oneself."""
    answer = ask(caller, caller.words("Name or address:"), TARGET_LIMIT)
    try:
        address = network(answer)
    except TooWide:
        raise Refused("too_wide", answer) from None
    if address is None:
        return judged(caller, chosen_user(caller, answer)).name
    if covers(address, caller.line.origin):
        caller.console.say(caller.words("You are calling from there yourself."), Style.YELLOW)
        raise GivenUp
    return address


def _unban(caller: Caller) -> None:
    target = ask(caller, caller.words("Name or address:"), TARGET_LIMIT)
    done = actions.unban(caller.instance, target, by=_me(caller))
    caller.console.say(caller.words("{target} is not banned any more.", target=done.action.target), Style.GREEN)


def _delete(caller: Caller) -> None:
    user, reason = ask_other(caller), ask_reason(caller)
    words = caller.words
    make_sure(caller, words("Delete the account {name} for good? (y/n)", name=user.name))
    done = actions.delete(caller.instance, user.name, by=_me(caller), reason=reason, pause=caller.loop.pause)
    caller.console.say(
        words("The account {name} is closed; {cubes} CUBES went to the house.", name=user.name, cubes=done.action.cubes)
    )
    _tell_ended(caller, done)


def _password(caller: Caller) -> None:
    user, reason = ask_other(caller), ask_reason(caller)
    words, say = caller.words, caller.console.say
    make_sure(caller, words("Give {name} a new password? (y/n)", name=user.name))
    done = actions.reset_password(
        caller.instance,
        user.name,
        by=_me(caller),
        reason=reason,
        pause=caller.loop.pause,
        hashing=lambda password: hash_apart(caller, password),
    )
    say(words("New password of {name}: {password}", name=user.name, password=done.password), Style.BOLD)
    say(words("It is shown only now, and must be changed at the next login."))
    _tell_ended(caller, done)


def _grant(caller: Caller) -> None:
    user, cubes = ask_other(caller), ask_amount(caller)
    _tell_paid(
        caller, user, actions.grant(caller.instance, user.name, cubes, by=_me(caller), reason=ask_reason(caller))
    )


def _take(caller: Caller) -> None:
    user, cubes = ask_other(caller), ask_amount(caller)
    _tell_paid(caller, user, actions.take(caller.instance, user.name, cubes, by=_me(caller), reason=ask_reason(caller)))


def _say(caller: Caller) -> None:
    actions.say(caller.instance, ask(caller, caller.words("Message:"), REASON_LENGTH), by=_me(caller))
    caller.show_news()


def _show_acts(caller: Caller) -> None:
    user = ask_user(caller)
    found = actions.sysop_actions(caller.instance, user.name, MOST_ACTS)
    for act in found:
        caller.console.say(_shown(caller, act))
    _tell_warnings(caller, user, actions.warnings(caller.instance, user.name))


def _shown(caller: Caller, act: SysopAction) -> str:
    words = caller.words
    parts = [day(act.at), words(KINDS[act.kind])]
    if act.cubes is not None:
        parts.append(words("{cubes} CUBES", cubes=act.cubes))
    if act.until is not None:
        parts.append(until(act.until, words))
    return f"  {', '.join(parts)}, {act.by}: {act.reason}"


def _show_bans(caller: Caller) -> None:
    found = actions.bans(caller.instance)
    words = caller.words
    for ban in found:
        caller.console.say(f"  {ban.target}, {until(ban.until, words)}, {ban.by}: {ban.reason}")
    if not found:
        caller.console.say(words("Nobody is banned."))


def _me(caller: Caller) -> str:
    return caller.user.name


# --- answers ----------------------------------------------------------------------------------------------------------


def _tell_told(caller: Caller, user: User, done: Done) -> None:
    words = caller.words
    if done.online:
        caller.console.say(words("Done; {name} has been told.", name=user.name), Style.GREEN)
    else:
        caller.console.say(words("Done; {name} will be told at the next login.", name=user.name), Style.GREEN)


def _tell_warnings(caller: Caller, user: User, count: int) -> None:
    words = caller.words
    text = words.count("{name} has had {n} warning.", "{name} has had {n} warnings.", count, name=user.name)
    caller.console.say(text, Style.BOLD)


def _tell_paid(caller: Caller, user: User, done: Done) -> None:
    _tell_told(caller, user, done)
    caller.console.say(caller.words("{name} now has {cubes} CUBES.", name=user.name, cubes=done.balance))


def _tell_ended(caller: Caller, done: Done) -> None:
    words, say = caller.words, caller.console.say
    if done.ended or done.killed:
        say(words.count("{n} session has ended.", "{n} sessions have ended.", done.ended + done.killed), Style.GREEN)
    if done.killed:
        say(words.count("{n} of them had to be killed.", "{n} of them had to be killed.", done.killed), Style.YELLOW)


class _Action(NamedTuple):
    title: str
    act: Callable[[Caller], None]


_ACTIONS = {
    "W": _Action(mark("Warn"), _warn),
    "T": _Action(mark("TWIT: may not write to others"), _twit),
    "L": _Action(mark("Lift a TWIT"), _untwit),
    "K": _Action(mark("End a session"), _kick),
    "B": _Action(mark("Ban a name or an address"), _ban),
    "U": _Action(mark("Lift a ban"), _unban),
    "V": _Action(mark("Bans in force"), _show_bans),
    "P": _Action(mark("Give a new password"), _password),
    "D": _Action(mark("Delete an account"), _delete),
    "G": _Action(mark("Give CUBES"), _grant),
    "C": _Action(mark("Take CUBES"), _take),
    "S": _Action(mark("Say something to everybody"), _say),
    "A": _Action(mark("Sysop actions on a user"), _show_acts),
}
