"""The events of any table, beside those of its game: who comes and goes, who leads, what is sealed and said.

Owns the data only; `engine.values` has the log that they stand in, and all its users take them from there.
"""

from typing import Literal

import msgspec

from yawc_poker.engine.game import AboutNobody, AboutSeat
from yawc_poker.engine.sealing import PlayerWord, Why


class SatDown(AboutSeat, frozen=True):
    """Somebody sat down."""


class Left(AboutSeat, frozen=True):
    """Somebody left the table by `[X]`."""

    kept: bool = False
    """The seat is still theirs (`engine.kept`); a `SeatFreed` tells when it is not any more."""


class Removed(AboutSeat, frozen=True):
    """The system removed somebody: the connection broke, the session ended or died (9)."""

    kept: bool = False
    """As in `Left`."""


class SeatFreed(AboutSeat, frozen=True):
    """The seat of somebody who is gone is not kept any longer, and nobody plays there for them."""


class WentAway(AboutSeat, frozen=True):
    """A person's clocks ran out again and again: they sit out until they press a key."""


class CameBack(AboutSeat, frozen=True):
    """A person who was away, or whose line was gone, is back."""


class LineGone(AboutSeat, frozen=True):
    """A person's line is gone, and the seat is kept for them."""

    seconds: int
    """For how long."""


class StakeBack(AboutSeat, frozen=True):
    """The stake of a player who was removed through no fault of their own was refunded."""

    amount: int


class Started(AboutSeat, frozen=True):
    """The master started a game."""


class Sealed(AboutNobody, frozen=True):
    """The deck of the next game was sealed (`engine.sealing`); nobody is committed to a text for it yet."""

    seal: str


class Committed(AboutSeat, frozen=True):
    """A player has committed to another text for the next game, or to one that they hold themselves."""

    hash: str


class Fixed(AboutSeat, frozen=True):
    """The master has started a game, so nobody's commitment changes any more; texts on devices are to be revealed."""

    seconds: int
    """For how long that is waited for."""


class Unrevealed(AboutSeat, frozen=True):
    """A player's text was not revealed, so the deck was discarded and they are not dealt in."""

    why: Why


class ByHandOver(AboutNobody, frozen=True):
    """Whoever has not committed anew plays by a text that their session draws."""


class NotStarted(AboutNobody, frozen=True):
    """The start came to nothing: too few are left."""


class WaitsForBank(AboutNobody, frozen=True):
    """The bank cannot be reached by which the game is to be dealt."""


class OptionsChosen(AboutSeat, frozen=True):
    """The master has chosen how the games to come are played."""

    options: str
    """All options as JSON, which their game can read (`Game.read_options`)."""


class DealtBy(AboutNobody, frozen=True):
    """The game that begins is dealt from the deck with this seal, by these texts."""

    seal: str
    words: tuple[PlayerWord, ...]


class NewMaster(AboutSeat, frozen=True):
    """The privilege passed to this seat, or came back to it after a game."""


class Paid(msgspec.Struct, frozen=True, tag=True):
    """The pot that was paid, if it was more than the game knew of: a player's process died while a bet was booked."""

    seat: int | None
    amount: int


class Chat(AboutSeat, frozen=True):
    """A line for everybody at the table."""

    text: str


class OnlookerChat(AboutNobody, frozen=True):
    """A line for everybody at the table, by somebody who looks on."""

    text: str


class OnlookersMay(AboutSeat, frozen=True):
    """The master has decided whether on-lookers may speak to the table."""

    speak: bool


class HintsMay(AboutSeat, frozen=True):
    """The master has decided whether hints may be taken in the games to come."""

    allowed: bool


class TakesHints(AboutSeat, frozen=True):
    """A player takes hints in the running game."""


Phrase = Literal["hello", "thanks", "well_played"]
"""What house players say."""


class HouseSays(AboutSeat, frozen=True):
    """A house player says something, which each reads in their own language."""

    phrase: Phrase


class PlaysForFun(AboutSeat, frozen=True):
    """A person has won today's share: what house players and they win of each other in this game goes back."""


class WentBack(AboutSeat, frozen=True):
    """What a person won of house players, or lost to them, went back, since it was for fun."""

    amount: int
    """What the person got; below zero: what they gave."""


class Voided(AboutNobody, frozen=True):
    """The running game was called off and the stakes were refunded; `reason` is a fixed word or empty."""

    reason: str = ""


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
