"""Offiziersskat's values: options, moves, events, state, and the view of it that a seat may have.

Owns the data only (spec/offiziersskat.md). Every value is frozen and survives `msgspec.msgpack`. `View` is all that a
screen or a house player ever gets. A covered card is in no view, not even in its owner's.

The players are seats 0 and 1. Leaving ends the match at once, so each event names a seat whose person is known. A
*place* is one of the eight places on a player's side of the table.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from yawc_poker.cards import Card, Rank, Suit, deck
from yawc_poker.engine.game import AboutNobody, AboutSeat
from yawc_poker.tricks import Trick

SEATS = 2
PLACES = 8
"""Places on each side of the table: two rows of four, each with an open card on a covered one (O1)."""
TRICKS = 16
RANKS = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)
CARDS = deck(RANKS)
"""All 32 cards."""
ALL_EYES = 120
TARGET = 21
"""Points that end a match (6)."""

Phase = Literal["play", "over"]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The length of a match, and who opens it."""

    target: Annotated[int, Meta(ge=1, le=TARGET)] = TARGET
    """Points that end it."""
    master_opens: bool = False
    """The master opens the first round; false, as in matches of before: seat 0."""


# --- moves -----------------------------------------------------------------------------------------------------------


class PlayCard(msgspec.Struct, frozen=True, tag=True):
    """Play an open card into the trick."""

    card: Card


Move = PlayCard


class MayPlay(msgspec.Struct, frozen=True):
    """A `PlayCard` of one of these open cards, in the order of their places."""

    cards: tuple[Card, ...]


Choice = MayPlay

# --- events ----------------------------------------------------------------------------------------------------------


class RoundBegins(AboutSeat, frozen=True):
    """A round was dealt; `seat` opens it."""

    round: int
    """From 1."""
    trump: Suit | None
    """None: Grand."""


class HandDealt(AboutSeat, frozen=True):
    """The open cards of a player in a round, place by place."""

    cards: tuple[Card, ...]


class Covered(AboutNobody, frozen=True):
    """Below each open card of both sides a card lies covered. It is about nobody: its owner does not see it either."""

    cards: tuple[tuple[Card, ...], tuple[Card, ...]] | None
    """Those of each seat, place by place. None: somebody reads this who may not know them."""


class Played(AboutSeat, frozen=True, omit_defaults=True):
    """A card was played."""

    card: Card
    by_clock: bool = False
    """The player's time was over, and the clock made this move."""


class TrickTaken(AboutSeat, frozen=True):
    """A trick is complete and `seat` has taken it; then the cards under the played ones were turned up (O3)."""

    number: int
    """From 1 in each round."""
    eyes: int
    turned: tuple[Card | None, Card | None]
    """The card turned up on each seat's side; None where no card was covered there."""


class RoundOver(msgspec.Struct, frozen=True, tag=True):
    """A round was scored; `seat` has won it, or nobody at 60 eyes each. A `Scored` of each seat follows."""

    seat: int | None
    round: int


class Scored(AboutSeat, frozen=True):
    """The result of a round for this seat."""

    eyes: int
    points: int
    total: int


class Won(AboutSeat, frozen=True, omit_defaults=True):
    """The match is over and this seat has won it."""

    points: int
    forfeited: bool = False
    """The other player left; otherwise this seat has more points."""


class Drawn(AboutNobody, frozen=True):
    """The match is over, and both have as many points (O9)."""

    points: int


class Forfeited(AboutSeat, frozen=True):
    """A player left the running match and so lost it."""


Event = RoundBegins | HandDealt | Covered | Played | TrickTaken | RoundOver | Scored | Won | Drawn | Forfeited

# --- the state -------------------------------------------------------------------------------------------------------


class Place(msgspec.Struct, frozen=True, array_like=True):
    """One of the eight places of a side. A covered card is hidden from both players (O2)."""

    open: Card | None = None
    """None: it was played. While a card is covered here, the trick is not complete yet (O3)."""
    covered: Card | None = None


