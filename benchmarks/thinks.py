"""How long one choice of a hard house player takes: at every position of some games, by the processor's time.

Half of the games are played at random, which brings about positions that no sensible player meets; in the others
everybody plays what was chosen.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Final

from benchmarks.players import doppelkopf, maumau, offiziersskat, poker
from yawc_poker.engine.game import Dealing, EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.house import SealedChance, chance_of
from yawc_poker.games.doppelkopf import model as doppelkopf_model
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.maumau import model as maumau_model
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.offiziersskat import model as skat_model
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.poker import model as poker_model
from yawc_poker.games.poker.game import POKER
from yawc_poker.table_ui.definition import Definition, view_of
from yawc_poker.table_ui.scene import LocalT

CASH: Final = 1000

AtRandom = Callable[[StateT, ViewT, int, SealedChance], MoveT]
"""A player who knows the rules and no more: state (for its seed alone), view, seat and chance in, a move out."""


def choices(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    options: OptionsT,
    at_random: AtRandom[StateT, ViewT, MoveT],
    number: int,
) -> Iterator[float]:
    """Yield the seconds of processor time of each choice in the game of this number; even ones are random."""
    rules, program = game.rules, game.player
    assert program is not None, f"{rules.KIND} has house players"
    rng = Random(f"{rules.KIND} {number}")
    order = list(rules.DECK)
    rng.shuffle(order)
    seed = f"{rng.getrandbits(256):064x}"
    state = rules.deal(dict.fromkeys(range(rules.SEATS), CASH), 0, Dealing(" ".join(order), seed), options).state
    made = 0
    while not rules.is_over(state) and (seat := rules.to_move(state)) is not None:
        view = view_of(game, state, seat)
        chance = chance_of(seed, seat, made)
        began = time.process_time()
        move = program.choose(view, "hard", chance)
        yield time.process_time() - began
        made += 1
        if number % 2 == 0:
            move = at_random(state, view, seat, chance_of(f"{seed} at random", seat, made))
        state = rules.play(state, seat, move, rng).state


# --- at random --------------------------------------------------------------------------------------------------------


def _doppelkopf(
    state: doppelkopf_model.State, view: doppelkopf_model.View, seat: int, chance: SealedChance
) -> doppelkopf_model.Move:
    return doppelkopf.any_move(view, chance)


def _maumau(state: maumau_model.State, view: maumau_model.View, seat: int, chance: SealedChance) -> maumau_model.Move:
    return maumau.chance(state, view, seat)


def _offiziersskat(state: skat_model.State, view: skat_model.View, seat: int, chance: SealedChance) -> skat_model.Move:
    cards = offiziersskat.legal(view)
    return skat_model.PlayCard(cards[chance.below(len(cards))])


def _poker(state: poker_model.State, view: poker_model.View, seat: int, chance: SealedChance) -> poker_model.Move:
    players = (poker.MINIMUM, poker.MANIAC, poker.POT_ODDS)
    return players[chance.below(len(players))](view, chance)


CHOICES: Final[dict[str, Callable[[int], Iterator[float]]]] = {
    "Offiziersskat": partial(choices, OFFIZIERSSKAT, skat_model.Options(target=1), _offiziersskat),
    "Doppelkopf": partial(choices, DOPPELKOPF, doppelkopf_model.Options(rounds=1), _doppelkopf),
    "poker": partial(choices, POKER, poker_model.Options(), _poker),
    "Mau-Mau": partial(choices, MAUMAU, maumau_model.Options(1), _maumau),
}
"""The time of each choice in a game's game of a number."""
