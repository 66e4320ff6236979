"""Doppelkopf: the levels against each other and against baselines; points a game of the player under test.

A number is a deal of one round; in its four games the tested player has each of the seats in turn, and the other three
are of one kind. The first seat deals. Besides points, habits are counted that a club player would laugh at.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Final

from benchmarks import uct
from benchmarks.players.arena import PERCENT, Habits, Pairing
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
    Solo,
    State,
    View,
)
from yawc_poker.games.doppelkopf.player.choose import HOUSE
from yawc_poker.games.doppelkopf.trumps import FOX, QUEEN_OF_CLUBS, TEN_OF_HEARTS, longest_solo, order_of
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
_SURE: Final = 24
"""Strength of a hand with which the searching player calls."""
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


def searching(view: View, chance: SealedChance) -> Move:
    """Return the card that UCT finds; it announces a strong hand, and names no solo."""
    if not _cards(view):
        return _said(view)
    calls = [one.level for one in view.choices if isinstance(one, MayCall)]
    game = view.round.game
    is_usual = game is not None and not game.is_solo
    if "team" in calls and is_usual and not _has_called(view) and _strength(view.hand or ()) >= _SURE:
        return Call("team")
    return PlayCard(uct.card(view, chance))


def free(view: View, chance: SealedChance, rest: Level = "normal") -> Move:
    """Return the move of a player who names solos freely, and plays by a level otherwise."""
    solo = wished_solo(view.hand or ())
    match view.choices[0] if view.choices else None:
        case MayReserve() if solo is not None:
            return Reserve()
        case MayName() if solo is not None:
            return PlaySolo(solo)
        case _:
            return level(rest, view, chance)


def wished_solo(hand: Sequence[Card]) -> Solo | None:
    """Return the solo that the free player names: with five aces, or four queens or jacks and some aces."""
    held = Counter(card.rank for card in hand)
    if held[Rank.ACE] >= 5:
        return "aces"
    if held[Rank.QUEEN] >= 4 and held[Rank.ACE] >= 3:
        return "queens"
    return "jacks" if held[Rank.JACK] >= 4 and held[Rank.ACE] >= 3 else None


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


def free_solo(number: int) -> tuple[float, ...]:
    """Return what a normal player gains over the free one in the same seat of the first game that the latter names."""
    for seat, dealing in _deals(number):
        hands = rules.deal(dict.fromkeys(range(rules.SEATS), 0), 0, dealing, Options(rounds=1)).state.players
        if wished_solo(hands[seat].hand) is None:
            continue
        gains = [_alone(player, seat, dealing).results[0].points[seat] for player in (NORMAL, free)]
        return (float(gains[0] - gains[1]),)
    raise AssertionError("numbers do not end")


def uncalled(level: Player, number: int) -> tuple[float, ...]:
    """Return 1 if none of three calls against the first solo with five aces from a certain deal on, otherwise 0."""
    for seat, dealing in _deals(number):
        hands = rules.deal(dict.fromkeys(range(rules.SEATS), 0), 0, dealing, Options(rounds=1)).state.players
        if sum(card.rank == Rank.ACE for card in hands[seat].hand) < 5:
            continue
        state = played([free if other == seat else level for other in range(rules.SEATS)], dealing)
        game = state.results[0].game
        if game.kind == "aces" and game.player == seat:
            return (float(all(call.team == "re" for call in state.round.calls)),)
    raise AssertionError("numbers do not end")


def _deals(number: int) -> Iterator[tuple[int, Dealing]]:
    """Yield deals from a certain one on, each with every seat."""
    for deal in count(_FAR + 10_000 * number):
        order = list(rules.DECK)
        Random(f"doppelkopf {deal}").shuffle(order)
        for seat in range(rules.SEATS):
            yield seat, Dealing(" ".join(order), f"{deal:x}")


def _alone(player: Player, seat: int, dealing: Dealing) -> State:
    """Return the end of a game of one player against three normal ones."""
    return played([player if other == seat else NORMAL for other in range(rules.SEATS)], dealing)


# --- habits -----------------------------------------------------------------------------------------------------------

LOST = "foxes lost, thrown under a known opponent's card where another was legal"
FOXES = "foxes lost"
LED_FOX = "leads of a fox while somebody else has trumps"
TENS = "plain tens led under a missing ace"
TAKEN_OVER = "last to play: a known partner's trick overtaken where another card was legal"
ACES = "first leads with a plain ace in hand that lead none"
BARE_RE = "Re announced without a ten of hearts"
CALLED = "announcements lost"
UNCALLED = "rounds won without an announcement"


def habits(tested: Player, others: Player, number: int) -> Mapping[str, tuple[int, int]]:
    """Return how often the tested player did each of these, and could have, in the four games of a deal."""
    found: Counter[str] = Counter()
    could: Counter[str] = Counter()
    order = list(rules.DECK)
    Random(f"doppelkopf {number}").shuffle(order)
    for seat in range(rules.SEATS):
        seen: list[tuple[View, Move]] = []

        def watched(view: View, chance: SealedChance, seen: list[tuple[View, Move]] = seen) -> Move:
            move = tested(view, chance)
            seen.append((view, move))
            return move

        players = [watched if other == seat else others for other in range(rules.SEATS)]
        state = played(players, Dealing(" ".join(order), f"{number:x}"))
        done = [one for view, move in seen for one in _habits(view, move, state)]
        for name, is_done in (*done, *_won(seat, state)):
            could[name] += 1
            found[name] += is_done
    return {name: (found[name], could[name]) for name in could}


def _habits(view: View, move: Move, state: State) -> Iterator[tuple[str, bool]]:
    place, result, now = view.place or 0, state.results[0], view.round
    won = result.winner == ("re" if place in result.re else "contra")
    match move:
        case Call("team"):
            yield CALLED, not won
            if place in result.re and not result.game.is_solo:
                yield BARE_RE, TEN_OF_HEARTS not in (view.hand or ())
        case PlayCard(card) if now.game is not None:
            order, cards = order_of(now.game.kind), _cards(view)
            if now.game.kind in {"normal", "wedding"}:
                yield from _fox_habits(view, card, state)
            gone = [one for trick in now.tricks for one in trick.cards] + list(view.hand or ())
            if not now.trick and not now.tricks and any(_is_plain_ace(order, one) for one in cards):
                yield ACES, not _is_plain_ace(order, card)
            if not now.trick and card.rank == Rank.TEN and card not in order.trumps:
                yield TENS, gone.count(Card(Rank.ACE, card.suit)) < 2 and Rank.ACE in order.ranks
            if len(now.trick) == len(view.players) - 1:
                at = taker(order, now.trick)
                other = view.players[(now.leader + at) % len(view.players)].team
                is_choice = not all(beats(order, one, now.trick[at]) for one in cards)
                if other is not None and other == view.players[place].team and is_choice:
                    yield TAKEN_OVER, beats(order, card, now.trick[at])
        case _:
            pass


def _won(place: int, state: State) -> Iterator[tuple[str, bool]]:
    """Yield whether a team that won had announced nothing."""
    team = "re" if place in state.results[0].re else "contra"
    if state.results[0].winner == team:
        yield UNCALLED, all(call.team != team for call in state.round.calls)


def _fox_habits(view: View, card: Card, state: State) -> Iterator[tuple[str, bool]]:
    if card != FOX:
        return
    place, re, now = view.place or 0, state.results[0].re, view.round
    trick = state.round.tricks[len(now.tricks)]
    is_lost = (trick.taker in re) != (place in re)
    yield FOXES, is_lost
    others = [one for one in _cards(view) if one != FOX]
    order = order_of("normal")
    if not now.trick:
        gone = [one for trick in now.tricks for one in trick.cards] + list(view.hand or ())
        yield LED_FOX, bool(others) and sum(one in order.trumps for one in gone) < 2 * len(order.trumps)
        return
    at = taker(order, now.trick)
    own, other = view.players[place].team, view.players[(now.leader + at) % len(view.players)].team
    is_theirs = own is not None and other is not None and own != other
    yield LOST, is_lost and is_theirs and bool(others) and not beats(order, card, now.trick[at])


def _is_plain_ace(order: TrickOrder, card: Card) -> bool:
    return card.rank == Rank.ACE and card not in order.trumps


EASY, NORMAL, HARD = (partial(level, name) for name in ("easy", "normal", "hard"))
PAIRINGS: Final = (
    Pairing("hard against three of UCT, 1,000 rollouts", 0.8, 400, partial(points, HARD, searching)),
    Pairing("aces solos with five aces that no normal player calls", 0.85, 100, partial(uncalled, NORMAL), PERCENT),
    Pairing("aces solos with five aces that no hard player calls", 0.85, 100, partial(uncalled, HARD), PERCENT),
    Pairing("normal in place of one who names solos freely, a solo", 0.0, 400, free_solo),
    Pairing("hard against three greedy", 0.5, 2_000, partial(points, HARD, greedy)),
    Pairing("hard against three random, reservations too", 2.5, 200, partial(points, HARD, any_move)),
    Pairing("hard against three that play any card", None, 400, partial(points, HARD, any_card)),
    Pairing("calls and solos of hard against three greedy", 0.6, 150, partial(kept, HARD, greedy), PERCENT),
    Pairing("hard against three normal", 0.0, 400, partial(points, HARD, NORMAL)),
    Pairing("normal against three easy", 0.0, 800, partial(points, NORMAL, EASY)),
    Pairing("normal against three greedy", None, 800, partial(points, NORMAL, greedy)),
    Pairing("easy against three that play any card", None, 400, partial(points, EASY, any_card)),
)
HABITS: Final = Habits(
    "habits, each among three normal",
    100,
    {
        "hard": partial(habits, HARD, NORMAL),
        "normal": partial(habits, NORMAL, NORMAL),
        "easy": partial(habits, EASY, NORMAL),
    },
    {LOST: 2},
)
