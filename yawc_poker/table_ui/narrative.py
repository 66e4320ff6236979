"""A finished game told again, deed by deed: what every game's story has in common. Pure.

Owns who is called what, and the sentences about coming and going; a game says the rest (`Say`). Made from the sealed
deck and the deeds by playing the game again, so it tells what must have been, not what somebody wrote down.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from yawc_poker.engine.game import A, Dealing, E, Game, M, S, Step
from yawc_poker.engine.replay import replay
from yawc_poker.engine.table import Left, Notice, Removed, SatDown, StakeBack
from yawc_poker.engine.transcript import Dealt, Deed, GivenBack, Joined

Names = Mapping[int, str]
"""Who sits where; whoever has left is still named."""
Say = Callable[[S | None, Step[S, E], bool, Names], Iterator[str]]
"""A game's sentences about one step: the state before, the step, whether it is the deal."""


class Told(msgspec.Struct, frozen=True):
    """One sentence of the story."""

    at: float
    """Seconds since the deal."""
    text: str


def narrate(
    game: Game[S, M, E, A],
    dealing: Dealing,
    deeds: Sequence[Deed],
    say: Say[S, E],
    notice: Callable[[Notice, str], str],
) -> Iterator[Told]:
    """Tell a game; `notice` says who comes and goes. Raises `Contradiction` and `ValueError`, as `engine.replay`."""
    names: Names = {}
    before: S | None = None
    for deed, step in replay(game, dealing, deeds):
        names = _names(names, deed)
        notices: dict[str, Notice] = {
            "join": SatDown(deed.seat),
            "leave": Left(deed.seat),
            "removed": Removed(deed.seat),
        }
        if deed.kind in notices:
            yield Told(deed.at, notice(notices[deed.kind], names.get(deed.seat, "")))
        if deed.kind == "removed" and deed.detail:
            back = StakeBack(deed.seat, msgspec.json.decode(deed.detail, type=GivenBack).amount)
            yield Told(deed.at, notice(back, names.get(deed.seat, "")))
        for text in say(before, step, deed.kind == "deal", names):
            yield Told(deed.at, text)
        before = step.state


def consequences(
    game: Game[S, M, E, A], dealing: Dealing, deeds: Sequence[Deed], say: Callable[[E, str], str]
) -> Iterator[tuple[int, str]]:
    """Give what the rules made of each deed, by its number; of what `say` gives no sentence for, nothing.

    Raises `Contradiction` and `ValueError`, as `engine.replay`.
    """
    names: Names = {}
    for deed, step in replay(game, dealing, deeds):
        names = _names(names, deed)
        for event in step.events:
            text = say(event, "" if event.seat is None else names.get(event.seat, ""))
            if text:
                yield deed.number, text


def _names(names: Names, deed: Deed) -> Names:
    if deed.kind == "deal":
        return {person.seat: person.name for person in msgspec.json.decode(deed.detail, type=Dealt).people}
    if deed.kind == "join":
        return {**names, deed.seat: msgspec.json.decode(deed.detail, type=Joined).name}
    return names
