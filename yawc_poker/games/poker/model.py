"""Poker's values: options, state, moves, events, and a seat's view of the game (spec/poker.md 1 to 8).

Owns the data only. Every value is frozen and survives a round trip through `msgspec.msgpack`. Screens and bots receive
a `View` and nothing else; it contains no hidden card (spec/poker.md 11).
"""

from enum import IntEnum
from typing import Literal

import msgspec

from yawc_poker.cards import Card, Rank
from yawc_poker.engine.game import AboutNobody, AboutSeat

SEATS = 5
HAND = 5
MOST_SWAPPED = 3
LAST_ROUND = 32699


class Category(IntEnum):
    """The ten kinds of hands; the higher number is better (spec/poker.md 15)."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIRS = 3
    THREE = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR = 8
    STRAIGHT_FLUSH = 9
    ROYAL_FLUSH = 10


class Stack(msgspec.Struct, frozen=True, array_like=True):
    """The chips of a user, whoever plays with them."""

    user: int
    chips: int


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sysop may set, in whole CUBES; or whose chips are played for, by somebody who reserves a table."""

    ante: int = 10
    max_bet: int = 200
    stacks: tuple[Stack, ...] | msgspec.UnsetType = msgspec.UNSET
    """In a game that is dealt: by seat."""

    @property
    def chips(self) -> tuple[Stack, ...]:
        """The stacks; empty: the game is played for CUBES."""
        return () if self.stacks is msgspec.UNSET else self.stacks


Phase = Literal["bet", "swap", "showdown", "over"]

# --- moves -----------------------------------------------------------------------------------------------------------


class Bet(msgspec.Struct, frozen=True, tag=True):
    """`[B]`: pay `amount` CUBES; with `see`, `[H]`: and ask for the showdown (6.4, 6.7)."""

    amount: int
    see: bool = False


class Fold(msgspec.Struct, frozen=True, tag=True):
    """`[P]`: drop out of this game (6.6)."""


class Swap(msgspec.Struct, frozen=True, tag=True):
    """`[D]`: exchange the cards at these places of the player's sorted hand, 0 = leftmost (7.1 to 7.3)."""

    places: tuple[int, ...] = ()


class Show(msgspec.Struct, frozen=True, tag=True):
    """`[R]`: show the hand to everybody (showdown 3)."""


Move = Bet | Fold | Swap | Show

# --- legal moves, with bounds ----------------------------------------------------------------------------------------


class MayBet(msgspec.Struct, frozen=True):
    """A `Bet` from `low` to `high` CUBES inclusive; with `see`, it may also ask for the showdown."""

    low: int
    high: int
    see: bool


class MayFold(msgspec.Struct, frozen=True):
    """A `Fold`."""


class MaySwap(msgspec.Struct, frozen=True):
    """A `Swap` of at most this many of the hand's cards."""

    most: int = MOST_SWAPPED


class MayShow(msgspec.Struct, frozen=True):
    """A `Show`."""


Choice = MayBet | MayFold | MaySwap | MayShow

# --- events (13) -----------------------------------------------------------------------------------------------------

Reason = Literal["max_below_min", "time"]


class HandDealt(AboutSeat, frozen=True):
    """A player has paid the ante and got a hand."""

    ante: int
    cards: tuple[Card, ...] | None = None
    """Sorted, as in the hand; None: somebody else's."""


class NextRound(AboutNobody, frozen=True):
    """Another round begins, of bets or of changes; the showdown has an event of its own."""

    round: int


class BetMade(AboutSeat, frozen=True, omit_defaults=True):
    """An accepted bet, with or without "Karten sehen"."""

    amount: int
    see: bool
    chips: bool = False
    """Chips, no CUBES; so in the events below, too."""


class Passed(AboutSeat, frozen=True):
    """A player folded by `[P]`."""


class TakenOut(AboutSeat, frozen=True, omit_defaults=True):
    """The system took a player out as if they had passed (6.2, 6.8)."""

    reason: Reason
    chips: bool = False


class Swapped(AboutSeat, frozen=True):
    """A swap turn ended by `[D]`; the cards and their number stay secret (A25)."""

    gone: tuple[Card, ...] | None = None
    """None, as those that came: somebody else's."""
    come: tuple[Card, ...] | None = None


class SwapMissed(AboutSeat, frozen=True):
    """A swap turn ended by the clock: nothing was exchanged, and the player stays in (7.4)."""


