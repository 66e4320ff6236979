"""A finished game told again, action by action: what every game's story has in common. Pure.

Owns the players' names, and the sentences about coming and going; a game adds its own (`Say`). Made from the sealed
deck and the actions by playing the game again, so it tells what must have happened, not what somebody wrote down.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, Literal, NamedTuple

import msgspec

from yawc_poker.engine.events import Left, Notice, Removed, SatDown, StakeBack, WentAway
from yawc_poker.engine.game import Dealing, EventT, Game, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action, Dealt, GivenBack, Joined
from yawc_poker.words import Words

Names = Mapping[int, str]
"""The players by seat; those who have left are still named."""
Say = Callable[[Step[StateT, EventT], Names], Iterator[str]]
"""A game's sentences about the events of one step."""
Counted = Literal["cubes", "points", "places"]
"""What a game's result is told in; of a game of "places" a standing's total is the place, from 1."""


class StoryLine(msgspec.Struct, frozen=True):
    """One sentence of the story."""

    at: float
    """Seconds since the deal."""
    text: str


class Standing(msgspec.Struct, frozen=True):
    """A player's result."""

    seat: int
    """When the game began; from 0."""
    rounds: tuple[int, ...]
    """The points of each."""
    total: int
    left: bool
    """Left while the game ran."""
    lost: bool
    won: bool


class Retold(NamedTuple, Generic[MoveT]):
    """How a game tells its past games. All but `move` raise `Contradiction` and `ValueError`, as `engine.replay`."""

    story: Callable[[Dealing, Sequence[Action], Collection[int | None], Words], Iterator[StoryLine]]
    """The whole game, with the hidden cards of these seats."""
    move: Callable[[MoveT], str]
    """A move as `yawcctl history` prints it, in English: "bets 5"."""
    consequences: Callable[[Dealing, Sequence[Action], Words], Iterator[tuple[int, str]]] | None = None
    """What the rules made of an action that the move does not tell, by the action's number. None: nothing."""
    opened: Callable[[Dealing, Sequence[Action], int | None], Collection[str]] | None = None
    """The cards that a seat saw, or with None that everybody saw, each as often as it did. None: all of them."""
    standings: Callable[[Dealing, Sequence[Action]], tuple[Standing, ...]] | None = None
    """The players' results, in a game of points or places."""
    counted: Counted = "cubes"


def narrate(
    game: Game[StateT, MoveT, EventT, OptionsT],
    dealing: Dealing,
    actions: Sequence[Action],
    say: Say[StateT, EventT],
    notice: Callable[[Notice, str], str],
) -> Iterator[StoryLine]:
    """Yield a game's story; `notice` tells of coming and going. Raise `Contradiction` and `ValueError`, as `replay`."""
    names: Names = {}
    for action, step in replay(game, dealing, actions):
        names = _names(names, action)
        notices: dict[str, Notice] = {
            "join": _came(action),
            "leave": Left(action.seat),
            "removed": Removed(action.seat),
            "away": _gone(action),
            "stand_in": SatDown(action.seat),
            "back": SatDown(action.seat),
        }
        if action.kind in notices:
            yield StoryLine(action.at, notice(notices[action.kind], names.get(action.seat, "")))
        if action.kind == "removed" and action.detail:
            back = StakeBack(action.seat, msgspec.json.decode(action.detail, type=GivenBack).amount)
            yield StoryLine(action.at, notice(back, names.get(action.seat, "")))
        for text in say(step, names):
            yield StoryLine(action.at, text)


def last_state(game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action]) -> StateT:
    """Return the state in which a game ended. Raise as `narrate`."""
    *_, (_, last) = replay(game, dealing, actions)
    return last.state


def _gone(action: Action) -> Notice:
    """Return what an "away" tells: somebody was removed, went, or does not press a key any more."""
    match action.detail:
        case '"removed"':
            return Removed(action.seat)
        case '"asleep"':
            return WentAway(action.seat)
        case _:
            return Left(action.seat)


def _came(action: Action) -> Notice:
    """Return what a "join" tells: somebody sat down, or sat there already and was away."""
    away = action.kind == "join" and msgspec.json.decode(action.detail, type=Joined).away
    return WentAway(action.seat) if away else SatDown(action.seat)


def consequences(
    game: Game[StateT, MoveT, EventT, OptionsT],
    dealing: Dealing,
    actions: Sequence[Action],
    say: Callable[[EventT, str], str],
) -> Iterator[tuple[int, str]]:
    """Yield the number of each action with the sentences about its events; `say` returns "" for those not told.

    Raise `Contradiction` and `ValueError`, as `engine.replay`.
    """
    names: Names = {}
    for action, step in replay(game, dealing, actions):
        names = _names(names, action)
        for event in step.events:
            text = say(event, "" if event.seat is None else names.get(event.seat, ""))
            if text:
                yield action.number, text


def _names(names: Names, action: Action) -> Names:
    if action.kind == "deal":
        return {person.seat: person.name for person in msgspec.json.decode(action.detail, type=Dealt).people}
    if action.kind in {"join", "stand_in", "back"}:
        return {**names, action.seat: msgspec.json.decode(action.detail, type=Joined).name}
    return names
