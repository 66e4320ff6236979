"""What one caller knows and hears of the others: whom they ignore, who comes, goes and waits, and who asks for them.

Owns this session's copy of the ignore list, the summons that stands, when it heard last of a table that waits, and of
each user who came or went. All of it ends with the session.

Who comes and goes is told once a minute for each user, whatever they do: a session that begins within a minute of its
user's last login tells nothing at first, and each reader passes over what is left. Of a user whose right to write the
sysops have taken nothing is told, and nothing is read of one who is ignored.

A notice (`Kind.NOTICE`) is a fixed word, a blank, and what belongs to it. `waits` and `summons` name a user by number
and name, and the command has the table. A notice that is lost is not repeated: it is about this moment.
"""

import logging
import math
import time
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from yawc_poker.announcing import announced
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.meeting import Arrival
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.digits import decimal
from yawc_poker.engine.events import Chat, HouseSays, OnlookerChat
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry, Seat
from yawc_poker.ipc.broadcast import Command, Kind
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.attention import Attention
from yawc_poker.session.caller.console import Console
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words, mark

KeyT = TypeVar("KeyT")

log = logging.getLogger(__name__)

QUIET_SECONDS: Final = 60.0
"""A table that waits is shown to a caller once in this time; as seldom a session tells of the same person there. And
once in this time a caller reads of the same user who comes and goes."""
MOST_REMEMBERED: Final = 64
"""Things heard, beyond which those of more than `QUIET_SECONDS` ago are forgotten."""
NOTICES: Final = {
    "login": mark("{name} has just logged in."),
    "logout": mark("{name} has just logged out."),
    "profile": mark("{name} has just looked at your profile."),
    "writing": mark("{name} is about to send you a message."),
}
"""What a caller reads of the notices that have a name and nothing else."""
SUMMONS_SECONDS: Final = 120.0
"""How long a summons stands."""


class Summons(NamedTuple):
    """Somebody asks the caller to come to a table."""

    table: int
    """By its number in the segment."""
    user: int
    """0: nobody who sits there, but whoever keeps the table for them."""
    name: str
    until: float
    """Monotonic seconds."""


class Heard(NamedTuple):
    """A line for the caller to read at once."""

    text: str
    style: Style = Style.DIM
    calls: bool = False
    """It is for the caller alone, and calls them to the terminal."""
    notice: str = ""
    """What a page mentions of it; empty: nothing, or what calls."""


class AddedNotice(NamedTuple):
    """A notice of an extra (the place `notices`): a fixed word, and whom it is about, by name. It calls the caller."""

    word: str
    text: str
    """What is read at a prompt; a message of the catalogues, with {name}."""
    at_table: str
    """What is read at a table."""


