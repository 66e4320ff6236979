"""Mau-Mau's values: options, state, moves, events, and a seat's view of the game (spec/maumau.md 1 to 7).

Owns the data only. Every value is frozen and survives a round trip through `msgspec.msgpack`. Screens, bots and the
protocol's clients receive a `View` and nothing else; it contains no hidden card.

A player's place, 0 to n - 1, stays the same when others leave. A seat is not a place: a seat that becomes free during a
game may be taken by a watcher.

The protocol's messages share some class names with this module. A module that uses both qualifies the messages:
`messages.Finished`.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.game import AboutNobody, AboutSeat

SEATS = 5
HAND = 6
MOST_ROUNDS = 255
RANKS = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)
STEPS = 128
"""How many steps of a game are kept, so that a client that reads late is still told each of them."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the master may choose."""

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 4


Phase = Literal["play", "over"]

# --- moves -----------------------------------------------------------------------------------------------------------


class PlayCard(msgspec.Struct, frozen=True, tag=True):
    """Lay one card onto the pile."""

    card: Card


class Take(msgspec.Struct, frozen=True, tag=True):
    """Take `count` cards: those that the sevens demand, or one because no card fits."""

    count: int


class Finish(msgspec.Struct, frozen=True, tag=True):
    """Lay all jacks at once, if the hand holds nothing else."""


class Wish(msgspec.Struct, frozen=True, tag=True):
    """Name the suit that must be laid next, after laying a jack."""

    suit: Suit


Move = PlayCard | Take | Finish | Wish

# --- legal moves -----------------------------------------------------------------------------------------------------


class MayPlay(msgspec.Struct, frozen=True):
    """A `PlayCard` of one of these cards, in the order of the hand."""

    cards: tuple[Card, ...]


class MayTake(msgspec.Struct, frozen=True):
    """A `Take` of exactly `count` cards."""

    count: int


class MayFinish(msgspec.Struct, frozen=True):
    """A `Finish`."""


class MayWish(msgspec.Struct, frozen=True):
    """A `Wish`, and nothing else."""


Choice = MayPlay | MayTake | MayFinish | MayWish

# --- events ----------------------------------------------------------------------------------------------------------


class RoundBegins(AboutSeat, frozen=True):
    """A round was dealt: `up` lies open, `seat` begins."""

    round: int
    rounds: int
    up: Card


class HandDealt(AboutSeat, frozen=True):
    """A player has got the hand of a round."""

    count: int
    cards: tuple[Card, ...] | None = None
    """In the order in which they came; None: somebody else's."""


class Played(AboutSeat, frozen=True, omit_defaults=True):
    """A card was laid."""

    card: Card
    by_clock: bool = False
    """The player's time was over, and the clock made this move."""
    left: int = 0
    """Cards that are left in the hand."""


class Took(AboutSeat, frozen=True, omit_defaults=True):
    """Cards were taken, as many as there were; `penalty`: because of sevens."""

    count: int
    penalty: bool
    by_clock: bool = False
    cards: tuple[Card, ...] | None = None
    """None: somebody else's."""


class Wished(AboutSeat, frozen=True, omit_defaults=True):
    """A suit was named."""

    suit: Suit
    by_clock: bool = False


class Finished(AboutSeat, frozen=True):
    """All jacks of a hand were laid at once."""

    jacks: int
    cards: tuple[Card, ...] = ()
    """Those jacks; the last one lies on top."""


class Skipped(AboutSeat, frozen=True):
    """This seat missed its turn because of an ace."""


class Reshuffled(AboutNobody, frozen=True):
    """The pile, except its top card, became the new stock."""

    top: Card


class RoundOver(AboutSeat, frozen=True):
    """The player at `seat` has no card left and wins the round."""

    round: int


class Scored(AboutSeat, frozen=True):
    """A seat's points from one round, and its new total."""

    points: int
    total: int


class Lost(AboutSeat, frozen=True):
    """After the last round: this seat has the most points. Tied seats have an event each."""

    points: int


class Forfeited(AboutSeat, frozen=True):
    """A player left the running game and so lost it."""

    points: int = 0
    """Of the hand that they have left."""


