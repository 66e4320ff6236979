"""From the first byte to the main prompt: greeting, name, password, taking over one's own old session.

Owns the dialogue that scripts rely on: `Name:`, a y/n question with the name for an unknown one, `Password:`. Callers
whose key of ssh is tied to an account are asked for neither.
"""

import logging
import math
import time
from functools import cache, partial
from typing import Final

from msgspec.structs import replace

from yawc_poker.cards import SIGNS, SYMBOLS
from yawc_poker.casino import counters
from yawc_poker.casino.instance.everybody import ask_to_end, claim_user, kill
from yawc_poker.casino.instance.guests import retire_all
from yawc_poker.casino.presence.directory import LinesBusy, SessionInfo
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.familiar import AlertKind, telling_alerts
from yawc_poker.casino.users.names import bad_name
from yawc_poker.catalogues import all_languages, banner
from yawc_poker.session.caller import own_texts
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import Full, Quit, ShownOut
from yawc_poker.session.caller.notices import day, refuse_banned
from yawc_poker.session.caller.prompts import ask_line, ask_one_of
from yawc_poker.session.menus import guests
from yawc_poker.session.menus.casino import keys_to_house, take_allowance
from yawc_poker.session.menus.help import key_of
from yawc_poker.session.menus.passwords import Fit, ask_password, change_password, fitting
from yawc_poker.session.menus.presence import welcome
from yawc_poker.session.menus.registration import NAME_LIMIT, register
from yawc_poker.session.table.hearing import choose, has_chosen, tell_of_lines
from yawc_poker.session.table.returning import hold_seat_of
from yawc_poker.table_ui.commands import ShowAs, ShowLines, asked, commands_at
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.kinds import is_known
from yawc_poker.terminal.text import clean
from yawc_poker.words import LANGUAGES, TONGUES, Language, Words, mark

log = logging.getLogger(__name__)

BANNER_COLUMNS: Final = 76
TAKE_OVER_SECONDS = 2.0
"""How long an old session of the same user may take to leave before it is killed."""
AGAIN_SECONDS = 1.0
"""How long after it was told so another host is told again to kill one."""
AFAR_SECONDS = 0.1
"""How often it is looked whether an old session on another host has left; each look asks the database."""

MOST_ALERTS = 3
"""Of each kind; of more than that the latest are shown."""
ALERTS: Final[dict[AlertKind, str]] = {
    "password": mark("{when}: another password was chosen, from {place}."),
    "key": mark("{when}: the key {key} was tied to your account, from {place}."),
    "place": mark("{when}: the first login from {place}."),
}

_LANGUAGES: dict[str, Language] = {f"/{language}": language for language in LANGUAGES}


def log_in(caller: Caller) -> None:
    """Bring a caller to the main prompt, or raise an `Ending`."""
    greet(caller)
    caller.patiently(lambda: _take_invitation(caller))
    user = caller.patiently(lambda: _by_key(caller))
    while user is None:
        prompt, own = caller.words("Name:") + " ", partial(guests.offers, caller)
        name = _told(caller, prompt) or ask_line(
            caller, prompt, NAME_LIMIT, takes_charset=False, fill="username", own=own
        )
        user = _named(caller, name)
    caller.patiently(lambda: _refuse_banned(caller, user))
    caller.patiently(lambda: _settings(caller, user))
    _claim(caller, user)
    # Again, now that sysops see the session: one of the two sees the other.
    caller.patiently(lambda: _refuse_banned(caller, user))
    caller.patiently(lambda: _refuse_outdated(caller, user))
    caller.logged_in(user)
    _welcome(caller, user)


def _told(caller: Caller, prompt: str) -> str:
    """Return the name that whoever passes a caller on has told, once, and show it as if it had been typed.

    What would be a command is no name.
    """
    told, caller.login.name = clean(caller.login.name, NAME_LIMIT).strip(), ""
    if not told or bad_name(told):
        return ""
    caller.console.say(prompt + told)
    return told


def greet(caller: Caller) -> None:
    """Show the greeting: with the banner, which is for eyes, where there is room for it on a screen."""
    draws, is_page = caller.display.can_draw and caller.line.columns > BANNER_COLUMNS, caller.page is not None
    plain, name = caller.appearance.plain, caller.config.bbs.name
    whose, typed = greeting(caller.words, name, draws=draws, plain=plain, page=is_page)
    if not own_texts.show(caller, "greeting", Style.GREEN):
        caller.console.say(whose, Style.GREEN)
    caller.console.say(typed, Style.GREEN)


