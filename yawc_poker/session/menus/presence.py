"""Who is here and who was: what a caller reads at the login, who is online (`W`), and the last callers (`Y`).

Owns these lines only, and that those at the login are few: whatever happens on the BBS, the welcome fits a screen.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.meeting.meeting import Arrival
from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.casino.users.visits import Call, latest_calls
from yawc_poker.durations import clock
from yawc_poker.engine.house import LEVELS, marked
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import in_column
from yawc_poker.session.menus.wall import audible_lines, wall_line
from yawc_poker.table_ui.speech import level_names
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words

MOST_NAMES = 12
MOST_TABLES = 3
MOST_NOTES = 3
COLUMNS = 79


class Welcome(NamedTuple):
    """What an extra tells a caller who comes in (the place `welcomes`)."""

    tell: Callable[[Caller], None]
    """Say it, and tell others of the caller what it has to tell them.

    Raise `StoreError` before anything is said: what the database had no time for is done again.
    """


def welcome(caller: Caller, arrival: Arrival) -> None:
    """Tell who is online, which tables wait, what is new in the box, and what was last written on the wall."""
    words, say = caller.words, caller.console.say
    people = caller.instance.directory.people()
    names = sorted((one.name for one in people if not one.is_house and one.user != caller.user.id), key=str.casefold)
    say(online(names, min(COLUMNS, caller.line.columns - 1), words))
    _who_waits(caller)
    if arrival.letters:
        text = words.count("You have {n} new letter: B", "You have {n} new letters: B", arrival.letters)
        say(text, Style.CYAN)
    notes = audible_lines(caller, arrival.wall)[-MOST_NOTES:]
    if notes:
        say(words("Last on the wall (N: more):"))
        for line in notes:
            say("  " + wall_line(line), means=None)
    for added in announced("welcomes", Welcome):
        caller.patiently(partial(added.tell, caller))


def online(names: Sequence[str], room: int, words: Words) -> str:
    """Return in one line of at most `room` cells, if a name fits at all, who is online; of many names only some."""
    if not names:
        return words("Nobody else is online.")
    text = words("Online: {names}", names=", ".join(names[:MOST_NAMES]))
    if len(names) <= MOST_NAMES and len(text) <= room:
        return text
    for shown in range(min(MOST_NAMES, len(names) - 1), 0, -1):
        text = words.count(
            "Online: {names} and {n} more",
            "Online: {names} and {n} more",
            len(names) - shown,
            names=", ".join(names[:shown]),
        )
        if len(text) <= room:
            return text
    return text


def _who_waits(caller: Caller) -> None:
    words, say = caller.words, caller.console.say
    waiting = []
    for number in range(len(caller.tables)):
        who = caller.others.who_waits(number)
        if who is not None and not caller.others.ignores(who.user):
            waiting.append((number, who.name))
    for number, name in waiting[:MOST_TABLES]:
        say(caller.others.waiting_line(number, name, words), Style.CYAN)
    if more := len(waiting[MOST_TABLES:]):
        say(words.count("{n} more table waits.", "{n} more tables wait.", more))


def who(caller: Caller) -> None:
    """`W`: everybody online, with place and idle time, and the house players; with hosts, where there are several."""
    say, words = caller.console.say, caller.words
    people = caller.instance.directory.people()
    say()
    by_name = sorted(people, key=lambda one: one.name.casefold())
    rows = [(one.name, place_of(caller, one), _idle(one), _host(caller, one)) for one in by_name]
    titles = (words("Name"), words("Place"), words("Idle"), words("Host") if caller.instance.here.is_clustered else "")
    for number, (name, place, idle, host) in enumerate([titles, *rows]):
        line = f"  {name:<21}{place[:23]:<24}{idle:>8}{f'  {host[:22]}' if host else ''}"
        say(line, Style.PLAIN if number else Style.BOLD)
    say()
    say(words.count("{n} user online.", "{n} users online.", sum(1 for one in people if not one.is_house)))
    if any(one.is_house for one in people):
        levels = ", ".join(
            f"{marked('', level)} {name}" for level, name in zip(LEVELS, level_names(words), strict=True)
        )
        say(words("Names with a * at the end are house players: {levels}.", levels=levels))


def place_of(caller: Caller, person: SessionInfo) -> str:
    """Return where somebody is, as the list of callers shows it."""
    if not person.at_table and not person.looks_on:
        return caller.words("Main prompt")
    name = caller.others.table_name(person.place.table or 0, caller.words)
    if person.place.kind == PlaceKind.HELD:
        return caller.words("{table}, no line", table=name)
    return caller.words("{table}, watching", table=name) if person.looks_on else name


def _host(caller: Caller, person: SessionInfo) -> str:
    """Return the name of the host that somebody is on; empty where there is but one."""
    return person.host or caller.instance.here.name(caller.config)


def _idle(person: SessionInfo) -> str:
    return "" if person.is_house else clock(person.idle)


def last_callers(caller: Caller) -> None:
    """`Y`: the last callers, when they came and how long they stayed."""
    words, say = caller.words, caller.console.say
    calls = latest_calls(caller.instance.accounts.store)
    here = {one.user for one in caller.instance.directory.people()}
    say()
    came, name, stayed = words("Came"), words("Name"), words("Stayed")
    say(f"  {came:<18}{name:<21}{stayed:>10}", Style.BOLD)
    for call in calls:
        say(f"  {in_column(call.came):<18}{call.name:<21}{_stayed(call, here, words):>10}")


def _stayed(call: Call, here: set[int], words: Words) -> str:
    """Return how long a call lasted in hours and minutes; of a session that was killed nobody knows."""
    if call.user in here:
        return words("is here")
    if call.went is None:
        return "?"
    hours, minutes = divmod(int(max(0.0, call.went - call.came)) // 60, 60)
    return f"{hours}:{minutes:02}"