class Won(AboutSeat, frozen=True):
    """After the last round: this seat has the fewest points. Tied seats have an event each."""

    points: int


class GaveUp(AboutSeat, frozen=True):
    """Everybody else has left, so `seat` wins the game."""


Event = (
    RoundBegins
    | HandDealt
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

# --- the course of a game, step by step, for those who look late -----------------------------------------------------

StepKind = Literal["round", "deal", "play", "take", "finish", "wish", "leave", "ask", "result"]


class CourseStep(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One step of a game. `kind` determines which fields are used.

    round: `count` (its number). deal: `counts` (cards given to each), `hands` (those cards, by place). play: `place`,
    `card`. take: `place`, `count`, `cards`. finish: `place`. wish: `place`, `suit`. leave: `place`. ask: `place` (whose
    move it is), `count` (cards they must take), `suit` (demanded), `card` (the top card, only when the stock is new),
    `counts`. result: `counts` (totals).
    """

    kind: StepKind
    place: int = 0
    count: int = 0
    card: Card | None = None
    suit: Suit | None = None
    counts: tuple[int, ...] = ()
    cards: tuple[Card, ...] = ()
    """In a view: the cards that the seat itself was dealt or took; somebody else's are left out."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """Never part of a view."""


# --- the state -------------------------------------------------------------------------------------------------------


class Player(msgspec.Struct, frozen=True, array_like=True):
    """A player. `seat` None: they have left; their place and their points stay."""

    seat: int | None
    hand: tuple[Card, ...] = ()
    """In the order in which they came."""
    points: tuple[int, ...] = ()
    """Points of each finished round."""
    forfeited: bool = False
    """They left the running game and so lost it."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""
        return sum(self.points)


class State(msgspec.Struct, frozen=True):
    """A game of Mau-Mau with all its rounds. Invariant: every card is in one hand, the stock or the pile, once."""

    options: Options
    seed: str
    """Hex digits that determine every shuffle after the first; hidden until the game is over."""
    players: tuple[Player, ...]
    """By place."""
    watchers: tuple[int, ...]
    """Seated but not playing, ascending."""
    master: int
    """The master's seat."""
    seats: tuple[int, ...] = ()
    """The seat that each place had when the game began."""
    round: int = 0
    current: int | None = None
    """The place whose move it is; None once the game is over."""
    stock: tuple[Card, ...] = ()
    """The last card is taken next."""
    pile: tuple[Card, ...] = ()
    """The last card is on top."""
    penalty: int = 0
    """Cards that the sevens demand: 0, 2, 4, 6, 8."""
    suit: Suit | None = None
    """The suit that a wish demands."""
    open_wish: bool = False
    """The wish has not been fulfilled yet."""
    must_wish: bool = False
    drawn: Card | None = None
    """A card that was just taken and fits: it must be laid."""
    fresh_stock: bool = True
    """The top card has not been announced since the stock was made."""
    shuffles: int = 0
    turn: int = 0
    """Grows by one each time a player is asked for a move."""
    phase: Phase = "play"
    course: tuple[CourseStep, ...] = ()
    """The newest `STEPS` steps, oldest first."""
    steps: int = 0
    """Steps so far: the newest one's number."""


# --- what a seat may see ---------------------------------------------------------------------------------------------


class PlayerView(msgspec.Struct, frozen=True):
    """A player as everybody may see them."""

    place: int
    seat: int | None
    cards: int
    points: tuple[int, ...]
    forfeited: bool = False
    """They left the running game and so lost it."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""
        return sum(self.points)


class View(msgspec.Struct, frozen=True):
    """What one seat (or, with `seat` None, a bystander) may see."""

    seat: int | None
    place: int | None
    """The seat's own place; None if it does not play."""
    phase: Phase
    round: int
    rounds: int
    master: int
    current: int | None
    """The seat whose move it is."""
    hand: tuple[Card, ...] | None
    """The seat's own cards, in the order in which they came; None if it does not play."""
    taken: tuple[Card, ...]
    """The cards taken last, if the seat has done nothing else since."""
    players: tuple[PlayerView, ...]
    """All players by place, including those who left."""
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
    """The seat's legal moves."""
