"""The values of a table: seats, the log, clocks, and the table itself (spec/poker.md 1, 10). Pure.

Owns the data; `engine.events` has what the log tells, `engine.table` the operations. All values are frozen and can be
encoded by `msgspec.msgpack`. Owns also what is read off them: who sits here, who of those is there (awake, and with a
line), who may lead the table; and which parts are moments, seconds of a clock that belongs to one host.

House players are never away, and neither are guests, who press no keys. Somebody who is not here is dealt no cards, and
pays no ante; in a running game their clocks act for them as for anybody.
"""

from typing import Final, Generic, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.against_house import NOBODY, AgainstHouse
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import EventT, GameEvent, GameState, IllegalMove, Payment, StateT
from yawc_poker.engine.house import HOUSE_USERS, Level
from yawc_poker.engine.sealing import Commitment, Deck, Discarded, Frozen
from yawc_poker.engine.transcript import Transcript

LOG = 32
"""Log entries kept: more than the longest change makes (the end of a match of Doppelkopf: 18). The screen shows ten."""
CHAT = 100
"""Maximum characters of a chat line; the rest is cut off, so that a table always fits its cell. Screens show fewer."""
GALLERY = 8
"""Lines kept of what on-lookers say among themselves."""
AWAY = 0
"""The session of a seat that is kept while nobody plays there."""


class Clocks(msgspec.Struct, frozen=True):
    """Lengths in seconds (10)."""

    turn: float = 60.0
    """0: turns have no limit."""
    master: float = 180.0
    pause: float = 30.0
    reveal: float = 8.0
    """For the players' texts to be revealed when a game begins, and to commit anew."""


class Seat(msgspec.Struct, frozen=True, array_like=True):
    """A person, or a house player, at the table; `cash` is the balance last read from the bank, in CUBES."""

    session: int
    user: int
    name: str
    cash: int
    grace: float = 0.0
    """Seconds from the end of the person's turn until the clock makes a move for them."""
    program: str = ""
    """Level and version of a house player's program (`engine.house.program_name`); empty: a person."""
    came: int = 0
    """Number of the log entry that tells of their coming: the last to come has the greatest."""
    goes: bool = False
    """A house player who was sent away: they leave as soon as no game needs them (`must_go`)."""
    missed: int = 0
    """How many of their clocks ran out in a row; from `engine.values.SLEEPS` on they are away."""
    held: float = 0.0
    """Monotonic second until which the seat is kept for a person whose line is gone; 0.0: they have a line."""
    gone: bool = False
    """All were told that the person went, away or without a line, and are told when they are back."""
    out: int = 0
    """How many games they sit out at this table, for a text that they withheld (`Table.barred`)."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A seat in the running game whose holder is gone, or away. They get it back if they return while it is kept."""

    seat: int
    holder: Seat
    """As the seat stands while nobody plays there: with the session `AWAY`."""
    stage: int
    """The stage of the game in which they went (`engine.kept.Keeps`)."""
    level: Level
    """Of the house player who stands in for them."""
    asleep: int = 0
    """The session of a holder who is away, and gets the seat back by pressing a key: it is kept for as long as that
    takes. 0: the holder has no session here."""


class LogEntry(msgspec.Struct, Generic[EventT], frozen=True, array_like=True):
    """A line of the log, with session and name of the person it is about, who may have left since.

    `number` counts from 1 and is never reused; `session` is 0 and `name` empty if the event is about nobody.
    """

    number: int
    session: int
    name: str
    event: EventT | Notice
    seat: int | None = None


class GalleryLine(msgspec.Struct, frozen=True, array_like=True):
    """A line that somebody who looks on said to the others who do. `number` counts from 1."""

    number: int
    session: int
    name: str
    text: str


class NextDeck(msgspec.Struct, frozen=True):
    """The deck sealed for the next game, hidden from all, and what players are committed to for it, by seat."""

    deck: Deck
    commitments: tuple[Commitment, ...] = ()


class Barred(msgspec.Struct, frozen=True, array_like=True):
    """A user who sits out games at a table, wherever they are meanwhile."""

    user: int
    games: int


class Opening(msgspec.Struct, frozen=True):
    """A game that begins: its master has started it, and it is not dealt yet (`engine.opening`).

    `Table.deadline` is the end of its stage.
    """

    stage: Literal["reveal", "commit", "draw"]
    """Texts are revealed. Or, after a deck was discarded, players commit anew; or the sessions of those do who have
    not."""
    options: str
    """As JSON, which the game can read."""
    frozen: tuple[Frozen, ...]
    """The players, by seat."""
    beside: tuple[int, ...] = ()
    """Users who are here and cannot pay."""
    master: int = 0
    """Whose start it was: the seat in which the game finds its master."""
    forfeits: tuple[int, ...] = ()
    """Users whose ante goes into the pot: each has withheld a text."""


