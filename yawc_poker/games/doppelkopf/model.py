"""Doppelkopf's values: options, moves, choices, state, and the view of it that a seat may have (spec/doppelkopf.md).

Owns the data only; events are in `events`. Every value is frozen and survives `msgspec.msgpack`. `View` is all that a
screen or a computer player ever gets; a hidden card is not in it.

A place, 0 to 3 clockwise, is a player of the match. It is also the number of their seat. They keep it when they leave:
then the place is `gone`, and somebody else in that seat is no player.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from yawc_poker.cards import Card, Rank, deck
from yawc_poker.tricks import Trick

SEATS = 4
HAND = 12
MOST_ROUNDS = 32
"""More, each with the longest score there is, would not fit into a table's cell beside log and transcript."""
MOST_CUBES = 1_000_000
TOURNAMENT = 24
"""Games of a tournament: 20, and a compulsory solo of each player (9.2)."""
RANKS = (Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)
CARDS = deck(RANKS) * 2
"""All 48 cards, each twice (1.2)."""

Team = Literal["re", "contra"]
Solo = Literal["queens", "jacks", "clubs", "spades", "hearts", "diamonds", "aces"]
SOLOS: tuple[Solo, ...] = ("queens", "jacks", "clubs", "spades", "hearts", "diamonds", "aces")
"""In the order of the manual."""
Kind = Literal["normal", "wedding", "queens", "jacks", "clubs", "spades", "hearts", "diamonds", "aces"]
"""What is played. A silent wedding is "normal" until it is scored."""
Level = Literal["team", "no90", "no60", "no30", "black"]
"""What may be called: "Re" or "Contra", and the denials."""
LEVELS: tuple[Level, ...] = ("team", "no90", "no60", "no30", "black")
"""In the order in which they must be called (6.3)."""
Phase = Literal["reservation", "naming", "play", "question", "over"]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the master chooses."""

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 16
    """Rounds of a match; a tournament has its own number."""
    tournament: bool = False
    """Play a tournament (9.2)."""
    cubes: Annotated[int, Meta(ge=0, le=MOST_CUBES)] = 0
    """CUBES for each point that a player is off the mean at the end; 0: the match is played for points alone."""

    @property
    def games(self) -> int:
        """The number of rounds to be played."""
        return TOURNAMENT if self.tournament else self.rounds


# --- moves -----------------------------------------------------------------------------------------------------------


class Healthy(msgspec.Struct, frozen=True, tag=True):
    """ "Gezond": no reservation."""


class Reserve(msgspec.Struct, frozen=True, tag=True):
    """ "Voorbehoud": a solo or a wedding, which is named later."""


class PlaySolo(msgspec.Struct, frozen=True, tag=True):
    """Name the solo that the reservation was meant for."""

    kind: Solo


class NoSolo(msgspec.Struct, frozen=True, tag=True):
    """ "Geen solo": the reservation is a wedding."""


class PlayCard(msgspec.Struct, frozen=True, tag=True):
    """Play a card into the trick."""

    card: Card


class Call(msgspec.Struct, frozen=True, tag=True):
    """Announce the own team, or deny the other one its eyes; on turn or not."""

    level: Level


class GoOn(msgspec.Struct, frozen=True, tag=True):
    """Say after a round whether to play another; everybody may answer at once."""

    yes: bool


Move = Healthy | Reserve | PlaySolo | NoSolo | PlayCard | Call | GoOn

# --- what may be done now --------------------------------------------------------------------------------------------


class MayReserve(msgspec.Struct, frozen=True):
    """A `Healthy` or a `Reserve`."""


class MayName(msgspec.Struct, frozen=True):
    """A `PlaySolo` of any kind; with `wedding`, also `NoSolo`."""

    wedding: bool
    compulsory: bool
    """The solo would be the player's compulsory one."""


class MayPlay(msgspec.Struct, frozen=True):
    """A `PlayCard` of one of these, as the hand is arranged; of two equal cards one."""

    cards: tuple[Card, ...]


class MayCall(msgspec.Struct, frozen=True):
    """A `Call`, as long as the player holds at least `least` cards."""

    level: Level
    team: Team
    least: int


class MayAnswer(msgspec.Struct, frozen=True):
    """A `GoOn`."""


Choice = MayReserve | MayName | MayPlay | MayCall | MayAnswer

# --- the state -------------------------------------------------------------------------------------------------------


class Player(msgspec.Struct, frozen=True, array_like=True):
    """A player of the match."""

    hand: tuple[Card, ...] = ()
    """In the order in which the cards were dealt."""
    owes_solo: bool = False
    """Has not played the compulsory solo of a tournament yet."""
    gone: bool = False
    """Has left; the place is played on by itself until the round is scored."""


