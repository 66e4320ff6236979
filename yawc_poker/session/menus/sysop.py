"""The sysop's desk: what a caller with the sysop flag may do to others, asked for in a menu.

Owns the menu and the answers in words. The actions are rows of `casino.moderation.actions`; whether one may be carried
out is decided there. From here nothing is done to another sysop, nor to oneself: for that there is `yawcctl`, on the
machine. The flag is looked at anew before every action.
"""

import logging
from collections.abc import Callable
from functools import cache, partial
from typing import Final

from yawc_poker.addresses import covers
from yawc_poker.casino.moderation.actions import KINDS, SYSOP_ACTIONS, TOLD
from yawc_poker.casino.moderation.procedure import Done, RefusalReason, Refused, Sysop
from yawc_poker.casino.moderation.rows import DeskEntry, Question, SysopActionRow
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.bans import TooWide, network
from yawc_poker.casino.users.sysop_log import REASON_LENGTH, SysopAction
from yawc_poker.digits import decimal
from yawc_poker.durations import parse_duration
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import Menu, MenuLine
from yawc_poker.session.caller.notices import day, until
from yawc_poker.session.caller.prompts import NAME_LIMIT, ask_line, ask_yes
from yawc_poker.session.menus.passwords import hash_apart
from yawc_poker.session.menus.wall import chosen_line, show_lines
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

SPAN_LIMIT, AMOUNT_LIMIT, TARGET_LIMIT = 20, 13, 50
MOST_NAMES = 8
MOST_SHOWN = 20

_REFUSALS: dict[RefusalReason, str] = {
    "no_user": mark("There is no user called {name}."),
    "closed": mark("The account {name} is closed."),
    "not_online": mark("Nobody called {name} is online."),
    "no_reason": mark("A text is needed."),
    "not_shown": mark("A character was not understood: not every terminal can show it."),
    "too_long": mark("That text is too long."),
    "too_wide": mark("{name} is too wide a network."),
    "not_banned": mark("{name} is not banned."),
    "bad_amount": mark("That is not a number of CUBES."),
    "not_enough": mark("{name} has only {cubes} CUBES."),
    "no_line": mark("There is no such line."),
}


def desk(caller: Caller) -> None:
    """Show the menu (`!`) until it is left."""
    while _is_sysop(caller):
        _show_menu(caller)
        chosen = menu().ask(caller, caller.words("Sysop's desk") + "> ")
        if chosen is None:
            return
        if _is_sysop(caller):
            _carry_out(caller, chosen.act)


def _is_sysop(caller: Caller) -> bool:
    user = caller.instance.accounts.by_id(caller.user.id)
    return user is not None and user.sysop


def _show_menu(caller: Caller) -> None:
    """Write the lines in two columns, and the way back below."""
    caller.console.say()
    *entries, back = menu().texts(caller)
    width = max(map(len, entries[::2])) + 2
    for left, right in zip(entries[::2], [*entries[1::2], ""], strict=False):
        caller.console.say(f"  {left:<{width}}{right}".rstrip())
    caller.console.say(f"  {back}")
    caller.console.say()


def _carry_out(caller: Caller, act: Callable[[Caller], object]) -> None:
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


# --- questions --------------------------------------------------------------------------------------------------------


class GivenUp(Exception):
    """The sysop answered a question with an empty line: nothing is done."""


def _ask(caller: Caller, question: str, limit: int, *, q_is_back: bool = False) -> str:
    """Ask for a line. Raise `GivenUp` if it is empty."""
    answer = ask_line(caller, question + " ", limit, q_is_back=q_is_back)
    if not answer:
        raise GivenUp
    return answer


def _ask_user(caller: Caller) -> User:
    """Ask for a user; the beginning of a name will do, if it is that of one name only. Users online go first."""
    return _chosen_user(caller, _ask(caller, caller.words("Name:"), NAME_LIMIT))


def _chosen_user(caller: Caller, name: str) -> User:
    """Return the user of a name or of the beginning of one."""
    user = caller.instance.accounts.find(name) or _completed(caller, name)
    if user.name != name:
        caller.console.say(f"  {user.name}", Style.CYAN)
    return user


