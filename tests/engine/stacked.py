"""Deals for tests: random ones, and ones with the cards that a test wants, which no words could produce."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

from msgspec.structs import replace

from yawc_poker.engine.game import Chance, Dealing, EventT, Game, MoveT, OptionsT, StateT, Step


def dealing(game: Game[StateT, MoveT, EventT, OptionsT], rng: Chance) -> Dealing:
    """Return a random dealing."""
    order = list(game.DECK)
    rng.shuffle(order)
    return Dealing(" ".join(order), f"{rng.getrandbits(256):064x}")


def stacked(
    game: Game[StateT, MoveT, EventT, OptionsT], first: str, seed: str = ""
) -> Game[StateT, MoveT, EventT, OptionsT]:
    """Return a game's rules that deal these cards first, whatever deck was sealed and whatever words were given."""
    wanted = first.split()
    order = " ".join([*wanted, *(card for card in game.DECK if card not in wanted)])

    def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: OptionsT) -> Step[StateT, EventT]:
        return game.deal(seats, master, replace(dealing, order=order, seed=seed or dealing.seed), options)

    return cast(Game[StateT, MoveT, EventT, OptionsT], SimpleNamespace(**{**vars(game), "deal": deal}))
