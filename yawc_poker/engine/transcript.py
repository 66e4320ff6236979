"""The transcript of a running game, with the sealed deck that it is dealt from. Pure.

Owns the actions of one game, and the sources of its deal: the deck (`engine.sealing`), its seal, the players'
commitments and texts, and the deals that came to nothing before it. Never knows what a move means: here a move is a
text, JSON that its game can read (`Game.read_move`).

Hidden data stays here, in the table's value, until the game is over: the deck with its secret, and the hands (`held`).
Actions contain nothing hidden, and are written to the bank's books in batches while the game runs (`due`).
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import sealing
from yawc_poker.engine.sealing import Deck, Discarded, Frozen, PlayerWord

BATCH = 16
"""Batch size: once this many actions wait, they are written with the next bet, or before somebody sits down."""
MANY = 2 * BATCH
"""Once this many wait they are written by themselves; only games without bets reach this."""
MOST = 3 * BATCH
"""Maximum that wait, so that the table fits its cell; further actions are lost if the bank cannot write meanwhile."""
HANDS = 40
"""Maximum hands kept of one game. Poker has ten at most; of a game with constant draws the first ones are kept."""

ActionKind = Literal[
    "deal", "move", "time", "join", "leave", "removed", "abandoned", "away", "stand_in", "back", "hint"
]
"""The rules are not told of the last four: somebody is gone whose seat is kept, a house player plays for them, they
come back (`engine.kept`); somebody takes hints in this game (`engine.hints`)."""


class Participant(msgspec.Struct, frozen=True, array_like=True):
    """Somebody seated when the game began; `cash` is theirs before the ante, in CUBES."""

    seat: int
    user: int
    name: str
    cash: int
    program: str = ""
    """Level and version of a house player's program (`engine.house.program_name`); empty: a person."""


class Dealt(msgspec.Struct, frozen=True):
    """The input of a deal; the detail of the action "deal", with which every game begins."""

    master: int
    people: tuple[Participant, ...]
    options: msgspec.Raw
    """The game's options as JSON."""


class Joined(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who sat down during the game; the detail of a "join", a "stand_in", a "back"."""

    name: str
    cash: int
    program: str = ""
    """As in `Participant`."""
    away: bool = False
    """They sat there already, and were not dealt in, because they were away; only of a "join"."""


class GivenBack(msgspec.Struct, frozen=True):
    """The stake refunded to a player who was removed through no fault of their own; the detail of such a "removed"."""

    amount: int
    known: int
    """The part of it that the rules knew of."""


class Action(msgspec.Struct, frozen=True, array_like=True):
    """One numbered change of a game; the dealing and all actions together reproduce the whole game."""

    number: int
    """Counted from 0, the deal. A bet's number is also in the key of its ledger transaction."""
    at: float
    """Seconds since the deal."""
    kind: ActionKind
    seat: int
    user: int
    detail: str = ""
    """JSON: a `Dealt`, a `Joined`, a `GivenBack`, a word (as `UNPLAYED`), or the game's own move; else empty."""
    cash: dict[int, int] | None = None
    """The cash of each seat before it; None if it had not changed from outside the game."""


def detail(value: object) -> str:
    """Return the detail of an action, which is JSON."""
    return msgspec.json.encode(value).decode()


UNPLAYED: Final = detail("unplayed")
"""The detail of the "leave" of somebody for whom the round just dealt does not count (`Rules.leave`)."""


class Held(msgspec.Struct, frozen=True, array_like=True):
    """The hand of a seat from the action `number` on, in the game's own notation."""

    number: int
    seat: int
    cards: str


class Transcript(msgspec.Struct, frozen=True):
    """The transcript of the running game. Nobody is shown it while the game runs, except for `seal` and `words`."""

    began: float
    """Monotonic second of the deal."""
    seal: str = ""
    """SHA-256 in hex digits; empty for a game without chance."""
    deck: Deck | None = None
    words: tuple[PlayerWord, ...] = ()
    """The texts of all players, by seat."""
    frozen: tuple[Frozen, ...] = ()
    """What they were committed to; written when the game is opened, and not kept here after that."""
    discarded: tuple[Discarded, ...] = ()
    """The deals that came to nothing before it, as above."""
    forfeits: tuple[int, ...] = ()
    """Users who withheld a text at its start."""
    forfeit: int = 0
    """CUBES that each of them owes the pot, as far as they own them."""
    actions: tuple[Action, ...] = ()
    """Those that are not yet in the bank's books."""
    held: tuple[Held, ...] = ()
    cash: dict[int, int] | None = None
    """The balances that changed from outside the game, for the next action."""


def begin(
    now: float,
    deck: Deck | None,
    words: tuple[PlayerWord, ...],
    frozen: tuple[Frozen, ...] = (),
    discarded: tuple[Discarded, ...] = (),
    forfeits: tuple[int, ...] = (),
    forfeit: int = 0,
) -> Transcript:
    """Return the transcript of a game that is about to be dealt from this deck by these texts."""
    if deck is None:
        return Transcript(now)
    book = Transcript(now, sealing.seal(deck), deck, words, frozen, discarded)
    return replace(book, forfeits=forfeits, forfeit=forfeit)


def opened(transcript: Transcript | None) -> Transcript | None:
    """Return the transcript of a game that the bank has opened, without what only that was for."""
    return transcript and without(replace(transcript, frozen=(), discarded=()), transcript)


def seed(transcript: Transcript) -> str:
    """Return the seed of the game: later shuffles and the choices of house players follow from it. Hidden from all."""
    deck = transcript.deck
    return "" if deck is None else sealing.seed(deck.secret, sealing.key(transcript.seal, transcript.words))


def funded(transcript: Transcript, cash: Mapping[int, int]) -> Transcript:
    """Record that money came or went from outside: the cash of each seat now."""
    return replace(transcript, cash=dict(cash))


def note(transcript: Transcript, action: Action, hands: Mapping[int, str], now: float) -> Transcript:
    """Record an action; `hands` are those that it changed, by seat."""
    action = replace(action, at=round(max(0.0, now - transcript.began), 3), cash=transcript.cash)
    fresh = [Held(action.number, seat, cards) for seat, cards in hands.items()]
    actions, held = (*transcript.actions, action)[:MOST], (*transcript.held, *fresh)[:HANDS]
    return replace(transcript, actions=actions, held=held, cash=None)


def due(transcript: Transcript | None, many: int = BATCH) -> Transcript | None:
    """Return the transcript if at least `many` actions wait to be written to the bank, else None."""
    return transcript if transcript is not None and len(transcript.actions) >= many else None


def without(transcript: Transcript | None, kept: Transcript | None) -> Transcript | None:
    """Drop the actions that the bank has kept, by number: some of them may have been dropped before."""
    if transcript is None or kept is None or not kept.actions:
        return transcript
    newest = kept.actions[-1].number
    return replace(transcript, actions=tuple(action for action in transcript.actions if action.number > newest))