class ShowdownBegins(AboutNobody, frozen=True):
    """The showdown starts."""


class Shown(AboutSeat, frozen=True):
    """A hand was shown, by `[R]` or, with `auto`, by the clock."""

    category: Category
    auto: bool = False
    ranks: tuple[Rank, ...] = ()
    """What the hand is named after (`hands.ranks`)."""
    cards: tuple[Card, ...] = ()


class Won(AboutSeat, frozen=True, omit_defaults=True):
    """A player won the whole pot; without a category if they were the only one left (8.2)."""

    amount: int
    category: Category | None = None
    ranks: tuple[Rank, ...] = ()
    """As in `Shown`."""
    chips: bool = False


class PotLost(AboutNobody, frozen=True):
    """No player is active any more, so the pot goes to the system (8.1)."""

    amount: int


Event = (
    HandDealt | NextRound | BetMade | Passed | TakenOut | Swapped | SwapMissed | ShowdownBegins | Shown | Won | PotLost
)

# --- the state -------------------------------------------------------------------------------------------------------


class Player(msgspec.Struct, frozen=True, array_like=True):
    """An active player: in the running game and still competing (1.3), until they fold or leave."""

    hand: tuple[Card, ...]
    acted: bool = False
    """They have had their turn in this round."""
    shown: bool = False


MOST_BETS = 50
"""Number of the last bets of a game that are kept."""


class PastBet(msgspec.Struct, frozen=True, array_like=True):
    """An accepted bet, as everybody at the table saw it."""

    round: int
    seat: int
    amount: int
    see: bool


class State(msgspec.Struct, frozen=True):
    """A game of poker. Invariant: `master` is active while the phase is not "over" (3.3)."""

    options: Options
    stock: tuple[Card, ...]
    """The undealt cards; the last one is dealt next."""
    players: tuple[Player | None, ...]
    """By seat; None where nobody is active."""
    watchers: tuple[int, ...]
    """Seated but inactive, ascending (1.3)."""
    cash: tuple[int, ...]
    """Each seat's CUBES as of the last `fund`, or its chips, less what it has paid since."""
    master: int
    current: int | None
    """The seat whose turn it is; None once the game is over."""
    phase: Phase
    round: int
    """1, 2 (the swap round), 3 .. 32699; the showdown keeps the number of the last round."""
    turn: int = 0
    """Grows by one with each turn; a new number means a new minute."""
    pot: int = 0
    previous_bet: int = 0
    """The last accepted bet of this game; 0: none yet (A4)."""
    low: int = 0
    high: int = 0
    """Limits of the current betting turn (6.1)."""
    see: bool = False
    """A "Karten sehen" was accepted (6.7)."""
    winner: int | None = None
    """Once the game is over: the seat that gets the pot; None: the system gets it (8.1), never chips."""
    showdown: bool = False
    """The game reached a showdown, so shown cards stay visible (11, pause)."""
    bets: tuple[PastBet, ...] = ()
    """The last bets of this game, the newest last."""


# --- what a seat may see ---------------------------------------------------------------------------------------------


class Opponent(msgspec.Struct, frozen=True):
    """Another seated person as the rules let everybody see them."""

    seat: int
    active: bool
    """Still competing; False for everybody once the game is over."""
    cards: tuple[Card, ...] | None = None
    """Open cards; None while they are hidden (`[?]`) or if there are none."""


class View(msgspec.Struct, frozen=True):
    """What one seat (or, with `seat` None, a bystander) may see."""

    seat: int | None
    phase: Phase
    round: int
    master: int
    current: int | None
    pot: int
    hand: tuple[Card, ...] | None
    """The seat's own cards, sorted, highest right; None if it takes no part, or no longer does."""
    shown: bool
    """The seat's own cards are open to everybody."""
    opponents: tuple[Opponent, ...]
    """Everybody else known to the game, by seat."""
    low: int
    """Limits of the seat's own betting turn if it is running, else 0: another's would reveal their cash."""
    high: int
    winner: int | None
    showdown: bool
    cash: int = 0
    """The seat's own CUBES, or chips; another's are not seen."""
    bets: tuple[PastBet, ...] = ()
    """The last bets of this game, the newest last; all that house players know of the others."""
    max_bet: int = 0
    """The most that a single bet may be at this table."""
    chips: bool = False
    """It is played for chips."""
