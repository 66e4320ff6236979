"""A game played again by the rules, from its dealing and its actions. Pure.

Owns the order of the calls; the rules decide whether they are possible. A replay shows all cards of the game.
"""

from collections.abc import Iterator, MutableSequence, Sequence

import msgspec

from yawc_poker.engine.game import Chance, Dealing, EventT, Game, IllegalMove, ItemT, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.transcript import Action, Dealt, GivenBack, Joined


class Contradiction(Exception):
    """The actions are impossible by the rules; `number` is the first such action, a "deed" in `yawcctl verify`."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"deed {number}: {reason}")
        self.number = number


class _NoChance:
    """A source of no chance: all of it is in the deal, so a game that asks for more cannot be replayed."""

    def shuffle(self, x: MutableSequence[ItemT], /) -> None:
        raise Contradiction(0, "asks for chance")

    def getrandbits(self, k: int, /) -> int:
        raise Contradiction(0, "asks for chance")


def check_order(game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing) -> None:
    """Raise `ValueError` if the order is not a permutation of the game's whole deck."""
    if sorted(dealing.order.split()) != sorted(game.DECK):
        raise ValueError(f"the order does not name each of the {len(game.DECK)} cards once")


def replay(
    game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action]
) -> Iterator[tuple[Action, Step[StateT, EventT]]]:
    """Yield each action with its result; raise `Contradiction`, or `ValueError` if the order is not a whole deck."""
    check_order(game, dealing)
    rng: Chance = _NoChance()
    state: StateT | None = None
    for number, action in enumerate(actions):
        if action.number != number:
            raise Contradiction(number, "is missing")
        try:
            step = _dealt(game, action, dealing) if state is None else _done(game, state, action, rng)
        except IllegalMove as refusal:
            raise Contradiction(number, f"against the rules: {refusal.reason}") from None
        except msgspec.DecodeError as error:
            raise Contradiction(number, str(error)) from None
        yield action, step
        state = step.state


def _dealt(game: Game[StateT, MoveT, EventT, OptionsT], action: Action, dealing: Dealing) -> Step[StateT, EventT]:
    if action.kind != "deal":
        raise Contradiction(action.number, "is no deal")
    dealt = msgspec.json.decode(action.detail, type=Dealt)
    options = game.read_options(bytes(dealt.options).decode())
    return game.deal({person.seat: person.cash for person in dealt.people}, dealt.master, dealing, options)


def _done(
    game: Game[StateT, MoveT, EventT, OptionsT], state: StateT, action: Action, rng: Chance
) -> Step[StateT, EventT]:
    if game.is_over(state):
        raise Contradiction(action.number, "the game was over")
    if action.cash is not None:
        state = game.fund(state, action.cash)
    match action.kind:
        case "move":
            return game.play(state, action.seat, game.read_move(action.detail), rng)
        case "time" if action.seat == game.to_move(state):
            return game.timeout(state, rng)
        case "join":
            return game.join(state, action.seat, msgspec.json.decode(action.detail, type=Joined).cash)
        case "removed" if action.detail:
            back = msgspec.json.decode(action.detail, type=GivenBack)
            return game.leave(game.give_back(state, action.seat, back.known), action.seat)
        case "leave" | "removed":
            return game.leave(state, action.seat)
        case "abandoned":
            return game.abandon(state)
        case "away" | "stand_in" | "back":
            return Step(state)
        case _:
            raise Contradiction(action.number, "is out of place")
