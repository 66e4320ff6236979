"""Offiziersskat: the house player's levels, and the baselines they are measured by.

A number stands for a deal, which is played twice with the seats changed; seat 0 opens. Every round is a match of its
own, played by the game's real rules. The baselines:

- random: any legal card.
- greedy: the most valuable card that takes the trick for sure, or the cheapest card.
- one trick: looks one trick ahead, its own card and the reply, and compares what is open then; with rules for tens and
  aces (spec/offiziersskat.md 9: how lskat plays, in other words and with weights of its own).
- PIMC: takes the card that is worth most on average over 20 deals of the covered cards, each played out with all cards
  known: to the end from 12 tricks on, four tricks ahead before (`peers/skat_worlds.c`).
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from random import Random
from typing import Final, NamedTuple

from benchmarks.build import built
from benchmarks.players.arena import PERCENT, Pairing
from yawc_poker.cards import Card
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import Level, chance_of
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import ALL_EYES, Options, PlayCard, View
from yawc_poker.games.offiziersskat.player.choose import HOUSE, gain
from yawc_poker.games.offiziersskat.player.position import COLOUR, SLOTS, Position, order, position
from yawc_poker.games.offiziersskat.player.search import beats

Player = Callable[[View, str, int], Card]
"""Return the card for a view, given a seed and the number of the move."""
OTHER: Final = 16
"""The first slot of side 1."""


def house(level: Level, view: View, seed: str, move: int) -> Card:
    """Return the card of a level."""
    return HOUSE.choose(view, level, chance_of(seed, view.current or 0, move)).card


def anything(view: View, seed: str, move: int) -> Card:
    """Return any legal card."""
    return Random(f"{seed} {move}").choice(legal(view))


def legal(view: View) -> list[Card]:
    """Return the legal cards."""
    return [card for choice in view.choices for card in choice.cards]


class Sight(NamedTuple):
    """What the baselines see of a position: the open cards by number, and what each card counts."""

    known: Position
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    led: int | None
    seen: frozenset[int]
    """Numbers that are at neither side's open places nor covered: they were played."""
    grand: bool


def sight(view: View) -> tuple[Sight, dict[int, Card]]:
    """Return what is seen, and the cards by their numbers."""
    cards = order(view.round.trump)
    known = position(view, cards)
    led = None if known.led is None else known.slots[known.led]
    mine = tuple(number for number in known.slots[:OTHER] if number >= 0)
    theirs = tuple(number for number in known.slots[OTHER:] if number >= 0 and number != led)
    gone = frozenset(cards) - set(mine) - set(theirs) - set(known.unseen)
    return Sight(known, mine, theirs, led, gone, view.round.trump is None), cards


def greedy(view: View, seed: str, move: int) -> Card:
    """Return the most valuable card that takes the trick for sure, plain suits first; else the cheapest."""
    seen, cards = sight(view)
    numbers = [number for number, card in cards.items() if card in legal(view)]
    eyes = seen.known.eyes
    sure = [number for number in numbers if _sure(seen, number)]
    if sure:
        return cards[max(sure, key=lambda number: (number >= COLOUR, eyes[number], number))]
    return cards[min(numbers, key=lambda number: (eyes[number] + 5 * (number < COLOUR), -number))]


def _sure(seen: Sight, number: int) -> bool:
    if seen.led is not None:
        return beats(number, seen.led)
    return not any(beats(reply, number) for reply in replies(seen.theirs, number))


