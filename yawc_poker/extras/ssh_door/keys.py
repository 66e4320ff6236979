"""The keys of ssh that are tied to a user's account: `K` at the prompt, and with a new password.

Owns the dialogue; which keys there are is `casino.users.keys`'. A key is tied only in a call by that key: sshd has seen
that it is the caller's.
"""

import logging

from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.keys import MOST_KEYS, Key
from yawc_poker.digits import decimal
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import in_column
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_yes
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def ssh_keys(caller: Caller) -> None:
    """Tie the key of this call, if the user wishes it, then list the keys and untie some."""
    caller.console.say()
    _offer(caller)
    while tied := caller.instance.keys.of(caller.user.id):
        _show(caller, tied)
        answer = ask_key(caller, caller.words("Number of a key to untie it (ENTER: done)") + "> ")
        number = decimal(answer) or 0
        caller.console.finish(answer if number else "")
        if not 1 <= number <= len(tied):
            return
        _untie(caller, tied[number - 1])
    caller.console.say(caller.words("No key is tied to your account."))


def _offer(caller: Caller) -> None:
    """Ask whether the key of this call is to be tied, unless it is."""
    words, say, keys, key = caller.words, caller.console.say, caller.instance.keys, caller.login.key
    if not key:
        say(words("To tie a key to your account, call by ssh with that key and press K."))
        return
    owner = keys.owner(key)
    if owner == caller.user.id:
        return
    if owner is not None:
        say(words("The key of this call is tied to another account: {key}", key=key), Style.YELLOW)
        return
    say(words("You have called with the key {key}.", key=key))
    if not ask_yes(caller, words("Tie it to your account, so that it opens it without a password? (y/n) ")):
        return
    if keys.tie(caller.user.id, key, caller.line.origin):
        log.info("user %r tied the key %s from %s", caller.user.name, key, caller.line.origin)
        say(words("The key is tied to your account."), Style.GREEN)
    else:
        say(words("The key cannot be tied; an account has {n} keys at most.", n=MOST_KEYS), Style.ALERT)


def ask_kept_keys(caller: Caller, user: User) -> list[str]:
    """Ask which keys are to open the account of a user who changes the password; return their fingerprints."""
    words, say = caller.words, caller.console.say
    tied = caller.instance.keys.of(user.id)
    if not tied:
        return []
    say(words("These keys open your account without a password; with the old one they are untied:"), Style.YELLOW)
    _show(caller, tied)
    while True:
        asked = words("Numbers of keys to keep, as in 1 2 (ENTER: none)") + "> "
        chosen = ask_line(caller, asked, 40).replace(",", " ").split()
        kept = [one.fingerprint for number, one in enumerate(tied, 1) if str(number) in chosen]
        if len(kept) == len(set(chosen)):
            return kept


def _show(caller: Caller, tied: list[Key]) -> None:
    for number, one in enumerate(tied, 1):
        mark = ">" if one.fingerprint == caller.login.key else " "
        caller.console.say(f" {mark}[{number}] {one.fingerprint}  {in_column(one.added)}")
    if any(one.fingerprint == caller.login.key for one in tied):
        caller.console.say("  > " + caller.words("the key of this call"))


def _untie(caller: Caller, key: Key) -> None:
    caller.instance.keys.untie(caller.user.id, key.fingerprint)
    log.info("user %r untied the key %s from %s", caller.user.name, key.fingerprint, caller.line.origin)
    caller.console.say(caller.words("The key is not tied to your account any more."), Style.YELLOW)
