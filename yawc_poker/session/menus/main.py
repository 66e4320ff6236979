"""The BBS around the table: the main prompt and its single keys.

Owns the conversation from login to goodbye; a key acts at once. The casino's menu is
`yawc_poker.session.menus.casino`'s, what a table does `yawc_poker.session.table.play`'s.
"""

import logging
import time
from collections.abc import Callable
from functools import cache

from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.casino.rankings.rankings import figures
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import Quit
from yawc_poker.session.caller.menu import Menu, MenuLine
from yawc_poker.session.caller.notices import day
from yawc_poker.session.caller.prompts import ask_key, ask_name, ask_yes
from yawc_poker.session.door.keys import ssh_keys
from yawc_poker.session.exchange.portfolio import portfolio
from yawc_poker.session.look.menu import look
from yawc_poker.session.meeting.ignoring import ignore_list
from yawc_poker.session.meeting.invite import follow_summons, invite
from yawc_poker.session.meeting.letters import letter_box
from yawc_poker.session.meeting.presence import last_callers
from yawc_poker.session.meeting.wall import wall
from yawc_poker.session.meeting.writing import x_message
from yawc_poker.session.menus.casino import casino, command, table_name
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.pager import filled, help_pages, show_page
from yawc_poker.session.menus.passwords import change_own_password
from yawc_poker.session.menus.sysop import desk
from yawc_poker.session.rankings.menu import rankings
from yawc_poker.session.rankings.profile import figures_of, own_chart
from yawc_poker.session.table.returning import return_to_seat
from yawc_poker.session.warmup.heap import return_free_pages
from yawc_poker.table_ui.commands import SIGN
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

_PAGE_KEYS = "123456789ABCDEFGIJKLMNOPRSTUVWXYZ"
"""Of the help's pages; H and Q lead back."""

CHANGE_PASSWORD = MenuLine("C", mark("Change the password"), change_own_password)
"""Works at the prompt after the caller's own profile."""


def run(caller: Caller) -> None:
    """Serve a logged-in caller until they leave, at first in the seat that is held for them; ends by an `Ending`."""
    offered: MenuLine | None = None
    return_to_seat(caller)
    while True:
        if caller.others.goes_over:
            offered = _done(caller, follow_summons)
            continue
        caller.read_messages()
        if caller.bulletin.has_news:
            caller.show_news()
        for text in caller.others.late(time.monotonic(), caller.words):
            caller.console.say(text, Style.CYAN)
        caller.stand_at(PlaceKind.PROMPT)
        were_open = [one.store.rest() for one in (caller.instance.accounts, caller.instance.bank)]
        if any(were_open):
            return_free_pages()
        prompt = caller.words("{bbs} (M: menu, ?: help)> ", bbs=caller.config.bbs.name)
        key = ask_key(caller, prompt, lambda: prompt_menu().offers(caller))
        offered = _act(caller, key, offered)


def _act(caller: Caller, key: str, offered: MenuLine | None = None) -> MenuLine | None:
    """Do what a key of the prompt means; return the line that is offered next."""
    chosen = prompt_menu().answered(caller, key, offered)
    return None if chosen is None else _done(caller, chosen.act)


def _done(caller: Caller, action: Callable[[Caller], MenuLine | None]) -> MenuLine | None:
    """Do what a key means; without the bank or a lock it is refused."""
    try:
        return action(caller)
    except (StoreError, LockTimeout) as error:
        log.error("%r at the prompt: %s", caller.user.name, error)
        caller.console.say(caller.words("That cannot be done at the moment; please try again."), Style.ALERT)
        return None


def main_menu(caller: Caller) -> MenuLine | None:
    """`M`: all keys with their meaning; they work from here, too."""
    caller.console.say()
    prompt_menu().show(caller)
    key = ask_key(caller, caller.words("{bbs}, main menu> ", bbs=caller.config.bbs.name))
    if key.upper() != "M":
        return _act(caller, key)
    caller.console.finish()
    return None


def who(caller: Caller) -> None:
    """`W`: everybody online, with place and idle time, and the house players; with hosts, where there are several."""
    say, words = caller.console.say, caller.words
    people = caller.instance.directory.people()
    say()
    rows = [(one.name, _place(caller, one), _idle(one), _host(caller, one)) for one in sorted(people, key=_by_name)]
    titles = (words("Name"), words("Place"), words("Idle"), words("Host") if caller.instance.here.is_clustered else "")
    for number, (name, place, idle, host) in enumerate([titles, *rows]):
        line = f"  {name:<21}{place[:23]:<24}{idle:>8}{f'  {host[:22]}' if host else ''}"
        say(line, Style.PLAIN if number else Style.BOLD)
    say()
    say(words.count("{n} user online.", "{n} users online.", sum(1 for one in people if not one.is_house)))
    if any(one.is_house for one in people):
        say(words("Names with a * at the end are house players."))


def _by_name(person: SessionInfo) -> str:
    return person.name.casefold()


def _place(caller: Caller, person: SessionInfo) -> str:
    if not person.at_table and not person.looks_on:
        return caller.words("Main prompt")
    name = table_name(caller, person.place.table or 0)
    if person.place.kind == PlaceKind.HELD:
        return caller.words("{table}, no line", table=name)
    return caller.words("{table}, watching", table=name) if person.looks_on else name


def _host(caller: Caller, person: SessionInfo) -> str:
    """Return the name of the host that somebody is on; empty where there is but one."""
    return (person.host or caller.config.cluster.host) if caller.instance.here.is_clustered else ""