def _completed(caller: Caller, beginning: str) -> User:
    online = [one.name for one in caller.instance.directory.people() if _begins(one.name, beginning)]
    names = online if len(online) == 1 else caller.instance.accounts.complete(beginning, MOST_NAMES)
    found = caller.instance.accounts.find(names[0]) if len(names) == 1 else None
    if found is not None:
        return found
    if not names:
        raise Refused("no_user", beginning)
    caller.console.say(caller.words("Which one? {names}", names=", ".join(names)), Style.YELLOW)
    return _ask_user(caller)


def _begins(name: str, beginning: str) -> bool:
    return name.casefold().startswith(beginning.casefold())


def _judged(caller: Caller, user: User) -> User:
    """Return the user. Raise `GivenUp` for a sysop, who cannot be judged from here."""
    if user.sysop:
        text = caller.words("{name} is a sysop: that can only be done with yawcctl.", name=user.name)
        caller.console.say(text, Style.YELLOW)
        raise GivenUp
    return user


def _ask_span(caller: Caller) -> float | None:
    """Ask for a length of time; return its seconds, or None for ever."""
    while True:
        answer = _ask(caller, caller.words("For how long? (30m, 2h, 3d, forever)"), SPAN_LIMIT, q_is_back=True)
        try:
            return None if answer.strip().casefold() == caller.words("forever") else parse_duration(answer)
        except ValueError:
            caller.console.say(caller.words("That is not a length of time."), Style.YELLOW)


def _ask_amount(caller: Caller) -> int:
    """Ask for a number of CUBES."""
    answer = _ask(caller, caller.words("How many CUBES?"), AMOUNT_LIMIT, q_is_back=True)
    amount = decimal(answer)
    if amount is None:
        raise Refused("bad_amount")
    return amount


def _ask_banned(caller: Caller) -> str:
    return _ask(caller, caller.words("Name or address:"), TARGET_LIMIT)


def _ask_target(caller: Caller) -> str:
    """Ask for a user's name, or an address or network that the sysop does not call from."""
    answer = _ask_banned(caller)
    try:
        address = network(answer)
    except TooWide:
        raise Refused("too_wide", answer) from None
    if address is None:
        return _judged(caller, _chosen_user(caller, answer)).name
    if covers(address, caller.line.origin):
        caller.console.say(caller.words("You are calling from there yourself."), Style.YELLOW)
        raise GivenUp
    return address


def _ask_line(caller: Caller) -> int:
    """Show the wall, and ask for a line of somebody who may be judged; return its number in the database."""
    lines = caller.instance.meeting.wall.lines()
    show_lines(caller, lines)
    line = chosen_line(lines, _ask(caller, caller.words("Number of the line:"), 2))
    if line is None:
        raise Refused("no_line")
    if line.user != caller.user.id:
        _judged(caller, _chosen_user(caller, line.name))
    return line.id


_QUESTIONS: dict[Question, Callable[[Caller], object]] = {
    "name": lambda caller: _judged(caller, _ask_user(caller)).name,
    "target": _ask_target,
    "banned": _ask_banned,
    "seconds": _ask_span,
    "cubes": _ask_amount,
    "reason": lambda caller: _ask(caller, caller.words("Reason:"), REASON_LENGTH),
    "text": lambda caller: _ask(caller, caller.words("Message:"), REASON_LENGTH),
    "line": _ask_line,
}
_ARGUMENT_OF: dict[str, str] = {"banned": "target"}
"""The argument that a question is for, where it has another name."""


# --- sysop actions ----------------------------------------------------------------------------------------------------


def _moderate(row: SysopActionRow, entry: DeskEntry, caller: Caller) -> None:
    """Ask for the arguments of a sysop action, carry it out and show its result."""
    given = {_ARGUMENT_OF.get(question, question): _QUESTIONS[question](caller) for question in entry.asks}
    if entry.sure:
        question = caller.words(entry.sure, name=given.get("name"), target=given.get("target")) + " "
        if not ask_yes(caller, question):
            raise GivenUp
    sysop = Sysop(caller.instance, caller.user.name, caller.loop.pause, partial(hash_apart, caller))
    done = row.carry_out(sysop, row.fill(given))
    _answer(caller, done)
    if entry.answer:
        _answer_of(caller, entry, done)
    _answer_password(caller, done)
    _answer_ends(caller, done)
    if done.action.user is None and not done.action.target:
        caller.show_news()  # it concerns everybody


