"""What a round is worth (spec/doppelkopf.md 7, 8), and who has won a match and pays whom (9). Pure.

Owns who wins and each line of the score. Knows eyes, calls and special points, but not how they came about, except in
`special_points`, which finds them in the tricks.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.table import split
from yawc_poker.games.doppelkopf.model import SEATS, GameType, Item, Result, Round, State, Team
from yawc_poker.games.doppelkopf.teams import level_of
from yawc_poker.games.doppelkopf.trumps import FOX, JACK_OF_CLUBS
from yawc_poker.tricks import Trick, eyes

ALL: Final = 240
MANY: Final = 40
"""Eyes that make a trick a Doppelkopf."""
_STEPS: Final = (90, 60, 30, 0)
"""What the denials say, in their order; as levels the losers stayed below, "0" is no eyes at all."""


class Score(msgspec.Struct, frozen=True):
    """The lines of a round's score."""

    winner: Team | None
    items: tuple[Item, ...]
    """Their points are the winners', or Re's where nobody won."""

    @property
    def value(self) -> int:
        """The sum of the lines; below 0 it is the losers who gain."""
        return sum(item.points for item in self.items)


def other(team: Team) -> Team:
    """Return the other team."""
    return "contra" if team == "re" else "re"


def target(team: Team, levels: Mapping[Team, int]) -> int:
    """Return the eyes that a team needs: for its highest denial, or else one side needs 121 and the other 120 (7.1)."""
    denials = levels[team] - 1
    if denials > 0:
        step = _STEPS[denials - 1]
        return ALL - step + 1 if step else ALL
    is_only_contra = levels["contra"] > 0 and not levels["re"]
    return 120 if (team == "re") == is_only_contra else 121


def winner_of(re_eyes: int, levels: Mapping[Team, int]) -> Team | None:
    """Return who wins; None where both have denied and both failed (7.4)."""
    gained: dict[Team, int] = {"re": re_eyes, "contra": ALL - re_eyes}
    reached = {team: gained[team] >= target(team, levels) for team in gained}
    denied = [team for team in gained if levels[team] > 1]
    if len(denied) == 1:
        return denied[0] if reached[denied[0]] else other(denied[0])
    return next((team for team in gained if reached[team]), None)


def score(re_eyes: int, levels: Mapping[Team, int], specials: Sequence[Item], *, alone: bool) -> Score:
    """Return the score of a round (8.1, 8.4).

    `levels` are each team's called levels, 0 to 5; `specials` are worth their points to the team they name. `alone`: Re
    is a single player, and special points do not count.
    """
    winner = winner_of(re_eyes, levels)
    gainer = winner or "re"
    items: list[Item] = []
    if winner is not None:
        items = [Item("won", 1, winner), *_announced(levels)]
    items += _below(re_eyes, gainer, both=winner is None)
    if winner is not None:
        items += _denied(levels)
    if winner == "contra" and not alone:
        items.append(Item("against_queens", 1, "contra"))
    if not alone:
        items += [_signed(item, gainer) for item in specials]
    return Score(winner, tuple(items))


def _announced(levels: Mapping[Team, int]) -> list[Item]:
    return [Item("announced", 2, team) for team, reached in levels.items() if reached]


def _denied(levels: Mapping[Team, int]) -> list[Item]:
    return [Item("denied", 1, team, eyes) for team, reached in levels.items() for eyes in _STEPS[: max(reached - 1, 0)]]


def _below(re_eyes: int, gainer: Team, *, both: bool) -> list[Item]:
    """Return the levels that the other team stayed below; where nobody won, also those of the `gainer` itself."""
    gained: dict[Team, int] = {"re": re_eyes, "contra": ALL - re_eyes}
    losers = [other(gainer), gainer] if both else [other(gainer)]
    return [
        _signed(Item("below", 1, team, step), other(gainer))
        for team in losers
        for step in _STEPS
        if gained[team] < (step or 1)
    ]


def _signed(item: Item, gainer: Team) -> Item:
    return item if item.team == gainer else replace(item, points=-item.points)


def points(value: int, gainer: Team, re: Sequence[int]) -> tuple[int, ...]:
    """Return each place's points; a single Re player has three times as many (8.2, 8.3)."""
    own = value if gainer == "re" else -value
    return tuple(own * (3 if len(re) == 1 else 1) if place in re else -own for place in range(SEATS))


def special_points(tricks: Sequence[Trick], re: Sequence[int]) -> tuple[Item, ...]:
    """Return the special points in the tricks of a round, by the teams as finally known (8.1, D17)."""

    def team(place: int) -> Team:
        return "re" if place in re else "contra"

    found = []
    for trick in tricks:
        taker = team(trick.taker)
        if eyes(trick.cards) >= MANY:
            found.append(Item("doppelkopf", 1, taker, place=trick.taker))
        foxes = (team(place) for place, card in trick.by_player(SEATS).items() if card == FOX)
        found += [Item("fox", 1, taker, place=trick.taker) for owner in foxes if owner != taker]
    last = tricks[-1]
    if last.by_player(SEATS)[last.taker] == JACK_OF_CLUBS:
        found.append(Item("charlie", 1, team(last.taker), place=last.taker))
    return tuple(found)


def result(now: Round, game: GameType, re: tuple[int, ...]) -> Result:
    """Return what a round came to whose twelve tricks have been played."""
    re_eyes = sum(eyes(trick.cards) for trick in now.tricks if trick.taker in re)
    levels: dict[Team, int] = {"re": level_of(now.calls, "re"), "contra": level_of(now.calls, "contra")}
    alone = len(re) == 1
    made = score(re_eyes, levels, special_points(now.tricks, re), alone=alone)
    gained = points(made.value, made.winner or "re", re)
    return Result(now.number, now.dealer, game, re, re_eyes, made.winner, made.items, made.value, gained)


# --- the order of a match ---------------------------------------------------------------------------------------------
#
# A match is played for points alone unless its options name CUBES for each point. The results of a round add up to 0,
# so a player's total is their difference to the mean. CUBES are settled by place, also of those who have left: leaving
# saves nobody from paying, and costs nobody what they have won.


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
