"""A lesson: a first round of a game, alone, with advice at each turn. Nothing of it counts, and nothing is kept.

The advice is what the game's program prefers by what the caller sees, and how often that comes true which players hope
for. It is told only here, where nobody else plays: so no game with advice counts for anything.
"""

import math
from random import SystemRandom
from typing import Final

from yawc_poker.engine import sealing
from yawc_poker.engine.house import SealedChance, Weighed
from yawc_poker.extras.daily.course import OWN, Deal, program_of
from yawc_poker.extras.daily.rows import Play
from yawc_poker.extras.daily.sitting import Sitting
from yawc_poker.session.caller.caller import Caller
from yawc_poker.table_ui.definition import AnyDefinition, view_of
from yawc_poker.terminal.frame import Style

EFFORT: Final = 20
"""Hundredths of what a choice of "hard" takes: the caller waits for it."""


class Lesson(Sitting):
    """A round with advice."""

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
            text = self._caller.words("A lesson: nothing counts, nobody waits, and X leaves it at any time.")
            self._screen.announce(text, Style.GREEN)
        self._advised = table.action
        for text in advice(self._caller, self._game, view_of(self._game, table.game, OWN), table.action):
            self._screen.announce(text, Style.GREEN)


def advice(caller: Caller, game: AnyDefinition, view: object, action: int) -> list[str]:
    """Return what a hard house player would do, and why; nothing where there is nothing to choose."""
    player, words, told = game.player, caller.words, game.retold.told
    if player is None or player.weigh is None or told is None:
        return []
    chance = SealedChance(f"lesson {action}")
    weighed = player.weigh(view, player.choose(view, "normal", chance), chance, EFFORT)
    if weighed is None or not weighed.worths[0]:
        return []
    others = [at for at in range(len(weighed.moves)) if at != weighed.choice]
    other = max(others, key=lambda at: sum(weighed.worths[at]))
    best, second = told(weighed.moves[weighed.choice], words), told(weighed.moves[other], words)
    return [
        words("Advice: {best}. Next best: {second}.", best=best, second=second),
        words(
            "{hope}: in {best_share} of 100 after {best}, in {second_share} after {second}.",
            hope=words(game.retold.hope),
            best=best,
            second=second,
            best_share=_share(weighed, weighed.choice),
            second_share=_share(weighed, other),
        ),
    ]


def _share(weighed: Weighed[object], at: int) -> int:
    return round(100 * sum(weighed.hopes[at]) / len(weighed.hopes[at]))
