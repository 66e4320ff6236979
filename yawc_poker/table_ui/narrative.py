"""A finished game told again, deed by deed: what every game's story has in common. Pure.

Owns who is called what, and the sentences about coming and going; a game says the rest (`Say`). Made from the sealed
deck and the deeds by playing the game again, so it tells what must have been, not what somebody wrote down.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from yawc_poker.engine.game import Dealing, EventT, Game, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.replay import replay
from yawc_poker.engine.table import Left, Notice, Removed, SatDown, StakeBack
from yawc_poker.engine.transcript import Action, Dealt, GivenBack, Joined

Names = Mapping[int, str]
"""Who sits where; whoever has left is still named."""
Say = Callable[[StateT | None, Step[StateT, EventT], bool, Names], Iterator[str]]
"""A game's sentences about one step: the state before, the step, whether it is the deal."""


class StoryLine(msgspec.Struct, frozen=True):
    """One sentence of the story."""

    at: float
    """Seconds since the deal."""
    text: str


def narrate(
    game: Game[StateT, MoveT, EventT, OptionsT],
    dealing: Dealing,
    actions: Sequence[Action],
    say: Say[StateT, EventT],
    notice: Callable[[Notice, str], str],
) -> Iterator[StoryLine]:
    """Tell a game; `notice` says who comes and goes. Raises `Contradiction` and `ValueError`, as `engine.replay`."""
    names: Names = {}
    before: StateT | None = None
    for action, step in replay(game, dealing, actions):
        names = _names(names, action)
        notices: dict[str, Notice] = {
            "join": SatDown(action.seat),
            "leave": Left(action.seat),
            "removed": Removed(action.seat),
        }
        if action.kind in notices:
            yield StoryLine(action.at, notice(notices[action.kind], names.get(action.seat, "")))
        if action.kind == "removed" and action.detail:
            back = StakeBack(action.seat, msgspec.json.decode(action.detail, type=GivenBack).amount)
            yield StoryLine(action.at, notice(back, names.get(action.seat, "")))
        for text in say(before, step, action.kind == "deal", names):
            yield StoryLine(action.at, text)
        before = step.state


def consequences(
    game: Game[StateT, MoveT, EventT, OptionsT],
    dealing: Dealing,
    actions: Sequence[Action],
    say: Callable[[EventT, str], str],
) -> Iterator[tuple[int, str]]:
    """Give what the rules made of each deed, by its number; of what `say` gives no sentence for, nothing.

    Raises `Contradiction` and `ValueError`, as `engine.replay`.
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
    if action.kind == "join":
        return {**names, action.seat: msgspec.json.decode(action.detail, type=Joined).name}
    return names
