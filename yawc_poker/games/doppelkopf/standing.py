"""The order of a match, and the CUBES that it may be played for (spec/doppelkopf.md 9). Pure.

Owns totals, winners, and who pays how much into the pot. A match is played for points alone unless its options name
CUBES for each point; the results of a round add up to 0, so a player's total is their difference to the mean. CUBES are
settled by place, also of those who have left: leaving saves nobody from paying, and costs nobody what they have won.
"""

from collections.abc import Mapping, Sequence

from yawc_poker.engine.table import split
from yawc_poker.games.doppelkopf.model import SEATS, Result, State


def totals(results: Sequence[Result]) -> tuple[int, ...]:
    """Return each place's points so far."""
    return tuple(sum(result.points[place] for result in results) for place in range(SEATS))


def winners(results: Sequence[Result]) -> tuple[int, ...]:
    """Return the places with the most points; equal points share the first place (9.1)."""
    final = totals(results)
    return tuple(place for place in range(SEATS) if final[place] == max(final))


def debts(state: State) -> Mapping[int, int]:
    """Return what places owe for the points they lost: nobody more than they owned when the match began."""
    lost = {place: -points * state.options.cubes for place, points in enumerate(totals(state.results)) if points < 0}
    owed = {place: min(cubes, state.at_start[place]) for place, cubes in lost.items()}
    return {place: cubes for place, cubes in owed.items() if cubes}


def shares(state: State) -> Mapping[int, int]:
    """Return the shares in the pot of a match that is over, by place.

    With CUBES at stake these are what the points of each are worth. Without them, or where nobody has gained anything,
    there is one for each of the best.
    """
    return _gains(state) or dict.fromkeys(winners(state.results), 1)


def _gains(state: State) -> dict[int, int]:
    won = {place: points * state.options.cubes for place, points in enumerate(totals(state.results))}
    return {place: cubes for place, cubes in won.items() if cubes > 0}


def settlement(state: State) -> Mapping[int, int]:
    """Return the CUBES that each place wins or, below zero, pays; none where the match is played for points."""
    owed = debts(state)
    won = split(sum(owed.values()), shares(state)) if owed else {}
    return {place: cubes for place in range(SEATS) if (cubes := won.get(place, 0) - owed.get(place, 0))}
