"""The points of a round and the winner of a match of Offiziersskat (spec/offiziersskat.md 5, 6). Pure."""

from collections.abc import Sequence

from yawc_poker.games.offiziersskat.model import ALL_EYES, SEATS, Result, Round, State
from yawc_poker.tricks import eyes


def points(gained: int) -> int:
    """Return what a round is worth to a player with this many eyes; 60 is the only draw (O10)."""
    if gained == ALL_EYES:
        return 4
    if gained > 90:
        return 3
    if gained > 60:
        return 2
    return 1 if gained == 60 else 0


def eyes_of(now: Round, seat: int) -> int:
    """Return the eyes in the tricks that a seat has taken."""
    return sum(eyes(trick.cards) for trick in now.tricks if trick.taker == seat)


def result(now: Round) -> Result:
    """Return the result of a round that was played to its end."""
    gained = eyes_of(now, 0), eyes_of(now, 1)
    return Result(now.number, now.opener, now.trump, gained, (points(gained[0]), points(gained[1])))


def totals(results: Sequence[Result]) -> tuple[int, int]:
    """Return the points of each seat so far."""
    return sum(one.points[0] for one in results), sum(one.points[1] for one in results)


def winner(state: State) -> int | None:
    """Return the seat that has won a match that is over; None for a drawn one (6, O9)."""
    if state.forfeiter is not None:
        return other(state.forfeiter)
    first, second = totals(state.results)
    return None if first == second else int(second > first)


def other(seat: int) -> int:
    """Return the other player's seat."""
    return SEATS - 1 - seat
