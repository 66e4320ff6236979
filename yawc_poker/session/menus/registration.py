"""Registration: a new name, a password, and the delay for many names from one network.

Owns that part of the dialogue before the prompt. The rules for names and passwords, and the delays, are the casino's
(`casino.users`).
"""

import logging
import math
from collections.abc import Callable
from typing import Final, assert_never

from yawc_poker.casino import counters
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import NameAlike, NameTaken, User
from yawc_poker.casino.users.names import bad_name
from yawc_poker.casino.users.registrations import TooMany
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_yes
from yawc_poker.session.menus.passwords import choose_password, hash_apart
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

NAME_LIMIT: Final = 128
"""Characters that may be typed where a name is asked for. More than any has: what is wrong is said by the rules."""
BAD_NAME = {
    "too_short": mark("A name has at least 2 characters."),
    "too_long": mark("A name has at most 20 characters."),
    "bad_character": mark("A name may contain only letters, digits, single spaces and simple punctuation."),
    "reserved": mark("That name is reserved."),
}


def register(caller: Caller, name: str) -> User | None:
    """Lead a caller with an unknown name to an account of that name; return None to go back to the name prompt."""
    words = caller.words
    if not is_free(caller, name):
        return None
    try:
        limit = caller.config.telnet.registrations_per_hour
        caller.patiently(lambda: caller.instance.registrations.check(caller.line.origin, limit))
        if not ask_yes(caller, words("There is no user {name} yet. Register this name? (y/n) ", name=name)):
            return None
    except TooMany as refused:
        _refuse(caller, refused.seconds)
        return None
    password = choose_password(caller, name)
    if not password:
        return None
    accounts, language = caller.instance.accounts, words.language
    return enrolled(caller, lambda: accounts.enrol(name, hash_apart(caller, password), language))


def _refuse(caller: Caller, seconds: float) -> None:
    text = caller.words.count(
        "Too many new names from your network; please try again in {n} minute.",
        "Too many new names from your network; please try again in {n} minutes.",
        max(1, math.ceil(seconds / 60)),
    )
    caller.console.say(text, Style.ALERT)


def is_free(caller: Caller, name: str) -> bool:
    """Return whether a name may be registered; if not, the caller is told why."""
    if (reason := bad_name(name, caller.config.bbs.name)) is not None:
        caller.console.say(caller.words(BAD_NAME[reason]), Style.ALERT)
        return False
    if other := caller.patiently(lambda: caller.instance.accounts.alike(name)):
        refuse_name(caller, NameAlike(other))
        return False
    return True


def refuse_name(caller: Caller, refused: NameAlike | NameTaken) -> None:
    """Tell why a name cannot be had."""
    match refused:
        case NameAlike(name=other):
            text = caller.words("That looks too much like {name}; please choose another name.", name=other)
        case NameTaken():
            text = caller.words("Somebody else has just registered the name {name}.", name=str(refused))
        case _ as never:
            assert_never(never)
    caller.console.say(text, Style.ALERT)


def enrolled(caller: Caller, enrol: Callable[[], User]) -> User | None:
    """Make an account, when its network's turn has come, and return its user; None: it may not be made."""
    registrations, limit = caller.instance.registrations, caller.config.telnet.registrations_per_hour
    try:
        turn = caller.patiently(lambda: registrations.turn(caller.line.origin, limit))
    except TooMany as refused:
        _refuse(caller, refused.seconds)
        return None
    _wait_for_turn(caller, turn.wait)
    try:
        user = caller.patiently(enrol)
    except (NameAlike, NameTaken) as refused:
        caller.patiently(lambda: registrations.take_back(turn))
        refuse_name(caller, refused)
        return None
    try:
        caller.instance.attempts.succeeded(user.id, caller.line.origin)
    except StoreError as error:  # the account is made; a later login from here makes the place a familiar one
        log.warning("%r is registered, but not known from %s yet: %s", user.name, caller.line.origin, error)
    caller.instance.tally.count(counters.REGISTRATIONS)
    caller.login.is_new = True
    return user


def _wait_for_turn(caller: Caller, seconds: float) -> None:
    if seconds:
        text = caller.words.count(
            "Many new names are coming from your network; yours follows in {n} second.",
            "Many new names are coming from your network; yours follows in {n} seconds.",
            math.ceil(seconds),
        )
        caller.console.say(text, Style.YELLOW)
        caller.wait(seconds)
