"""Why one move is better than another, by the rules of thumb that people know. Pure.

Owns the sentences, and when they hold.
"""

from yawc_poker.engine.house import SealedChance
from yawc_poker.games.poker.model import Bet, Fold, Move, Swap, View
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.words import mark


def reason(view: View, mine: Move | None, choice: Move | None, _: SealedChance) -> Reason | None:
    """Return why the choice is better, by a rule of thumb; None: no rule tells."""
    match mine, choice:
        case (Bet(amount), Fold()) | (Fold(), Bet(amount)):
            need = max(1, round(100 * amount / (view.pot + amount)))
            facts = {"price": amount, "pot": view.pot, "need": need}
            if isinstance(mine, Fold):
                return Reason(
                    mark("{price} for a pot of {pot}: to win in {need} of 100 cases is enough for that."), facts
                )
            return Reason(mark("{price} for a pot of {pot}: for that one has to win in {need} of 100 cases."), facts)
        case Bet(see=False), Bet(see=True):
            return Reason(mark("Who asks to see pays no more: the hands are shown after this round."))
        case Bet(see=True), Bet(see=False):
            return Reason(mark("Who asks to see ends the bets, while a good hand could still win more."))
        case Bet(amount), Bet(better) if amount < better:
            return Reason(mark("Worse hands pay for a larger bet, or pass before they improve."))
        case Bet(amount), Bet(better) if amount > better:
            return Reason(mark("A large bet is mostly paid by better hands; worse ones pass."))
        case Swap(places), Swap(better_places) if set(places) - set(better_places):
            return Reason(mark("A card was given away that the hand is built on."))
        case Swap(places), Swap(better_places) if set(places) < set(better_places):
            return Reason(mark("Each card that belongs to nothing is changed: a new one may improve the hand."))
        case _:
            return None
