"""Asking a caller for a password: the prompts, the check, and the choice of a new one.

Owns the prompts `Password:` and `Repeat the password:`, the wait before a try, and the line of the log for a wrong one.
How long that wait is, is in `casino.users.login_attempts`; what is stored, and what goes with an old password, in
`casino.users.accounts`.
"""

import logging
import math
from collections.abc import Callable
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino import counters
from yawc_poker.casino.users import passwords
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.login_attempts import TriesUsedUp
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import TooManyTries
from yawc_poker.session.caller.prompts import ask_secret
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

TRIES = 3

BAD_PASSWORD = {
    "too_short": mark("A password has at least 8 characters."),
    "too_long": mark("A password has at most 128 characters."),
    "bad_character": mark("A password may contain only printable characters."),
    "like_name": mark("That password is too much like the name."),
    "common": mark("That is one of the most common passwords; everybody guesses it."),
}


def ask_password(caller: Caller, prompt: str, *, is_new: bool = False) -> str:
    """Ask for a password, which is not shown; empty: the caller gave up."""
    return ask_secret(caller, prompt + " ", "new-password" if is_new else "current-password")


def choose_password(caller: Caller, name: str, old: str = "") -> str:
    """Ask for a new password twice, until it will do; empty: the caller gave up."""
    words, say = caller.words, caller.console.say
    say(words("Choose a password of {n} characters or more; it is not shown. ESC: back.", n=passwords.LENGTHS.start))
    while password := ask_password(caller, words("Password:"), is_new=True):
        fault = passwords.bad_password(password, name)
        if fault is not None or password == old:
            say(words(BAD_PASSWORD[fault]) if fault else words("That is the old password."), Style.ALERT)
            continue
        again = ask_password(caller, words("Repeat the password:"), is_new=True)
        if again == password or not again:
            return again
        say(words("The two passwords differ; please try again."), Style.ALERT)
    return ""


class KeptKeys(NamedTuple):
    """An extra's question at a new password (place `new_passwords`)."""

    ask: Callable[[Caller, User], list[str]]
    """Returns which keys open the account without a password still, by their fingerprints."""


class Fit(NamedTuple):
    """A password that fits what is stored."""

    password: str
    stored: str
    """The hash."""
    is_guessable: bool
    """An older program stored question marks for it, so others fit as well."""


def change_password(caller: Caller, user: User, old: Fit) -> bool:
    """Make a user choose another password. Return whether it was changed."""
    password = choose_password(caller, user.name, old.password)
    if not password:
        return False
    origin = caller.line.origin
    kept = [key for one in announced("new_passwords", KeptKeys) for key in one.ask(caller, user)]
    password_hash = hash_apart(caller, password)
    accounts = caller.instance.accounts
    is_changed = caller.patiently(lambda: accounts.change_password(user.id, old.stored, password_hash, origin, kept))
    if is_changed:
        caller.login.password_hash = password_hash
        if caller.page is not None:
            caller.page.renew()
        log.info("user %r changed the password from %s", user.name, origin)
        caller.console.say(caller.words("Your password has been changed."), Style.GREEN)
    else:  # a sysop was faster
        caller.console.say(caller.words("That cannot be done at the moment; please try again."), Style.ALERT)
    return is_changed


def change_own_password(caller: Caller) -> None:
    """Change the password of the user who is logged in; the old one is asked for first."""
    old = ask_password(caller, caller.words("Old password:"))
    if not old:
        return
    fit = fitting(caller, caller.user, old)
    if fit is not None:
        change_password(caller, caller.user, fit)


def hash_apart(caller: Caller, password: str) -> str:
    """Return a password's hash, computed in another process."""
    return caller.apart(lambda: passwords.hashed(password).encode()).decode()


def fitting(caller: Caller, user: User, password: str) -> Fit | None:
    """Return how this fits if it is the user's password, after the wait, or None if it is not.

    Raise `TooManyTries` at the third one that is wrong, or refused.
    """
    try:
        _wait_for_turn(caller, user)
    except TriesUsedUp as refused:
        _refuse(caller, user, refused.seconds)
    else:
        fit = _fitting(caller, user, password)
        if fit is not None:
            caller.patiently(lambda: caller.instance.attempts.succeeded(user.id, caller.line.origin))
            return fit
        caller.patiently(lambda: caller.instance.attempts.failed(user.id, caller.line.origin))
        log.warning("login failed: user %s from %s", as_one_word(user.name), caller.line.origin)
        caller.instance.tally.count(counters.LOGINS_FAILED)
        caller.console.say(caller.words("Wrong password."), Style.ALERT)
    caller.login.wrong_passwords += 1
    if caller.login.wrong_passwords >= TRIES:
        raise TooManyTries
    return None


def _refuse(caller: Caller, user: User, seconds: float) -> None:
    """Tell that the password will not be looked at."""
    log.info("no more tries now: user %s from %s", as_one_word(user.name), caller.line.origin)
    text = caller.words.count(
        "Too many wrong passwords from your address, or for this account; please try again in {n} minute.",
        "Too many wrong passwords from your address, or for this account; please try again in {n} minutes.",
        max(1, math.ceil(seconds / 60)),
    )
    caller.console.say(text, Style.ALERT)


def _wait_for_turn(caller: Caller, user: User) -> None:
    """Wait until one more password may be tried. Raise `TriesUsedUp`."""
    rest = caller.patiently(lambda: caller.instance.attempts.turn(user.id, caller.line.origin))
    if rest:
        seconds = math.ceil(rest)
        caller.console.say(
            caller.words.count(
                "There were wrong passwords; yours will be checked in {n} second.",
                "There were wrong passwords; yours will be checked in {n} seconds.",
                seconds,
            ),
            Style.YELLOW,
        )
        caller.wait(rest)


def _fitting(caller: Caller, user: User, password: str) -> Fit | None:
    """Check the password in another process, as it was typed and as older programs kept it; renew an old hash."""
    stored = caller.patiently(lambda: caller.instance.accounts.stored(user.id))
    readings = dict.fromkeys((password, passwords.as_once_stored(password)))

    def look() -> bytes:
        for number, reading in enumerate(readings):
            if (newest := passwords.verified(stored, reading)) is not None:
                return f"{number} {newest}".encode()
        return b"no"

    answer, _, newest = caller.apart(look).decode().partition(" ")
    if newest:
        caller.patiently(lambda: caller.instance.accounts.renew(user.id, stored, newest))
    if answer == "no":
        return None
    reading = [*readings][int(answer)]
    return Fit(reading, newest or stored, reading != password or passwords.is_question_marks(reading))


def as_one_word(name: str) -> str:
    """Write a name so that no filter of the log can take a part of it for something else, such as an address."""
    return "".join(character if character.isalnum() or character in "-_" else "_" for character in name)[:40]