# --- answers ----------------------------------------------------------------------------------------------------------


def _answer(caller: Caller, done: Done) -> None:
    words, say, name = caller.words, caller.console.say, done.action.target
    if done.action.kind not in TOLD or done.action.user is None:
        return
    if done.waits:
        say(words("It is written down, and will be done as soon as the bank works again."), Style.YELLOW)
        return
    if done.online:
        say(words("Done; {name} has been told.", name=name), Style.GREEN)
    else:
        say(words("Done; {name} will be told at the next login.", name=name), Style.GREEN)
    if done.warnings is not None:
        _answer_warnings(caller, name, done.warnings)
    if done.balance is not None:
        say(words("{name} now has {cubes} CUBES.", name=name, cubes=done.balance))


def _answer_warnings(caller: Caller, name: str, count: int) -> None:
    words = caller.words
    text = words.count("{name} has had {n} warning.", "{name} has had {n} warnings.", count, name=name)
    caller.console.say(text, Style.BOLD)


def _answer_of(caller: Caller, entry: DeskEntry, done: Done) -> None:
    words, action = caller.words, done.action
    text = words(
        entry.answer,
        name=action.target,
        target=action.target,
        until=until(action.until, words),
        cubes=action.cubes or 0,
    )
    caller.console.say(text, Style.GREEN if entry.answer_is_good else Style.PLAIN)


def _answer_password(caller: Caller, done: Done) -> None:
    words, say = caller.words, caller.console.say
    if done.password is not None:
        say(words("New password of {name}: {password}", name=done.action.target, password=done.password), Style.BOLD)
        say(words("It is shown only now, and must be changed at the next login."))


def _answer_ends(caller: Caller, done: Done) -> None:
    words, say = caller.words, caller.console.say
    if done.ended or done.killed:
        say(words.count("{n} session has ended.", "{n} sessions have ended.", done.ended + done.killed), Style.GREEN)
    if done.killed:
        say(words.count("{n} of them had to be killed.", "{n} of them had to be killed.", done.killed), Style.YELLOW)
    if done.freed:
        say(words.count("{n} kept seat is free now.", "{n} kept seats are free now.", done.freed), Style.GREEN)


# --- lists ------------------------------------------------------------------------------------------------------------


def _show_actions(caller: Caller) -> None:
    user = _ask_user(caller)
    for action in caller.instance.sysop_log.of(user.id, MOST_SHOWN):
        caller.console.say(_shown(caller, action))
    _answer_warnings(caller, user.name, caller.instance.sysop_log.warnings(user.id))


def _shown(caller: Caller, action: SysopAction) -> str:
    words = caller.words
    kind = KINDS.get(action.kind)  # one that a newer program has, where both run
    parts = [day(action.at), action.kind if kind is None else words(kind.title)]
    if action.cubes is not None:
        parts.append(words("{cubes} CUBES", cubes=action.cubes))
    if action.until is not None:
        parts.append(until(action.until, words))
    return f"  {', '.join(parts)}, {action.by}: {action.reason}"


def _show_bans(caller: Caller) -> None:
    found = caller.instance.bans.all()
    words = caller.words
    for ban in found:
        caller.console.say(f"  {ban.target}, {until(ban.until, words)}, {ban.by}: {ban.reason}")
    if not found:
        caller.console.say(words("Nobody is banned."))


# --- the menu ---------------------------------------------------------------------------------------------------------


def desk_menu() -> Menu:
    """Return the menu: a line of each sysop action that the desk has, and the lists, in the order of their places."""
    lines = {
        70: MenuLine("V", mark("Bans in force"), _show_bans),
        130: MenuLine("A", mark("Sysop actions on a user"), _show_actions),
    }
    for row in SYSOP_ACTIONS.values():
        if row.desk is not None:
            if row.desk.order in lines:
                raise ValueError(f"the sysop's desk: {row.word} has the place of another line")
            lines[row.desk.order] = MenuLine(row.desk.key, row.desk.title, partial(_moderate, row, row.desk))
    return Menu("the sysop's desk", (lines[place] for place in sorted(lines)), leads_back=True)


MENU: Final = desk_menu()


@cache
def menu() -> Menu:
    """Return the menu, with what extras add to it."""
    return MENU.with_added()