def replies(numbers: Sequence[int], led: int) -> Sequence[int]:
    """Return the cards that may follow."""
    return [number for number in numbers if number // COLOUR == led // COLOUR] or numbers


# --- one trick ahead --------------------------------------------------------------------------------------------------

KEEP_LEAD: Final = 4.0
CASH_TEN: Final = 20.0
CATCH_TEN: Final = 15.0
HUNT: Final = -20.0
SUPPORT: Final = -14.0
PROTECT: Final = -14.0
KILL_ACE: Final = 25.0
PULL: Final = 10.0
SAVE: Final = -10.0


def one_trick(view: View, seed: str, move: int) -> Card:
    """Return the card with the best rating after this trick; leading, after the reply that is worst."""
    seen, cards = sight(view)
    numbers = [number for number, card in cards.items() if card in legal(view)]
    return cards[max(numbers, key=lambda number: _outlook(seen, number))]


def _outlook(seen: Sight, number: int) -> float:
    if seen.led is not None:
        return _rating(seen, number, seen.led, beats(number, seen.led))
    return min(_rating(seen, number, reply, not beats(reply, number)) for reply in replies(seen.theirs, number))


def _rating(seen: Sight, own: int, other: int, taken: bool) -> float:
    """Return the rating of the open cards and the score once both cards are gone, plus what the rules add."""
    eyes = seen.known.eyes
    gain = eyes[own] + eyes[other]
    ahead = seen.known.ahead + (gain if taken else -gain)
    mine = sum(_worth(seen, number) for number in seen.mine if number != own)
    theirs = sum(_worth(seen, number) for number in seen.theirs if number != other)
    score = ahead + _reached(seen, ahead)
    return score + mine - theirs + sum(_rules(seen, own, other, taken))


def _reached(seen: Sight, ahead: int) -> float:
    """Return bonuses for 60, 61, 90 and all eyes."""
    rest = sum(seen.known.eyes[number] for number in (*seen.mine, *seen.theirs, *seen.known.unseen))
    done = ALL_EYES - rest
    mine, theirs = (done + ahead) / 2, (done - ahead) / 2
    return _bonus(mine) - _bonus(theirs)


def _bonus(eyes: float) -> float:
    return 4.0 * (eyes >= 60) + 10.0 * (eyes >= 61) + 10.0 * (eyes >= 91) + 20.0 * (eyes >= 120)


def _worth(seen: Sight, number: int) -> float:
    """Return the worth of an open card: its place, its being a trump, a jack, an ace or a ten."""
    trump = (6.0 if seen.grand else 3.0) if number < COLOUR else 0.0
    jack = 8.5 + 0.2 * (4 - number) if number < 4 else 0.0
    return 1.5 + trump + jack + {11: 3.0, 10: 1.0}.get(seen.known.eyes[number], 0.0)


def _rules(seen: Sight, own: int, other: int, taken: bool) -> Iterator[float]:
    if taken:
        yield KEEP_LEAD
    if own >= COLOUR:
        yield from _plain(seen, own, other, taken)
    elif seen.led is None:
        yield _trump(seen, own, taken)
    if other >= COLOUR and other % COLOUR == 0 and taken and other + 1 in seen.mine:
        yield KILL_ACE


def _plain(seen: Sight, own: int, other: int, taken: bool) -> Iterator[float]:
    """Return what the rules of aces and tens add for a card of a plain suit."""
    ace = own - own % COLOUR
    ten = ace + 1
    hunted = ten in seen.theirs and 1 <= len(_suit(seen.theirs, ace)) - 1 <= 2
    if own == ten and taken and ace in seen.seen:
        yield CASH_TEN
    if own == ace and taken and other == ten:
        yield CATCH_TEN
    if own == ace and other != ten and hunted:
        yield HUNT
    if own != ace and ace in seen.mine and hunted and seen.led is not None:
        yield SUPPORT
    if own != ten and ten in seen.mine and ace in seen.theirs and len(_suit(seen.mine, ace)) <= 3:
        yield PROTECT


def _suit(numbers: Sequence[int], ace: int) -> list[int]:
    return [number for number in numbers if number // COLOUR == ace // COLOUR]


def _trump(seen: Sight, own: int, taken: bool) -> float:
    """Return what a lead of a trump is worth: pulling trumps, or wasting one where there is none to pull."""
    mine, theirs = len(_suit(seen.mine, 0)), len(_suit(seen.theirs, 0))
    if not theirs:
        return SAVE if own < 4 else SAVE / 2
    return PULL if taken and mine > theirs else 0.0


# --- perfect information, many times ----------------------------------------------------------------------------------

WORLDS: Final = 20
EXACT: Final = 12
AHEAD: Final = 4
Slots = ctypes.c_int * SLOTS


def pimc(view: View, seed: str, move: int) -> Card:
    """Return the card with the best mean over some worlds."""
    cards = order(view.round.trump)
    known = position(view, cards)
    slots = [known.slots.index(number) for number, card in cards.items() if card in legal(view)]
    counts, found, rng = (ctypes.c_int * len(known.eyes))(*known.eyes), Slots(), Random(f"{seed} {move}")
    gains = dict.fromkeys(slots, 0)
    tricks = known.tricks if known.tricks <= EXACT else AHEAD
    numbers = list(known.slots)
    for _ in range(WORLDS):
        for slot, number in zip(known.covered, rng.sample(known.unseen, len(known.unseen)), strict=True):
            numbers[slot] = number
        _solver().skat_worlds(Slots(*numbers), counts, -1 if known.led is None else known.led, tricks, found)
        for slot in slots:
            gains[slot] += gain(known.ahead + found[slot])
    return cards[known.slots[max(gains, key=lambda slot: gains[slot])]]


@cache
def _solver() -> ctypes.CDLL:
    return ctypes.CDLL(str(built("skat_worlds", "-shared", "-fPIC")))


# --- rounds -----------------------------------------------------------------------------------------------------------


def dealing(number: int) -> Dealing:
    """Return the deal of a number."""
    rng = Random(f"offiziersskat {number}")
    cards = list(rules.DECK)
    rng.shuffle(cards)
    return Dealing(" ".join(cards), f"{rng.getrandbits(256):064x}")


def eyes_of(number: int, players: Mapping[int, Player]) -> tuple[int, int]:
    """Play a round between the players of the two seats and return the eyes of each."""
    dealt = dealing(number)
    state = rules.deal({0: 0, 1: 0}, 0, dealt, Options(target=1)).state
    move = 0
    while not state.results:
        seat = rules.to_move(state)
        assert seat is not None
        card = players[seat](rules.view(state, seat), dealt.seed, move)
        state = rules.play(state, seat, PlayCard(card), Random(0)).state
        move += 1
    return state.results[0].eyes


def _both(player: Player, other: Player, number: int) -> Iterator[tuple[int, int]]:
    """Return the eyes of the player and of the other, once from each seat."""
    first, second = eyes_of(number, {0: player, 1: other})
    yield first, second
    second, first = eyes_of(number, {0: other, 1: player})
    yield first, second


def rounds_won(player: Player, other: Player, number: int) -> tuple[float, ...]:
    """Return the share of each round: 1 for a win, one half for 60 eyes each."""
    return tuple((mine > theirs) + (mine == theirs) / 2 for mine, theirs in _both(player, other, number))


def eyes_won(player: Player, other: Player, number: int) -> tuple[float, ...]:
    """Return the eyes above 60 of each round."""
    return tuple(float(mine - ALL_EYES // 2) for mine, _ in _both(player, other, number))


EASY: Final = partial(house, "easy")
NORMAL: Final = partial(house, "normal")
HARD: Final = partial(house, "hard")
PAIRINGS: Final = (
    Pairing("hard against PIMC", 0.56, 4000, partial(rounds_won, HARD, pimc), PERCENT),
    Pairing("hard against one trick", 0.58, 2000, partial(rounds_won, HARD, one_trick), PERCENT),
    Pairing("hard against normal", 0.0, 400, partial(eyes_won, HARD, NORMAL), "eyes above 60"),
    Pairing("normal against easy", 0.0, 800, partial(eyes_won, NORMAL, EASY), "eyes above 60"),
    Pairing("easy against random", 0.0, 2000, partial(eyes_won, EASY, anything), "eyes above 60"),
    Pairing("normal against one trick", None, 1000, partial(rounds_won, NORMAL, one_trick), PERCENT),
    Pairing("one trick against greedy", None, 6000, partial(rounds_won, one_trick, greedy), PERCENT),
    Pairing("one trick against random", None, 4000, partial(rounds_won, one_trick, anything), PERCENT),
    Pairing("greedy against random", None, 4000, partial(rounds_won, greedy, anything), PERCENT),
)
