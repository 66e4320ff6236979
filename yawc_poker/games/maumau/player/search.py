"""The search of the hard level: every candidate is played out in the same worlds. Pure.

Owns how the end of a round is valued, and how the player's own next choices are found. All candidates meet the same
worlds with the same later shuffles, so that their difference shows after few of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Final

from yawc_poker.engine import players
from yawc_poker.engine.house import SealedChance
from yawc_poker.games.maumau.model import View
from yawc_poker.games.maumau.player.bits import PLAIN, SUITS, distinct, worth
from yawc_poker.games.maumau.player.playout import Position, play_out
from yawc_poker.games.maumau.player.worlds import others_of, table_of, worlds

Play = Callable[[Position], Position]
"""A candidate: what it makes of a position."""
PLAYOUTS: Final = 8_000
"""The budget of a choice, for each player: with more of them a playout takes longer."""
FEWEST: Final = 100
"""Worlds before the first candidate is dropped: until then, next choices are still being learned."""
AHEAD: Final = 4
"""So many of the player's own next choices are searched for; later ones go by the rules of thumb."""
CURIOUS: Final = 200
"""How much what was seldom tried is preferred, in parts of a round's value."""
WON: Final = 1000
SPREAD: Final = 40
"""Points by which one round usually changes a lead, and some more."""


def best(view: View, moves: Sequence[Play], chance: SealedChance) -> Play:
    """Return the best of several moves; the first is the one that counts if none is better."""
    trials = Trials(view, moves, chance)
    return players.best(
        moves,
        trials.affordable(),
        lambda at, which: [(worth,) for worth, _ in trials.ends(at, which)],
        fewest=FEWEST,
    )


class Trials:
    """Playouts of several moves under way, in the same worlds."""

    def __init__(self, view: View, moves: Sequence[Play], chance: SealedChance, playouts: int = PLAYOUTS) -> None:
        """`playouts` is the budget, for each player."""
        self._places = places_of(view)
        self._view, self._moves, self._chance = view, moves, chance
        self._tables = [table_of(view), *[others_of(view)] * (len(self._places) - 1)]
        self._ahead = Ahead()
        self._value, self._number, self._played = Value(view, self._places), chance.getrandbits(64), 0
        self._most = playouts // len(self._places)

    def affordable(self) -> Iterator[Position]:
        """Yield worlds until the budget is spent."""
        for position in worlds(self._view, self._places, self._chance):
            if self._played >= self._most:
                return
            yield position

    def ends(self, position: Position, which: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield the value of each of these moves in a world, and all hands at the end, the first place's first."""
        self._played += len(which)
        for at in which:
            self._ahead.begin(at)
            hands = play_out(self._moves[at](position), self._tables, self._number + self._played, self._ahead.choose)
            value = self._value(hands)
            self._ahead.learn(value)
            yield value, hands


class Ahead:
    """The player's own choices to come, learned in the worlds so far.

    A choice is known by the candidate before it and by what the player held, could lay and chose since. So it depends
    on nothing that a person in that place would not see.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], dict[int, list[int]]] = {}
        """By choice, for each option: how often it was tried, and the values of the round's end then, added up."""
        self._story: tuple[int, ...] = ()
        self._tried: list[list[int]] = []
        """The options that were chosen in this playout."""

    def begin(self, candidate: int) -> None:
        """Begin a playout of a candidate."""
        self._story, self._tried = (candidate,), []

    def choose(self, hand: int, legal: int, thumb: int) -> int:
        """Return the most promising card, or suit where no card is to be laid; first of all that of the thumb."""
        if len(self._tried) == AHEAD or (legal and not legal & PLAIN):
            return thumb
        story = (*self._story, hand, legal)
        known = self._known.get(story)
        if known is None:
            options = (thumb, *(distinct(legal) if legal else range(len(SUITS))))
            known = self._known[story] = {option: [0, 0] for option in options}
        chosen = _promising(known)
        self._story = (*story, chosen)
        self._tried.append(known[chosen])
        return chosen

    def learn(self, value: int) -> None:
        """Note the value of the round's end with the choices that led to it."""
        for option in self._tried:
            option[0] += 1
            option[1] += value


def _promising(known: Mapping[int, Sequence[int]]) -> int:
    """Return an option that was never tried, or else the one with the best mean, what was seldom tried preferred."""
    extra = CURIOUS * isqrt(sum([times for times, _ in known.values()]))
    best, most = 0, -(1 << 60)
    for option, (times, gained) in known.items():
        if not times:
            return option
        value = (gained + extra) // times
        if value > most:
            best, most = option, value
    return best


def places_of(view: View) -> list[int]:
    """Return the places of those who still play, the view's first, then in the order in which they move."""
    places = [player.place for player in view.players if player.seat is not None]
    assert view.place is not None, "the view of somebody who does not play"
    first = places.index(view.place)
    return places[first:] + places[:first]


# --- value ------------------------------------------------------------------------------------------------------------


class Value:
    """The value of a round's end for the first place: what it does to the lead over each other player."""

    def __init__(self, view: View, places: Sequence[int]) -> None:
        totals = [view.players[place].total for place in places]
        self._leads = [total - totals[0] for total in totals[1:]]
        left = view.rounds - view.round
        self._spread = isqrt(SPREAD * SPREAD * left)
        """0: this is the last round."""

    def __call__(self, hands: Sequence[int]) -> int:
        """Return the value: about -1,000 to 1,000 for each other player; in the last round of several, 0 to 1,000.

        Only who has the fewest points wins the game; several who do share it. To be second is worth nothing.
        """
        mine = worth(hands[0])
        leads = [lead + worth(hand) - mine for lead, hand in zip(self._leads, hands[1:], strict=True)]
        if len(leads) > 1 and not self._spread:
            return WON // (1 + leads.count(0)) if min(leads) >= 0 else 0
        return sum(map(self._duel, leads))

    def _duel(self, lead: int) -> int:
        if self._spread:
            return WON * lead // (self._spread + abs(lead))
        return (lead > 0) * WON - (lead < 0) * WON + lead // 8
