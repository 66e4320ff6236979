"""Mau-Mau: the levels against a simple bot, a greedy player, chance, and each other.

A number is a deck. It is played as often as there are seats, with the tested player in each of them once, by the real
rules.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Final

from benchmarks.players.arena import PERCENT, Pairing
from benchmarks.players.maumau_bot import choose as bots_choice
from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import Level, chance_of
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import (
    Finish,
    MayFinish,
    MayPlay,
    MayTake,
    MayWish,
    Move,
    Options,
    PlayCard,
    PlayerView,
    State,
    Take,
    View,
    Wish,
)
from yawc_poker.games.maumau.player.choose import HOUSE
from yawc_poker.games.maumau.progress import points

Player = Callable[[State, View, int], Move]
"""State (for its seed and its number of moves alone), what the seat sees, and the seat."""
LATE: Final = 2
"""Cards of another player at which the greedy one begins to shed what costs much."""


def house(level: Level) -> Player:
    """Return a house player."""
    return lambda state, view, seat: HOUSE.choose(view, level, chance_of(state.seed, seat, state.steps))


def bot(state: State, view: View, seat: int) -> Move:
    """Play by the weights of `maumau_bot`."""
    return bots_choice(view, chance_of(state.seed, seat, state.steps))


def chance(state: State, view: View, seat: int) -> Move:
    """Play any card that fits."""
    below = chance_of(state.seed, seat, state.steps).below
    return _made(view, lambda cards: cards[below(len(cards))], lambda: Suit(below(len(Suit))))


def greedy(state: State, view: View, seat: int) -> Move:
    """Keep jacks and sevens until somebody is short of cards, then lay a seven first, or what costs most."""
    hand = view.hand or ()
    late = min(player.cards for player in view.players if player.seat not in {None, seat}) <= LATE
    return _made(view, lambda cards: max(cards, key=partial(_greed, hand, late)), lambda: _longest(hand))


def sensible(state: State, view: View, seat: int) -> Move:
    """Play by ten lines of sense: hurt who is short of cards, keep jacks, and else stay in the longest suit."""
    hand = view.hand or ()
    following = next(other.cards for other in _others(view, seat))
    held = {suit: sum(card.suit == suit and card.rank != Rank.JACK for card in hand) for suit in Suit}

    def sense(card: Card) -> tuple[int, ...]:
        is_jack, is_seven, is_ace = card.rank == Rank.JACK, card.rank == Rank.SEVEN, card.rank == Rank.ACE
        hurts = is_seven and following <= LATE
        goes_on = is_ace and len(view.players) == LATE and held[card.suit] > 1
        return hurts, not is_jack, goes_on, held[card.suit], points([card])

    return _made(view, lambda cards: max(cards, key=sense), lambda: max(Suit, key=lambda suit: held[suit]))


def _others(view: View, seat: int) -> list[PlayerView]:
    """Return the other players who are there, the next one first."""
    there = [player for player in view.players if player.seat is not None]
    mine = next(at for at, player in enumerate(there) if player.seat == seat)
    return there[mine + 1 :] + there[:mine]


def _greed(hand: Sequence[Card], late: bool, card: Card) -> tuple[int, ...]:
    """Return what a card is worth to the greedy player, the most important first."""
    following = sum(card.suit == other.suit or card.rank == other.rank for other in hand if other != card)
    if late:
        return card.rank == Rank.SEVEN, points([card]), following
    return card.rank != Rank.JACK, card.rank != Rank.SEVEN, following, -points([card])


def _longest(hand: Sequence[Card]) -> Suit:
    return max(Suit, key=lambda suit: sum(card.suit == suit and card.rank != Rank.JACK for card in hand))


def _made(view: View, lay: Callable[[Sequence[Card]], Card], wish: Callable[[], Suit]) -> Move:
    for choice in reversed(view.choices):
        match choice:
            case MayFinish():
                return Finish()
            case MayTake(count):
                return Take(count)
            case MayWish():
                return Wish(wish())
            case MayPlay(cards):
                return PlayCard(lay(cards))
    raise ValueError("nothing is offered")


PLAYERS: Final[Mapping[str, Player]] = {
    "easy": house("easy"),
    "normal": house("normal"),
    "hard": house("hard"),
    "bot": bot,
    "greedy": greedy,
    "ten lines of sense": sensible,
    "chance": chance,
}


def play(tested: str, others: str, seats: int, rounds: int, number: int) -> tuple[float, ...]:
    """Return the share of the tested player in winning, by seat; if all have the most points, they share alike."""
    return tuple([_played(tested, others, seats, rounds, number, mine) for mine in range(seats)])


def _played(tested: str, others: str, seats: int, rounds: int, number: int, mine: int) -> float:
    rng = Random(number)
    order = list(rules.DECK)
    rng.shuffle(order)
    dealing = Dealing(" ".join(order), f"{rng.getrandbits(256):064x}")
    state = rules.deal(dict.fromkeys(range(seats), 0), 0, dealing, Options(rounds)).state
    while (seat := rules.to_move(state)) is not None:
        player = PLAYERS[tested if seat == mine else others]
        state = rules.play(state, seat, player(state, rules.view(state, seat), seat), rng).state
    won = rules.won(state) or range(seats)
    return (mine in won) / len(won)


def pairing(tested: str, others: str, mark: float, games: int, seats: int = 2, rounds: int = 1) -> Pairing:
    """Return a pairing; one seat is the tested player's, all others are the others'."""
    against = others if seats == 2 else f"{seats - 1} x {others}"
    length = "" if rounds == 1 else f", games of {rounds} rounds"
    return Pairing(f"{tested} – {against}{length}", mark, games, partial(play, tested, others, seats, rounds), PERCENT)


PAIRINGS: Final = (
    pairing("hard", "ten lines of sense", 0.63, 40_000),
    pairing("hard", "bot", 0.6, 10_000),
    pairing("hard", "greedy", 0.55, 10_000),
    pairing("hard", "normal", 0.5, 2_000),
    pairing("normal", "easy", 0.5, 4_000),
    pairing("easy", "chance", 0.5, 4_000),
    pairing("hard", "normal", 0.5, 500, rounds=4),
    pairing("hard", "normal", 0.25, 2_000, seats=4),
    pairing("normal", "easy", 0.25, 4_000, seats=4),
)