class Offer(msgspec.Struct, frozen=True, array_like=True):
    """What a place named for its reservation."""

    place: int
    kind: Kind


class Announcement(msgspec.Struct, frozen=True, array_like=True):
    """What was called."""

    place: int
    team: Team
    level: Level
    held: int
    """Cards that the speaker held."""


class GameType(msgspec.Struct, frozen=True, array_like=True):
    """What a round is played as, as far as everybody knows it."""

    kind: Kind
    player: int | None = None
    """Who plays the solo, or has the wedding."""
    compulsory: bool = False
    """It is the player's compulsory solo of a tournament."""
    clarified: int = 0
    """The trick, counted from 1, that made a wedding clear; 0: none yet."""
    partner: int | None = None
    """The bride's partner; None where there is none, or not yet."""

    @property
    def is_solo(self) -> bool:
        """Whether a solo was named."""
        return self.kind not in {"normal", "wedding"}

    @property
    def is_open(self) -> bool:
        """Whether this is a wedding that is not clear yet."""
        return self.kind == "wedding" and self.clarified == 0


class Round(msgspec.Struct, frozen=True):
    """The round that is played. Places speak and play clockwise from the left of the dealer."""

    number: int
    """From 1."""
    dealer: int
    forced: int | None = None
    """Who must play a solo because the games left are as many as the compulsory solos owed (9.7)."""
    said: tuple[bool, ...] = ()
    """In the order of speaking: who made a reservation."""
    named: tuple[Offer, ...] = ()
    game: GameType | None = None
    """None until the reservations are over."""
    leader: int = 0
    """Who leads the present trick."""
    trick: tuple[Card, ...] = ()
    """The cards of the present trick, clockwise from the leader."""
    tricks: tuple[Trick, ...] = ()
    calls: tuple[Announcement, ...] = ()
    agreed: tuple[int, ...] = ()
    """Places that want another round."""
    former: Trick | None = None
    """The last trick of the round before."""


ItemKind = Literal["won", "announced", "below", "denied", "against_queens", "doppelkopf", "fox", "charlie"]


class Item(msgspec.Struct, frozen=True, array_like=True):
    """One line of the score: its points are the winners', or the Re team's where nobody won."""

    kind: ItemKind
    points: int
    team: Team
    """Whose call, special point or victory it is; at "below", the team that stayed below."""
    eyes: int = 0
    """At "below" and "denied": 90, 60, 30, or 0."""
    place: int | None = None
    """Whose trick it was, at a special point."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """What a round came to; public."""

    number: int
    dealer: int
    game: GameType
    re: tuple[int, ...]
    """The places of the Re team; one of a solo, of a silent wedding and of a failed one."""
    re_eyes: int
    winner: Team | None
    items: tuple[Item, ...]
    value: int
    points: tuple[int, ...]
    """By place; they add up to 0."""


class State(msgspec.Struct, frozen=True):
    """A match of Doppelkopf.

    Invariant: every card of `CARDS` is in a hand, in the trick or in a taken one, unless the match is over and its last
    round was not played.
    """

    options: Options
    seed: str
    """Hex digits that decide every deal after the first; hidden until the match is over."""
    players: tuple[Player, ...]
    """By place."""
    watchers: tuple[int, ...]
    """Seated but no players, ascending."""
    master: int
    """The master's seat."""
    round: Round
    results: tuple[Result, ...] = ()
    phase: Phase = "reservation"
    current: int | None = None
    """The place whose clock runs; None once the match is over."""
    turn: int = 0
    """Grows by one with each fresh clock."""
    at_start: tuple[int, ...] = ()
    """What each place owned when the match began, in CUBES."""


# --- what a seat may see ---------------------------------------------------------------------------------------------


class PlayerView(msgspec.Struct, frozen=True):
    """A player as this seat may see them."""

    place: int
    gone: bool
    cards: int
    tricks: int
    team: Team | None
    """As far as cards and calls have shown it to everybody, or the own hand to this seat."""
    reservation: bool | None
    """What they said before this round; None: nothing yet."""
    owes_solo: bool
    total: int


class View(msgspec.Struct, frozen=True):
    """What one seat (or, with `seat` None, a bystander) may see."""

    seat: int | None
    place: int | None
    """Their own place; None where they are no player."""
    phase: Phase
    options: Options
    master: int
    current: int | None
    """The place whose clock runs."""
    hand: tuple[Card, ...] | None
    """Their own cards, by the order of the game that is played; None where they are no player."""
    players: tuple[PlayerView, ...]
    """By place."""
    round: Round
    """All of it is public."""
    last: Trick | None
    """The newest trick that was taken, if only in the round before."""
    results: tuple[Result, ...]
    choices: tuple[Choice, ...]
    """What they may do now."""
