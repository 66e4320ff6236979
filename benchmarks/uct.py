"""A player of Doppelkopf that knows the rules and searches: UCT over deals of the hidden cards, with random playouts.

It shares no judgement with the house players: no rules of thumb and no weights, only the cards as bits, the score, and
what is certain about the hidden cards. One tree is grown for all deals; in it a move is tried as often as it could be
made.
"""

import math
from random import Random
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.players import dealt, rolled
from yawc_poker.games.doppelkopf.model import HAND, SEATS, View
from yawc_poker.games.doppelkopf.player.decks import numbers, taking
from yawc_poker.games.doppelkopf.player.evidence import plan
from yawc_poker.games.doppelkopf.player.knowledge import Known, read
from yawc_poker.games.doppelkopf.player.playouts import FINE, End, Start, special_of, start_of, worth

ROLLOUTS: Final = 1000
EXPLORE: Final = 2.0
"""Points that a move which was hardly tried may be better than it looked."""


class Node:
    """A move in the tree: how often it could have been made, was made, and what it brought the player who made it."""

    __slots__ = ("children", "could", "total", "tried")

    def __init__(self) -> None:
        self.children: dict[int, Node] = {}
        self.could = self.tried = 0
        self.total = 0.0


class Deal:
    """A round in a deal: it goes on card by card."""

    def __init__(self, known: Known, start: Start) -> None:
        self.deck, self.hands, self.leader, self.trick = known.deck, list(start.world), known.leader, list(known.trick)
        self.re, self.re_eyes, self.special = start.re, start.re_eyes, start.special
        self.done, self.bride = len(known.tricks), known.bride

    @property
    def turn(self) -> int:
        """Who is on turn."""
        return (self.leader + len(self.trick)) % SEATS

    def moves(self) -> int:
        """Return the cards that may be played."""
        hand = self.hands[self.turn]
        return hand & self.deck.colour[self.trick[0]] or hand if self.trick else hand

    def lay(self, card: int) -> None:
        """Play a card."""
        self.hands[self.turn] ^= 1 << card
        self.trick.append(card)
        if len(self.trick) == SEATS:
            self._take()

    def _take(self) -> None:
        deck, at = self.deck, taking(self.deck, self.trick)
        taker, eyes = (self.leader + at) % SEATS, sum([deck.eyes[card] for card in self.trick])
        if self.bride >= 0 and self.done < SEATS - 1 and taker != self.bride:
            self.re, self.bride = 1 << self.bride | 1 << taker, -1
        if self.re >> taker & 1:
            self.re_eyes += eyes
        self.special += special_of(deck, self.leader, self.trick, taker, eyes, self.re)
        self.done += 1
        if self.done == HAND and deck.charlies >> self.trick[at] & 1:
            self.special += 1 if self.re >> taker & 1 else -1
        self.leader, self.trick = taker, []


def card(view: View, chance: SealedChance, rollouts: int = ROLLOUTS) -> Card:
    """Return the card that was tried most."""
    known, rng = read(view), Random(chance.getrandbits(64))
    hidden, dice, root = plan(known)._replace(leans={}), rolled(chance), Node()
    for _ in range(rollouts):
        world = [0] * SEATS
        world[known.me] = known.hand
        for place, one in zip(hidden.places, dealt(hidden, dice), strict=True):
            world[place] |= 1 << one
        _rollout(root, Deal(known, start_of(known, world)), known, rng)
    tried = max(root.children, key=lambda move: root.children[move].tried)
    return known.deck.cards[2 * tried]


def _rollout(root: Node, deal: Deal, known: Known, rng: Random) -> None:
    node, path = root, list[tuple[int, Node]]()
    while deal.done < HAND:
        turn, moves = deal.turn, {one >> 1: one for one in numbers(deal.moves())}
        fresh = [move for move in moves if move not in node.children]
        move = rng.choice(fresh) if fresh else _promising(node, list(moves))
        if fresh:
            node.children[move] = Node()
        for other in moves:
            if other in node.children:
                node.children[other].could += 1
        node = node.children[move]
        path.append((turn, node))
        deal.lay(moves[move])
        if fresh:
            break
    while deal.done < HAND:
        deal.lay(rng.choice(numbers(deal.moves())))
    end, levels = End(deal.re_eyes, deal.special, deal.re), known.levels()
    for place, one in path:
        one.tried += 1
        one.total += worth(end, place, levels) / FINE


def _promising(node: Node, moves: list[int]) -> int:
    def bound(move: int) -> float:
        child = node.children[move]
        return child.total / child.tried + EXPLORE * math.sqrt(math.log(child.could) / child.tried)

    return max(moves, key=bound)
