"""A round played to its end on bits: the same rules as `rules` and `progress`, some fifty times as fast. Pure.

Owns the moves of a round whose every card is known. Places count from the player who chooses, who is 0; only players
who are still there have one. A player in a playout sees what a person in that place sees: the own hand, the pile, and
how many cards the next one holds.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from yawc_poker.engine.players import Dice
from yawc_poker.games.maumau.player.bits import ACES, ALL, JACKS, ON_CARD, ON_SUIT, PLAIN, SEVENS, split
from yawc_poker.games.maumau.player.thumb import AT, Row, best_card, best_suit

Own = Callable[[int, int, int], int]
"""Hand, cards that may be laid (0: a suit is wished for), and what the rules of thumb prefer in; a choice out."""
LONGEST = 400
"""Turns after which a playout is given up: nobody has won."""


class Position(NamedTuple):
    """A round. Every card is in one hand, the stock, the pile below the top card, or on top."""

    hands: tuple[int, ...]
    stock: tuple[int, ...]
    """The last card is taken next."""
    pile: int
    """Below the top card."""
    top: int
    fit: int
    """The cards that fit, open sevens aside."""
    turn: int = 0
    penalty: int = 0
    open_wish: bool = False
    must_wish: bool = False


def laid(position: Position, card: int) -> Position:
    """Return the position after a player laid a card that fits; an empty hand ends the round."""
    turn, count = position.turn, len(position.hands)
    hands = _with(position.hands, turn, position.hands[turn] ^ card)
    position = position._replace(hands=hands, pile=position.pile | position.top, top=card)
    if not hands[turn]:
        return position
    if card & JACKS:
        if position.open_wish:
            return position._replace(open_wish=False, turn=(turn + 1) % count)
        return position._replace(must_wish=True)
    return position._replace(
        fit=ON_CARD[card],
        open_wish=False,
        penalty=position.penalty + 2 if card & SEVENS else position.penalty,
        turn=(turn + (2 if card & ACES else 1)) % count,
    )


def wished(position: Position, suit: int) -> Position:
    """Return the position after a player wished for a suit."""
    following = (position.turn + 1) % len(position.hands)
    return position._replace(fit=ON_SUIT[suit], open_wish=True, must_wish=False, turn=following)


def _with(hands: tuple[int, ...], place: int, hand: int) -> tuple[int, ...]:
    return (*hands[:place], hand, *hands[place + 1 :])


def play_out(position: Position, tables: Sequence[Sequence[Row]], number: int, own: Own) -> list[int]:
    """Return all hands at the end of the round, each player playing by the rules of thumb at their place in `tables`.

    `own` chooses for the first place instead. One hand is empty then. `number` decides all later shuffles.
    """
    held, cards, pile, top, fit, turn, penalty, open_wish, must_wish = position
    hands, stock, players, dice = list(held), list(cards), len(held), Dice(number)
    if 0 in hands:
        return hands
    for _ in range(LONGEST):
        hand = hands[turn]
        following = turn + 1 if turn + 1 < players else 0
        if must_wish:
            must_wish = False
            row = tables[turn][AT[hands[following].bit_count()][hand.bit_count()]]
            suit = best_suit(row, hand, ALL ^ hand ^ pile ^ top)
            fit = ON_SUIT[suit if turn else own(hand, 0, suit)]
            open_wish, turn = True, following
            if not stock:
                pile = _restock(stock, pile, dice)
            continue
        if penalty and not hand & SEVENS:
            while penalty:
                if not stock:
                    pile = _restock(stock, pile, dice)
                    if not stock:
                        break
                hand |= stock.pop()
                penalty -= 1
            penalty = 0
            hands[turn] = hand
        if penalty:
            legal = hand & SEVENS
        elif hand & PLAIN:
            legal = hand & fit
        else:
            hands[turn] = 0
            return hands
        if not legal:
            if not stock:
                pile = _restock(stock, pile, dice)
            legal = stock.pop() if stock else 0
            hand |= legal
            legal &= fit
            if not legal:
                hands[turn] = hand
                turn = following
                if not stock:
                    pile = _restock(stock, pile, dice)
                continue
        if legal & (legal - 1):
            row = tables[turn][AT[hands[following].bit_count()][hand.bit_count() - 1]]
            thumb = best_card(row, legal, hand, ALL ^ hand ^ pile ^ top)
            legal = thumb if turn else own(hand, legal, thumb)
        hand ^= legal
        hands[turn] = hand
        if not hand:
            return hands
        pile, top = pile | top, legal
        if legal & JACKS:
            if not open_wish:
                must_wish = True
                continue
            open_wish, turn = False, following
        else:
            fit, open_wish = ON_CARD[legal], False
            if legal & SEVENS:
                penalty += 2
            turn = (following + 1) % players if legal & ACES else following
        if not stock:
            pile = _restock(stock, pile, dice)
    return hands


def _restock(stock: list[int], pile: int, dice: Dice) -> int:
    """Shuffle the pile into the empty stock; return the new pile."""
    stock.extend(split(pile))
    dice.shuffle(stock)
    return 0
