"""A lesson: a first round of a game, alone, with advice at each turn. Nothing of it counts, and nothing is kept.

The advice is what the game's program prefers by what the caller sees, and how often that comes true which players hope
for (`table_ui.advice`). Whoever has seen enough presses any key that the game does not use.
"""

import math
from random import SystemRandom
from typing import Final

from yawc_poker.engine import sealing
from yawc_poker.extras.daily.course import OWN, Deal, program_of
from yawc_poker.extras.daily.rows import Play
from yawc_poker.extras.daily.sitting import Sitting
from yawc_poker.session.caller.caller import Caller
from yawc_poker.table_ui.advice import advice
from yawc_poker.table_ui.definition import AnyDefinition, view_of
from yawc_poker.terminal.frame import Style

EFFORT: Final = 20
"""Hundredths of what a choice of "hard" takes: the caller waits for it."""


class Lesson(Sitting):
    """A round with advice."""

    _ends_at_unused = True

    def __init__(self, caller: Caller, game: AnyDefinition) -> None:
        deck = sealing.shuffle(game.rules.DECK, SystemRandom())
        deal = Deal(0, game.rules.KIND, deck.order, deck.secret, program_of(game))
        super().__init__(caller, game, deal, Play(0.0, (), None, 0))
        self._advised = -1
        """The action before which the last advice was given."""

    def _ends(self, play: Play) -> float:
        return math.inf

    def _keep(self, move: str) -> bool:
        return True

    def _close(self, found: int) -> None:
        pass

    def _comes_to_turn(self) -> None:
        table = self._course.table
        if table.game is None or self._advised == table.action or self._game.rules.to_move(table.game) != OWN:
            return
        if self._advised < 0:
            words = self._caller.words
            text = words("A lesson: nothing counts, nobody waits. Any key that the game does not use ends it, as Q.")
            self._screen.announce(text, Style.GREEN)
        self._advised = table.action
        self._hint()

    def _hint(self) -> None:
        """Tell the advice, perhaps once more."""
        table = self._course.table
        if table.game is None:
            return
        view = view_of(self._game, table.game, OWN)
        for text in advice(self._game, view, f"lesson {table.action}", EFFORT, self._caller.words):
            self._screen.announce(text, Style.GREEN)
