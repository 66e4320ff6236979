"""From the first byte to the main prompt: greeting, name, password, taking over one's own old session.

Owns the dialogue that scripts rely on: `Name:`, a y/n question with the name for an unknown one, `Password:`. Callers
whose key of ssh is tied to an account are asked for neither.
"""

import logging
import time

from msgspec.structs import replace

from yawc_poker.casino import counters
from yawc_poker.casino.instance.everybody import ask_to_end, claim_user, kill
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import LinesBusy
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.casino.presence.session_info import SessionInfo
from yawc_poker.casino.users.accounts import User
from yawc_poker.catalogues import text
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import Full, Quit, ShownOut
from yawc_poker.session.caller.notices import refuse_banned
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.exchange.allowance import take_allowance
from yawc_poker.session.linear.choice import choose
from yawc_poker.session.meeting.presence import welcome
from yawc_poker.session.menus.passwords import ask_password, change_password, fitting_hash
from yawc_poker.session.menus.registration import register
from yawc_poker.session.table.returning import hold_seat_of
from yawc_poker.table_ui.spoken import ShowLines, asked
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.text import clean
from yawc_poker.words import LANGUAGES, Language

log = logging.getLogger(__name__)

TAKE_OVER_SECONDS = 2.0
"""How long an old session of the same user may take to leave before it is killed."""
AGAIN_SECONDS = 1.0
"""How long after it was told so another host is told again to kill one."""
AFAR_SECONDS = 0.1
"""How often it is looked whether an old session on another host has left; each look asks the database."""

_LANGUAGES: dict[str, Language] = {f"/{language}": language for language in LANGUAGES}
_CHARSETS: dict[str, Charset] = {"/utf8": "utf-8", "/utf-8": "utf-8", "/cp437": "cp437", "/ascii": "ascii"}


def log_in(caller: Caller) -> None:
    """Bring a caller to the main prompt, or raise an `Ending`."""
    greet(caller)
    user = _by_key(caller)
    while user is None:
        name = ask_line(caller, caller.words("Name:") + " ", 40)
        user = _named(caller, name)
    _refuse_banned(caller, user)
    _settings(caller, user)
    _claim(caller, user)
    _refuse_banned(caller, user)  # again, now that sysops see the session: one of the two sees the other
    caller.logged_in(user)
    _welcome(caller, user)


def greet(caller: Caller) -> None:
    """Show the greeting of the caller's language."""
    caller.console.say(
        text(caller.words.language, "greeting", plain=caller.appearance.plain).format(name=caller.config.bbs.name),
        Style.GREEN,
    )


def _by_key(caller: Caller) -> User | None:
    """Return the user whose key the caller has proven to have; None: there is none, or the password must be changed."""
    key, instance = caller.login.key, caller.instance
    owner = instance.keys.owner(key) if key else None
    user = None if owner is None else instance.accounts.by_id(owner)
    if user is None or user.must_change or user.closed is not None:
        return None
    log.info("user %r is known by the key %s from %s", user.name, key, caller.line.origin)
    instance.keys.used(key)
    instance.attempts.succeeded(user.id, caller.line.origin)
    return user


def _named(caller: Caller, name: str) -> User | None:
    """Handle a line from the name prompt: a command, a known name, or a new one."""
    word = name.casefold()
    if word in _LANGUAGES:
        caller.login.language = _LANGUAGES[word]
        caller.speak(caller.login.language)
        greet(caller)
    elif word in _CHARSETS:
        caller.show_as(_CHARSETS[word])
        greet(caller)
    elif isinstance(chosen := asked(word), ShowLines):
        caller.login.linear = chosen.lines
        choose(caller, lines=chosen.lines)
    elif word in {"/quit", "/q"}:
        raise Quit
    elif name:
        user = caller.instance.accounts.find(name)
        if user is None:
            return register(caller, name)
        if user.closed is None:
            return _check(caller, user)
        caller.console.say(caller.words("The account {name} is closed.", name=user.name), Style.ALERT)
    return None


def _check(caller: Caller, user: User) -> User | None:
    """Ask for a known user's password; None: the caller gave up, and types another name. Three errors end the call."""
    while password := ask_password(caller, caller.words("Password:")):
        stored = fitting_hash(caller, user, password)
        if stored is not None:
            return user if not user.must_change or _change(caller, user, password, stored) else None
    return None


def _change(caller: Caller, user: User, password: str, stored: str) -> bool:
    """Make a user replace a password that a sysop has given them; return whether they did."""
    _refuse_banned(caller, user)
    _settings(caller, user)
    caller.console.say(caller.words("This password was given by the sysops; it must be changed now."), Style.YELLOW)
    return change_password(caller, user, password, stored)