class Due(msgspec.Struct, frozen=True, array_like=True):
    """A share in the pot of a game that is over, by user: the player may leave before it is paid."""

    user: int
    share: int
    """Relative to the other shares (`engine.table.split`)."""
    won: bool = True
    """The user is a winner. One who has not won the game may still get CUBES, as at Doppelkopf."""


class Debt(msgspec.Struct, frozen=True, array_like=True):
    """CUBES that a user owes the pot of a game that is over; taken in the transaction that divides the pot."""

    user: int
    amount: int


class Points(msgspec.Struct, frozen=True, array_like=True):
    """A user's points in a game that is over."""

    user: int
    amount: int


class Reserved(msgspec.Struct, frozen=True, array_like=True):
    """For whom a table is reserved (`engine.reserving`)."""

    mark: str
    """What it is reserved for, as those know who did so."""
    users: tuple[int, ...]
    needed: int
    """So many must be here before a game begins, which it does by itself then."""
    left: int
    """Games that are still to be played."""


class Table(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """The value of a table."""

    seats: tuple[Seat | None, ...]
    master: int | None = None
    game: StateT | None = None
    """The game that is running, or is over and waits for its payout."""
    last: StateT | None = None
    """The finished game, shown until the next one."""
    number: int = 0
    """The ledger's number of the running game, else of the last one; 0 before the first."""
    action: int = 0
    """Number of the running game's next action."""
    pot: int = 0
    deadline: float | None = None
    """Monotonic time in seconds when the clock of the turn ends, or without a game the master's; infinite: never."""
    pause_until: float = 0.0
    """No new game begins before this monotonic second: a pause after a game (A10) or a choice of options; 0.0: none."""
    override: int = 0
    """The session that closes the game; 0: none."""
    due: tuple[Due, ...] = ()
    """The shares in the pot once the game is over; if empty, it goes to the system."""
    debts: tuple[Debt, ...] = ()
    """What is still to be paid into the pot once the game is over."""
    points: tuple[Points, ...] = ()
    """The players' points once the game is over; empty in a game that counts none."""
    players: tuple[int, ...] = ()
    """The users who were dealt in when the running game began, by seat, 0: nobody. They may have left since."""
    names: tuple[str, ...] = ()
    """Their names, also of the last game's; empty: nobody's."""
    against_house: AgainstHouse = NOBODY
    """Who plays for CUBES with house players in the running game."""
    next_deck: NextDeck | None = None
    """None while a game runs, and before anybody has sat here."""
    opening: Opening | None = None
    """A game that begins, from its start until it is dealt."""
    discarded: tuple[Discarded, ...] = ()
    """Deals that came to nothing since the last game, for the page of the next: the newest ones."""
    barred: tuple[Barred, ...] = ()
    """Users who sit out games here; `Seat.out` shows it of those who sit here."""
    options: str = ""
    """The options chosen for the games to come, as JSON; empty: the usual ones."""
    transcript: Transcript | None = None
    """The transcript of the running game, hidden parts included; None without a game."""
    log: tuple[LogEntry[EventT], ...] = ()
    """The newest `LOG` entries, oldest first."""
    logged: int = 0
    """The number of log entries ever made, which is the number of the newest."""
    invited: tuple[Level, ...] = ()
    """Levels of the house players who were asked to join and have not sat down yet; never more than free seats."""
    kept: tuple[Kept, ...] = ()
    """Seats whose holders are gone; a house player stands in there, or is waited for. None without a running game."""
    gallery: tuple[GalleryLine, ...] = ()
    """What on-lookers said among themselves: the newest `GALLERY` lines, oldest first. Those who sit do not see it."""
    open_gallery: bool = False
    """On-lookers may speak to the table."""
    hints: bool = False
    """Hints are allowed in games between people, too (`engine.hints`)."""
    helped: tuple[int, ...] = ()
    """Users who took hints in the running game, also in the last one."""
    reserved: Reserved | None = None
    """None: whoever comes may sit down."""


class Back(NamedTuple):
    """A stake that the bank has refunded out of the pot of the running game."""

    amount: int
    known: int
    """The part of it that the rules know of: a bet may have been booked that the table never saw."""
    pot: int
    """The pot after the refund."""


class Change(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """The result of an operation: the table to commit, and the payments (by seat) to make first."""

    table: Table[StateT, EventT]
    payments: tuple[Payment, ...] = ()


AnyTable = Table[GameState, GameEvent]
"""A table's value, whatever game is played there."""
AnyChange = Change[GameState, GameEvent]


def seat_of(table: Table[StateT, EventT], session: int) -> int | None:
    """Return the seat of a session, None if it has none."""
    for seat, who in enumerate(table.seats):
        if who is not None and who.session == session:
            return seat
    return None


def seated(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats that are taken, ascending."""
    return tuple([seat for seat, who in enumerate(table.seats) if who is not None])


def persons(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats of people who are here, without house players, ascending."""
    return tuple([seat for seat, who in enumerate(table.seats) if who is not None and is_person(who)])


def is_person(who: Seat) -> bool:
    """Return whether a person who is here has a seat: no house player, and nobody whose seat is kept."""
    return who.session != AWAY and not who.program


# --- who is there -----------------------------------------------------------------------------------------------------

SLEEPS: Final = 2
"""Clocks of a person that run out in a row before they are away."""
NAP: Final = 5.0
"""Seconds of a turn of somebody who is away, where other people wait for it."""


def may_sleep(who: Seat) -> bool:
    """Return whether somebody can be away: a person with an account."""
    return is_person(who) and who.user < HOUSE_USERS.start


def is_asleep(who: Seat) -> bool:
    """Return whether somebody is away: their clocks ran out, and they have pressed no key since."""
    return who.missed >= SLEEPS


def is_here(who: Seat) -> bool:
    """Return whether somebody is dealt into the next game: neither away, without a line, gone, nor sitting out."""
    return who.session != AWAY and not is_asleep(who) and not who.held and not who.out


def here(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats of those who are dealt into a game that begins now, ascending."""
    return tuple([seat for seat, who in enumerate(table.seats) if who is not None and is_here(who)])


def leaders(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the seats that the master's privilege may pass to, ascending: of people who are here, else of people."""
    people = persons(table)
    return tuple([seat for seat in people if seat in here(table)]) or people or seated(table)


def leader_from(table: Table[StateT, EventT], seat: int) -> int:
    """Return this seat, or if no person is here who may lead from there, that of the next one who may; between games.

    It is `seat` itself if nobody could take their place.
    """
    taken = leaders(table)
    if table.seats[seat] is None or not persons(table) or seat in taken:
        return seat
    return next((one for one in taken if one > seat), taken[0])


def own_seat(table: Table[StateT, EventT], session: int) -> int:
    """Return the seat of a session; raise "not_seated"."""
    seat = seat_of(table, session)
    if seat is None:
        raise IllegalMove("not_seated")
    return seat


def user_at(table: Table[StateT, EventT], seat: int | None) -> int:
    """Return the user in a seat, 0 for nobody."""
    who = None if seat is None else table.seats[seat]
    return 0 if who is None else who.user


# --- moments, for hosts whose clocks differ ---------------------------------------------------------------------------

_NEARLY_ZERO = 1e-6
"""Seconds: a moment that another clock calls 0.0, where that says that there is none."""


def moved(table: Table[StateT, EventT], seconds: float) -> Table[StateT, EventT]:
    """Return the table with all its moments so many seconds later, as a clock tells them that is so much ahead."""
    book = table.transcript
    return replace(
        table,
        seats=tuple([None if who is None else _moved(who, seconds) for who in table.seats]),
        deadline=None if table.deadline is None else table.deadline + seconds,
        pause_until=_later(table.pause_until, seconds),
        transcript=None if book is None else replace(book, began=book.began + seconds),
        kept=tuple([replace(one, holder=_moved(one.holder, seconds)) for one in table.kept]),
    )


def not_before(table: Table[StateT, EventT], moment: float) -> Table[StateT, EventT]:
    """Return the table with no clock that runs out before this moment, nor a hold; the same table if none does."""
    seats = tuple([None if who is None else _held_until(who, moment) for who in table.seats])
    is_early = table.deadline is not None and table.deadline < moment
    if not is_early and seats == table.seats:
        return table
    return replace(table, seats=seats, deadline=moment if is_early else table.deadline)


def _moved(who: Seat, seconds: float) -> Seat:
    return replace(who, held=_later(who.held, seconds)) if who.held else who


def _held_until(who: Seat, moment: float) -> Seat:
    """Return somebody whose seat, if it is held, is held until this moment at least."""
    return replace(who, held=moment) if who.held and who.held < moment else who


def _later(moment: float, seconds: float) -> float:
    """Return a moment so many seconds later; 0.0, which says that there is none, stays so."""
    return moment and (moment + seconds or _NEARLY_ZERO)
