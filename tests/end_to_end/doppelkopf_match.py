"""A match of Doppelkopf over real telnet, played at the speed of the machine (`match`)."""

import time
from collections.abc import Sequence
from random import Random

from tests.end_to_end import match
from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.match import Choose
from yawc_poker.engine.values import Table
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.model import Move, Options, State
from yawc_poker.games.doppelkopf.ui.scene import usable
from yawc_poker.games.doppelkopf.ui.screen import FACE
from yawc_poker.registry.entry import GameTables

_TABLES = GameTables(DOPPELKOPF)
_NO_MOVES = frozenset(".XSLTN")
"""Keys that ask for no move, and the one that ends the match."""


def seated(bbs: Bbs, *names: str) -> list[Caller]:
    """Four callers at the table, the first of them its master; a caller's place is their number."""
    return match.seated(bbs, "4", "Match:", names)


def by_chance(seed: int, reserving: float = 0.1, idle: float = 0.0) -> Choose:
    """Return a player who makes a reservation now and then, and otherwise presses any key that is a move.

    Some moves they leave to the clock: a caller who plays all of a match at this speed would be taken for a flood.
    """
    rng = Random(seed)

    def choose(keys: Sequence[str]) -> str:
        if "V" in keys:
            return "vv" if rng.random() < reserving else "g"  # asked again, where that binds to a solo
        if "Y" not in keys and rng.random() < idle:
            return ""
        return rng.choice([key for key in keys if key not in _NO_MOVES]).lower()

    return choose


def offered(value: Table[State, Event], seat: int) -> tuple[str, ...]:
    """Return the keys that the caller in a seat is offered."""
    who = value.seats[seat]
    assert who is not None, f"nobody sits in seat {seat}"
    return usable(FACE.scene(value, who.session, 0, time.monotonic()))


class Match(match.Match[State, Move, Event, Options]):
    """The table, and four callers at it whose names begin as in the tests and end with this."""

    def __init__(self, bbs: Bbs, ending: str) -> None:
        names = (f"{name}{ending}" for name in ("Anna", "Bert", "Carl", "Dora"))
        super().__init__(bbs, seated(bbs, *names), _TABLES, offered)

    def points(self) -> list[int]:
        """Return the points of the four at the end, which add up to 0; all of it must be proven."""
        found = super().points()
        assert sum(found) == 0
        return found
