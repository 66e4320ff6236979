"""The move of a house player.

Owns what the levels are: `easy` plays by the rules of thumb, forgets them now and then, and calls nothing; `normal`
plays by them, and calls and plays alone by samples of the others' cards; `hard` also chooses its cards by samples,
weighted by what the others have played.
"""

from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from yawc_poker.engine.house import HousePlayer, Level, SealedChance
from yawc_poker.engine.players import Dice, rolled
from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import Move, View
from yawc_poker.games.doppelkopf.player import evidence, knowledge, playouts, policy, search
from yawc_poker.games.doppelkopf.player.bids import best_solo, usual, wanted_call, wants_solo
from yawc_poker.games.doppelkopf.trumps import longest_solo

ChoiceT = TypeVar("ChoiceT")


class Budget(NamedTuple):
    """How much a level thinks, in worlds; and what it expects of its play."""

    bids: int
    """Before the first card."""
    worlds: int
    tries: int
    """Worlds that are dealt for each that is played."""
    solo: int
    """How much more a solo must promise than the game without it: less for those who play it better."""
    searches: bool
    """Cards are tried in the worlds, too, and not only calls."""


BUDGETS: Final[dict[Level, Budget]] = {
    "easy": Budget(0, 0, 1, 0, searches=False),
    "normal": Budget(40, 40, 4, playouts.FINE, searches=False),
    "hard": Budget(100, 400, 3, -playouts.FINE, searches=True),
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
    known, calls = knowledge.read(view), _offered(view, model.MayCall)
    thinks = budget.searches and len(choice.cards) > 1
    worlds = (
        evidence.likely_worlds(known, dice, budget.worlds, budget.tries) if budget.worlds and (calls or thinks) else []
    )
    level = wanted_call(known, calls, worlds) if worlds else None
    if level is not None:
        return model.Call(level)
    if len(choice.cards) == 1:
        return model.PlayCard(choice.cards[0])
    if not budget.worlds and dice.below(_SLIP) == 0:
        return model.PlayCard(choice.cards[dice.below(len(choice.cards))])
    return model.PlayCard(known.deck.cards[search.best_card(known, worlds) if thinks else policy.thumb(known)])


def stand_in(view: View, level: Level, chance: SealedChance) -> Move:
    """Return the move for a place whose person may return: no call, and no solo that nobody has to play."""
    if _offered(view, model.MayReserve):
        return model.Reserve() if usual(view) == "wedding" else model.Healthy()
    if any(one.wedding for one in _offered(view, model.MayName)):
        return model.NoSolo()
    return choose(
        replace(view, choices=tuple(one for one in view.choices if not isinstance(one, model.MayCall))), level, chance
    )


HOUSE: Final = HousePlayer(version=3, choose=choose, stand_in=stand_in)
"""The house player of Doppelkopf."""
