"""What is written down of a game while it runs, with the sealed deck that it is dealt from. Pure.

Owns the deeds of one game, and what its deal follows from: the deck (`engine.sealing`), its seal, and the words. Never
knows what a move means: a move is a text here, JSON that its game reads again (`Game.read_move`).

What is hidden stays here, in the table's value, until the game is over: the deck with its secret, and the hands
(`held`). Deeds hold nothing hidden, and go to the bank's books meanwhile, a handful at a time (`due`).
"""

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import sealing
from yawc_poker.engine.sealing import Deck, PlayerWord

BATCH = 16
"""So many deeds go to the bank together, with the next bet or before somebody sits down."""
MANY = 2 * BATCH
"""So many go by themselves; only games without bets come there."""
MOST = 3 * BATCH
"""So many wait at most, lest the table outgrow its cell; what is done then, for want of a bank, is not written down."""
HANDS = 40
"""Hands kept of one game; poker has ten at most, a game that draws all the time keeps the first."""

ActionKind = Literal["deal", "move", "time", "join", "leave", "removed"]


class Participant(msgspec.Struct, frozen=True, array_like=True):
    """Somebody seated when the game began; `cash` is what he owned before the ante, in CUBES."""

    seat: int
    user: int
    name: str
    cash: int


class Dealt(msgspec.Struct, frozen=True):
    """What a deal was made from; the detail of the deed that every game begins with."""

    master: int
    people: tuple[Participant, ...]
    options: msgspec.Raw
    """The game's options as JSON."""


class Joined(msgspec.Struct, frozen=True):
    """Who sat down during the game; the detail of a "join"."""

    name: str
    cash: int


class GivenBack(msgspec.Struct, frozen=True):
    """What a player got back of the stake who was put out by no doing of their own; the detail of such a "removed"."""

    amount: int
    known: int
    """How much of it the rules knew of."""


class Action(msgspec.Struct, frozen=True, array_like=True):
    """One thing that happened in a game; with what it was dealt from, all deeds give the whole game again."""

    number: int
    """The game's action, counted from 0: the deal. A bet's number is also in the key of its ledger transaction."""
    at: float
    """Seconds since the deal."""
    kind: ActionKind
    seat: int
    user: int
    detail: str = ""
    """JSON: a `Dealt`, a `Joined`, a `GivenBack`, or the game's own move; else empty."""
    cash: dict[int, int] | None = None
    """What each seat owned before it; None where that had not changed from outside the game."""


class Held(msgspec.Struct, frozen=True, array_like=True):
    """The hand of a seat from the deed `number` on, in the game's own signs."""

    number: int
    seat: int
    cards: str


class Transcript(msgspec.Struct, frozen=True):
    """The running game in writing. Never shown to anybody while it runs, but for `seal` and `words`."""

    began: float
    """Monotonic second of the deal."""
    seal: str = ""
    """SHA-256 in hex digits; empty for a game without chance."""
    deck: Deck | None = None
    words: tuple[PlayerWord, ...] = ()
    """Of all who play, by seat."""
    actions: tuple[Action, ...] = ()
    """Those that are not yet in the bank's books."""
    held: tuple[Held, ...] = ()
    cash: dict[int, int] | None = None
    """What the bank told of money from outside, for the deed that comes next."""


def begin(now: float, deck: Deck | None, words: tuple[PlayerWord, ...]) -> Transcript:
    """Open the chronicle of a game that is about to be dealt from this deck by these words."""
    return Transcript(now) if deck is None else Transcript(now, sealing.seal(deck), deck, words)


def funded(transcript: Transcript, cash: Mapping[int, int]) -> Transcript:
    """Note that money came or went from outside: what each seat owns now."""
    return replace(transcript, cash=dict(cash))


def note(transcript: Transcript, action: Action, hands: Mapping[int, str], now: float) -> Transcript:
    """Write down what happened; `hands` are those that it changed, by seat."""
    action = replace(action, at=round(max(0.0, now - transcript.began), 3), cash=transcript.cash)
    fresh = [Held(action.number, seat, cards) for seat, cards in hands.items()]
    actions, held = (*transcript.actions, action)[:MOST], (*transcript.held, *fresh)[:HANDS]
    return replace(transcript, actions=actions, held=held, cash=None)


def due(transcript: Transcript | None, many: int = BATCH) -> Transcript | None:
    """Give the chronicle itself once so many deeds wait that they shall go to the bank, else None."""
    return transcript if transcript is not None and len(transcript.actions) >= many else None


def without(transcript: Transcript | None, kept: Transcript | None) -> Transcript | None:
    """Forget the deeds that the bank has kept, by number: some of them may have been forgotten before."""
    if transcript is None or kept is None or not kept.actions:
        return transcript
    newest = kept.actions[-1].number
    return replace(transcript, actions=tuple(action for action in transcript.actions if action.number > newest))
