"""Mau-Mau's values: options, state, moves, events, and the view of it that a seat may have (spec/maumau.md 1 to 7).

Owns the data only. Every value is frozen and survives `msgspec.msgpack`. `View` is all that a screen, a bot or a client
of the wire ever gets; a hidden card is not in it.

Players are counted by their place, 0 to n - 1, which they keep though others leave; who sits where may change, for a
seat that became free in the middle of a game may be taken by somebody who looks on.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from yawc_poker.cards import Card, Rank, Suit

SEATS = 5
HAND = 6
MOST_ROUNDS = 255
RANKS = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)
STEPS = 128
"""Steps of the game's course that are kept, so that a client that reads late still hears each."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the master chooses."""

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 4


Phase = Literal["play", "over"]

# --- moves -----------------------------------------------------------------------------------------------------------


class PlayCard(msgspec.Struct, frozen=True, tag=True):
    """Lay one card onto the pile."""

    card: Card


class Take(msgspec.Struct, frozen=True, tag=True):
    """Take so many cards: what the sevens demand, or the one because nothing fits."""

    count: int


class Finish(msgspec.Struct, frozen=True, tag=True):
    """Lay all jacks at once, when there is nothing else in the hand."""


class Wish(msgspec.Struct, frozen=True, tag=True):
    """Name the suit that is to be laid next, after one's own jack."""

    suit: Suit


Move = PlayCard | Take | Finish | Wish

# --- what may be done now --------------------------------------------------------------------------------------------


class MayPlay(msgspec.Struct, frozen=True):
    """A `PlayCard` of one of these cards, in the order of the hand."""

    cards: tuple[Card, ...]


class MayTake(msgspec.Struct, frozen=True):
    """A `Take` of exactly so many."""

    count: int


class MayFinish(msgspec.Struct, frozen=True):
    """A `Finish`."""


class MayWish(msgspec.Struct, frozen=True):
    """A `Wish`, and nothing else."""


Choice = MayPlay | MayTake | MayFinish | MayWish

# --- events: what the table is told ----------------------------------------------------------------------------------


class RoundBegins(msgspec.Struct, frozen=True, tag=True):
    """A round was dealt; `up` lies open, `seat` begins."""

    seat: int
    round: int
    rounds: int
    up: Card