def _refuse_banned(caller: Caller, user: User) -> None:
    """End the call of a user who is banned, or whose account was closed during the login."""
    refuse_banned(caller.instance, user, caller.line.origin, caller.words)
    now = caller.instance.accounts.by_id(user.id)
    if now is not None and now.closed is not None:
        raise ShownOut(caller.words("The account {name} is closed.", name=user.name))


def _settings(caller: Caller, user: User) -> None:
    """Apply the user's earlier choices; a choice made at the name prompt of this call goes first."""
    if caller.login.language is None:
        caller.speak(user.language)
    elif caller.login.language != user.language:
        caller.instance.accounts.set_language(user.id, caller.login.language)
    if user.charset is not None and caller.appearance.chosen_charset is None:
        caller.show_as(user.charset)
    stored, linear = caller.instance.accounts.preferences(user.id), caller.login.linear
    caller.appearance.prefer(stored if linear is None else replace(stored, linear=linear))
    if caller.preferences != stored:
        caller.instance.accounts.set_preferences(user.id, caller.preferences)


def _claim(caller: Caller, user: User) -> None:
    """Make this session the only one of its user: an older one is asked to end, and killed if it does not.

    One on another host is asked again and again: what is told to other hosts may be lost. If that host is gone, its
    lease runs out, and its sessions are in nobody's way any more.
    """
    instance = caller.instance
    asked, since, told = 0, 0.0, 0.0
    has_seat = any(table.is_held_for(user.id) for table in caller.tables)
    while (other := _claimed(instance, user, returns=has_seat or asked != 0)) is not None:
        now = time.monotonic()
        if other.token != asked:
            asked, since, told = other.token, now, now
            log.info("user %r called again from %s: the older session ends", user.name, caller.line.origin)
            instance.directory.end(other, EndReason.REPLACED)  # first of all: it may be about to sit down
            hold_seat_of(caller, other)
            ask_to_end(instance, [other], EndReason.REPLACED)
        elif now - since > TAKE_OVER_SECONDS and (not other.is_remote or now - told > AGAIN_SECONDS):
            told = now
            kill(instance, other, EndReason.REPLACED)
            instance.free_dead(other)
        caller.loop.pause(AFAR_SECONDS if other.is_remote else 0.02)
    instance.tell_listener()
    caller.look_after(instance.look_after_all)
    if asked:
        caller.console.say(caller.words("Your older session has been ended."), Style.YELLOW)


def _claimed(instance: Instance, user: User, *, returns: bool) -> SessionInfo | None:
    """Return the session in the way of this one; None: it is the user's now. Raise `Full` if there is no line."""
    try:
        return claim_user(instance, user.id, user.name, returns=returns)
    except LinesBusy:
        raise Full from None


def _welcome(caller: Caller, user: User) -> None:
    words, say, instance = caller.words, caller.console.say, caller.instance
    log.info("user %r logged in from %s", user.name, caller.line.origin)
    instance.tally.count(counters.LOGINS)
    caller.bulletin.begin(user)
    instance.bank.welcome(user.id, caller.config.bbs.start_cubes)
    last = instance.accounts.seen(user.id, caller.line.origin)
    say()
    say(words("Welcome to {bbs}, {name}!", bbs=caller.config.bbs.name, name=user.name), Style.BOLD)
    if last is not None:
        say(
            words(
                "Last login: {when} from {place}",
                when=time.strftime("%Y-%m-%d %H:%M", time.localtime(last[0])),
                place=last[1],
            )
        )
    take_allowance(caller)
    say(words("You own {cubes} CUBES.", cubes=instance.bank.balance(user.id)))
    _broken_off(caller)
    _message_of_the_day(caller)
    say()
    welcome(caller, caller.others.arrive(user.id))
    if caller.login.is_new:
        say()
        say(
            words(
                "Please read the rules of conduct: H at the prompt, then 5. Players who break them are warned first,"
                " then lose the right to write to others, and in the end the account."
            ),
            Style.CYAN,
        )
    instance.notifier.tell_all(Kind.NOTICE, f"login {user.name}".encode())


def _broken_off(caller: Caller) -> None:
    """Show which stakes came back; if the session is killed before they are read, they are told again."""
    with caller.instance.bank.telling(caller.user.id) as refunds:
        for game, cubes in refunds:
            text = caller.words("Game {game} was broken off; your {amount} CUBES came back.", game=game, amount=cubes)
            caller.console.say(text, Style.YELLOW)
        caller.line.flush()


def _message_of_the_day(caller: Caller) -> None:
    for name in (f"motd.{caller.words.language}.txt", "motd.txt"):
        try:
            message = (caller.instance.data / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        caller.console.say()
        for line in message.rstrip().split("\n"):
            caller.console.say(clean(line, 200))
        return