def greeting(words: Words, name: str, *, draws: bool, plain: bool = False, page: bool = False) -> tuple[str, str]:
    """Return who a BBS of this name is, and what may be typed at the name prompt.

    `draws`: with the banner, and in columns; `plain`: without accents; `page`: with the suits that a page has for sure,
    and without what it needs not be told.
    """
    languages = [
        f"/{language} {tongue.name.translate(tongue.plain) if plain else tongue.name}"
        for language, tongue in TONGUES.items()
        if language != words.language
    ]
    rows = {words("Type your name."): ("   " if draws else ", ").join(languages)}
    if not page:
        rows[words("Characters:")] = commands_at(words, "name", between="   " if draws else ", ")
        rows[words("Screen reader:")] = "/linear"
    if not draws:
        return f"YAWC Poker: {name}", "\n".join(f"{label} {row}" for label, row in rows.items())
    labels = max(map(len, rows)) + 3
    return _drawn(page=page).format(name=name), "\n".join(f"    {label:{labels}}{row}" for label, row in rows.items())


@cache
def _drawn(*, page: bool) -> str:
    """Return the banner with the suits of a page, or with those that any terminal has."""
    return banner() if page else banner().translate(str.maketrans(SYMBOLS, SIGNS))


def _take_invitation(caller: Caller) -> None:
    """Tell a caller who comes by an invitation who invites them, and where they will come."""
    login = caller.login
    if not login.link.invitation:
        return
    found = caller.instance.invitations.find(login.link.invitation)
    if found is None or caller.instance.bans.of(found.name, "") is not None:
        caller.console.say(caller.words("This invitation is no longer valid."), Style.YELLOW)
        return
    login.invitation, login.link = found, login.link._replace(place=found.place)
    number = caller.tables.named(found.place)
    table = found.place if number is None else caller.others.table_name(number, caller.words)
    caller.console.say(caller.words("{name} invites you: {table}.", name=found.name, table=table), Style.CYAN)


def _by_key(caller: Caller) -> User | None:
    """Return the user whose key the caller has proven to have, or None, also if they must change the password."""
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
    elif isinstance(chosen := asked(word, all_languages()), ShowAs):
        caller.show_as(chosen.charset)
        greet(caller)
    elif isinstance(chosen, ShowLines):
        caller.login.linear = chosen.lines
        choose(caller, lines=chosen.lines)
    elif word in {"/quit", "/q"}:
        raise Quit
    elif word in guests.WORDS:
        return guests.become_guest(caller)
    elif name:
        user = caller.patiently(lambda: caller.instance.accounts.find(name))
        if user is None:
            return register(caller, name)
        if user.guest and user.closed is None:
            caller.console.say(
                caller.words("{name} is a guest, whom no password lets in.", name=user.name), Style.ALERT
            )
        elif user.closed is None:
            return _check(caller, user)
        else:
            caller.console.say(caller.words("The account {name} is closed.", name=user.name), Style.ALERT)
    return None


def _check(caller: Caller, user: User) -> User | None:
    """Ask for a known user's password; return None if the caller gave up, to type a name. Three errors end the call."""
    while password := ask_password(caller, caller.words("Password:")):
        fit = fitting(caller, user, password)
        if fit is not None:
            caller.login.password_hash = fit.stored
            must_change = user.must_change or fit.is_guessable
            return user if not must_change or _change(caller, user, fit) else None
    return None


def _change(caller: Caller, user: User, old: Fit) -> bool:
    """Make a user replace a password that a sysop has given them, or that others can guess; return whether they did."""
    words = caller.words
    caller.patiently(lambda: _refuse_banned(caller, user))
    caller.patiently(lambda: _settings(caller, user))
    if user.must_change:
        caller.console.say(words("This password was given by the sysops; it must be changed now."), Style.YELLOW)
    else:
        log.warning(
            "user %r has a password that others fit, and must change it, from %s", user.name, caller.line.origin
        )
        text = words(
            "An older program kept your password in a simpler form, which others fit, too; it must be changed now."
        )
        caller.console.say(text, Style.YELLOW)
    return change_password(caller, user, old)


def _refuse_banned(caller: Caller, user: User) -> None:
    """End the call of a user who is banned, or whose account was closed during the login."""
    refuse_banned(caller.instance, user, caller.line.origin, caller.words)
    now = caller.instance.accounts.by_id(user.id)
    if now is not None and now.closed is not None:
        raise ShownOut(caller.words("The account {name} is closed.", name=user.name))


