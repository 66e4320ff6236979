"""`!` at a table: what a hard house player would do on the caller's turn, by what they see, worked out apart.

The caller is known to take hints before anything is worked out (`engine.hints`), so nobody has a hint in secret.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.hints import may_take
from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.values import AnyTable
from yawc_poker.extras.hints.table_keys import KEY
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.errand import TableErrand, Work
from yawc_poker.table_ui.advice import advice
from yawc_poker.table_ui.definition import AnyDefinition, view_of
from yawc_poker.words import Words, mark

EFFORT: Final = 100
"""Hundredths of what a choice of "hard" takes."""
NOT_AGREED: Final = mark(
    "Hints are for games with house players only, or if the Game-Master allows them before: /hints on"
)
"""Why there is no hint, where `may_take` says no."""


def is_on_turn(game: AnyDefinition, value: AnyTable, seat: int) -> bool:
    """Return whether somebody in a seat is on turn in a game that house players can play."""
    return game.player is not None and value.game is not None and game.rules.to_move(value.game) == seat


def is_offered(game: AnyDefinition, value: AnyTable, seat: int) -> bool:
    """Return whether somebody in a seat may take a hint now."""
    return is_on_turn(game, value, seat) and may_take(value, seat)


def begin(caller: Caller, table: GameTable, game: AnyDefinition, value: AnyTable, seat: int) -> Work | str:
    """Note that the caller takes hints, and return the work; or why there is no hint.

    Raise `IllegalMove`, `StoreError` or `LockTimeout`.
    """
    words = caller.words
    if value.reserved is not None:
        return words("There are no hints in a tournament.")
    if value.game is None or not is_on_turn(game, value, seat):
        return words("A hint is for one's own turn.")
    if not may_take(value, seat):
        return words(NOT_AGREED)
    table.take_hint()
    text = f"hint {value.number} {value.game.turn}"
    return partial(hint, game, view_of(game, value.game, seat), text, words)


def hint(game: AnyDefinition, view: object, text: str, words: Words) -> Sequence[str]:
    """Return what "hard" would do by a view, and why; where nothing is compared, what it would do."""
    if found := advice(game, view, text, EFFORT, words):
        return found
    player, told = game.player, game.retold.told
    if player is None or told is None:
        return [words("There is no hint here.")]
    return [words("Advice: {best}.", best=told(player.choose(view, "hard", SealedChance(text)), words))]


ANNOUNCED = (TableErrand(KEY, is_offered, begin, mark("A hard house player looks at your cards ...")),)
