"""A profile's figures from the rankings, and the chart of the caller's own CUBES."""

from collections.abc import Iterator, Mapping
from typing import Final

from yawc_poker.casino.rankings.course import course
from yawc_poker.casino.rankings.tally import Tally
from yawc_poker.look.chart import EDGE_CELLS, chart
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import day
from yawc_poker.words import Words

_ROWS: Final = 6
_MOST_STEPS: Final = 60
_LEAST_STEPS: Final = 20


def figures_of(tallies: Mapping[str, Tally], kind: str, words: Words) -> str:
    """Return what a profile tells of one kind of game behind its counts; empty: no game has ended yet."""
    tally = tallies.get(kind)
    if tally is None or not tally.games:
        return ""
    won = words("{cubes} CUBES", cubes=f"{tally.cubes:+}")
    return f", {won}, " + words("won in a row: {n}", n=tally.run)


def own_chart(caller: Caller) -> Iterator[str]:
    """Yield how the caller's own CUBES went: a sentence, and a chart unless they read lines. Raise `StoreError`."""
    room = caller.line.columns - EDGE_CELLS - 3
    since, owned = course(
        caller.instance.bank.store,
        caller.user.id,
        caller.instance.here.now(),
        max(min(room, _MOST_STEPS), _LEAST_STEPS),
    )
    if not owned:
        return
    yield caller.words(
        "Your CUBES since {when}: lowest {low}, highest {high}, now {now}",
        when=day(since),
        low=min(owned),
        high=max(owned),
        now=owned[-1],
    )
    if not caller.preferences.linear:
        yield from chart(owned, _ROWS)
