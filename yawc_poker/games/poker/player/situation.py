"""The table as somebody sees it who has to bet, in the few numbers that the strategy asks for, and what they may do.

Owns the reading of a `View`, and the bets that are compared; decides nothing. Pure.
"""

from bisect import bisect
from typing import Final, NamedTuple

from yawc_poker.games.poker.model import SEATS, Bet, Fold, Move, View

FOLD: Final = "f"
LEAST: Final = "l"
SIZES: Final = "lhpbm"
"""Bets, by size: the least, half the pot, the pot, more, the most. A capital does not ask to see the hands."""
MOST_RIVALS: Final = 2
"""The strategy knows no more. More are taken for as many, and one's hand for a worse one (`tables.among`)."""
# fmt: off
_CUTS: Final = (
    3, 4, 5, 7, 9, 11, 14, 17, 22, 27, 34, 43, 54, 68, 85, 106, 133, 166, 208, 260, 325, 406, 508, 635,
)
# fmt: on
"""Where the kinds of bets and pots begin, if the highest bet is 200."""


class Spot(NamedTuple):
    """What is known on somebody's turn."""

    rivals: int
    """The number of opponents who are still active."""
    stage: int
    """0 before the change, 1 in the first round after it, 2 later."""
    to_come: int
    """How many of them have still to act in this round."""
    seen: bool
    """Somebody has asked to see: the hands are shown after this round."""
    low: int
    own: int
    """Their last bet; 0: none yet."""
    pot: int
    high: int
    cash: int

    @property
    def ends(self) -> bool:
        """The round ends with this bet, and nobody has asked to see."""
        return not self.to_come and not self.seen

    @property
    def is_ruin(self) -> bool:
        """Nothing would be left for the same bet after the change."""
        return self.stage == 0 and 2 * self.low > self.cash

    @property
    def is_free(self) -> bool:
        """A bet costs next to nothing."""
        return 20 * self.low <= self.pot

    @property
    def key(self) -> str:
        """The name of the spot in the strategy: rivals, stage, to come, seen; the least bet, one's last, the pot."""
        kinds = [chr(ord("a") + bisect(_CUTS, 200 * one // self.high)) for one in (self.low, self.own, self.pot)]
        known = min(self.rivals, MOST_RIVALS)
        come = self.to_come and max(1, known - self.rivals + self.to_come)
        return f"{known}{self.stage}{come}{self.seen:d}{''.join(kinds)}"

    def amount(self, size: str) -> int:
        """Return the CUBES of a bet; one that will have to be paid again leaves enough for that."""
        pot = self.pot
        wanted = {"l": self.low, "h": pot // 2, "p": pot, "b": 5 * pot // 2, "m": self.high}
        most = min(self.high, self.cash // 2) if self.stage == 0 or self.ends else self.high
        return max(self.low, min(most, wanted[size.lower()]))

    def move(self, action: str) -> Move:
        """Return the move of an action: `FOLD` or a size. The last in a round asks to see only by the least bet."""
        if action == FOLD:
            return Fold()
        amount = self.amount(action)
        asks = self.stage > 0 and action.islower() and not (self.ends and amount > self.low)
        return Bet(amount, see=asks)


def read(view: View) -> Spot:
    """Return what the seat on turn knows."""
    assert view.seat is not None, "a bystander is never on turn"
    rivals = [one.seat for one in view.opponents if one.active]
    mine = place(view, view.seat)
    return Spot(
        rivals=len(rivals),
        stage=0 if view.round == 1 else 1 if view.round <= 3 else 2,
        to_come=sum([place(view, seat) > mine for seat in rivals]),
        seen=any(bet.see and bet.round == view.round for bet in view.bets),
        low=view.low,
        own=next((bet.amount for bet in reversed(view.bets) if bet.seat == view.seat), 0),
        pot=view.pot,
        high=view.high,
        cash=view.cash,
    )


def place(view: View, seat: int) -> int:
    """Return a seat's place in the order of play, from the master on."""
    return (seat - view.master) % SEATS
