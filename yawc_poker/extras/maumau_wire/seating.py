"""The search of a guest of the wire for a seat: at which table, on which seat, and when it moves to join others.

A guest's id is its seat, counted from 1, and is told only once; so a guest who has it moves to another table only if
the same seat is free there. Nothing here takes a lock: a table's own transaction decides who gets a seat.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, cast

from yawc_poker.casino.presence.directory import GUESTS
from yawc_poker.casino.users.names import look_key, passes_for_house
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable, Table, is_person, seated
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, State
from yawc_poker.session.prefork.slices import go_as_usual
from yawc_poker.session.table.attendance import SeatedPlayer
from yawc_poker.terminal.text import clean

GRACE = 1.0
"""Seconds that the others wait after the end of a guest's turn before they move in its place."""
LATE_SECONDS = 0.5
"""Until what a client asked for in vain is tried again."""
GUEST_MARK = "^"
"""Ends a guest's name; no account's name has it."""
_NAME = 18
"""Characters of a guest's own name; number and mark come behind it."""
_TRIES = 8
_NAMES = 4
"""Names that a guest tries."""


def maumau(value: AnyTable) -> Table[State, Event]:
    """Return the value of a table of Mau-Mau with its types."""
    return cast(Table[State, Event], value)


class Waiting(NamedTuple):
    """A table where no game runs."""

    number: int
    """Of the table; from 0."""
    stay: tuple[int, ...]
    """Seats of all who wait for the next game, without guests whose game is over: those are about to leave."""
    guests: tuple[int, ...]
    """Those of them that are guests'."""
    free: tuple[int, ...]

    @property
    def rank(self) -> tuple[int, int]:
        """Everybody who is alone goes to the table with the highest rank: that with most people, then the first."""
        return len(self.stay), -self.number


def lingers(value: Table[State, Event], seat: int) -> bool:
    """Return whether a guest sits there who is about to leave: it has played in the game that is over."""
    return _is_guest(value, seat) and value.last is not None and rules.place_of(value.last, seat) is not None


def _is_guest(value: Table[State, Event], seat: int) -> bool:
    who = value.seats[seat]
    return who is not None and who.user >= GUESTS


def has_host(value: Table[State, Event]) -> bool:
    """Return whether a person with an account sits there, who starts games; house players start none."""
    return any(is_person(who) and who.user < GUESTS for who in value.seats if who is not None)


def waiting(number: int, value: Table[State, Event]) -> Waiting:
    """Return who waits at a table where no game runs."""
    stay = tuple(seat for seat in seated(value) if not lingers(value, seat))
    free = tuple(seat for seat, who in enumerate(value.seats) if who is None)
    return Waiting(number, stay, tuple(seat for seat in stay if _is_guest(value, seat)), free)


def wanted(tables: Iterable[Waiting], here: Waiting) -> int | None:
    """Return the lowest free seat that is not that of a guest waiting elsewhere: one of the two can join the other."""
    elsewhere = {seat for table in tables if table.number != here.number for seat in table.guests}
    return next((seat for seat in here.free if seat not in elsewhere), None)


def better(tables: Iterable[Waiting], here: Waiting, seat: int | None) -> Waiting | None:
    """Return where somebody who is alone `here` goes to meet others; None: nowhere.

    `seat` is the only one that will do there, None: any. Of two who are alone one has to stay, so that they do not just
    change places: with a seat of their own it is the one at the first table. Without one (`seat` None) nobody has been
    seen yet.
    """
    if len(here.stay) > 1:
        return None
    found = [table for table in tables if table.number != here.number and table.stay and table.free]
    if seat is not None:
        found = [table for table in found if seat in table.free and table.rank > here.rank]
    return max(found, key=lambda table: table.rank, default=None)


