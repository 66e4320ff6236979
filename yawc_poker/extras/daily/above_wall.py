"""Above the notes on the wall: who was best at the deals of today, and of yesterday."""

import time
from collections.abc import Iterator

from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.extras.daily.menu_lines import games_of_the_day, told_result
from yawc_poker.extras.daily.rows import ranking
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.wall import AboveWall


def told(caller: Caller) -> Iterator[str]:
    """Yield a line for each of both days that somebody has played on. Raise `StoreError`."""
    words, today = caller.words, day_of(time.time())
    if best := _best(caller, today):
        yield words("Deal of the day: {best}", best=best)
    if best := _best(caller, today - 1):
        yield words("Yesterday's deal: {best}", best=best)


def _best(caller: Caller, day: int) -> str:
    """Return who was first in each game."""
    words, store, found = caller.words, caller.instance.bank.store, list[str]()
    for game in games_of_the_day(caller):
        first = ranking(store, day, game.kind)[:1]
        names = caller.instance.accounts.names([one.user for one in first])
        for one in first:
            result = told_result(caller, game, one.result)
            found.append(f"{words(game.titles.game)} {names.get(one.user, '-')} ({result})")
    return ", ".join(found)


ANNOUNCED = (AboveWall(told),)