def _refuse_outdated(caller: Caller, user: User) -> None:
    """End the call of somebody whose password was changed, or whose key was untied, during the login."""
    login, instance = caller.login, caller.instance
    if login.password_hash:
        is_valid = instance.accounts.stored(user.id) == login.password_hash
    else:
        is_valid = login.is_new or instance.keys.owner(login.key) == user.id
    if not is_valid:
        raise ShownOut(caller.words("The password was changed at this moment; please call again."))


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
    while (other := _claimed(caller, user, returns=has_seat or asked != 0)) is not None:
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
    caller.maintain(instance.maintain_all)
    if asked:
        caller.console.say(caller.words("Your older session has been ended."), Style.YELLOW)


def _claimed(caller: Caller, user: User, *, returns: bool) -> SessionInfo | None:
    """Return the session in the way of this one, or None if it is the user's now. Raise `Full` if there is no line."""
    try:
        return caller.patiently(lambda: claim_user(caller.instance, user.id, user.name, returns=returns))
    except LinesBusy:
        raise Full from None


def _welcome(caller: Caller, user: User) -> None:
    words, say, instance = caller.words, caller.console.say, caller.instance
    log.info("user %r logged in from %s", user.name, caller.line.origin)
    instance.tally.count(counters.LOGINS)
    caller.patiently(lambda: caller.bulletin.begin(user))
    retire_all(instance)
    caller.patiently(lambda: instance.bank.welcome(user.id, caller.config.bbs.start_cubes))
    last = caller.patiently(lambda: instance.accounts.seen(user.id, caller.line.origin))
    say()
    say(words("Welcome to {bbs}, {name}!", bbs=caller.config.bbs.name, name=user.name), Style.BOLD)
    if last is not None:
        say(
            words(
                "Last login: {when} from {place}",
                when=day(last[0]),
                place=last[1],
            )
        )
    caller.patiently(lambda: _tell_alerts(caller, math.inf if last is None else last[0]))
    take_allowance(caller)
    say(words("You own {cubes} CUBES.", cubes=caller.patiently(lambda: instance.bank.balance(user.id))))
    caller.patiently(lambda: _broken_off(caller))
    say()
    if own_texts.show(caller, "motd"):
        say()
    welcome(caller, caller.patiently(lambda: caller.others.arrive(user.id)))
    if caller.login.is_new:
        say()
        if keys := keys_to_house(caller):
            say(words("To play at once, with the house: {keys}", keys=keys), Style.CYAN)
        say(words("Be kind to each other: {keys} has the rules of conduct.", keys=f"H {key_of('conduct')}"), Style.CYAN)
    since = math.inf if last is None else instance.accounts.store.clock() - last[0]
    caller.others.tell_coming(user.name, since, time.monotonic())
    _offer_lines(caller)


def _offer_lines(caller: Caller) -> None:
    """Tell a caller of lines; ask once, if nobody knows their terminal, whether it can draw."""
    if has_chosen(caller):
        return
    if is_known(caller.line.terminal_name):
        tell_of_lines(caller)
        return
    words = caller.words
    caller.console.say()
    caller.console.say(
        words(
            "Your program does not say what its terminal can do. A screen needs one that moves its cursor; lines suit"
            " every terminal, and screen readers. You can change this at any time by /linear and /screen."
        )
    )
    key = ask_one_of(caller, words("Tables in [L] lines or on a [S] screen?") + " ", "lLsS")
    caller.console.finish(key)
    caller.patiently(lambda: choose(caller, lines=key in "lL"))


def _tell_alerts(caller: Caller, last_login: float) -> None:
    """Tell what somebody else may have done who could open the account; if the session is killed, it is told again."""
    words, say = caller.words, caller.console.say
    store = caller.instance.accounts.store
    with telling_alerts(store, caller.user.id, caller.line.origin, last_login) as alerts:
        if not alerts:
            return
        say(words("Since your last call:"), Style.YELLOW)
        for kind in ALERTS:
            found = [one for one in alerts if one.kind == kind]
            for alert in found[-MOST_ALERTS:]:
                say("  " + words(ALERTS[kind], when=day(alert.at), place=alert.origin, key=alert.detail), Style.YELLOW)
            if more := len(found[:-MOST_ALERTS]):
                say("  " + words.count("and {n} more like that", "and {n} more like these", more), Style.YELLOW)
        say(words("If that was not you, choose another password: P at the prompt, ENTER, then C."), Style.YELLOW)
        caller.line.flush()


def _broken_off(caller: Caller) -> None:
    """Show which stakes came back; if the session is killed before they are read, they are told again."""
    with caller.instance.bank.telling(caller.user.id) as refunds:
        for game, cubes in refunds:
            text = caller.words("Game {game} was broken off; your {amount} CUBES came back.", game=game, amount=cubes)
            caller.console.say(text, Style.YELLOW)
        caller.line.flush()
