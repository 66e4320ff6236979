"""A decision looked at again: what each action brings in hands that the others may have held.

Owns how likely those hands are by what was bet, and the playouts. A playout is the game itself, by its rules, in which
everybody plays by the strategy of "hard" from then on, and changes cards by the thumb. It begins with a state made from
the view alone: others' CUBES, which no seat sees, are as many as anybody needs.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from yawc_poker.cards import Card
from yawc_poker.engine.house import HousePlayer, SealedChance, Weighed
from yawc_poker.engine.players import Dice, likely, rolled
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import Hand, sort_hand, strength
from yawc_poker.games.poker.model import (
    HAND,
    MOST_BETS,
    SEATS,
    Move,
    Options,
    PastBet,
    Player,
    Show,
    State,
    Swap,
    View,
)
from yawc_poker.games.poker.player import swaps, tables
from yawc_poker.games.poker.player.choose import choose, row
from yawc_poker.games.poker.player.situation import MOST_RIVALS, SIZES, Spot, place, read
from yawc_poker.games.poker.player.strategy import BASE
from yawc_poker.games.poker.progress import SWAP_ROUND

WORLDS: Final = 250
"""At an effort of a hundred."""
TRIES: Final = 6
"""Worlds that are dealt for each that is chosen."""
ODD: Final = 0.04
"""How likely a person does what the strategy never would."""
OFTEN: Final = 6
"""An action that the strategy takes in one of so many cases, or more, is one of its choices."""


class World(NamedTuple):
    """What the others may have held, and what may come."""

    hands: dict[int, tuple[Hand, Hand]]
    """By seat: before and after the change of cards."""
    stock: tuple[Card, ...]


def weigh(view: View, mine: Move, chance: SealedChance, effort: int) -> Weighed[Move] | None:
    """Return what the strategy's actions bring beside the one that was taken, and whether they win the pot."""
    moves = list(_choices(view, mine))
    if len(moves) < 2 or view.hand is None or view.seat is None:
        return None
    dice, count = rolled(chance), max(WORLDS * effort // 100, TRIES)
    spoken = list(_spoken(view))
    worlds = likely(lambda: drawn(view, dice), lambda world: _weight(world, spoken), dice, count, TRIES)
    starts = [made_state(view, world) for world in worlds]
    seed = chance.getrandbits(64)
    ends = [[_end(view, state, move, f"{seed} {number}") for number, state in enumerate(starts)] for move in moves]
    gains = tuple([tuple([gain for gain, _ in found]) for found in ends])
    wins = tuple([tuple([won for _, won in found]) for found in ends])
    if view.phase == "swap":  # the best of several in the same worlds would be flattered by them
        hard = choose(view, "hard", chance)
        choice = next(at for at, move in enumerate(moves) if _same(move, hard))
    else:
        own = [at for at, move in enumerate(moves) if at or move in _usual(view)]
        choice = max(own, key=lambda at: sum(gains[at]))
    return Weighed(tuple(moves), choice, gains, 1, wins)


# --- what is compared -------------------------------------------------------------------------------------------------


def _choices(view: View, mine: Move) -> Iterator[Move]:
    """Yield the move that was made, then those of the strategy that differ from it."""
    yield mine
    if view.phase == "swap" and view.hand is not None:
        yield from (Swap(places) for places in swaps.rivals(view.hand) if not _same(Swap(places), mine))
    elif view.phase == "bet":
        yield from (move for move in _usual(view) if move != mine)


def _same(move: Move, other: Move) -> bool:
    """Return whether two moves do the same, in whatever order the cards were named."""
    if isinstance(move, Swap) and isinstance(other, Swap):
        return set(move.places) == set(other.places)
    return move == other


def _usual(view: View) -> list[Move]:
    """Return the moves that the strategy makes often enough, on a turn to bet."""
    spot = read(view)
    if view.hand is None or spot.low > spot.high or not spot.rivals:
        return []
    chances = _chances(spot, view.hand)
    most = sum(chances.values())
    found = [spot.move(action) for action, part in chances.items() if part * OFTEN >= most]
    return list(dict.fromkeys(found))


def _chances(spot: Spot, hand: Hand) -> dict[str, int]:
    """Return how often the strategy takes each action with a hand."""
    at = tables.after(strength(hand)) if spot.stage else tables.before(hand)
    at = tables.among(at, spot.rivals, MOST_RIVALS, spot.stage == 0)
    return {action: int(chances[at], BASE) for action, chances in row(spot.key).items()}


# --- worlds -----------------------------------------------------------------------------------------------------------


class Spoken(NamedTuple):
    """A bet of another player, and the spot in which it was made."""

    seat: int
    spot: Spot
    amount: int


def _spoken(view: View) -> Iterator[Spoken]:
    """Yield the bets of the others, as far as they are known; a fold tells nothing of those who are left."""
    still = {one.seat for one in view.opponents if one.active} | {view.seat}
    paid, bets = sum([bet.amount for bet in view.bets]), view.bets
    if len(bets) == MOST_BETS:
        return
    for at, bet in enumerate(bets):
        if bet.seat in still and bet.seat != view.seat:
            yield Spoken(bet.seat, _spot(view, bets[:at], bet, bets[at:], view.pot - paid), bet.amount)
        paid -= bet.amount


def _spot(view: View, before: Sequence[PastBet], bet: PastBet, later: Sequence[PastBet], pot: int) -> Spot:
    """Return where somebody was when they made a bet, with what everybody knows of it."""
    others = {one.seat for one in later} | {one.seat for one in view.opponents if one.active} | {view.seat}
    acted = {one.seat for one in before if one.round == bet.round}
    rivals = [seat for seat in others if seat is not None and seat != bet.seat]
    return Spot(
        rivals=len(rivals),
        stage=0 if bet.round < SWAP_ROUND else 1 if bet.round == SWAP_ROUND + 1 else 2,
        to_come=sum([seat not in acted for seat in rivals]),
        seen=any(one.see and one.round == bet.round for one in before),
        low=before[-1].amount if before else 1,
        own=next((one.amount for one in reversed(before) if one.seat == bet.seat), 0),
        pot=pot,
        high=max(view.max_bet, 1),
        cash=2 * view.max_bet,
    )


def drawn(view: View, dice: Dice) -> World:
    """Return hands of the others as chance has them, before the change and after it."""
    shown = {card for one in view.opponents for card in one.cards or ()}
    stock = [card for card in swaps.DECK if card not in shown and card not in (view.hand or ())]
    dice.shuffle(stock)
    hands = {}
    for one in view.opponents:
        if one.active:
            first = one.cards or sort_hand(tuple([stock.pop() for _ in range(HAND)]))
            changed = first
            if one.cards is None and _has_changed(view, one.seat):
                gone = swaps.thumb(first)
                kept = tuple([card for at, card in enumerate(first) if at not in gone])
                changed = sort_hand((*kept, *[stock.pop() for _ in gone]))
            hands[one.seat] = (first, changed)
    return World(hands, tuple(stock))


def _has_changed(view: View, seat: int) -> bool:
    """Return whether somebody has changed cards, or kept them."""
    return view.round > SWAP_ROUND or (view.round == SWAP_ROUND and place(view, seat) < place(view, view.seat or 0))


def _weight(world: World, spoken: Sequence[Spoken]) -> float:
    """Return how likely it is that the others have bet as they did, by the strategy."""
    found = 1.0
    for one in spoken:
        first, changed = world.hands[one.seat]
        chances = _chances(one.spot, changed if one.spot.stage else first)
        size = min(SIZES, key=lambda size: abs(one.spot.amount(size) - one.amount))
        taken, total = 0, 0
        for action, part in chances.items():
            total += part
            taken += part if action.lower() == size else 0
        found *= ODD + (taken / total if total else 0.0)
    return found


def made_state(view: View, world: World) -> State:
    """Return the state of a game that looks like this from the view's seat."""
    assert view.seat is not None, "a bystander is never on turn"
    assert view.hand is not None, "a seat on turn has a hand"
    players: list[Player | None] = [None] * SEATS
    players[view.seat] = Player(view.hand)
    for seat, (_, hand) in world.hands.items():
        players[seat] = Player(hand, acted=place(view, seat) < place(view, view.seat))
    rich = SEATS * MOST_BETS * view.max_bet
    return State(
        options=Options(max_bet=view.max_bet),
        stock=world.stock,
        players=tuple(players),
        watchers=tuple([one.seat for one in view.opponents if not one.active]),
        cash=tuple([view.cash if seat == view.seat else rich for seat in range(SEATS)]),
        master=view.master,
        current=view.seat,
        phase=view.phase,
        round=view.round,
        pot=view.pot,
        previous_bet=view.bets[-1].amount if view.bets else 0,
        low=view.low,
        high=view.high,
        see=any(bet.see for bet in view.bets),
        bets=view.bets,
    )


# --- playouts ---------------------------------------------------------------------------------------------------------


def _end(view: View, state: State, move: Move, key: str) -> tuple[int, bool]:
    """Return what a move brings in a world, in CUBES from now on, and whether it wins the pot."""
    chance, seat = SealedChance(key), view.seat or 0
    state = rules.play(state, seat, move, chance).state
    while state.current is not None:
        state = rules.play(state, state.current, _by_strategy(state, state.current, chance), chance).state
    won = state.winner == seat
    return state.cash[seat] - view.cash + (state.pot if won else 0), won


def _by_strategy(state: State, seat: int, chance: SealedChance) -> Move:
    player = state.players[seat]
    match state.phase:
        case "swap" if player is not None:
            return Swap(swaps.thumb(player.hand))
        case "showdown":
            return Show()
        case _:
            return choose(rules.view(state, seat), "hard", chance)


HOUSE: Final = HousePlayer(version=2, choose=choose, weigh=weigh)
