"""The order of a match, and the CUBES that it may be played for (spec/doppelkopf.md 9). Pure.

Owns totals, winners, and who pays how much into the pot. A match is played for points alone unless its options name
CUBES for each point; the results of a round add up to 0, so a player's total is their difference to the mean.
"""

from collections.abc import Mapping, Sequence

from yawc_poker.engine.game import Payment
from yawc_poker.games.doppelkopf.model import SEATS, Result, State


def totals(results: Sequence[Result]) -> tuple[int, ...]:
    """Return each place's points so far."""
    return tuple(sum(result.points[place] for result in results) for place in range(SEATS))


def winners(results: Sequence[Result]) -> tuple[int, ...]:
    """Return the places with the most points; equal points share the first place (9.1)."""
    final = totals(results)
    return tuple(place for place in range(SEATS) if final[place] == max(final))


def debt(state: State, place: int) -> int:
    """Return what a place owes for its points so far: never more than it owned at the start, nor than it owns now."""
    if not state.options.cubes or state.players[place].gone:
        return 0
    lost = max(-totals(state.results)[place], 0) * state.options.cubes
    return min(lost, state.at_start[place], state.cash[place])


def settled(state: State) -> tuple[Payment, ...]:
    """Return what those who lost a match that is over pay into the pot, if somebody is there to have won it."""
    if not _gains(state):
        return ()
    return tuple(Payment(place, owed) for place in range(SEATS) if (owed := debt(state, place)))


def shares(state: State) -> Mapping[int, int]:
    """Return the shares in the pot of a match that is over, by seat.

    Without CUBES at stake, one for each winner who is still there. With them, what the points of each are worth; where
    nobody who gained is left, a share for each of the best who are.
    """
    return _gains(state) or _best(state)


def _gains(state: State) -> dict[int, int]:
    if not state.options.cubes:
        return {}
    final = totals(state.results)
    return {
        place: final[place] * state.options.cubes
        for place, player in enumerate(state.players)
        if not player.gone and final[place] > 0
    }


def _best(state: State) -> dict[int, int]:
    final = totals(state.results)
    present = [place for place, player in enumerate(state.players) if not player.gone]
    most = max([final[place] for place in (present if state.options.cubes else range(SEATS))], default=0)
    return {place: 1 for place in present if final[place] == most}
