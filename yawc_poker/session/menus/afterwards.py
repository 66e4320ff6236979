"""What extras offer for a finished game, whoever has it at hand: a place that they announce themselves at."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.transcript import Action
from yawc_poker.session.caller.caller import Caller
from yawc_poker.table_ui.definition import AnyDefinition


class FinishedGame(NamedTuple):
    """A game that is over, with all that replays it."""

    title: str
    """In the caller's language."""
    game: AnyDefinition
    dealing: Dealing
    actions: Sequence[Action]


class OfFinishedGame(NamedTuple):
    """Something that can be done with a finished game."""

    name: str
    act: Callable[[Caller, FinishedGame], None]
    """Do it for a caller who was a player."""


def offered_for_finished(name: str) -> OfFinishedGame | None:
    """Return what has this name, or None where no extra offers it."""
    return next((one for one in announced("finished_games", OfFinishedGame) if one.name == name), None)
