"""What a match of a tournament is, in each game: its options, and its length. Each is one game of the ledger."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from yawc_poker.games.doppelkopf import model as doppelkopf
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.offiziersskat import model as offiziersskat
from yawc_poker.registry.games import GAMES
from yawc_poker.words import mark


class MatchKind(NamedTuple):
    """The matches of one game."""

    usual: int
    """The length, unless whoever calls the tournament says otherwise."""
    most: int
    length: str
    """A message of the catalogues: what the length counts."""
    options: Callable[[int], object]
    """Return the options of a match of a length, or None for the table's usual ones."""
    seats: int = 0
    """Most players of a table; 0: as many as it has seats."""
    chips: bool = False
    """It is one hand for chips, and whoever has none left is out (`chips`); there is no number of rounds."""


KINDS: Final[Mapping[str, MatchKind]] = {
    "poker": MatchKind(6, 60, mark("Hands until the ante doubles"), lambda length: None, chips=True),
    "maumau": MatchKind(4, 20, mark("Rounds of a match"), lambda length: maumau.Options(rounds=length), 4),
    "doppelkopf": MatchKind(12, 24, mark("Rounds of a match"), lambda length: doppelkopf.Options(rounds=length)),
    "offiziersskat": MatchKind(
        7,
        21,
        mark("Points that win a match"),
        lambda length: offiziersskat.Options(target=length, master_opens=True),
    ),
}
_USUAL: Final = MatchKind(1, 1, mark("Games of a match"), lambda length: None)


def match_of(kind: str) -> MatchKind:
    """Return the matches of a game; of one that has no line here, games by the table's usual options."""
    return KINDS.get(kind, _USUAL)


def is_known(kind: str) -> bool:
    """Return whether this program has a game: one may have been taken off, or be a newer program's."""
    return any(game.kind == kind for game in GAMES)


def options_of(kind: str, length: int) -> str:
    """Return the options of a match as JSON; empty: the table's usual ones."""
    options = match_of(kind).options(length)
    return "" if options is None else msgspec.json.encode(options).decode()
