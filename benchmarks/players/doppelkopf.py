"""Doppelkopf: the levels against each other and against baselines; points a game of the player under test.

A number is a deal of one round; in its four games the tested player has each of the seats in turn, and the other three
are of one kind. The first seat deals.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Final

from benchmarks.players.arena import PERCENT, Pairing
from yawc_poker.cards import Card, Rank
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import Level, SealedChance, chance_of
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.model import (
    SOLOS,
    Call,
    GoOn,
    Healthy,
    MayCall,
    MayName,
    MayPlay,
    MayReserve,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    State,
    View,
)
from yawc_poker.games.doppelkopf.player.choose import HOUSE
from yawc_poker.games.doppelkopf.trumps import QUEEN_OF_CLUBS, TEN_OF_HEARTS, longest_solo, order_of
from yawc_poker.tricks import TrickOrder, beats, cheapest, colour, eyes, strength, taker

Player = Callable[[View, SealedChance], Move]

_RICH: Final = 10
"""Eyes for which the greedy player spends a trump."""
_STRONG: Final = 17
"""Strength of a hand with which it calls."""
_HIGH: Final = {Rank.QUEEN: 2, Rank.JACK: 1}
"""What a trump is stronger than one of its suit."""
_MANY_TRUMPS: Final = 7
"""Trumps with which it leads one."""
_FAR: Final = 1_000_000
"""First number of the deals in which calls and solos are looked for."""


# --- players ----------------------------------------------------------------------------------------------------------


def level(name: Level, view: View, chance: SealedChance) -> Move:
    """Return the move of a house player."""
    return HOUSE.choose(view, name, chance)


def any_move(view: View, chance: SealedChance) -> Move:
    """Return any move of those that are asked for, reservations and solos, too; nothing is called."""
    match view.choices[0]:
        case MayReserve():
            return Reserve() if chance.below(2) else Healthy()
        case MayName(wedding):
            return NoSolo() if wedding and chance.below(2) else PlaySolo(SOLOS[chance.below(len(SOLOS))])
        case MayPlay(cards):
            return PlayCard(cards[chance.below(len(cards))])
    return GoOn(yes=True)


def any_card(view: View, chance: SealedChance) -> Move:
    """Return any card that may be played; nothing is called, and no solo is played."""
    cards = _cards(view)
    return PlayCard(cards[chance.below(len(cards))]) if cards else _said(view)


def greedy(view: View, chance: SealedChance) -> Move:
    """Return the move of a sensible player, who takes with aces, trumps rich tricks and calls with a strong hand."""
    cards = _cards(view)
    if not cards:
        return _said(view)
    team = next((one.level for one in view.choices if isinstance(one, MayCall) and one.level == "team"), None)
    if team is not None and _strength(view.hand or ()) >= _STRONG and not _has_called(view):
        return Call(team)
    assert view.round.game is not None, "a card without a game"
    order, trick = order_of(view.round.game.kind), view.round.trick
    return PlayCard(_followed(view, order, cards) if trick else _led(order, cards))


def _cards(view: View) -> tuple[Card, ...]:
    return next((choice.cards for choice in view.choices if isinstance(choice, MayPlay)), ())


def _said(view: View) -> Move:
    """Return what is said before and after a round: a wedding with both queens of clubs, otherwise healthy."""
    hand = view.hand or ()
    match view.choices[0]:
        case MayReserve():
            return Reserve() if hand.count(QUEEN_OF_CLUBS) == 2 else Healthy()
        case MayName(wedding):
            return NoSolo() if wedding else PlaySolo(longest_solo(hand))
    return GoOn(yes=True)


def _has_called(view: View) -> bool:
    return any(call.place == view.place for call in view.round.calls)


def _strength(hand: Sequence[Card]) -> int:
    """Return 1 for each trump, more for jacks, queens and tens of hearts, and 2 for each plain ace."""
    trumps = [card for card in hand if card in order_of("normal").trumps]
    aces = sum(card.rank == Rank.ACE for card in hand if card not in trumps)
    return sum(1 + _HIGH.get(card.rank, 0) for card in trumps) + 3 * hand.count(TEN_OF_HEARTS) + 2 * aces


def _led(order: TrickOrder, cards: Sequence[Card]) -> Card:
    """Return an ace of a short suit, or a cheap card: a trump if there are many."""
    aces = [card for card in cards if card.rank == Rank.ACE and card not in order.trumps]
    if aces:
        return min(aces, key=lambda ace: sum(colour(order, card) == ace.suit for card in cards))
    trumps = [card for card in cards if card in order.trumps]
    return cheapest(order, trumps if len(trumps) >= _MANY_TRUMPS else cards)


def _followed(view: View, order: TrickOrder, cards: Sequence[Card]) -> Card:
    """Return the most eyes for a partner, the cheapest card that takes a rich trick, or the cheapest of all."""
    trick = view.round.trick
    at = taker(order, trick)
    winner = (view.round.leader + at) % len(view.players)
    own = view.players[view.place or 0].team
    if own is not None and view.players[winner].team == own:
        return max(cards, key=lambda card: (eyes((card,)), -strength(order, card)))
    better = [card for card in cards if beats(order, card, trick[at])]
    aces = [card for card in better if card.rank == Rank.ACE and card not in order.trumps]
    if aces:
        return aces[0]
    if better and (eyes(trick) >= _RICH or (len(trick) == 3 and eyes(trick) > 0)):
        return min(better, key=lambda card: strength(order, card) if card in order.trumps else -100)
    return cheapest(order, cards)


# --- games ------------------------------------------------------------------------------------------------------------


def games(tested: Player, others: Player, number: int) -> Iterator[tuple[int, State]]:
    """Yield the four games of a deal: the seat of the tested player, and how the game ended."""
    order = list(rules.DECK)
    Random(f"doppelkopf {number}").shuffle(order)
    for seat in range(rules.SEATS):
        players = [tested if other == seat else others for other in range(rules.SEATS)]
        yield seat, played(players, Dealing(" ".join(order), f"{number:x}"))


def played(players: Sequence[Player], dealing: Dealing) -> State:
    """Return the end of a match of one round."""
    nothing, actions = Random(0), count(1)
    state = rules.deal(dict.fromkeys(range(rules.SEATS), 0), 0, dealing, Options(rounds=1)).state
    while (seat := state.current) is not None:
        chance = chance_of(dealing.seed, seat, next(actions))
        state = rules.play(state, seat, players[seat](rules.view(state, seat), chance), nothing).state
    return state


def points(tested: Player, others: Player, number: int) -> tuple[float, ...]:
    """Return the points of the tested player in the games of a deal."""
    return tuple(float(state.results[0].points[seat]) for seat, state in games(tested, others, number))


def kept(tested: Player, others: Player, number: int) -> tuple[float, ...]:
    """Return 1 if the tested player's first call or solo from a certain deal on was won, otherwise 0."""
    for deal in count(_FAR + 1000 * number):
        for seat, state in games(tested, others, deal):
            done = state.results[0]
            called = any(call.place == seat for call in state.round.calls)
            if called or (done.game.is_solo and done.game.player == seat):
                return (float(done.winner == ("re" if seat in done.re else "contra")),)
    raise AssertionError("numbers do not end")


EASY, NORMAL, HARD = (partial(level, name) for name in ("easy", "normal", "hard"))
PAIRINGS: Final = (
    Pairing("hard against three greedy", 0.5, 2_000, partial(points, HARD, greedy)),
    Pairing("hard against three random, reservations too", 2.5, 200, partial(points, HARD, any_move)),
    Pairing("hard against three that play any card", None, 400, partial(points, HARD, any_card)),
    Pairing("calls and solos of hard against three greedy", 0.6, 150, partial(kept, HARD, greedy), PERCENT),
    Pairing("hard against three normal", 0.0, 400, partial(points, HARD, NORMAL)),
    Pairing("normal against three easy", 0.0, 800, partial(points, NORMAL, EASY)),
    Pairing("normal against three greedy", None, 800, partial(points, NORMAL, greedy)),
    Pairing("easy against three that play any card", None, 400, partial(points, EASY, any_card)),
)
