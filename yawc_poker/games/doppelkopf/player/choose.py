"""The move of a house player.

Owns what the levels are: `easy` plays by the rules of thumb, forgets them now and then, and calls nothing; `normal`
plays by them, and calls and plays alone by samples of the others' cards; `hard` also chooses its cards by samples,
weighted by what the others have played.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

from yawc_poker.engine.house import HousePlayer, Level, SealedChance
from yawc_poker.engine.players import Dice, rolled
from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import Move, View
from yawc_poker.games.doppelkopf.player.bids import best_solo, usual, wanted_call, wants_solo
from yawc_poker.games.doppelkopf.player.evidence import likely_worlds
from yawc_poker.games.doppelkopf.player.knowledge import Known, read
from yawc_poker.games.doppelkopf.player.playouts import FINE
from yawc_poker.games.doppelkopf.player.policy import thumb
from yawc_poker.games.doppelkopf.player.search import best_card
from yawc_poker.games.doppelkopf.trumps import longest_solo

ChoiceT = TypeVar("ChoiceT")


class Budget(NamedTuple):
    """How much a level thinks, in worlds; and what it expects of its play."""

    bids: int
    calls: int
    cards: int
    tries: int
    """Worlds that are dealt for each that is played."""
    solo: int
    """How much more a solo must promise than the game without it: less for those who play it better."""


BUDGETS: Final[dict[Level, Budget]] = {
    "easy": Budget(0, 0, 0, 1, 0),
    "normal": Budget(40, 40, 0, 4, FINE),
    "hard": Budget(100, 80, 80, 4, -FINE),
}
_SLIP: Final = 4
"""One in so many cards of `easy` is any card."""


def choose(view: View, level: Level, chance: SealedChance) -> Move:
    """Return the move of a view's place, which is on turn. Raise `ValueError` if nothing is offered to it."""
    dice, budget = rolled(chance), BUDGETS[level]
    if _offered(view, model.MayReserve):
        return _reservation(view, dice, budget)
    if named := _offered(view, model.MayName):
        return _name(view, named[0], dice, budget)
    if cards := _offered(view, model.MayPlay):
        return _call_or_card(view, cards[0], dice, budget)
    if view.choices:
        return model.GoOn(yes=True)
    raise ValueError("nothing is offered")


def _offered(view: View, kind: type[ChoiceT]) -> list[ChoiceT]:
    return [choice for choice in view.choices if isinstance(choice, kind)]


def _reservation(view: View, dice: Dice, budget: Budget) -> Move:
    if usual(view) == "wedding" or (budget.bids and wants_solo(view, dice, budget.bids, budget.solo)):
        return model.Reserve()
    return model.Healthy()


def _name(view: View, choice: model.MayName, dice: Dice, budget: Budget) -> Move:
    """Return the wedding, unless a solo is better; without one, the best solo."""
    if choice.wedding and not (budget.bids and wants_solo(view, dice, budget.bids, budget.solo)):
        return model.NoSolo()
    return model.PlaySolo(best_solo(view, dice)[1] if budget.bids else longest_solo(view.hand or ()))


def _call_or_card(view: View, choice: model.MayPlay, dice: Dice, budget: Budget) -> Move:
    known = read(view)
    level = _wanted_call(known, _offered(view, model.MayCall), dice, budget)
    if level is not None:
        return model.Call(level)
    if len(choice.cards) == 1:
        return model.PlayCard(choice.cards[0])
    if not budget.bids and dice.below(_SLIP) == 0:
        return model.PlayCard(choice.cards[dice.below(len(choice.cards))])
    number = best_card(known, dice, budget.cards, budget.tries) if budget.cards else thumb(known)
    return model.PlayCard(known.deck.cards[number])


def _wanted_call(known: Known, calls: Sequence[model.MayCall], dice: Dice, budget: Budget) -> model.Level | None:
    if not calls or not budget.calls:
        return None
    return wanted_call(known, calls, likely_worlds(known, dice, budget.calls, budget.tries))


HOUSE: Final = HousePlayer(version=2, choose=choose)
"""The house player of Doppelkopf."""
