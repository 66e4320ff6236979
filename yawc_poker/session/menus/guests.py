"""Guests: who plays at once, without a name and a password of their own, and who keeps what they have by a name.

Owns the word at the name prompt, the account that is made for a guest, and the dialogue that makes it a user's. What a
guest leaves behind is `casino.instance.guests`'.
"""

import logging
from typing import Final

from yawc_poker.casino.instance.everybody import claim_user
from yawc_poker.casino.users.accounts import NameAlike, NameTaken, User
from yawc_poker.page.protocol import Offer
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.passwords import choose_password, hash_apart
from yawc_poker.session.menus.registration import NAME_LIMIT, enrolled, is_free, refuse_name
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)

WORD: Final = "guest"
"""What is typed at the name prompt; it works in all languages."""
WORDS: Final = frozenset({WORD, "gast"})


def may_come(caller: Caller) -> bool:
    """Return whether the caller may play as a guest: all may, or they are invited."""
    return caller.config.bbs.guests or caller.login.invitation is not None


def offers(caller: Caller) -> tuple[Offer, ...]:
    """Return the button of a page that makes its caller a guest."""
    return (Offer(WORD, caller.words("Play at once, as a guest")),) if may_come(caller) else ()


def become_guest(caller: Caller) -> User | None:
    """Make an account for a guest, when their network's turn has come; None: not now, or not here."""
    if not may_come(caller):
        caller.console.say(caller.words("Guests are not let in here; please choose a name."), Style.YELLOW)
        return None
    accounts, language = caller.instance.accounts, caller.words.language
    return enrolled(caller, lambda: accounts.enrol_guest(language))


def keep_name(caller: Caller) -> None:
    """`A`: make a guest a user by a name and a password; they keep all that they have."""
    words = caller.words
    name = ask_line(caller, words("Under which name? (ENTER: back) "), NAME_LIMIT, fill="username")
    if not name or not is_free(caller, name):
        return
    password = choose_password(caller, name)
    if not password:
        return
    password_hash = hash_apart(caller, password)
    try:
        user = caller.instance.accounts.keep_guest(caller.user.id, name, password_hash)
    except (NameAlike, NameTaken) as refused:
        refuse_name(caller, refused)
        return
    log.info("%r is %r from now on", caller.user.name, user.name)
    caller.login.password_hash = password_hash
    caller.user_or_none = user
    caller.patiently(lambda: claim_user(caller.instance, user.id, user.name, returns=True))
    caller.instance.attempts.succeeded(user.id, caller.line.origin)
    if caller.page is not None:
        caller.page.renew()
    caller.console.say(words("You are {name} from now on, and keep all that you have.", name=user.name), Style.GREEN)


def remind(caller: Caller) -> None:
    """Tell a guest after a game how they keep what they have."""
    if caller.user.guest:
        words = caller.words
        text = words("You play as a guest: what you own goes when you do. A at the prompt keeps it under a name.")
        caller.console.say(text, Style.CYAN)
