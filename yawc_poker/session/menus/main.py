"""The BBS around the table: the main prompt and its single keys.

Owns the conversation from login to goodbye; a key acts at once. The casino's menu is
`yawc_poker.session.menus.casino`'s, what a table does `yawc_poker.session.table.play`'s.
"""

import logging
from collections.abc import Callable
from functools import cache

from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller import own_texts
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import Quit
from yawc_poker.session.caller.menu import Menu, MenuLine
from yawc_poker.session.caller.prompts import Summoned, ask_key, ask_yes
from yawc_poker.session.menus.appearance import appearance
from yawc_poker.session.menus.casino import (
    AGAIN,
    SUMMONED,
    command,
    enter_casino,
    follow_summons,
    show_casino,
)
from yawc_poker.session.menus.guests import keep_name, remind
from yawc_poker.session.menus.help import help_menu
from yawc_poker.session.menus.ignoring import ignore_list
from yawc_poker.session.menus.invite import invite
from yawc_poker.session.menus.links import follow_link
from yawc_poker.session.menus.mail import letter_box, x_message
from yawc_poker.session.menus.presence import last_callers, who
from yawc_poker.session.menus.profile import profile
from yawc_poker.session.menus.rankings import rankings
from yawc_poker.session.menus.sysop import desk
from yawc_poker.session.menus.wall import wall
from yawc_poker.session.prefork.heap import return_free_pages
from yawc_poker.session.table.returning import return_to_seat
from yawc_poker.table_ui.commands import SIGN
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)


def run(caller: Caller) -> None:
    """Serve a logged-in caller until they leave, at first in the seat that is held for them; ends by an `Ending`."""
    offered: MenuLine | None = None
    if not return_to_seat(caller):
        _done(caller, follow_link)
    while True:
        try:
            offered = _done(caller, follow_summons) if caller.others.goes_over else _at_prompt(caller, offered)
        except Summoned:
            caller.console.finish(caller.words(SUMMONED.title))
            caller.others.goes_over = True


def _at_prompt(caller: Caller, offered: MenuLine | None) -> MenuLine | None:
    """Tell what is new, ask for a key, and do what it means; return the line that is offered next."""
    caller.read_messages()
    if caller.bulletin.has_news:
        caller.show_news()
    if late := caller.others.late(caller.words):
        caller.console.say(late, Style.CYAN)
    caller.stand_at(PlaceKind.PROMPT)
    were_open = [one.store.rest() for one in (caller.instance.accounts, caller.instance.bank)]
    if any(were_open):
        return_free_pages()
    if caller.in_casino:
        return _in_casino(caller)
    prompt = caller.words("{bbs} (M: menu, ?: help)> ", bbs=caller.config.bbs.name)
    key = ask_key(caller, prompt, lambda: prompt_menu().offers(caller))
    return _act(caller, key, offered)


def _in_casino(caller: Caller) -> MenuLine | None:
    """Show the casino's menu and ask for a key; one that it does not have means what it means at the prompt."""
    caller.in_casino = False
    menu = show_casino(caller)
    key = ask_key(caller, caller.words("Casino") + "> ")
    if not menu.has(caller, key):
        return _act(caller, key)
    chosen = menu.answered(caller, key)
    return None if chosen is None else _done(caller, chosen.act)


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
    if own_texts.show(caller, "menu"):
        caller.console.say()
    prompt_menu().show(caller)
    key = ask_key(caller, caller.words("{bbs}, main menu> ", bbs=caller.config.bbs.name))
    if key.upper() != "M":
        return _act(caller, key)
    caller.console.finish()
    return None


def leave(caller: Caller) -> None:
    """`Q`: goodbye, if the caller means it. Another Q leads back, as everywhere."""
    remind(caller)
    if ask_yes(caller, caller.words("Leave the BBS? (y/n) ")):
        raise Quit


# --- the menu ---------------------------------------------------------------------------------------------------------


_MENU = Menu(
    "the main menu",
    (
        SUMMONED,
        MenuLine("S", mark("Casino"), enter_casino),
        AGAIN,
        MenuLine("M", mark("Main menu"), main_menu, is_listed=False),
        MenuLine("W", mark("Who is online"), who),
        MenuLine("I", mark("Invite somebody to a table"), invite),
        MenuLine("X", mark("Send an X-message"), x_message),
        MenuLine("A", mark("An account: keep what you own"), keep_name, works=lambda caller: caller.user.guest),
        MenuLine("B", mark("Box of letters"), letter_box, works=lambda caller: not caller.user.guest),
        MenuLine("N", mark("Notes on the wall"), wall),
        MenuLine("Y", mark("Yesterday's callers, and today's"), last_callers),
        MenuLine("G", mark("Ignore list"), ignore_list),
        MenuLine("P", mark("Profile of a user"), profile),
        MenuLine("T", mark("Tops: rankings, hall of fame"), rankings),
        MenuLine("H", mark("Help"), help_menu, also="?"),
        MenuLine("L", mark("Language, characters, cards, bell"), appearance),
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
