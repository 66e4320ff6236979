"""The events of any table, beside those of its game: who comes and goes, who leads, what is sealed and said.

Owns the data only; `engine.values` has the log that they stand in, and all its users take them from there.
"""

from typing import Literal

import msgspec

from yawc_poker.engine.sealing import PlayerWord, Why


class SatDown(msgspec.Struct, frozen=True, tag=True):
    """Somebody sat down."""

    seat: int


class Left(msgspec.Struct, frozen=True, tag=True):
    """Somebody left the table by `[X]`."""

    seat: int
    kept: bool = False
    """The seat is still theirs (`engine.kept`); a `SeatFreed` tells when it is not any more."""


class Removed(msgspec.Struct, frozen=True, tag=True):
    """The system removed somebody: the connection broke, the session ended or died (9)."""

    seat: int
    kept: bool = False
    """As in `Left`."""


class SeatFreed(msgspec.Struct, frozen=True, tag=True):
    """The seat of somebody who is gone is not kept any longer, and nobody plays there for them."""

    seat: int


class WentAway(msgspec.Struct, frozen=True, tag=True):
    """A person's clocks ran out again and again: they sit out until they press a key."""

    seat: int


class CameBack(msgspec.Struct, frozen=True, tag=True):
    """A person who was away, or whose line was gone, is back."""

    seat: int


class LineGone(msgspec.Struct, frozen=True, tag=True):
    """A person's line is gone, and the seat is kept for them."""

    seat: int
    seconds: int
    """For how long."""


class StakeBack(msgspec.Struct, frozen=True, tag=True):
    """The stake of a player who was removed through no fault of their own was refunded."""

    seat: int
    amount: int


class Started(msgspec.Struct, frozen=True, tag=True):
    """The master started a game."""

    seat: int


class Sealed(msgspec.Struct, frozen=True, tag=True):
    """The deck of the next game was sealed (`engine.sealing`); nobody is committed to a text for it yet."""

    seal: str
    seat: None = None


class Committed(msgspec.Struct, frozen=True, tag=True):
    """A player has committed to another text for the next game, or to one that they hold themselves."""

    seat: int
    hash: str


class Fixed(msgspec.Struct, frozen=True, tag=True):
    """The master has started a game, so nobody's commitment changes any more; texts on devices are to be revealed."""

    seat: int
    seconds: int
    """For how long that is waited for."""


class Unrevealed(msgspec.Struct, frozen=True, tag=True):
    """A player's text was not revealed, so the deck was discarded and they are not dealt in."""

    seat: int
    why: Why


class ByHandOver(msgspec.Struct, frozen=True, tag=True):
    """Whoever has not committed anew plays by a text that their session draws."""

    seat: None = None


class NotStarted(msgspec.Struct, frozen=True, tag=True):
    """The start came to nothing: too few are left."""

    seat: None = None


class WaitsForBank(msgspec.Struct, frozen=True, tag=True):
    """The bank cannot be reached by which the game is to be dealt."""

    seat: None = None


class OptionsChosen(msgspec.Struct, frozen=True, tag=True):
    """The master has chosen how the games to come are played."""

    seat: int
    options: str
    """All options as JSON, which their game can read (`Game.read_options`)."""


class DealtBy(msgspec.Struct, frozen=True, tag=True):
    """The game that begins is dealt from the deck with this seal, by these texts."""

    seal: str
    words: tuple[PlayerWord, ...]
    seat: None = None


class NewMaster(msgspec.Struct, frozen=True, tag=True):
    """The privilege passed to this seat, or came back to it after a game."""

    seat: int


class Paid(msgspec.Struct, frozen=True, tag=True):
    """The pot that was paid, if it was more than the game knew of: a player's process died while a bet was booked."""

    seat: int | None
    amount: int


class Chat(msgspec.Struct, frozen=True, tag=True):
    """A line for everybody at the table."""

    seat: int
    text: str


class OnlookerChat(msgspec.Struct, frozen=True, tag=True):
    """A line for everybody at the table, by somebody who looks on."""

    text: str
    seat: None = None


class OnlookersMay(msgspec.Struct, frozen=True, tag=True):
    """The master has decided whether on-lookers may speak to the table."""

    seat: int
    speak: bool


class HintsMay(msgspec.Struct, frozen=True, tag=True):
    """The master has decided whether hints may be taken in the games to come."""

    seat: int
    allowed: bool


class TakesHints(msgspec.Struct, frozen=True, tag=True):
    """A player takes hints in the running game."""

    seat: int


Phrase = Literal["hello", "thanks", "well_played"]
"""What house players say."""


class HouseSays(msgspec.Struct, frozen=True, tag=True):
    """A house player says something, which each reads in their own language."""

    seat: int
    phrase: Phrase


class PlaysForFun(msgspec.Struct, frozen=True, tag=True):
    """A person has won today's share: what house players and they win of each other in this game goes back."""

    seat: int


class WentBack(msgspec.Struct, frozen=True, tag=True):
    """What a person won of house players, or lost to them, went back, since it was for fun."""

    seat: int
    amount: int
    """What the person got; below zero: what they gave."""


class Voided(msgspec.Struct, frozen=True, tag=True):
    """The running game was called off and the stakes were refunded; `reason` is a fixed word or empty."""

    reason: str = ""
    seat: None = None


Notice = (
    SatDown
    | Left
    | Removed
    | SeatFreed
    | WentAway
    | CameBack
    | LineGone
    | StakeBack
    | Started
    | Sealed
    | Committed
    | Fixed
    | Unrevealed
    | ByHandOver
    | NotStarted
    | WaitsForBank
    | OptionsChosen
    | DealtBy
    | NewMaster
    | Paid
    | Chat
    | OnlookerChat
    | OnlookersMay
    | HintsMay
    | TakesHints
    | HouseSays
    | PlaysForFun
    | WentBack
    | Voided
)
"""The table's own events, encoded as maps like those of the games, with tags that no game's event has."""