class Played(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A card was laid."""

    seat: int
    card: Card
    by_clock: bool = False
    """The time was over: the clock made this move."""


class Took(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Cards were taken, so many as there were; `penalty`: because of sevens."""

    seat: int
    count: int
    penalty: bool
    by_clock: bool = False


class Wished(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A suit was named."""

    seat: int
    suit: Suit
    by_clock: bool = False


class Finished(msgspec.Struct, frozen=True, tag=True):
    """So many jacks were laid at once."""

    seat: int
    jacks: int


class Skipped(msgspec.Struct, frozen=True, tag=True):
    """An ace took this seat's turn."""

    seat: int


class Reshuffled(msgspec.Struct, frozen=True, tag=True):
    """The pile, but for its top card, became the new stock."""

    top: Card
    seat: None = None


class RoundOver(msgspec.Struct, frozen=True, tag=True):
    """A player has no card left and wins the round; `seat` is theirs."""

    seat: int
    round: int


class Scored(msgspec.Struct, frozen=True, tag=True):
    """What a round came to for this seat."""

    seat: int
    points: int
    total: int


class Lost(msgspec.Struct, frozen=True, tag=True):
    """After the last round: this seat has the most points. One event for each of several."""

    seat: int
    points: int


class Forfeited(msgspec.Struct, frozen=True, tag=True):
    """A player left the running game, and has lost it."""

    seat: int


class Won(msgspec.Struct, frozen=True, tag=True):
    """After the last round: this seat has the fewest points. One event for each of several."""

    seat: int
    points: int


class GaveUp(msgspec.Struct, frozen=True, tag=True):
    """Everybody else has left: `seat`, the last one, has won the game."""

    seat: int


Event = (
    RoundBegins
    | Played
    | Took
    | Wished
    | Finished
    | Skipped
    | Reshuffled
    | RoundOver
    | Scored
    | Lost
    | Forfeited
    | Won
    | GaveUp
)

# --- the course: every step, so that who looks late can be told ------------------------------------------------------

StepKind = Literal["round", "deal", "play", "take", "finish", "wish", "leave", "ask", "result"]


class CourseStep(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One step of the game's course. Which fields say something depends on `kind`.

    round: `count` (its number). deal: `counts` (cards given to each), `hands` (those cards, by place). play: `place`,
    `card`. take: `place`, `count`, `cards`. finish: `place`. wish: `place`, `suit`. leave: `place`. ask: `place` (whose
    move it is), `count` (cards he must take), `suit` (demanded), `card` (the top card, only when the stock is new),
    `counts`. result: `counts` (totals).
    """

    kind: StepKind
    place: int = 0
    count: int = 0
    card: Card | None = None
    suit: Suit | None = None
    counts: tuple[int, ...] = ()
    cards: tuple[Card, ...] = ()
    """In a view: what this seat itself was dealt or took; hidden where it was somebody else."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """Never in a view."""


# --- the state -------------------------------------------------------------------------------------------------------


class Player(msgspec.Struct, frozen=True, array_like=True):
    """A player. `seat` None: he has left; his place and his points stay."""

    seat: int | None
    hand: tuple[Card, ...] = ()
    """In the order in which he got them."""
    points: tuple[int, ...] = ()
    """Of each finished round."""
    forfeited: bool = False
    """Left while the game ran, and has lost it."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""
        return sum(self.points)


class State(msgspec.Struct, frozen=True):
    """A game of Mau-Mau: all its rounds. Invariant: every card once, in a hand, the stock or the pile."""

    options: Options
    seed: str
    """Hex digits that decide every shuffle after the first; hidden until the game is over."""
    players: tuple[Player, ...]
    """By place."""
    watchers: tuple[int, ...]
    """Seated but no players, ascending."""
    master: int
    """The master's seat."""
    seats: tuple[int, ...] = ()
    """The seat that each place had when the game began."""
    round: int = 0
    current: int | None = None
    """The place whose move it is; None once the game is over."""
    stock: tuple[Card, ...] = ()
    """The next card to be taken is the last."""
    pile: tuple[Card, ...] = ()
    """The top card is the last."""
    penalty: int = 0
    """Cards that the sevens demand: 0, 2, 4, 6, 8."""
    suit: Suit | None = None
    """Demanded by a wish."""
    open_wish: bool = False
    """Nobody has fulfilled the wish yet."""
    must_wish: bool = False
    drawn: Card | None = None
    """Just taken, and it fits: it must be laid."""
    fresh_stock: bool = True
    """Nobody has been told of the top card since the stock was made."""
    shuffles: int = 0
    turn: int = 0
    """Grows by one with every move that is asked for."""
    phase: Phase = "play"
    course: tuple[CourseStep, ...] = ()
    """The newest `STEPS` steps, oldest first."""
    steps: int = 0
    """Steps ever; the number of the newest."""


# --- what a seat may see ---------------------------------------------------------------------------------------------


class PlayerView(msgspec.Struct, frozen=True):
    """A player as everybody may see him."""

    place: int
    seat: int | None
    cards: int
    points: tuple[int, ...]
    forfeited: bool = False
    """Left while the game ran, and has lost it."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""
        return sum(self.points)


class View(msgspec.Struct, frozen=True):
    """What one seat (or, with `seat` None, a by-stander) may see."""

    seat: int | None
    place: int | None
    """His own place; None where he is no player."""
    phase: Phase
    round: int
    rounds: int
    master: int
    current: int | None
    """The seat whose move it is."""
    hand: tuple[Card, ...] | None
    """His own cards, in the order in which he got them; None where he is no player."""
    taken: tuple[Card, ...]
    """Those of them that he took last, as long as he has done nothing else since."""
    players: tuple[PlayerView, ...]
    """All players by place, those who left as well."""
    seats: tuple[int, ...]
    """The seat that each place had when the game began."""
    top: Card
    stock: int
    """Cards left in the stock."""
    penalty: int
    suit: Suit | None
    must_wish: bool
    course: tuple[CourseStep, ...]
    steps: int
    choices: tuple[Choice, ...]
    """What he may do now."""