class Player(msgspec.Struct, frozen=True, array_like=True):
    """A player of the match."""

    places: tuple[Place, ...] = ()
    """Always eight: four of the first row, then four of the second."""
    gone: bool = False
    """Has left the running match and so lost it, or has left after its end."""


class Round(msgspec.Struct, frozen=True):
    """The round that is played. All of it is public."""

    number: int
    """From 1."""
    opener: int
    """The seat that leads the first trick; the two do in turn (4.1)."""
    trump: Suit | None
    """None: Grand, in which only the jacks are trumps (3.2)."""
    leader: int
    """The seat that leads the present trick."""
    trick: tuple[Card, ...] = ()
    """The present trick: no card, or the leader's."""
    tricks: tuple[Trick, ...] = ()
    former: Trick | None = None
    """The last trick of the round before."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """The result of a round; public. Pairs are by seat."""

    number: int
    opener: int
    trump: Suit | None
    eyes: tuple[int, int]
    points: tuple[int, int]

    @property
    def winner(self) -> int | None:
        """The seat that won; None at 60 eyes each."""
        first, second = self.eyes
        return None if first == second else int(second > first)


class State(msgspec.Struct, frozen=True):
    """A match. Invariant: every card of `CARDS` is at a place, in the trick or in a taken one, once."""

    options: Options
    seed: str
    """Hex digits that determine each round's trump and each deal after the first; hidden until the match is over."""
    players: tuple[Player, Player]
    """By seat."""
    watchers: tuple[int, ...]
    """Seated but not playing, ascending."""
    master: int
    """The master's seat."""
    round: Round
    results: tuple[Result, ...] = ()
    phase: Phase = "play"
    current: int | None = None
    """The seat whose move it is; None once the match is over."""
    turn: int = 0
    """Grows by one each time a player is asked for a card."""
    forfeiter: int | None = None
    """The seat that left the running match and so lost it."""


# --- what a seat may see ---------------------------------------------------------------------------------------------


class PlaceView(msgspec.Struct, frozen=True, array_like=True):
    """A place as everybody sees it."""

    open: Card | None
    covered: bool
    """A card lies covered here."""


class PlayerView(msgspec.Struct, frozen=True):
    """A player as everybody sees them."""

    seat: int
    places: tuple[PlaceView, ...]
    """Always eight: four of the first row, then four of the second."""
    eyes: int
    """In the tricks of this round."""
    tricks: int
    """Taken in this round."""
    total: int
    """Points of all rounds that were scored."""
    gone: bool = False
    """Has left; nobody else becomes a player of this match."""

    @property
    def open_cards(self) -> tuple[Card, ...]:
        """Their open cards, in the order of their places."""
        return tuple(place.open for place in self.places if place.open is not None)

    @property
    def covered(self) -> int:
        """The number of their covered cards."""
        return sum(place.covered for place in self.places)


class View(msgspec.Struct, frozen=True):
    """What one seat (or, with `seat` None, a bystander) may see. All see the same cards; only `choices` differ."""

    seat: int | None
    is_player: bool
    """Whether the seat plays in this match."""
    phase: Phase
    options: Options
    master: int
    current: int | None
    """The seat whose move it is; None once the match is over."""
    players: tuple[PlayerView, PlayerView]
    """By seat, also those who have left."""
    round: Round
    last: Trick | None
    """The newest complete trick; before a round's first, that is the last one of the round before."""
    results: tuple[Result, ...]
    """Of all rounds that were scored."""
    choices: tuple[Choice, ...]
    """The seat's legal moves; none if it is not on turn."""
    forfeiter: int | None = None
    """The seat that left the running match and so lost it."""

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that are covered on either side, in the order of `CARDS`: they are all that nobody knows."""
        tricks = {card for trick in self.round.tricks for card in trick.cards}
        seen = tricks.union(self.round.trick, *(player.open_cards for player in self.players))
        return tuple(card for card in CARDS if card not in seen)
