"""Where a caller is asked for a password: how it is asked, looked at, and chosen.

Owns the prompts `Password:` and `Repeat the password:`, the wait before a try, and the line of the log for a wrong one.
How long that wait is, and what is stored, is `casino.attempts`' and `casino.accounts`'.
"""

import logging
import math

from yawc_poker.casino import metrics
from yawc_poker.casino.accounts import User, bad_password, hashed, verified
from yawc_poker.session.caller import Caller
from yawc_poker.session.endings import TooManyTries
from yawc_poker.session.questions import ask_secret
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

TRIES = 3
PASSWORD_LIMIT = 128

BAD_PASSWORD = {
    "too_short": mark("A password has at least 4 characters."),
    "too_long": mark("A password has at most 128 characters."),
    "bad_character": mark("A password holds printable characters only."),
}


def ask_password(caller: Caller, prompt: str) -> str:
    """Ask for a password, which is not shown; empty: the caller gave up."""
    return ask_secret(caller, prompt + " ", PASSWORD_LIMIT)


def choose_password(caller: Caller) -> str:
    """Ask for a new password twice, until it will do; empty: the caller gave up."""
    words, say = caller.words, caller.console.say
    while password := ask_password(caller, words("Password:")):
        fault = bad_password(password)
        if fault is not None:
            say(words(BAD_PASSWORD[fault]), Style.ALERT)
            continue
        again = ask_password(caller, words("Repeat the password:"))
        if again == password or not again:
            return again
        say(words("The two passwords differ; please try again."), Style.ALERT)
    return ""


def hash_apart(caller: Caller, password: str) -> str:
    """Have a password hashed, in another process."""
    return caller.apart(lambda: hashed(password).encode()).decode()


def is_password(caller: Caller, user: User, password: str) -> bool:
    """Return whether this is the user's password, once it may be looked at. Raise `TooManyTries` at the third wrong."""
    _wait_for_turn(caller, user)
    if _fits(caller, user, password):
        caller.house.attempts.succeeded(user.id, caller.line.origin)
        return True
    log.warning("login failed: user %s from %s", as_one_word(user.name), caller.line.origin)
    caller.house.tally.count(metrics.LOGINS_FAILED)
    caller.console.say(caller.words("Wrong password."), Style.ALERT)
    caller.wrong_passwords += 1
    if caller.wrong_passwords >= TRIES:
        raise TooManyTries
    return False


def _wait_for_turn(caller: Caller, user: User) -> None:
    """Wait until one more password may be tried."""
    rest = caller.house.attempts.turn(user.id, caller.line.origin)
    if rest:
        seconds = math.ceil(rest)
        caller.console.say(
            caller.words.count(
                "There were wrong passwords; yours is looked at in {n} second.",
                "There were wrong passwords; yours is looked at in {n} seconds.",
                seconds,
            ),
            Style.YELLOW,
        )
        caller.wait(rest)


def _fits(caller: Caller, user: User, password: str) -> bool:
    """Have the password looked at, in another process; an old hash is renewed."""
    stored = caller.house.accounts.stored(user.id)

    def look() -> bytes:
        newest = verified(stored, password)
        return b"no" if newest is None else b"yes " + newest.encode()

    answer, _, newest = caller.apart(look).decode().partition(" ")
    if newest:
        caller.house.accounts.renew(user.id, newest)
    return answer == "yes"


def as_one_word(name: str) -> str:
    """Write a name so that no filter of the log can take a part of it for something else, such as an address."""
    return "".join(character if character.isalnum() or character in "-_" else "_" for character in name)[:40]
