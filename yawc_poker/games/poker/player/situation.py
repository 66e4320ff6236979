"""The table as somebody on turn sees it, put in order: who has still to act, who has asked to see, who bet what.

Owns the reading of a `View`; decides nothing. Pure.
"""

from collections.abc import Sequence
from typing import NamedTuple

from yawc_poker.games.poker.model import PastBet, View
from yawc_poker.games.poker.player.beliefs import believed
from yawc_poker.games.poker.player.characters import Spot
from yawc_poker.games.poker.player.prospects import Rival


class Situation(NamedTuple):
    """What is known on somebody's turn."""

    spot: Spot
    rivals: tuple[Rival, ...]
    """All active opponents; those answer who come later in this round."""
    may_see: bool
    """The hands may be asked for."""
    seen: bool
    """Somebody has asked for them: they are shown after this round."""
    is_first: bool
    cash: int

    @property
    def is_last(self) -> bool:
        """Nobody has still to act in this round, and nobody has asked to see."""
        return not self.seen and not any(rival.answers for rival in self.rivals)


def read(view: View) -> Situation:
    """Return what the seat on turn knows."""
    assert view.seat is not None, "a bystander is never on turn"
    order = _order(view, view.seat)
    mine = order.index(view.seat)
    before = view.round == 1
    spots = _spots(view, len(order) - 1)
    rivals = tuple(
        Rival(believed(seat, view.bets, spots, before), place > mine)
        for place, seat in enumerate(order)
        if place != mine
    )
    return Situation(
        spot=Spot(before, view.pot, view.low, view.high, len(rivals)),
        rivals=rivals,
        may_see=view.round > 2,
        seen=any(bet.see and bet.round == view.round for bet in view.bets),
        is_first=mine == 0,
        cash=view.cash,
    )


def _order(view: View, own: int) -> list[int]:
    """Return the active seats in the order of play, from the master on."""
    seats = sorted([own, *[one.seat for one in view.opponents if one.active]])
    return [seat for seat in seats if seat >= view.master] + [seat for seat in seats if seat < view.master]


def _spots(view: View, others: int) -> list[Spot]:
    """Return what each past bet answered to; how many opponents there were is taken to be as now."""
    pot, low = view.pot, _amounts(view.bets)
    found = []
    for bet, least in zip(reversed(view.bets), reversed(low), strict=True):
        pot -= bet.amount
        found.append(Spot(bet.round == 1, pot, least, view.max_bet, max(1, others)))
    return found[::-1]


def _amounts(bets: Sequence[PastBet]) -> list[int]:
    """Return the least that each bet had to be: the one before it."""
    return [1, *[bet.amount for bet in bets]][: len(bets)]
