"""A game played again from what it was dealt from and its deeds, through the rules. Pure.

Owns the order of the calls; the rules decide whether they can be. Whoever replays a game sees all of its cards.
"""

from collections.abc import Iterator, MutableSequence, Sequence

import msgspec

from yawc_poker.engine.game import A, Chance, Dealing, E, Game, IllegalMove, M, S, Step, T
from yawc_poker.engine.transcript import Dealt, Deed, GivenBack, Joined


class Contradiction(Exception):
    """The deeds cannot have led anywhere: `number` is the first that is impossible."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"deed {number}: {reason}")
        self.number = number


class _NoChance:
    """All chance is in the deal: a game that asks for more cannot be played again, and is told so."""

    def shuffle(self, x: MutableSequence[T], /) -> None:
        raise Contradiction(0, "asks for chance")

    def getrandbits(self, k: int, /) -> int:
        raise Contradiction(0, "asks for chance")


def check_order(game: Game[S, M, E, A], dealing: Dealing) -> None:
    """Raise `ValueError` if the order is not one of the game's whole deck."""
    if sorted(dealing.order.split()) != sorted(game.DECK):
        raise ValueError(f"the order does not name each of the {len(game.DECK)} cards once")


def replay(game: Game[S, M, E, A], dealing: Dealing, deeds: Sequence[Deed]) -> Iterator[tuple[Deed, Step[S, E]]]:
    """Give each deed with what it led to. Raises `Contradiction`, and `ValueError` for an order that is none."""
    check_order(game, dealing)
    rng: Chance = _NoChance()
    state: S | None = None
    for number, deed in enumerate(deeds):
        if deed.number != number:
            raise Contradiction(number, "is missing")
        try:
            step = _dealt(game, deed, dealing) if state is None else _done(game, state, deed, rng)
        except IllegalMove as refusal:
            raise Contradiction(number, f"against the rules: {refusal.reason}") from None
        except msgspec.DecodeError as error:
            raise Contradiction(number, str(error)) from None
        yield deed, step
        state = step.state


def _dealt(game: Game[S, M, E, A], deed: Deed, dealing: Dealing) -> Step[S, E]:
    if deed.kind != "deal":
        raise Contradiction(deed.number, "is no deal")
    dealt = msgspec.json.decode(deed.detail, type=Dealt)
    options = game.read_options(bytes(dealt.options).decode())
    return game.deal({person.seat: person.cash for person in dealt.people}, dealt.master, dealing, options)


def _done(game: Game[S, M, E, A], state: S, deed: Deed, rng: Chance) -> Step[S, E]:
    if game.is_over(state):
        raise Contradiction(deed.number, "the game was over")
    if deed.cash is not None:
        state = game.fund(state, deed.cash)
    match deed.kind:
        case "move":
            return game.play(state, deed.seat, game.read_move(deed.detail), rng)
        case "time" if deed.seat == game.to_move(state):
            return game.timeout(state, rng)
        case "join":
            return game.join(state, deed.seat, msgspec.json.decode(deed.detail, type=Joined).cash)
        case "removed" if deed.detail:
            back = msgspec.json.decode(deed.detail, type=GivenBack)
            return game.leave(game.give_back(state, deed.seat, back.known), deed.seat)
        case "leave" | "removed":
            return game.leave(state, deed.seat)
    raise Contradiction(deed.number, "is out of place")
