"""Texts for tests without sessions: who is committed to which, and a start in which all of them are revealed.

The texts are kept here, as sessions keep them, so that the table's value does not know them before they are revealed.
"""

from collections.abc import Mapping

from yawc_poker.engine import sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import Chance, EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.opening import commit, owes_commitment
from yawc_poker.engine.sealing import Custody
from yawc_poker.engine.values import Change, Clocks, Table

_TEXTS: dict[str, str] = {}


def draw_word(table: Table[StateT, EventT], session: int, rng: Chance) -> Table[StateT, EventT]:
    """Commit a session that owes it to a random word of eight letters."""
    if not owes_commitment(table, session):
        return table
    return give_word(table, session, sealing.drawn_word(rng))


def give_word(
    table: Table[StateT, EventT],
    session: int,
    text: str,
    now: float = 0.0,
    clocks: Clocks | None = None,
    custody: Custody = "session",
    *,
    told: bool = False,
) -> Table[StateT, EventT]:
    """Commit a session to this text."""
    digest = sealing.commitment(text)
    _TEXTS[digest] = text
    return commit(table, session, digest, custody, now, clocks or Clocks(), told=told)


def text_of(digest: str) -> str:
    """Return the text that a session here was committed to."""
    return _TEXTS[digest]


def start(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    cash: Mapping[int, int],
    rng: Chance,
    now: float,
    options: OptionsT,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """Start a game as `tables.start` does, and reveal all texts."""
    change = tables.start(table, game, session, cash, rng, now, options, clocks)
    return revealed(change, game, cash, now, clocks)


def revealed(
    change: Change[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    cash: Mapping[int, int],
    now: float,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """Reveal all texts of a game that begins."""
    while change.table.opening is not None:
        mine = next(one for one in change.table.opening.frozen if one.owes)
        change = tables.reveal(change.table, game, mine.session, _TEXTS[mine.hash], cash, now, clocks)
    return change
