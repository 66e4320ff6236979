"""`P`: a user's profile, with figures from the rankings, and of the caller's own one the chart of their CUBES."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.appearance.chart import EDGE_CELLS, chart
from yawc_poker.casino.rankings.course import course
from yawc_poker.casino.rankings.days import Tally, of_user
from yawc_poker.casino.users.accounts import User
from yawc_poker.engine.house import level_in
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import MenuLine
from yawc_poker.session.caller.notices import day
from yawc_poker.session.caller.prompts import ask_name
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.mail import notice
from yawc_poker.session.menus.passwords import change_own_password
from yawc_poker.table_ui.speech import LEVEL_NAMES
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words, mark

_ROWS: Final = 6
_MOST_STEPS: Final = 60
_LEAST_STEPS: Final = 20


CHANGE_PASSWORD = MenuLine("C", mark("Change the password"), change_own_password)
"""Works at the prompt after the caller's own profile."""


class ProfileLines(NamedTuple):
    """What an extra tells in a profile, below the CUBES."""

    tell: Callable[[Caller, int], Iterable[str]]
    """Return the lines about a user, by their number. Raise `StoreError`."""


def profile(caller: Caller) -> MenuLine | None:
    """`P`: a user's profile; after the caller's own one the password can be changed."""
    words, say = caller.words, caller.console.say
    name = ask_name(caller, words("Whose profile? (ENTER: your own) "))
    if name is None:
        return None
    user = caller.instance.accounts.find(name) if name else caller.user
    guest = caller.instance.directory.named(name) if user is None else None
    if guest is not None and (level := level_in(guest.name)) is not None:
        say(words("{name} is a house player; the help tells who they are.", name=guest.name), Style.YELLOW)
        say(words("How well it plays: {level}", level=words(LEVEL_NAMES[level])), Style.YELLOW)
    elif guest is not None and guest.is_guest:
        say(words("{name} is a guest and has no profile.", name=guest.name), Style.YELLOW)
    elif user is None:
        say(words("There is no user called {name}.", name=name), Style.YELLOW)
    elif user.closed is not None:
        say(words("The account {name} is closed.", name=user.name), Style.YELLOW)
    else:
        _show_profile(caller, user)
        if user.id == caller.user.id and not user.guest:
            say("  [C] " + words(CHANGE_PASSWORD.title))
            return CHANGE_PASSWORD
    return None


def _show_profile(caller: Caller, user: User) -> None:
    words, say = caller.words, caller.console.say
    records, tallies = caller.instance.bank.records(user.id), of_user(caller.instance.bank.store, user.id)
    person = caller.instance.directory.of_user(user.id)
    say()
    say(f"  {user.name}", Style.CYAN)
    say("  " + words("CUBES: {cubes}", cubes=caller.instance.bank.balance(user.id)))
    for added in announced("profile_lines", ProfileLines):
        for line in added.tell(caller, user.id):
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
        notice(caller, person, "profile")


def _last_login(caller: Caller, user: User) -> str:
    return day(user.last_login) if user.last_login else caller.words("never")


def figures_of(tallies: Mapping[str, Tally], kind: str, words: Words) -> str:
    """Return what a profile tells of one kind of game behind its counts; empty: no game has ended yet."""
    tally = tallies.get(kind)
    if tally is None or not tally.games:
        return ""
    won = words("{cubes} CUBES", cubes=f"{tally.cubes:+}")
    return f", {won}, " + words("won in a row: {n}", n=tally.run)


def own_chart(caller: Caller) -> Iterator[str]:
    """Yield how the caller's own CUBES went: a sentence, and a chart unless they read lines. Raise `StoreError`."""
    room = caller.line.columns - EDGE_CELLS - 3
    since, owned = course(
        caller.instance.bank.store,
        caller.user.id,
        caller.instance.here.now(),
        max(min(room, _MOST_STEPS), _LEAST_STEPS),
    )
    if not owned:
        return
    yield caller.words(
        "Your CUBES since {when}: lowest {low}, highest {high}, now {now}",
        when=day(since),
        low=min(owned),
        high=max(owned),
        now=owned[-1],
    )
    if not caller.appearance.in_lines:
        yield from chart(owned, _ROWS)
