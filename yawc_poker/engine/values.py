"""What a table is made of: seats, the log and its events, clocks, and the whole (spec/poker.md 1, 10).

Owns the data only; `engine.table` says what may happen to it. Every value is frozen and survives `msgspec.msgpack`.
"""

from typing import Generic, NamedTuple

import msgspec

from yawc_poker.engine.game import EventT, Payment, StateT
from yawc_poker.engine.sealing import Deck, PlayerWord
from yawc_poker.engine.transcript import Transcript

LOG = 16
"""Entries kept; the screen shows ten."""
CHAT = 100
"""Characters of a chat line; the rest is cut off, so that a table always fits its cell. A screen takes fewer."""


class Clocks(msgspec.Struct, frozen=True):
    """Lengths in seconds (10)."""

    turn: float = 60.0
    """0: a turn has no end."""
    master: float = 180.0
    pause: float = 30.0


class Seat(msgspec.Struct, frozen=True, array_like=True):
    """A person at the table; `cash` in CUBES as the bank last said."""

    session: int
    user: int
    name: str
    cash: int
    grace: float = 0.0
    """Seconds after the end of the person's turn until the clock moves for them."""


class SatDown(msgspec.Struct, frozen=True, tag=True):
    """Somebody sat down."""

    seat: int


class Left(msgspec.Struct, frozen=True, tag=True):
    """Somebody left the table by `[X]`."""

    seat: int


class Removed(msgspec.Struct, frozen=True, tag=True):
    """The system removed somebody: the line broke, the session ended or died (9)."""

    seat: int


class StakeBack(msgspec.Struct, frozen=True, tag=True):
    """What a removed player had paid into the running game went back: they had done nothing to be put out."""

    seat: int
    amount: int


class Started(msgspec.Struct, frozen=True, tag=True):
    """The master started a game."""

    seat: int


class Sealed(msgspec.Struct, frozen=True, tag=True):
    """The deck of the next game is shuffled: its seal (`engine.sealing`), before anybody has given a word for it."""

    seal: str
    seat: None = None


class WordGiven(msgspec.Struct, frozen=True, tag=True):
    """A player has chosen a word for the next game."""

    seat: int
    text: str


class DealtBy(msgspec.Struct, frozen=True, tag=True):
    """The game that begins is dealt from the deck of this seal, by these words."""

    seal: str
    words: tuple[PlayerWord, ...]
    seat: None = None


class NewMaster(msgspec.Struct, frozen=True, tag=True):
    """The privilege passed to this seat, or came back to it after a game."""

    seat: int


class Paid(msgspec.Struct, frozen=True, tag=True):
    """What the pot held in truth, where that was more than the game knew of: a player died while his bet was booked."""

    seat: int | None
    amount: int


class Chat(msgspec.Struct, frozen=True, tag=True):
    """A line for everybody at the table."""

    seat: int
    text: str


class Voided(msgspec.Struct, frozen=True, tag=True):
    """The running game was called off and the stakes were given back; `reason` is a fixed word or empty."""

    reason: str = ""
    seat: None = None


Notice = (
    SatDown | Left | Removed | StakeBack | Started | Sealed | WordGiven | DealtBy | NewMaster | Paid | Chat | Voided
)
"""The table's own events, encoded like those of the games (maps), with tags that no game's event has."""


class LogEntry(msgspec.Struct, Generic[EventT], frozen=True, array_like=True):
    """A line of the log. Session and name are those of the person the event is about: people leave, the log stays.

    `number` counts from 1 and is never used again; `session` is 0 and `name` empty where the event is nobody's.
    """

    number: int
    session: int
    name: str
    event: EventT | Notice
    seat: int | None = None


class NextDeck(msgspec.Struct, frozen=True):
    """The deck that is sealed for the next game, hidden from all, and the words that were given for it, by seat."""

    deck: Deck
    words: tuple[PlayerWord, ...] = ()


class Due(msgspec.Struct, frozen=True, array_like=True):
    """A user's share in the pot of a game that is over, by user: he may have left before it is paid."""

    user: int
    share: int
    """In proportion to the others' (`casino.bank.shares`)."""


class Table(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """One table's value."""

    seats: tuple[Seat | None, ...]
    master: int | None = None
    game: StateT | None = None
    """The game that runs, or is over and waits for its payout."""
    last: StateT | None = None
    """The finished game, to be looked at until the next."""
    number: int = 0
    """The ledger's number of the running or else the last game; 0 before the first."""
    action: int = 0
    """Grows with every change of the running game."""
    pot: int = 0
    deadline: float | None = None
    """Monotonic second at which the turn's clock, or without a game the master's, ends; infinite: never."""
    pause_until: float = 0.0
    """No new game before this monotonic second; 0.0 before the first game (A10)."""
    override: int = 0
    """Session that closes the game; 0: none."""
    due: tuple[Due, ...] = ()
    """Whom the pot belongs to once the game is over; the system, where it is nobody."""
    next_deck: NextDeck | None = None
    """None while a game runs, and where nobody has sat yet."""
    transcript: Transcript | None = None
    """The running game in writing, with what is hidden of it; None without a game."""
    log: tuple[LogEntry[EventT], ...] = ()
    """The newest `LOG` entries, oldest first."""
    logged: int = 0
    """Entries ever; the number of the newest."""


class Back(NamedTuple):
    """A stake that the bank has given back out of the pot of the running game."""

    amount: int
    known: int
    """How much of it the rules know of: a bet may have been booked that the table never saw."""
    pot: int
    """What the pot holds now."""


class Change(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """What an operation came to: the table to commit, and the payments (by seat) to make first."""

    table: Table[StateT, EventT]
    payments: tuple[Payment, ...] = ()


class TableHeader(NamedTuple):
    """What every process reads of a table without decoding it; seats from 0, None: nobody."""

    master: int | None
    current: int | None
    pot: int
    override: int
    number: int
    deadline: float | None


def seat_of(table: Table[StateT, EventT], session: int) -> int | None:
    """Find the seat of a session."""
    for seat, who in enumerate(table.seats):
        if who is not None and who.session == session:
            return seat
    return None


def seated(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Give the seats that are taken, ascending."""
    return tuple([seat for seat, who in enumerate(table.seats) if who is not None])
