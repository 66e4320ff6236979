"""Deals for tests: by chance, and with the cards that a test wants, which no words could bring about."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

from msgspec.structs import replace

from yawc_poker.engine.game import A, Chance, Dealing, E, Game, M, S, Step


def dealing(game: Game[S, M, E, A], rng: Chance) -> Dealing:
    """Give a deal by chance."""
    order = list(game.DECK)
    rng.shuffle(order)
    return Dealing(" ".join(order), f"{rng.getrandbits(256):064x}")


def stacked(game: Game[S, M, E, A], first: str, seed: str = "") -> Game[S, M, E, A]:
    """Give a game's rules that deal these cards first, whatever was sealed and by whatever words."""
    wanted = first.split()
    order = " ".join([*wanted, *(card for card in game.DECK if card not in wanted)])

    def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: A) -> Step[S, E]:
        return game.deal(seats, master, replace(dealing, order=order, seed=seed or dealing.seed), options)

    return cast(Game[S, M, E, A], SimpleNamespace(**{**vars(game), "deal": deal}))
