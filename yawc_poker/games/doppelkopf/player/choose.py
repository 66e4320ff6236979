"""The move of a house player.

Owns what the levels are: `easy` plays by the rules of thumb, forgets them now and then, and calls nothing; `normal`
plays by them, and calls and plays alone by samples of the others' cards; `hard` also chooses its cards by samples,
weighted by what the others have played.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from yawc_poker.cards import Card
from yawc_poker.engine.house import HousePlayer, Level, SealedChance, Weighed
from yawc_poker.engine.players import FEWEST, Dice, compared, rolled
from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import Move, View
from yawc_poker.games.doppelkopf.player import evidence, knowledge, playouts, policy, search
from yawc_poker.games.doppelkopf.player.bids import best_solo, due_call, ends, usual, wanted_call, wants_solo
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
_WEDDINGS: Final[tuple[model.Kind, ...]] = ("normal", "wedding")
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


# --- afterwards -------------------------------------------------------------------------------------------------------


def weigh(view: View, mine: Move, chance: SealedChance, effort: int) -> Weighed[Move] | None:
    """Return what the cards that may be played are worth, or whether to call, or to play alone."""
    dice, budget = rolled(chance), BUDGETS["hard"]
    count = max(FEWEST, budget.worlds * effort // 100)
    match mine:
        case model.PlayCard(card):
            return _weighed_cards(view, card, dice, count)
        case model.Call():
            return _weighed_call(view, mine, dice, count)
        case model.Healthy() | model.Reserve() if usual(view) == "wedding":
            return _weighed_wedding(view, dice, max(FEWEST, budget.bids * effort // 100))
        case model.Healthy() | model.Reserve():
            return _weighed_solo(view, dice, max(FEWEST, budget.bids * effort // 100), budget.solo)
        case model.PlaySolo():
            return _weighed_kind(view, mine, dice, max(FEWEST, budget.bids * effort // 100))
        case _:
            return None


def silence(view: View, mine: Move, chance: SealedChance, effort: int) -> Weighed[Move] | None:
    """Return what the next call is worth where a card was played at its last moment."""
    if not isinstance(mine, model.PlayCard):
        return None
    call = due_call(knowledge.read(view), _offered(view, model.MayCall))
    if call is None or call.least != len(view.hand or ()):
        return None
    count = max(FEWEST, BUDGETS["hard"].worlds * effort // 100)
    return _weighed_call(view, model.Call(call.level), rolled(chance), count)


def _weighed_cards(view: View, mine: Card, dice: Dice, count: int) -> Weighed[Move] | None:
    known = knowledge.read(view)
    cards = search.candidates(known)
    if len(cards) < 2:
        return None
    preferred, fine = policy.thumb(known) >> 1, set(policy.sensible(known, cards))
    cards.sort(key=lambda card: card >> 1 != preferred)
    starts, worths = search.trials(known, evidence.likely_worlds(known, dice, count, BUDGETS["hard"].tries), cards)
    found = compared(len(cards), starts, worths)
    choice = max(
        [at for at, card in enumerate(cards) if card in fine or known.deck.cards[card] == mine],
        key=lambda at: sum(found[at]) + (search.AHEAD * len(found[at]) if cards[at] >> 1 == preferred else 0),
    )
    return _weighed([model.PlayCard(known.deck.cards[card]) for card in cards], choice, found)


def _weighed_call(view: View, mine: model.Call, dice: Dice, count: int) -> Weighed[Move] | None:
    """Return what a call is worth beside saying nothing."""
    known = knowledge.read(view)
    call = next((one for one in _offered(view, model.MayCall) if one.level == mine.level), None)
    if call is None:
        return None
    worlds = evidence.likely_worlds(known, dice, count, BUDGETS["hard"].tries)
    ends = [playouts.play_out(known, playouts.start_of(known, world)) for world in worlds]
    found = tuple(
        [
            tuple([playouts.worth(end, known.me, levels) for end in ends])
            for levels in (known.levels(), known.levels(call.team, call.level))
        ]
    )
    return _weighed([None, mine], int(wanted_call(known, [call], worlds) is not None), found)


def _weighed_wedding(view: View, dice: Dice, count: int) -> Weighed[Move]:
    """Return what a wedding is worth beside a silent one."""
    found = tuple([tuple(ends(knowledge.supposed(view, kind), dice, count)) for kind in _WEDDINGS])
    return _weighed([model.Healthy(), model.Reserve()], 1, found)


def _weighed_solo(view: View, dice: Dice, count: int, margin: int) -> Weighed[Move]:
    """Return what the best solo is worth beside the game without one."""
    _, kind = best_solo(view, dice)
    found = tuple([tuple(ends(knowledge.supposed(view, one), dice, count)) for one in (usual(view), kind)])
    return _weighed([model.Healthy(), model.Reserve()], int(sum(found[1]) - sum(found[0]) > margin * count), found)


def _weighed_kind(view: View, mine: model.PlaySolo, dice: Dice, count: int) -> Weighed[Move] | None:
    """Return what the best solo at a glance is worth beside the one that was named."""
    _, kind = best_solo(view, dice)
    if kind == mine.kind:
        return None
    found = tuple([tuple(ends(knowledge.supposed(view, one), dice, count)) for one in (mine.kind, kind)])
    return _weighed([mine, model.PlaySolo(kind)], int(sum(found[1]) > sum(found[0])), found)


def _weighed(moves: Sequence[Move | None], choice: int, found: tuple[tuple[int, ...], ...]) -> Weighed[Move]:
    wins = tuple([tuple([one > 0 for one in worths]) for worths in found])
    return Weighed(tuple(moves), choice, found, playouts.FINE, wins)


HOUSE: Final = HousePlayer(version=6, choose=choose, stand_in=stand_in, weigh=weigh, silence=silence)
"""The house player of Doppelkopf."""