def _idle(person: SessionInfo) -> str:
    if person.is_house:
        return ""
    minutes, rest = divmod(int(person.idle), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def profile(caller: Caller) -> MenuLine | None:
    """`P`: a user's profile; after the caller's own one the password can be changed."""
    words, say = caller.words, caller.console.say
    name = ask_name(caller, words("Whose profile? (ENTER: your own) "), 20)
    if name is None:
        return None
    user = caller.instance.accounts.find(name) if name else caller.user
    guest = caller.instance.directory.named(name) if user is None else None
    if guest is not None and guest.is_house:
        say(words("{name} is a house player; the help tells who they are.", name=guest.name), Style.YELLOW)
    elif guest is not None and guest.is_guest:
        say(words("{name} is a guest and has no profile.", name=guest.name), Style.YELLOW)
    elif user is None:
        say(words("There is no user called {name}.", name=name), Style.YELLOW)
    elif user.closed is not None:
        say(words("The account {name} is closed.", name=user.name), Style.YELLOW)
    else:
        _show_profile(caller, user)
        if user.id == caller.user.id:
            say("  [C] " + words(CHANGE_PASSWORD.title))
            return CHANGE_PASSWORD
    return None


def _show_profile(caller: Caller, user: User) -> None:
    words, say = caller.words, caller.console.say
    records, tallies = caller.instance.bank.records(user.id), figures(caller.instance.bank.store, user.id)
    person = caller.instance.directory.of_user(user.id)
    say()
    say(f"  {user.name}", Style.CYAN)
    say("  " + words("CUBES: {cubes}", cubes=caller.instance.bank.balance(user.id)))
    for line in portfolio(caller, user.id):
        say("  " + line)
    for one in records:
        name = game_name(one.kind, words)
        counted = words("{game}: {played} played, {won} won", game=name, played=one.played, won=one.won)
        points = "" if one.points is None else words.count("{n} point", "{n} points", one.points)
        say(f"  {counted}{f', {points}' if points else ''}{figures_of(tallies, one.kind, words)}")
    if not records:
        say("  " + words("No games played yet"))
    if withheld := caller.instance.bank.withheld(user.id):
        say("  " + words("Sealed words withheld: {n}", n=withheld))
    say("  " + words("Registered: {day}", day=day(user.created)))
    if user.id == caller.user.id:
        for line in own_chart(caller):
            say(f"  {line}")
    say("  " + (words("Online now") if person else words("Last login: {day}", day=_last_login(caller, user))))
    if person is not None and not person.at_table and user.id != caller.user.id:
        caller.mail.notice(caller.user, person, "profile", words)


def _last_login(caller: Caller, user: User) -> str:
    return day(user.last_login) if user.last_login else caller.words("never")


def help_menu(caller: Caller) -> None:
    """`H` or `?`: introduction, instructions, rules, conduct."""
    words, say = caller.words, caller.console.say
    pages = dict(zip(_PAGE_KEYS, help_pages(words.language, plain=caller.appearance.plain), strict=False))
    while True:
        say()
        for key, page in pages.items():
            say(f"  [{key}] {page.title}")
        say("  [Q] " + words("Back"))
        say()
        chosen = pages.get(ask_key(caller, words("Help") + "> ").upper())
        if chosen is None:
            caller.console.finish()
            return
        caller.console.finish(chosen.title)
        show_page(caller, filled(chosen, caller.config, words))


def leave(caller: Caller) -> None:
    """`Q`: goodbye, if the caller means it. Another Q leads back, as everywhere."""
    if ask_yes(caller, caller.words("Leave the BBS? (y/n) ")):
        raise Quit


# --- the menu ---------------------------------------------------------------------------------------------------------


_MENU = Menu(
    "the main menu",
    (
        MenuLine(
            "J",
            mark("Go where you are invited"),
            follow_summons,
            is_listed=False,
            is_offered=lambda caller: caller.others.standing(time.monotonic()) is not None,
        ),
        MenuLine("S", mark("Casino"), casino),
        MenuLine("M", mark("Main menu"), main_menu, is_listed=False),
        MenuLine("W", mark("Who is online"), who),
        MenuLine("I", mark("Invite somebody to a table"), invite),
        MenuLine("X", mark("Send an X-message"), x_message),
        MenuLine("B", mark("Box of letters"), letter_box),
        MenuLine("N", mark("Notes on the wall"), wall),
        MenuLine("Y", mark("Yesterday's callers, and today's"), last_callers),
        MenuLine("G", mark("Ignore list"), ignore_list),
        MenuLine("P", mark("Profile of a user"), profile),
        MenuLine("T", mark("Tops: rankings, hall of fame"), rankings),
        MenuLine("H", mark("Help"), help_menu, also="?"),
        MenuLine("L", mark("Language, characters, cards, bell"), look),
        MenuLine("K", mark("Keys of ssh, instead of the password"), ssh_keys),
        MenuLine(SIGN, mark("A command, such as /join poker"), command, goes_on=True),
        MenuLine("!", mark("Sysop's desk"), desk, works=lambda caller: caller.user.sysop),
        MenuLine("Q", mark("Leave the BBS"), leave),
    ),
    leads_back=False,
)


@cache
def prompt_menu() -> Menu:
    """Return the keys of the main prompt, with what extras add to them."""
    return _MENU.with_added()