def take_seat(
    players: Sequence[SeatedPlayer],
    name: str,
    claim: Callable[[Callable[[Collection[str]], str]], tuple[int, str]],
    bbs: str,
) -> tuple["Seating", SeatedPlayer | None]:
    """Return the search for a seat of a client of this name, and where it sits down; None: there is no seat.

    `claim` makes it a guest, whose name is chosen by those that are taken (case-folded), and is not the name of the
    `bbs`. A guest of another host, whom this host does not know of yet, may sit there under the name that was free
    here: then it takes another one.
    """
    others: set[str] = set()

    def choose(taken: Collection[str]) -> str:
        return guest_name(name, {*taken, *others}, bbs)

    for left in reversed(range(_NAMES)):
        seating = Seating(players, *claim(choose))
        player = seating.take()
        if player is not None or not left:
            break
        others |= {who.name.casefold() for one in players for who in one.table.sitting() if who is not None}
        if seating.name.casefold() not in others:
            break
    return seating, player


class Seating:
    """One guest's search for a seat."""

    def __init__(self, players: Sequence[SeatedPlayer], user: int, name: str) -> None:
        """`players` are this session at each table, seated nowhere yet."""
        self._players = {player.table.number: player for player in players}
        self._user = user
        self.name = name

    def take(self) -> SeatedPlayer | None:
        """Sit down where others wait; None: there is no seat.

        Two may sit down at different tables at the same moment. Each looks again then, and at least one of them sees
        the other, and begins anew; a guest that stays has seen nobody, and is found by all who come later.
        """
        for left in reversed(range(_TRIES)):
            player = self._sit_anywhere()
            if player is None or not left or not self._is_wrong(player.table.number):
                go_as_usual()
                return player
            player.stand_up()
        return None

    def move(self, now: SeatedPlayer) -> SeatedPlayer:
        """Move from where the guest is alone to where others wait; return its seat then.

        It gets up once it has the other seat: either may be taken at any moment.
        """
        value, seat = now.table.look(), now.seat
        here = waiting(now.table.number, maumau(value))
        alone = value.game is None and here.stay == (seat,)
        there = better(self._waiting(), here, seat) if alone else None
        if there is None:
            return now
        found = self._sit(self._players[there.number], seat)
        if found is not None:
            now.stand_up()
        stays = found or now
        stays.keep_time()  # whoever gets up anywhere has no ticks any more
        return stays

    def _waiting(self) -> list[Waiting]:
        """Return the tables where no game runs, the best one first."""
        found = [(number, player.table.look()) for number, player in self._players.items()]
        waits = [waiting(number, maumau(value)) for number, value in found if value.game is None]
        return sorted(waits, key=lambda table: table.rank, reverse=True)

    def _is_wrong(self, number: int) -> bool:
        tables = self._waiting()
        return any(better(tables, here, None) is not None for here in tables if here.number == number)

    def _sit_anywhere(self) -> SeatedPlayer | None:
        tables = self._waiting()
        seats = ((self._players[here.number], wanted(tables, here)) for here in tables if here.free)
        return next((found for player, seat in seats if (found := self._sit(player, seat, exactly=False))), None)

    def _sit(self, player: SeatedPlayer, seat: int | None, *, exactly: bool = True) -> SeatedPlayer | None:
        """Sit down, unless the table is full, its game has just begun, or somebody has the seat (`exactly`)."""
        try:
            value = player.sit(self._user, self.name, seat, GRACE)
        except IllegalMove:
            return None
        if player.seat is None or value.game is not None or (exactly and player.seat != seat):
            player.stand_up()
            return None
        return player


# --- names ------------------------------------------------------------------------------------------------------------


def guest_name(name: str, taken: Collection[str], bbs: str = "") -> str:
    """Return a client's name as a guest's: harmless, not the house's, unlike all that are `taken` (case-folded).

    It does not look like another guest's, either, on any screen. `bbs` is the name of the BBS, for which none passes.
    """
    plain = clean(name, _NAME).strip()
    if not plain or passes_for_house(plain, bbs):
        plain = "Mau"
    dash = "-" if plain[-1].isdecimal() else ""  # another "Bot 1" is no "Bot 12"
    names = (f"{plain[: _NAME - len(tail)]}{tail}{GUEST_MARK}" for tail in _tails(dash))
    guests = {look_key(one) for one in taken if one.endswith(GUEST_MARK)}
    return next(one for one in names if one.casefold() not in taken and look_key(one) not in guests)


def _tails(dash: str) -> Iterator[str]:
    yield ""
    yield from (f"{dash}{number}" for number in count(2))