class Others:
    """What one session knows of the others."""

    def __init__(self, instance: Instance, tables: Tables, console: Console, attention: Attention) -> None:
        self.guest = ""
        """Whom the caller summons once they have sat down; empty: nobody."""
        self.goes_over = False
        """The caller leaves their table to follow the summons."""
        self.came_to: int | None = None
        """The table to which the caller followed a summons last."""
        self._instance = instance
        self._tables = tables
        self._console = console
        self._attention = attention
        self._ignored: frozenset[int] = frozenset()
        self._names: frozenset[str] = frozenset()
        self._guests: dict[int, str] = {}
        """Guests whom the caller ignores, by their sessions, with their names: they have no account to be listed by."""
        self._summons: Summons | None = None
        self._letters_from = ""
        self._heard: dict[int, float] = {}
        """When the caller read last that somebody waits, by the table's number."""
        self._came_or_went: dict[str, float] = {}
        """When the caller read last that a user came or went, by the user's name."""
        self._added_heard: dict[str, float] = {}
        """When the caller read an extra's notice last, by all of it."""
        self._quiet_until = -math.inf
        """Until when this session does not tell that its caller goes. Monotonic seconds."""
        self._told: dict[int, tuple[int, float]] = {}
        """Of whom this session told that last, and when."""

    def arrive(self, user: int) -> Arrival:
        """Return what the caller finds who has come, and ignore from now on whom they ignore. Raise `StoreError`."""
        arrival = self._instance.meeting.arrive(user)
        self.ignore(arrival.ignored)
        return arrival

    # --- the ignore list ----------------------------------------------------------------------------------------------

    def ignore(self, ignored: dict[int, str]) -> None:
        """Ignore these users from now on, given by id with their names, and no others."""
        self._ignored = frozenset(ignored)
        self._names = frozenset(ignored.values())

    def ignores(self, user: int) -> bool:
        """Return whether the caller ignores a user."""
        return user in self._ignored

    def hears(self, name: str) -> bool:
        """Return whether the caller wants to read what somebody of this name says."""
        return name not in self._names

    def ignore_guest(self, session: int, name: str) -> None:
        """Ignore a guest from now on, until one of the two sessions ends."""
        self._guests[session] = name

    def hear_guest(self, name: str) -> bool:
        """Ignore a guest no longer, given by name in any case; return whether they were ignored."""
        found = [one for one, guest in self._guests.items() if guest.casefold() == name.casefold()]
        for session in found:
            del self._guests[session]
        return bool(found)

    def ignored_guests(self) -> list[str]:
        """Return the names of the guests who are ignored; those who have gone are forgotten."""
        has = self._instance.directory.has
        self._guests = {session: name for session, name in self._guests.items() if has(session)}
        return sorted(self._guests.values(), key=str.casefold)

    def audible(self, table: AnyTable) -> AnyTable:
        """Return a table's value without the chat lines of those whom the caller ignores."""
        if not self._names and not self._guests:
            return table
        entries = tuple([one for one in table.log if self._is_audible(one)])
        said = tuple([line for line in table.gallery if line.name not in self._names])
        if len(entries) == len(table.log) and len(said) == len(table.gallery):
            return table
        return replace(table, log=entries, gallery=said)

    def _is_audible(self, entry: LogEntry[GameEvent]) -> bool:
        is_said = isinstance(entry.event, Chat | OnlookerChat | HouseSays)
        return not is_said or (self.hears(entry.name) and entry.session not in self._guests)

    # --- notices ------------------------------------------------------------------------------------------------------

    def show(self, command: Command, preferences: Preferences, words: Words) -> None:
        """Write above the prompt what a caller there reads of a notice."""
        heard = self.hear(command, preferences, time.monotonic(), words)
        if heard is not None:
            if heard.calls:
                self._attention.call(heard.text)
            if heard.notice:
                self._attention.mention(heard.notice)
            self._console.interrupt(heard.text, heard.style)

    def hear(self, command: Command, preferences: Preferences, now: float, words: Words) -> Heard | None:
        """Return what a caller at a prompt reads of a notice, or None. `now` is in monotonic seconds."""
        what, rest = _parts(command.payload)
        match what:
            case "login" | "logout":
                return self._somebody_came_or_went(what, rest, now, words) if preferences.meet else None
            case "waits":
                return self._somebody_waits(command.table, rest, now, words) if preferences.meet else None
            case "summons":
                return self._summoned(command.table, rest, now, words)
            case "letter":
                return Heard(letter_line(rest, words), Style.CYAN, calls=True)
            case "profile" | "writing" if not self._is_ignored(command.record):
                return Heard(words(NOTICES[what], name=rest))
            case _:
                return self._added(what, rest, now, words, at_table=False)

    def hear_seated(self, command: Command, now: float, words: Words) -> Heard | None:
        """Return what a caller at a table reads of a command; the rest is told by `late`, or not at all."""
        if command.kind != Kind.NOTICE:
            return None
        what, rest = _parts(command.payload)
        if what == "letter":
            self._letters_from = rest
        if what != "summons":
            return self._added(what, rest, now, words, at_table=True)
        return self._summoned(command.table, rest, now, words, seated=True)

    def _added(self, what: str, name: str, now: float, words: Words, *, at_table: bool) -> Heard | None:
        """Return what is read of an extra's notice, once a minute.

        None: it is of somebody ignored, or of a newer program where both run.
        """
        found = next((one for one in announced("notices", AddedNotice) if one.word == what), None)
        if found is None or not self.hears(name):
            return None
        self._came_or_went.pop(name, None)
        _is_new(self._came_or_went, name, now)  # it tells that they are here
        if not _is_new(self._added_heard, f"{what} {name}", now):
            return None
        return Heard(words(found.at_table if at_table else found.text, name=name), Style.CYAN, calls=True)

    def late(self, words: Words) -> str:
        """Return what the caller has to be told at the next prompt, because they sat at a table meanwhile; once."""
        sender, self._letters_from = self._letters_from, ""
        return letter_line(sender, words) if sender else ""

    def _is_ignored(self, record: int | None) -> bool:
        if not self._ignored or record is None:
            return False
        person: SessionInfo | None = self._instance.directory.at(record)
        return person is not None and self.ignores(person.user)

    # --- who comes and goes -------------------------------------------------------------------------------------------

    def tell_coming(self, name: str, seconds: float, now: float) -> None:
        """Tell everybody at a prompt that the caller has come, unless they did so less than a minute before.

        `seconds` is how long ago they came last; `now` is in monotonic seconds.
        """
        if 0.0 <= seconds < QUIET_SECONDS:
            self._quiet_until = now + QUIET_SECONDS
        else:
            self._tell("login", name)

    def tell_going(self, name: str, now: float) -> None:
        """Tell everybody at a prompt that the caller goes."""
        if now >= self._quiet_until:
            self._tell("logout", name)

    def _tell(self, what: str, name: str) -> None:
        if self._instance.own.muted_until <= self._instance.here.now():
            self._instance.notifier.tell_all(Kind.NOTICE, f"{what} {name}".encode())

    def _somebody_came_or_went(self, what: str, name: str, now: float, words: Words) -> Heard | None:
        if not self.hears(name) or not _is_new(self._came_or_went, name, now):
            return None
        return Heard(words(NOTICES[what], name=name))

    # --- who waits ----------------------------------------------------------------------------------------------------

    def tell_who_waits(self, number: int, now: float) -> None:
        """Tell everybody at a prompt if somebody waits at this table."""
        who = None if self._instance.closing else self.who_waits(number)
        user, when = self._told.get(number, (0, 0.0))
        if who is not None and (who.user != user or now >= when + QUIET_SECONDS):
            self._told[number] = (who.user, now)
            self._instance.notifier.tell_all(Kind.NOTICE, f"waits {who.user} {who.name}".encode(), number)

    def who_waits(self, number: int) -> Seat | None:
        """Return the person who waits at a table for one more, or None if nobody does, or it cannot be seen now."""
        try:
            return self._tables[number].waiting()
        except (LockTimeout, OSError) as error:
            log.info("who waits at table %s cannot be seen: %s", self._tables[number].name, error)
            return None

    def waiting_line(self, number: int, name: str, words: Words) -> str:
        """Return that somebody waits at a table, and which keys lead there."""
        game = self._tables.game(number)
        tables = self._tables.of(game)
        keys = f"S {game.key}" if len(tables) == 1 else f"S {game.key} {tables.index(number) + 1}"
        return words(game.titles.waits, name=name, keys=keys)

    def table_name(self, number: int, words: Words) -> str:
        """Return the name of a table by its number in the segment, as the list of callers shows it."""
        game = self._tables.game(number)
        tables, titles = self._tables.of(game), game.titles
        return words(titles.table) if len(tables) == 1 else words(titles.numbered, n=tables.index(number) + 1)

    def _somebody_waits(self, number: int | None, rest: str, now: float, words: Words) -> Heard | None:
        user, name = _user(rest)
        if number is None or number >= len(self._tables) or self.ignores(user) or not _is_new(self._heard, number, now):
            return None
        line = self.waiting_line(number, name, words)
        return Heard(f"*** {line}", Style.CYAN, notice=line)

    # --- summonses ----------------------------------------------------------------------------------------------------

    def standing(self, now: float) -> Summons | None:
        """Return the summons that the caller may follow, or None if there is none."""
        return self._summons if self._summons is not None and now < self._summons.until else None

    def taken_up(self, now: float) -> Summons | None:
        """Return the summons that the caller follows, which does not stand any more then."""
        standing, self._summons, self.goes_over = self.standing(now), None, False
        if standing is not None:
            self.came_to = standing.table
        return standing

    def _summoned(
        self, number: int | None, rest: str, now: float, words: Words, *, seated: bool = False
    ) -> Heard | None:
        """Take a summons over; one that stands already is not shown again."""
        user, name = _user(rest)
        if number is None or number >= len(self._tables) or self.ignores(user):
            return None
        before = self.standing(now)
        self._summons = Summons(number, user, name, now + SUMMONS_SECONDS)
        if before is not None and (before.table, before.user) == (number, user):
            return None
        table = self.table_name(number, words)
        text = words("*** {name} invites you: {table}. J takes you there within two minutes.", name=name, table=table)
        if seated:
            text = words(
                "{name} invites you: {table}. /accept takes you there within two minutes.", name=name, table=table
            )
        return Heard(text, Style.CYAN, calls=True)


def _is_new(heard: dict[KeyT, float], what: KeyT, now: float) -> bool:
    """Note that something is heard, and return True, unless it was within the minute before."""
    if now < heard.get(what, -math.inf) + QUIET_SECONDS:
        return False
    if len(heard) >= MOST_REMEMBERED:
        for old in [one for one, when in heard.items() if now >= when + QUIET_SECONDS]:
            del heard[old]
    heard[what] = now
    return True


def letter_line(name: str, words: Words) -> str:
    """Return that a letter has come."""
    return words("*** A letter from {name} has come: B", name=name)


def _parts(payload: bytes) -> tuple[str, str]:
    what, _, rest = payload.decode("utf-8", "replace").partition(" ")
    return what, rest


def _user(rest: str) -> tuple[int, str]:
    """Return the user that a notice names, by number and name."""
    number, _, name = rest.partition(" ")
    return decimal(number) or 0, name
