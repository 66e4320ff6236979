"""Parts of a game (`engine.game.Game`) as most games have them, for a module of rules to take over. Pure."""

from collections.abc import Mapping

from yawc_poker.engine.game import EventT, OptionsT, StateT, Step


def everybody(seats: Mapping[int, int], options: object) -> tuple[int, ...]:
    """Return all occupied seats, as those who play (`Game.players`)."""
    return tuple(sorted(seats))


def whoever_they_are(options: OptionsT, users: Mapping[int, int]) -> OptionsT:
    """Return the options as they are: they say nothing of users (`Game.seated`)."""
    return options


def whatever_they_own(state: StateT, cash: Mapping[int, int]) -> StateT:
    """Return the state as it is: what anybody owns means nothing in the game (`Game.fund`)."""
    return state


def nothing_staked(state: StateT, seat: int, amount: int) -> StateT:
    """Return the state as it is: nobody has a stake before the end (`Game.give_back`)."""
    return state


def open_to_all(event: EventT) -> EventT:
    """Return the event as it is: it tells nothing that only one player may know (`Game.concealed`)."""
    return event


def nothing(state: object) -> Mapping[int, int]:
    """Return that nobody has any: of debts, or of points (`Game.debts`, `Game.points`)."""
    return {}


def one_by_one(state: StateT) -> Step[StateT, EventT]:
    """Return the state as it is: those who are gone leave one after the other (`Game.abandon`)."""
    return Step(state)
